"""Sequential tests and intervals of mirrored pairs: the statistics behind every question about a bot.

``Sprt`` is a generalised sequential probability ratio test in the form of M. Van den Bergh ("A practical
introduction to the GSPRT", 2017, as fishtest uses it; after Wald, "Sequential tests of statistical
hypotheses", Annals of Mathematical Statistics 16, 1945). The score of a pair of games that share dice and
opening is one of five values, modelled as independent samples of an unknown distribution. H0 is that its mean
is the expected score at ``elo0``, H1 the same for ``elo1``; each takes the distribution with that mean that
maximises the likelihood, and Wald's bounds decide by the logarithm of the ratio of the two likelihoods.

``evidence`` is an e-process by betting on the scores of pairs. A gambler bets against the null hypothesis
"the expected score of a pair is at most m". It begins with 1, and each pair with the score x multiplies its
wealth by 1 + b (x - m), where the bet b >= 0 is chosen before the pair is seen. If the null hypothesis holds,
the wealth is a nonnegative supermartingale, so it ever reaches w with a probability of at most 1 / w (Ville,
1939), whatever the distribution of scores, the number of looks and the rule to stop: Waudby-Smith and Ramdas,
"Estimating means of bounded random variables by betting", Journal of the Royal Statistical Society B 86,
2024. Nothing about it is asymptotic.

A fixed 95 % interval holds at one look chosen beforehand. A confidence sequence holds at all looks together:
in at most 5 % of runs it excludes the truth at any time, so a run may be watched, and stopped at will. Its
boundary is that of ``tourney.schedule.boundary``; its units are mirrored groups of games.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from tourney.errors import UsageError
from tourney.schedule.boundary import ALPHA, multiplier

FIXED: Final = "fixed 95 %"
EVERY_LOOK: Final = "95 % at every look"
"""Names of the two kinds of intervals, as tables and pages print them."""
Intervals = Literal["fixed 95 %", "95 % at every look"]

SCORES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""A's possible scores of a pair: the mean of its two games."""

_FEW: Final = 1e-3
"""The count of an outcome that never occurred, so that every mean is possible (fishtest's number)."""
QUANTILE: Final = 1.959963984540054
"""Standard errors on each side of a fixed 95 % interval."""
_PRIOR_PAIRS: Final = 8
_PRIOR_VARIANCE: Final = 0.125
"""The variance of the mean of two independent games without draws; it weighs ``_PRIOR_PAIRS`` pairs."""
_BOLDEST: Final = 0.75
"""No bet risks more than this share of the wealth on one pair."""
_DIGITS: Final = 6
"""Digits of the evidence that decide, so that no library's last bit does."""

Hypothesis = Literal["H0", "H1"]
PairCounts = Sequence[int]
"""The number of mirrored pairs in which A scored 0, 1, 2, 3 and 4 half-points."""


def expected_score(elo: float) -> float:
    """The expected share of points at a difference of Elo; a draw is half a point."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """The difference of Elo at an expected share of points, strictly between 0 and 1."""
    return -400 * math.log10(1 / score - 1)


def check_test(elo0: float, elo1: float, alpha: float, beta: float, names: tuple[str, str]) -> None:
    """Raise UsageError for numbers that make no test; ``names`` are those of ``elo0`` and ``elo1``."""
    if not -1000 <= elo0 < elo1 <= 1000:
        raise UsageError(f"{names[0]} {elo0:g} must lie below {names[1]} {elo1:g}, both from -1000 to 1000")
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not 0.0001 <= value < 0.5:
            raise UsageError(f"{name} {value} is not from 0.0001 up to (not with) 0.5")


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
        check_test(self.elo0, self.elo1, self.alpha, self.beta, ("elo0", "elo1"))

    @property
    def lower(self) -> float:
        """H0 is accepted at this log-likelihood ratio or below."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """H1 is accepted at this log-likelihood ratio or above."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: PairCounts) -> float:
        """The log-likelihood ratio of H1 to H0."""
        counts = [count or _FEW for count in pairs]
        total = sum(counts)
        shares = [count / total for count in counts]
        under_0, under_1 = (_tilted(shares, expected_score(elo)) for elo in (self.elo0, self.elo1))
        terms = zip(counts, under_0, under_1, strict=True)
        return math.fsum(count * math.log(p1 / p0) for count, p0, p1 in terms)

    def decide(self, pairs: PairCounts) -> Hypothesis | None:
        """The accepted hypothesis, or None while more pairs are needed."""
        ratio = self.llr(pairs)
        if ratio >= self.upper:
            return "H1"
        return "H0" if ratio <= self.lower else None


def _tilted(shares: Sequence[float], mean: float) -> list[float]:
    """The distribution with this mean that maximises the likelihood of the observed shares.

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


class PairEstimate(NamedTuple):
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


def estimate(pairs: PairCounts, deviations: float = QUANTILE) -> PairEstimate | None:
    """The estimate, or None before the first pair.

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
    return PairEstimate(
        total,
        score,
        elo_of(mean),
        elo_of(low) if low > 0 else -math.inf,
        elo_of(high) if high < 1 else math.inf,
        los,
    )


def estimate_now(pairs: PairCounts, planned: float, alpha: float = ALPHA) -> PairEstimate | None:
    """The estimate of mirrored pairs with an interval that holds at every look.

    ``planned``: the pairs for which the interval is tuned. None before the first pair.
    """
    return estimate(pairs, multiplier(sum(pairs) / planned, alpha))


def pairs_to_decide(elo0: float, elo1: float, evidence: float, deviation: float) -> float:
    """The pairs after which a test decides if one bound is true, with this deviation of a pair's score.

    ``evidence`` is the logarithm of the likelihood ratio that decides.
    """
    gap = expected_score(elo1) - expected_score(elo0)
    return 2 * (deviation / gap) ** 2 * evidence


def pairs_to_measure(width: float, deviation: float) -> int:
    """The pairs of even bots after which Elo is known to ``width`` on each side, at every look.

    A score of one half grows by ln(10) / 1600 for each Elo.
    """
    return math.ceil((multiplier(1.0) * deviation * 1600 / math.log(10) / width) ** 2)


def evidence(batches: Iterable[PairCounts], null: float, alternative: float) -> float:
    """The logarithm of the most wealth after any of the batches, at least 0.

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
    """The bet after the pairs that were seen.

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
    """Which null hypotheses are rejected, so that with probability 1 - ``error`` none of them is true.

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
    """The evidence (a logarithm) that rejects the first of this number of hypotheses."""
    return round(math.log(hypotheses / error), _DIGITS)


@dataclass(frozen=True, slots=True)
class PlannedGames:
    """The games of each entrant at ``seats`` for which a run's intervals at every look are tuned."""

    games: float
    seats: int

    def deviations(self, variance: float, weight: float, alpha: float = ALPHA) -> float:
        """Standard deviations on each side of a contrast of strengths, in Elo.

        ``weight`` is the sum of the contrast's squared weights, and ``variance`` its variance (Elo squared).
        As planned, each strength has the variance of ``games`` even games. An even game of k seats has the
        information 3 (k - 1) / (4 (k + 1)) on a strength in natural units (``tourney.ratings.likelihood``).
        """
        planned = weight * self._variance / self.games
        return multiplier(planned / variance, alpha) if variance > 0 else 0.0

    def games_for(self, variance: float) -> float:
        """The even games after which a strength has this variance (Elo squared)."""
        return self._variance / variance

    @property
    def _variance(self) -> float:
        """The variance of a strength after one even game, in Elo squared."""
        elo = 400 / math.log(10)
        return elo**2 * 4 * (self.seats + 1) / (3 * (self.seats - 1))
