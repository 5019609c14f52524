"""JSON and TOML are read strictly; errors are plain words."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.parsing import MAX_DEPTH, parse_json, parse_toml

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(values)
def test_json_values_come_back(value: object) -> None:
    assert parse_json(json.dumps(value), unique=True) == value
    assert parse_json(json.dumps(value).encode()) == value


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def test_json_depth_is_bounded() -> None:
    assert parse_json(nested(MAX_DEPTH)) == json.loads(nested(MAX_DEPTH))
    for depth in (MAX_DEPTH + 1, 500, 100_000):
        for text in (nested(depth), '{"a":' * depth + "1" + "}" * depth, '{"a":' + nested(depth) + "}"):
            with pytest.raises(ValueError, match=r"^lists or objects are nested more than 32 deep$"):
                parse_json(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("9" * 5000, "a number has more than 4,300 digits"),
        (f'{{"a": [-{"9" * 5000}]}}', "a number has more than 4,300 digits"),
        ("NaN", "NaN is no number of JSON"),
        ("[-Infinity]", "-Infinity is no number of JSON"),
        ("", "Expecting value: line 1 column 1 (char 0)"),
        ("[1] 2", "Extra data: line 1 column 5 (char 4)"),
        ("\ufeff{}", "it begins with a byte order mark, which JSON does not have"),
        (b'"\xff"', "byte 1 is no UTF-8"),
        (b"\xed\xb2\x80", "byte 0 is no UTF-8"),
    ],
)
def test_bad_json_is_refused_in_plain_words(text: str | bytes, says: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        parse_json(text)
    assert str(caught.value) == says


def test_repeated_json_key_is_refused_on_request() -> None:
    text = '{"a": {"b": 1, "c": 2, "b": 3}}'
    assert parse_json(text) == {"a": {"b": 3, "c": 2}}
    with pytest.raises(ValueError, match=r"^the key 'b' is there twice in one object$"):
        parse_json(text, unique=True)
    many = ",".join(f'"{k}":0' for k in range(200_000))
    with pytest.raises(ValueError, match=r"^the key '7' is there twice"):
        parse_json(f'{{{many},"7":0}}', unique=True)


def test_toml_values_come_back() -> None:
    text = 'a = [[1], ["x"]]\nb = 0xffff_ffff_ffff_ffff\n[c.d]\ne = 1.5\nf = true\n'
    assert parse_toml(text) == {
        "a": [[1], ["x"]],
        "b": 2**64 - 1,
        "c": {"d": {"e": 1.5, "f": True}},
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a = " + "9" * 5000, "a number has more than 4,300 digits"),
        ("a = 0x" + "f" * 5000, "a number has more than 128 bits"),
        ("a = [{b = 0b" + "1" * 129 + "}]", "a number has more than 128 bits"),
        ("a = " + "[" * 100_000, "lists or tables are nested more than 32 deep"),
        ("a = " + "[" * 40 + "]" * 40, "lists or tables are nested more than 32 deep"),
        (".".join("a" * 40) + " = 1", "lists or tables are nested more than 32 deep"),
        ("a = 1\na = 2", "Cannot overwrite a value (at end of document)"),
    ],
)
def test_bad_toml_is_refused_in_plain_words(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        parse_toml(text)
    assert str(caught.value) == says
