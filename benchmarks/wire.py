"""Cost of a half-move at the wire: whole tournaments of trivial bots, next to a bare loop over pipes.

    python -m benchmarks.wire [--rounds 5] [--seconds 2] [--quick] [GAME ...]
    python -m benchmarks.wire --profile [--matches 1500] [GAME ...]

Each game is measured in both sandboxes, with waiting bots frozen and allowed to work.

The bots are C programs (benchmarks/wire_bots/*.c, compiled with cc) that do not think and ask for no lines of
positions or legal actions: one keeps a board of Sage Stones, one plays Sages Tafl out of a book of random
games that is sampled here. Their matches include everything: rules, clocks, log, record, digest, worker
processes, coordinator, SQLite. The floor is the least that Python can do: one os.write, one poll and one
os.read for each half-move, with as many bytes, to two C programs that echo, on one processor for each worker.
They are in sessions of their own, as bots are, because a busy Linux divides its time between sessions.

A time is the wall clock's over the half-moves of all workers; dice do not count. It runs from when a tenth of
the matches is stored to when all are, without the start of the program, of the workers and of reused bots.
Every run has a floor of its own, measured just before it with as many workers; rounds are interleaved,
figures are medians, and so are the ratios of each run to its floor.

The last columns are microseconds of CPU a half-move: of the coordinator, of all workers, of all bots from
where their programs begin (the start of a sandbox is measured by benchmarks.startup). On an idle machine wall
time cannot be less than their sum over the number of processors; on a busy machine only they are reliable.

``--profile`` plays matches one after the other in this process, as a worker does, on one processor, and
reuses the bots. A timer is read before and after each part; its own cost is measured and subtracted. Parts
are nested: the table shows each part's own time, without the parts inside it. Workers compute no luck; its
cost for those who ask for it stands below the table.

It is long because the profile measures the same tournaments as the table.
"""

import gc
import multiprocessing
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import click

from benchmarks.common import described, head, machine, row, run
from tourney.bots.catalogue.store import BotStore
from tourney.bots.channel.process import ProcessChannel
from tourney.bots.sandbox.bot_processes import BotProcesses
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.games import OVER, derive, find_game, uniform
from tourney.match import play
from tourney.match.evidence import luck_of, subtracted
from tourney.match.record import Record
from tourney.match.referee import Referee
from tourney.match.runner import MatchRunner, StoreLauncher
from tourney.match.spec import Entrant, MatchSpec
from tourney.run.engine.readiness import sandbox_text
from tourney.run.engine.tournament_run import run_tournament
from tourney.run.listeners import Listener
from tourney.run.summary import RunProgress
from tourney.run.tournament_file import read_tournament_file
from tourney.run.workers.local import LocalExecutor
from tourney.run.workers.worker import kill_strays
from tourney.store.database import Database

HERE = Path(__file__).resolve().parent / "wire_bots"
SEED = 20261120
BOOK = 16
"""Games of Sages Tafl that the bots know."""
FLOOR_SECONDS = 0.4
FIRST_RATE = 400
"""Games a second that the first round expects of bots that are reused."""
WARM = 0.1
"""The part of the matches that is played before the measurement begins."""
LUCK_MATCHES = 100
"""The most matches of a profile whose luck is computed afterwards."""
WARM_MATCHES = 50
"""Matches of a profile that are played before the timers count."""


class Contest(NamedTuple):
    """A game to measure: its bot, and about the number of bytes that a bot gets for a half-move."""

    game: str
    source: str
    request: int


CONTESTS = {
    "sage-stones": Contest("sage-stones", "stones.c", 68),
    "sages-tafl": Contest("sages-tafl", "tafl.c", 39),
}


class Line(NamedTuple):
    """A line of the table."""

    contest: Contest
    sandbox: str
    reuse: bool
    workers: int
    ponder: str = "freeze"


class Figures(NamedTuple):
    """The measurements of a run: games a second, and microseconds a half-move."""

    games: float
    wall: float
    floor: float
    coordinator: float
    workers: float
    bots: float


def compile_bots(folder: Path) -> None:
    """Make a folder for each bot, and the program that echoes."""
    folder.chmod(0o755)  # so that bots of other users can be started below it
    (folder / "games.h").write_text(book(), encoding="ascii")
    _compile(folder, "echo.c", folder / "echo")
    for contest in CONTESTS.values():
        home = folder / contest.game
        home.mkdir()
        _compile(folder, contest.source, home / "bot")
        (home / "bot.toml").write_text(
            f'name = "{contest.game}-wire"\nversion = "1"\ngames = ["{contest.game}"]\ncommand = ["./bot"]\n',
            encoding="ascii",
        )


def _compile(folder: Path, source: str, target: Path) -> None:
    words = ["cc", "-O2", "-Wall", f"-I{HERE}", f"-I{folder}", "-o", str(target), str(HERE / source)]
    subprocess.run(words, check=True)


def book() -> str:
    """Random games of Sages Tafl that all begin differently, as a C table."""
    game = find_game("sages-tafl")
    games = []
    firsts = game.new().legal_actions()
    for number in range(BOOK):
        state = game.new().play(firsts[number])
        actions = [game.action_string(firsts[number])]
        while state.actor != OVER:
            legal = state.legal_actions()
            action = legal[uniform(derive(SEED, "wire", number, len(actions)), len(legal))]
            actions.append(game.action_string(action))
            state = state.play(action)
        games.append(actions)
    rows = "".join("    {" + ", ".join(f'"{action}"' for action in actions) + "},\n" for actions in games)
    longest = max(map(len, games))
    return f"enum {{ GAMES = {BOOK} }};\nstatic const char *const games[GAMES][{longest}] = {{\n{rows}}};\n"


def floor(echo: Path, workers: int, request: int) -> float:
    """The microseconds a half-move of the bare loop, over all workers."""
    words = [sys.executable, str(HERE / "floor.py"), str(echo), str(request), str(FLOOR_SECONDS)]
    processes = [
        subprocess.Popen([*words, str(slot)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for slot in range(workers)
    ]
    try:
        for process in processes:
            process.stdout.readline()  # type: ignore[union-attr]  # it is a pipe: the worker is ready
        for process in processes:
            process.stdin.write(b"\n")  # type: ignore[union-attr]  # likewise
            process.stdin.flush()  # type: ignore[union-attr]  # likewise
        answers = [process.communicate()[0].split() for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    return 1 / sum(int(count) / float(took) for count, took in answers)


class Watch(Listener):
    """Reads the clocks when the warm-up matches are stored, and again when all are."""

    def __init__(self) -> None:
        self.begin = self.end = (0, 0.0, 0.0, 0.0)

    def progress(self, progress: RunProgress) -> None:
        """Read the clocks: matches stored, wall time, and CPU time of coordinator and workers."""
        workers = 0.0
        for process in multiprocessing.active_children():
            if process.pid is not None:
                workers += time.clock_gettime((~process.pid << 3) | 2)  # the kernel's number of its CPU clock
        self.end = (progress.done, time.monotonic(), time.process_time(), workers)
        if self.begin[0] < WARM * progress.rows and progress.done < progress.rows:
            self.begin = self.end


def measure(folder: Path, line: Line, matches: int, number: int) -> Figures:
    """Measure the floor, and then a tournament."""
    game = line.contest.game
    bare = floor(folder / "echo", line.workers, line.contest.request)
    home = folder / f"run-{number}"
    home.mkdir()
    entrants = "".join(f'[[entrant]]\nbot = "{folder / game}"\nname = "{name}"\n' for name in ("one", "two"))
    (home / "wire.toml").write_text(
        f'name = "wire"\ngame = "{game}"\nseed = {SEED + number}\ngames-per-pairing = {matches}\n{entrants}'
        f'[limits]\nponder = "{line.ponder}"\n'
        f'[run]\nreuse = {str(line.reuse).lower()}\nsandbox = "{line.sandbox}"\n',
        encoding="utf-8",
    )
    watch = Watch()
    file = read_tournament_file(home / "wire.toml")
    database = str(home / "wire.db")
    run_tournament(file, database, home / "bots", lambda: LocalExecutor(line.workers), listener=watch)
    if watch.begin[0] == 0:
        sys.stderr.write("all matches were stored at once, so the start is in: ask for more seconds\n")
    half_moves, bots = _half_moves(database)
    games, wall, coordinator, workers = (
        last - first for first, last in zip(watch.begin, watch.end, strict=True)
    )
    each = 1e6 / (half_moves * games)
    return Figures(games / wall, wall * each, bare, coordinator * each, workers * each, bots)


def _half_moves(database: str) -> tuple[float, float]:
    """The mean number of half-moves of a match, and the bots' microseconds of CPU time for each.

    All matches must have ended by the rules.
    """
    total = count = 0
    bots: float = 0
    with Database.open(database) as repository:
        tournament = repository.tournaments.get().id
        for number, record in repository.records.all(tournament):
            if record.outcome.faults:
                raise SystemExit(f"match {number} was not played to its end: {record.outcome}")
            total += sum(actor != 0 for actor, _ in record.actions)
            count += 1
            bots += sum(seat.cpu_ms or 0 for seat in repository.records.measured(tournament, number).seats)
    return total / count, bots * 1000 / total


def lines_of(games: Sequence[str], *, quick: bool) -> list[Line]:
    """The lines of the table."""
    found = []
    for game in games:
        for sandbox, ponder in (("off", "freeze"), ("auto", "freeze"), ("auto", "allow")):
            found += [Line(CONTESTS[game], sandbox, True, workers, ponder) for workers in (1, 2)]
            if not quick and ponder == "freeze":
                found.append(Line(CONTESTS[game], sandbox, False, 2))
    return found


def show_half_moves(games: Sequence[str], rounds: int, seconds: float, *, quick: bool) -> None:
    """Measure all lines, round by round, and print the table."""
    found: dict[Line, list[Figures]] = {line: [] for line in lines_of(games, quick=quick)}
    with tempfile.TemporaryDirectory(prefix="tourney-wire-") as name:
        compile_bots(Path(name))
        number = 0
        for round_ in range(rounds):
            for line, figures in found.items():
                sys.stderr.write(f"round {round_ + 1} of {rounds}: {line}\n")
                first = FIRST_RATE if line.reuse else FIRST_RATE / 10
                rate = median([figure.games for figure in figures] or [first])
                matches = max(40, round(rate * seconds / 2) * 2)
                figures.append(measure(Path(name), line, matches, number))
                number += 1
    print(f"{machine()}\n{sandbox_text(open_sandbox('auto'))}\n{rounds} rounds\n")
    head(
        *("game", "sandbox", "reuse", "ponder", "workers", "us/half-move", "floor", "ratio", "games/s"),
        *("run", "work", "bots"),
    )
    for line, figures in found.items():
        games_, wall, bare, *cpu = map(median, zip(*figures, strict=True))
        ratio = median(figure.wall / figure.floor for figure in figures)
        row(
            line.contest.game,
            "off" if line.sandbox == "off" else "on",
            "yes" if line.reuse else "no",
            line.ponder,
            line.workers,
            *(f"{wall:.1f}", f"{bare:.1f}", f"{ratio:.2f}", f"{games_:,.0f}"),
            *(f"{microseconds:.1f}" for microseconds in cpu),
        )


# -- the profile --------------------------------------------------------------------------------------------


LOOP, WHOLE = "the loop and the clocks", "making the referee, the clocks and the rest of a match"
PARTS: tuple[tuple[Any, str, str], ...] = (
    (ProcessChannel, "ask", "pipes, and the bots meanwhile: write, read"),
    (ProcessChannel, "idle", "looking for unasked output"),
    (Referee, "act", "rules, dice, lines for the seats"),
    (Referee, "request", "putting the request together"),
    (play, "move_action", "reading the answer's words"),
    (play._RunningMatch, "play", LOOP),  # noqa: SLF001 - a profile looks inside
    (play._RunningMatch, "start", "start of the match: `game` and `ready` of both bots"),  # noqa: SLF001 - likewise
    (play._RunningMatch, "end", "end of the match: `over` to both bots"),  # noqa: SLF001 - likewise
    (play._RunningMatch, "played", "CPU time of the bots, last words, times"),  # noqa: SLF001 - likewise
    (play, "make_record", "record and digest"),
    (MatchRunner, "play", WHOLE),
)
TURN = 5
"""The first parts, which a turn consists of."""


class Timers:
    """Each part's own time, in nanoseconds, and how often it was entered."""

    def __init__(self) -> None:
        self.own: dict[str, int] = {}
        self.count: dict[str, int] = {}
        self._inside = [0]

    def around(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function with a timer around it."""
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


def cost_of_timer() -> tuple[float, float]:
    """The nanoseconds that a timer adds to its own part, and to the part around it."""
    timers, rounds = Timers(), 100_000

    def bare() -> None:
        pass

    timed = timers.around("inner", bare)
    began = time.perf_counter_ns()
    for _ in range(rounds):
        bare()
    between = time.perf_counter_ns()
    for _ in range(rounds):
        timed()
    whole = (time.perf_counter_ns() - between - (between - began)) / rounds
    own = timers.own["inner"] / rounds - (between - began) / rounds
    return own, whole - own


def show_profile(timers: Timers, contest: Contest, folder: Path, sandbox: str, matches: int) -> None:
    """Play matches of a bot against itself, and print the table of a game."""
    timers.own.clear()
    timers.count.clear()
    box = open_sandbox(sandbox)  # type: ignore[arg-type]  # click has checked it
    bots = BotStore(folder / "store")
    stored = bots.add(folder / contest.game)
    options = tuple(find_game(contest.game).settings(2, {})[1].items())
    seats = tuple(Entrant(name, stored.manifest.name, "1", (), stored.digest) for name in ("one", "two"))
    kill = timers.around("looking for strays", kill_strays)
    pack = timers.around("packing and sending the match", pickle.dumps)
    half_moves = began = 0
    records: deque[Record] = deque(maxlen=LUCK_MATCHES)
    with MatchRunner(StoreLauncher(bots, box), sandbox=box, reuse=True) as runner:
        for number in range(WARM_MATCHES + matches):
            if number == WARM_MATCHES:
                gc.collect()
                gc.freeze()
                gc.set_threshold(20_000)
                timers.own.clear()
                timers.count.clear()
                half_moves, began = 0, time.perf_counter_ns()
            seed = derive(SEED, "profile", number)
            played = runner.play(MatchSpec(contest.game, options, seats, seed))
            kill(BotProcesses.alive)
            pack(played)
            records.append(played.record)
            half_moves += sum(seat.turns for seat in played.measured.seats)
    whole = time.perf_counter_ns() - began
    own, around = cost_of_timer()
    net = {part: took - timers.count[part] * own for part, took in timers.own.items()}
    net[LOOP] -= sum(timers.count[part] for _, _, part in PARTS[:TURN]) * around
    net[WHOLE] -= 4 * around * timers.count[WHOLE]
    total = whole - sum(timers.count.values()) * (own + around)
    rows = [*sorted(net.items(), key=lambda item: -item[1]), ("the rest", total - sum(net.values()))]
    print(f"\n{contest.game}, sandbox {sandbox}: {half_moves / matches:.0f} half-moves a match\n")
    head("part", "us/match", "us/half-move", "share")
    for part, took in [*rows, ("all", total)]:
        each = took / 1000 / half_moves
        row(part, f"{took / 1000 / matches:,.0f}", f"{each:.1f}", f"{100 * took / total:.0f} %")
    if subtracted(find_game(contest.game)):
        asked = time.process_time_ns()
        for record in records:
            luck_of(record)
        took = (time.process_time_ns() - asked) / 1000 / len(records)
        print(f"\nLuck, for the commands that ask for it: {took:,.0f} us of CPU a match")


@click.command(help=described(__doc__))
@click.argument("games", nargs=-1, metavar="[GAME]...", type=click.Choice(list(CONTESTS)))
@click.option("--rounds", type=click.IntRange(1), default=5, show_default=True)
@click.option("--seconds", default=2.0, show_default=True, help="Duration of a run, about.")
@click.option("--quick", is_flag=True, help="Leave out the runs without reuse.")
@click.option("--profile", is_flag=True, help="Print where a worker's time goes instead.")
@click.option("--matches", type=click.IntRange(1), default=1500, show_default=True, help="For --profile.")
@click.option("--sandbox", type=click.Choice(["auto", "off"]), default="auto", help="For --profile.")
def main(
    games: tuple[str, ...],
    rounds: int,
    seconds: float,
    quick: bool,
    profile: bool,
    matches: int,
    sandbox: str,
) -> None:
    """Measure and print."""
    if not profile:
        show_half_moves(games or tuple(CONTESTS), rounds, seconds, quick=quick)
        return
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    timers = Timers()
    for owner, name, part in PARTS:
        setattr(owner, name, timers.around(part, getattr(owner, name)))
    with tempfile.TemporaryDirectory(prefix="tourney-wire-") as place:
        compile_bots(Path(place))
        for game in games or tuple(CONTESTS):
            show_profile(timers, CONTESTS[game], Path(place), sandbox, matches)


if __name__ == "__main__":
    run(main)
