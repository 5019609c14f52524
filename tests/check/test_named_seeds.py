"""Manifests of named seeds and record files are read strictly, line by line."""

import json
from pathlib import Path

import msgspec
import pytest

from tourney.check.named_seeds import NamedSeed, play_named, random_spec, read_manifest
from tourney.errors import RecordError
from tourney.match.spec import Opening

LINE = {"name": "one", "game": "sage-stones", "seats": 2, "seed": "7", "digest": "0" * 64}


def write(path: Path, *values: object) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def test_manifest_reads_back(tmp_path: Path) -> None:
    """A line names everything that its match depends on."""
    named = [
        NamedSeed(name="one", game="sage-stones", seats=2, seed="7", digest="0" * 64),
        NamedSeed(
            name="two",
            game="sage-stones",
            seats=4,
            seed=str(2**64 - 1),
            options={"stones": "5"},
            opening=Opening(plies=3),
            digest="f" * 64,
        ),
        NamedSeed(
            name="three",
            game="toe",
            seats=2,
            seed="0",
            opening=Opening(actions=("a1", "b2")),
            digest="a" * 64,
        ),
    ]
    assert list(read_manifest(write(tmp_path / "m", *map(msgspec.to_builtins, named)))) == named
    assert named[1].spec == random_spec("sage-stones", 4, 2**64 - 1, {"stones": "5"}, Opening(plies=3))


def test_named_seed_gives_the_same_record_every_time() -> None:
    """Its bot samples by the seed alone."""
    named = NamedSeed(name="one", game="sage-stones", seats=3, seed="7", digest="0" * 64)
    first, second = play_named(named), play_named(named)
    assert first.record == second.record
    assert first.record.outcome.faults == ()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"name": "../x"}, 'line 2: name is "../x"'),
        ({"seats": 0}, "line 2: seats is 0"),
        ({"seed": 7}, "line 2: seed is 7, but must be a string"),
        ({"digest": "x"}, 'line 2: digest is "x"'),
        ({"options": [1]}, "line 2: options is [1], but must be an object"),
        ({"opening": {"plies": "1"}}, 'line 2: opening.plies is "1", but must be an integer'),
        ({"opening": {"plies": None}}, "line 2: opening.plies is null, but must have a value"),
        ({"opening": None}, "line 2: opening is null, but must be an object"),
        ({"opening": {}}, "line 2: opening.plies is missing"),
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


def test_committed_named_seeds_give_their_digests() -> None:
    """Every game gives the committed digests on this machine and Python."""
    path = Path(__file__).resolve().parent.parent.parent / "seeds" / "named-seeds.jsonl"
    named = list(read_manifest(path))
    assert {seed.spec.game for seed in named} >= {"sages-tafl", "sage-stones"}
    assert {seed.name: play_named(seed).record.digest for seed in named} == {
        seed.name: seed.digest for seed in named
    }
