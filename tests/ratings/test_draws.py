"""The estimate of the draw probability."""

from tourney.ratings.draws import estimate
from tourney.ratings.values import Result


def result(k: int, *ranks: int, fault: str | None = None, void: bool = False) -> Result:
    return Result((k, 1, 1, 1), tuple(range(len(ranks))), ranks, (fault,) * len(ranks), void)


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
