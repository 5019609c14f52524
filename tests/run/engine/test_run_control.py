"""The deadline, and matches replayed after the machine failed."""

import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.coordination import RecordingListener, run
from tests.support.tournaments import answer, begin, digests, refused
from tourney.errors import UsageError, WorkerError
from tourney.match.result import Cause
from tourney.run.engine.run_control import (
    MAX_FAILURES_IN_A_ROW,
    Deadline,
    MatchRetries,
    parse_span,
    parse_until,
    seconds_left,
)
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.store.database import Database

NOW = datetime(2026, 11, 20, 18, 30, 15, 7, tzinfo=timezone(timedelta(hours=1)))


@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("18:31", NOW.replace(minute=31, second=0, microsecond=0)),
        ("23:59", NOW.replace(hour=23, minute=59, second=0, microsecond=0)),
        ("18:30", NOW.replace(day=21, second=0, microsecond=0)),
        ("07:30", NOW.replace(day=21, hour=7, second=0, microsecond=0)),
        ("7:05", NOW.replace(day=21, hour=7, minute=5, second=0, microsecond=0)),
    ],
)
def test_until_is_the_next_such_time(text: str, then: datetime) -> None:
    assert parse_until(text, NOW) == then


@given(st.integers(0, 23), st.integers(0, 59))
def test_until_is_ahead_and_within_a_day(hour: int, minute: int) -> None:
    then = parse_until(f"{hour:02}:{minute:02}", NOW)
    assert timedelta() < then - NOW <= timedelta(days=1)


@pytest.mark.parametrize(
    ("text", "seconds"), [("8h", 28800), ("90m", 5400), ("1h30m", 5400), ("45s", 45), ("1h0m1s", 3601)]
)
def test_budget_is_a_time_span(text: str, seconds: int) -> None:
    assert parse_span("--budget", text).total_seconds() == seconds


@pytest.mark.parametrize("text", ["", "24:00", "7", "12:60", "noon", "12:30:00", " 12:30", "१२:३०"])
def test_invalid_time_of_day_is_refused(text: str) -> None:
    with refused(UsageError, "is not a time of day; write it as 07:30"):
        parse_until(text, NOW)


@pytest.mark.parametrize("text", ["", "8", "h", "-1h", "1.5h", "30m1h", "1h ", "٣h"])
def test_invalid_time_span_is_refused(text: str) -> None:
    with refused(UsageError, "is not a time span"):
        parse_span("--budget", text)


def test_empty_budget_is_refused() -> None:
    with refused(UsageError, "leaves no time at all"):
        parse_span("--budget", "0h0m")


@pytest.fixture
def central_europe(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Set a local zone with daylight saving time."""
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("central_europe")
@pytest.mark.parametrize(
    ("day", "hours"), [((2026, 1, 10), 13.5), ((2026, 3, 28), 12.5), ((2026, 10, 24), 14.5)]
)
def test_until_follows_clock_changes_in_the_night(day: tuple[int, int, int], hours: float) -> None:
    now = datetime(*day, 18, 0).astimezone()
    assert seconds_left("07:30", None, now) == hours * 3600
    assert seconds_left("07:30", "8h", now) == 8 * 3600
    assert seconds_left("18:01", "8h", now) == 60
    assert seconds_left(None, None, now) is None


@pytest.mark.usefixtures("central_europe")
def test_repeated_hour_means_its_next_occurrence() -> None:
    """At the second 02:30, the next 02:45 is in 15 minutes."""
    now = datetime(2026, 10, 25, 2, 30, fold=1).astimezone()
    assert seconds_left("02:45", None, now) == 900
    assert seconds_left("02:45", None, now - timedelta(hours=1)) == 900


def test_match_fits_if_the_longest_so_far_would_fit() -> None:
    table = Deadline(end=100.0)
    assert table.fits(99.0)
    table.add(10.0)
    table.add(3.0)
    assert table.fits(89.9)
    assert not table.fits(90.0)
    assert Deadline().fits(1e12)


class Failing:
    """Fails some matches some times, and notes the order of all plays."""

    def __init__(self, cause: Cause) -> None:
        self.cause = cause
        self.left = Counter({4: 3, 1: 1})
        self.plays: list[int] = []

    def __call__(self, task: MatchTask) -> WorkerReply:
        self.plays.append(task.number)
        if self.left[task.number]:
            self.left[task.number] -= 1
            return WorkerReply(task.number, failure="why", cause=self.cause)
        return answer(task)


@pytest.mark.parametrize("cause", ["overload", "machine"])
def test_match_is_played_again_after_the_others_then_void(repository: Database, cause: Cause) -> None:
    tournament = begin(repository, 3)
    play = Failing(cause)
    heard = RecordingListener()
    summary = run(repository, play, listener=heard)
    assert play.plays == [1, 2, 3, 4, 5, 6, 1, 4, 4]
    assert summary.progress.void == 1
    assert sorted(digests(repository, tournament.id)) == [1, 2, 3, 4, 5, 6]
    result = repository.matches.get(tournament.id, 4).result
    assert result is not None
    assert result.void_reason == ("overload" if cause == "overload" else "machine-failure")
    failed = "was overloaded" if cause == "overload" else "failed"
    assert heard.messages[-1].endswith(f"is void: the machine {failed} 3 times: why")
    assert summary.again == {cause: 4}


def test_plays_that_failed_change_no_other_result(repository: Database) -> None:
    tournament = begin(repository, 4)
    run(repository, Failing("overload"))
    found = digests(repository, tournament.id)
    other = begin(repository, 4, name="other")
    undisturbed = {
        row: repository.matches.get(tournament.id, number).result
        for number, row in repository.schedules.rows(tournament.id)
    }
    assert len(undisturbed) == len(found) == 12
    assert [row for _, row in repository.schedules.rows(other.id)] == list(undisturbed)


def test_overload_does_not_stop_a_run(repository: Database) -> None:
    """It passes."""
    begin(repository, 8)

    def play(task: MatchTask) -> WorkerReply:
        return WorkerReply(task.number, failure="why", cause="overload")

    summary = run(repository, play, workers=4)
    assert summary.progress.done == summary.progress.void == 56 > MAX_FAILURES_IN_A_ROW


def test_other_failures_in_a_row_stop_a_run() -> None:
    retries = MatchRetries(any_played=True)
    for number in range(1, MAX_FAILURES_IN_A_ROW):
        retries.failed([number], "why")
    with pytest.raises(WorkerError, match="12 times in a row"):
        retries.failed([99], "why")
