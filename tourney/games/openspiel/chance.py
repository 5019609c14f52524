"""Chance outcomes of OpenSpiel: probabilities as floats become integer weights, exactly or not at all."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from tourney.errors import GameError

TOLERANCE: Final = 1e-12
"""A probability is taken for a fraction that differs from it by no more."""
MAX_DENOMINATOR: Final = 100_000
"""Beyond it nearly every float is close to some fraction, so that this would prove nothing."""


def integer_weights(probabilities: Sequence[float]) -> tuple[int, ...]:
    """Return integers in the exact proportions of probabilities; 0 for an outcome that never happens.

    Equal probabilities become ones. Others must be fractions with denominators up to ``MAX_DENOMINATOR``
    within ``TOLERANCE``, which add up to exactly 1. Raises GameError where they are not.
    """
    positive = [p for p in probabilities if p > 0]
    first = positive[0] if positive else 0.0
    if positive and all(abs(p - first) <= TOLERANCE for p in positive):
        if abs(first * len(positive) - 1) > TOLERANCE * len(positive):
            raise GameError(f"{len(positive)} equal probabilities of {first!r} do not add up to 1")
        return tuple(int(p > 0) for p in probabilities)
    found = [Fraction(p).limit_denominator(MAX_DENOMINATOR) for p in probabilities]
    for fraction, p in zip(found, probabilities, strict=True):
        if not 0 <= fraction <= 1 or abs(float(fraction) - p) > TOLERANCE or (p > 0 and not fraction):
            raise GameError(
                f"the probability {p!r} is no fraction with a denominator up to {MAX_DENOMINATOR:,}"
            )
    if sum(found) != 1:
        raise GameError(f"the probabilities add up to {float(sum(found))!r} as fractions, not to 1")
    scale = math.lcm(*(fraction.denominator for fraction in found))
    return tuple(int(fraction * scale) for fraction in found)
