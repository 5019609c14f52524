"""Heuristics of Element: the freedom of each sage, and whether the stones at hand can take it away.

A stone can be placed on any empty square. So a sage with at most as many ways out as its hunter has stones is
in danger, and with the four stones of a coming turn at most four are too few.
"""

from collections.abc import Hashable, Sequence
from itertools import islice

from tourney.bot.heuristics.base import Heuristics
from tourney.games.element.board import (
    DRAW_0,
    ELEMENTS,
    MOST_DRAWN,
    PLACES,
    SIZE,
    jumps,
    named_square,
    placed_letter,
    steps,
)
from tourney.games.element.game import ElementState
from tourney.games.element.position import ACT, CHANCE, DRAW
from tourney.games.element.worth import DANGER, FEW, FREEDOM, MOST_JUMPS, NEAR

_MOST = len(FREEDOM) - 1


def _near(limit: int) -> tuple[frozenset[int], ...]:
    return tuple(
        frozenset(
            other
            for other, (column, row) in enumerate(PLACES)
            if max(abs(column - PLACES[square][0]), abs(row - PLACES[square][1])) <= limit
        )
        for square in range(SIZE * SIZE)
    )


_NEAR = {limit: _near(limit) for limit in (1, 2)}


class ElementHeuristics(Heuristics[ElementState]):
    """Values the freedom of sages; considers placements near the prey, and one elsewhere for each stone."""

    informed = True

    def advantages(self, state: ElementState) -> Sequence[int]:
        """Return each seat's own freedom less that of its prey, and danger."""
        at = state.fields
        board, sages = at.board, at.sages
        ways = [
            len(steps(board, sage)) + sum(1 for _ in islice(jumps(board, sage), MOST_JUMPS)) for sage in sages
        ]
        worth = [FREEDOM[min(count, _MOST)] for count in ways]
        seats = len(sages)
        hunter = at.seat - 1
        stones = MOST_DRAWN if at.phase == DRAW else at.drawn if at.phase == CHANCE else len(at.hand)
        prey = (hunter + 1) % seats
        total = [worth[k] - worth[(k + 1) % seats] for k in range(seats)]
        if ways[prey] <= stones:
            total[hunter] += DANGER
            total[prey] -= DANGER
        return total

    def key(self, state: ElementState) -> Hashable:
        """Return the whole position."""
        return state.fields

    def candidates(self, state: ElementState) -> Sequence[int]:
        """List all but the placements far from the prey, of which one for each stone is kept."""
        legal = state.legal_actions()
        at = state.fields
        if at.phase != ACT or len(legal) < FEW:
            return legal
        prey = at.sages[at.seat % len(at.sages)]
        near = {letter: _NEAR[limit][prey] for letter, limit in zip(ELEMENTS, NEAR, strict=True)}
        column, row = PLACES[prey]
        found: list[int] = []
        farthest: dict[str, tuple[int, int]] = {}
        for action in legal:
            if action >= DRAW_0:
                found.append(action)
                continue
            letter, square = placed_letter(action), named_square(action)
            if square in near[letter]:
                found.append(action)
            else:
                away = abs(PLACES[square][0] - column) + abs(PLACES[square][1] - row)
                if letter not in farthest or away > farthest[letter][0]:
                    farthest[letter] = away, action
        kept = {*found, *(action for _, action in farthest.values())}
        return [action for action in legal if action in kept]
