"""Records from outside: the check refuses any deviation and names its place."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import HELLO, make_spec, play_scripts
from tests.tournaments import refused
from tourney.errors import RecordError
from tourney.match.record import (
    FORMAT,
    Record,
    canonical,
    check_record,
    check_written,
    digest_of,
    make_record,
    read_json_lines,
    spec_of,
)
from tourney.match.spec import Entrant, Limits, MatchSpec, Opening

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
    again = json.loads(json.dumps(record))
    assert check_record(again) == record
    assert record["format"] == FORMAT
    assert record["seed"] == "18446744073709551615"


def test_spec_of_record_is_complete(record: Record) -> None:
    """The spec can be rebuilt from the record."""
    spec = spec_of(record)
    assert spec == make_spec(seed=2**64 - 1, options=(("misere", "no"),))


def edited(record: Record, path: str, value: Any) -> Record:
    """Return a copy with the value at a path (``outcome.ranks.0``) replaced, or deleted for ``...``."""
    made = copy.deepcopy(record)
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
        ("opening", {}, "opening must hold either plies or actions"),
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
        ("limits.move-ms", None, "limits.move-ms is null, but must be an integer"),
        ("limits.nodes", 0, "limits.nodes is 0, but must be at least 1"),
        ("outcome.faults", ..., "outcome.faults is missing"),
        ("limits.move-ms", 2**53, "limits.move-ms is 9007199254740992"),
        ("limits.margin-ms", ..., "limits.margin-ms is missing"),
        ("limits.charge", "sun", 'limits.charge is "sun", but must be "cpu", "fuel" or "wall"'),
        ("limits.clock-ms", 5, "limits must hold clock-ms and increment-ms together"),
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


texts = st.text(st.characters(codec="utf-8"), max_size=20)
json_data = st.recursive(
    st.one_of(texts, st.integers(-(2**53) + 1, 2**53 - 1)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.text(st.characters(codec="ascii"), max_size=8), inner, max_size=4),
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.text(st.characters(codec="ascii"), max_size=8), json_data, max_size=5))
def test_canonical_form_is_rfc_8785(data: dict[str, Any]) -> None:
    """Our form equals the package's, byte for byte, for all data that a record may hold."""
    data.pop("options", None)
    assert canonical(data) == rfc8785.dumps(data)


@given(st.dictionaries(texts, texts, max_size=5))
def test_canonical_form_of_non_ascii_options_is_rfc_8785(options: dict[str, str]) -> None:
    """RFC 8785 sorts keys by UTF-16."""
    assert canonical({"options": options}) == rfc8785.dumps({"options": dict(options)})


names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=200)


@given(names, st.lists(names, max_size=3), st.integers(0, 2**64 - 1), st.integers(0, 9))
def test_every_spec_gives_an_accepted_record(name: str, args: list[str], seed: int, plies: int) -> None:
    """Each record can be read back and gives the same spec, also with hostile names."""
    entrants = (Entrant(name, name, "1", tuple(args), "a" * 64), Entrant("b", "b", "1", (), "b" * 64))
    limits = Limits(clock_ms=5, increment_ms=0)
    spec = MatchSpec("toe", (("misere", "no"),), entrants, seed, limits, Opening(plies=plies))
    from tourney.match.record import Outcome

    record = make_record(spec, "1", [(1, "a1")], Outcome((1, 2), "fault", ((2, "crash", 1),)))
    assert check_record(json.loads(json.dumps(record))) == record
    assert check_written(record) == (record, canonical(record))
    assert spec_of(record) == spec
    assert record["digest"] == digest_of(record)


@pytest.mark.parametrize("key", ["actions", "format", "limits", "opening", "options", "outcome", "seats"])
def test_half_a_character_is_refused_wherever_it_stands(record: Record, key: str) -> None:
    with pytest.raises(RecordError) as caught:
        check_record(edited(record, key, "\ud800"))
    assert str(caught.value).startswith(f'{key} is "\\ud800", but must be ')


@given(
    st.recursive(
        st.text()
        | st.integers(-(2**70), 2**70)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.none(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab[}"), inner, max_size=3),
    )
)
def test_lines_in_any_form_give_their_values(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    path = tmp_path_factory.mktemp("lines") / "values.jsonl"
    texts = [
        json.dumps(value, separators=(",", ":"), sort_keys=ordered, ensure_ascii=plain)
        for ordered in (True, False)
        for plain in (True, False)
    ]
    path.write_text("0\n" + "\n".join(texts), encoding="utf-8")
    found = [one for _, one in read_json_lines(path)][1:]
    assert [json.dumps(one, sort_keys=True) for one in found] == [json.dumps(value, sort_keys=True)] * 4


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"a":1,"a":1}', "the key 'a' is there twice"),
        ('{"a":NaN}', "NaN is no number of JSON"),
        ("[" * 33 + "]" * 33, "nested more than 32 deep"),
        ('["]",' * 33 + "1" + ',"["]' * 33, "nested more than 32 deep"),
        ('["\\"]",' * 33 + "1" + "]" * 33, "nested more than 32 deep"),
    ],
)
def test_line_that_json_does_not_allow_is_refused(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "values.jsonl"
    path.write_text(f"0\n{line}\n")
    with refused(RecordError, words):
        list(read_json_lines(path))
