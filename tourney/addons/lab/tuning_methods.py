"""Methods of ``tourney tune``: the choice of the next values, and the estimate from the results.

SPSA (Spall, "Implementation of the simultaneous perturbation algorithm for stochastic optimization", IEEE
Transactions on Aerospace and Electronic Systems 34, 1998) moves all values at once by mirrored pairs between
values shifted up and down by random signs. Its gains are fishtest's, the test server of Stockfish: of
N pairs, A = N / 10, alpha = 0.602 and gamma = 0.101 (fishtest, pull requests 619 and 1326), each parameter
with its shift ``c_end`` (here ``step``) and a rate ``r_end``, both at the last pair. Engines are tuned with
an ``r_end`` of 0.002 over tens of thousands of games. ``default_rate`` is van den Bergh's formula (fishtest,
pull request 719; https://github.com/vdbergh/spsa_simul), from the loss of Elo that the noise of the last
values may cost.

All of it is decimal arithmetic of 28 digits, in which ``ln`` and ``exp`` are rounded correctly, and every
draw is derived from a seed: equal results give equal values on every machine.
"""

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from types import ModuleType
from typing import Final, NamedTuple

from tourney.bots.catalogue.manifest import Parameter, exact
from tourney.errors import UsageError, import_extra
from tourney.seeds import U64, derive, uniform

SAMPLERS: Final = {"tpe": "TPESampler", "cma-es": "CmaEsSampler"}
"""The methods that are samplers of Optuna, with the names of their classes."""
METHODS: Final = ("spsa", "random", *SAMPLERS)
ELO: Final = 1600 / math.log(10)
"""Elo for each point of a mean score, near an even game."""
PRECISION: Final = 5
"""The Elo that the noise of the last values costs at most (at 95 %), by ``default_rate``."""

# alpha, gamma and A / N of the module's docstring
_STEP_EXPONENT = Decimal("0.602")
_SHIFT_EXPONENT = Decimal("0.101")
_STABILITY = Decimal("0.1")
_GUARD = 6  # decimals that values have while they move, beyond those that they play with

Values = tuple[Decimal, ...]
"""A value for each parameter, in the order of ``bot.toml``."""
Duel = tuple[Values, Values]
"""The values that entrants 0 and 1 play with at a table."""


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """A method's task: parameters, pairs of games in all and in a batch, and the seed of its draws.

    ``rate`` is ``r_end`` of SPSA.
    """

    names: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    pairs: int
    batch: int
    draws: int
    rate: Decimal

    @property
    def start(self) -> Values:
        """The values of ``bot.toml``."""
        return tuple(exact(parameter.value) for parameter in self.parameters)

    def played(self, values: Sequence[Decimal], dithers: Sequence[Decimal] | None = None) -> Values:
        """Values as bots play with them: rounded to their decimals, within their bounds.

        With ``dithers`` (from 0 to 1) a value is rounded up in that share of cases that keeps its mean.
        """
        played = []
        for place, (value, parameter) in enumerate(zip(values, self.parameters, strict=True)):
            unit = Decimal(1).scaleb(-parameter.decimals)
            if dithers is None:
                rounded = value.quantize(unit, ROUND_HALF_EVEN)
            else:
                rounded = (value + dithers[place] * unit).quantize(unit, ROUND_FLOOR)
            played.append(min(max(rounded, exact(parameter.low)), exact(parameter.high)))
        return tuple(played)


class Gain(NamedTuple):
    """An estimate of Elo over the first values, and its standard deviation."""

    elo: float
    deviation: float


class Method(ABC):
    """Proposes a batch of pairs, learns their scores, and so on.

    ``values`` are the best as known now, as bots play with them, and ``gain`` is theirs over the first ones;
    ``done`` counts the pairs learned.
    """

    def __init__(self, terms: SearchTerms) -> None:
        self.terms = terms
        self.values = terms.start
        self.gain = Gain(0.0, 0.0)
        self.done = 0

    @property
    def count(self) -> int:
        """The pairs of the next batch; 0 at the end."""
        return min(self.terms.batch, self.terms.pairs - self.done)

    @abstractmethod
    def propose(self) -> tuple[Duel, ...]:
        """The next batch; it is asked for once."""

    @abstractmethod
    def learn(self, scores: Sequence[float | None]) -> None:
        """Take the mean score of entrant 0 in each pair of the batch; None for one that does not count."""


class Spsa(Method):
    """Simultaneous perturbation: each pair has signs of its own, and the values move after a batch."""

    def __init__(self, terms: SearchTerms) -> None:
        super().__init__(terms)
        self._theta = list(terms.start)
        self._moved = [Decimal(0)] * len(self._theta)  # by the batch before
        self._batch: list[tuple[Values, Decimal]] = []  # by pair: the shifts with their signs; the rate

    def propose(self) -> tuple[Duel, ...]:
        """The values shifted up and down, pair by pair."""
        self._batch = [self._shift(self.done + number) for number in range(1, self.count + 1)]
        duels = []
        for number, (shifts, _) in enumerate(self._batch, self.done + 1):
            seeds = (derive(self.terms.draws, "round", number, i) for i in range(len(shifts)))
            dithers = [Decimal(seed) / U64 for seed in seeds]
            sides = (map(op, self._theta, shifts) for op in (Decimal.__add__, Decimal.__sub__))
            up, down = (self.terms.played(list(side), dithers) for side in sides)
            duels.append((up, down))
        return tuple(duels)

    def _shift(self, number: int) -> tuple[Values, Decimal]:
        """The shifts of a pair, by its number from 1, and its rate."""
        terms = self.terms
        last = Decimal(self.terms.pairs)
        # Shifts shrink towards `step` at the last pair: wide ones at first find the direction.
        wider = _power(last / number, _SHIFT_EXPONENT)
        faster = _power((_STABILITY * last + last) / (_STABILITY * last + number), _STEP_EXPONENT)
        shifts = []
        for i, parameter in enumerate(terms.parameters):
            # At least half a unit: a smaller shift would be rounded away, and both sides play the same.
            size = max(exact(parameter.step) * wider, Decimal("0.5").scaleb(-parameter.decimals))
            shifts.append(-size if derive(terms.draws, "sign", number, i) & 1 else size)
        return tuple(shifts), terms.rate * faster / (wider * wider)

    def learn(self, scores: Sequence[float | None]) -> None:
        """Move each value by rate * shift * (wins less losses of the pair's two games)."""
        slopes = [0.0] * len(self._theta)
        moved = [Decimal(0)] * len(self._theta)
        counted = 0
        for score, (shifts, rate) in zip(scores, self._batch, strict=True):
            if score is None:
                continue
            counted += 1
            # Rounded, so that the last bit of a sum of floats moves no value.
            won = 4 * Decimal(repr(round(score, 9))) - 2
            for i, shift in enumerate(shifts):
                moved[i] += rate * shift * won
                slopes[i] += ELO * (score - 0.5) / (2 * float(shift))
        # The slope of this batch does not depend on the move before it, so the sum of the products has the
        # mean of the gain along the way, if that is straight from batch to batch.
        if counted:
            rise = sum(slope * float(move) for slope, move in zip(slopes, self._moved, strict=True)) / counted
            self.gain = Gain(self.gain.elo + rise, math.hypot(self.gain.deviation, rise))
        before = list(self._theta)
        for i, parameter in enumerate(self.terms.parameters):
            value = min(max(self._theta[i] + moved[i], exact(parameter.low)), exact(parameter.high))
            self._theta[i] = value.quantize(Decimal(1).scaleb(-parameter.decimals - _GUARD), ROUND_HALF_EVEN)
        self._moved = [now - then for now, then in zip(self._theta, before, strict=True)]
        self.done += len(scores)
        self.values = self.terms.played(self._theta)


class CandidateSearch(Method):
    """Tries values against the first ones, a batch of pairs each, and keeps the values with the best mean.

    Chosen as the best of many, their gain is too high on average.
    """

    def __init__(self, terms: SearchTerms) -> None:
        super().__init__(terms)
        self._score = 0.5
        self._tried = terms.start
        self.tries = 0

    @abstractmethod
    def candidate(self) -> Values:
        """The next values to try."""

    def take(self, score: float) -> None:
        """Take the mean score of the last candidate."""

    def propose(self) -> tuple[Duel, ...]:
        """A batch of the next candidate against the first values."""
        if not self.count:
            return ()
        self._tried = self.candidate()
        self.tries += 1
        return ((self._tried, self.terms.start),) * self.count

    def learn(self, scores: Sequence[float | None]) -> None:
        """Keep the candidate if its mean is the best so far, and more than half."""
        played = [score for score in scores if score is not None]
        self.done += len(scores)
        # fsum is exact, so the order in which matches end changes no digit.
        mean = math.fsum(played) / len(played) if played else 0.0
        self.take(round(mean, 9))
        if mean > self._score:
            spread = math.fsum((score - mean) ** 2 for score in played) / max(1, len(played) - 1)
            self.values = self._tried
            self._score = mean
            self.gain = Gain(ELO * (mean - 0.5), ELO * math.sqrt(spread / len(played)))


class RandomSearch(CandidateSearch):
    """Uniform candidates: the baseline that any other method must beat."""

    def candidate(self) -> Values:
        """Values drawn uniformly, each from its low to its high."""
        candidate = []
        for i, parameter in enumerate(self.terms.parameters):
            # By number and parameter, so that a tuning that was killed draws the same candidates again.
            drawn = uniform(derive(self.terms.draws, "candidate", self.tries, i), grid_size(parameter))
            candidate.append(exact(parameter.low) + Decimal(drawn).scaleb(-parameter.decimals))
        return tuple(candidate)


def method_of(name: str, terms: SearchTerms) -> Method:
    """A new search. Raises UsageError for a sampler whose package is missing."""
    if name in SAMPLERS:
        return OptunaSearch(terms, SAMPLERS[name])
    return Spsa(terms) if name == "spsa" else RandomSearch(terms)


def version_of(name: str) -> str:
    """The installed version of Optuna for a sampler, else "". Raises UsageError if it is missing."""
    if name not in SAMPLERS:
        return ""
    return str(optuna_package().__version__)


def grid_size(parameter: Parameter) -> int:
    """The number of values that a parameter can have."""
    return int((exact(parameter.high) - exact(parameter.low)).scaleb(parameter.decimals)) + 1


def default_rate(parameters: int) -> Decimal:
    """``r_end`` by van den Bergh's formula for ``PRECISION`` at 95 %, of games without draws.

    The quantile of chi-squared is Wilson and Hilferty's approximation, as in fishtest.
    """
    part = 2 / (9 * parameters)
    quantile = parameters * (1 - part + 1.6448536269514722 * math.sqrt(part)) ** 3
    return Decimal(f"{8 * PRECISION / (ELO / 2 * quantile):.4f}")


def _power(base: Decimal, exponent: Decimal) -> Decimal:
    """A power by correctly rounded functions."""
    return (exponent * base.ln()).exp()


class OptunaSearch(CandidateSearch):
    """A sampler, by the name of its class; the first values have the score of a half."""

    def __init__(self, terms: SearchTerms, sampler: str) -> None:
        super().__init__(terms)
        optuna = optuna_package()
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # parts of Optuna call themselves experimental
            # Samplers take seeds of 32 bits.
            made = getattr(optuna.samplers, sampler)(seed=derive(terms.draws, "optuna") >> 32)
        self._study = optuna.create_study(direction="maximize", sampler=made)
        integers = optuna.distributions.IntDistribution
        named = dict(zip(terms.names, terms.parameters, strict=True))
        self._space = {name: integers(0, grid_size(parameter) - 1) for name, parameter in named.items()}
        first = {
            name: round((exact(parameter.value) - exact(parameter.low)).scaleb(parameter.decimals))
            for name, parameter in named.items()
        }
        self._study.add_trial(optuna.trial.create_trial(params=first, distributions=self._space, value=0.5))
        self._trial = self._study.trials[0]

    def candidate(self) -> Values:
        """The sampler's next candidate."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._trial = self._study.ask(self._space)
        places = zip(self._space, self.terms.parameters, strict=True)
        return tuple(
            exact(parameter.low) + Decimal(int(self._trial.params[name])).scaleb(-parameter.decimals)
            for name, parameter in places
        )

    def take(self, score: float) -> None:
        """Tell the sampler."""
        self._study.tell(self._trial, score)


def optuna_package() -> ModuleType:
    """The package. Raises UsageError if it is not installed."""
    return import_extra("optuna", UsageError, "the methods tpe and cma-es need", "tune")
