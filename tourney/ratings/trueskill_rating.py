"""TrueSkill by the ``trueskill`` package, over results in schedule order.

The package's numbers are kept wherever it has any (its default backend's, bit for bit, as far as its message
passing goes); its hooks for v and w are mended where it has none. Two seats, the common case, go by the
closed formulas, which message passing only approaches by rounding.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import NamedTuple

import trueskill

from tourney.errors import UsageError
from tourney.ratings import truncated
from tourney.ratings.values import Forfeits, Rating, rated
from tourney.schedule.row import ResultRow

PACKAGE_TAU: float = trueskill.TAU
"""The package's own dynamics: by how much (a standard deviation) skill is taken to move between matches."""

_TAIL = 37.5
"""Beyond this many standard deviations densities become subnormal numbers, which have few digits."""
_MOST_TAU = 1e6
"""Beyond it there is nothing to know of a skill, and far beyond it variances are no numbers any more."""
_THIN = 1e-4
"""Below this normalised draw margin the package divides one rounding error by another."""


class Skill(NamedTuple):
    """What is believed of an entrant's skill: normal with mean mu and standard deviation sigma, unrounded."""

    mu: float
    sigma: float
    games: int = 0


@dataclass(frozen=True, slots=True)
class Settings:
    """The numbers TrueSkill runs on; those of the package but for tau, which is 0: bots do not change.

    ``draw_probability``: of two neighbours of equal skill; per game and number of seats (see
    ``tourney.ratings.draws``). Raises UsageError for a number that means nothing.
    """

    mu: float = trueskill.MU
    sigma: float = trueskill.SIGMA
    beta: float = trueskill.BETA
    tau: float = 0.0
    draw_probability: float = trueskill.DRAW_PROBABILITY

    def __post_init__(self) -> None:
        if not math.isfinite(self.mu):
            raise UsageError(f"mu {self.mu} is no number")
        for name, value in (("sigma", self.sigma), ("beta", self.beta)):
            if not (math.isfinite(value) and value > 0):
                raise UsageError(f"{name} {value} is not above 0")
        if not 0 <= self.tau <= _MOST_TAU:
            raise UsageError(f"tau {self.tau} is not from 0 to {_MOST_TAU:g}")
        if not 0 <= self.draw_probability < 1:
            raise UsageError(f"the draw probability {self.draw_probability} is not from 0 up to (not with) 1")


class StableTrueSkill(trueskill.TrueSkill):  # type: ignore[misc] # the package ships no types
    """The package's environment with v and w that always have a value, and 0 <= w < 1.

    The package raises FloatingPointError when a favourite is some 38 standard deviations strong (whoever
    wins), and a tie with draw probability 0 gives it a w below 0, which makes sigma grow.
    """

    def win(self, diff: float, margin: float) -> tuple[float, float]:
        """Return v and w of a win; ``diff`` and ``margin`` in standard deviations of the difference."""
        x = diff - margin
        if -_TAIL < x < _TAIL:
            v = self.pdf(x) / self.cdf(x)
            w = v * (v + x)
            if 0 < w <= truncated.W_MAX:
                return v, w
        return truncated.win(diff, margin)

    def draw(self, diff: float, margin: float) -> tuple[float, float]:
        """Return v and w of a draw; ``diff`` and ``margin`` in standard deviations of the difference."""
        away = abs(diff)
        if margin >= _THIN and away - margin < _TAIL:
            a, b = margin - away, -margin - away
            density_a, density_b = self.pdf(a), self.pdf(b)
            within = self.cdf(a) - self.cdf(b)
            if within > 0:
                v = (density_b - density_a) / within
                w = v**2 + (a * density_a - b * density_b) / within
                if 0 < w <= truncated.W_MAX:
                    return (-v if diff < 0 else v), w
        return truncated.draw(diff, margin)

    def v_win(self, diff: float, draw_margin: float) -> float:
        """Return v of a win: a hook of the package."""
        return self.win(diff, draw_margin)[0]

    def w_win(self, diff: float, draw_margin: float) -> float:
        """Return w of a win: a hook of the package."""
        return self.win(diff, draw_margin)[1]

    def v_draw(self, diff: float, draw_margin: float) -> float:
        """Return v of a draw: a hook of the package."""
        return self.draw(diff, draw_margin)[0]

    def w_draw(self, diff: float, draw_margin: float) -> float:
        """Return w of a draw: a hook of the package."""
        return self.draw(diff, draw_margin)[1]


class Rater:
    """Rates one match after another: skills in, skills out. Holds settings only."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._environment = StableTrueSkill(
            settings.mu, settings.sigma, settings.beta, settings.tau, settings.draw_probability
        )
        self._margin: float = trueskill.calc_draw_margin(settings.draw_probability, 2, self._environment)

    def rate(self, skills: tuple[Skill, ...], ranks: tuple[int, ...]) -> tuple[Skill, ...]:
        """Return each seat's skill after a match, seats in the order given; the package by message passing.

        Seats of equal rank are taken in the order given, which the result depends on from three seats on.
        """
        groups = [(trueskill.Rating(skill.mu, skill.sigma),) for skill in skills]
        after = self._environment.rate(groups, ranks)
        return tuple(
            Skill(rating.mu, rating.sigma, skill.games + 1)
            for skill, (rating,) in zip(skills, after, strict=True)
        )

    def rate_two(self, a: Skill, b: Skill, drawn: bool) -> tuple[Skill, Skill]:
        """Return two seats' skills after ``a`` beat ``b`` or drew with it, by the closed formulas.

        Herbrich, Minka and Graepel (2006): mu moves by (sigma**2 / c) v, sigma**2 shrinks by the factor
        1 - (sigma**2 / c**2) w, c**2 being the variance of the difference of the performances.
        """
        settings = self.settings
        dynamics = settings.tau * settings.tau
        variance_a = a.sigma * a.sigma + dynamics
        variance_b = b.sigma * b.sigma + dynamics
        total = 2 * settings.beta * settings.beta + variance_a + variance_b
        c = math.sqrt(total)
        decide = self._environment.draw if drawn else self._environment.win
        v, w = decide((a.mu - b.mu) / c, self._margin / c)
        return (
            Skill(
                a.mu + variance_a / c * v, math.sqrt(variance_a * (1 - variance_a / total * w)), a.games + 1
            ),
            Skill(
                b.mu - variance_b / c * v, math.sqrt(variance_b * (1 - variance_b / total * w)), b.games + 1
            ),
        )


@dataclass(frozen=True, slots=True)
class Pool:
    """What is believed of all entrants after the matches up to ``last`` (None: before the first).

    A pool goes on from where it stands, so old results need not be rated again: ``pool.after(more)``.
    """

    settings: Settings
    skills: Mapping[int, Skill] = field(default_factory=dict)
    last: tuple[int, int, int, int] | None = None

    @classmethod
    def of(cls, entrants: Iterable[int], settings: Settings | None = None) -> "Pool":
        """Return the pool before the first match."""
        settings = settings or Settings()
        return cls(settings, {number: Skill(settings.mu, settings.sigma) for number in sorted(entrants)})

    def after(self, results: Iterable[ResultRow], forfeits: Forfeits = "loss") -> "Pool":
        """Return the pool after more results, which are taken in the order of their keys.

        Raises ValueError for a key that does not come after the last, an entrant that the pool lacks, or
        one that sits twice at a table.
        """
        return self.after_ordered(sorted(rated(results, forfeits), key=_key))

    def after_ordered(self, results: Iterable[ResultRow], forfeits: Forfeits = "loss") -> "Pool":
        """Return the pool after more results that come in the order of their keys; none is held.

        Raises as ``after`` does.
        """
        rater = Rater(self.settings)
        skills = dict(self.skills)
        last = self.last
        for result in rated(results, forfeits):
            if last is not None and result.key <= last:
                raise ValueError(f"match {result.key} does not come after {last}")
            last = result.key
            _rate_match(rater, skills, result)
        return replace(self, skills=skills, last=last)

    def table(self) -> tuple[Rating, ...]:
        """Return the ratings as published, best first: by exposed rating, then mu, then number."""
        lines = []
        for number, skill in self.skills.items():
            mu, sigma = round(skill.mu, 3), round(skill.sigma, 3)
            # Adding 0.0 turns -0.0 into 0.0, so that the two are printed alike.
            lines.append(Rating(0, number, mu + 0.0, sigma, round(mu - 3 * sigma, 3) + 0.0, skill.games))
        lines.sort(key=lambda line: (-line.exposed, -line.mu, line.entrant))
        ranked: list[Rating] = []
        for place, line in enumerate(lines, start=1):
            tied = bool(ranked) and ranked[-1].exposed == line.exposed
            ranked.append(line._replace(rank=ranked[-1].rank if tied else place))
        return tuple(ranked)


def rate(
    results: Iterable[ResultRow],
    entrants: Iterable[int],
    settings: Settings | None = None,
    forfeits: Forfeits = "loss",
) -> tuple[Rating, ...]:
    """Return the table of a pool after results, in whatever order they are given."""
    return Pool.of(entrants, settings).after(results, forfeits).table()


def history(
    results: Iterable[ResultRow],
    entrants: Iterable[int],
    settings: Settings | None = None,
    forfeits: Forfeits = "loss",
) -> Iterator[tuple[int, Pool]]:
    """Yield each round that has a rated match, with the pool after it, in schedule order."""
    pool = Pool.of(entrants, settings)
    ordered = sorted(rated(results, forfeits), key=_key)
    for round_, group in groupby(ordered, key=lambda result: result.key[0]):
        pool = pool.after(group)
        yield round_, pool


def _key(result: ResultRow) -> tuple[int, int, int, int]:
    return result.key


def _rate_match(rater: Rater, skills: dict[int, Skill], result: ResultRow) -> None:
    entrants, ranks = result.entrants, result.ranks
    try:
        if len(entrants) == 2:
            (a, b), (rank_a, rank_b) = entrants, ranks
            if a == b:
                raise ValueError(f"entrant {a} sits twice in match {result.key}")
            if rank_b < rank_a:
                a, b = b, a
            skills[a], skills[b] = rater.rate_two(skills[a], skills[b], rank_a == rank_b)
            return
        if len(set(entrants)) < len(entrants):
            raise ValueError(f"an entrant sits twice in match {result.key}")
        order = sorted(range(len(entrants)), key=lambda seat: (ranks[seat], entrants[seat]))
        after = rater.rate(
            tuple(skills[entrants[seat]] for seat in order), tuple(ranks[seat] for seat in order)
        )
    except KeyError as error:
        raise ValueError(f"match {result.key} has an entrant {error} that is not in the pool") from error
    for seat, skill in zip(order, after, strict=True):
        skills[entrants[seat]] = skill
