"""The estimate of the draw probability."""

from unittest.mock import patch

from tests.support.command import offering
from tests.support.toys import Race
from tourney.ratings.trueskill import default_draw_probability, estimate_draw_probability
from tourney.schedule.row import MatchKey, ResultRow


def result(k: int, *ranks: int, fault: str | None = None, void: bool = False) -> ResultRow:
    return ResultRow(MatchKey(k, 1, 1, 1), tuple(range(len(ranks))), ranks, (fault,) * len(ranks), void)


def test_two_seats_give_the_share_of_draws() -> None:
    results = [result(k, 1, 1 if k % 4 == 0 else 2) for k in range(1, 101)]
    assert estimate_draw_probability(results) == round(26 / 102, 4)


def test_large_tables_count_neighbours() -> None:
    assert estimate_draw_probability([result(1, 1, 2, 2, 2), result(2, 2, 1, 3, 3)]) == round(
        (2 + 1 + 1) / (6 + 2), 4
    )


def test_estimate_is_never_0_or_1() -> None:
    assert estimate_draw_probability([]) == 0.5
    assert estimate_draw_probability(result(k, 1, 2) for k in range(1, 50_000)) == 0.0001
    assert estimate_draw_probability(result(k, 1, 1) for k in range(1, 50_000)) == 0.9999


def test_void_matches_do_not_count() -> None:
    won = [result(1, 1, 2), result(2, 1, 2)]
    assert estimate_draw_probability([*won, result(3, 1, 1, void=True)]) == estimate_draw_probability(won)
    assert estimate_draw_probability(
        [*won, result(3, 1, 1, fault="crash")], forfeits="void"
    ) == estimate_draw_probability(won)


def test_single_winner_plugin_gets_the_ties_of_its_rules() -> None:
    with offering(race="tests.support.toys:Race"):
        assert [default_draw_probability("race", seats) for seats in (2, 3)] == [0.1, 0.1]
        with patch.object(Race, "has_single_winner", return_value=True):
            assert [default_draw_probability("race", seats) for seats in (2, 3)] == [0.1, 0.5]


def test_single_winner_games_have_the_ties_of_their_rules() -> None:
    assert [default_draw_probability("sage-stones", seats) for seats in (2, 3, 4)] == [0.1, 0.5, 0.6667]
    assert default_draw_probability("sage-stones", 4, {"play-on": "yes"}) == 0.1
    assert default_draw_probability("someone-elses", 4) == 0.1
    results = [result(k, 1, 2, 2, 2) for k in range(1, 2001)]
    assert abs(estimate_draw_probability(results) - default_draw_probability("sage-stones", 4)) < 0.001
