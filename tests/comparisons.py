"""Helpers for tests of comparisons, gates and placements: requests answered by made-up games."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.coordination import RecordingListener
from tests.executors import FuturesExecutor, Immediate
from tourney.compare.request import Answer
from tourney.run.engine.stopping import Deadline
from tourney.run.workers.executor import MatchExecutor, MatchTask, WorkerReply
from tourney.store.values import RunSettings

Play = Callable[[MatchTask], WorkerReply]


def asking(answer: Callable[..., Answer], request: Callable[..., Any], **given: Any) -> Callable[..., Answer]:
    """Return a function that answers a request with these values, or changed ones, by a function of the
    package; the database is ``t.db`` of the folder.
    """

    def ask(
        folder: Path,
        play: Play,
        heard: RecordingListener | None = None,
        deadline: Deadline | None = None,
        executor: MatchExecutor | None = None,
        **changes: Any,
    ) -> Answer:
        values = {"seed": 7, "run": RunSettings(sandbox="off"), **given, **changes}
        return answer(
            request(**values),
            str(folder / "t.db"),
            folder / "bots",
            lambda: executor or FuturesExecutor(Immediate, play, workers=4),
            listener=heard,
            deadline=deadline,
        )

    return ask
