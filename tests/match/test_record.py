"""Records from outside: the check refuses any deviation and names its place."""

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.support.command import ROOT
from tests.support.records import as_json, digested
from tests.support.tables import HELLO, make_spec, play_scripts
from tests.support.tournaments import refused
from tourney.check.named_seeds import play_named, read_manifest
from tourney.errors import RecordError
from tourney.match.record import (
    FORMAT,
    Fault,
    Outcome,
    Record,
    check_digest,
    check_record,
    decode_record,
    make_record,
    opening_end,
    score_of,
)
from tourney.match.spec import Opening

START = HELLO + "> game toe seats=2 seat=* seed=* misere=no\n< ready\n"


@pytest.fixture(scope="module")
def record() -> Record:
    """Return a small record that holds a fault."""
    played = play_scripts(
        make_spec(seed=2**64 - 1),
        START + "> go\n< move b2\n> play 1 b2\n> over 1 2 reason=fault",
        START + "> play 1 b2\n> go\n! overflow",
    )
    return played.record


def test_record_survives_json(record: Record) -> None:
    """A record written and read back is equal, and its digest holds."""
    again = as_json(record)
    assert check_record(again) == record
    assert record.format == FORMAT
    assert record.seed == "18446744073709551615"


def test_spec_of_record_is_complete(record: Record) -> None:
    """The spec can be rebuilt from the record."""
    assert record.spec == make_spec(seed=2**64 - 1, options=(("misere", "no"),))


def edited(record: Record, path: str, value: Any) -> dict[str, Any]:
    """Return a copy with the value at a path (``outcome.ranks.0``) replaced, or deleted for ``...``."""
    made = as_json(record)
    *way, last = [int(word) if word.isdigit() else word for word in path.split(".")]
    place: Any = made
    for word in way:
        place = place[word]
    if value is ...:
        del place[last]
    elif isinstance(place, list) and last == len(place):
        place.append(value)
    else:
        place[last] = value
    return made


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        ("game", ..., "game is missing"),
        ("extra", 1, 'unknown key "extra"; the keys are: format, game,'),
        ("format", "tourney-record/2", 'format is "tourney-record/2", but must be "tourney-record/1"'),
        ("game", "Toe", 'game is "Toe", but must match [a-z]'),
        ("rules", 1, "rules is 1, but must be a string"),
        ("options", [], "options is [], but must be an object"),
        ("options.misere", True, "options.misere is true, but must be a string"),
        ("options.a b", "x", 'options: a key is "a b", but must match'),
        ("seed", 7, "seed is 7, but must be a string"),
        ("seed", "18446744073709551616", "seed is 18446744073709551616, which is beyond 64 bits"),
        ("seed", "007", 'seed is "007"'),
        ("seed", "-1", 'seed is "-1"'),
        ("seed", "\u0661", "seed is"),
        ("opening", {}, "opening.plies is missing"),
        ("opening.actions", ["a1"], "opening must hold either"),
        ("opening", {"actions": []}, "opening.actions is empty"),
        ("opening.plies", -1, "opening.plies is -1"),
        ("opening.plies", 1.0, "opening.plies is 1.0, but must be an integer"),
        ("opening.plies", True, "opening.plies is true, but must be an integer"),
        ("seats", [], "seats is empty"),
        ("seats.0.entrant", "", "seats[0].entrant is empty"),
        ("seats.0.entrant", "x" * 201, "seats[0].entrant has 201 characters"),
        ("seats.1.bot", "\ud800", 'seats[1].bot is "\\ud800", but must be valid Unicode'),
        ("seats.1.version", None, "seats[1].version is null, but must be a string"),
        ("seats.0.args", ["x", 1], "seats[0].args[1] is 1, but must be a string"),
        ("seats.0.digest", "f" * 63, "seats[0].digest is"),
        ("seats.0.digest", "F" * 64, "seats[0].digest is"),
        ("seats.0.rating", 1, 'seats[0]: unknown key "rating"; the keys are: entrant, bot,'),
        ("limits.move-ms", None, "limits.move-ms is null, but must have a value"),
        ("limits.nodes", 0, "limits.nodes is 0, but must be at least 1"),
        ("outcome.faults", ..., "outcome.faults is missing"),
        ("limits.move-ms", 2**53, "limits.move-ms is 9007199254740992"),
        ("limits.margin-ms", ..., "limits.margin-ms is missing"),
        ("limits.charge", "sun", 'limits.charge is "sun", but must be "cpu", "fuel" or "wall"'),
        ("limits.clock-ms", 5, "limits.increment-ms is missing"),
        ("actions.0", ["1", "b2"], 'actions[0][0] is "1", but must be an integer'),
        ("actions.0", [3, "b2"], "actions[0][0] is 3"),
        ("actions.0", [1, "b 2"], 'actions[0][1] is "b 2"'),
        ("actions.0", [1, "b2", 3], "actions[0] has 3 items, but must have 2"),
        ("actions.0", "b2", 'actions[0] is "b2", but must be a list'),
        ("outcome.ranks", [1], "outcome.ranks has 1 items, but must have 2"),
        ("outcome.ranks", [1, 3], "outcome.ranks[1] is 3"),
        ("outcome.ranks", [2, 2], "outcome.ranks is [2, 2]: a rank is 1 plus"),
        ("outcome.reason", "no reason", 'outcome.reason is "no reason"'),
        ("outcome.faults.0", [2, "lazy", 1], 'outcome.faults[0][1] is "lazy"'),
        ("outcome.faults.0", [2, "crash", 2], "outcome.faults[0][2] is 2"),
        ("outcome.faults.1", [2, "crash", 1], "outcome withdraws a seat twice"),
        ("outcome.resigned", [], "outcome.resigned is empty"),
        ("outcome.resigned", [[2, 1]], "outcome withdraws a seat twice"),
        ("digest", "0" * 65, "digest is"),
        ("actions.0", [1, "a1"], "the record's digest is"),
        ("outcome.reason", "resign", "the record's digest is"),
    ],
)
def test_malformed_record_is_refused_by_place(record: Record, path: str, value: Any, why: str) -> None:
    """The form and the digest are both checked."""
    with pytest.raises(RecordError) as caught:
        check_record(edited(record, path, value))
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("data", [None, [], "record", 7, {}, {"format": FORMAT}])
def test_other_json_values_are_refused(data: object) -> None:
    """Any other JSON value is an error."""
    with pytest.raises(RecordError):
        check_record(data)


texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
tokens = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=9)
hexes = st.text("0123456789abcdef", min_size=64, max_size=64)
small = st.integers(1, 1000)
rule = {"movecount": small, "score": small}
limits = st.fixed_dictionaries(
    {
        "margin-ms": st.sampled_from([0, 50]),
        "startup-ms": st.sampled_from([10_000, 60_000]),
        "memory-mb": st.sampled_from([4096, 512]),
        "ponder": st.sampled_from(["allow", "freeze"]),
    },
    optional={
        "move-ms": st.sampled_from([1, 1000]),
        "nodes": st.sampled_from([1, 2**53 - 1]),
        "tablebase-pieces": st.integers(3, 7),
        "draw": st.fixed_dictionaries({**rule, "movenumber": st.sampled_from([0, 40])}),
        "resign": st.fixed_dictionaries({**rule, "sides": st.sampled_from([1, 2])}),
    },
)
clocks: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{}, {"clock-ms": 1, "increment-ms": 0}, {"clock-ms": 60_000, "increment-ms": 100}]
)
charges: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{"charge": "wall"}, {"charge": "cpu"}, {"charge": "fuel", "fuel-per-ms": 20_000_000, "meter": "m-1"}]
)
openings = st.one_of(
    st.fixed_dictionaries({"plies": st.sampled_from([0, 4])}),
    st.fixed_dictionaries({"actions": st.lists(tokens, min_size=1, max_size=3)}),
)
scores = st.lists(st.sampled_from(["0", "-12", "999999999999"]), max_size=3)
endings = st.one_of(
    st.fixed_dictionaries({"reason": st.sampled_from(["points", "last-stone"]), "faults": st.just([])}),
    st.fixed_dictionaries(
        {"reason": st.just("fault"), "faults": st.just([[2, "timeout", 0]])},
        optional={"resigned": st.just([[1, 0]])},
    ),
    st.fixed_dictionaries(
        {
            "reason": st.just("adjudication"),
            "faults": st.just([]),
            "adjudication": st.fixed_dictionaries(
                {"rule": st.sampled_from(["draw", "resign", "tablebase"])},
                optional={"scores": st.lists(scores, min_size=2, max_size=2)},
            ),
        }
    ),
)
seats = st.fixed_dictionaries(
    {
        "entrant": texts,
        "bot": texts,
        "version": texts,
        "args": st.lists(st.text(st.characters(codec="utf-8"), max_size=20), max_size=3),
        "digest": hexes,
    }
)


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a record of any content as JSON data; the package ``rfc8785`` gives its digest."""
    ranks = draw(st.sampled_from([[1, 2], [2, 1], [1, 1]]))
    return digested(
        {
            "format": FORMAT,
            "game": draw(st.sampled_from(["toe", "fairy:minishogi", "sage-stones"])),
            "rules": draw(tokens),
            "options": draw(st.dictionaries(tokens, tokens, max_size=4)),
            "seed": str(draw(st.integers(0, 2**64 - 1))),
            "opening": draw(openings),
            "seats": draw(st.lists(seats, min_size=2, max_size=2)),
            "limits": draw(limits) | draw(clocks) | draw(charges),
            "actions": draw(st.lists(st.tuples(st.integers(0, 2), tokens).map(list), max_size=6)),
            "outcome": {"ranks": ranks, **draw(endings)},
        }
    )


@given(records())
def test_record_is_written_in_the_one_form_whatever_it_holds(data: dict[str, Any]) -> None:
    """The form is that of the package ``rfc8785``, whatever form of JSON the record is read from."""
    canonical = rfc8785.dumps(data)
    record = check_record(data)
    assert record.encode() == canonical
    assert (record.digest, record.content_digest()) == (data["digest"], data["digest"])
    assert decode_record(canonical) == record
    assert decode_record(json.dumps(data, indent=1).encode("ascii")) == record
    assert decode_record(json.dumps(data, ensure_ascii=False).encode()) == record
    assert make_record(record.spec, record.rules, record.actions, record.outcome) == record


def committed() -> Iterator[bytes]:
    """Yield the committed records: golden matches, and the samples of the ladders."""
    for folder, pattern in (("seeds/golden", "*.json"), ("engines", "**/*.jsonl")):
        for path in sorted((ROOT / folder).glob(pattern)):
            yield from (line for line in path.read_bytes().splitlines() if FORMAT.encode() in line)


def test_committed_records_are_written_as_they_were() -> None:
    found = list(committed())
    assert len(found) >= 15
    for line in found:
        record = decode_record(line)
        assert record.encode() == line == rfc8785.dumps(json.loads(line))
        check_digest(record)


def test_named_seeds_are_written_in_the_one_form() -> None:
    for named in read_manifest(ROOT / "seeds" / "named-seeds.jsonl"):
        text = play_named(named).record.encode()
        assert text == rfc8785.dumps(json.loads(text))


@given(records(), st.data())
def test_text_that_is_not_in_the_one_form_is_read_strictly(data: dict[str, Any], draw: st.DataObject) -> None:
    """A key that is null, there twice or missing is an error wherever msgspec alone would take it."""
    key = draw.draw(st.sampled_from(["margin-ms", "startup-ms", "memory-mb", "charge", "ponder"]))
    less = {**data, "limits": {k: v for k, v in data["limits"].items() if k != key}}
    with pytest.raises(RecordError, match=f"limits.{key} is missing"):
        decode_record(rfc8785.dumps(less))
    text = rfc8785.dumps(data)
    with pytest.raises(RecordError, match="the key 'rules' is there twice"):
        decode_record(text.replace(b'"rules":', b'"rules":"x","rules":', 1))
    other = {"charge": "wall"} if data["limits"]["charge"] == "fuel" else {"charge": "fuel"}
    with pytest.raises(RecordError, match="limits must hold fuel-per-ms and meter"):
        decode_record(rfc8785.dumps({**data, "limits": data["limits"] | other}))
    for place in ("opening", "outcome", "limits"):
        name = {"opening": "plies", "outcome": "adjudication", "limits": "nodes"}[place]
        null = {**data, place: {**data[place], name: None}}
        with pytest.raises(RecordError):
            decode_record(json.dumps(null).encode())


@pytest.mark.parametrize("key", ["actions", "format", "limits", "opening", "options", "outcome", "seats"])
def test_half_a_character_is_refused_wherever_it_stands(record: Record, key: str) -> None:
    with pytest.raises(RecordError) as caught:
        check_record(edited(record, key, "\ud800"))
    assert str(caught.value).startswith(f'{key} is "\\ud800", but must be ')


@pytest.mark.parametrize(
    ("info", "score"),
    [
        ("score=0.31", 31),
        ("depth=9 score=-2", -200),
        ("score=+3.4", 340),
        ("score=1.239 nodes=5", 123),
        ("score=-0.05", -5),
        ("score=9999999999.99", 999_999_999_999),
        ("score=12345678901.5", 999_999_999_999),
        ("score=-123456789012345", -999_999_999_999),
        ("score=", None),
        ("xscore=1", None),
    ],
)
def test_score_is_in_hundredths_within_bounds(info: str, score: int | None) -> None:
    assert score_of(info) == score


def test_match_is_void_if_every_seat_failed_at_the_start() -> None:
    one: Fault = (1, "startup", 0)
    assert Outcome((1, 1), "fault", (one, (2, "startup", 0))).void
    assert not Outcome((2, 1), "fault", (one,)).void
    assert not Outcome((1, 1), "fault", (one, (2, "crash", 0))).void
    assert not Outcome((1, 1), "fault", ((1, "crash", 0), (2, "crash", 0))).void
    assert not Outcome((1, 1, 1), "fault", (one, (2, "startup", 0))).void


def test_faults_that_need_not_come_again() -> None:
    crash = Outcome((2, 1), "fault", ((1, "crash", 4), (2, "illegal", 6)))
    assert crash.unsure_faults == crash.explained == {"crash"}
    assert Outcome((2, 1), "fault", ((1, "illegal", 4),)).explained == frozenset()
    assert Outcome((2, 1), "fault", ((1, "startup", 0),)).explained == {"crash", "timeout"}


def test_faults_are_by_seat() -> None:
    outcome = Outcome((2, 3, 1), "fault", ((2, "timeout", 4), (1, "illegal", 6)))
    assert outcome.seat_faults == ("illegal", "timeout", None)
    assert Outcome.of_result((2, 3, 1), "fault", outcome.seat_faults).seat_faults == outcome.seat_faults


def test_record_cannot_be_changed(record: Record) -> None:
    with pytest.raises(AttributeError):
        record.game = "other"  # type: ignore[misc]  # that is refused


def test_resignation_is_checked_like_a_fault(record: Record) -> None:
    for index, value, why in ((0, 3, "must be"), (0, 0, "must be"), (1, 99, "must be")):
        data = as_json(record)
        data["outcome"].update({"faults": [], "resigned": [[2, 1]]})
        data["outcome"]["resigned"][0][index] = value
        with refused(RecordError, f"outcome.resigned[0][{index}]", why):
            check_record(digested(data))
    right = digested(data | {"outcome": data["outcome"] | {"resigned": [[2, 1]]}})
    assert check_record(right).outcome.resigned == ((2, 1),)


def test_digest_that_does_not_hold_is_named_by_its_start(record: Record) -> None:
    wrong = "0123456789abcdef" * 4
    with refused(RecordError, "digest is 0123456789abcdef..., but", f"gives {record.digest[:16]}...:"):
        check_digest(msgspec.structs.replace(record, digest=wrong))


@pytest.mark.parametrize(
    ("actions", "plies", "end"),
    [
        ([(0, "roll"), (1, "a"), (0, "roll"), (2, "b")], 0, 0),
        ([(0, "roll"), (1, "a"), (0, "roll"), (2, "b")], 1, 2),
        ([(0, "roll"), (1, "a"), (0, "roll"), (2, "b")], 2, 4),
        ([(1, "a")], 5, 1),
    ],
)
def test_opening_ends_behind_its_last_action_of_a_seat(
    record: Record, actions: list[tuple[int, str]], plies: int, end: int
) -> None:
    changed = structs.replace(record, actions=tuple(actions), opening=Opening(plies))
    assert opening_end(changed) == end
