"""Fixtures for the tests of shipped bots: a bot store and a match runner."""

import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tourney.bots.catalogue.build import runnable_folder
from tourney.bots.catalogue.command import bot_command
from tourney.bots.catalogue.store import BotStore, resolve_bot
from tourney.bots.sandbox.plain import PlainSandbox
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.games import CHANCE, OVER, find_game, stream
from tourney.match.result import PlayedMatch
from tourney.match.runner import MatchRunner, StoreLauncher
from tourney.match.spec import Entrant, Limits, MatchSpec

Play = Callable[..., PlayedMatch]

SEARCHING = {"alphabeta", "castellan", "mcts", "tinker"}
"""Bots that would use their whole time."""
NODES = 4
"""The nodes of a turn in their matches."""


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> BotStore:
    return BotStore(tmp_path_factory.mktemp("shipped") / "store")


def room_of(store: BotStore, *, reuse: bool = False) -> MatchRunner:
    """A room that plays the bots of a store, without a sandbox."""
    sandbox = open_sandbox("off")
    return MatchRunner(StoreLauncher(store, sandbox), sandbox=sandbox, reuse=reuse)


def spec_of(store: BotStore, game: str, names: Sequence[str], seed: int) -> MatchSpec:
    """A match of shipped bots with generous limits, so that a busy machine does not matter."""
    seats = []
    for name in names:
        bot = resolve_bot(name, store, Path("/"))
        seats.append(Entrant(name, bot.manifest.name, bot.manifest.version, (), bot.digest))
    nodes = NODES if SEARCHING.intersection(names) else None
    return MatchSpec(game, (), tuple(seats), seed, Limits(move_ms=60_000, nodes=nodes, startup_ms=60_000))


@pytest.fixture(scope="module")
def play(shipped: BotStore) -> Iterator[Play]:
    """A function that plays matches of shipped bots in the same processes."""
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
    """The folder of a shipped bot, built."""
    return runnable_folder(store, resolve_bot(name, store, Path("/")), PlainSandbox("off"))


@contextmanager
def talk(name: str, folder: Path, store: BotStore, *args: str) -> Iterator[Bot]:
    """Yield a shipped bot's process, started in its built folder; at the end it has to quit."""
    command = bot_command(resolve_bot(name, store, Path("/")), args, folder=folder)
    with subprocess.Popen(
        command.argv,
        cwd=folder,
        env=dict(command.env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="ascii",
    ) as process:
        bot = Bot(process)
        yield bot
        bot.tell("quit")
        assert process.wait(600) == 0


STONES_SETTINGS = [
    (2, {"stones": "10", "play-on": "no"}),
    (2, {"stones": "15", "play-on": "no"}),
    (2, {"stones": "10", "play-on": "no", "colours": "1"}),
    (3, {"stones": "3", "play-on": "yes"}),
    (4, {"stones": "15", "play-on": "no"}),
    (4, {"stones": "15", "play-on": "yes"}),
]
"""Seats and options of Sage Stones whose random games have full columns, captures and finished colours."""


def answer_in_random_games(bot: Bot, seats: int, options: dict[str, str]) -> None:
    """Assert that a bot names a legal square at each of its placements in random games of Sage Stones.

    Every seat plays at random; before each placement of the bot's seat, it chooses a square. The games have
    full columns, redirected rolls, captures and finished colours. This fails on a wrong column, an occupied
    square or a turn of another seat.
    """
    game = find_game("sage-stones")
    asked = full = 0
    words = " ".join(f"{key}={value}" for key, value in options.items())
    for number in range(25):
        draw = stream(number, "test", seats)
        seat = number % seats + 1
        assert bot.ask(f"game sage-stones seats={seats} seat={seat} seed=1 {words}") == "ready"
        state = game.new(seats, options)
        lines: list[str] = []
        while state.actor != OVER:
            actions = state.legal_actions()
            if state.actor == seat:
                answer = bot.ask(*lines, "go move=1000")
                legal = [f"move {game.action_string(action)}" for action in actions]
                assert answer in legal, state.position()
                lines = []
                asked += 1
                full += any("." not in column for column in state.position().split(" ")[0].split("/"))
            action = actions[draw(len(actions))]
            actor = 0 if state.actor == CHANCE else state.actor
            lines.append(f"play {actor} {game.action_string(action)}")
            state = state.play(action)
    assert asked > 40
    assert full > 0 or options["stones"] != "15"
