"""JSON and TOML are read strictly; errors are plain words."""

import gzip
import io
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.tournaments import refused
from tourney.errors import RecordError
from tourney.parsing import (
    MAX_DEPTH,
    MAX_READ,
    DamagedError,
    parse_json,
    parse_toml,
    read_json_lines,
    read_json_value,
    toml_text,
    unpacked,
)

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
        ("NaN", "NaN is not a number of JSON"),
        ("[-Infinity]", "-Infinity is not a number of JSON"),
        ("", "Expecting value: line 1 column 1 (char 0)"),
        ("[1] 2", "Extra data: line 1 column 5 (char 4)"),
        ("\ufeff{}", "it begins with a byte order mark, which JSON does not have"),
        (b'"\xff"', "byte 1 is not UTF-8"),
        (b"\xed\xb2\x80", "byte 0 is not UTF-8"),
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
        ("a = 0x" + "f" * 5000, "a number has more than 512 bits"),
        ("a = [{b = 0b" + "1" * 513 + "}]", "a number has more than 512 bits"),
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


LINE = {"name": "one", "seats": 2}


def test_record_file_may_be_json_or_json_lines(tmp_path: Path) -> None:
    """Pretty-printed JSON is one value, JSON lines are several; empty lines are skipped."""
    path = tmp_path / "r"
    path.write_text(json.dumps(LINE, indent=2), encoding="utf-8")
    assert list(read_json_lines(path)) == [(str(path), LINE)]
    path.write_text('{"a": 1}\n\n{"b": 2}', encoding="utf-8")
    assert list(read_json_lines(path)) == [(f"{path} line 1", {"a": 1}), (f"{path} line 3", {"b": 2})]
    with pytest.raises(RecordError, match="more than one record"):
        read_json_value(path)
    path.write_text("", encoding="utf-8")
    assert list(read_json_lines(path)) == []
    with pytest.raises(RecordError, match="no record"):
        read_json_value(path)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"{", "is not JSON"),
        (b"\xff\n", "is not JSON"),
        (b'{"a": 1}\n{"a": 2', "line 2 is not JSON"),
        (b'{"a": 1, "a": 2}', "the key 'a' is there twice"),
        (b'{"x": {"b\\n": 1, "b\\n": 2}}\n', "the key 'b\\n' is there twice"),
        (b"[" * 100_000 + b"\n", "lists or objects are nested more than 32 deep"),
        (b"\x00SQLite format 3\n", "is not JSON"),
    ],
)
def test_bad_json_is_refused(tmp_path: Path, data: bytes, why: str) -> None:
    """The error is one sentence."""
    path = tmp_path / "r"
    path.write_bytes(data)
    with pytest.raises(RecordError) as caught:
        list(read_json_lines(path))
    assert why in str(caught.value)
    assert len(str(caught.value)) < 300


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
        ('{"a":NaN}', "NaN is not a number of JSON"),
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


def test_compressed_content_comes_in_large_blocks() -> None:
    """A reader of games looks at each block from the start of a game on."""
    content = os.urandom(5 * MAX_READ // 2)
    packed = gzip.compress(content, 1)
    blocks = list(unpacked(io.BytesIO(packed), "f"))
    assert b"".join(blocks) == content
    assert len(blocks) == 3
    damaged = unpacked(io.BytesIO(packed[: len(packed) // 2]), "f")
    read = next(damaged) + next(damaged)
    assert content.startswith(read)
    assert len(read) > len(packed) // 2 - 10_000
    with pytest.raises(DamagedError):
        next(damaged)


def test_byte_order_mark_before_toml_is_passed_over() -> None:
    """Editors on Windows write one; a second one is a mistake."""
    assert parse_toml(toml_text(b'\xef\xbb\xbfname = "x"\r\n')) == {"name": "x"}
    with pytest.raises(ValueError, match="line 1"):
        parse_toml(toml_text(2 * b"\xef\xbb\xbf" + b"x = 1\n"))
