"""Profile of a match at the wire: timers around the parts of a worker's work.

    python -m benchmarks.wire_profile [--matches 1500] [--sandbox auto] [GAME]

Plays matches of the bots of benchmarks/wire.py one after the other in this process, as a worker does, on one
processor, and reuses the bots. A timer is read before and after each part; its own cost is measured and
subtracted. Parts are nested; the table shows each part's own time, without the parts inside it. The times are
the wall clock's, so run it on an idle machine.
"""

import argparse
import gc
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import wire
from tourney.bots.catalogue.store import BotStore
from tourney.bots.channel.process import ProcessChannel
from tourney.bots.sandbox.base import open_sandbox
from tourney.bots.sandbox.process import BotProcesses
from tourney.games import find_game
from tourney.match import play
from tourney.match.match_runner import MatchRunner, StoreLauncher
from tourney.match.referee import Referee
from tourney.match.spec import Entrant, MatchSpec
from tourney.run.workers.processes import kill_strays
from tourney.seeds import derive

WARM = 50
"""Matches that are played before the timers count."""

PARTS: tuple[tuple[Any, str, str], ...] = (
    (ProcessChannel, "ask", "pipes, and the bots meanwhile: write, read"),
    (ProcessChannel, "idle", "looking for unasked output"),
    (Referee, "act", "rules, dice, lines for the seats"),
    (Referee, "request", "putting the request together"),
    (play, "move_action", "reading the answer's words"),
    (play._RunningMatch, "play", "the loop and the clocks"),  # noqa: SLF001 - a profile looks inside
    (play._RunningMatch, "start", "start of the match: `game` and `ready` of both bots"),  # noqa: SLF001 - likewise
    (play._RunningMatch, "end", "end of the match: `over` to both bots"),  # noqa: SLF001 - likewise
    (play._RunningMatch, "played", "CPU time of the bots, last words, times"),  # noqa: SLF001 - likewise
    (play, "write_record", "record and digest"),
    (MatchRunner, "play", "making the referee, the clocks and the rest of a match"),
)


class Timers:
    """Each part's own time, in nanoseconds, and how often it was entered."""

    def __init__(self) -> None:
        self.own: dict[str, int] = {}
        self.count: dict[str, int] = {}
        self._inside = [0]

    def clear(self) -> None:
        """Begin anew."""
        self.own.clear()
        self.count.clear()

    def around(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function with a timer around it."""
        now, inside = time.perf_counter_ns, self._inside

        def timed(*args: Any, **kwargs: Any) -> Any:
            inside.append(0)
            began = now()
            try:
                return function(*args, **kwargs)
            finally:
                took = now() - began
                self.own[part] = self.own.get(part, 0) + took - inside.pop()
                self.count[part] = self.count.get(part, 0) + 1
                inside[-1] += took

        return timed


def cost() -> tuple[float, float]:
    """Return the nanoseconds that a timer adds to its own part, and to the part around it."""
    timers, rounds = Timers(), 100_000
    bare, timed = _nothing, timers.around("inner", _nothing)
    began = time.perf_counter_ns()
    for _ in range(rounds):
        bare()
    between = time.perf_counter_ns()
    for _ in range(rounds):
        timed()
    whole = (time.perf_counter_ns() - between - (between - began)) / rounds
    own = timers.own["inner"] / rounds - (between - began) / rounds
    return own, whole - own


def _nothing() -> None:
    pass


def spec(contest: wire.Contest, store: BotStore, bot: Path) -> MatchSpec:
    """Return a match of the benchmark's bot against itself."""
    stored = store.add(bot)
    _, options = find_game(contest.game).settings(2, {})
    seats = tuple(Entrant(name, stored.manifest.name, "1", (), stored.digest) for name in ("one", "two"))
    return MatchSpec(game=contest.game, options=tuple(options.items()), seats=seats, seed=0)


def measure(contest: wire.Contest, folder: Path, sandbox: str, matches: int) -> None:
    """Play, and print the table of a game."""
    timers = Timers()
    for owner, name, part in PARTS:
        setattr(owner, name, timers.around(part, getattr(owner, name)))
    box = open_sandbox(sandbox)  # type: ignore[arg-type]  # argparse has checked it
    match = spec(contest, BotStore(folder / "store"), folder / contest.game)
    kill = timers.around("looking for strays", kill_strays)
    pack = timers.around("packing and sending the match", pickle.dumps)
    half_moves = began = 0
    with MatchRunner(StoreLauncher(BotStore(folder / "store"), box), sandbox=box, reuse=True) as runner:
        for number in range(WARM + matches):
            if number == WARM:
                gc.collect()
                gc.freeze()
                gc.set_threshold(20_000)
                timers.clear()
                half_moves, began = 0, time.perf_counter_ns()
            seed = derive(wire.SEED, "profile", number)
            played = runner.play(MatchSpec(match.game, match.options, match.seats, seed))
            kill(BotProcesses.alive)
            pack(played)
            half_moves += sum(seat["turns"] for seat in played.measured["seats"])
    whole = time.perf_counter_ns() - began
    own, around = cost()
    inner = sum(timers.count.values())
    outer = timers.count["making the referee, the clocks and the rest of a match"]
    print(f"\n{contest.game}, sandbox {sandbox}: {half_moves / matches:.0f} half-moves a match\n")
    print("| part | us/match | us/half-move | share |")
    print("|---|---|---|---|")
    total = (whole - inner * (own + around)) / matches / 1000
    rest = total
    for part, nanoseconds in sorted(timers.own.items(), key=lambda item: -item[1]):
        net = (nanoseconds - timers.count[part] * own) / matches / 1000
        if part == "the loop and the clocks":  # all that is asked in a turn is inside it
            net -= sum(timers.count[p] for _, n, p in PARTS if n in _TURN) * around / matches / 1000
        if timers.count[part] == outer and part.startswith("making the referee"):
            net -= 4 * around / 1000
        rest -= net
        print(_row(part, net, half_moves / matches, total))
    print(_row("the rest", rest, half_moves / matches, total))
    print(_row("all", total, half_moves / matches, total))


_TURN = ("ask", "idle", "act", "request", "move_action")


def _row(part: str, microseconds: float, half_moves: float, total: float) -> str:
    share = round(100 * microseconds / total)
    return f"| {part} | {microseconds:,.0f} | {microseconds / half_moves:.1f} | {share} % |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    games = [contest.game for contest in wire.CONTESTS]
    parser.add_argument("game", nargs="?", default=games[0], choices=games, help="default: %(default)s")
    parser.add_argument("--matches", type=int, default=1500, help="how many are played")
    parser.add_argument("--sandbox", default="auto", choices=("auto", "off"))
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    contest = next(contest for contest in wire.CONTESTS if contest.game == arguments.game)
    with tempfile.TemporaryDirectory(prefix="tourney-wire-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # so that bots of other users can be started below it
        wire.compile_bots(folder)
        measure(contest, folder, arguments.sandbox, max(arguments.matches, 1))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
