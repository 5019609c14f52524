"""Scores as chances to win."""

import pytest

from tourney.match.win_chance import win_chance


@pytest.mark.parametrize(
    ("info", "pawns", "chance"),
    [
        ("win=0.62 score=-3", True, 620),
        ("win=1.5", False, None),
        ("score=997 mate=3 depth=9", True, 1000),
        ("score=-999 mate=-1", True, 0),
        ("score=0.00", True, 500),
        ("score=4.00", True, 909),
        ("score=-4.00 depth=3", True, 91),
        ("score=5000", True, 1000),
        ("depth=3 score=0.50 pv=a,b", False, 750),
        ("score=-1.00", False, 0),
        ("score=1.01", False, None),
        ("scores=0.5 underscore=1 nodes=5", False, None),
        ("score=abc", False, None),
    ],
)
def test_chance_follows_unit_of_score(info: str, pawns: bool, chance: int | None) -> None:
    assert win_chance(info, pawns=pawns) == chance
