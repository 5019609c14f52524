"""The sequential test behind every question about a bot, its interval, and the looks of unfinished ratings.

``SequentialTest`` bets on the scores of mirrored groups of games. Each of several bettors doubts that the
mean score is at most m. It risks a fixed share c of its wealth on every group: it keeps 1 - c, and the rest
is multiplied by x / m at a score of x. If the mean is at most m, their joint wealth, 1 at first, is a
nonnegative supermartingale. So it ever reaches w with a probability of at most 1 / w (Ville, 1939), whatever
the distribution of scores, the number of looks and the rule to stop: Waudby-Smith and Ramdas, "Estimating
means of bounded random variables by betting", Journal of the Royal Statistical Society B 86, 2024. Nothing
about it is asymptotic. The shares are fixed before a group is played, whatever m (a mixture as in Cover,
"Universal portfolios", Mathematical Finance 1, 1991). So the wealth falls as m grows, and the test refutes
all values below one bound: the lower end of its interval. Mirrored bettors give the upper end.

Bets of version 1 stay as they are from the first group on, and suit a usual variance of scores. Those of
version 2 suit the variance of all earlier batches, which is known before a batch is played. Most of the
wealth follows the bettor whose logarithm of wealth is then that of a likelihood ratio of ``elo1`` to
``elo0``.

With ``sprt`` the test is that of chess instead: the generalised sequential probability ratio test of fishtest
and fastchess, on pairs (M. Van den Bergh, "A practical introduction to the GSPRT", 2020). Its error rates
hold approximately, and at the two bounds only.

A fixed 95 % interval holds at one look chosen beforehand. A confidence sequence holds at all looks together:
in at most 5 % of runs it excludes the truth at any time, so a run may be watched, and stopped at will. That
of ratings has the boundary of ``tourney.schedule.until_rule``; its units are mirrored groups of games.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tourney.errors import UsageError
from tourney.match.evidence import CAP, POINT
from tourney.schedule.until_rule import ALPHA, multiplier

Floats = NDArray[np.float64]

FIXED: Final = "fixed 95 %"
EVERY_LOOK: Final = "95 % at every look"
"""Names of the two kinds of intervals, as tables and pages print them."""
Intervals = Literal["fixed 95 %", "95 % at every look"]

SCORES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""A's possible scores of a pair: the mean of its two games."""

QUANTILE: Final = 1.959963984540054
"""Standard errors on each side of a fixed 95 % interval."""
BETS: Final = 2
"""The version of the bets, which stored questions name: other bets are another question."""
VARIANCE: Final = 0.1
"""The variance of scores for which bets are suited before any is known."""
GUESS: Final = 8
"""The groups that the guess of the variance weighs."""
LEVELS: Final = 6
"""Levels of the variance to a factor of e, to which it is rounded: so few levels hold a long run's scores."""
SUITED: Final = 0.9
"""The first wealth of the bettor that suits the gap and the variance, by version 2."""
MULTIPLES: Final = (0.016, 0.06, 0.3, 3.0, 20.0)
"""The shares of the other bettors, in units of that one's; they have equal parts of the remaining wealth.

The least of them bounds the interval of a bot that wins nearly all pairs, whose variance is small."""
ABSENT: Final = 1e-3
"""What the likelihood ratio counts for a score that no pair had, as fishtest does."""
LESS: Final = 0.35
"""The part of the variance that is left of scores without luck, for which bets are suited."""
BOLDEST: Final = 0.95
"""The largest share that a bettor risks on a group."""
_RATIO: Final = 1.8
"""The ratio of a bettor's share to that of the next."""
_SPREAD: Final = 0.8
"""How far the first wealth spreads around the share that suits the test's gap, in natural logarithms."""
_EVEN: Final = 0.2
"""The part of the first wealth that all bettors have equally, so that any advantage is found."""
_LIMIT: Final = 20_000
"""Ends of an interval beyond this (tenths of Elo) are left out."""
_HALVES: Final = 2.5758293035489
"""The standard errors by which the halves of 1 % of steady runs differ."""
_DIGITS: Final = 6
"""Digits of the evidence that decide, so that no library's last bit does."""

Scores = Mapping[float, int]
"""The number of groups of games with each score."""


ELO: Final = 400 / math.log(10)
"""A unit of the natural logarithm of the odds, in Elo."""


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
            raise UsageError(f"{name} {value} must be at least 0.0001 and less than 0.5")


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """A test of two claims about A's mean score of a group of games, with looks after batches of groups.

    "Better": the mean is above the expected score at ``elo0``, proven wrongly with a probability of at most
    ``alpha``. "Worse": it is below that at ``elo1`` > ``elo0``, with ``beta``. Scores lie from 0 to 1, with
    ``luck`` beyond that by the most luck: a share of it is subtracted from them (``tourney.match.evidence``).
    The test holds for any such scores; it is quickest if A's advantage is about ``elo1`` - ``elo0`` from a
    bound and if scores have the usual ``VARIANCE``. Raises UsageError for numbers that make no test.
    """

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05
    luck: bool = False

    bets: int = BETS
    sprt: bool = False

    def __post_init__(self) -> None:
        check_test(self.elo0, self.elo1, self.alpha, self.beta, ("elo0", "elo1"))
        if self.bets not in (1, BETS):
            raise UsageError(f"bets of version {self.bets} are of a newer version of Tourney")

    @property
    def needed(self) -> tuple[float, float]:
        """The evidence that proves "better", and "worse"."""
        if not self.sprt:
            return needed(1, self.alpha), needed(1, self.beta)
        alpha, beta = self.alpha, self.beta
        return round(math.log((1 - beta) / alpha), _DIGITS), round(math.log((1 - alpha) / beta), _DIGITS)

    @property
    def intervals(self) -> str:
        """The name of its intervals."""
        return f"{100 * (1 - self.alpha - self.beta):g} % at every look"

    def evidence(self, batches: Iterable[Scores]) -> tuple[float, float]:
        """The evidence for "better" and for "worse": the logarithm of the most wealth at any look.

        With ``sprt`` that is the logarithm of the likelihood ratio now, and less that.
        """
        if self.sprt:
            ratio = likelihood_ratio(_totals(batches), self.elo0, self.elo1)
            return ratio, -ratio
        looks, (up, down) = self._looks(batches), self._sides
        better = max(_wealth(up, seen, self.elo0) for seen in looks)
        return better, max(_wealth(down, seen, -self.elo1) for seen in looks)

    def find(self, batches: Sequence[Scores], better: int = 1, worse: int = 1) -> "Findings | None":
        """What the batches show, or None before the first group.

        An end of the interval has the level of one of ``better``, or ``worse``, claims made together, so it
        lies beyond a bound exactly if the claim is proven.
        """
        looks, (up, down) = self._looks(batches), self._sides
        total = _totals(batches)
        if not (groups := sum(total.values())):
            return None
        low, high = _end(up, looks, needed(better, self.alpha)), _end(down, looks, needed(worse, self.beta))
        mean, error = _mean(total)
        # Without its luck, which is subtracted, a bot may score below 0 or above 1, where there is no Elo.
        least = 1 / (groups + 2)
        return Findings(
            groups,
            math.fsum(score * count for score, count in total.items()) / groups,
            elo_of(min(max(mean, least), 1 - least)),
            low,
            None if high is None else -high,
            math.erfc((0.5 - mean) / error / math.sqrt(2)) / 2,
            _halves(batches),
        )

    @property
    def _sides(self) -> "tuple[_Side, _Side]":
        """The bettors against low means and, with scores and Elo mirrored, those against high ones."""
        most = CAP / POINT if self.luck else 0.0
        up, down = -most, 1 - (1 + most)
        if self.bets == 1:
            suited = self._suited(self._usual)
            first = _bets((0.5 - up) * suited), _bets((0.5 - down) * suited)
        else:
            rest = math.log((1 - SUITED) / len(MULTIPLES))
            first = (((math.log(SUITED), 1.0), *((rest, multiple) for multiple in MULTIPLES)),) * 2
        return _Side(first[0], up, False), _Side(first[1], down, True)

    @property
    def _usual(self) -> float:
        return LESS * VARIANCE if self.luck else VARIANCE

    def _suited(self, variance: float) -> float:
        """The share of a group that suits the gap of the bounds, in units of the level of the score."""
        return (expected_score(self.elo1) - expected_score(self.elo0)) / variance

    def _looks(self, batches: Iterable[Scores]) -> "list[_Seen]":
        """All scores up to each look, with the unit of the shares that were risked on them."""
        total: Counter[tuple[float, float]] = Counter()
        looks: list[_Seen] = [()]
        groups, sums, squares = 0, 0.0, 0.0
        most = CAP / POINT if self.luck else 0.0
        for batch in batches:
            unit = 1.0
            if self.bets > 1:
                spread = max(squares - sums**2 / groups, 0.0) if groups else 0.0
                variance = (GUESS * self._usual + spread) / (GUESS + groups)
                level = math.exp(round(LEVELS * math.log(variance)) / LEVELS)
                unit = (0.5 + most) * self._suited(level)
            for score, count in batch.items():
                total[score, unit] += count
            groups += sum(batch.values())
            sums += math.fsum(score * count for score, count in batch.items())
            squares += math.fsum(score**2 * count for score, count in batch.items())
            looks.append(tuple((score, unit, count) for (score, unit), count in total.items()))
        return looks


class _Side(NamedTuple):
    """Bettors, and the least of the scores on which they bet."""

    bets: tuple[tuple[float, float], ...]
    bottom: float
    mirrored: bool


_Seen = tuple[tuple[float, float, int], ...]
"""All scores up to a look, with the units of shares and with their counts."""


def _totals(batches: Iterable[Scores]) -> dict[float, int]:
    """The groups of all batches by score."""
    total: Counter[float] = Counter()
    for batch in batches:
        total.update(batch)
    return dict(total)


def likelihood_ratio(scores: Scores, elo0: float, elo1: float) -> float:
    """The logarithm of the likelihood ratio of two differences of Elo, by the scores of pairs.

    Each hypothesis has the distribution with its mean under which the scores are likeliest.
    """
    if not sum(scores.values()):
        return 0.0
    counts = np.array([scores.get(score, 0) or ABSENT for score in SCORES])
    shares = counts / counts.sum()
    logs = [
        np.log1p(_tilt(shares, gaps) * gaps)
        for gaps in (np.array(SCORES) - expected_score(elo) for elo in (elo0, elo1))
    ]
    return round(float(counts @ (logs[0] - logs[1])), _DIGITS)


def _tilt(shares: Floats, gaps: Floats) -> float:
    """The t with sum shares gaps / (1 + t gaps) = 0, by halving: the sum falls as t grows."""
    low, high = -1 / float(gaps.max()), -1 / float(gaps.min())
    for _ in range(100):
        middle = (low + high) / 2
        if float(np.sum(shares * gaps / (1 + middle * gaps))) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def normalised_elo(scores: Scores) -> float | None:
    """The gap in standard deviations of a game, on fishtest's scale; None if all pairs scored the same."""
    mean, variance = _moments(scores)
    return (mean - 0.5) / math.sqrt(2 * variance) * 800 / math.log(10) if variance > 0 else None


def _moments(scores: Scores) -> tuple[float, float]:
    """The mean score of groups, and its variance."""
    groups = max(sum(scores.values()), 1)
    mean = math.fsum(score * count for score, count in scores.items()) / groups
    return mean, math.fsum((score - mean) ** 2 * count for score, count in scores.items()) / groups


@lru_cache(1 << 14)  # a run asks for all looks again at each
def _wealth(side: _Side, seen: _Seen, elo: float) -> float:
    """The logarithm of the wealth of those who doubt that the mean is at most that of ``elo``."""
    level = expected_score(elo) - side.bottom
    scores, units, counts = np.array(seen, dtype=np.float64).reshape(-1, 3).T
    gains = ((1 - scores if side.mirrored else scores) - side.bottom) / level - 1
    weights, shares = np.array(side.bets).T
    terms = weights + np.log1p(np.minimum(shares[:, None] * units, BOLDEST) * gains) @ counts
    # The largest term is taken out, so that no exponential overflows.
    most = float(terms.max())
    return round(most + math.log(math.fsum(np.exp(terms - most).tolist())), _DIGITS) + 0.0


def _end(side: _Side, looks: Iterable[_Seen], proof: float) -> float | None:
    """The least tenth of Elo that is not refuted at any look, None if none is."""
    refuted = -_LIMIT
    # Wealth falls as Elo grows, so all refuted tenths lie below one bound; each look goes on from the last.
    for seen in looks:
        beyond = _LIMIT if _wealth(side, seen, refuted / 10) >= proof else refuted
        while beyond - refuted > 1:
            tenth = (refuted + beyond) // 2
            if _wealth(side, seen, tenth / 10) >= proof:
                refuted = tenth
            else:
                beyond = tenth
    return None if refuted == -_LIMIT else (refuted + 1) / 10


@cache
def _bets(suited: float) -> tuple[tuple[float, float], ...]:
    """The logarithm of each bettor's first wealth, and its share; the share ``suited`` has the most."""
    shares = [BOLDEST]
    while shares[-1] > suited / 3:
        shares.append(shares[-1] / _RATIO)
    near = [math.exp(-((math.log(share / min(suited, BOLDEST)) / _SPREAD) ** 2) / 2) for share in shares]
    total = math.fsum(near)
    return tuple(
        (math.log((1 - _EVEN) * part / total + _EVEN / len(shares)), share)
        for part, share in zip(near, shares, strict=True)
    )


class Findings(NamedTuple):
    """What groups of games show of A's advantage over B.

    ``score`` is A's mean score. ``elo`` includes two added groups, one won wholly by each side, so it is
    always finite (after Agresti and Coull, The American Statistician 52, 1998), and no further from 0 than
    that of a bot that won all; a test stops at an extreme, so on average it lies a little further from 0 than
    the truth. The test has not refuted the tenths of Elo
    from ``low`` to ``high`` at any look; None: no bound. There are none if a bot changed so much that ``low``
    lies above ``high``. ``los`` is the probability that A is better, at this
    moment. ``halves`` are A's mean scores in the first and the last half of the batches, if they differ by
    more than those of 99 % of bots that stay the same.
    """

    groups: int
    score: float
    elo: float
    low: float | None
    high: float | None
    los: float
    halves: tuple[float, float] | None

    @property
    def width(self) -> float:
        """The larger half of the interval, in Elo."""
        if self.low is None or self.high is None:
            return math.inf
        return max(self.high - self.elo, self.elo - self.low)


def pair_scores(pairs: Sequence[int]) -> dict[float, int]:
    """The scores of mirrored pairs, given the numbers of those in which A scored 0 to 4 half-points."""
    return dict(zip(SCORES, pairs, strict=True))


def _mean(scores: Scores) -> tuple[float, float]:
    """The mean score with the two added groups, and its standard error."""
    added = Counter({0.0: 1, 1.0: 1}) + Counter(scores)
    n = added.total()
    mean = math.fsum(score * count for score, count in added.items()) / n
    return mean, math.sqrt(math.fsum(count * (score - mean) ** 2 for score, count in added.items())) / n


def _halves(batches: Sequence[Scores]) -> tuple[float, float] | None:
    middle = len(batches) // 2
    first, last = (sum(map(Counter, half), Counter[float]()) for half in (batches[:middle], batches[middle:]))
    (first_mean, error), (second_mean, later) = _mean(first), _mean(last)
    if not first or not last or abs(first_mean - second_mean) <= _HALVES * math.hypot(error, later):
        return None
    first_mean, second_mean = (
        math.fsum(x * n for x, n in half.items()) / half.total() for half in (first, last)
    )
    return round(first_mean, 4), round(second_mean, 4)


def holm(evidences: Sequence[float], error: float) -> tuple[bool, ...]:
    """Which null hypotheses are rejected, so that with probability 1 - ``error`` none of them is true.

    Takes the logarithms of e-processes. 1 / wealth is a p-value that holds at every look, and the procedure
    of Holm (Scandinavian Journal of Statistics 6, 1979) needs nothing more: neither independence nor a fixed
    time. A hypothesis that is rejected stays so, as evidence never falls.
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
        return ELO**2 * 4 * (self.seats + 1) / (3 * (self.seats - 1))
