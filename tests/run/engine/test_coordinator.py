"""The coordinator: what it submits, failures of the machine, and signals."""

import os
import signal
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest
from msgspec import structs

from tests.support.coordination import RecordingListener, run
from tests.support.executors import BackwardsExecutor, FuturesExecutor, Immediate
from tests.support.folders import write_bot
from tests.support.gates import FIRST
from tests.support.tournaments import answer, begin, digests, refused
from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.errors import BotError, WorkerError
from tourney.match.runner import MatchRunner, StoreLauncher, entrant_of
from tourney.match.spec import Limits
from tourney.results.standings import compute_standings
from tourney.run.engine.coordinator import Coordinator
from tourney.run.engine.run_control import RunControl
from tourney.run.summary import End
from tourney.run.workers.executor import MatchExecutor, MatchTask, WorkerReply
from tourney.store.database import Database


def test_rows_are_submitted_once_in_schedule_order(repository: Database) -> None:
    tournament = begin(repository, 5)
    seen: list[MatchTask] = []

    def play(task: MatchTask) -> WorkerReply:
        seen.append(task)
        return answer(task)

    heard = RecordingListener()
    summary = run(repository, play, listener=heard)
    assert [task.number for task in seen] == list(range(1, 21))
    assert {task.bots for task in seen} == {"/nowhere"}
    assert summary.end is End.FINISHED
    assert (summary.progress.rows, summary.progress.done, summary.progress.played) == (20, 20, 20)
    assert [progress.done for progress in heard.reports] == sorted(
        progress.done for progress in heard.reports
    )
    assert heard.reports[-1].done == 20
    assert len(digests(repository, tournament.id)) == 20


@pytest.mark.parametrize("seats", [2, 3])
def test_completion_order_and_workers_change_nothing(tmp_path: Path, seats: int) -> None:
    backwards = BackwardsExecutor(answer)
    threads = FuturesExecutor(lambda: ThreadPoolExecutor(4), answer, 4)
    seen = []
    for k, executor in enumerate((FuturesExecutor(Immediate, answer), backwards, threads)):
        with Database.open(str(tmp_path / f"{k}.db"), create=True) as repository:
            tournament = begin(repository, 4, seats=seats, games=6)
            run(repository, executor=executor)
            seen.append((digests(repository, tournament.id), compute_standings(repository, tournament.id)))
    assert backwards.most == 4
    assert len(seen[0][0]) == {2: 36, 3: 24}[seats]
    assert seen[0] == seen[1] == seen[2]


def test_run_continues_with_rows_without_result(repository: Database) -> None:
    tournament = begin(repository, 4)
    counts: Counter[int] = Counter()

    def dies_at_seven(task: MatchTask) -> WorkerReply:
        counts[task.number] += 1
        if task.number == 7 and counts[7] == 1:
            raise BotError("the bot was removed from the store")
        return answer(task)

    with refused(BotError, "the bot was removed"):
        run(repository, dies_at_seven)
    assert sorted(digests(repository, tournament.id)) == [1, 2, 3, 4, 5, 6, 8]  # 8 was out already
    assert run(repository, dies_at_seven).end is End.FINISHED
    assert sorted(digests(repository, tournament.id)) == list(range(1, 13))
    assert counts == Counter({number: 1 + (number == 7) for number in range(1, 13)})
    assert run(repository, lambda _task: pytest.fail("nothing is left to play")).progress.played == 0


def test_match_is_replayed_after_machine_failure(
    repository: Database,
) -> None:
    tournament = begin(repository, 3)
    failures = Counter({2: 2, 5: 1})

    def play(task: MatchTask) -> WorkerReply:
        if failures[task.number]:
            failures[task.number] -= 1
            return WorkerReply(task.number, failure="the sandbox does not start")
        return answer(task)

    heard = RecordingListener()
    assert run(repository, play, listener=heard).progress.void == 0
    assert len(digests(repository, tournament.id)) == 6
    assert heard.messages == []


def test_match_is_void_after_third_failure(repository: Database) -> None:
    tournament = begin(repository, 3)
    tries: Counter[int] = Counter()

    def play(task: MatchTask) -> WorkerReply:
        tries[task.number] += 1
        if task.number == 4:
            raise OSError("no room for a process")
        return answer(task)

    heard = RecordingListener()
    summary = run(repository, play, listener=heard)
    assert (summary.end, summary.progress.done, summary.progress.void) == (End.FINISHED, 6, 1)
    assert tries == Counter({1: 1, 2: 1, 3: 1, 4: 3, 5: 1, 6: 1})
    result = repository.matches.get(tournament.id, 4).result
    assert result is not None
    assert result.void
    assert result.note == "the machine failed 3 times: OSError: no room for a process"
    assert heard.messages == [f"match 4 ({named(repository, 4)}) is void: {result.note}"]


def named(repository: Database, number: int) -> str:
    tournament = repository.tournaments.get().id
    names = [entrant.name for entrant in repository.tournaments.entrants(tournament)]
    return " v ".join(names[seat] for seat in repository.matches.get(tournament, number).seats)


@pytest.mark.parametrize("count", [2, 9])
def test_run_stops_without_void_when_nothing_can_be_played(repository: Database, count: int) -> None:
    tournament = begin(repository, count)
    with refused(WorkerError, "no bubblewrap", "run again"):
        run(repository, lambda task: WorkerReply(task.number, failure="no bubblewrap"))
    assert repository.schedules.progress(tournament.id).done == 0


class Fragile(MatchExecutor):
    """An executor in which the matches of some numbers kill the worker, and with it all in play."""

    def __init__(self, killers: set[int]) -> None:
        super().__init__(2)
        self.killers = killers
        self.out: list[tuple[MatchTask, Future[WorkerReply]]] = []
        self.broken = False
        self.replaced = 0
        self.tries: Counter[int] = Counter()

    def submit(self, task: MatchTask) -> "Future[WorkerReply]":
        if self.broken:
            raise BrokenProcessPool("broken")
        self.tries[task.number] += 1
        future: Future[WorkerReply] = Future()
        future.set_running_or_notify_cancel()
        self.out.append((task, future))
        if task.number in self.killers:
            self.broken = True
            for _, lost in self.out:
                if not lost.done():
                    lost.set_exception(BrokenProcessPool("a worker died"))
        elif len(self.out) >= 3 or not self.killers:
            oldest, future_of_oldest = next((t, f) for t, f in self.out if not f.done())
            future_of_oldest.set_result(answer(oldest))
        return future

    def restart(self) -> None:
        self.broken = False
        self.replaced += 1
        self.out.clear()

    def settle(self) -> None:
        for task, future in self.out:
            if not future.done():
                future.set_result(answer(task))

    def drain(self) -> None:
        self.settle()

    def close(self) -> None:
        self.settle()

    def stop(self) -> None:
        self.settle()


class Settling(Fragile):
    """As fragile, but replies at once to a match that is alone and kills no worker."""

    def submit(self, task: MatchTask) -> "Future[WorkerReply]":
        future = super().submit(task)
        if not self.broken and (self.replaced or len(self.out) == self.workers * 2):
            self.settle()
        return future


def test_dying_worker_costs_only_the_match_that_kills_it(repository: Database) -> None:
    tournament = begin(repository, 4)
    executor = Settling({3})
    heard = RecordingListener()
    summary = Coordinator(repository, tournament.id, executor, Path("/nowhere"), RunControl(heard)).run()
    assert summary.end is End.FINISHED
    assert (summary.progress.done, summary.progress.void) == (12, 1)
    assert executor.replaced == 3
    assert executor.tries[3] == 3
    assert max(count for number, count in executor.tries.items() if number != 3) <= 2
    voids = [
        m.number for m in repository.matches.all(tournament.id) if m.result is not None and m.result.void
    ]
    assert voids == [3]
    assert heard.messages == [
        f"match 3 ({named(repository, 3)}) is void: the machine failed 3 times: a worker process died"
    ]


@pytest.fixture
def handlers() -> Iterator[None]:
    """The signals' handlers must be as before when a run is over."""
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    yield
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_first_signal_finishes_matches_in_progress(repository: Database, number: signal.Signals) -> None:
    tournament = begin(repository, 4)

    def play(task: MatchTask) -> WorkerReply:
        if task.number == 5:
            os.kill(os.getpid(), number)
        return answer(task)

    heard = RecordingListener()
    summary = run(repository, play, listener=heard)
    assert (summary.end, summary.signal) == (End.DRAINED, number)
    done = sorted(digests(repository, tournament.id))
    assert done == list(range(1, len(done) + 1))
    assert 5 <= len(done) < 12
    assert heard.messages[0].startswith("stopping: finishing the matches in progress")
    assert run(repository).progress.done == 12


@pytest.mark.usefixtures("handlers")
def test_second_signal_stops_at_once_and_stores_results(repository: Database) -> None:
    tournament = begin(repository, 4)

    def play(task: MatchTask) -> WorkerReply:
        if task.number == 3:
            os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGINT)
        return answer(task)

    summary = run(repository, play)
    assert summary.end is End.STOPPED
    done = sorted(digests(repository, tournament.id))
    assert done == list(range(1, len(done) + 1))
    assert len(done) < 12
    assert run(repository).progress.done == 12


def test_bot_removed_during_a_run_stops_it_and_voids_nothing(tmp_path: Path) -> None:
    """The run's database is another one than `bots remove` looks at, so that the removal is not refused."""
    store, sandbox = BotStore(tmp_path / "store"), open_sandbox("off")
    bot = store.add(write_bot(tmp_path, files={"bot.sh": FIRST}, command='["sh", "bot.sh"]'))
    database = Database.open(str(tmp_path / "cup.db"), create=True)
    tournament = begin(database, 3)
    runner = MatchRunner(StoreLauncher(store, sandbox), sandbox=sandbox)

    def play(task: MatchTask) -> WorkerReply:
        if task.number == 3:
            store.remove(bot.digest)
        seats = tuple(entrant_of(bot, seat.name) for seat in task.spec.seats)
        match = runner.play(structs.replace(task.spec, seats=seats, limits=Limits(startup_ms=60_000)))
        assert match.outcome.faults == ()
        return answer(task)

    with runner, database, refused(BotError, "has no bot", f"`tourney bots remove --undo {bot.digest[:12]}`"):
        run(database, play)
    with Database.open(str(tmp_path / "cup.db")) as database:
        progress = database.schedules.progress(tournament.id)
        assert (progress.done, progress.void) == (2, 0)
