"""The examples of the guide to rating results run, and print what it shows."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import blocks, page
from tests.ratings.classic_pool import BAYESELO, ORDO, POOL, games_of
from tests.support.command import invoke
from tourney.ratings.batch import rate
from tourney.ratings.counts import Counts
from tourney.ratings.likelihood import MODELS

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
