"""Cost of a Dask cluster beside worker processes of this machine, and the limit of one coordinator.

It is one file because the model's figures are those that the other part measures.

    python -m benchmarks.cluster [--matches 60] [--workers 1 2 4] [--ceiling 4000]
    python -m benchmarks.cluster model [--db FILE [--tournament NAME]] [--run]

Bots sleep for a while at their first turn and resign, so that two processors suffice; they are started once
(``reuse``, without a sandbox). The last row of the first table has whole games of a bot that answers at once.
Scheduler and workers are processes on the loopback, each worker with one match slot.

The first table has the time a match takes by ``local`` with one worker, and by a cluster of one, side by
side. The second has matches a second on more workers, and the processor time that a match costs coordinator
and scheduler.

The third has what one coordinator can take, by whole games that hosts have played before: they answer from a
table, so that two processors suffice. "no library" is a host in the coordinator's own process that answers at
once: the coordinator's own ceiling. The others are one Dask worker with 64 slots, each of which sleeps for a
match; 64 slots of 100 ms offer 640 matches a second.

``model`` simulates how well formats fill a cluster. The lengths of matches are those of a stored tournament,
or without ``--db`` of one that is played now. Matches are sent to free slots in schedule order, as by the
coordinator; the real formats pair, with results drawn from strengths. A match that is lost with its host
starts again on another one, and the host stays away for three mean lengths.

Efficiency is the work of all matches divided by slots times the time to the end. "ahead" pairs each round one
round earlier, from the results of the rounds before the last.

With ``--run`` a cluster on this machine plays, first with one worker and then with two. The first run shows
the cost of a match to a slot beside its length: the start of sandboxes and bots, and the cluster. The
simulation says what the second run should have taken, given that cost and the lengths of its matches.
"""

import argparse
import heapq
import json
import math
import multiprocessing
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import ClassVar, Final, NamedTuple

from tourney.addons.cluster import host_service
from tourney.addons.cluster.executor import ClusterExecutor
from tourney.addons.cluster.messages import BatchRequest, BotsAnswer, Question, decode, encode, reply_of
from tourney.addons.cluster.nodes import ClusterLink, ClusterNode
from tourney.check.named_seeds import RandomChannel
from tourney.match.runner import MatchRunner
from tourney.results.until import next_rounds
from tourney.run.engine.tournament_run import run_tournament
from tourney.run.listeners import Listener
from tourney.run.summary import RunProgress
from tourney.run.tournament_file import read_tournament_file
from tourney.run.workers.executor import MatchExecutor, WorkerReply, find_executor
from tourney.schedule.format import Format, History, Participant, Setup, find_format
from tourney.schedule.row import ResultRow, Row
from tourney.seeds import derive, uniform
from tourney.store.database import Database

TICKS: Final = os.sysconf("SC_CLK_TCK")
SLEEPS_MS: Final = (0, 30, 100, 300, 1000)
SCALING_MS: Final = 100
QUICK = 10
"""Times as many matches of less than ``SCALING_MS``."""
BOT: Final = """
name = "sleeper"
version = "1.0"
games = ["sage-stones"]
command = ["python3", "bot.py"]
"""
PROGRAM: Final = """
import sys, time

legal = ""
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "tourney":
        print("bot wants=legal", flush=True)
    elif word == "game":
        print("ready", flush=True)
    elif word == "legal":
        legal = rest.split()[0]
    elif word == "go" and sys.argv[1] == "play":
        print("move", legal, flush=True)
    elif word == "go":
        time.sleep(int(sys.argv[1]) / 1000)
        print("resign", flush=True)
    elif word == "quit":
        break
"""
CUP: Final = """
name = "cup"
game = "sage-stones"
seed = 7
games-per-pairing = {matches}
[[entrant]]
bot = "./sleeper"
name = "a"
args = ["{how}"]
[[entrant]]
bot = "./sleeper"
name = "b"
args = ["{how}"]
[limits]
move-ms = 60000
[run]
reuse = true
sandbox = "off"
"""


CEILING_MS: Final = (100, 1000)
SLOTS: Final = 64
PRELOAD: Final = """
import json, time
from tourney.addons.cluster import host_service
from tourney.addons.cluster.messages import BatchRequest, decode

TABLE = json.load(open({table!r}))

def play(request):
    asked = decode(request, BatchRequest, most=1 << 30).matches
    time.sleep({seconds} * len(asked))
    return b"\\n".join(TABLE[str(one.number)].encode() for one in asked)

host_service.play = play
"""


class AtOnce(ClusterLink):
    """One node in this process, which plays a match once and has its reply at hand from then on."""

    def __init__(self, table: dict[int, bytes], ms: int) -> None:
        self._table = table
        self._ms = ms

    def connect(self) -> None:
        """Do nothing."""

    def nodes(self) -> Mapping[str, ClusterNode]:
        """The node."""
        return {"here": ClusterNode("here", "here", SLOTS)}

    def ask(self, address: str, request: bytes, attachment: bytes = b"") -> bytes:  # noqa: ARG002 - as the seam has it
        """Answer for this machine."""
        asked: Question = decode(request, Question)
        return encode(
            host_service.host_info(asked.game, asked.sandbox) if asked.kind == "about" else BotsAnswer()
        )

    def play(self, address: str, request: bytes) -> "Future[object]":  # noqa: ARG002 - as the seam has it
        """Answer at once."""
        replies = []
        for asked in decode(request, BatchRequest, most=1 << 30).matches:
            if asked.number not in self._table:
                with MatchRunner(lambda _entrant, _limits: RandomChannel()) as room:
                    reply = WorkerReply(asked.number, room.play(asked.spec))
                self._table[asked.number] = reply_of(reply, asked.number, self._ms)
            replies.append(self._table[asked.number])
        future: Future[object] = Future()
        future.set_result(b"\n".join(replies))
        return future

    def close(self) -> None:
        """Do nothing."""


class AtOnceCluster(ClusterExecutor):
    """The executor of that node."""

    table: ClassVar[dict[int, bytes]] = {}

    def connect(self, address: str, workers: int) -> ClusterLink:  # noqa: ARG002 - as the seam has it
        """The link."""
        return AtOnce(self.table, CEILING_MS[0])


class Taken(NamedTuple):
    """The seconds of a match, and the milliseconds of processor time that it costs.

    ``children`` are the coordinator's own processes: workers of ``local``, or those that check replies.
    """

    seconds: float
    coordinator: float
    scheduler: float
    children: float


@contextmanager
def cluster(
    folder: Path, workers: int, slots: int = 1, preload: Path | None = None
) -> Iterator[tuple[str, int]]:
    """Give the URL of a cluster, and the process id of its scheduler."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    pages = ("--host", "127.0.0.1", "--no-dashboard", "--dashboard-address", "127.0.0.1:0")
    words = [["dask_scheduler", *pages, "--port", str(port)]]
    for _ in range(workers):
        worker = ["dask_worker", f"tcp://127.0.0.1:{port}", *pages, "--nthreads", str(slots), "--no-nanny"]
        worker += ["--resources", f"matches={slots}", "--memory-limit", "0"]
        worker += ["--local-directory", str(folder)]
        words.append([*worker, "--preload", str(preload)] if preload else worker)
    env = {**os.environ, "TOURNEY_CACHE": str(folder / "cache")}
    with (folder / "dask.log").open("ab") as log:
        made = [
            subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{module}", *rest], stdout=log, stderr=log, env=env
            )
            for module, *rest in words
        ]
    try:
        yield f"dask://127.0.0.1:{port}", made[0].pid
    finally:
        for process in made:
            process.kill()
            process.wait()


def cpu_ms(pid: int) -> float:
    """The processor time of a process, in milliseconds."""
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / TICKS


def own_ms() -> float:
    """The processor time of this process, its children apart."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return 1000 * (used.ru_utime + used.ru_stime)


class Watch(Listener):
    """Notes when matches were stored, and the processor time until then."""

    def __init__(self, scheduler: int) -> None:
        self._scheduler = scheduler
        self.seen: list[tuple[int, float, float, float, float]] = []

    def progress(self, progress: RunProgress) -> None:
        """Note the matches stored so far."""
        used = cpu_ms(self._scheduler) if self._scheduler else 0.0
        children = sum(cpu_ms(child.pid) for child in multiprocessing.active_children() if child.pid)
        self.seen.append((progress.played, time.monotonic(), own_ms(), used, children))


def run(folder: Path, executor: str, how: str, matches: int, workers: int = 1, scheduler: int = 0) -> Taken:
    """Play matches, and twice as many as there are workers before them, which start workers and bots."""
    remote = executor != "local"
    make = find_executor(executor, recheck=0 if remote else None, allow_mixed=remote)
    return measure(folder, make, how, matches, workers, scheduler)


def measure(
    folder: Path,
    make: Callable[[int], MatchExecutor],
    how: str,
    matches: int,
    workers: int,
    scheduler: int,
) -> Taken:
    """Play matches by an executor as ``run`` does."""
    count = matches + 2 * workers
    file = folder / "cup.toml"
    file.write_text(CUP.format(matches=count + count % 2, how=how), encoding="utf-8")
    watch = Watch(scheduler)
    database = str(folder / f"{time.monotonic_ns()}.db")
    run_tournament(read_tournament_file(file), database, folder / "bots", lambda: make(workers), watch)
    first = next(seen for seen in watch.seen if seen[0] >= 2 * workers)
    last = watch.seen[-1]
    played, *taken = (after - before for after, before in zip(last, first, strict=True))
    return Taken(*(one / played for one in taken))


def ceiling(folder: Path, matches: int) -> None:
    """Print what one coordinator takes."""
    print(
        f"\n{matches} games\n"
        f"{'hosts':>14}{'a second':>10}{'coordinator':>13}{'its checks':>12}{'scheduler':>11}"
    )

    def show(label: str, taken: Taken) -> None:
        own, other = f"{taken.coordinator:.2f} ms", f"{taken.scheduler:.2f} ms"
        checks = f"{taken.children:.2f} ms"
        print(f"{label:>14}{1 / taken.seconds:>10.0f}{own:>13}{checks:>12}{other:>11}", flush=True)

    def near(workers: int) -> MatchExecutor:
        return AtOnceCluster(workers, allow_mixed=True)

    measure(folder, near, "play", matches, SLOTS, 0)  # plays the games
    show("no library", measure(folder, near, "play", matches, SLOTS, 0))
    table = folder / "replies.json"
    table.write_text(
        json.dumps({number: reply.decode() for number, reply in AtOnceCluster.table.items()}), "utf-8"
    )
    for ms in CEILING_MS:
        preload = folder / "sleeping.py"
        preload.write_text(PRELOAD.format(table=str(table), seconds=ms / 1000), encoding="utf-8")
        with cluster(folder, 1, SLOTS, preload) as (url, pid):
            show(f"Dask, {ms} ms", run(folder, url, "play", matches, SLOTS, pid))


# -- how well formats fill a cluster ------------------------------------------------------------------------

MODEL_SLOTS: Final = (10, 30, 100, 300, 1000)
SEED: Final = 7
LIVES: Final = 50.0
AWAY: Final = 3.0
"""Mean lengths of a match that a lost host stays away."""
LENGTHS_CUP: Final = """
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


def play_lengths(folder: Path, name: str, executor: str, workers: int) -> Played:
    """Play the small tournament."""
    file = folder / f"{name}.toml"
    file.write_text(LENGTHS_CUP, encoding="utf-8")
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

    print(f"{'slots':26}{'matches':>8}" + "".join(f"{slots:>7} " for slots in MODEL_SLOTS))
    for case in CASES:
        cells: list[float] = []
        matches = 0
        for slots in MODEL_SLOTS:
            simulation = Simulation(case, slots, length, mean, lives * mean)
            cells.append(simulation.run())
            matches = simulation.matches
        print(f"{case.label:26}{matches:>8}" + "".join(f"{100 * cell:>6.0f} %" for cell in cells))


def predicted(lengths: Sequence[float], slots: int, between: float) -> float:
    """The seconds in which slots play_lengths matches of these lengths, sent in this order.

    ``between``: seconds that each takes its slot beside.
    """
    free = [0.0] * slots
    for seconds in lengths:
        heapq.heappush(free, heapq.heappop(free) + seconds + between)
    return max(free)


def compare(folder: Path) -> None:
    """Print what one worker shows of the cost beside matches, and two workers beside their prediction."""
    one = play_lengths(folder, "one", "dask", 1)
    alone = lengths_of(one.database, None)[one.first :]
    between = max(0.0, one.seconds - sum(alone)) / len(alone)
    two = play_lengths(folder, "two", "dask", 2)
    both = lengths_of(two.database, None)[two.first :]
    guess, bare = predicted(both, 2, between), predicted(both, 2, 0.0)
    means = [1000 * sum(lengths) / len(lengths) for lengths in (alone, both)]
    print(
        f"\nOne worker: {len(alone)} matches of {means[0]:.0f} ms took {one.seconds:.1f} s,"
        f" so {1000 * between:.0f} ms of a slot beside each"
        f"\nTwo workers: {len(both)} matches of {means[1]:.0f} ms: predicted {guess:.1f} s"
        f" ({bare:.1f} s of play_lengths), measured {two.seconds:.1f} s:"
        f" {100 * (two.seconds / guess - 1):+.0f} %"
    )


def model(words: Sequence[str]) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="benchmarks.cluster model", description=__doc__)
    parser.add_argument("--db")
    parser.add_argument("--tournament")
    parser.add_argument("--run", action="store_true")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        database = given.db or play_lengths(folder, "here", "local", 1).database
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


def main(words: Sequence[str]) -> int:
    """Print the tables."""
    if words[:1] == ["model"]:
        return model(words[1:])
    parser = argparse.ArgumentParser(prog="benchmarks.cluster", description=__doc__)
    parser.add_argument("--matches", type=int, default=60)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--ceiling", type=int, default=4000, help="matches of the third table; 0: none")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "sleeper").mkdir()
        (folder / "sleeper" / "bot.toml").write_text(BOT, encoding="utf-8")
        (folder / "sleeper" / "bot.py").write_text(PROGRAM, encoding="utf-8")
        print(f"{given.matches} matches, ms a match\n{'match':>12}{'local':>10}{'dask':>10}{'overhead':>10}")
        with cluster(folder, 1) as (url, _):
            for how in (*map(str, SLEEPS_MS), "play"):
                quick = how == "play" or int(how) < SCALING_MS  # many of these are stored at once
                matches = given.matches * (QUICK if quick else 1)
                here = run(folder, "local", how, matches)
                there = run(folder, url, how, matches)
                one, two = 1000 * here.seconds, 1000 * there.seconds
                label = "a game" if how == "play" else f"{how} ms"
                print(f"{label:>12}{one:>10.1f}{two:>10.1f}{two - one:>10.1f}", flush=True)
        print(
            f"\nmatches of {SCALING_MS} ms\n"
            f"{'workers':>12}{'a second':>10}{'coordinator':>13}{'scheduler':>11}"
        )
        for workers in given.workers:
            with cluster(folder, workers) as (url, pid):
                taken = run(folder, url, str(SCALING_MS), workers * given.matches, workers, pid)
            rate = 1 / taken.seconds
            print(
                f"{workers:>12}{rate:>10.1f}{taken.coordinator:>10.1f} ms{taken.scheduler:>8.1f} ms",
                flush=True,
            )
        if given.ceiling:
            ceiling(folder, given.ceiling)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
