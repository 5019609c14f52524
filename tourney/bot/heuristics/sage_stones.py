"""Heuristics of Sage Stones: few stones in the hand of a seat's best colour, many in those of the others."""

from collections.abc import Hashable, Sequence

from tourney.bot.heuristics.base import Heuristics
from tourney.games.sage_stones.game import StonesState

STONE = 180
"""A stone less in the hand of the best colour."""
SECOND = 40
"""A stone less in the hand of the seat's other colour (two seats have two colours each)."""


class StonesHeuristics(Heuristics[StonesState]):
    """Values the race to place the last stone."""

    informed = True

    def advantages(self, state: StonesState) -> Sequence[int]:
        """Return for each seat how far it is ahead of the best other seat."""
        seats = state.table.seats
        hands = state.hands
        # A finished colour (minus its rank) is far ahead of all others.
        left = [hand if hand >= 0 else 4 * hand - 20 for hand in hands]
        if seats == 2:
            needs = []
            for seat in range(2):
                one, two = left[seat], left[seat + 2]
                if one > two:
                    one, two = two, one
                needs.append(STONE * one + SECOND * two)
            ahead = needs[1] - needs[0]
            return (ahead, -ahead)
        return [
            STONE * (min(left[k] for k in range(seats) if k != seat) - left[seat]) for seat in range(seats)
        ]

    def key(self, state: StonesState) -> Hashable:
        """Return board, hands and phase; the number of rolls is left out."""
        return state.board, state.hands, state.colour, state.column, state.again
