"""The schema reader: every refusal names the place, the value and the allowed values."""

import re
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import Meta, Struct

from scripts.make_schemas import json_schema
from tourney.match.record import Record
from tourney.match.spec import DrawRule, Limits, ResignRule
from tourney.schema import MAX_INT, Count, Digest, Name, SchemaError, Seed, Text, either, read, seed_of, show
from tourney.seeds import MAX_SEED


class Inner(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """A table in a table."""

    move_ms: Annotated[int, Meta(ge=1, le=9)] | None = None
    mode: Literal["fast", "slow"] = "fast"


class Outer(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """All kinds of values."""

    name: Annotated[Name, Meta(examples=["cup"])]
    seed: Seed | None = None
    flag: bool = False
    words: tuple[Text, ...] = ()
    pair: tuple[int, str] = (0, "")
    options: dict[Name, str | int] = {}
    limits: Inner = Inner()
    tables: tuple[Inner, ...] = ()

    def __post_init__(self) -> None:
        if self.seed is not None:
            seed_of("seed", self.seed)


GOOD: dict[str, Any] = {"name": "cup"}


def refusal(data: object, type_: type[Any]) -> SchemaError | None:
    """Return the error that reading some data raises, or None."""
    try:
        read(data, type_)
    except SchemaError as error:
        return error
    return None


def test_good_data_becomes_a_frozen_value() -> None:
    data = GOOD | {"limits": {"move-ms": 3}, "options": {"a": 1, "b": "x"}, "tables": [{"mode": "slow"}]}
    found = read(data, Outer)
    assert found == Outer("cup", options={"a": 1, "b": "x"}, limits=Inner(3), tables=(Inner(None, "slow"),))
    with pytest.raises(AttributeError):
        found.name = "other"  # type: ignore[misc]  # the assignment is refused, which is the test


@pytest.mark.parametrize(
    ("data", "in_json", "in_toml"),
    [
        ({}, 'name is missing; add, for example, name = "cup"', "f: name is missing; add, "),
        (GOOD | {"nane": 1}, 'unknown key "nane"; did you mean name?', 'f: unknown key "nane"; did'),
        (
            GOOD | {"limits": {"zzz": 1}},
            'limits: unknown key "zzz"; the keys are: move-ms, mode',
            'f, [limits]: unknown key "zzz"; the keys are: move-ms, mode',
        ),
        ({"name": "A b"}, 'name is "A b", but must match [a-z', 'f: name is "A b", but must match [a-z'),
        ({"name": "a\n"}, 'name is "a\\n", but must', 'f: name is "a\\n", but must'),
        (GOOD | {"flag": 1}, "flag is 1, but must be true or false", "f: flag is 1, but must be true"),
        (
            GOOD | {"seed": True},
            "seed is true, but must be an integer or a string",
            "f: seed is true, but must",
        ),
        (GOOD | {"seed": 1.0}, "seed is 1.0, but must be an integer or a string", "f: seed is 1.0, but must"),
        (GOOD | {"seed": MAX_SEED + 1}, "seed is a number of 78 digits, but must be from 0", "f: seed is a"),
        (GOOD | {"seed": "12"}, 'seed is "12", but must be 0x and at most', 'f: seed is "12"'),
        (GOOD | {"seed": 10**5000}, "seed is a number of thousands", "f: seed is a number of thousands"),
        (
            GOOD | {"limits": {"move-ms": 0}},
            "limits.move-ms is 0, but must be from 1 to 9",
            "f, [lim",
        ),
        (
            GOOD | {"limits": {"mode": "x"}},
            'limits.mode is "x", but must be "fast" or',
            "f, [limits]: mode is",
        ),
        (
            GOOD | {"limits": 3},
            "limits is 3, but must be an object",
            "f: limits is 3, but must be a table: [",
        ),
        (GOOD | {"words": ["a", 3]}, "words[1] is 3, but must be a string", "f: item 2 of words is 3, but"),
        (
            GOOD | {"words": "a"},
            'words is "a", but must be a list of strings',
            'f: words is "a", but',
        ),
        (
            GOOD | {"words": ["\ud800"]},
            'words[0] is "\\ud800", but must be valid Unicode',
            "f: item 1 of",
        ),
        (GOOD | {"words": ["a" * 201]}, "words[0] has 201 characters, but may have at most 200", "f: item 1"),
        (GOOD | {"pair": [1]}, "pair has 1 items, but must have 2", "f: pair has 1 items, but must have 2"),
        (
            GOOD | {"options": {"a b": 1}},
            'options: a key is "a b", but must match',
            'f, [options]: a key is "a b", but must match',
        ),
        (
            GOOD | {"options": {"a": 1.5}},
            "options.a is 1.5, but must be a string or an integer",
            "f, [options]: a is 1.5, but must be a string or an integer",
        ),
        (
            GOOD | {"tables": [{}, {"move-ms": 10}]},
            "tables[1].move-ms is 10, but must be from 1 to 9",
            "f, [[tables]] 2: move-ms is 10, but must be from 1 to 9",
        ),
        (
            GOOD | {"tables": 1},
            "tables is 1, but must be a list",
            "f: tables is 1, but must be a list of ta",
        ),
    ],
)
def test_bad_data_is_refused_in_one_sentence(data: object, in_json: str, in_toml: str) -> None:
    with pytest.raises(SchemaError) as caught:
        read(data, Outer)
    assert caught.value.in_json().startswith(in_json)
    with pytest.raises(SchemaError) as caught:
        read(data, Outer, toml=True)
    assert caught.value.in_toml("f").startswith(in_toml)
    assert "\n" not in str(caught.value)


def test_value_without_keys_is_named_by_its_root() -> None:
    error = refusal([], Outer)
    assert error is not None
    assert error.in_json("the record") == "the record is [], but must be an object"


def test_errors_carry_the_key() -> None:
    for data, key in (({}, "name"), (GOOD | {"x": 1}, "x"), (GOOD | {"limits": {"move-ms": 0}}, "move-ms")):
        with pytest.raises(SchemaError) as caught:
            read(data, Outer)
        assert caught.value.key == key


def test_needed_keys_must_be_given_despite_their_default() -> None:
    with pytest.raises(SchemaError) as caught:
        read({}, Inner, needed=("mode",), at=("limits",))
    assert caught.value.in_json() == "limits.mode is missing"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
FIELDS = [field.encode_name for field in msgspec.structs.fields(Outer)]


@given(st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=4))
def test_every_refusal_is_explained_without_msgspec(data: dict[str, Any]) -> None:
    """The function that words an error finds the same error as msgspec."""
    error = refusal(data, Outer)
    assert error is None or not re.search(r" - at `\$|Expected", error.problem)


def keys_of(type_: type[Any]) -> list[str]:
    """Return the keys of a table."""
    return [field.encode_name for field in msgspec.structs.fields(type_)]


KEYS = keys_of(Limits)
RULES = {"draw": DrawRule, "resign": ResignRule}
"""The tables in the table of limits."""
RULE_KEYS = sorted({key for rule in RULES.values() for key in keys_of(rule)})
RULE = st.dictionaries(st.sampled_from(RULE_KEYS), st.integers(-1, 9) | JSON, max_size=3)


@given(st.dictionaries(st.sampled_from(KEYS), JSON | RULE, max_size=4))
@example({"draw": {}})
@example({"resign": {"movecount": 3, "score": 0}})
@example({"draw": {"movecount": 3, "score": 10, "sides": 2}})
def test_refusals_of_limits_are_explained(data: dict[str, Any]) -> None:
    """A refusal names the key of the limits, or the table of a rule and the key in it."""
    error = refusal(data, Limits)
    if error is None:
        return
    assert not re.search(r" - at `\$|Expected", error.problem)
    if not error.path or error.path[0] not in RULES:
        assert error.key in KEYS
    elif error.key not in RULES:
        keys = keys_of(RULES[str(error.path[0])])
        assert (error.key not in keys) == error.problem.startswith("unknown key")


def test_values_are_shown_short_and_printable() -> None:
    assert show("a\x1b\u202e") == '"a\\x1b\\u202e"'
    assert len(show("x" * 1000)) == 60
    assert show({"a": [None, True]}) == '{"a": [null, true]}'
    assert either(["a"]) == '"a"'
    assert either(["a", "b", "c"]) == '"a", "b" or "c"'


def test_json_schema_has_portable_patterns_and_bounds() -> None:
    schema = json_schema(Outer, "Outer", nullable=("seed",))
    assert schema["required"] == ["name"]
    assert schema["properties"]["name"]["pattern"] == "^[a-z0-9][a-z0-9._-]{0,63}$"
    assert {"type": "null"} in schema["properties"]["seed"]["anyOf"]
    assert "default" not in schema["properties"]["limits"]
    assert schema["$defs"]["Inner"]["properties"]["move-ms"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 9,
    }
    record = json_schema(Record, "Record")
    assert record["properties"]["digest"]["pattern"] == "^[0-9a-f]{64}$"


def test_count_and_digest_have_the_bounds_of_json() -> None:
    assert msgspec.convert(MAX_INT, Count) == 2**53 - 1
    for value, type_ in ((2**53, Count), ("F" * 64, Digest), ("0" * 63, Digest)):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(value, type_)
