"""What the tests of several commands read: a record, and databases of few matches. Copy before you write."""

import re
from pathlib import Path

import pytest

from tests.support import genuine
from tests.support.command import run
from tests.support.folders import write_shell_bot
from tests.support.records import play_random
from tests.support.tournaments import THREE_PEBBLES, write_file
from tourney.match.record import Record
from tourney.store.database import Database


@pytest.fixture
def record() -> Record:
    """The record of a real match."""
    return play_random(7).record


@pytest.fixture
def file(tmp_path: Path, record: Record) -> Path:
    """A file with one record."""
    path = tmp_path / "record.json"
    path.write_bytes(record.encode())
    return path


@pytest.fixture
def database(tmp_path: Path) -> str:
    """A tournament of six matches: five are played, one is void because its machine failed."""
    path = str(tmp_path / "tourney.db")
    with Database.open(path, create=True) as repository:
        genuine.play_all(repository, genuine.begin(repository), void=(6,))
    return path


@pytest.fixture(scope="session")
def finished_cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished tournament of three."""
    folder = tmp_path_factory.mktemp("cup")
    write_file(folder, THREE_PEBBLES)
    done = run("run", "cup.toml", "--workers", "2", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines[0] == "seed: chosen by a person and below 2^64: any bot can find it and compute the dice"
    assert re.fullmatch("commitment to plan and seed: [0-9a-f]{64}", lines[1])
    assert lines[2].startswith("sandbox off: plain, ")
    assert lines[-2].startswith("cup: all played (12 of 12 matches, ")
    assert re.fullmatch("cup: root [0-9a-f]{64}", lines[-1])
    return folder


@pytest.fixture
def db(finished_cup: Path) -> str:
    return str(finished_cup / "tourney.db")


@pytest.fixture
def home(finished_cup: Path) -> Path:
    return finished_cup


QUIT = "tourney) echo bot;;\ngame) echo ready;;\ngo) echo resign;;"
"""A bot that resigns at once."""


@pytest.fixture
def losers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two bots that lose and one that crashes; it is the current one."""
    for name in ("quitter", "other"):
        write_shell_bot(tmp_path, name, QUIT, games='["sage-stones"]')
    crash = QUIT.replace("echo resign", "echo gone >&2; exit 3")
    write_shell_bot(tmp_path, "crasher", crash, games='["sage-stones"]')
    monkeypatch.chdir(tmp_path)
    return tmp_path
