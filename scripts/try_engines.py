"""Plays each chess and go engine of Debian against ``random``, contained and not, and prints a table.

    apt-get install bubblewrap PACKAGE...        the packages of ENGINES
    python -m scripts.try_engines [PROGRAM...]

Each engine plays two games, one with each color, with a small depth. PROGRAM limits the table to some of
them. Engines that are not installed are listed as such. It ends with 1 if one does not play as ENGINES says.
"""

import contextlib
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, get_args

import click

from tourney.bots.catalogue.command import GAME_FOLDERS, add_program
from tourney.bots.catalogue.store import BotStore, resolve_bot
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.errors import TourneyError
from tourney.games.registry import find_game
from tourney.match.runner import MatchRunner, StoreLauncher, entrant_of
from tourney.match.spec import Limits, MatchSpec, Opening

Containment = Literal["auto", "off"]
LIMITS: Final = Limits(move_ms=5000, margin_ms=5000)  # of a busy machine: only faults are looked for
SEED: Final = 5
GO_9: Final = "openspiel:go(board_size=9)"


@dataclass(frozen=True, slots=True)
class Engine:
    """A program of a package and how it is entered; ``unplayable`` says why no program can let it play."""

    package: str
    command: tuple[str, ...]
    protocol: str = "uci"
    game: str = "chess"
    go: Mapping[str, int] = field(default_factory=lambda: {"depth": 3})
    unplayable: str = ""

    @property
    def label(self) -> str:
        """The command as a person types it."""
        return " ".join(self.command)


ENGINES: Final = (
    Engine("ethereal-chess", ("ethereal-chess",)),
    Engine("fairy-stockfish", ("fairy-stockfish",)),
    Engine("fairy-stockfish", ("fairy-stockfish",), game="fairy:crazyhouse"),
    Engine("fairymax", ("fairymax",), "xboard"),
    Engine("fairymax", ("shamax",), "xboard"),
    Engine("fairymax", ("maxqi",), "xboard", unplayable="it plays xiangqi only, by xboard's protocol"),
    Engine("glaurung", ("glaurung",)),
    Engine("gnuchess", ("gnuchess", "--uci")),
    Engine("gnuchess", ("gnuchess", "--xboard"), "xboard"),
    Engine("gnugo", ("gnugo", "--mode", "gtp", "--level", "1"), "gtp", GO_9, {}),
    Engine("gnushogi", ("gnushogi",), "xboard", unplayable="it plays shogi only"),
    Engine("hachu", ("hachu",), "xboard", unplayable="it plays variants of shogi only"),
    Engine("hoichess", ("hoichess",), "xboard"),
    Engine("hoichess", ("hoixiangqi",), "xboard", unplayable="it plays xiangqi only, by xboard's protocol"),
    Engine("leela-zero", ("leelaz",), "gtp", GO_9, {}, "its network is in no package"),
    Engine("phalanx", ("phalanx",), "xboard"),
    Engine("polyglot", ("polyglot", "-noini", "-ec", "stockfish", "-log", "false"), "xboard"),
    Engine("sjaakii", ("sjaakii",)),
    Engine("sjaakii", ("sjaakii", "-xboard"), "xboard"),
    Engine("sjeng", ("sjeng",), "xboard"),
    Engine("stockfish", ("stockfish",)),
    Engine("stockfish", ("stockfish",), game="chess960"),
    Engine("toga2", ("toga2",)),
)


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of an engine's games; ``remark`` is why it does not play, or its score."""

    played: bool
    remark: str


class Bench:
    """Plays engines with one containment, with bots in a store of their own."""

    def __init__(self, sandbox: Containment, folder: Path) -> None:
        self._store = BotStore(folder / sandbox)
        self._sandbox = open_sandbox(sandbox)

    def play(self, engine: Engine) -> Trial:
        """Play an engine's two games; the engine has each color once."""
        try:
            program = add_program(
                engine.command, self._store, Path(), protocol=engine.protocol, options={}, go=engine.go
            )
            game = find_game(engine.game)
        except TourneyError as error:
            return Trial(played=False, remark=str(error))
        pair = entrant_of(program, "engine"), entrant_of(resolve_bot("random", self._store), "random")
        options = tuple(game.settings()[1].items())
        points = 0.0
        with MatchRunner(StoreLauncher(self._store, self._sandbox), sandbox=self._sandbox) as runner:
            for seat, seats in enumerate((pair, pair[::-1])):
                spec = MatchSpec(engine.game, options, seats, SEED + seat, LIMITS, Opening(plies=4))
                try:
                    match = runner.play(spec)
                except TourneyError as error:
                    return Trial(played=False, remark=str(error))
                if match.outcome.seat_faults[seat] is not None:
                    faults = [
                        line.text for line in match.log if line.kind == "note" and line.seat == seat + 1
                    ]
                    return Trial(played=False, remark=faults[-1])
                mine, other = match.outcome.ranks[seat], match.outcome.ranks[1 - seat]
                points += (1 + (mine < other) - (mine > other)) / 2
        return Trial(played=True, remark=f"{points:g} of 2 points")


Benches = Mapping[Containment, Callable[[Engine], Trial]]
"""What plays an engine, by the containment."""


def find_program(name: str) -> str | None:
    """The path of an engine, or None; Debian's are not on root's PATH."""
    return shutil.which(name) or shutil.which(name, path=":".join(GAME_FOLDERS))


def table(
    engines: Iterable[Engine],
    play: Benches,
    find: Callable[[str], str | None] = find_program,
) -> Iterable[tuple[str, ...]]:
    """Yield the rows: package, program, protocol, game, contained, not contained, remark."""
    for engine in engines:
        start = (engine.package, engine.label, engine.protocol, engine.game)
        if find(engine.command[0]) is None:
            yield *start, "-", "-", "not installed"
            continue
        trials = [play["auto"](engine), play["off"](engine)]
        remark = next((trial.remark for trial in trials if not trial.played), trials[0].remark)
        if engine.unplayable:
            remark = f"{engine.unplayable}: {remark}"
        yield *start, *("plays" if trial.played else "no" for trial in trials), remark


def main(words: Sequence[str]) -> int:
    """Print the table."""
    chosen = [engine for engine in ENGINES if not words or engine.command[0] in words]
    failed = False
    click.echo("| package | program | protocol | game | contained | not contained | remark |")
    click.echo("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        # A bot's own user must find the files.
        Path(folder).chmod(0o755)
        play = {sandbox: Bench(sandbox, Path(folder)).play for sandbox in get_args(Containment)}
        for engine, row in zip(chosen, table(chosen, play), strict=True):
            click.echo(f"| {' | '.join(row)} |")
            failed = failed or ("no" in row[4:6] and not engine.unplayable)
    return int(failed)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main(sys.argv[1:]))
