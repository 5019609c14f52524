"""Helpers for tests of comparisons, gates and placements: questions answered by made-up games."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.coordination import RecordingListener
from tests.support.executors import FuturesExecutor, Immediate
from tourney.addons.lab.asking import Answer, BotQuestion, ask
from tourney.run.engine.run_control import Deadline
from tourney.run.workers.executor import MatchExecutor, MatchTask, WorkerReply
from tourney.store.values import RunSettings

Play = Callable[[MatchTask], WorkerReply]


def asking(make: Callable[..., BotQuestion[Any]], **given: Any) -> Callable[..., Answer[Any]]:
    """Return a function that asks a question with these values, or changed ones.

    The database is ``t.db`` of the folder.
    """

    def answer(
        folder: Path,
        play: Play,
        heard: RecordingListener | None = None,
        deadline: Deadline | None = None,
        executor: MatchExecutor | None = None,
        **changes: Any,
    ) -> Answer[Any]:
        values = {"seed": 7, "run": RunSettings(sandbox="off"), **given, **changes}
        return ask(
            make(**values),
            str(folder / "t.db"),
            folder / "bots",
            lambda: executor or FuturesExecutor(Immediate, play, workers=4),
            listener=heard,
            deadline=deadline,
        )

    return answer
