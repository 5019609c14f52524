"""Pools for tests of runs: players in this very process, who answer in an order that a test chooses."""

import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from typing import Any

from tourney.run.workers.executor import FuturesExecutor, MatchTask, WorkerReply


class Immediate(Executor):
    """Plays a task when it is handed in."""

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - as every executor does
            future.set_exception(error)
        return future


class BackwardsExecutor(FuturesExecutor):
    """Holds back what is handed in, and answers it last first once it is told that no more comes now.

    So it never holds what nobody will ask for again, however many matches there are.
    """

    def __init__(self, play: Callable[[MatchTask], WorkerReply], workers: int = 2) -> None:
        super().__init__(Immediate, play, workers)
        self._held: list[tuple[MatchTask, Future[WorkerReply]]] = []
        self.most = 0

    def submit(self, task: MatchTask) -> "Future[WorkerReply]":
        """Hold it back. ``most`` is how many were held at a time, at most."""
        future: Future[WorkerReply] = Future()
        future.set_running_or_notify_cancel()
        self._held.append((task, future))
        self.most = max(self.most, len(self._held))
        return future

    def flush(self) -> None:
        """Answer all, last first."""
        while self._held:
            task, future = self._held.pop()
            future.set_result(super().submit(task).result())


class ShuffledExecutor(BackwardsExecutor):
    """Answers one or more of what it holds each time; ``draw``, over and over, says how many and which."""

    def __init__(self, play: Callable[[MatchTask], WorkerReply], workers: int, draw: Sequence[int]) -> None:
        super().__init__(play, workers)
        self._draw = itertools.cycle(draw)

    def flush(self) -> None:
        """Answer some."""
        held, self._held = self._held, []
        for _ in range(1 + next(self._draw) % max(1, len(held))):
            if held:
                self._held = [held.pop(next(self._draw) % len(held))]
                super().flush()
        self._held = held
