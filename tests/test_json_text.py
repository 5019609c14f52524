"""JSON is read strictly, and what is wrong with it is said in words that a person understands."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.json_text import MAX_DEPTH, loads

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(values)
def test_what_json_is_comes_back(value: object) -> None:
    assert loads(json.dumps(value), unique=True) == value
    assert loads(json.dumps(value).encode()) == value


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def test_depth_is_bounded_whatever_the_interpreter_allows() -> None:
    assert loads(nested(MAX_DEPTH)) == json.loads(nested(MAX_DEPTH))
    for depth in (MAX_DEPTH + 1, 500, 100_000):
        for text in (nested(depth), '{"a":' * depth + "1" + "}" * depth, '{"a":' + nested(depth) + "}"):
            with pytest.raises(ValueError, match=r"^lists or objects are nested more than 32 deep$"):
                loads(text)


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
def test_what_is_none_is_said_without_advice_for_programmers(text: str | bytes, says: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        loads(text)
    assert str(caught.value) == says


def test_a_key_twice_is_refused_where_it_is_asked_for() -> None:
    text = '{"a": {"b": 1, "c": 2, "b": 3}}'
    assert loads(text) == {"a": {"b": 3, "c": 2}}
    with pytest.raises(ValueError, match=r"^the key 'b' is there twice in one object$"):
        loads(text, unique=True)
    many = ",".join(f'"{k}":0' for k in range(200_000))
    with pytest.raises(ValueError, match=r"^the key '7' is there twice"):
        loads(f'{{{many},"7":0}}', unique=True)
