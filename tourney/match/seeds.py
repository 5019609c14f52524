"""What a match samples by its seed: dice, openings, substitutes; bots' own seeds, and seat orders."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate, permutations
from typing import TypeVar

from tourney.seeds import derive, deriver, uniform

T = TypeVar("T")


def match_seed(tournament_seed: int, round_: int, table: int, repeat: int, order: int | None = None) -> int:
    """Return a match's seed; all places count from 1.

    Without ``order`` the games of a mirrored group share it, and so their dice and opening. With it, as of
    ``mirrored-dice = false``, ``order`` is the match's place in its group, and no two matches share a seed.
    """
    labels = (round_, table, repeat) if order is None else (round_, table, repeat, order)
    return derive(tournament_seed, "match", *labels)


def bot_seed(seed: int, seat: int) -> int:
    """Return the seed that the bot on a seat (1..n) gets."""
    return derive(seed, "bot", seat)


def chance_stream(seed: int) -> Callable[[int], int]:
    """Return the random integers (64 bits) of a match's chance nodes as a function of k; for ``pick``."""
    return deriver(seed, "chance")


def pick(u: int, outcomes: Sequence[T], weights: Sequence[int]) -> T:
    """Return the outcome of a 64-bit random integer.

    It is the first, in sorted order, whose cumulative weight exceeds the integer, scaled to their sum.
    """
    sums = _sums(weights if weights.__class__ is tuple else tuple(weights))
    if len(sums) != len(outcomes):
        raise ValueError(f"chance has no outcome for each of its weights: {len(outcomes)} for {len(sums)}")
    return outcomes[bisect_right(sums, u * sums[-1] >> 64)]


@lru_cache(maxsize=1024)
def _sums(weights: tuple[int, ...]) -> tuple[int, ...]:
    """Return the cumulative weights; cached, as dice repeat theirs."""
    sums = tuple(accumulate(weights))
    if not any(sums):
        raise ValueError("chance has no outcome of positive weight")
    return sums


def sample_opening_action(seed: int, attempt: int, j: int, actions: Sequence[T]) -> T:
    """Return the j-th opening action (from 0, chance not counted) of an attempt (from 0)."""
    return actions[uniform(derive(seed, "opening", attempt, j), len(actions))]


def sample_book_line(seed: int, lines: int) -> int:
    """Return the line (from 0) of an opening book with so many lines that a match begins with."""
    return uniform(derive(seed, "book"), lines)


def sample_substitute(seed: int, seat: int, j: int, actions: Sequence[T]) -> T:
    """Return the j-th action (from 0 per seat) that the referee plays for a withdrawn seat."""
    return actions[uniform(derive(seed, "substitute", seat, j), len(actions))]


def seat_orders(seats: int, repeat: int) -> tuple[tuple[int, ...], ...]:
    """Return a mirrored group's seat orders: each holds, per seat, the index (from 0) of the entrant on it.

    2 seats: both orders. 3 seats: all 6, lexicographic. 4 seats: the 4 rotations of the
    (repeat-1 mod 6)-th of the orders that begin with the first entrant; repeat counts from 1.
    """
    if seats < 4:
        return tuple(permutations(range(seats)))
    if seats > 4:
        raise ValueError(f"seat orders are defined for 2 to 4 seats, not {seats}")
    first = [order for order in permutations(range(4)) if order[0] == 0][(repeat - 1) % 6]
    return tuple(first[k:] + first[:k] for k in range(4))
