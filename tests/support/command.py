"""Run the command line and the rules console in tests: in this process, or as a process of its own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from click.testing import CliRunner, Result

from tourney import plugins
from tourney.cli.main import cli
from tourney.games.base import AnyGame
from tourney.games.console import Console
from tourney.games.registry import GAMES, find_game
from tourney.plugins import Addon

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = (sys.executable, "-m", "tourney")
GOLDEN = tuple(name for name in sorted(GAMES.own) if find_game(name).golden_match)
"""The games with a golden match in seeds/: those that need no extra."""


def talk(game: AnyGame, *lines: str) -> list[str]:
    """Return the rules console's answers to lines, one each."""
    console, answers = Console(game), []
    for line in lines:
        console, answer = console.answer(line)
        answers.append(answer)
    return answers


def invoke(*words: str, given: str | bytes | None = None, env: Mapping[str, str] | None = None) -> Result:
    """Run a command line in this process: the result has ``exit_code``, ``stdout``, ``stderr``."""
    return CliRunner().invoke(cli, list(words), input=given, env=env, prog_name="tourney")


def run_file(folder: Path, text: str) -> list[dict[str, Any]]:
    """Run a tournament file in a folder with one worker, verify all, and return the records.

    The database is ``t.db`` there, the bot store ``bots``.
    """
    file = folder / "cup.toml"
    file.write_text(text, encoding="utf-8")
    db = ("--db", str(folder / "t.db"))
    done = invoke("run", str(file), "--workers", "1", "--quiet", "--bots", str(folder / "bots"), *db)
    assert done.exit_code == 0, done.stderr
    checked = invoke("verify", "--all", *db)
    assert checked.exit_code == 0, checked.stdout
    return [json.loads(line) for line in invoke("export", *db).stdout.splitlines()]


def run(
    *words: str, given: str = "", env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run a command line as a process of its own."""
    return subprocess.run(
        [*PROGRAM, *words],
        input=given,
        env={**os.environ, **(env or {})},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


def start(*words: str) -> "subprocess.Popen[str]":
    """Start a command line as a process of its own, with pipes to talk to it."""
    pipe = subprocess.PIPE
    return popen([*PROGRAM, *words], stdin=pipe, stdout=pipe, stderr=pipe)


def popen(words: Sequence[str], **given: Any) -> "subprocess.Popen[str]":
    """Start a program that a test sends signals to, with the default signal handling."""
    return subprocess.Popen(list(words), text=True, **{"preexec_fn": default_signals, **given})


def default_signals() -> None:
    """Restore the default signal handling in a child process, before it executes a program.

    A child inherits ignored signals: SIGINT from a shell's background job, SIGHUP from nohup.
    """
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


@contextmanager
def installed(*addons: Addon) -> Iterator[None]:
    """Let these be the only add-ons of other packages, in this process."""
    named = {f"addon-{number}": addon for number, addon in enumerate(addons, start=1)}
    with patch.object(plugins, "others", lambda: (named, {})):
        yield


@contextmanager
def offering(**games: str) -> Iterator[None]:
    """Let these be the games there are, in this process: ``NAME="module:Class"``, ``_`` for ``-``."""
    addon = Addon(games={name.replace("_", "-"): target for name, target in games.items()})
    core = plugins.CORE._replace(games={})
    own = {name: shipped._replace(games={}) for name, shipped in plugins.shipped().items()}
    GAMES.clear()
    try:
        with (
            patch.object(plugins, "CORE", core),
            patch.object(plugins, "shipped", lambda: own),
            installed(addon),
        ):
            yield
    finally:
        GAMES.clear()


TOYS = {
    "toe": "tests.support.toys:Toe",
    "race": "tests.support.toys:Race",
    "odds": "tests.support.toys:Odds",
}
"""The small games of the tests, for ``offering(**TOYS)``."""
