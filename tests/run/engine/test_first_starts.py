"""Before its first match a run starts each bot once, and says what weakens their containment."""

from pathlib import Path

import pytest

from tests.support.command import invoke, run
from tests.support.containment import contained
from tests.support.gates import FIRST
from tests.support.tournaments import write_file
from tourney.bots.catalogue.command import BotCommand
from tourney.bots.sandbox.bubblewrap import Bubblewrap

CUP = """
name = "cup"
game = "sage-stones"
seed = 7
bots = ["./small", "./large"]
[limits]
memory-mb = 16
[run]
sandbox = "auto"
"""
SHARED = "its files are larger than 8 MiB, half of memory-mb = 16"


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """Return a folder with a tournament of two bots, of which one is too large to be copied."""
    write_file(tmp_path, CUP)
    for name in ("small", "large"):
        write_file(tmp_path, FIRST, name).chmod(0o755)
    (tmp_path / "large").rename(tmp_path / "bot")
    (tmp_path / "large").mkdir()
    (tmp_path / "bot").rename(tmp_path / "large" / "bot")
    (tmp_path / "large" / "net").write_bytes(b"1" * (9 << 20))
    (tmp_path / "large" / "bot.toml").write_text(
        'name = "large"\nversion = "1"\ngames = ["sage-stones"]\ncommand = ["./bot"]\n', "ascii"
    )
    return tmp_path


@pytest.mark.slow
@contained
def test_run_and_match_say_that_a_bots_files_are_shared(cup: Path) -> None:
    """Its matches are still played, and their measurements differ from the others'."""
    done = run("run", "cup.toml", cwd=cup)
    assert done.returncode == 0, done.stderr
    assert f"private-files is only partial for large@1: {SHARED}" in done.stderr
    assert (
        f"private-files is only partial for this bot: {SHARED}" in run("show", "1", "--log", cwd=cup).stdout
    )


@pytest.mark.slow
@contained
def test_strict_run_refuses_a_bot_that_weakens_it(cup: Path) -> None:
    """Nothing is played; the sentence names the bot, the reason and the way out."""
    write_file(cup, CUP.replace('"auto"', '"strict"'))
    done = run("run", "cup.toml", cwd=cup)
    assert done.returncode == 3, done.stderr
    assert f"private-files is only partial for large@1: {SHARED}" in done.stderr
    assert 'use sandbox = "auto"' in done.stderr


@contained
def test_each_bot_starts_once_before_the_first_match(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two matches of two bots, and no start again once all is played."""
    started: list[tuple[str, int]] = []

    def rehearse(_: Bubblewrap, command: BotCommand, *, memory_mb: int) -> None:
        assert not (cup / "tourney.db-cup.spool").exists(), "the run has begun to play"
        started.append((command.argv[0], memory_mb))

    monkeypatch.setattr(Bubblewrap, "rehearse", rehearse)
    monkeypatch.chdir(cup)
    for _ in range(2):
        result = invoke("run", "cup.toml")
        assert result.exit_code == 0, result.output
        assert sorted(started) == [("./bot", 16), ("./small", 16)]


@pytest.mark.slow
def test_run_in_which_nothing_starts_ends_with_the_reason(tmp_path: Path) -> None:
    """It stops after 15 of 64 matches; the engine without a manifest is recognised."""
    write_file(
        tmp_path, CUP.replace("[limits]", "games-per-pairing = 64\n[limits]").replace('"auto"', '"off"')
    )
    write_file(tmp_path, "#!/bin/sh\nread -r l; [ $l = uci ] && echo uciok\n", "small").chmod(0o755)
    write_file(tmp_path, "#!/bin/sh\nexit 3\n", "large").chmod(0o755)
    done = run("run", "cup.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert "no bot has started: stopping" in done.stderr
    error = done.stderr.splitlines()[-1]
    assert error.startswith("error: no bot of cup starts, so the run has ended: ")
    assert "small: it speaks UCI: put it in a folder with a bot.toml" in error
    assert "large: startup: exited with code 3" in error
    assert "large:startup:15" in run("status", "cup", cwd=tmp_path).stdout
    for name in ("small", "large"):
        write_file(tmp_path, FIRST, name).chmod(0o755)
    again = run("run", "cup.toml", "--unbench", "large", cwd=tmp_path)
    assert "large is no longer benched: 15 of its matches are replayed" in again.stderr
