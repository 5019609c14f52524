"""The test vector of the record page on seasons holds for Tourney and for the checker."""

from tests.docs.test_record_page import VECTORS
from tests.seeds.checkers import module
from tourney.addons.league.seasons import season_root


def test_root_of_a_season_holds() -> None:
    case = VECTORS["season"]
    assert season_root(case["entries"]) == case["root"]
    assert module().tree(list(map(module().leaf, case["entries"]))).hex() == case["root"]
