"""A simulated pool, and what Ordo and BayesElo print for it.

The results were written as PGN, with players named engine-0 to engine-5, and rated by Ordo 1.2.6
(``ordo -q -a 0 -N 1 -p pool.pgn``) and by BayesElo 0058 (``readpgn pool.pgn``, ``elo``, ``mm``, ``offset 0``,
``ratings``). Docs and tests share the numbers.
"""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from tourney.ratings.counts import Game


class Cell(NamedTuple):
    """The games of two players with one of them first: wins, draws and losses of the first."""

    first: int
    second: int
    wins: int
    draws: int
    losses: int


POOL = tuple(
    Cell(*cell)
    for cell in (
        *((0, 1, 7, 8, 7), (0, 2, 19, 5, 0), (0, 3, 13, 6, 2), (0, 4, 14, 1, 3), (0, 5, 15, 3, 2)),
        *((1, 0, 8, 4, 10), (1, 2, 12, 0, 0), (1, 3, 8, 5, 4), (1, 4, 11, 3, 5), (1, 5, 13, 5, 3)),
        *((2, 0, 2, 6, 16), (2, 1, 2, 2, 8), (2, 3, 7, 6, 10), (2, 4, 6, 7, 6), (2, 5, 7, 6, 3)),
        *((3, 0, 7, 2, 12), (3, 1, 3, 3, 11), (3, 2, 6, 6, 11), (3, 4, 5, 6, 6), (3, 5, 9, 6, 6)),
        *((4, 0, 4, 7, 7), (4, 1, 5, 8, 6), (4, 2, 13, 3, 3), (4, 3, 8, 5, 4), (4, 5, 17, 6, 7)),
        *((5, 0, 4, 1, 15), (5, 1, 7, 3, 11), (5, 2, 6, 6, 4), (5, 3, 5, 8, 8), (5, 4, 11, 7, 12)),
    )
)
PERFECT = (Cell(6, 1, 1, 0, 0), Cell(6, 2, 1, 0, 0), Cell(6, 3, 1, 0, 0))
"""Three games of another player, which won them all."""


def games_of(cells: Iterable[Cell]) -> Counter[tuple[Game, ...]]:
    """The games of cells, each a cluster by itself."""
    found: Counter[tuple[Game, ...]] = Counter()
    for cell in cells:
        for ranks, times in (((1, 2), cell.wins), ((1, 1), cell.draws), ((2, 1), cell.losses)):
            if times:
                found[(((cell.first, cell.second), ranks, ()),)] += times
    return found


ORDO = {0: 135.8, 1: 93.1, 4: -1.0, 3: -50.9, 5: -81.0, 2: -96.1}
BAYESELO = {0: 132, 1: 93, 4: -1, 3: -49, 5: -82, 2: -92}
BAYESELO_PERFECT = {6: 222, 0: 95, 1: 55, 4: -38, 3: -86, 5: -119, 2: -129}
