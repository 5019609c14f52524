"""Questions about bots with records of every game: an addition to ``tests/seeds/pool.py``."""

from collections.abc import Iterator

from tests.seeds.pool import Case, case
from tests.support.command import GOLDEN
from tourney.addons.lab.comparison import ComparisonRule
from tourney.addons.lab.gate import GateRule
from tourney.addons.lab.ladder import LadderRule
from tourney.addons.lab.tuning import TuneRule
from tourney.addons.lab.tuning_methods import SearchTerms, default_rate
from tourney.bots.catalogue.manifest import Parameter
from tourney.games.registry import find_game
from tourney.ratings.sequential import SequentialTest


def cases() -> Iterator[Case]:
    """Yield a question of each kind and game."""
    pairs = ComparisonRule(SequentialTest(0.0, 10.0), batch=2, max_pairs=4).extra()
    rungs = LadderRule((0, 10_000), games=2).extra()
    gate = GateRule(batch=2, max_faults=100).extra()
    parameter = Parameter(value=0, low=-9, high=9, step=3)
    tuning = TuneRule(SearchTerms(("x",), (parameter,), 4, 2, 1, default_rate(1)), "spsa").extra()
    for game in map(find_game, GOLDEN):
        yield case(game, "compare", 2, entrants=2, extra=pairs, own=True, book=True)
        yield case(game, "ladder", 1, entrants=3, extra=rungs, plies=2)
        yield case(game, "gate", 2, entrants=3, rounds=2, extra=gate, plies=2)
        yield case(game, "tune", 1, entrants=2, extra=tuning)
