"""A played match travels from worker to store as bytes, and is equal when unpacked."""

import pickle
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.support.records import as_json, digest_of
from tourney.bots.catalogue.store import VARIES
from tourney.match.record import Outcome, check_record, make_record
from tourney.match.result import (
    NOT_MEASURED,
    LogLine,
    Measurements,
    PlayedMatch,
    SeatMeasurements,
    doubts_of,
)
from tourney.match.spec import DEFAULT_LIMITS, Entrant, MatchSpec, Opening

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
ACTIONS = st.lists(st.tuples(st.integers(0, 2), st.text(st.characters(min_codepoint=33, max_codepoint=126))))


def spec(name: str, *args: str) -> MatchSpec:
    return MatchSpec(
        game="sage-stones",
        options=(("play-on", "no"),),
        seats=(
            Entrant(name, name, "1", args, "a" * 64),
            Entrant("other", "bot", "2", (), "b" * 64),
        ),
        seed=2**64 - 1,
        limits=DEFAULT_LIMITS,
        opening=Opening(plies=0),
    )


def sent(played: PlayedMatch) -> PlayedMatch:
    """Return a played match as the coordinator receives it from a worker."""
    there = pickle.loads(pickle.dumps(played))  # noqa: S301 - it is our own
    assert isinstance(there, PlayedMatch)
    return there


OUTCOME = Outcome((2, 1), "fault", ((1, "timeout", 0),))
LOG = (LogLine(0, 1, "info", 'a "b" \\ é'), LogLine(3, 0, "note", "timeout"))
MEASURED = Measurements(wall_ms=12, reproducible=True, times_ms=(None, 0.25, 7), host="höst")


@given(NAMES, st.lists(NAMES, max_size=3), ACTIONS)
def test_digest_is_that_of_the_content(name: str, args: list[str], actions: list[tuple[int, str]]) -> None:
    """A name or an action may look like the key after the digest."""
    for odd in ("", ',"format":', '\\",\\"format\\":', '"digest":"x",'):
        record = make_record(spec(name + odd, *args), "1", [*actions, (1, odd)], OUTCOME)
        assert record.digest == record.content_digest() == digest_of(as_json(record))
        assert record.actions == (*actions, (1, odd))
        assert record.spec == spec(name + odd, *args)


def test_played_match_survives_pickling() -> None:
    record = make_record(spec("ö"), "1", [(0, "roll-123"), (1, "3a"), (0, "roll-112")], OUTCOME)
    played = PlayedMatch(check_record(as_json(record)), LOG, MEASURED)
    there = sent(played)
    assert (there.outcome, there.digest, there.count) == (OUTCOME, record.digest, 3)
    assert (there.reproducible, there.wall_ms) == (True, 12)
    assert there.texts == played.texts
    assert (there.record, there.log, there.measured) == (record, LOG, MEASURED)
    assert there == played
    assert sent(there) == played


def test_pickling_unpacks_nothing() -> None:
    """A match of a million actions costs no more to send than one of ten."""
    played = PlayedMatch(make_record(spec("x"), "1", [(1, "3a")], OUTCOME), LOG, MEASURED)
    spoiled = ((b"no zlib",) * 3, *played.__getstate__()[1:])
    there = PlayedMatch.__new__(PlayedMatch)
    there.__setstate__(spoiled)
    assert there.outcome == OUTCOME
    assert there.__getstate__() == spoiled
    with pytest.raises(zlib.error):
        _ = there.record


def test_empty_log_and_measurements_have_no_bytes() -> None:
    played = PlayedMatch(make_record(spec("x"), "1", [], OUTCOME))
    assert played.texts.log is None
    assert played.texts.measured is None
    there = sent(played)
    assert (there.log, there.measured, there.reproducible, there.wall_ms) == ((), NOT_MEASURED, False, None)


def test_equality_compares_record_log_and_measurements() -> None:
    record = make_record(spec("x"), "1", [(1, "3a")], OUTCOME)
    assert PlayedMatch(record, LOG, MEASURED) == PlayedMatch(record, LOG, MEASURED)
    assert PlayedMatch(record, LOG, MEASURED) != PlayedMatch(record, LOG[:1], MEASURED)
    assert PlayedMatch(record, LOG, MEASURED) != PlayedMatch(record, LOG)
    assert PlayedMatch(record, LOG) != PlayedMatch(make_record(spec("y"), "1", [(1, "3a")], OUTCOME), LOG)


def test_doubts_come_from_the_record_and_what_else_is_measured() -> None:
    """A fault beside the record, which the record itself lacks, excuses no difference."""
    record = make_record(spec("a"), "1", (), Outcome((2, 1), "resign", (), ((1, 0),)))
    late = make_record(spec("a"), "1", (), OUTCOME)
    crashed = Measurements(reproducible=False, why_not=("crash",))
    assert doubts_of(record, NOT_MEASURED) == doubts_of(record, crashed) == ()
    assert doubts_of(record, Measurements(why_not=("crash", "reuse"))) == ("reuse",)
    assert doubts_of(late, NOT_MEASURED) == ("timeout",)
    fuel = replace(DEFAULT_LIMITS, charge="fuel").metered()
    by_fuel = make_record(replace(spec("a"), limits=fuel), "1", (), OUTCOME)
    assert doubts_of(by_fuel, Measurements(why_not=("reuse",))) == ()


def test_further_doubt_is_kept_beside_the_record() -> None:
    """As of a bot with ``deterministic = false``, whose matches report and rerun name."""
    played = PlayedMatch(make_record(spec("a"), "1", (), OUTCOME), (), Measurements(reproducible=True))
    doubted = played.doubted(VARIES)
    assert doubted.record == played.record
    assert not doubted.reproducible
    assert doubts_of(doubted.record, doubted.measured) == (VARIES, "timeout")


@pytest.mark.parametrize(
    ("first", "used"),
    [
        (SeatMeasurements(100, 9, cpu_ms=400, start_ms=250), (400, 30)),
        (SeatMeasurements(500, 9, cpu_ms=400, start_ms=250), (500, 30)),
        (SeatMeasurements(500, 9, cpu_ms=None, start_ms=950), (1200, 30)),
        (SeatMeasurements(500, 9, cpu_ms=400, start_ms=50), (500, 230)),
    ],
    ids=["computes", "sleeps", "sleeps at its start", "starts quickly"],
)
def test_match_is_charged_by_the_larger_of_both_times(first: SeatMeasurements, used: tuple[int, int]) -> None:
    """Starts count by what they are longer than the quickest one, as all wait for their sandboxes."""
    second = SeatMeasurements(30, 9, cpu_ms=20, start_ms=250)
    assert Measurements(seats=(first, second)).used_ms == used
    assert NOT_MEASURED.used_ms == ()
