"""TrueSkill by the ``trueskill`` package, over results in schedule order, and checkpoints of its pools.

The draw probability is the share of ties between neighbours in the final order, per game and seats. It is
estimated once from results and then stored: one that followed the results would change every rating with
every match.

Where message passing runs, results equal those of the package's default backend bit for bit; only where its v
and w have no value do its hooks return corrected ones. Two seats, the common case, use the closed formulas,
which message passing approximates up to rounding. A checkpoint stores numbers in hexadecimal, to the last
bit: a pool restored from it equals one that never stopped.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass, field, replace
from itertools import groupby, pairwise
from typing import Final, NamedTuple

import trueskill
from msgspec import MsgspecError, Struct, convert

from tourney.errors import GameError, UsageError
from tourney.games.registry import find_game
from tourney.prepared_types import prepared
from tourney.ratings import truncated_normal
from tourney.ratings.method import Forfeits, Measure, OrderedMethod, rated
from tourney.schedule.row import MatchKey, ResultRow

PACKAGE_TAU: float = trueskill.TAU
"""The package's own dynamics: the standard deviation of a skill's change between matches."""

_TAIL = 37.5
"""Beyond this many standard deviations densities become subnormal numbers, which have few digits."""
_MOST_TAU = 1e6
"""Beyond it a skill cannot be estimated, and far beyond it variances overflow."""
_THIN = 1e-4
"""Below this normalised draw margin the package divides one rounding error by another."""


BY_SEAT: Final = 0.2
"""The most by which the package separates bots that always tie, in sigmas: seats of equal rank are rated in
turn. 0.18 were seen at four seats, one winner and the draw probability of such games."""


class Skill(NamedTuple):
    """The posterior of an entrant's skill: normal with mean mu and standard deviation sigma, unrounded."""

    mu: float
    sigma: float
    games: int = 0


class TrueSkillRating(NamedTuple):
    """A line of the TrueSkill table, as published: mu and sigma to 3 decimals.

    ``exposed`` is mu - 3 sigma of the published numbers, so that a reader can recompute it. ``rank`` is 1 +
    the number of entrants with a higher mu. ``games`` counts the rated matches.
    """

    rank: int
    entrant: int
    mu: float
    sigma: float
    exposed: float
    games: int


@dataclass(frozen=True, slots=True)
class Settings:
    """TrueSkill's parameters: the package's, except that tau is 0 because bots do not change.

    ``draw_probability`` is that of two neighbours of equal skill; it depends on the game and the number of
    seats. Raise UsageError for a meaningless number.
    """

    mu: float = trueskill.MU
    sigma: float = trueskill.SIGMA
    beta: float = trueskill.BETA
    tau: float = 0.0
    draw_probability: float = trueskill.DRAW_PROBABILITY

    def __post_init__(self) -> None:
        if not math.isfinite(self.mu):
            raise UsageError(f"mu {self.mu} is not a number")
        for name, value in (("sigma", self.sigma), ("beta", self.beta)):
            if not (math.isfinite(value) and value > 0):
                raise UsageError(f"{name} {value} is not above 0")
        if not 0 <= self.tau <= _MOST_TAU:
            raise UsageError(f"tau {self.tau} is not from 0 to {_MOST_TAU:g}")
        if not 0 <= self.draw_probability < 1:
            raise UsageError(
                f"the draw probability {self.draw_probability} must be at least 0 and less than 1"
            )


class Rater(trueskill.TrueSkill):  # type: ignore[misc] # the package ships no types
    """Rates single matches, skills in and skills out, with v and w defined everywhere, and 0 <= w < 1.

    The package itself raises FloatingPointError when a favourite is about 38 standard deviations stronger,
    and for a tie with draw probability 0 it returns a w below 0, which makes sigma grow.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__(*astuple(settings))
        self._margin: float = trueskill.calc_draw_margin(settings.draw_probability, 2, self)

    def win(self, diff: float, margin: float) -> tuple[float, float]:
        """The corrections v and w of a win, for standard deviations of the difference."""
        x = diff - margin
        if -_TAIL < x < _TAIL:
            v = self.pdf(x) / self.cdf(x)
            w = v * (v + x)
            if 0 < w <= truncated_normal.W_MAX:
                return v, w
        return truncated_normal.win(diff, margin)

    def draw(self, diff: float, margin: float) -> tuple[float, float]:
        """The corrections v and w of a draw, for standard deviations of the difference."""
        away = abs(diff)
        if margin >= _THIN and away - margin < _TAIL:
            a, b = margin - away, -margin - away
            density_a, density_b = self.pdf(a), self.pdf(b)
            within = self.cdf(a) - self.cdf(b)
            if within > 0:
                v = (density_b - density_a) / within
                w = v**2 + (a * density_a - b * density_b) / within
                if 0 < w <= truncated_normal.W_MAX:
                    return (-v if diff < 0 else v), w
        return truncated_normal.draw(diff, margin)

    def v_win(self, diff: float, draw_margin: float) -> float:
        """The package's hook for v of a win."""
        return self.win(diff, draw_margin)[0]

    def w_win(self, diff: float, draw_margin: float) -> float:
        """The package's hook for w of a win."""
        return self.win(diff, draw_margin)[1]

    def v_draw(self, diff: float, draw_margin: float) -> float:
        """The package's hook for v of a draw."""
        return self.draw(diff, draw_margin)[0]

    def w_draw(self, diff: float, draw_margin: float) -> float:
        """The package's hook for w of a draw."""
        return self.draw(diff, draw_margin)[1]

    def rate_table(self, skills: tuple[Skill, ...], ranks: tuple[int, ...]) -> tuple[Skill, ...]:
        """Each seat's skill after a match, by the package's message passing.

        From three seats on the result depends on the order in which seats of equal rank are given.
        """
        groups = [(trueskill.Rating(skill.mu, skill.sigma),) for skill in skills]
        after = self.rate(groups, ranks)
        return tuple(
            Skill(rating.mu, rating.sigma, skill.games + 1)
            for skill, (rating,) in zip(skills, after, strict=True)
        )

    def rate_two(self, a: Skill, b: Skill, drawn: bool) -> tuple[Skill, Skill]:
        """Two seats' skills after ``a`` beat ``b`` or drew with it, by the closed formulas.

        Herbrich, Minka and Graepel (2006): mu moves by (sigma**2 / c) v, sigma**2 shrinks by the factor
        1 - (sigma**2 / c**2) w, c**2 being the variance of the difference of the performances.
        """
        dynamics = self.tau * self.tau
        variance_a = a.sigma * a.sigma + dynamics
        variance_b = b.sigma * b.sigma + dynamics
        total = 2 * self.beta * self.beta + variance_a + variance_b
        c = math.sqrt(total)
        decide = self.draw if drawn else self.win
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
class SkillPool:
    """The skills of all entrants after the matches up to ``last`` (None: before the first).

    ``pool.after(more)`` continues from there, so old results need not be rated again.
    """

    settings: Settings
    skills: Mapping[int, Skill] = field(default_factory=dict)
    last: MatchKey | None = None

    @classmethod
    def of(cls, entrants: Iterable[int], settings: Settings | None = None) -> "SkillPool":
        """The pool before the first match."""
        settings = settings or Settings()
        return cls(settings, {number: Skill(settings.mu, settings.sigma) for number in sorted(entrants)})

    def after(self, results: Iterable[ResultRow], forfeits: Forfeits = "loss") -> "SkillPool":
        """The pool after more results that come in the order of their keys; reads them one by one.

        Raises ValueError for a key that does not follow the last, an entrant that the pool lacks, or one that
        sits twice at a table.
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

    def table(self) -> tuple[TrueSkillRating, ...]:
        """The ratings as published, best first: by mu, then sigma, then number."""
        lines = []
        for number, skill in self.skills.items():
            mu, sigma = round(skill.mu, 3), round(skill.sigma, 3)
            # Adding 0.0 turns -0.0 into 0.0, so that the two are printed alike.
            lines.append(
                TrueSkillRating(0, number, mu + 0.0, sigma, round(mu - 3 * sigma, 3) + 0.0, skill.games)
            )
        lines.sort(key=lambda line: (-line.mu, line.sigma, line.entrant))
        ranks: dict[float, int] = {}
        return tuple(
            line._replace(rank=ranks.setdefault(line.mu, place)) for place, line in enumerate(lines, 1)
        )


def share_ranks(lines: Sequence[TrueSkillRating], seats: int) -> tuple[TrueSkillRating, ...]:
    """The table; with more than two seats, bots that ``BY_SEAT`` may separate share a rank."""
    shared: list[TrueSkillRating] = []
    for place, line in enumerate(lines):
        rank = line.rank
        if place and seats > 2:
            gap = lines[place - 1].mu - line.mu
            if gap <= BY_SEAT * min(lines[place - 1].sigma, line.sigma):
                rank = shared[-1].rank
        shared.append(line._replace(rank=rank))
    return tuple(shared)


class TrueSkillMethod(OrderedMethod):
    """TrueSkill, one match after the other in schedule order."""

    name = "trueskill"
    measures = (
        Measure("mu", "Mean of the bot's skill", digits=3),
        Measure("sigma", "Standard deviation of the skill", digits=3),
        Measure("exposed", "The lower end of what the skill may be", title="mu-3sigma", digits=3),
    )
    options = frozenset({"tau", "draw-probability"})

    def __init__(self, parameters: Settings | None = None) -> None:
        self.parameters = parameters or Settings()

    @property
    def settings(self) -> dict[str, float]:
        """TrueSkill's parameters by name."""
        return asdict(self.parameters)

    @property
    def note(self) -> str:
        """A sentence that names the settings that a command can change."""
        tau, probability = self.parameters.tau, self.parameters.draw_probability
        return f"rated with tau {tau:g} and draw probability {probability:g}"

    def configured(self, **settings: float) -> "TrueSkillMethod":
        """TrueSkill with other parameters. Raises UsageError for a meaningless one."""
        return TrueSkillMethod(replace(self.parameters, **settings))

    def shown(self, lines: Sequence[TrueSkillRating], seats: int) -> Sequence[TrueSkillRating]:  # type: ignore[override] # its own lines
        """The table in which losers that tied share a rank."""
        return share_ranks(lines, seats)

    def begin(self, entrants: Iterable[int]) -> SkillPool:
        """The pool before the first match."""
        return SkillPool.of(entrants, self.parameters)

    def dump(self, pool: SkillPool) -> dict[str, object]:
        """A pool as JSON data, to the last bit."""
        return dump_pool(pool)

    def load(self, state: object, entrants: Iterable[int]) -> SkillPool | None:
        """The pool that ``dump`` gave, with new entrants added; None for malformed data."""
        return load_pool(state, self.parameters, entrants)


def history(
    results: Iterable[ResultRow],
    entrants: Iterable[int],
    settings: Settings | None = None,
) -> Iterator[tuple[int, SkillPool]]:
    """Yield each round that has a rated match, with the pool after it; results come in schedule order.

    They are read one by one. Raise ValueError as ``SkillPool.after`` does.
    """
    pool = SkillPool.of(entrants, settings)
    for round_, group in groupby(rated(results), key=lambda result: result.key[0]):
        pool = pool.after(group)
        yield round_, pool


def _rate_match(rater: Rater, skills: dict[int, Skill], result: ResultRow) -> None:
    entrants, ranks = result.entrants, result.ranks
    if len(set(entrants)) < len(entrants):
        raise ValueError(f"an entrant sits twice in match {result.key}")
    try:
        if len(entrants) == 2:
            (a, b), (rank_a, rank_b) = entrants, ranks
            if rank_b < rank_a:
                a, b = b, a
            skills[a], skills[b] = rater.rate_two(skills[a], skills[b], rank_a == rank_b)
            return
        # Message passing is not symmetric in seats of equal rank: entrants' numbers fix their order.
        order = sorted(range(len(entrants)), key=lambda seat: (ranks[seat], entrants[seat]))
        after = rater.rate_table(
            tuple(skills[entrants[seat]] for seat in order), tuple(ranks[seat] for seat in order)
        )
    except KeyError as error:
        raise ValueError(f"match {result.key} has an entrant {error} that is not in the pool") from error
    for seat, skill in zip(order, after, strict=True):
        skills[entrants[seat]] = skill


def dump_pool(pool: SkillPool) -> dict[str, object]:
    """A pool without its settings as JSON data."""
    return {
        "last": None if pool.last is None else list(pool.last),
        "skills": [
            [number, skill.mu.hex(), skill.sigma.hex(), skill.games] for number, skill in pool.skills.items()
        ],
    }


class _KeptPool(Struct, frozen=True):
    """What ``dump_pool`` returns: the last match's key, and number, mu, sigma and games of each entrant."""

    last: tuple[int, int, int, int] | None
    skills: list[tuple[int, str, str, int]]


def load_pool(state: object, settings: Settings, entrants: Iterable[int]) -> SkillPool | None:
    """The pool that ``dump_pool`` gave, with new entrants added; None for malformed data."""
    try:
        stored = convert(state, prepared(_KeptPool))
        skills = {
            number: Skill(float.fromhex(mu), float.fromhex(sigma), games)
            for number, mu, sigma, games in stored.skills
        }
    except (MsgspecError, ValueError, OverflowError):
        return None
    fresh = SkillPool.of(entrants, settings).skills
    if not skills.keys() <= fresh.keys():
        return None
    return SkillPool(settings, {**fresh, **skills}, None if stored.last is None else MatchKey(*stored.last))


def default_draw_probability(game: str, seats: int, options: Mapping[str, str] | None = None) -> float:
    """The default draw probability of a game: of two neighbours in the final order.

    The trueskill package's default, except in a game with a single winner: its rules tie (seats - 2) of the
    (seats - 1) pairs of neighbours. A game whose rules are not installed gets the package's default.
    """
    with suppress(GameError):
        rules = find_game(game)
        if seats > 2 and rules.has_single_winner(*rules.settings(seats, options)):
            return round((seats - 2) / (seats - 1), 4)
    probability: float = trueskill.DRAW_PROBABILITY
    return probability


def estimate_draw_probability(results: Iterable[ResultRow], forfeits: Forfeits = "loss") -> float:
    """The share of tied neighbours in the order of ranks, to 4 decimals, never 0 or 1.

    It is (ties + 1) / (neighbours + 2), Laplace's rule of succession: a pool without draws may have one
    later. At two seats it is the share of draws.
    """
    ties = neighbours = 0
    for result in rated(results, forfeits):
        ordered = sorted(result.ranks)
        neighbours += len(ordered) - 1
        ties += sum(a == b for a, b in pairwise(ordered))
    return min(max(round((ties + 1) / (neighbours + 2), 4), 0.0001), 0.9999)
