"""How matches are handed to worker processes: in lots, if they are quick and keep their bots."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any, cast

import pytest

from tourney.match.spec import MatchSpec
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.run.workers.local import BATCH_SECONDS, MAX_BATCH, LocalExecutor

Lot = tuple[list[MatchTask], "Future[Any]"]


class Desk:
    """Stands in for the executor: takes lots, and answers when it is told to."""

    def __init__(self) -> None:
        self.lots: list[Lot] = []

    def submit(self, _play: Callable[..., Any], tasks: list[MatchTask]) -> "Future[Any]":
        future: Future[Any] = Future()
        self.lots.append((tasks, future))
        return future

    def shutdown(self, **_how: bool) -> None:
        """There is nobody to end."""

    def answer(self, seconds_each: float) -> list[int]:
        """Answer all lots; return how many matches each had."""
        lots, self.lots = self.lots, []
        for tasks, future in lots:
            future.set_result(([WorkerReply(task.number) for task in tasks], seconds_each * len(tasks)))
        return [len(tasks) for tasks, _ in lots]


@pytest.fixture
def pool() -> Iterator[LocalExecutor]:
    """A pool whose workers are never started."""
    made = LocalExecutor(2)
    made._executor.shutdown()
    made._executor = Desk()  # type: ignore[assignment]  # it does what the pool needs of one
    yield made
    made.close()


def hand_in(pool: LocalExecutor, *, reuse: bool) -> list["Future[WorkerReply]"]:
    """Hand in as many matches as the pool takes."""
    spec = MatchSpec(game="sage-stones", options=(), seats=(), seed=1)
    futures = [
        pool.submit(MatchTask(number, spec, "bots", "off", reuse=reuse))
        for number in range(1, pool.capacity + 1)
    ]
    pool.flush()
    return futures


def desk(pool: LocalExecutor) -> Desk:
    return cast("Desk", pool._executor)


def test_quick_matches_that_keep_their_bots_travel_together(pool: LocalExecutor) -> None:
    """As many as took up to BATCH_SECONDS lately, two lots a worker, and each has its own answer."""
    for each, size in (
        (BATCH_SECONDS / 5, 1),
        (BATCH_SECONDS / 100, 5),
        (BATCH_SECONDS / 100, MAX_BATCH),
        (1.0, MAX_BATCH),
    ):
        futures = hand_in(pool, reuse=True)
        assert len(futures) == 4 * size
        assert desk(pool).answer(each) == [size] * 4
        assert [future.result().number for future in futures] == list(range(1, len(futures) + 1))
    assert pool.capacity == 4  # the last were slow


def test_matches_that_start_their_bots_travel_alone(pool: LocalExecutor) -> None:
    """However quick they are: none waits for another's end."""
    for _ in range(3):
        assert len(hand_in(pool, reuse=False)) == 4
        assert desk(pool).answer(BATCH_SECONDS / 1000) == [1, 1, 1, 1]


def test_error_of_a_batch_ends_each_of_its_matches(pool: LocalExecutor) -> None:
    futures = hand_in(pool, reuse=True)
    desk(pool).answer(BATCH_SECONDS / 1000)
    futures = hand_in(pool, reuse=True)
    [(tasks, first), *_] = desk(pool).lots
    first.set_exception(ConnectionError("gone"))
    assert len(tasks) == MAX_BATCH
    assert [isinstance(future.exception(), ConnectionError) for future in futures[:MAX_BATCH]] == [
        True
    ] * MAX_BATCH
    assert not any(future.done() for future in futures[MAX_BATCH:])
