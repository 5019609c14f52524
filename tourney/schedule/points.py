"""Match scores: what a rank is worth, in integers."""

from collections import Counter
from collections.abc import Sequence


def score_units(ranks: Sequence[int]) -> tuple[int, ...]:
    """Return each seat's match score in units of ``1 / (2 * (k - 1))``, k seats.

    The score is (k - place) / (k - 1), where seats of equal rank share the mean of the places they take: a
    win is 1, a draw of two seats 1/2, last place 0. The scores of a match add up to k/2.
    """
    seats = len(ranks)
    shared = Counter(ranks)
    return tuple(2 * (seats - rank) - (shared[rank] - 1) for rank in ranks)


def units_of_win(seats: int) -> int:
    """Return how many units a win is worth."""
    return 2 * (seats - 1)
