"""A bot's page: its luckiest matches."""

from tourney.match.evidence import Evidence
from tourney.report.compact_matches import FinishedMatch
from tourney.report.pages.bot import by_luck
from tourney.report.pages.pair import PairGame
from tourney.schedule.row import MatchKey
from tourney.store.values import Result


def game(number: int, luck: int) -> PairGame:
    """A match of three seats in which the first had this luck."""
    evidence = Evidence("", "", (luck, -luck, 0), 1)
    result = Result("", (1, 2, 2), "goal", (None,) * 3, "", 9, reproducible=True, evidence=evidence)
    return PairGame(FinishedMatch(1, number, MatchKey(1, number, 1, 1), (0, 1, 2), result), 0, 2, "", "")


def test_match_of_several_opponents_is_listed_once_by_luck() -> None:
    games = [game(1, 5), game(2, -5), game(3, 1)]
    assert by_luck({1: games, 2: games}) == [(2, [1, 2]), (3, [1, 2]), (1, [1, 2])]
