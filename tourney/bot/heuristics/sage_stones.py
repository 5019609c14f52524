"""Heuristics of Sage Stones: the chance of each seat to place the first last stone.

Stones in hand alone say little, because few stones are safe: what counts is how many the other colours may
capture with their next stones. ``tourney.games.sage_stones.worth`` has the tables.
"""

from collections.abc import Hashable, Sequence

from tourney.bot.heuristics.base import LIMIT, Heuristics, Values
from tourney.games.base import OVER
from tourney.games.sage_stones.board import EMPTY, HEIGHT, RAYS, STEP, WIDTH
from tourney.games.sage_stones.game import StonesState
from tourney.games.sage_stones.worth import COLUMN_WEIGHTS, EXPOSED, IN_HAND, IN_TURN, SAFETY

_ZERO = ord("0")
_MOST = LIMIT - 1


def _best_captures(board: bytes, column: int, counts: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return for each colour that may move the captured colours of its best capture in a column.

    ``counts`` has for each colour what a captured stone of each colour counts. A stone on an empty square
    captures along a ray what lies before the first stone of its own colour.
    """
    most = [0] * len(counts)
    best: list[list[int]] = [[] for _ in counts]
    for square in range(STEP * column, STEP * column + HEIGHT):
        if board[square] != EMPTY:
            continue
        taken: dict[int, list[int]] = {}
        for ray in RAYS[square]:
            run: list[int] = []
            for place in ray:
                stone = board[place]
                if stone == EMPTY:
                    break
                colour = stone - _ZERO - 1
                if run and colour not in run:
                    taken.setdefault(colour, []).extend(run)
                run.append(colour)
        for colour, stones in taken.items():
            total = sum(counts[colour][stone] for stone in stones)
            if total > most[colour]:
                most[colour] = total
                best[colour] = stones
    return best


def exposures(state: StonesState) -> list[int]:
    """Return for each colour its stones lost to all colours' best captures, by the weights of the columns.

    A colour captures most stones of other seats less its own seat's; colours that are done count nothing.
    """
    hands, seats = state.hands, state.table.seats
    counts = [
        [
            0 if hands[stone] < 0 or hands[colour] < 0 else -1 if (stone - colour) % seats == 0 else 1
            for stone in range(len(hands))
        ]
        for colour in range(len(hands))
    ]
    found = [0] * len(hands)
    for column in range(WIDTH):
        for stones in _best_captures(state.board, column, counts):
            for stone in stones:
                found[stone] += COLUMN_WEIGHTS[column]
    return found


class StonesHeuristics(Heuristics[StonesState]):
    """Values the chance to win, or with play-on to be the next that is done."""

    informed = True

    def strengths(self, state: StonesState) -> list[int]:
        """Return each colour's strength; 0 for a colour that is done."""
        hands = state.hands
        turn = IN_TURN[len(hands)]
        first = state.colour - 1
        return [
            (IN_HAND[hand] * SAFETY[min(exposed, EXPOSED - 1)] * turn[(k - first) % len(hands)] >> 16) + 1
            if hand >= 0
            else 0
            for k, (hand, exposed) in enumerate(zip(hands, exposures(state), strict=True))
        ]

    def values(self, state: StonesState) -> Values:
        """Return the expected result, as if each seat's chance were its colours' share of the strengths."""
        if state.actor == OVER:
            return super().values(state)
        seats, hands = state.table.seats, state.hands
        strengths = self.strengths(state)
        total = sum(strengths)
        if not state.table.play_on:
            return tuple(
                (seats * sum(strengths[seat::seats]) * _MOST // total + (seats - 2) * _MOST) // (seats - 1)
                - _MOST
                for seat in range(seats)
            )
        # The done have their ranks. The others' chance is between the next rank and the last one.
        done = sum(hand < 0 for hand in hands)
        left = seats - done
        span = 2 * _MOST * (left - 1) // (seats - 1)
        return tuple(
            2 * _MOST * (seats + hand) // (seats - 1) - _MOST
            if hand < 0
            else span * (left - 1) * mine // ((left - 1) * mine + total - mine) - _MOST
            for hand, mine in zip(hands, strengths, strict=True)
        )

    def key(self, state: StonesState) -> Hashable:
        """Return board, hands and phase; the number of rolls is left out."""
        return state.board, state.hands, state.colour, state.column, state.again
