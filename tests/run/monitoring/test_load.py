"""Overload of a run: counted, shown, and turned into a number of workers."""

import itertools
import json
import pickle
from pathlib import Path

import pytest

from tests.command import invoke
from tests.coordination import RecordingListener, run
from tests.tables import HELLO, make_spec, play_scripts
from tests.tournaments import begin, played
from tourney.match.result import PlayedMatch, SeatLoad
from tourney.results.texts import overload_text
from tourney.run.monitoring.load import RunLoad
from tourney.run.monitoring.summary import summary_page
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.store.repository import Repository
from tourney.store.values import OverloadTotals

BUSY = {"turns": 300, "overloaded-turns": 30, "wall-ms": 1000, "waited-ms": 500, "cpu-ms": 400}
CALM = {"turns": 300, "overloaded-turns": 0, "wall-ms": 500, "waited-ms": 0, "cpu-ms": 400}


START = HELLO + "> game toe seats=2 seat=* seed=* misere=no\n< ready\n"
SCRIPTS = (START + "> go\n< resign\n> over 2 1 reason=resign", START + "> over 2 1 reason=resign")


def loaded(task: MatchTask) -> WorkerReply:
    """Answer with a match whose first seat was overloaded in every second match."""
    one = played(task.spec)
    seats = [BUSY if task.number % 2 else CALM, CALM]
    return WorkerReply(task.number, PlayedMatch(one.record, one.log, {**one.measured, "seats": seats}))


def test_load_of_a_match_is_known_without_unpacking() -> None:
    made = played_with([BUSY, CALM])
    assert made.load == (SeatLoad(300, 30, 1000, 500), SeatLoad(300, 0, 500, 0))
    assert pickle.loads(pickle.dumps(made)).load == made.load  # noqa: S301 - our own bytes


@pytest.mark.parametrize("seats", [[], [{}], [{**CALM, "turns": -1}], [{**CALM, "wall-ms": "7"}], ["x"]])
def test_match_without_measurements_has_no_load(seats: list[object]) -> None:
    assert played_with(seats).load == ()


def played_with(seats: object) -> PlayedMatch:
    return PlayedMatch(play_scripts(make_spec(), *SCRIPTS).record, (), {"seats": seats})


@pytest.mark.parametrize(
    ("load", "workers", "fewer"),
    [
        (RunLoad(100, 50, 1000, 500), 8, 4),
        (RunLoad(100, 50, 1000, 10), 8, 7),
        (RunLoad(100, 50, 1000, 1000), 8, 1),
        (RunLoad(100, 50, 1000, 5000), 2, 1),
    ],
)
def test_fewer_workers_follow_from_the_share_of_waiting(load: RunLoad, workers: int, fewer: int) -> None:
    assert load.fewer_workers(workers) == fewer
    assert f"--workers {fewer} instead of {workers};" in load.advice(workers)


def test_advice_needs_more_than_one_turn_in_a_hundred() -> None:
    assert RunLoad(100, 1, 1000, 10).advice(4) == ""
    assert RunLoad(100, 2, 1000, 10).advice(4) != ""
    assert RunLoad().advice(4) == ""
    assert "other programs take the processors" in RunLoad(100, 2, 1000, 10).advice(1)


def test_words_of_overload() -> None:
    assert overload_text(OverloadTotals()) == ""
    assert overload_text(OverloadTotals(1200)) == "none of 1,200 turns"
    assert overload_text(OverloadTotals(1200, 30, 1)) == "30 of 1,200 turns (2.5 %), in 1 match"


def test_overload_is_shown_by_run_status_and_report(tmp_path: Path) -> None:
    path = str(tmp_path / "tourney.db")
    with Repository.open(path, create=True) as repository:
        tournament = begin(repository, 3)
        summary = run(repository, loaded, workers=4)
        whole, by_entrant = repository.overload(tournament.id)
        assert whole == OverloadTotals(3600, 90, 3)
        assert sum(one.turns for one in by_entrant.values()) == 3600
        assert sum(one.overloaded for one in by_entrant.values()) == 90
        page = summary_page(repository, tournament, summary, {})
        by_name = {entrant.name: by_entrant[entrant.number] for entrant in repository.entrants(tournament.id)}
    assert "  overload   90 of 3,600 turns (2.5 %), in 3 matches\n" in page
    assert "run with fewer workers (--workers 3 instead of 4;" in page
    status = json.loads(invoke("status", "--db", path, "--format", "json").stdout)
    assert status["tournaments"][0]["overload"] == {"turns": 3600, "overloaded": 90, "matches": 3}
    assert "90 of 3,600 turns (2.5 %), in 3 matches" in invoke("status", "--db", path).stdout
    out = tmp_path / "report"
    for words, shown in (([], True), (["--no-measured"], False)):
        assert invoke("report", "cup", "--db", path, "--out", str(out), *words).exit_code == 0
        assert ("90 of 3,600 turns" in (out / "index.html").read_text("utf-8")) == shown
        pages = [page.read_text("utf-8") for page in out.rglob("*.html")]
        said = overload_text(by_name["a"])
        assert any(said in page and "Turns stretched by overload" in page for page in pages) == shown


def test_run_says_once_that_it_needs_fewer_workers(repository: Repository) -> None:
    begin(repository, 6)
    heard = RecordingListener()
    seconds = itertools.count(0.0)
    run(repository, loaded, listener=heard, workers=4, clock=lambda: next(seconds))
    assert ["--workers 3 instead of 4" in text for text in heard.messages] == [True]


def test_matches_void_by_overload_are_named(tmp_path: Path) -> None:
    path = str(tmp_path / "tourney.db")
    with Repository.open(path, create=True) as repository:
        tournament = begin(repository, 3)

        def play(task: MatchTask) -> WorkerReply:
            if task.number == 2:
                return WorkerReply(task.number, failure="b waited 3 s", cause="overload")
            return loaded(task)

        summary = run(repository, play)
        page = summary_page(repository, tournament, summary, {})
        note = "the machine was overloaded 3 times: b waited 3 s"
        assert f"  void       match 2: {note}\n" in page
        assert "  again      3 plays did not end: 3 as the machine was overloaded\n" in page
        assert repository.void_matches(tournament.id) == ((2, note),)
        assert repository.stored_match(tournament.id, 2).disagreement(None) is None
    status = json.loads(invoke("status", "--db", path, "--format", "json").stdout)
    assert status["tournaments"][0]["void_matches"] == [{"match": 2, "note": note}]
    assert f"2: {note}" in invoke("status", "--db", path).stdout
