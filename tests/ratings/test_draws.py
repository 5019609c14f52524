"""The estimate of the draw probability."""

from unittest.mock import patch

from tests.command import offering
from tests.toys import Race
from tourney.ratings.draws import default, estimate
from tourney.schedule.row import MatchKey, ResultRow


def result(k: int, *ranks: int, fault: str | None = None, void: bool = False) -> ResultRow:
    return ResultRow(MatchKey(k, 1, 1, 1), tuple(range(len(ranks))), ranks, (fault,) * len(ranks), void)


def test_two_seats_give_the_share_of_draws() -> None:
    results = [result(k, 1, 1 if k % 4 == 0 else 2) for k in range(1, 101)]
    assert estimate(results) == round(26 / 102, 4)


def test_neighbours_are_counted_at_larger_tables() -> None:
    assert estimate([result(1, 1, 2, 2, 2), result(2, 2, 1, 3, 3)]) == round((2 + 1 + 1) / (6 + 2), 4)


def test_it_is_never_0_or_1() -> None:
    assert estimate([]) == 0.5
    assert estimate(result(k, 1, 2) for k in range(1, 50_000)) == 0.0001
    assert estimate(result(k, 1, 1) for k in range(1, 50_000)) == 0.9999


def test_void_matches_do_not_count() -> None:
    won = [result(1, 1, 2), result(2, 1, 2)]
    assert estimate([*won, result(3, 1, 1, void=True)]) == estimate(won)
    assert estimate([*won, result(3, 1, 1, fault="crash")], forfeits="void") == estimate(won)


def test_plugin_with_a_single_winner_gets_the_ties_of_its_rules() -> None:
    with offering(race="tests.toys:Race"):
        assert [default("race", seats) for seats in (2, 3)] == [0.1, 0.1]
        with patch.object(Race, "has_single_winner", return_value=True):
            assert [default("race", seats) for seats in (2, 3)] == [0.1, 0.5]


def test_single_winner_games_have_the_ties_of_their_rules() -> None:
    assert [default("sage-stones", seats) for seats in (2, 3, 4)] == [0.1, 0.5, 0.6667]
    assert default("sage-stones", 4, {"play-on": "yes"}) == 0.1
    assert default("someone-elses", 4) == 0.1
    results = [result(k, 1, 2, 2, 2) for k in range(1, 2001)]
    assert abs(estimate(results) - default("sage-stones", 4)) < 0.001
