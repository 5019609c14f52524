"""A question goes on with no less containment than it began with."""

from pathlib import Path
from typing import Any

import pytest

from tests.addons.lab.comparisons import asking
from tests.support.boxes import WEAK, WHOLE
from tests.support.tournaments import answer, refused
from tourney.addons.lab.asking import BotQuestion
from tourney.addons.lab.comparison import ComparisonRule
from tourney.addons.lab.results import ComparisonResult
from tourney.errors import SandboxError
from tourney.ratings.sequential import SequentialTest
from tourney.run.engine import readiness
from tourney.run.file_schema import EntrantLine
from tourney.run.workers.executor import MatchTask, WorkerReply


def question(a: EntrantLine, b: EntrantLine, **more: Any) -> BotQuestion[ComparisonResult]:
    return BotQuestion(bots=(a, b), **more)


ask = asking(
    question,
    a=EntrantLine("greedy"),
    b=EntrantLine("random"),
    game="sages-tafl",
    rule=ComparisonRule(SequentialTest(0, 100), batch=4),
)


def test_question_stops_as_a_run_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def play(task: MatchTask) -> WorkerReply:
        return answer(task) if task.number < 3 else WorkerReply(task.number)

    monkeypatch.setattr(readiness, "open_sandbox", lambda *_: WHOLE)
    ask(tmp_path, play)
    monkeypatch.setattr(readiness, "open_sandbox", lambda *_: WEAK)
    with refused(SandboxError, "began with", "pass --allow-weaker"):
        ask(tmp_path, play)
