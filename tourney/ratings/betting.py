"""Evidence that may be looked at after every batch: e-processes by betting on the scores of mirrored pairs.

A gambler bets against the null hypothesis "the expected score of a pair is at most m". It begins with 1, and
each pair with the score x multiplies its wealth by 1 + b (x - m), where the bet b >= 0 is chosen before the
pair is seen. If the null hypothesis holds, the wealth is a nonnegative supermartingale, so it ever reaches w
with a probability of at most 1 / w (Ville, 1939), whatever the distribution of scores, however often one
looks, and whatever one stops by: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by
betting", Journal of the Royal Statistical Society B 86, 2024. Nothing about it is asymptotic.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Final

from tourney.ratings.sprt import SCORES, Pairs, expected_score

_PRIOR_PAIRS: Final = 8
_PRIOR_VARIANCE: Final = 0.125
"""The variance of the mean of two independent games without draws; it counts as so many pairs."""
_BOLDEST: Final = 0.75
"""No bet risks more than this share of the wealth on one pair."""
_DIGITS: Final = 6
"""Digits of the evidence that decide, so that no library's last bit does."""


def evidence(batches: Iterable[Pairs], null: float, alternative: float) -> float:
    """Return the logarithm of the most wealth after any of the batches, at least 0.

    The null hypothesis is that A's expected score is that of ``null`` Elo, or further from ``alternative``
    Elo, which may be above or below it. Each batch counts its pairs by A's half-points, 0 to 4; the bets on a
    batch depend on those before it alone.
    """
    upward = alternative > null
    level = expected_score(null if upward else -null)
    gap = expected_score(alternative if upward else -alternative) - level
    log_wealth = best = 0.0
    seen = [0] * len(SCORES)
    for batch in batches:
        counts = list(batch) if upward else list(batch)[::-1]
        bet = _bet(seen, level, gap)
        log_wealth += math.fsum(
            count * math.log1p(bet * (score - level)) for count, score in zip(counts, SCORES, strict=True)
        )
        best = max(best, log_wealth)
        seen = [one + other for one, other in zip(seen, counts, strict=True)]
    return round(best, _DIGITS)


def _bet(seen: Sequence[int], level: float, gap: float) -> float:
    """Return the bet after the pairs that were seen.

    A bet of advantage / (variance + advantage**2) makes wealth grow about as fast as any. The advantage is
    the larger of the ``gap`` that is to be found, for which the wealth then grows as fast as a sequential
    likelihood ratio, and of what the pairs have shown less a standard error.
    """
    pairs = sum(seen)
    total = pairs + _PRIOR_PAIRS
    mean = math.fsum(
        [_PRIOR_PAIRS * level, *(count * score for count, score in zip(seen, SCORES, strict=True))]
    )
    mean /= total
    spread = math.fsum(count * (score - mean) ** 2 for count, score in zip(seen, SCORES, strict=True))
    variance = (_PRIOR_PAIRS * _PRIOR_VARIANCE + spread) / total
    advantage = max(gap, mean - level - math.sqrt(variance / total))
    return min(advantage / (variance + advantage**2), _BOLDEST / level)


def holm(evidences: Sequence[float], error: float) -> tuple[bool, ...]:
    """Return which null hypotheses are rejected, so that with probability 1 - ``error`` none of them is true.

    Takes the logarithms of e-processes. 1 / wealth is a p-value that holds at every look, and the procedure
    of Holm (Scandinavian Journal of Statistics 6, 1979) needs nothing more: neither independence nor a fixed
    time. A hypothesis that is rejected stays so, as ``evidence`` never falls.
    """
    order = sorted(range(len(evidences)), key=lambda k: (-evidences[k], k))
    rejected = [False] * len(evidences)
    for place, k in enumerate(order):
        if evidences[k] < needed(len(evidences) - place, error):
            break
        rejected[k] = True
    return tuple(rejected)


def needed(hypotheses: int, error: float) -> float:
    """Return the evidence (a logarithm) that rejects the first of so many hypotheses."""
    return round(math.log(hypotheses / error), _DIGITS)
