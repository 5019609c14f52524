"""Shared by the benchmarks: tables, costs of commands, simulated and random matches, two checkouts in turn.

Each benchmark is a click command: ``python -m benchmarks.NAME --help``. With ``--beside PATH`` a command
measures the checkout at PATH too, by the script of the same name there and that checkout's environment
(``.venv``). The two run in turn, ``--times`` times each, so that a slow moment of the machine affects both;
for every figure of their tables the medians and the median of the ratios are printed. ``{side}`` in an option
becomes ``here`` or ``beside``, so that each keeps files of its own.
"""

import itertools
import os
import platform
import re
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Final, NamedTuple

import click

from tourney.games.base import AnyGame
from tourney.games.registry import find_game
from tourney.match.record import Outcome, make_record
from tourney.match.referee import Referee
from tourney.match.result import LogLine, Measurements, PlayedMatch, SandboxMeasurements, SeatMeasurements
from tourney.match.spec import DEFAULT_LIMITS, Entrant, MatchSpec
from tourney.run.engine.recorder import pair_next, spec_of
from tourney.schedule.row import ResultRow, Row
from tourney.seeds import U64, derive, stream
from tourney.store.database import Database
from tourney.store.values import CHOSEN, MatchResult, Plan, RunSettings, StoredEntrant, Tournament

ROOT = Path(__file__).resolve().parent.parent
POLL_SECONDS = 0.1
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


# -- output -------------------------------------------------------------------------------------------------


def head(*cells: str) -> None:
    """Print the head of a Markdown table."""
    row(*cells)
    print("|---" * len(cells) + "|", flush=True)


def row(*cells: object) -> None:
    """Print a row of a Markdown table."""
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def machine() -> str:
    """The interpreter, the processors and the load, on one line."""
    load = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    return f"Python {platform.python_version()}, {os.cpu_count()} processors, load {load}"


# -- costs --------------------------------------------------------------------------------------------------


class Cost(NamedTuple):
    """Wall time and processor time in seconds, and the peak memory of all processes in bytes."""

    seconds: float
    processor: float
    memory: int


def cpu_seconds() -> float:
    """The processor time of this process and of all its ended descendants."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def cost_of(words: Sequence[str]) -> Cost:
    """The cost of a command. Memory is the proportional set size of it and its descendants."""
    start = time.monotonic()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    peak = 0
    over = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not over.wait(POLL_SECONDS):
            peak = max(peak, sum(map(_memory_of, tree_of(process.pid))))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)  # with the processes that it has waited for
        process.returncode = os.waitstatus_to_exitcode(status)
    finally:
        over.set()
        watcher.join()
    if status:
        raise SystemExit(f"{' '.join(words)} failed")
    return Cost(time.monotonic() - start, usage.ru_utime + usage.ru_stime, peak)


def tree_of(pid: int) -> Iterator[int]:
    """Yield a process and its descendants."""
    yield pid
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        return
    for child in children:
        yield from tree_of(int(child))


def _memory_of(pid: int) -> int:
    try:
        found = re.search(r"^Pss:\s+(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


# -- simulated matches --------------------------------------------------------------------------------------


def two_seat_results(
    rows: Sequence[Row], strengths: Sequence[float], draws: float, luck: Callable[[Row], float]
) -> tuple[ResultRow, ...]:
    """A result for each row by strengths in Elo.

    ``draws`` is the draw probability of two equals; ``luck`` gives each row a number from 0 to 1.
    """
    found = []
    for one in rows:
        first, second = one.seats
        better = 1 / (1 + 10 ** ((strengths[second] - strengths[first]) / 400))
        drawn = 4 * draws * better * (1 - better)
        u = luck(one)
        ranks = (1, 1) if u < drawn else (1, 2) if u < drawn + better - drawn / 2 else (2, 1)
        found.append(one.result(ranks))
    return tuple(found)


def share(seed: int, *labels: str | int) -> float:
    """A random number from 0 to 1."""
    return derive(seed, *labels) / U64


# -- two checkouts ------------------------------------------------------------------------------------------


Cells = list[list[str]]
"""A table's head, and its rows."""


def described(text: str | None) -> str:
    """A module's docstring as the help of a command, with its own line breaks."""
    return "\n\n".join(f"\b\n{paragraph}" for paragraph in (text or "").split("\n\n"))


def tables_command(
    text: str | None, tables: Mapping[str, Callable[[int], None]], seeds_help: str
) -> click.Command:
    """The command that prints the named tables, or all, of a module with this docstring."""

    @click.command(help=described(text))
    @click.argument("names", nargs=-1, metavar="[TABLE]...", type=click.Choice(list(tables)))
    @click.option("--seeds", default=20, show_default=True, help=seeds_help)
    def command(names: tuple[str, ...], seeds: int) -> None:
        for name in names or tables:
            tables[name](seeds)

    return command


def run(command: click.Command) -> None:
    """Run a benchmark as a script; with ``--beside`` together with that of another checkout."""
    words = sys.argv[1:]
    if "--beside" not in words:
        command()
        return
    path = Path(_taken(words, "--beside", "")).resolve()
    times = int(_taken(words, "--times", "3"))
    spec = sys.modules["__main__"].__spec__
    name = spec.name if spec is not None else f"benchmarks.{Path(sys.argv[0]).stem}"
    found: dict[str, list[list[Cells]]] = {"beside": [], "here": []}
    for number in range(times):
        for side, tree in (("beside", path), ("here", ROOT)):
            sys.stderr.write(f"run {number + 1} of {times}: {tree}\n")
            found[side].append(_tables(tree, name, [word.replace("{side}", side) for word in words]))
    print(f"{machine()}; {times} runs in turn; {path} beside {ROOT}\n")
    head("table and row", "figure", "beside", "here", "here to beside")
    for line in _figures(found["beside"], found["here"]):
        row(*line)


def _taken(words: list[str], option: str, default: str) -> str:
    """Take an option and its value out of words."""
    if option not in words[:-1]:
        return default
    at = words.index(option)
    value = words[at + 1]
    del words[at : at + 2]
    return value


def _tables(tree: Path, name: str, words: Sequence[str]) -> list[Cells]:
    """The tables that a checkout's benchmark prints."""
    python = tree / ".venv" / "bin" / "python"
    command = [str(python) if python.exists() else sys.executable, "-m", name, *words]
    done = subprocess.run(command, cwd=tree, stdout=subprocess.PIPE, text=True, check=True)
    return read_tables(done.stdout)


def read_tables(text: str) -> list[Cells]:
    """The Markdown tables of a text."""
    found: list[Cells] = []
    before: list[str] = []
    inside = False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if cells and all(set(cell) <= set("-: ") for cell in cells):
            found.append([before])
            inside = True
        elif inside and cells:
            found[-1].append(cells)
        else:
            inside = False
        before = cells
    return found


def _figures(beside: Sequence[list[Cells]], here: Sequence[list[Cells]]) -> Iterator[tuple[str, ...]]:
    """Each figure of the tables: its row and column, the medians of both sides, and that of the ratios."""
    for number, table in enumerate(here[0]):
        for at, cells in enumerate(table[1:], 1):
            columns = [
                [[run[number][at][column] for run in side] for side in (beside, here)]
                for column in range(len(cells))
            ]
            known = [mine[0] for theirs, mine in columns if len({*theirs, *mine}) == 1]
            for column, (theirs, mine) in enumerate(columns):
                if len({*theirs, *mine}) == 1:
                    continue
                name = table[0][column]
                for unit, those, these in _numbers(theirs, mine):
                    ratios = [one / other for other, one in zip(those, these, strict=True) if other]
                    yield (
                        " ".join(filter(None, known)),
                        f"{name}, {unit}" if unit else name,
                        f"{median(those):,g}",
                        f"{median(these):,g}",
                        f"{median(ratios):.2f}" if ratios else "",
                    )


def _numbers(theirs: Sequence[str], mine: Sequence[str]) -> Iterator[tuple[str, list[float], list[float]]]:
    """The numbers in a cell of both sides, run by run, each with the word behind it."""
    found = [[_NUMBER.findall(cell) for cell in side] for side in (theirs, mine)]
    counts = {len(numbers) for side in found for numbers in side}
    if len(counts) != 1:
        return
    units = [part.strip(" ,") for part in _NUMBER.split(mine[0])[1:]]
    for place in range(counts.pop()):
        values = [[float(numbers[place].replace(",", "")) for numbers in side] for side in found]
        yield units[place], values[0], values[1]


# -- random matches: played by the referee, and stored under seeds and entrants of their own ----------------

MATCH_SEED: Final = 20261122
DEFAULTS: Final[Mapping[str, str]] = MappingProxyType({})

Play = tuple[list[tuple[int, str]], Outcome]
"""The actions of a match with their actors, and its outcome."""


def play_randomly(game: AnyGame, spec: MatchSpec, label: str = "report") -> Play:
    """Play a match in which every seat draws its actions."""
    referee = Referee(spec, game)
    draw = stream(spec.seed, label)
    referee.begin()
    while seat := referee.turn:
        referee.take(seat)
        legal = referee.state.legal_actions()
        why = referee.act(game.action_string(legal[draw(len(legal))]))
        if why:
            raise AssertionError(f"{game.name}: a legal action was refused: {why}")
    assert referee.outcome is not None  # noqa: S101 - the match is over
    return list(referee.actions), referee.outcome


def random_entrants(seats: int, first: int = 0) -> tuple[Entrant, ...]:
    """Entrants of a match that is played here."""
    return tuple(Entrant(f"seat-{k}", "random", "1", (), "0" * 64) for k in range(first, first + seats))


def random_plays(
    game: AnyGame, count: int, actions: int | None, options: Mapping[str, str] = DEFAULTS
) -> list[Play]:
    """Random matches of two; ``actions``: only those of this length, to within a tenth."""
    _, chosen = game.settings(2, dict(options))
    seeds = (derive(MATCH_SEED, game.name, number) for number in itertools.count())
    entrants = random_entrants(2)
    specs = (MatchSpec(game.name, tuple(chosen.items()), entrants, seed, DEFAULT_LIMITS) for seed in seeds)
    plays = (play_randomly(game, spec) for spec in specs)
    wanted = (play for play in plays if actions is None or abs(len(play[0]) - actions) <= actions / 10)
    return list(itertools.islice(wanted, count))


def begin(
    repository: Database, game: AnyGame, matches: int, entrants: int, options: Mapping[str, str] = DEFAULTS
) -> Tournament:
    """Store a round-robin tournament of at least these matches."""
    seats, full = game.settings(2, dict(options))
    games = 2 * -(-matches // (entrants * (entrants - 1)))
    plan = Plan("bench", game.name, game.rules, tuple(full.items()), "round-robin", seats, games)
    bots = [
        StoredEntrant(k, Entrant(f"bot-{k + 1:02d}", "random", "1.0", (), f"{k:064x}"))
        for k in range(entrants)
    ]
    made = repository.tournaments.add(
        plan, seed=MATCH_SEED, origin=CHOSEN, run=RunSettings(), entrants=bots, created="2026-11-22T08:00:00Z"
    )
    while pair_next(repository, made.id):
        pass
    return repository.tournaments.by_id(made.id)


def results(
    repository: Database, tournament: Tournament, plays: list[Play], real: int = 0, *, log: bool = True
) -> Iterator[MatchResult]:
    """Yield the pending matches as workers give them, with what machines measure.

    The first ``real`` matches are played; the others repeat the actions of ``plays``, so they do not have the
    dice of their seeds. With ``log`` each bot reports score, depth and nodes with each action.
    """
    game = find_game(tournament.game)
    entrants = repository.tournaments.entrants(tournament.id)
    for number, row in repository.schedules.pending(tournament.id):
        spec = spec_of(tournament, entrants, row)
        actions, outcome = play_randomly(game, spec) if number <= real else plays[number % len(plays)]
        record = make_record(spec, game.rules, actions, outcome)
        said = tuple(
            LogLine(
                *(ply, seat, "info"),
                f"score={(ply * number) % 41 / 10 - 2:.1f} depth={3 + ply % 9} nodes={ply * 977}",
            )
            for ply, (seat, _) in enumerate(actions if log else ())
            if seat
        )
        measured = _measurements(actions, len(spec.seats), number)
        yield MatchResult(number, PlayedMatch(record, said, measured))


def _measurements(actions: list[tuple[int, str]], seats: int, number: int) -> Measurements:
    return Measurements(
        started="2026-11-22T09:00:00Z",
        wall_ms=9 * len(actions),
        host="workbench",
        sandbox=SandboxMeasurements("auto", "bubblewrap", {"network": "enforced"}),
        times_ms=tuple(
            None if seat == 0 else (ply * number) % 97 / 4 for ply, (seat, _) in enumerate(actions)
        ),
        seats=tuple(SeatMeasurements(wall_ms=4, turns=len(actions) // 2) for _ in range(seats)),
        reproducible=True,
    )
