"""Executors for tests of runs: they play in this process and reply in the test's order."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from typing import Any, ClassVar, Protocol, TypeVar

from tests.support.tournaments import answer
from tourney.run.workers.executor import MatchExecutor, MatchTask, WorkerReply


class Question(Protocol):
    """The result of a question about a bot."""

    @property
    def ended(self) -> bool:
        """Whether no further match is played."""


Q = TypeVar("Q", bound=Question)
Play = Callable[[MatchTask], WorkerReply]


def in_parts(ask: Callable[[Play], Q], play: Play, most: int) -> Iterator[Q]:
    """Yield the results of a question that is stopped after ``most`` matches, and asked again to its end."""
    for _ in range(100):
        numbers = itertools.count()

        def some(task: MatchTask, numbers: Iterator[int] = numbers) -> WorkerReply:
            return play(task) if next(numbers) < most else WorkerReply(task.number)

        result = ask(some)
        yield result
        if result.ended:
            return
    raise AssertionError("the question does not end")


class Immediate(Executor):
    """Runs a function when it is submitted."""

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - as every executor does
            future.set_exception(error)
        return future


class FuturesExecutor(MatchExecutor):
    """Plays by a function in an executor of ``concurrent.futures``, as tests do in this process.

    ``play`` answers a task. ``make`` makes the inner executor at the start and at each restart.
    """

    def __init__(
        self, make: Callable[[], Executor], play: Callable[[MatchTask], WorkerReply], workers: int = 1
    ) -> None:
        super().__init__(workers)
        self._make = make
        self._play = play
        self._draining = False
        self._executor = make()

    def submit(self, task: MatchTask) -> "Future[WorkerReply]":
        """Submit a match."""
        return self._executor.submit(self._answer, task)

    def restart(self) -> None:
        """Make a new inner executor."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._executor = self._make()

    def drain(self) -> None:
        """Start no further match."""
        self._draining = True

    def close(self) -> None:
        """Wait for the matches being played."""
        self._executor.shutdown(wait=True)

    def stop(self) -> None:
        """Wait for the matches being played: there is no process to end."""
        self._draining = True
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _answer(self, task: MatchTask) -> WorkerReply:
        return WorkerReply(task.number) if self._draining else self._play(task)


class BackwardsExecutor(FuturesExecutor):
    """Holds the submitted matches, and plays them at ``flush``, the last first."""

    def __init__(self, play: Callable[[MatchTask], WorkerReply], workers: int = 2) -> None:
        super().__init__(Immediate, play, workers)
        self._held: list[tuple[MatchTask, Future[WorkerReply]]] = []
        self.most = 0

    def submit(self, task: MatchTask) -> "Future[WorkerReply]":
        """Hold a match; ``most`` is the largest number held at a time."""
        future: Future[WorkerReply] = Future()
        future.set_running_or_notify_cancel()
        self._held.append((task, future))
        self.most = max(self.most, len(self._held))
        return future

    def flush(self) -> None:
        """Play all, the last first."""
        while self._held:
            task, future = self._held.pop()
            future.set_result(super().submit(task).result())


class ShuffledExecutor(BackwardsExecutor):
    """Plays some of the held matches at each ``flush``; ``choices`` (repeated) give number and order."""

    def __init__(
        self, play: Callable[[MatchTask], WorkerReply], workers: int, choices: Sequence[int]
    ) -> None:
        super().__init__(play, workers)
        self._choices = itertools.cycle(choices)

    def flush(self) -> None:
        """Play some."""
        held, self._held = self._held, []
        for _ in range(1 + next(self._choices) % max(1, len(held))):
            if held:
                self._held = [held.pop(next(self._choices) % len(held))]
                super().flush()
        self._held = held


class InlineExecutor(FuturesExecutor):
    """A plugin's executor: it makes up the matches in this process."""

    name: ClassVar[str] = "inline"
    made: ClassVar[list[tuple[int, int]]] = []
    """The arguments ``(workers, cpus)`` of each executor made."""

    def __init__(self, workers: int, *, cpus: int = 1) -> None:
        super().__init__(Immediate, answer, workers)
        self.made.append((workers, cpus))
