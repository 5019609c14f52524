"""The scale of values in a search: integers per seat, so that a search decides the same on every machine."""

from collections.abc import Sequence

WIN = 600_000
"""The value of a win against all others. Divisible by 2 and 3, so that shares of several seats are whole."""
LIMIT = 500_000
"""A position that is not over has a value between -LIMIT and LIMIT."""
SCALE = 1_000
"""The advantage that is worth half of LIMIT: "clearly better"."""

Values = tuple[int, ...]
"""A value per seat, in seat order."""


def squash(advantage: int) -> int:
    """Map an advantage of any size to a value: ``LIMIT * x / (|x| + SCALE)``, rounded towards 0."""
    if advantage < 0:
        return -(LIMIT * -advantage // (SCALE - advantage))
    return LIMIT * advantage // (SCALE + advantage)


def results(ranks: Sequence[int]) -> Values:
    """Return the values of a finished game: ``WIN * (seats worse - seats better) / (seats - 1)``."""
    others = max(len(ranks) - 1, 1)
    return tuple(
        WIN * (sum(rank > mine for rank in ranks) - sum(rank < mine for rank in ranks)) // others
        for mine in ranks
    )
