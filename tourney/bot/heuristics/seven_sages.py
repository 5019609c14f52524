"""Heuristics of The Seven Sages: points, a score in reach, the fool's rank, lines to the fool."""

from collections.abc import Hashable, Sequence

from tourney.bot.heuristics.base import Heuristics
from tourney.games.seven_sages.board import RED, SIZE, mask_of
from tourney.games.seven_sages.game import SevenSagesState
from tourney.games.seven_sages.moves import driven, ousting_sages
from tourney.games.seven_sages.worth import LINE, POINT, RANK, THREAT


def _goals(seat: int, own: int, others: int, fool: int, ousting: dict[int, int]) -> int:
    """Return the most points that a seat can score with its next action, or 0."""
    most = 0
    for sage, heading in ousting.items():
        _, goals = driven(seat, sage, heading, own, others, fool)
        for points in goals.values():
            most = max(most, points)
    return most


class SevenSagesHeuristics(Heuristics[SevenSagesState]):
    """Values points and the fool's place; a point wins more than the gain."""

    informed = True
    gain = 150

    def advantages(self, state: SevenSagesState) -> Sequence[int]:
        """Return the difference of points, what the mover can score, and the fool's place."""
        at = state.fields
        red, blue = mask_of(at.red), mask_of(at.blue)
        total = POINT * (at.points[0] - at.points[1]) + RANK * (at.fool % SIZE - SIZE // 2)
        own, others = (red, blue) if at.seat == RED else (blue, red)
        mine = ousting_sages(own, others, at.fool)
        theirs = ousting_sages(others, own, at.fool)
        edge = LINE * (len(mine) - len(theirs))
        if mine:
            edge += THREAT * _goals(at.seat, own, others, at.fool, mine)
        total += edge if at.seat == RED else -edge
        return (total, -total)

    def key(self, state: SevenSagesState) -> Hashable:
        """Return sages, fool, points and round; the count of plies is left out."""
        at = state.fields
        return at.red, at.blue, at.fool, at.points, at.round_, at.starter
