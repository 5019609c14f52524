"""Cost of a half-move at the wire: whole tournaments of trivial bots, next to a bare loop over pipes.

    python benchmarks/wire.py [--rounds 5] [--seconds 2] [--quick] [GAME ...]

Each game is measured in both sandboxes, with waiting bots frozen and allowed to work.

The bots are C programs (benchmarks/wire_bots/*.c, compiled with cc) that do not think and ask for no lines of
positions or legal actions: one keeps a board of Sage Stones, one plays Sages Tafl out of a book of random
games that is sampled here. Their matches go the whole way: rules, clocks, log, record, digest, worker
processes, coordinator, SQLite. The floor is the least that Python can do: one os.write, one poll and one
os.read for each half-move, with as many bytes, to two C programs that echo, on one processor for each worker.
They are in sessions of their own, as bots are, because a busy Linux divides its time between sessions.

A time is the wall clock's over the half-moves of all workers; dice are no half-moves. It runs from when a
tenth of the matches is stored to when all are: what starts once (the program, the workers, bots that are
reused) is left out, as a tournament pays it once; what each match costs, its storing too, is in it, and with
reuse off each match's bots. Every run has a floor of its own, measured just before it with as many workers;
rounds are interleaved, figures are medians, and so are the ratios of each run to its floor.

The last columns are microseconds of CPU a half-move: of the coordinator, of all workers, of all bots from
where their programs begin (what the start of a sandbox costs is in none, see startup.py --sandbox). On a
machine that does nothing else, wall time cannot be less than their sum over the number of processors, and
with as many workers as processors it is little more; on a busy machine wall time is luck, and they are not.
"""

import argparse
import multiprocessing
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from tourney.bots.sandbox.base import open_sandbox
from tourney.games import OVER, derive, find_game, uniform
from tourney.run.config.tournament_file import read_tournament_file
from tourney.run.engine.session import run_tournament, sandbox_text
from tourney.run.monitoring.progress import Listener, Progress
from tourney.run.workers.local import LocalExecutor
from tourney.store.repository import Repository

HERE = Path(__file__).resolve().parent / "wire_bots"
SEED = 20261120
BOOK = 16
"""Games of Sages Tafl that the bots know."""
FLOOR_SECONDS = 0.4
FIRST_RATE = 400
"""Games a second that the first round expects of bots that are reused."""
COLUMNS = (
    *("game", "sandbox", "reuse", "ponder", "workers", "us/half-move", "floor", "ratio", "games/s"),
    *("run", "work", "bots"),
)
WARM = 0.1
"""The part of the matches that is played before the measurement begins."""


@dataclass(frozen=True, slots=True)
class Contest:
    """A game to measure: its bot, and about the number of bytes that a bot gets for a half-move."""

    game: str
    source: str
    request: int


CONTESTS = (Contest("sage-stones", "stones.c", 68), Contest("sages-tafl", "tafl.c", 39))


@dataclass(frozen=True, slots=True)
class Setting:
    """One line of the table."""

    contest: Contest
    sandbox: str
    reuse: bool
    workers: int
    ponder: str = "freeze"


@dataclass(slots=True)
class Figures:
    """The measurements of one setting, round by round: microseconds per half-move, and games per second."""

    wall: list[float] = field(default_factory=list)
    floor: list[float] = field(default_factory=list)
    games: list[float] = field(default_factory=list)
    coordinator: list[float] = field(default_factory=list)
    workers: list[float] = field(default_factory=list)
    bots: list[float] = field(default_factory=list)


def compile_bots(folder: Path) -> None:
    """Make a folder for each bot, and the program that echoes."""
    (folder / "games.h").write_text(book(), encoding="ascii")
    _compile(folder, "echo.c", folder / "echo")
    for contest in CONTESTS:
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
    """Return random games of Sages Tafl that all begin differently, as a C table."""
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


def floor(echo: Path, workers: int, request: int, seconds: float) -> float:
    """Return the microseconds a half-move of the bare loop, over all workers."""
    words = [sys.executable, str(HERE / "floor.py"), str(echo), str(request), str(seconds)]
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

    def progress(self, progress: Progress) -> None:
        """Look at the clocks: matches stored, wall time, and CPU time of coordinator and workers."""
        workers = 0.0
        for process in multiprocessing.active_children():
            if process.pid is not None:
                workers += time.clock_gettime((~process.pid << 3) | 2)  # the kernel's number of its CPU clock
        self.end = (progress.done, time.monotonic(), time.process_time(), workers)
        if self.begin[0] < WARM * progress.rows and progress.done < progress.rows:
            self.begin = self.end


def measure(folder: Path, setting: Setting, matches: int, number: int, into: Figures) -> None:
    """Play one tournament and add what was measured."""
    home = folder / f"run-{number}"
    home.mkdir()
    game = setting.contest.game
    bot = folder / game
    entrants = "".join(f'[[entrant]]\nbot = "{bot}"\nname = "{name}"\n' for name in ("one", "two"))
    (home / "wire.toml").write_text(
        f'name = "wire"\ngame = "{game}"\nseed = {SEED + number}\ngames-per-pairing = {matches}\n{entrants}'
        f'[limits]\nponder = "{setting.ponder}"\n'
        f'[run]\nreuse = {str(setting.reuse).lower()}\nsandbox = "{setting.sandbox}"\n',
        encoding="utf-8",
    )
    watch = Watch()
    file = read_tournament_file(home / "wire.toml")
    database = str(home / "wire.db")
    run_tournament(file, database, home / "bots", lambda: LocalExecutor(setting.workers), listener=watch)
    if watch.begin[0] == 0:
        sys.stderr.write("all matches were stored at once, so the start is in: ask for more seconds\n")
    half_moves, bots = _half_moves(database)
    games, wall, coordinator, workers = (
        last - first for first, last in zip(watch.begin, watch.end, strict=True)
    )
    in_all = half_moves * games
    into.wall.append(wall / in_all * 1e6)
    into.games.append(games / wall)
    into.coordinator.append(coordinator / in_all * 1e6)
    into.workers.append(workers / in_all * 1e6)
    into.bots.append(bots)


def _half_moves(database: str) -> tuple[float, float]:
    """Return the mean number of half-moves of a match, and the bots' microseconds of CPU time for each.

    All matches must have ended by the rules.
    """
    total = count = bots = 0
    with Repository.open(database) as repository:
        tournament = repository.tournament().id
        for number, record in repository.records(tournament):
            if record["outcome"]["faults"]:
                raise SystemExit(f"match {number} was not played to its end: {record['outcome']}")
            total += sum(actor != 0 for actor, _ in record["actions"])
            count += 1
            bots += sum(seat["cpu-ms"] or 0 for seat in repository.measured(tournament, number)["seats"])
    return total / count, bots * 1000 / total


def settings(quick: bool, games: Sequence[str]) -> list[Setting]:
    """Return the lines of the table."""
    found = []
    for contest in CONTESTS:
        if games and contest.game not in games:
            continue
        for sandbox in ("off", "auto"):
            for ponder in ("freeze", "allow") if sandbox == "auto" else ("freeze",):
                found += [
                    Setting(contest, sandbox, reuse=True, workers=workers, ponder=ponder)
                    for workers in (1, 2)
                ]
            if not quick:
                found.append(Setting(contest, sandbox, reuse=False, workers=2))
    return found


def run(rounds: int, seconds: float, lines: Sequence[Setting]) -> dict[Setting, Figures]:
    """Measure all settings, round by round."""
    found = {setting: Figures() for setting in lines}
    with tempfile.TemporaryDirectory(prefix="tourney-wire-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # so that bots of other users can be started below it
        compile_bots(folder)
        number = 0
        for round_ in range(rounds):
            for setting, figures in found.items():
                sys.stderr.write(f"round {round_ + 1} of {rounds}: {setting}\n")
                request = setting.contest.request
                figures.floor.append(floor(folder / "echo", setting.workers, request, FLOOR_SECONDS))
                rate = median(figures.games or [FIRST_RATE if setting.reuse else FIRST_RATE / 10])
                matches = max(40, round(rate * seconds / 2) * 2)
                measure(folder, setting, matches, number, figures)
                number += 1
    return found


def table(found: dict[Setting, Figures]) -> list[str]:
    """Return the figures as lines of a Markdown table."""
    lines = [
        f"| {' | '.join(COLUMNS)} |",
        "|---" * len(COLUMNS) + "|",
    ]
    for setting, figures in found.items():
        ratio = median(wall / floor for wall, floor in zip(figures.wall, figures.floor, strict=True))
        lines.append(
            f"| {setting.contest.game} | {'off' if setting.sandbox == 'off' else 'on'}"
            f" | {'yes' if setting.reuse else 'no'} | {setting.ponder} | {setting.workers}"
            f" | {median(figures.wall):.1f}"
            f" | {median(figures.floor):.1f} | {ratio:.2f} | {median(figures.games):,.0f}"
            f" | {median(figures.coordinator):.1f} | {median(figures.workers):.1f}"
            f" | {median(figures.bots):.1f} |"
        )
    return lines


def _load() -> str:
    return ", ".join(f"{load:.1f}" for load in os.getloadavg())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    games = [contest.game for contest in CONTESTS]
    parser.add_argument("game", nargs="*", help=f"{' or '.join(games)}; both without")
    parser.add_argument("--rounds", type=int, default=5, help="rounds, of which the median is printed")
    parser.add_argument("--seconds", type=float, default=2.0, help="how long a run takes, about")
    parser.add_argument("--quick", action="store_true", help="leave out the runs without reuse")
    arguments = parser.parse_args()
    before = _load()
    lines = settings(arguments.quick, arguments.game)
    found = run(max(arguments.rounds, 1), arguments.seconds, lines)
    print(f"Python {platform.python_version()}, {os.cpu_count()} processors")
    print(sandbox_text(open_sandbox("auto")))
    print(f"{arguments.rounds} rounds; load {before} before and {_load()} after\n")
    print("\n".join(table(found)))


if __name__ == "__main__":
    main()
