"""The benchmark of databases: fills, verifies, goes on where it was killed, and marks what grows too fast."""

from pathlib import Path

import click
import pytest

from benchmarks import store
from benchmarks.common import random_plays
from benchmarks.store import Files, Place, Server, SizeFigures, fill, main, show, steps_of
from tests.store.test_postgres import SERVER, needs_server
from tourney.games.registry import find_game
from tourney.store.database import Database

pytestmark = pytest.mark.benchmark

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
    main(words, standalone_mode=False)
    said = capsys.readouterr().out
    _, _, found = said.partition(f"\n{place.name};")
    rows = dict(line.strip("| ").split(" | ") for line in found.splitlines() if line.startswith("| "))
    assert rows["matches"] == str(ROWS)
    assert rows["verified"].endswith(" matches a second")
    assert int(rows["bytes a match"].replace(",", "")) > 100
    assert f"{ROWS}: tourney verify --root: " in said
    assert place.size(str(ROWS)) == 0


def test_filling_goes_on_where_it_was_killed(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "ENTRANTS", 4)
    plays = random_plays(find_game(store.GAME), 2, None, store.OPTIONS)
    url = place.url("killed")
    try:
        fill(url, ROWS, plays, SizeFigures(ROWS), 0, log=False)
        with Database.open(url) as repository:
            whole = list(repository.matches.digests(1))
            repository.matches.take_back(1, [3, 7])
        column = SizeFigures(ROWS)
        fill(url, ROWS, plays, column, 0, log=False)
        with Database.open(url) as repository:
            assert list(repository.matches.digests(1)) == whole
            assert repository.tournaments.get().root
        assert set(column.texts) == {"stored one by one"}
    finally:
        place.drop("killed")


def test_growth_beyond_the_matches_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    small, large = SizeFigures(100), SizeFigures(1000)
    for column, slow in ((small, 1.0), (large, 16.0)):
        column.took("slow", slow, f"{slow} s")
        column.took("linear", column.matches / 100, "as it should")
        column.took("short", slow / 100, "too short to say")
    assert "1,000: slow: 16.0 s\n" in capsys.readouterr().out
    show([small, large])
    assert capsys.readouterr().out.splitlines()[2:] == [
        "| slow | 1.0 s | 16.0 s (!, 1.6 times a match) |",
        "| linear | as it should | as it should |",
        "| short | too short to say | too short to say |",
    ]


def test_unknown_step_is_refused() -> None:
    assert steps_of(None, None, "reads, report") == ["reads", "report"]
    with pytest.raises(click.BadParameter, match="'fil' is not a step: there are reads, tables"):
        steps_of(None, None, "reads,fil")
