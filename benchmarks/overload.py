"""Games of honest bots on a free machine, and the same games beside hostile matches.

    python -m benchmarks.overload [--games 4] [--matches 3] [--children 4] [--work 20]

Two honest bots, one in C and one in Python, play Sage Stones: each uses a fixed processor time for a move,
and then plays without chance, so only a fault can change a game. Limits are tight: five times that time for
a move, and three seconds for the start. The same games are played on the machine as it is, and then beside
some matches of bots whose children work all the time; all of them share one processor.

Prints a row for each, and exits with 1 if a game ended in another way beside the hostile matches.
"""

import argparse
import os
import platform
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from tourney.bots.catalogue.command import BotCommand, environment, interpreter_paths
from tourney.bots.channel.interface import Channel
from tourney.bots.sandbox.sandbox import Sandbox, open_sandbox
from tourney.errors import EnvironmentFailure
from tourney.match.match_runner import MatchRunner
from tourney.match.result import PlayedMatch
from tourney.match.spec import Entrant, Limits, MatchSpec

HERE = Path(__file__).resolve().parent / "overload_bots"
MARGIN_MS = 50
PLAYS = 3
"""Plays of a match without a result, as in a run."""
STONES = "10"
COLUMNS = (
    *("machine", "games", "as on the free machine", "lost on time", "without a result"),
    *("turns", "overloaded", "ms not charged"),
)


class Launcher:
    """Starts the bots of a folder."""

    def __init__(self, folder: Path, sandbox: Sandbox) -> None:
        self._folder = folder
        self._sandbox = sandbox

    def __call__(self, entrant: Entrant, limits: Limits) -> Channel:
        """Start the bot of an entrant."""
        python = (sys.executable, "-I", "-S", "-B", f"{entrant.bot}.py")
        words = ("./honest",) if entrant.bot == "c" else python
        command = BotCommand((*words, *entrant.args), self._folder, environment(), interpreter_paths())
        return self._sandbox.spawn(command, memory_mb=limits.memory_mb)


def lay_out(folder: Path) -> None:
    """Write and compile the bots."""
    folder.chmod(0o755)
    for name in ("honest.py", "hostile.py"):
        (folder / name).write_text((HERE / name).read_text("utf-8"), "utf-8")
    subprocess.run(["cc", "-O2", "-o", str(folder / "honest"), str(HERE / "honest.c")], check=True)


def spec(seed: int, bots: Sequence[str], argument: int, limits: Limits) -> MatchSpec:
    """A match of Sage Stones."""
    names = [f"{bot}-{seat}" for seat, bot in enumerate(bots, 1)]
    pairs = zip(names, bots, strict=True)
    seats = tuple(Entrant(name, bot, "1", (str(argument),), "0" * 64) for name, bot in pairs)
    return MatchSpec("sage-stones", (("stones", STONES), ("play-on", "no")), seats, seed, limits)


def games(folder: Path, sandbox: Sandbox, most: int, work: int) -> list[PlayedMatch | None]:
    """Play the honest bots' games, each seat order in turn; None for a game without a result."""
    limits = Limits(move_ms=5 * work, margin_ms=MARGIN_MS, startup_ms=3000, memory_mb=512, ponder="freeze")
    found: list[PlayedMatch | None] = []
    with MatchRunner(Launcher(folder, sandbox), sandbox=sandbox) as runner:
        for number in range(most):
            bots = ("c", "honest") if number % 2 == 0 else ("honest", "c")
            found.append(_play(runner, spec(1 + number // 2, bots, work, limits)))
    return found


def _play(runner: MatchRunner, match: MatchSpec) -> PlayedMatch | None:
    for _ in range(PLAYS):
        try:
            return runner.play(match)
        except EnvironmentFailure as failure:
            sys.stderr.write(f"played again: {failure}\n")
    return None


@contextmanager
def hostile(folder: Path, matches: int, children: int) -> Iterator[None]:
    """Keep hostile matches going in processes of their own."""
    words = [
        sys.executable,
        "-m",
        "benchmarks.overload",
        "--hostile",
        str(folder),
        "--children",
        str(children),
    ]
    processes = [
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(matches)
    ]
    try:
        for process in processes:
            process.stdout.readline()  # type: ignore[union-attr]  # it is a pipe
        yield
    finally:
        for process in processes:
            process.communicate()


def play_hostile(folder: Path, children: int) -> None:
    """Play hostile matches until standard input ends; say when the first one is over."""
    limits = Limits(move_ms=60_000, startup_ms=600_000, memory_mb=512, ponder="allow")
    sandbox = open_sandbox("auto")
    with MatchRunner(Launcher(folder, sandbox), sandbox=sandbox) as runner:
        for seed in count(1):
            runner.play(spec(seed, ("hostile", "hostile"), children, limits))
            if seed == 1:
                sys.stdout.write("up\n")
                sys.stdout.flush()
            if select.select([sys.stdin], [], [], 0)[0]:
                return


def row(name: str, found: Sequence[PlayedMatch | None], free: Sequence[PlayedMatch | None]) -> str:
    """The row of a machine."""
    played = [match for match in found if match is not None]
    seats = [seat for match in played for seat in match.measured.seats]
    late = sum(kind in ("timeout", "startup") for match in played for _, kind, _ in match.outcome.faults)
    figures = (
        len(found),
        same(found, free),
        late,
        len(found) - len(played),
        sum(seat.turns for seat in seats),
        sum(seat.overloaded_turns for seat in seats),
        sum(seat.waited_ms for seat in seats),
    )
    return f"| {name} | {' | '.join(f'{figure:,}' for figure in figures)} |"


def same(found: Sequence[PlayedMatch | None], free: Sequence[PlayedMatch | None]) -> int:
    """The number of games that were played as on the free machine, to the digest."""
    pairs = zip(found, free, strict=True)
    return sum(one is not None and other is not None and one.digest == other.digest for one, other in pairs)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=4, help="games of the honest bots")
    parser.add_argument("--matches", type=int, default=3, help="hostile matches beside them")
    parser.add_argument("--children", type=int, default=4, help="children of each hostile bot")
    parser.add_argument("--work", type=int, default=20, help="ms of processor time for a move")
    parser.add_argument("--hostile", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.hostile is not None:
        play_hostile(arguments.hostile, arguments.children)
        return 0
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    sandbox = open_sandbox("auto")
    with tempfile.TemporaryDirectory(prefix="tourney-overload-") as name:
        folder = Path(name)
        lay_out(folder)
        load = os.getloadavg()[0]
        free = games(folder, sandbox, arguments.games, arguments.work)
        began = time.monotonic()
        with hostile(folder, arguments.matches, arguments.children):
            beside = games(folder, sandbox, arguments.games, arguments.work)
        took = time.monotonic() - began
    print(
        f"Python {platform.python_version()}, load {load:.1f} before, {took:.0f} s beside hostile matches\n"
    )
    print(f"| {' | '.join(COLUMNS)} |")
    print("|---" * len(COLUMNS) + "|")
    print(row("free", free, free))
    print(row(f"{arguments.matches} hostile matches", beside, free))
    return int(same(beside, free) < len(free))


if __name__ == "__main__":
    sys.exit(main())
