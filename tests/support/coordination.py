"""Helpers for tests of the coordinator: a run in this process, and a listener that records it."""

import time
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path

from tests.support.executors import FuturesExecutor, Immediate
from tests.support.tournaments import answer
from tourney.run.engine.coordinator import Coordinator
from tourney.run.engine.run_control import Deadline, RunControl
from tourney.run.listeners import Listener
from tourney.run.summary import RunProgress, Summary
from tourney.run.workers.executor import MatchExecutor, MatchTask, WorkerReply
from tourney.store.database import Database

Play = Callable[[MatchTask], WorkerReply]


class RecordingListener(Listener):
    """Records messages and progress."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.reports: list[RunProgress] = []

    def say(self, text: str) -> None:
        self.messages.append(text)

    def progress(self, progress: RunProgress) -> None:
        self.reports.append(progress)


def run(
    repository: Database,
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
    control = RunControl(listener or Listener(), deadline or Deadline(), clock=clock or time.monotonic)
    return Coordinator(repository, repository.tournaments.get().id, executor, Path("/nowhere"), control).run()
