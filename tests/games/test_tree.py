"""Perft: equal to a plain count at any depth."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from tests.support.toys import Odds, Race, Toe
from tourney.games.base import OVER, AnyState, State
from tourney.games.tree import divide, perft


def one_by_one(state: AnyState, depth: int) -> int:
    return 1 if depth == 0 else sum(one_by_one(state.play(a), depth - 1) for a in state.legal_actions())


@pytest.mark.parametrize("depth", range(6))
@pytest.mark.parametrize("game", [Toe(), Race(), Odds()], ids=lambda game: str(game.name))
def test_perft_is_number_of_sequences(game: Toe | Race | Odds, depth: int) -> None:
    """The bulk count and the sum over the first actions agree with the plain definition."""
    state: AnyState = game.new()
    assert perft(state, depth) == one_by_one(state, depth)
    if depth:
        assert sum(count for _, count in divide(game, state, depth)) == perft(state, depth)


def test_noughts_and_crosses_has_known_perft() -> None:
    """Sequences of 4, 5 and 6 actions: 9!/5!, 9!/4!, and 9!/3! less the games that 5 actions ended."""
    assert [perft(Toe().new(), depth) for depth in (4, 5, 6)] == [3024, 15120, 54720]


def test_finished_game_has_empty_sequence_only() -> None:
    """Depth 0 is 1 everywhere; a finished game has no longer sequence."""
    over = Toe().parse_position("XXX/OO./... over", 2, {"misere": "no"})
    assert [perft(over, depth) for depth in (0, 1, 2, 3)] == [1, 0, 0, 0]


@dataclass(frozen=True, slots=True)
class Line(State[int]):
    """A game with one legal action in each state."""

    left: int

    @property
    def seats(self) -> int:
        return 1

    @property
    def actor(self) -> int:
        return 1 if self.left else OVER

    def legal_actions(self) -> Sequence[int]:
        return [0] if self.left else []

    def play(self, action: int) -> "Line":
        return Line(self.left - 1)

    def ranks(self) -> tuple[int, ...] | None:
        return None if self.left else (1,)

    def reason(self) -> str:
        return "" if self.left else "end"

    def position(self) -> str:
        return str(self.left)


def test_perft_works_beyond_recursion_limit() -> None:
    """The depth exceeds Python's recursion limit."""
    assert perft(Line(5000), 5000) == 1
    assert perft(Line(5000), 5001) == 0
