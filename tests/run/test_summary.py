"""The progress line of a run, and the summary at its end."""

import itertools
import json
import pickle
from pathlib import Path

import pytest
from msgspec import structs

from tests.support.command import invoke
from tests.support.coordination import RecordingListener, run
from tests.support.tables import HELLO, make_spec, play_scripts
from tests.support.tournaments import begin, played
from tourney.match.result import LogLine, Measurements, PlayedMatch, SeatLoad, SeatMeasurements
from tourney.results.texts import overload_text
from tourney.run.summary import RunLoad, RunProgress, RunStatus, progress_text, span_text, summary_page
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.store.database import Database
from tourney.store.totals import NO_OVERLOAD, OverloadTotals


def test_rate_and_time_left_count_this_run_alone() -> None:
    progress = RunProgress(rows=100, done=60, played=10, faults=0, void=0, seconds=5.0)
    assert progress.rate == 2.0
    assert progress.left == 20.0


def test_no_rate_before_the_first_match() -> None:
    progress = RunProgress(rows=100, done=60, played=0, faults=0, void=0, seconds=5.0)
    assert progress.rate is None
    assert progress.left is None
    assert progress_text(progress) == "60 of 100 matches, no faults"


def test_line_shows_matches_rate_time_left_and_faults() -> None:
    progress = RunProgress(rows=100, done=60, played=10, faults=1, void=2, seconds=5.0)
    assert progress_text(progress) == "60 of 100 matches, 2.0 a second, 20s left, 1 fault, 2 void"


@pytest.mark.parametrize(
    ("seconds", "text"), [(None, ""), (0.4, "0s"), (59.4, "59s"), (200, "3m20s"), (7500, "2h05m")]
)
def test_time_spans_are_readable(seconds: float | None, text: str) -> None:
    assert span_text(seconds) == text


NOTE = LogLine(0, 1, "note", "startup: exited with code 1")
BUSY = SeatMeasurements(turns=300, overloaded_turns=30, wall_ms=1000, waited_ms=500, cpu_ms=400)
CALM = SeatMeasurements(turns=300, overloaded_turns=0, wall_ms=500, waited_ms=0, cpu_ms=400)


START = HELLO + "> game toe seats=2 seat=* seed=* misere=no\n< ready\n"
SCRIPTS = (START + "> go\n< resign\n> over 2 1 reason=resign", START + "> over 2 1 reason=resign")


def loaded(task: MatchTask) -> WorkerReply:
    """Answer with a match whose first seat was overloaded in every second match."""
    one = played(task.spec)
    seats = (BUSY if task.number % 2 else CALM, CALM)
    measured = structs.replace(one.measured, seats=seats)
    return WorkerReply(task.number, PlayedMatch(one.record, one.log, measured))


def test_load_of_a_match_is_known_without_unpacking() -> None:
    made = played_with(*[BUSY, CALM])
    assert made.load == (SeatLoad(300, 30, 1000, 500), SeatLoad(300, 0, 500, 0))
    assert pickle.loads(pickle.dumps(made)).load == made.load  # noqa: S301 - our own bytes


@pytest.mark.parametrize(
    "seats", [(), (structs.replace(CALM, turns=-1),), (CALM, SeatMeasurements(1e300, 1))]
)
def test_match_without_sane_measurements_has_no_load(seats: tuple[SeatMeasurements, ...]) -> None:
    assert played_with(*seats).load == ()


def played_with(*seats: SeatMeasurements) -> PlayedMatch:
    return PlayedMatch(play_scripts(make_spec(), *SCRIPTS).record, (), Measurements(seats=seats))


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
    assert overload_text(NO_OVERLOAD) == ""
    assert overload_text(OverloadTotals(1200, 0, 0)) == "none of 1,200 turns"
    assert overload_text(OverloadTotals(1200, 30, 1)) == "30 of 1,200 turns (2.5 %), in 1 match"


def test_overload_is_shown_by_run_status_and_report(tmp_path: Path) -> None:
    path = str(tmp_path / "tourney.db")
    with Database.open(path, create=True) as repository:
        tournament = begin(repository, 3)
        summary = run(repository, loaded, workers=4)
        whole, by_entrant = repository.totals.overload(tournament.id)
        assert whole == OverloadTotals(3600, 90, 3)
        assert sum(one.turns for one in by_entrant.values()) == 3600
        assert sum(one.overloaded for one in by_entrant.values()) == 90
        page = summary_page(repository, tournament, summary, {})
        by_name = {
            entrant.name: by_entrant[entrant.number]
            for entrant in repository.tournaments.entrants(tournament.id)
        }
    assert "  overload   2.5 % of 3,600 turns were overloaded: run with fewer workers (--workers 3 " in page
    status = json.loads(invoke("status", "--db", path, "--format", "json").stdout)
    assert status["tournaments"][0]["overload"] == {"turns": 3600, "overloaded": 90, "matches": 3}
    assert "90 of 3,600 turns (2.5 %), in 3 matches" in invoke("status", "--db", path).stdout
    out = tmp_path / "report"
    for words, shown in (([], True), (["--no-measured"], False)):
        assert invoke("report", "cup", "--db", path, "--out", str(out), *words).exit_code == 0
        assert ("90 of 3,600 turns" in (out / "statistics.html").read_text("utf-8")) == shown
        pages = [page.read_text("utf-8") for page in out.rglob("*.html")]
        said = overload_text(by_name["a"])
        assert any(said in page and "Turns stretched by overload" in page for page in pages) == shown


def test_run_says_once_that_it_needs_fewer_workers(repository: Database) -> None:
    begin(repository, 6)
    heard = RecordingListener()
    seconds = itertools.count(0.0)
    run(repository, loaded, listener=heard, workers=4, clock=lambda: next(seconds))
    assert ["--workers 3 instead of 4" in text for text in heard.messages] == [True]


def test_matches_void_by_overload_are_named(tmp_path: Path) -> None:
    path = str(tmp_path / "tourney.db")
    with Database.open(path, create=True) as repository:
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
        assert repository.totals.void_matches(tournament.id) == ((2, note),)
        assert repository.records.stored_match(tournament.id, 2).disagreement(None) is None
    status = json.loads(invoke("status", "--db", path, "--format", "json").stdout)
    assert status["tournaments"][0]["void_matches"] == [{"match": 2, "note": note}]
    assert f"2: {note}" in invoke("status", "--db", path).stdout


def test_failed_start_is_explained_by_the_log(repository: Database) -> None:
    """By the last line on standard error, otherwise by the last line that there is."""
    tournament = begin(repository, 3)
    said = {
        "a": (LogLine(0, 1, "stderr", "usage: bot"), LogLine(0, 1, "stderr", "no such\x1b option"), NOTE),
        "b": (
            LogLine(0, 1, "stderr", "Fatal OOM in CodeRange"),
            LogLine(0, 1, "stderr", "#"),
            NOTE,
        ),
        "c": (NOTE,),
    }

    def play(task: MatchTask) -> WorkerReply:
        first = task.spec.seats[0].name
        if first not in said:
            return loaded(task)
        one = played(task.spec, (2, 1), ((1, "startup", 0),))
        return WorkerReply(task.number, PlayedMatch(one.record, said[first], one.measured))

    page = summary_page(repository, tournament, run(repository, play), {})
    lines = [line.removeprefix("  start-up ") for line in page.splitlines() if " in match " in line]
    assert sorted((line.split()[0], line.partition(": ")[2]) for line in lines) == [
        ("a", "no such\\x1b option"),
        (
            "b",
            "Fatal OOM in CodeRange; memory-mb = 1024 bounds also the address space of each process",
        ),
        ("c", "exited with code 1"),
    ]


def test_status_keeps_the_times_of_the_one_before() -> None:
    paused = RunStatus(paused="the disk is full").following(RunStatus(last_match=5), new_match=False, now=8)
    assert (paused.last_match, paused.paused_since) == (5, 8)
    still = RunStatus(paused="the disk is full").following(paused, new_match=False, now=9)
    assert (still.last_match, still.paused_since) == (5, 8)
    on = RunStatus().following(still, new_match=True, now=10)
    assert (on.last_match, on.paused_since) == (10, 0)
