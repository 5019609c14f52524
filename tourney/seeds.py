"""Derived seeds and uniform random integers: the only source of randomness in Tourney.

Every random integer is a function of a parent seed and labels, so it can be reproduced at any time and in any
order. Integers only. The last part has what a match samples by its seed.
"""

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, permutations
from typing import TypeVar

try:
    # hashlib gives the same function, and loads OpenSSL, a sixth of the time in which a bot starts.
    from _blake2 import blake2b
except ImportError:  # an interpreter that has it elsewhere
    from hashlib import blake2b

T = TypeVar("T")

U64 = 1 << 64
MAX_SEED = (1 << 256) - 1
"""The largest seed of a tournament; a match's, and all others derived from it, have 64 bits."""

_KEY = b"tourney-seed-1"
_LABEL = re.compile(r"[A-Za-z0-9._-]+", re.ASCII)

RandBelow = Callable[[int], int]
"""A random stream: ``randbelow(total)`` is the next integer, uniform in ``range(total)``."""


def derive(parent: int, *labels: str | int) -> int:
    """Derive a child seed, an unsigned 64-bit integer.

    The first 8 bytes, big-endian, of BLAKE2b (digest size 8, key ``tourney-seed-1``) over the ASCII text
    ``PARENT/LABEL/...``, PARENT and numbers in decimal. Raises ValueError for a label that does not match
    ``[A-Za-z0-9._-]+`` or a parent outside 0..2**256-1.
    """
    if not 0 <= parent <= MAX_SEED:
        raise ValueError(f"seed {parent} is not in 0..2**256-1")
    words = [str(parent)]
    for label in labels:
        word = str(label)
        # Numbers always match, and this is called for each action of an opening.
        if label.__class__ is not int and _LABEL.fullmatch(word) is None:
            raise ValueError(f"seed label {word!r} does not match [A-Za-z0-9._-]+")
        words.append(word)
    text = "/".join(words).encode("ascii")
    return int.from_bytes(blake2b(text, digest_size=8, key=_KEY).digest(), "big")


def deriver(parent: int, *labels: str | int) -> Callable[[int], int]:
    """``derive(parent, *labels, k)`` as a function of k (from 0), faster for many k.

    Raises ValueError as ``derive`` does.
    """
    derive(parent, *labels)
    text = "/".join(map(str, (parent, *labels, "")))
    copy = blake2b(text.encode("ascii"), digest_size=8, key=_KEY).copy
    number = int.from_bytes

    def derived(k: int) -> int:
        whole = copy()
        whole.update(b"%d" % k)
        return number(whole.digest(), "big")

    return derived


def uniform(u: int, total: int) -> int:
    """Map a 64-bit integer to ``range(total)``: ``u * total >> 64``."""
    return u * total >> 64


def stream(parent: int, *labels: str | int) -> RandBelow:
    """A random stream whose k-th value (from 0) comes from ``derive(parent, *labels, k)``."""
    derived = deriver(parent, *labels)
    k = 0

    def randbelow(total: int) -> int:
        nonlocal k
        u = derived(k)
        k += 1
        return uniform(u, total)

    return randbelow


def pick(u: int, outcomes: Sequence[T], weights: Sequence[int]) -> T:
    """The outcome of a 64-bit random integer.

    It is the first whose cumulative weight exceeds the integer, scaled to their sum.
    """
    sums = list(accumulate(weights))
    if len(sums) != len(outcomes):
        raise ValueError(f"chance has no outcome for each of its weights: {len(outcomes)} for {len(sums)}")
    if not any(sums):
        raise ValueError("chance has no outcome of positive weight")
    return outcomes[bisect_right(sums, uniform(u, sums[-1]))]


# -- what a match samples --------------------------------------------------------------------------------


def match_seed(tournament_seed: int, round_: int, table: int, repeat: int, order: int | None = None) -> int:
    """A match's seed; all places count from 1.

    Without ``order`` the games of a mirrored group share it, and so their dice and opening. With it, as of
    ``mirrored-dice = false``, ``order`` is the match's place in its group, and no two matches share a seed.
    """
    labels = (round_, table, repeat) if order is None else (round_, table, repeat, order)
    return derive(tournament_seed, "match", *labels)


def bot_seed(seed: int, seat: int) -> int:
    """The seed that the bot on a seat (1..n) gets."""
    return derive(seed, "bot", seat)


def chance_stream(seed: int, attempt: int | None = None) -> Callable[[int], int]:
    """The random integers (64 bits) of a match's chance nodes, as a function of k; for ``State.outcome``.

    With ``attempt`` those inside an opening whose earlier attempts all ended the game.
    """
    return deriver(seed, "chance") if attempt is None else deriver(seed, "chance", attempt)


def sample_opening_action(seed: int, attempt: int, j: int, actions: Sequence[T]) -> T:
    """The j-th opening action (from 0, chance not counted) of an attempt (from 0)."""
    return actions[uniform(derive(seed, "opening", attempt, j), len(actions))]


def sample_book_line(seed: int, lines: int) -> int:
    """The line (from 0), of an opening book with this number of lines, that a match begins with."""
    return uniform(derive(seed, "book"), lines)


def shuffled_book_line(seed: int, entrants: Iterable[int], turn: int, lines: int) -> int:
    """The line (from 0) of a book that the ``turn``-th game or group (from 0) of some entrants begins with.

    ``seed`` is the tournament's. The lines are at a distance that has no common divisor with their number, so
    none comes again before all have come.
    """
    labels = sorted(entrants)
    step = 1 + uniform(derive(seed, "book-step", *labels), lines)
    while math.gcd(step, lines) > 1:
        step += 1
    return (uniform(derive(seed, "book", *labels), lines) + turn * step) % lines


def sample_substitute(seed: int, seat: int, j: int, actions: Sequence[T]) -> T:
    """The j-th action (from 0 per seat) that the referee plays for a withdrawn seat."""
    return actions[uniform(derive(seed, "substitute", seat, j), len(actions))]


def seat_orders(seats: int, repeat: int) -> tuple[tuple[int, ...], ...]:
    """A mirrored group's seat orders: each holds, per seat, the index (from 0) of the entrant on it.

    2 seats: both orders. 3 seats: all 6, lexicographic. 4 seats: the 4 rotations of the
    (repeat-1 mod 6)-th of the orders that begin with the first entrant; repeat counts from 1.
    """
    if seats < 4:
        return tuple(permutations(range(seats)))
    if seats > 4:
        raise ValueError(f"seat orders are defined for 2 to 4 seats, not {seats}")
    first = [order for order in permutations(range(4)) if order[0] == 0][(repeat - 1) % 6]
    return tuple(first[k:] + first[:k] for k in range(4))
