"""Deadlines of a run: a time of day or a time budget."""

import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments import refused
from tourney.errors import UsageError
from tourney.run.engine.stopping import Deadline, parse_span, parse_until, seconds_left

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
    with refused(UsageError, "is no time of day; write it as 07:30"):
        parse_until(text, NOW)


@pytest.mark.parametrize("text", ["", "8", "h", "-1h", "1.5h", "30m1h", "1h ", "٣h"])
def test_invalid_time_span_is_refused(text: str) -> None:
    with refused(UsageError, "is no time span"):
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
