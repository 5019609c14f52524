"""How well formats fill a cluster: schedules simulated over measured lengths of matches.

    python -m benchmarks.cluster_model [--db FILE [--tournament NAME]] [--run]

The lengths of matches are those of a stored tournament, or without ``--db`` of one that is played now.
Matches are sent to free slots in schedule order, as by the coordinator; the real formats pair, with results
drawn from strengths. A match that is lost with its host starts again on another one, and the host stays away
for three mean lengths.

Efficiency is the work of all matches divided by slots times the time to the end. "ahead" pairs each round
one round earlier, from the results of the rounds before the last.

With ``--run`` a cluster on this machine plays, first with one worker and then with two. The first run shows
the cost of a match to a slot beside its length: the start of sandboxes and bots, and the cluster. The
simulation says what the second run should have taken, given that cost and the lengths of its matches.
"""

import argparse
import heapq
import math
import sys
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final

from benchmarks.cluster import Watch
from tourney.results.until import next_rounds
from tourney.run.engine.tournament_run import run_tournament
from tourney.run.tournament_file import read_tournament_file
from tourney.run.workers.executor import find_executor
from tourney.schedule.format import Format, History, Participant, Setup, find_format
from tourney.schedule.row import ResultRow, Row
from tourney.seeds import derive, uniform
from tourney.store.database import Database

SLOTS: Final = (10, 30, 100, 300, 1000)
SEED: Final = 7
LIVES: Final = 50.0
AWAY: Final = 3.0
"""Mean lengths of a match that a lost host stays away."""
CUP: Final = """
name = "lengths"
game = "sage-stones"
seed = 7
bots = ["random", "greedy", "pebble", "mason"]
games-per-pairing = 8
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A tournament to simulate; ``ahead`` is added to the rounds that its format looks back."""

    label: str
    format: str
    entrants: int
    rounds: int | None = None
    extra: tuple[tuple[str, int | str], ...] = ()
    ahead: int = 0


CASES: Final = (
    Case("round-robin of 40", "round-robin", 40),
    Case("Swiss of 200, 9 rounds", "swiss", 200, 9),
    Case("the same, ahead", "swiss", 200, 9, ahead=1),
    Case("adaptive of 40", "adaptive", 40, extra=(("batch", 100), ("budget", 1560))),
    Case("the same, ahead", "adaptive", 40, extra=(("batch", 100), ("budget", 1560)), ahead=1),
)


def strength_result(row: Row) -> ResultRow:
    """A result of a row, drawn from strengths 20 Elo apart."""
    luck = [
        -20 * entrant + uniform(derive(SEED, "luck", row.round, row.table, row.repeat, entrant), 800)
        for entrant in row.seats
    ]
    ranks = tuple(1 + sum(other > mine for other in luck) for mine in luck)
    return row.result(ranks)


class Simulation:
    """A tournament on some slots.

    ``length`` gives a row's seconds, ``mean`` is their mean. A host lives ``life`` seconds in the mean; 0:
    for ever.
    """

    def __init__(
        self, case: Case, slots: int, length: Callable[[Row], float], mean: float, life: float
    ) -> None:
        self._format: Format = find_format(case.format)
        participants = tuple(Participant(number, f"a{number}") for number in range(case.entrants))
        self._setup = Setup(participants, 2, SEED, 1, case.rounds, case.extra)
        self._back = self._format.lag + case.ahead
        self._length = length
        self._life = life
        self._away = AWAY * mean
        self._history = History()
        self._waiting: deque[Row] = deque()
        self._open: Counter[int] = Counter()
        self._losses: Counter[Row] = Counter()
        self._complete = False
        self._slots = slots
        self.matches = 0

    def run(self) -> float:
        """The efficiency."""
        free = [(0.0, slot) for slot in range(self._slots)]
        playing: list[tuple[float, int, int, Row, bool]] = []
        numbers = count()
        now = work = 0.0
        while True:
            self._pair()
            while self._waiting and free and free[0][0] <= now:
                slot = heapq.heappop(free)[1]
                row = self._waiting.popleft()
                length, life = self._length(row), self._life_of(row)
                lost = life < length
                heapq.heappush(playing, (now + min(length, life), next(numbers), slot, row, lost))
            times = [playing[0][0]] if playing else []
            times += [free[0][0]] if self._waiting and free else []
            if not times:
                return work / (self._slots * now)
            now = min(times)
            while playing and playing[0][0] <= now:
                _, _, slot, row, lost = heapq.heappop(playing)
                heapq.heappush(free, (now + self._away * lost, slot))
                if lost:
                    self._losses[row] += 1
                    self._waiting.appendleft(row)
                    continue
                work += self._length(row)
                self.matches += 1
                self._open[row.round] -= 1

    def _life_of(self, row: Row) -> float:
        """The seconds that the host of a match has left: of an exponential distribution."""
        if not self._life:
            return math.inf
        key = (row.round, row.table, row.repeat, row.order, self._losses[row])
        return -self._life * math.log((1 + uniform(derive(SEED, "life", *key), 1_000_000)) / 1_000_001)

    def _pair(self) -> None:
        """Pair what can be, from the rounds that the format may see."""
        while not self._complete:
            seen = self._history.rounds - self._back
            if any(left and round_ <= seen for round_, left in self._open.items()):
                return
            known = tuple(one for one in self._history.results if one.key.round <= seen)
            drawn = next_rounds(self._format, self._setup, History(self._history.rows, known))
            self._complete = drawn.complete
            if not drawn.rows:
                return
            results = tuple(strength_result(row) for row in drawn.rows)
            self._history = History((*self._history.rows, *drawn.rows), (*self._history.results, *results))
            for row in drawn.rows:
                self._open[row.round] += 1
            self._waiting.extend(drawn.rows)


def lengths_of(database: str, tournament: str | None) -> list[float]:
    """The seconds of a stored tournament's matches, in schedule order."""
    with Database.open(database) as repository:
        id_ = repository.tournaments.get(tournament).id
        found = [
            (repository.records.measured(id_, match.number).wall_ms or 0) / 1000
            for match in repository.matches.all(id_, finished=True)
            if match.result is not None and match.result.digest
        ]
    return [max(0.001, seconds) for seconds in found]


@dataclass(frozen=True, slots=True)
class Played:
    """A tournament that was played: its database, and the seconds from its first results to the last.

    ``first``: how many came first.
    """

    database: str
    first: int
    seconds: float


def play(folder: Path, name: str, executor: str, workers: int) -> Played:
    """Play the small tournament."""
    file = folder / f"{name}.toml"
    file.write_text(CUP, encoding="utf-8")
    database = str(folder / f"{name}.db")
    make = find_executor(executor, recheck=0 if executor == "dask" else None)
    watch = Watch(0)
    run_tournament(read_tournament_file(file), database, folder / "bots", lambda: make(workers), watch)
    seen = [one for one in watch.seen if one[0]]
    return Played(database, seen[0][0], seen[-1][1] - seen[0][1])


def table(lengths: Sequence[float], lives: float) -> None:
    """Print the efficiency of each case on each number of slots; hosts live ``lives`` mean lengths."""
    mean = sum(lengths) / len(lengths)

    def length(row: Row) -> float:
        key = (row.round, row.table, row.repeat, row.order)
        return lengths[uniform(derive(SEED, "length", *key), len(lengths))]

    print(f"{'slots':26}{'matches':>8}" + "".join(f"{slots:>7} " for slots in SLOTS))
    for case in CASES:
        cells: list[float] = []
        matches = 0
        for slots in SLOTS:
            simulation = Simulation(case, slots, length, mean, lives * mean)
            cells.append(simulation.run())
            matches = simulation.matches
        print(f"{case.label:26}{matches:>8}" + "".join(f"{100 * cell:>6.0f} %" for cell in cells))


def predicted(lengths: Sequence[float], slots: int, between: float) -> float:
    """The seconds in which slots play matches of these lengths, sent in this order.

    ``between``: seconds that each takes its slot beside.
    """
    free = [0.0] * slots
    for seconds in lengths:
        heapq.heappush(free, heapq.heappop(free) + seconds + between)
    return max(free)


def compare(folder: Path) -> None:
    """Print what one worker shows of the cost beside matches, and two workers beside their prediction."""
    one = play(folder, "one", "dask", 1)
    alone = lengths_of(one.database, None)[one.first :]
    between = max(0.0, one.seconds - sum(alone)) / len(alone)
    two = play(folder, "two", "dask", 2)
    both = lengths_of(two.database, None)[two.first :]
    guess, bare = predicted(both, 2, between), predicted(both, 2, 0.0)
    means = [1000 * sum(lengths) / len(lengths) for lengths in (alone, both)]
    print(
        f"\nOne worker: {len(alone)} matches of {means[0]:.0f} ms took {one.seconds:.1f} s,"
        f" so {1000 * between:.0f} ms of a slot beside each"
        f"\nTwo workers: {len(both)} matches of {means[1]:.0f} ms: predicted {guess:.1f} s"
        f" ({bare:.1f} s of play), measured {two.seconds:.1f} s:"
        f" {100 * (two.seconds / guess - 1):+.0f} %"
    )


def main(words: Sequence[str]) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="benchmarks.cluster_model", description=__doc__)
    parser.add_argument("--db")
    parser.add_argument("--tournament")
    parser.add_argument("--run", action="store_true")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        database = given.db or play(folder, "here", "local", 1).database
        lengths = lengths_of(database, given.tournament)
        ordered = sorted(lengths)
        mean = sum(lengths) / len(lengths)
        print(
            f"{len(lengths)} measured matches: mean {mean:.2f} s, median {ordered[len(ordered) // 2]:.2f},"
            f" longest {ordered[-1]:.2f}"
        )
        print("\nEfficiency, no host is lost:")
        table(lengths, 0.0)
        print(f"\nEfficiency, a host lives {LIVES:.0f} mean lengths of a match:")
        table(lengths, LIVES)
        if given.run:
            compare(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
