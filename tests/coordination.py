"""What tests of the coordinator share: a run in this very process, and somebody who listens."""

from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from tests.pools import Immediate
from tests.tournaments import answer
from tourney.run.engine.coordinator import Coordinator
from tourney.run.engine.deadline import Deadline
from tourney.run.monitoring.progress import Listener, Progress
from tourney.run.monitoring.summary import Summary
from tourney.run.workers.pool import ExecutorPool, Pool
from tourney.run.workers.task import MatchTask, WorkerReply
from tourney.store.repository import Repository

Play = Callable[[MatchTask], WorkerReply]


class Ears(Listener):
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.ticks: list[Progress] = []

    def say(self, text: str) -> None:
        self.said.append(text)

    def tick(self, tick: Progress) -> None:
        self.ticks.append(tick)


def run(
    repository: Repository,
    play: Play = answer,
    *,
    make: Callable[[], Executor] = Immediate,
    workers: int = 1,
    listener: Listener | None = None,
    timetable: Deadline | None = None,
    clock: Callable[[], float] | None = None,
    pool: Pool | None = None,
) -> Summary:
    pool = pool or ExecutorPool(make, play, workers)
    more: dict[str, Any] = {} if clock is None else {"clock": clock}
    coordinator = Coordinator(
        repository,
        repository.tournament().id,
        pool,
        Path("/nowhere"),
        listener=listener,
        timetable=timetable,
        **more,
    )
    return coordinator.run()
