"""Fixtures for the tests of shipped bots: a bot store and a match runner."""

import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tourney.bots.catalogue.build import runnable_folder
from tourney.bots.catalogue.command import bot_command
from tourney.bots.catalogue.store import BotStore, resolve_bot
from tourney.bots.sandbox.base import open_sandbox
from tourney.bots.sandbox.plain import PlainSandbox
from tourney.match.match_runner import MatchRunner, StoreLauncher
from tourney.match.result import PlayedMatch
from tourney.match.spec import Entrant, Limits, MatchSpec

Play = Callable[..., PlayedMatch]

SEARCHING = {"alphabeta", "mcts"}
"""Bots that would use their whole time."""
NODES = 4
"""The nodes of a turn in their matches."""


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> BotStore:
    return BotStore(tmp_path_factory.mktemp("shipped") / "store")


def room_of(store: BotStore, *, reuse: bool = False) -> MatchRunner:
    """Return a room that plays the bots of a store, without a sandbox."""
    sandbox = open_sandbox("off")
    return MatchRunner(StoreLauncher(store, sandbox), sandbox=sandbox, reuse=reuse)


def spec_of(store: BotStore, game: str, names: Sequence[str], seed: int) -> MatchSpec:
    """Return a match of shipped bots with generous limits, so that a busy machine does not matter."""
    seats = []
    for name in names:
        bot = resolve_bot(name, store, Path("/"))
        seats.append(Entrant(name, bot.manifest.name, bot.manifest.version, (), bot.digest))
    nodes = NODES if SEARCHING.intersection(names) else None
    return MatchSpec(game, (), tuple(seats), seed, Limits(move_ms=60_000, nodes=nodes, startup_ms=60_000))


@pytest.fixture(scope="module")
def play(shipped: BotStore) -> Iterator[Play]:
    """Return a function that plays matches of shipped bots in the same processes."""
    with room_of(shipped, reuse=True) as room:
        yield lambda game, *names, seed: room.play(spec_of(shipped, game, names, seed))


class Bot:
    """A bot's process: send lines and read one answer; info lines are skipped."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdin, process.stdout

    def tell(self, *lines: str) -> None:
        self._in.write("".join(f"{line}\n" for line in lines))
        self._in.flush()

    def ask(self, *lines: str) -> str:
        self.tell(*lines)
        while (line := self._out.readline()).startswith("info "):
            pass
        return line.rstrip("\n")


def folder_of(name: str, store: BotStore) -> Path:
    """Return the folder of a shipped bot, built."""
    return runnable_folder(store, resolve_bot(name, store, Path("/")), PlainSandbox("off"))


@contextmanager
def talk(name: str, folder: Path, store: BotStore, *args: str) -> Iterator[Bot]:
    """Yield a shipped bot's process, started in its built folder; at the end it has to quit."""
    command = bot_command(resolve_bot(name, store, Path("/")), args, folder=folder)
    with subprocess.Popen(
        command.argv,
        cwd=folder,
        env=command.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="ascii",
    ) as process:
        bot = Bot(process)
        yield bot
        bot.tell("quit")
        assert process.wait(60) == 0
