"""Runs with a deadline start no match that would end late."""

from collections.abc import Callable
from concurrent.futures import Future

import pytest

from tests.support.coordination import RecordingListener, run
from tests.support.executors import FuturesExecutor, Immediate
from tests.support.tournaments import answer, begin, digests, played
from tourney.match.result import Measurements, PlayedMatch
from tourney.run.engine.run_control import Deadline
from tourney.run.summary import End
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.store.database import Database


class OneByOne(FuturesExecutor):
    """Plays one match at each ``flush``, as a worker does; none after its time or a drain."""

    def __init__(self, seconds: Callable[[int], float], workers: int = 2) -> None:
        super().__init__(Immediate, answer, workers)
        self.now = 0.0
        self.begun: list[float] = []
        self._seconds = seconds
        self._held: list[tuple[MatchTask, Future[WorkerReply]]] = []

    def clock(self) -> float:
        return self.now

    def submit(self, task: MatchTask) -> "Future[WorkerReply]":
        future: Future[WorkerReply] = Future()
        future.set_running_or_notify_cancel()
        self._held.append((task, future))
        return future

    def flush(self) -> None:
        if self._held:
            task, future = self._held.pop(0)
            if self._draining or (task.start_by is not None and self.now > task.start_by):
                future.set_result(WorkerReply(task.number))
                return
            self.begun.append(self.now)
            self.now += self._seconds(task.number)
            made = played(task.spec)
            measured = Measurements(wall_ms=int(1000 * self._seconds(task.number)))
            future.set_result(WorkerReply(task.number, PlayedMatch(made.record, made.log, measured)))


@pytest.mark.parametrize(
    ("seconds", "until", "begun"),
    [
        # All are equally long: the fifth would end at 50.
        (lambda _number: 10.0, 45.0, [0.0, 10.0, 20.0, 30.0]),
        # The third is long: the later ones, though submitted, do not start after it.
        (lambda number: 30.0 if number == 3 else 1.0, 45.0, [0.0, 1.0, 2.0]),
        # All end just in time.
        (lambda _number: 10.0, 120.5, [10.0 * k for k in range(12)]),
    ],
)
def test_no_match_starts_that_would_end_late(
    repository: Database, seconds: Callable[[int], float], until: float, begun: list[float]
) -> None:
    tournament = begin(repository, 4)
    executor = OneByOne(seconds)
    heard = RecordingListener()
    summary = run(
        repository, executor=executor, listener=heard, deadline=Deadline(until), clock=executor.clock
    )
    assert executor.begun == begun
    assert executor.now <= until
    assert sorted(digests(repository, tournament.id)) == list(range(1, 1 + len(begun)))
    finished = len(begun) == 12
    assert summary.end is (End.FINISHED if finished else End.TIME)
    assert heard.messages == ([] if finished else ["time is up: no further match starts"])
    assert run(repository).progress.done == 12


def test_match_in_progress_is_finished_after_the_deadline(repository: Database) -> None:
    tournament = begin(repository, 4)
    executor = OneByOne(lambda number: 100.0 if number == 3 else 1.0)
    summary = run(repository, executor=executor, deadline=Deadline(45.0), clock=executor.clock)
    assert (summary.end, executor.now) == (End.TIME, 102.0)
    assert sorted(digests(repository, tournament.id)) == [1, 2, 3]


def test_match_that_waits_past_the_deadline_does_not_start(repository: Database) -> None:
    """The worker replies as in a drain; the run ends, and the next one plays the match."""
    begin(repository, 4)
    seen: list[float | None] = []

    def play(task: MatchTask) -> WorkerReply:
        seen.append(task.start_by)
        return WorkerReply(task.number) if task.number == 3 else answer(task)

    deadline = Deadline(end=100.0)
    summary = run(repository, play, deadline=deadline, clock=lambda: 0.0)
    assert summary.end is End.TIME
    assert seen[0] == 100.0
    assert run(repository).progress.done == 12
