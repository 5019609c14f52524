"""Every command that computes, on pools in which all results are equal: no crash, no NaN, no infinity."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.report import world
from tests.report.test_formats import PLANS
from tests.support.command import invoke
from tests.support.even_pools import EVEN_RESULTS, even_ranks, numbers_not_finite
from tourney.games.registry import find_game
from tourney.match.record import Outcome, make_record
from tourney.match.result import Measurements, PlayedMatch
from tourney.run.engine.recorder import pair_next, spec_of
from tourney.store.database import Database
from tourney.store.values import MatchResult, Tournament

FILES = {
    "three draws": "white,black,result\nA,B,1/2-1/2\nA,C,1/2-1/2\nB,C,1/2-1/2\n",
    "ring": "white,black,result\nA,B,1-0\nC,B,0-1\nC,D,1-0\nA,D,0-1\n",
    "one game": "white,black,result\nA,B,1/2-1/2\n",
    "three seats tied": "players,ranks\nA B C,1 1 1\n",
    "four seats tied": "players,ranks\nA B C D,1 1 1 1\nE B C D,1 1 1 1\n",
}
"""Tables of results after which all players are equal."""
FORMATS = ("table", "csv", "json")


def computed(*words: str) -> str:
    """What a command prints; its exit code is 0, and all of its numbers are finite."""
    done = invoke(*words)
    assert done.exit_code == 0, (words, done.output)
    assert numbers_not_finite(done.output) == [], words
    return done.stdout


def check_folder(folder: Path) -> None:
    """Check that the pages and downloads of a report have finite numbers only."""
    files = [path for path in folder.rglob("*") if path.suffix in {".html", ".json", ".csv", ".svg"}]
    assert folder / "index.html" in files
    for path in files:
        assert numbers_not_finite(path.read_text(encoding="utf-8")) == [], path


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_rate_takes_even_results(tmp_path: Path, text: str) -> None:
    file = tmp_path / "even.csv"
    file.write_text(text)
    for show in ("players", "pairs", "los", "pool"):
        for form in FORMATS:
            computed("rate", str(file), "--show", show, "--format", form)
    for words in ((), ("--draw-probability", "estimate")):
        computed("rate", str(file), "--method", "trueskill", *words)
    document = json.loads(computed("rate", str(file), "--format", "json"))
    assert {(line["rank"], line["elo"], line["score"]) for line in document["ratings"]} == {(1, 0.0, 0.5)}
    assert (document["fit"]["ratio"], document["fit"]["p_value"]) == (None, None)
    assert "+0.0" in computed("rate", str(file))


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_imported_even_results_are_reported(tmp_path: Path, text: str) -> None:
    file, db = tmp_path / "even.csv", ("--db", str(tmp_path / "t.db"))
    file.write_text(text)
    computed("import", str(file), *db)
    for command in ("ratings", "standings", "audit"):
        for form in FORMATS:
            computed(command, "--format", form, *db)
    computed("report", "--out", str(tmp_path / "report"), *db)
    check_folder(tmp_path / "report")


MORE_PLANS: dict[str, dict[str, Any]] = {
    "two": {"format_": "round-robin", "names": ("a", "b")},
    "round-robin-4": {"format_": "round-robin", "names": tuple("abcde"), "seats": 4, "games": 4},
    "swiss-3": {"format_": "swiss", "names": tuple("abcdef"), "seats": 3, "games": 6, "rounds": 2},
    "width": {"format_": "round-robin", "names": tuple("abc"), "games": 8, "extra": (("until-width", 400),)},
    "best": {
        "format_": "adaptive",
        "names": tuple("abc"),
        "extra": (("batch", 2), ("until-best", 9500), ("until-games", 20)),
    },
}
RECORDED = {
    name: plan
    for name, plan in {**PLANS, **MORE_PLANS}.items()
    if plan["format_"] not in {"import", "results"}
}


SHOWN = tuple(("ratings", "--show", show) for show in ("bots", "pairs", "pool"))
WHOLE = ("all drawn", "all void", "one game")
"""The kinds of results with a report."""


def play(database: Database, tournament: Tournament, kind: str, most: int | None) -> None:
    """Play a tournament, or its first matches, with results of a kind and times of 0."""
    entrants, left = database.tournaments.entrants(tournament.id), most
    while left is None or left > 0:
        pending = list(database.schedules.pending(tournament.id))[:left]
        for number, row in pending:
            spec, match = spec_of(tournament, entrants, row), None
            if kind != "all void":
                actions, _ = world.at_random(spec)
                outcome = Outcome(even_ranks(kind, row.seats), "points", ())
                record = make_record(spec, find_game(spec.game).rules, actions, outcome)
                times = tuple(0.0 if seat else None for seat, _ in actions)
                match = PlayedMatch(record, (), Measurements(reproducible=True, times_ms=times))
            database.matches.add(tournament.id, [MatchResult(number, match, "the machine failed")])
        left = None if left is None else left - len(pending)
        if not pair_next(database, tournament.id):
            return


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*EVEN_RESULTS, "one game", "no game"])
@pytest.mark.parametrize("plan", RECORDED)
def test_even_tournament_of_every_format_is_reported(tmp_path: Path, plan: str, kind: str) -> None:
    db, how = ("--db", str(tmp_path / "t.db")), dict(RECORDED[plan])
    with Database.open(db[1], create=True) as database:
        tournament = world.begin(database, how.pop("names"), **how)
        play(database, tournament, kind, {"one game": 1, "no game": 0}.get(kind))
    # As CSV: a number that is not finite is null in JSON.
    for words in (("standings",), ("audit",), ("ratings", "--method", "trueskill"), *SHOWN):
        computed(*words, "--format", "csv", *db)
    if kind in WHOLE:
        computed("report", "--out", str(tmp_path / "report"), "--match-pages", "1", *db)
        check_folder(tmp_path / "report")
