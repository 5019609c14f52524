"""Manifests of named seeds and record files are read strictly, line by line."""

import json
from pathlib import Path

import pytest

from tourney.errors import RecordError
from tourney.match.named_seeds import NamedSeed, named_seed_json, play_named, random_spec, read_manifest
from tourney.match.record import read_json_lines, read_record
from tourney.match.spec import Opening

LINE = {"name": "one", "game": "sage-stones", "seats": 2, "seed": "7", "digest": "0" * 64}


def write(path: Path, *values: object) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def test_manifest_reads_back(tmp_path: Path) -> None:
    """A line names everything that its match depends on."""
    named = [
        NamedSeed("one", random_spec("sage-stones", 2, 7), "0" * 64),
        NamedSeed(
            "two", random_spec("sage-stones", 4, 2**64 - 1, {"stones": "5"}, Opening(plies=3)), "f" * 64
        ),
        NamedSeed("three", random_spec("toe", 2, 0, None, Opening(actions=("a1", "b2"))), "a" * 64),
    ]
    assert list(read_manifest(write(tmp_path / "m", *map(named_seed_json, named)))) == named


def test_named_seed_gives_the_same_record_every_time() -> None:
    """Its bot samples by the seed alone."""
    named = NamedSeed("one", random_spec("sage-stones", 3, 7), "")
    first, second = play_named(named), play_named(named)
    assert first.record == second.record
    assert first.record["outcome"]["faults"] == []


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"name": "../x"}, 'line 2: name is "../x"'),
        ({"seats": 0}, "line 2: seats is 0"),
        ({"seed": 7}, "line 2: seed is 7, but must be a string"),
        ({"digest": "x"}, 'line 2: digest is "x"'),
        ({"options": [1]}, "line 2: options is [1], but must be an object"),
        ({"opening": {"plies": "1"}}, 'line 2: opening.plies is "1", but must be an integer'),
        ({"bots": []}, 'line 2: unknown key "bots"'),
        ({}, "line 2: the name one is given twice"),
    ],
)
def test_bad_manifest_is_refused_by_line_and_key(tmp_path: Path, change: dict[str, object], why: str) -> None:
    """The error is one sentence with the file, the line and the key."""
    path = write(tmp_path / "m", LINE, {**LINE, **change})
    with pytest.raises(RecordError) as caught:
        list(read_manifest(path))
    assert why in str(caught.value)
    assert str(path) in str(caught.value)


def test_record_file_may_be_json_or_json_lines(tmp_path: Path) -> None:
    """Pretty-printed JSON is one value, JSON lines are several; empty lines are skipped."""
    path = tmp_path / "r"
    path.write_text(json.dumps(LINE, indent=2), encoding="utf-8")
    assert list(read_json_lines(path)) == [(str(path), LINE)]
    path.write_text('{"a": 1}\n\n{"b": 2}', encoding="utf-8")
    assert list(read_json_lines(path)) == [(f"{path} line 1", {"a": 1}), (f"{path} line 3", {"b": 2})]
    with pytest.raises(RecordError, match="more than one record"):
        read_record(path)
    path.write_text("", encoding="utf-8")
    assert list(read_json_lines(path)) == []
    with pytest.raises(RecordError, match="no record"):
        read_record(path)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"{", "is no JSON"),
        (b"\xff\n", "is no JSON"),
        (b'{"a": 1}\n{"a": 2', "line 2 is no JSON"),
        (b'{"a": 1, "a": 2}', "the key 'a' is there twice"),
        (b'{"x": {"b\\n": 1, "b\\n": 2}}\n', "the key 'b\\n' is there twice"),
        (b"[" * 100_000 + b"\n", "lists or objects are nested more than 32 deep"),
        (b"\x00SQLite format 3\n", "is no JSON"),
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


def test_committed_named_seeds_give_their_digests() -> None:
    """Every game gives the committed digests on this machine and Python."""
    path = Path(__file__).resolve().parent.parent.parent / "seeds" / "named-seeds.jsonl"
    named = list(read_manifest(path))
    assert {seed.spec.game for seed in named} >= {"sages-tafl", "sage-stones"}
    assert {seed.name: play_named(seed).record["digest"] for seed in named} == {
        seed.name: seed.digest for seed in named
    }
