"""A tournament on a virtual clock, beside a hostile world: everything follows from one number.

    python -m tests.support.simulation [--first 0] [--seeds 10000]

The coordinator, the recorder, the spool and a real SQLite database play a tournament of made-up matches
with an executor that delays, repeats and reorders results, loses workers, fails matches, lies and is
caught or not. The database refuses writes for a while, signals come, and the coordinator dies: in between,
before a write and after one. It is started again until the tournament has ended, with the liar's matches
withdrawn. Then all that lasts (plan, schedule, records, void matches, root) and the standings must be
those of a straight run.

No thread and no real clock takes part, so a seed that fails is a report that reproduces: ``python -m
tests.support.simulation --first SEED --seeds 1``. Prints the seeds that fail, and how often each thing
happened.
"""

import argparse
import random
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from queue import Empty
from typing import Any, Final
from unittest.mock import patch

from msgspec import structs

from tests.support.tournaments import begin, played
from tourney.check.schedule import StoredSchedule, check_schedule
from tourney.errors import StoreUnavailable, WorkerError
from tourney.exchange.lines import export_lines
from tourney.match.result import PlayedMatch
from tourney.match.spec import MatchSpec
from tourney.results.standings import compute_standings
from tourney.run.engine.coordinator import Coordinator
from tourney.run.engine.recorder import replay_spool
from tourney.run.engine.run_control import RunControl
from tourney.run.engine.spool import Spool
from tourney.run.engine.withdrawal import check_benches, check_hosts, find_withdrawal, withdraw
from tourney.run.summary import End
from tourney.run.workers.executor import MatchExecutor, MatchTask, WorkerReply
from tourney.store.database import Database
from tourney.store.matches import Matches
from tourney.store.schedules import Schedules
from tourney.store.tournaments import Tournaments

NOWHERE: Final = Path("/nowhere")
LIVES: Final = 400  # starts after which a tournament counts as endless
STEPS: Final = 20_000  # and replies
FAILURES: Final = 2  # of a match in one life: with a third it is void, as it should be
PLANS: Final[tuple[tuple[int, dict[str, Any]], ...]] = (
    (4, {"games": 4}),
    (6, {"format_": "swiss", "rounds": 4}),
    (5, {"format_": "knockout", "extra": (("third-place", 1),)}),
    (5, {"format_": "adaptive", "extra": (("batch", 2), ("budget", 24))}),
    (4, {"format_": "gauntlet", "games": 4, "extra": (("challengers", "a"),)}),
    (4, {"games": 12, "extra": (("until-width", 400),)}),
)
MISFORTUNES: Final = (
    *("break", "fail", "die", "lie", "catch", "signal", "refuse", "die before", "die after"),
    "twice",  # a reply comes a second time, at once or later
)
Outcome = tuple[bytes, str]


class DiedError(BaseException):
    """The coordinator was killed."""


def true_match(spec: MatchSpec, broken: str) -> PlayedMatch:
    """Play as every honest host does; the entrant ``broken`` often fails at start-up."""
    seats = [number for number, seat in enumerate(spec.seats, start=1) if seat.name == broken]
    if seats and spec.seed % 4:
        ranks = tuple(2 if number in seats else 1 for number in range(1, len(spec.seats) + 1))
        return played(spec, ranks, ((seats[0], "startup", 0),))
    return played(spec)


def forged_match(spec: MatchSpec) -> PlayedMatch:
    """Let the entrant with the first name win."""
    names = sorted(seat.name for seat in spec.seats)
    return played(spec, tuple(1 + names.index(seat.name) for seat in spec.seats))


class World:
    """What happens, by one number: a clock, and how likely each misfortune is."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - a world, no secret
        self.now = 0.0
        self.steps = 0
        self.happened: Counter[str] = Counter()
        self.calm = False
        self.likely = {kind: self.random.choice((0.0, 0.0, 0.02, 0.1)) for kind in MISFORTUNES}

    def happens(self, kind: str) -> bool:
        """Whether a misfortune comes now."""
        found = not self.calm and self.random.random() < self.likely[kind]
        self.happened[kind] += found
        return found

    def clock(self) -> float:
        """The time, in seconds."""
        return self.now


class VirtualQueue:
    """The coordinator's events: waiting for one moves the clock."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._events: list[Any] = []

    def put(self, event: Any) -> None:
        """Add an event, or a reply twice."""
        self._events.append(event)
        if isinstance(event, Future) and self._world.happens("twice"):
            self._events.insert(self._world.random.randint(0, len(self._events)), event)

    def get(self, timeout: float = 0.0) -> Any:
        """Take the first event, or let the time pass."""
        if not self._events:
            self._world.now += timeout
            raise Empty
        return self._events.pop(0)

    get_nowait = get


class HostileExecutor(MatchExecutor):
    """Plays when ``flush`` is called: the match whose reply is due first, and all that are due by then."""

    def __init__(self, world: World, broken: str, refused: Mapping[str, str]) -> None:
        super().__init__(world.random.randint(1, 6))
        self._world, self._broken, self._refused = world, broken, refused
        self._held: list[tuple[float, float, MatchTask, Future[WorkerReply]]] = []
        self._failed: Counter[int] = Counter()
        self._caught: dict[str, str] = {}
        self._draining = False
        self.lied = False

    def submit(self, task: MatchTask) -> "Future[WorkerReply]":
        """Hold a match until its reply is due."""
        world, future = self._world, Future[WorkerReply]()
        due = world.now + world.random.expovariate(1 / world.random.choice((0.1, 1, 30)))
        self._held.append((due, world.random.random(), task, future))
        return future

    def flush(self) -> None:
        """Let what is due happen; a reply at least, where a match is held."""
        world = self._world
        world.steps += 1
        if world.steps > STEPS:
            raise AssertionError("the run does not end")
        if world.happens("die"):
            raise DiedError
        self._held = [item for item in self._held if not item[3].cancelled()]
        if not self._held:
            return
        if self._may_fail() and world.happens("break"):
            self._failed.update(item[2].number for item in self._held)
            broken, self._held = self._held, []
            for _, _, _, future in broken:
                future.set_exception(BrokenProcessPool("a worker was lost"))
            return
        if self.lied and world.happens("catch"):
            self._caught["liar"] = "it lies"
        self._held.sort(key=lambda item: item[:2])
        world.now = max(world.now, self._held[0][0])
        while self._held and self._held[0][0] <= world.now:
            _, _, task, future = self._held.pop(0)
            if future.set_running_or_notify_cancel():
                future.set_result(self._reply(task))

    def _may_fail(self) -> bool:
        return all(self._failed[item[2].number] < FAILURES for item in self._held)

    def _reply(self, task: MatchTask) -> WorkerReply:
        world = self._world
        if self._draining:
            return WorkerReply(task.number)
        if self._failed[task.number] < FAILURES and world.happens("fail"):
            self._failed[task.number] += 1
            return WorkerReply(
                task.number, failure="the sandbox failed", cause=world.random.choice(("machine", "overload"))
            )
        lies = "liar" not in {*self._refused, *self._caught} and world.happens("lie")
        self.lied |= lies
        match = forged_match(task.spec) if lies else true_match(task.spec, self._broken)
        measured = structs.replace(match.measured, host="unix/liar" if lies else "unix/good")
        return WorkerReply(task.number, PlayedMatch(match.record, match.log, measured))

    def caught(self) -> Mapping[str, str]:
        """The liar, once it is caught."""
        return dict(self._caught)

    def restart(self) -> None:
        """Forget what was submitted."""
        self._held.clear()

    def drain(self) -> None:
        """Answer the other matches as not started."""
        self._draining = True

    def close(self) -> None:
        """There is nothing to end."""

    def stop(self) -> None:
        """There is nothing to end."""


@contextmanager
def hostile_store(world: World) -> Iterator[None]:
    """Let writes of the coordinator be refused, or be its last."""

    def mortal(write: Callable[..., Any]) -> Callable[..., Any]:
        def reached(*args: Any, **named: Any) -> Any:
            if world.happens("refuse"):
                raise StoreUnavailable("the database t.db failed: database or disk is full")
            if world.happens("die before"):
                raise DiedError
            found = write(*args, **named)
            if world.happens("die after"):
                raise DiedError
            return found

        return reached

    with (
        patch.object(Matches, "add", mortal(Matches.add)),
        patch.object(Schedules, "add", mortal(Schedules.add)),
        patch.object(Tournaments, "keep_root", mortal(Tournaments.keep_root)),
    ):
        yield


def outcome(database: Database) -> Outcome:
    """All that lasts of the tournament, and its standings. Raises AssertionError if it contradicts itself."""
    cup = database.tournaments.get()
    findings = check_schedule(StoredSchedule.of(database, cup)).findings
    assert findings == (), findings
    numbers = [number for number, _, _ in database.matches.digests(cup.id)]
    assert len(numbers) == len(set(numbers)), "a match is stored twice"
    lasting = b"".join(export_lines(database, cup, measured=False, private=True))
    return lasting, str(compute_standings(database, cup.id))


def _one_life(database: Database, path: Path, world: World, broken: str, control: RunControl) -> End | None:
    """Run until the end, or until the liar's results must be withdrawn."""
    cup = database.tournaments.get()
    liar = {one.host: one.why for one in database.hosts.refused(cup.id)}
    executor = HostileExecutor(world, broken, liar)
    try:
        check_hosts(database, cup)
        replay_spool(database, cup, path.with_suffix(".spool"), lambda _: None)
        coordinator = Coordinator(database, cup.id, executor, NOWHERE, control)
        setattr(coordinator, "_events", VirtualQueue(world))  # noqa: B010 - a queue of another type
        if world.happens("signal"):
            coordinator._events.put(signal.SIGTERM)
        return coordinator.run().end
    except WorkerError:
        withdraw(database, cup, find_withdrawal(database, cup, "liar"))
        world.happened["withdraw"] += 1
        return None


def _benches_hold(database: Database, world: World) -> bool:
    """Whether no bench must be decided again; otherwise withdraw again, as the run says."""
    cup = database.tournaments.get()
    try:
        check_benches(database, cup)
    except WorkerError:
        world.happened["benches decided again"] += 1
        withdraw(database, cup, find_withdrawal(database, cup, "liar"))
        return False
    return True


def simulate(seed: int, folder: Path) -> tuple[Counter[str], Outcome, Outcome]:
    """Play a tournament in a hostile world; what happened, what it came to, and what it should."""
    world = World(seed)
    entrants, plan = PLANS[seed % len(PLANS)]
    broken = world.random.choice(("", "", "b"))
    path = folder / "t.db"
    Database.open(str(path), create=True).close()
    with Database.open(str(path), write=True) as database:
        begin(database, entrants, **plan)
    lied = False
    for life in range(LIVES):
        world.calm = life > LIVES // 2  # even the worst luck ends
        with Database.open(str(path), write=True) as database, hostile_store(world):
            cup = database.tournaments.get()
            spool = Spool(path.with_suffix(".spool"), cup)
            control = RunControl(retry_seconds=3600.0, spool=spool, clock=world.clock)
            try:
                end = _one_life(database, path, world, broken, control)
            except DiedError:
                world.happened["lives"] += 1
                continue
            except StoreUnavailable:
                continue
            if end is not End.FINISHED:
                continue
            lied = any("liar" in host for _, host in database.hosts.of_matches(cup.id))
            if not lied and _benches_hold(database, world):
                break
            if lied:
                world.calm = True
                withdraw(database, cup, find_withdrawal(database, cup, "liar"))
                world.happened["withdraw at the end"] += 1
    else:
        raise AssertionError("the tournament does not end")
    with Database.open(str(path)) as database:
        return world.happened, outcome(database), straight(seed % len(PLANS), broken)


@cache
def straight(number: int, broken: str) -> Outcome:
    """What a plan comes to where nothing happens."""
    entrants, plan = PLANS[number]
    folder = Path(tempfile.mkdtemp(prefix="tourney-straight-"))
    try:
        with Database.open(str(folder / "t.db"), create=True) as database:
            begin(database, entrants, **plan)
            world = World(0)
            world.calm = True
            control = RunControl(clock=world.clock)
            while _one_life(database, folder / "t.db", world, broken, control) is not End.FINISHED:
                pass
            return outcome(database)
    finally:
        shutil.rmtree(folder)


def try_seed(seed: int) -> tuple[Counter[str], str]:
    """What happened under a seed, and what is wrong, or ""."""
    folder = Path(
        tempfile.mkdtemp(prefix="tourney-simulation-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
    )
    try:
        happened, found, wanted = simulate(seed, folder)
    except Exception as error:  # noqa: BLE001 - all of them are findings
        return Counter(), f"seed {seed}: {type(error).__name__}: {error!s:.300}"
    finally:
        shutil.rmtree(folder)
    if found != wanted:
        which = "what lasts" if found[0] != wanted[0] else "the standings"
        return happened, f"seed {seed}: {which} differs from a straight run, after {dict(happened)}"
    return happened, ""


def main(words: list[str] | None = None) -> int:
    """Try seeds; print the wrong ones and what happened in all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=10_000)
    given = parser.parse_args(words)
    total, wrong = Counter[str](), 0
    for seed in range(given.first, given.first + given.seeds):
        happened, why = try_seed(seed)
        total += happened
        wrong += bool(why)
        if why:
            sys.stdout.write(f"{why}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{given.seeds} seeds, {wrong} wrong; {dict(total)}\n")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
