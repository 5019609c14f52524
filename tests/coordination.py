"""Helpers for tests of the coordinator: a run in this process, and a listener that records it."""

from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from tests.executors import FuturesExecutor, Immediate
from tests.tournaments import answer
from tourney.run.engine.coordinator import Coordinator
from tourney.run.engine.stopping import Deadline
from tourney.run.monitoring.progress import Listener, Progress
from tourney.run.monitoring.summary import Summary
from tourney.run.workers.executor import MatchExecutor, MatchTask, WorkerReply
from tourney.store.repository import Repository

Play = Callable[[MatchTask], WorkerReply]


class RecordingListener(Listener):
    """Records messages and progress."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.reports: list[Progress] = []

    def say(self, text: str) -> None:
        self.messages.append(text)

    def progress(self, progress: Progress) -> None:
        self.reports.append(progress)


def run(
    repository: Repository,
    play: Play = answer,
    *,
    make: Callable[[], Executor] = Immediate,
    workers: int = 1,
    listener: Listener | None = None,
    deadline: Deadline | None = None,
    clock: Callable[[], float] | None = None,
    executor: MatchExecutor | None = None,
) -> Summary:
    executor = executor or FuturesExecutor(make, play, workers)
    more: dict[str, Any] = {} if clock is None else {"clock": clock}
    coordinator = Coordinator(
        repository,
        repository.tournament().id,
        executor,
        Path("/nowhere"),
        listener=listener,
        deadline=deadline,
        **more,
    )
    return coordinator.run()
