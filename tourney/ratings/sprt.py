"""A sequential test of "A is better than B" on mirrored pairs, which stops as soon as it can decide.

The generalised sequential probability ratio test in the form of M. Van den Bergh ("A practical introduction
to the GSPRT", 2017, as fishtest uses it; after Wald, "Sequential tests of statistical hypotheses", Annals of
Mathematical Statistics 16, 1945): the score of a pair of games that share dice and opening is one of five
values, modelled as independent samples of an unknown distribution. H0 is that its mean is the expected score
at ``elo0``, H1 the same for ``elo1``; each takes the distribution with that mean that maximises the
likelihood, and the logarithm of the ratio of the two likelihoods is compared with Wald's bounds.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from tourney.errors import UsageError

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""A's possible scores of a pair: the mean of its two games."""

_FEW = 1e-3
"""The count of an outcome that never occurred, so that every mean is possible (fishtest's number)."""
_QUANTILE = 1.959963984540054

Decision = Literal["H0", "H1"]
Pairs = Sequence[int]
"""The number of mirrored pairs in which A scored 0, 1, 2, 3 and 4 half-points."""


def expected_score(elo: float) -> float:
    """Return the expected share of points at a difference of Elo; a draw is half a point."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """Return the difference of Elo at an expected share of points, strictly between 0 and 1."""
    return -400 * math.log10(1 / score - 1)


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of H0 (``elo0``) against H1 (``elo1`` > ``elo0``).

    ``alpha``: the probability of accepting H1 when H0 holds; ``beta``: of accepting H0 when H1 holds. Raise
    UsageError for numbers that make no test.
    """

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -1000 <= self.elo0 < self.elo1 <= 1000:
            raise UsageError(f"elo0 {self.elo0} must lie below elo1 {self.elo1}, both from -1000 to 1000")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0.0001 <= value < 0.5:
                raise UsageError(f"{name} {value} is not from 0.0001 up to (not with) 0.5")

    @property
    def lower(self) -> float:
        """H0 is accepted at this log-likelihood ratio or below."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """H1 is accepted at this log-likelihood ratio or above."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: Pairs) -> float:
        """Return the log-likelihood ratio of H1 to H0."""
        counts = [count or _FEW for count in pairs]
        total = sum(counts)
        shares = [count / total for count in counts]
        under_0, under_1 = (_tilted(shares, expected_score(elo)) for elo in (self.elo0, self.elo1))
        terms = zip(counts, under_0, under_1, strict=True)
        return math.fsum(count * math.log(p1 / p0) for count, p0, p1 in terms)

    def decide(self, pairs: Pairs) -> Decision | None:
        """Return the accepted hypothesis, or None while more pairs are needed."""
        ratio = self.llr(pairs)
        if ratio >= self.upper:
            return "H1"
        return "H0" if ratio <= self.lower else None


def _tilted(shares: Sequence[float], mean: float) -> list[float]:
    """Return the distribution with this mean that maximises the likelihood of the observed shares.

    By Lagrange's method it is share / (1 + t (score - mean)); t, which gives it that mean, is the only root
    of a decreasing function, found by bisection.
    """
    terms = [(share, score - mean) for share, score in zip(shares, SCORES, strict=True)]
    low, high = -1 / (1 - mean), 1 / mean
    for _ in range(60):
        t = (low + high) / 2
        slope = 0.0
        for share, gap in terms:
            slope += share * gap / (1 + t * gap)
        if slope > 0:
            low = t
        else:
            high = t
    return [share / (1 + t * gap) for share, gap in terms]


class Estimate(NamedTuple):
    """A's advantage: the mean score of a pair, and Elo with its interval.

    Elo and interval include two added pairs, one won wholly by each side, so that Elo and the variance are
    always finite (after Agresti and Coull, The American Statistician 52, 1998). The ends are those of the
    mean score, as Elo: infinite beyond a score of 0 or 1, where the pairs bound the advantage on one side
    only. A sequential test stops at an extreme, so on average its Elo lies a little further from 0 than the
    truth.
    """

    pairs: int
    score: float
    elo: float
    low: float
    high: float
    los: float

    @property
    def width(self) -> float:
        """The larger half of the interval, in Elo."""
        return max(self.high - self.elo, self.elo - self.low)


def estimate(pairs: Pairs, deviations: float = _QUANTILE) -> Estimate | None:
    """Return the estimate, or None before the first pair.

    The interval has that many standard errors on each side; the default is the fixed one of 95 %.
    """
    total = sum(pairs)
    if not total:
        return None
    score = math.fsum(count * value for count, value in zip(pairs, SCORES, strict=True)) / total
    added = [pairs[0] + 1, *pairs[1:4], pairs[4] + 1]
    n = total + 2
    mean = math.fsum(count * value for count, value in zip(added, SCORES, strict=True)) / n
    squares = math.fsum(count * (value - mean) ** 2 for count, value in zip(added, SCORES, strict=True))
    error = math.sqrt(squares / n / n)
    low, high = mean - deviations * error, mean + deviations * error
    los = math.erfc((0.5 - mean) / error / math.sqrt(2)) / 2
    return Estimate(
        total,
        score,
        elo_of(mean),
        elo_of(low) if low > 0 else -math.inf,
        elo_of(high) if high < 1 else math.inf,
        los,
    )
