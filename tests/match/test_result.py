"""A played match travels from worker to store as bytes, and is equal when unpacked."""

import json
import pickle
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.match.record import (
    Outcome,
    canonical,
    check_record,
    digest_of,
    make_record,
    spec_of,
    write_record,
)
from tourney.match.result import LogLine, PlayedMatch
from tourney.match.spec import Entrant, Limits, MatchSpec, Opening

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
        limits=Limits(),
        opening=Opening(plies=0),
    )


def sent(played: PlayedMatch) -> PlayedMatch:
    """Return a played match as the coordinator receives it from a worker."""
    there = pickle.loads(pickle.dumps(played))  # noqa: S301 - it is our own
    assert isinstance(there, PlayedMatch)
    return there


OUTCOME = Outcome((2, 1), "fault", ((1, "timeout", 3),), ())
LOG = (LogLine(0, 1, "info", 'a "b" \\ é'), LogLine(3, 0, "note", "timeout"))
MEASURED = {"wall-ms": 12, "reproducible": True, "times-ms": [None, 0.25], "host": "höst"}


@given(NAMES, st.lists(NAMES, max_size=3), ACTIONS)
def test_written_record_is_its_canonical_form(
    name: str, args: list[str], actions: list[tuple[int, str]]
) -> None:
    """A name or an action may look like the key after the digest."""
    for odd in ("", ',"format":', '\\",\\"format\\":'):
        text, digest = write_record(spec(name + odd, *args), "1", [*actions, (1, odd)], OUTCOME)
        record = json.loads(text)
        assert text == canonical(record)
        assert record["digest"] == digest == digest_of(record)
        assert record["actions"] == [*map(list, actions), [1, odd]]
        assert record["outcome"] == OUTCOME.as_json()
        assert spec_of(record) == spec(name + odd, *args)


def test_played_match_survives_pickling() -> None:
    record = make_record(spec("ö"), "1", [(0, "roll-123"), (1, "3a"), (0, "roll-112")], OUTCOME)
    played = PlayedMatch(check_record(record), LOG, MEASURED)
    there = sent(played)
    assert (there.outcome, there.digest, there.count) == (OUTCOME, record["digest"], 3)
    assert (there.reproducible, there.wall_ms) == (True, 12)
    assert there.packed == played.packed
    assert (there.record, there.log, there.measured) == (record, LOG, MEASURED)
    assert there == played
    assert sent(there) == played


def test_pickling_unpacks_nothing() -> None:
    """A match of a million actions costs no more to send than one of ten."""
    played = PlayedMatch(make_record(spec("x"), "1", [(1, "3a")], OUTCOME), LOG, MEASURED)
    spoiled = list(played.__getstate__())
    spoiled[0] = spoiled[1] = spoiled[2] = b"no zlib"
    there = PlayedMatch.__new__(PlayedMatch)
    there.__setstate__(tuple(spoiled))
    assert there.outcome == OUTCOME
    assert there.packed.record == b"no zlib"
    with pytest.raises(zlib.error):
        _ = there.record


def test_empty_log_and_measurements_have_no_bytes() -> None:
    played = PlayedMatch(make_record(spec("x"), "1", [], OUTCOME))
    assert played.packed.log is None
    assert played.packed.measured is None
    there = sent(played)
    assert (there.log, there.measured, there.reproducible, there.wall_ms) == ((), {}, False, None)


def test_equality_compares_record_log_and_measurements() -> None:
    record = make_record(spec("x"), "1", [(1, "3a")], OUTCOME)
    assert PlayedMatch(record, LOG, MEASURED) == PlayedMatch(record, LOG, MEASURED)
    assert PlayedMatch(record, LOG, MEASURED) != PlayedMatch(record, LOG[:1], MEASURED)
    assert PlayedMatch(record, LOG, MEASURED) != PlayedMatch(record, LOG, {})
    assert PlayedMatch(record, LOG) != PlayedMatch(make_record(spec("y"), "1", [(1, "3a")], OUTCOME), LOG)
