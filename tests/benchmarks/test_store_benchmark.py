"""The benchmark of databases: fills, verifies, goes on where it was killed, and marks what grows too fast."""

import argparse
from pathlib import Path

import pytest

from benchmarks import store
from benchmarks.report import random_plays
from benchmarks.store import Column, fill, main, steps_of, table
from benchmarks.store_places import Files, Place, Server
from tests.store.test_postgres import SERVER, needs_server
from tourney.games.registry import find_game
from tourney.store.repository import Repository

ROWS = 12
"""Matches of four entrants, each twice against each other."""


@pytest.fixture(params=["file", pytest.param("server", marks=needs_server)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return Server(SERVER) if request.param == "server" else Files(tmp_path)


def test_database_is_filled_verified_and_removed(
    place: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "ENTRANTS", 4)
    words = ["--matches", str(ROWS), "--distinct", "2", "--verify", "5", "--steps", "verify"]
    words += ["--folder", str(tmp_path)] if isinstance(place, Files) else ["--server", SERVER]
    main(words)
    said = capsys.readouterr().out
    _, _, found = said.partition(f"\n{place.name}\n")
    rows = dict(line.strip("| ").split(" | ") for line in found.splitlines() if line.startswith("| "))
    assert rows["matches"] == str(ROWS)
    assert rows["verified"].endswith(" matches a second")
    assert int(rows["bytes a match"].replace(",", "")) > 100
    assert f"{ROWS}: tourney verify --root: " in said
    assert not place.has(str(ROWS))


def test_filling_goes_on_where_it_was_killed(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "ENTRANTS", 4)
    plays = random_plays(find_game(store.GAME), 2, None, store.OPTIONS)
    url = place.url("killed")
    try:
        fill(url, ROWS, plays, Column(ROWS), 0, log=False)
        with Repository.open(url) as repository:
            whole = list(repository.digests(1))
            repository.take_back(1, [3, 7])
        column = Column(ROWS)
        fill(url, ROWS, plays, column, 0, log=False)
        with Repository.open(url) as repository:
            assert list(repository.digests(1)) == whole
            assert repository.tournament().root
        assert set(column.texts) == {"stored one by one"}
    finally:
        place.drop("killed")


def test_growth_beyond_the_matches_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    small, large = Column(100), Column(1000)
    for column, slow in ((small, 1.0), (large, 16.0)):
        column.took("slow", slow, f"{slow} s")
        column.took("linear", column.matches / 100, "as it should")
        column.took("short", slow / 100, "too short to say")
    assert list(table([small, large]))[2:] == [
        "| slow | 1.0 s | 16.0 s (!, 1.6 times a match) |",
        "| linear | as it should | as it should |",
        "| short | too short to say | too short to say |",
    ]
    assert "1,000: slow: 16.0 s\n" in capsys.readouterr().out


def test_unknown_step_is_refused() -> None:
    assert steps_of("reads, report") == ["reads", "report"]
    with pytest.raises(argparse.ArgumentTypeError, match="'fil' is no step: there are reads, tables"):
        steps_of("reads,fil")
