"""Scores as chances to win."""

import pytest

from tourney.bots.win_chance import of_pawns, win_chance


@pytest.mark.parametrize(
    ("info", "chance"),
    [
        ("win=0.62 score=-3", 620),
        ("win=1.5", None),
        ("score=997 mate=3 depth=9", 1000),
        ("score=-999 mate=-1", 0),
        ("depth=3 score=0.50 pv=a,b", 750),
        ("score=-1.00", 0),
        ("score=1.01", None),
        ("scores=0.5 underscore=1 nodes=5", None),
        ("score=abc", None),
    ],
)
def test_chance_by_the_first_key_that_has_one(info: str, chance: int | None) -> None:
    assert win_chance(info) == chance


@pytest.mark.parametrize(("pawns", "chance"), [(0, 500), (4, 909), (-4, 91), (5000, 1000), (-5000, 0)])
def test_pawns_are_hundred_elo_each(pawns: float, chance: int) -> None:
    assert of_pawns(pawns) == chance
