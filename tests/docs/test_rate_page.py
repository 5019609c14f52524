"""The examples of the guide to rating results run, and print what it shows."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import blocks, page
from tests.exchange.files import one
from tests.ratings.classic_pool import BAYESELO, ORDO, POOL, games_of
from tests.support.command import invoke
from tests.support.tournaments import played, stored
from tourney.ratings.batch import rate
from tourney.ratings.counts import Counts
from tourney.ratings.likelihood import MODELS
from tourney.run.engine.recorder import pair_next, spec_of
from tourney.store.database import Database
from tourney.store.values import CHOSEN, MatchResult, Plan, RunSettings

PAGE = page("how-to/rate-results.md")
RATINGS = page("explanation/ratings.md")


def test_rate_page_runs_from_top_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOURNEY_DB", raising=False)
    for kind, name in (("pgn", "games.pgn"), ("csv", "table.csv")):
        (content,) = blocks(PAGE, kind)
        Path(name).write_text(content, encoding="utf-8")
    printed = [invoke(*line.split()[1:]) for text in blocks(PAGE, "sh") for line in text.splitlines()]
    assert [done.stderr for done in printed if done.exit_code] == []
    (shown,) = blocks(PAGE, "text")
    assert printed[0].stdout == shown
    assert (tmp_path / "reports" / "club" / "index.html").is_file()


def test_ratings_page_shows_the_programs_numbers_beside_ours() -> None:
    rows = re.findall(r"^\| engine-(\d) \|(.*)\|$", RATINGS, re.MULTILINE)
    counts = Counts.of_clusters(games_of(POOL), range(6), 2)
    ours = {
        name: {line.entrant: line.elo for line in rate(counts, model=model).ratings}
        for name, model in MODELS.items()
    }
    expected = [
        (player, ORDO[player], ours["ordo"][player], BAYESELO[player], ours["bayeselo"][player])
        for player in ORDO
    ]
    found = [(int(player), *map(float, cells.split("|")[:4])) for player, cells in rows]
    assert found == expected
    assert [float(cells.split("|")[4]) for _, cells in rows] == [ours["tourney"][player] for player in ORDO]


def elo_of(*words: str) -> dict[str, tuple[float, float, float]]:
    """The Elo and its interval by name, as a command prints them."""
    done = invoke(*words, "--format", "json")
    assert done.exit_code == 0, done.output
    lines: list[dict[str, Any]] = json.loads(done.stdout)["ratings"]
    return {line["name"]: (line["elo"], line["low"], line["high"]) for line in lines}


def options_of(command: str) -> list[list[str]]:
    """The options that the page writes after a command, in the order of the page."""
    return [words.split() for words in re.findall(rf"`{command} (--[^`]*)`", PAGE)]


@pytest.mark.parametrize("mirrored", [True, False], ids=["shared dice", "own dice"])
def test_files_of_tourney_have_the_ratings_that_the_page_says(tmp_path: Path, mirrored: bool) -> None:
    """Openings and games repeat, so that the ratings differ without the options of the page."""
    db, records, table = (str(tmp_path / name) for name in ("t.db", "records.jsonl", "matches.csv"))
    plan = Plan("cup", "sage-stones", "1", (), "round-robin", 2, 8, opening_plies=1, mirrored_dice=mirrored)
    with Database.open(db, create=True) as database:
        cup = database.tournaments.add(
            plan, seed=5, origin=CHOSEN, run=RunSettings(), entrants=stored(4), created="2026-11-20"
        )
        pair_next(database, cup.id)
        entrants = database.tournaments.entrants(cup.id)
        rows = list(database.schedules.pending(cup.id))
        matches = [MatchResult(number, played(spec_of(cup, entrants, row))) for number, row in rows]
        database.matches.add(cup.id, matches)
    invoke("export", "--out", records, "--db", db)
    invoke("export", "--what", "matches", "--out", table, "--db", db)
    ((file_options, stored_options),) = re.findall(
        r"`tourney rate FILE ([^`]*)` gives the ratings of `tourney ratings ([^`]*)`", PAGE
    )
    expected = elo_of("ratings", *stored_options.split(), "--db", db)
    assert elo_of("rate", records, *file_options.split()) == expected
    apart = () if mirrored else ("--no-pairs",)
    assert elo_of("rate", table, *file_options.split(), *apart) == expected
    assert elo_of("ratings", "--db", db) not in (expected, elo_of("rate", records))
    assert elo_of("rate", records) != expected, "equal records are one observation"


def test_imported_results_have_the_ratings_that_the_page_says(tmp_path: Path) -> None:
    file, db = tmp_path / "games.pgn", ("--db", str(tmp_path / "t.db"))
    file.write_text((one("ann", "bob", "1-0", moves="1. d4 d5 2. c4 e6") + one("bob", "ann", "1-0")) * 3)
    assert invoke("import", str(file), *db).exit_code == 0
    (options,) = options_of("tourney rate")[:1]
    assert elo_of("ratings", *db) == elo_of("rate", str(file), *options)
    assert elo_of("ratings", *db) != elo_of("rate", str(file))
