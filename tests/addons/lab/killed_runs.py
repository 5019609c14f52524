"""Questions about bots that are killed again and again: ``tests.support.kills`` runs them."""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from tests.support.kills import Make, Run
from tourney.addons.lab.asking import Answer, BotQuestion, ask
from tourney.addons.lab.comparison import ComparisonRule
from tourney.addons.lab.gate import GateRule
from tourney.addons.lab.ladder import LadderRule, ladder_limits
from tourney.addons.lab.tuning import TuneRule
from tourney.addons.lab.tuning_methods import SearchTerms
from tourney.bots.catalogue.manifest import Parameter
from tourney.ratings.sequential import SequentialTest
from tourney.run.file_schema import EntrantLine
from tourney.store.values import RunSettings


def run_question(question: BotQuestion[Any]) -> Run:
    """A run of a question of ``compare``, ``gate``, ``tune`` or ``ladder``."""

    def run(folder: Path, make: Make) -> Answer[Any]:
        return ask(question, str(folder / "t.db"), folder / "bots", make)

    return run


_COMMON: Final[Mapping[str, Any]] = {"game": "sage-stones", "seed": 7, "run": RunSettings(sandbox="off")}
_BEST: Final = Parameter(value=0, low=-100, high=100, step=40)
_GREEDY, _RANDOM, _PEBBLE = (EntrantLine(name) for name in ("greedy", "random", "pebble"))
KINDS: Final[Mapping[str, Run]] = {
    "compare": run_question(
        BotQuestion(ComparisonRule(SequentialTest(0, 100), batch=4), (_GREEDY, _PEBBLE), **_COMMON)
    ),
    "gate": run_question(BotQuestion(GateRule(0, 120, batch=4), (_GREEDY, _RANDOM, _PEBBLE), **_COMMON)),
    "tune": run_question(
        BotQuestion(
            TuneRule(SearchTerms(("best",), (_BEST,), 40, 4, 7, Decimal("0.05")), "spsa"),
            (EntrantLine("tinker"), EntrantLine("tinker")),
            **_COMMON,
        )
    ),
    "ladder": run_question(
        BotQuestion(
            LadderRule(width=80), (_PEBBLE,), seats=None, limits=ladder_limits(), max_faults=8, **_COMMON
        )
    ),
}
