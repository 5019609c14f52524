"""``tourney demo``: played once and reused."""

from pathlib import Path

import pytest

from tests.support.command import invoke, run
from tourney.cli.demo import command as demo_command
from tourney.store.database import Database


@pytest.mark.slow
def test_demo_plays_once_and_is_then_reused(tmp_path: Path) -> None:
    """The folder's name has spaces; the last line of standard output is the report's path."""
    folder = tmp_path / "an empty folder"
    folder.mkdir()
    first = run("demo", cwd=folder)
    assert first.returncode == 0, first.stderr
    index = folder / first.stdout.splitlines()[-1]
    assert index.is_file()
    assert "demo-tafl: all played (24 of 24 matches" in first.stderr
    assert "demo-stones: all played (24 of 24 matches" in first.stderr
    assert "Traceback" not in first.stderr
    with Database.open(str(folder / "demo" / "tourney.db")) as repository:
        assert [(t.name, t.seats) for t in repository.tournaments.all()] == [
            ("demo-tafl", 2),
            ("demo-stones", 4),
        ]
        for tournament in repository.tournaments.all():
            assert repository.schedules.progress(tournament.id)[:3] == (24, 24, 0)
    before = index.read_bytes()
    second = run("demo", cwd=folder)
    assert (second.returncode, second.stdout) == (0, first.stdout)
    assert second.stderr == ""
    assert index.read_bytes() == before


def test_demo_without_a_writable_folder_is_refused() -> None:
    assert demo_command.name == "demo"
    done = invoke("demo", "--out", "/proc/demo")
    assert done.exit_code == 3
    assert "the demo cannot be written to /proc/demo" in done.stderr
    assert "--out" in done.stderr
