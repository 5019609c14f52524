"""Matches go to worker processes in batches if they are quick."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any, Literal, cast

import pytest

from tests.support.memory import set_memory
from tourney.errors import SandboxError
from tourney.match.match_memory import MAX_KEPT
from tourney.match.spec import Limits, MatchSpec
from tourney.run.workers.executor import MatchTask, Run, WorkerReply
from tourney.run.workers.local import AHEAD_SECONDS, BATCH_SECONDS, MAX_BATCH, LocalExecutor

Batch = tuple[list[MatchTask], "Future[Any]"]


class FakeExecutor:
    """Replaces the inner executor: takes batches, and replies when a test calls ``answer``."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []

    def submit(self, _play: Callable[..., Any], tasks: list[MatchTask]) -> "Future[Any]":
        future: Future[Any] = Future()
        self.batches.append((tasks, future))
        return future

    def shutdown(self, **_how: bool) -> None:
        """Do nothing: there is no process to end."""

    def answer(self, seconds_each: float) -> list[int]:
        """Reply to all batches; return the number of matches of each."""
        batches, self.batches = self.batches, []
        for tasks, future in batches:
            future.set_result(([WorkerReply(task.number) for task in tasks], seconds_each * len(tasks)))
        return [len(tasks) for tasks, _ in batches]


@pytest.fixture
def executor() -> Iterator[LocalExecutor]:
    """A local executor without worker processes."""
    made = LocalExecutor(2)
    made._executor = FakeExecutor()  # type: ignore[assignment]  # it does what the executor needs of one
    yield made
    made.close()


def hand_in(
    executor: LocalExecutor, *, reuse: bool, sandbox: Literal["auto", "off"] = "auto"
) -> list["Future[WorkerReply]"]:
    """Submit as many matches as the executor takes."""
    spec = MatchSpec(game="sage-stones", options=(), seats=(), seed=1)
    futures = [
        executor.submit(MatchTask(number, spec, "bots", sandbox, reuse=reuse))
        for number in range(1, executor.capacity + 1)
    ]
    executor.flush()
    return futures


def fake_of(executor: LocalExecutor) -> FakeExecutor:
    return cast("FakeExecutor", executor._executor)


def test_quick_matches_that_keep_their_bots_travel_together(executor: LocalExecutor) -> None:
    """Up to BATCH_SECONDS travel together, two batches a worker, and each match has its own reply."""
    for each, size in (
        (BATCH_SECONDS / 5, 1),
        (BATCH_SECONDS / 100, 5),
        (BATCH_SECONDS / 100, MAX_BATCH),
        (1.0, MAX_BATCH),
    ):
        futures = hand_in(executor, reuse=True)
        assert len(futures) == 4 * size
        assert fake_of(executor).answer(each) == [size] * 4
        assert [future.result().number for future in futures] == list(range(1, len(futures) + 1))
    assert executor.capacity == 4  # the last were slow


def test_matches_that_start_their_bots_travel_with_the_next(executor: LocalExecutor) -> None:
    """Two travel together, so that a worker knows its next match; those of over AHEAD_SECONDS alone."""
    for each, size in ((AHEAD_SECONDS / 4, 1), (AHEAD_SECONDS / 1.5, 2), (1.0, 1)):
        assert len(hand_in(executor, reuse=False)) == 4 * size
        assert fake_of(executor).answer(each) == [size] * 4


def test_matches_without_a_sandbox_travel_alone(executor: LocalExecutor) -> None:
    """Nothing is made ahead for them, so no result waits for the next match."""
    for _ in range(3):
        assert len(hand_in(executor, reuse=False, sandbox="off")) == 4
        assert fake_of(executor).answer(AHEAD_SECONDS / 100) == [1] * 4


def test_error_of_a_batch_ends_each_of_its_matches(executor: LocalExecutor) -> None:
    futures = hand_in(executor, reuse=True)
    fake_of(executor).answer(BATCH_SECONDS / 1000)
    futures = hand_in(executor, reuse=True)
    [(tasks, first), *_] = fake_of(executor).batches
    first.set_exception(ConnectionError("gone"))
    assert len(tasks) == MAX_BATCH
    assert [isinstance(future.exception(), ConnectionError) for future in futures[:MAX_BATCH]] == [
        True
    ] * MAX_BATCH
    assert not any(future.done() for future in futures[MAX_BATCH:])


def begun(workers: int, *, reuse: bool = False) -> tuple[LocalExecutor, list[str]]:
    """An executor that has begun a run of matches of two bots, and what it said."""
    messages: list[str] = []
    executor = LocalExecutor(workers)
    limits = Limits(move_ms=1, memory_mb=1024)
    executor.begin(Run(1, "sage-stones", limits, "off", "/nowhere", (), messages.append, reuse=reuse))
    executor.close()
    return executor, messages


def test_run_has_as_many_workers_as_fit_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    set_memory(monkeypatch, 8000, available_mb=5000)
    executor, [message] = begun(4)
    assert (executor.workers, executor.capacity) == (2, 4)
    assert message.startswith("memory: 2 matches at a time, not 4: ")
    executor, messages = begun(2)
    assert (executor.workers, messages) == (2, [])


def test_workers_keep_as_many_bots_as_fit_beside_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    set_memory(monkeypatch, 8000)
    assert begun(1, reuse=False)[0]._plan.kept == MAX_KEPT
    assert begun(1, reuse=True)[0]._plan.kept == 5
    assert begun(3, reuse=True)[0]._plan.kept == 0


def test_match_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    set_memory(monkeypatch, 2000)
    with pytest.raises(SandboxError, match="does not fit into memory"):
        begun(1)


def test_outside_referee_needs_no_planned_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing bounds what it starts."""
    set_memory(monkeypatch, 100)
    executor = LocalExecutor(2)
    executor.begin(Run(1, "external", Limits(move_ms=1), "off", "/nowhere", (), lambda _: None))
    executor.close()
    assert executor.workers == 2
