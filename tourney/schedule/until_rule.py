"""``[until]`` of a tournament file: the question that a tournament answers. It ends with the answer.

Whether it is known is decided before each batch of rounds, from the results that the format sees
(``tourney.results.until``); so the same records give the same decision with any number of workers.

An adaptive tournament answers by direct meetings. Two entrants are compared by the mirrored groups in which
both sat, each group giving one score: the share of its games in which the one finished ahead, equal ranks
half. The mean score has an interval that holds at every look (``multiplier``), for
any order of pairings. No rating model is needed, so the answers hold where strength is not one number too.

A round-robin answers by cycles, in each of which all groups of entrants meet once: the score of a against b
is (1 + a's share of its points in the cycle - b's) / 2. So all games of both count, and no model of
strength is needed here either.

With n entrants and confidence 1 - alpha:

- *best*: a bot that is ahead of each other one, at level 2 alpha / n a comparison. Another bot than the true
  best needs an error in its comparison with that one; where no bot is ahead of all others, each needs an
  error against one of those ahead of it. So any answer is wrong with probability alpha at most.
- *top* and *order*: all n (n - 1) / 2 comparisons hold together with probability 1 - alpha (Bonferroni).

Pairings follow LUCB (Kalyanakrishnan, Tewari, Auer and Stone, "PAC subset selection in stochastic multi-armed
bandits", ICML 2012): those who lead by rating meet those who may still be ahead of them, the most likely
first.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, groupby
from typing import Final, Literal

from tourney.errors import TournamentError
from tourney.match.evidence import POINT, Coefficient
from tourney.schedule.row import ResultRow, half_points, score_units, units_of_win

ALPHA: Final = 0.05  # the share of runs in which an interval may ever exclude the truth


def tuned(alpha: float = ALPHA) -> float:
    """The value of t rho^2 at the planned length, for the rho that makes the interval narrowest there.

    An approximation that is within 1 % of the optimum (Waudby-Smith and others 2024, appendix B.2).
    """
    wanted = -2 * math.log(alpha)
    return wanted + math.log(wanted + 1)


def multiplier(share: float, alpha: float = ALPHA) -> float:
    """The standard errors on each side of an interval that holds at every look, at a ``share`` of the plan.

    The boundary is the normal mixture of Robbins (Annals of Mathematical Statistics 41, 1970), which
    Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas ("Time-uniform central limit theory and asymptotic
    confidence sequences", Annals of Statistics 52, 2024, theorem 2.2 and proposition 2.1) carry to any
    estimate with a consistent standard error: with t units and a parameter rho,

        |estimate - truth| <= SE * sqrt(2 (t rho^2 + 1) / (t rho^2) * log(sqrt(t rho^2 + 1) / alpha)).

    rho makes the interval narrowest at the planned length. Only t rho^2 matters, so ``share`` is the run's
    information as a share of that planned: t / planned for units of equal weight, else the planned variance
    of an estimate over the variance now. Units are independent: mirrored groups of games, not games. The
    result is 1.55 times that of a fixed interval at ``share`` 1 and ``alpha`` 0.05, more before and after,
    and infinite at 0.
    """
    if share <= 0:
        return math.inf
    seen = tuned(alpha) * share
    return math.sqrt((1 + 1 / seen) * (math.log1p(seen) - 2 * math.log(alpha)))


Kind = Literal["width", "best", "top", "order", "games"]

SHARE: Final = 10_000  # ``best`` is stored in ten-thousandths
CONFIDENCE: Final = 9500  # the confidence of ``top`` and ``order``, in ten-thousandths
LIMITS: Final[dict[str, tuple[int, int]]] = {
    "until-best": (SHARE // 2, SHARE - 1),
    "until-games": (1, 2_000_000),
    "until-order": (1, 1),
    "until-top": (1, 100_000),
    "until-width": (1, 1000),
}
"""The settings of a stored plan, with their least and largest values."""


GAMES: Final = "games-per-pairing"
FIRST: Final = "first-"
FIRSTS: Final = tuple(FIRST + key for key in ("budget", GAMES, "until-games"))
"""The settings of a stored plan that keep the first values of raised keys."""


Settings = tuple[int, tuple[tuple[str, int | str], ...]]
"""A plan's games per pairing, and its settings."""


def with_first(old: Settings, new: Settings) -> tuple[tuple[str, int | str], ...]:
    """New settings, with the first values of the settings that differ from the old ones."""
    was, now = ({GAMES: games, **dict(extra)} for games, extra in (old, new))
    first = {FIRST + key: value for key, value in was.items() if now.get(key, value) != value}
    first |= {key: value for key, value in was.items() if key in FIRSTS}
    return tuple(sorted((dict(new[1]) | first).items()))


def first_settings(games: int, extra: Iterable[tuple[str, int | str]]) -> Settings:
    """A plan's games per pairing and settings before a later file raised any, whose first values it keeps."""
    settings = dict(extra)
    first = {name.removeprefix(FIRST): settings.pop(name) for name in list(settings) if name in FIRSTS}
    games = int(first.pop(GAMES, games))
    return games, tuple(sorted((settings | first).items()))


@dataclass(frozen=True, slots=True)
class Until:
    """The conditions that end a tournament; None and False where one is not set.

    ``width``: the half width of every Elo's interval. ``best``: the confidence (ten-thousandths) that one
    entrant is the best. ``top``: the number of best entrants to be known. ``order``: the order of all.
    ``games``: the number of matches.
    """

    width: int | None = None
    best: int | None = None
    top: int | None = None
    order: bool = False
    games: int | None = None

    @classmethod
    def of(cls, extra: Iterable[tuple[str, int | str]]) -> "Until | None":
        """The value of a plan's settings, or None without any of ``LIMITS``."""
        get = {name.removeprefix("until-"): int(value) for name, value in extra if name in LIMITS}.get
        until = cls(get("width"), get("best"), get("top"), bool(get("order")), get("games"))
        return None if until == cls() else until

    def extra(self) -> tuple[tuple[str, int], ...]:
        """The settings of a plan, sorted by name; the inverse of ``of``."""
        return tuple((f"until-{name}", int(value)) for name, value in sorted(asdict(self).items()) if value)

    @property
    def compares(self) -> bool:
        """Whether it asks who is better than whom."""
        return self.best is not None or self.top is not None or self.order

    def check(self, entrants: int, unit: int) -> None:
        """Raise TournamentError if it cannot end a tournament of this size, of ``unit`` matches at least."""
        if self.top is not None and self.top >= entrants:
            raise TournamentError(
                f"[until] top is {self.top}, but there are {entrants} entrants: set it to"
                f" {entrants - 1} or less"
            )
        if self.games is not None and self.games < unit:
            raise TournamentError(
                f"[until] games is {self.games}, but the first {unit} matches belong together: set games"
                f" to {unit} or more"
            )


Pair = tuple[int, int]

_WIN: Final = 120 * 10**6  # a score of 1; so the score of a group of 1 to 6 games is a whole number
_DIGITS: Final = 6


class Duels:
    """Scores of pairs by mirrored groups: their number, sum and sum of squares, which grow by results.

    Where the luck of the dice is known, the share of it that earlier rounds suggest is subtracted.
    """

    planned = 500
    """Groups of a pair for which intervals are tuned: as many as separate bots 45 Elo apart."""

    def __init__(self, *, shared_dice: bool = True) -> None:
        """Begin without results; without ``shared_dice`` each match is a group."""
        self._labels = 3 if shared_dice else 4
        self._added = _WIN**2
        self._groups: Counter[Pair] = Counter()
        self._sums: Counter[Pair] = Counter()
        self._squares: Counter[Pair] = Counter()
        self._share = Coefficient()
        self._seen: list[tuple[float, float]] = []
        self._round = 0

    def take(self, results: Iterable[ResultRow]) -> None:
        """Add whole groups, in schedule order; void matches count for nothing."""
        for key, group in groupby(results, key=lambda result: result.key[: self._labels]):
            if key[0] != self._round:
                self._share.add(self._seen)
                self._seen = []
                self._round = key[0]
            games: Counter[Pair] = Counter()
            scored: Counter[Pair] = Counter()
            lucks: Counter[Pair] = Counter()
            for result in group:
                if result.void:
                    continue
                for i, j in combinations(range(len(result.ranks)), 2):
                    a = result.entrants[i]
                    b = result.entrants[j]
                    mine = result.ranks[i]
                    theirs = result.ranks[j]
                    luck = result.evidence.luck[i] - result.evidence.luck[j] if result.evidence.luck else 0
                    if a > b:
                        a, b = b, a
                        mine, theirs = theirs, mine
                        luck = -luck
                    lucks[a, b] += luck
                    games[a, b] += 1
                    scored[a, b] += half_points(mine, theirs)
            for pair, count in games.items():
                # One score for the whole group: its games share dice and opening, so they are one
                # observation.
                points = lucks[pair] / (2 * POINT * count)
                self._take(pair, self._fair(_WIN // 2 * scored[pair] // count, points))

    def _fair(self, score: int, luck: float) -> int:
        """A score less a share of its luck, which is known before its dice."""
        if luck:
            self._seen.append((score / _WIN, luck))
        return score - round(_WIN * self._share.value * luck)

    def _take(self, pair: Pair, score: int) -> None:
        self._groups[pair] += 1
        self._sums[pair] += score
        self._squares[pair] += score * score

    def groups(self, a: int, b: int) -> int:
        """The number of groups in which both sat."""
        return self._groups[min(a, b), max(a, b)]

    def lead(self, a: int, b: int) -> tuple[float, float]:
        """The excess of a's mean score over one half, and its standard error.

        Two groups are added, one won wholly by each, so that the error is never 0.
        """
        pair = (min(a, b), max(a, b))
        n = self._groups[pair] + 2
        total = self._sums[pair] + _WIN
        squares = self._squares[pair] + self._added
        # Integers up to the root: sums of squares in floats would depend on the order of the results.
        error = math.sqrt(n * squares - total * total) / n / math.sqrt(n) / _WIN
        lead = total / n / _WIN - 0.5
        return (lead if a < b else -lead), error

    def ahead(self, a: int, b: int, level: float) -> bool:
        """Whether a is ahead of b, at every look with this two-sided level."""
        lead, error = self.lead(a, b)
        return round(lead - multiplier(self.groups(a, b) / self.planned, level) * error, _DIGITS) > 0

    def upper(self, a: int, b: int, level: float, more: int = 0) -> float:
        """The upper end of a's lead over b, as after ``more`` groups like those so far."""
        lead, error = self.lead(a, b)
        n = self.groups(a, b)
        if not n + more:
            return math.inf
        shrunk = error * math.sqrt((n + 2) / (n + more + 2))
        return round(lead + multiplier((n + more) / self.planned, level) * shrunk, _DIGITS)


class CyclePoints(Duels):
    """Scores of pairs by the cycles of a round-robin, of ``unit`` matches each.

    ``meetings``: the mirrored groups of an entrant in a cycle. The two added cycles vary like the mean of
    that number of groups, each won wholly.
    """

    planned = 100
    """The number of cycles for which intervals are tuned."""

    def __init__(self, unit: int, meetings: int) -> None:
        super().__init__()
        self._added = (_WIN**2 + _WIN**2 // meetings) // 2
        self._unit = self._left = unit
        self._seats = 2
        self._units: Counter[int] = Counter()
        self._most: Counter[int] = Counter()
        self._luck: Counter[int] = Counter()
        self.points: Counter[int] = Counter()

    def take(self, results: Iterable[ResultRow]) -> None:
        """Add whole rounds, in schedule order; void matches count for nothing."""
        for result in results:
            if not result.void:
                seats = self._seats = len(result.ranks)
                self._units.update(dict(zip(result.entrants, score_units(result.ranks), strict=True)))
                self._most.update(dict.fromkeys(result.entrants, units_of_win(seats)))
                self._luck.update(dict(zip(result.entrants, result.evidence.luck, strict=False)))
            self._left -= 1
            if not self._left:
                self._close()

    def _close(self) -> None:
        """End a cycle: add its scores."""
        self._share.add(self._seen)
        self._seen = []
        win = units_of_win(self._seats)
        shares = {}
        for number, most in sorted(self._most.items()):
            luck = self._luck[number] * win / most / POINT
            shares[number] = self._fair(_WIN * self._units[number] // most, luck)
        for a, b in combinations(shares, 2):
            self._take((a, b), (_WIN + shares[a] - shares[b]) // 2)
        self.points.update(shares)
        self._units.clear()
        self._most.clear()
        self._luck.clear()
        self._left = self._unit


def levels(until: Until, entrants: int) -> dict[Kind, float]:
    """The level of each comparison that the question needs, as the module says."""
    pairs = entrants * (entrants - 1) / 2
    alpha = 1 - CONFIDENCE / SHARE
    by_kind: dict[Kind, float] = {}
    if until.best is not None:
        by_kind["best"] = 2 * (1 - until.best / SHARE) / entrants
    every: tuple[tuple[Kind, bool], ...] = (("top", until.top is not None), ("order", until.order))
    return by_kind | {kind: alpha / pairs for kind, asked in every if asked}


def claims(kind: Kind, ranked: Sequence[int], top: int | None) -> Iterator[Pair]:
    """Yield the pairs (a, b) with a ahead of b that an answer claims, of entrants ``ranked`` by strength."""
    if kind == "best":
        yield from ((ranked[0], rival) for rival in ranked[1:])
    elif kind == "top":
        yield from ((a, b) for a in ranked[:top] for b in ranked[top:])
    else:
        yield from combinations(ranked, 2)


class Race:
    """The pairings of a batch, one after the other, of entrants ``ranked`` by their estimated strength."""

    def __init__(
        self, duels: Duels, until: Until, ranked: Sequence[int], seats: int, waiting: Iterable[Sequence[int]]
    ) -> None:
        """Begin a batch; ``waiting`` are the pairings whose results are not known yet."""
        kind, self._level = next(iter(levels(until, len(ranked)).items()))
        self._duels = duels
        self._seats = seats
        self._ranked = ranked
        self._more: Counter[Pair] = Counter()
        for group in waiting:
            self._count(group)
        self._open = [
            (a, b) for a, b in claims(kind, ranked, until.top) if not duels.ahead(a, b, self._level)
        ]

    def next(self) -> tuple[int, ...] | None:
        """The next pairing, or None if nothing is open: the two nearest, then others near them."""
        if not self._open:
            return None
        place = {number: at for at, number in enumerate(self._ranked)}
        order = sorted(self._open, key=lambda pair: (-self._upper(*pair), self._met(*pair), place[pair[1]]))
        group = list(order[0])
        for a, b in order:
            if len(group) == self._seats:
                break
            if (a in group) != (b in group):
                group.append(b if a in group else a)
        rest = [number for number in self._ranked if number not in group]
        group += rest[: self._seats - len(group)]
        self._count(group)
        return tuple(group)

    def _met(self, a: int, b: int) -> int:
        return self._duels.groups(a, b) + self._more[min(a, b), max(a, b)]

    def _upper(self, a: int, b: int) -> float:
        """The most by which b may be ahead of a."""
        return self._duels.upper(b, a, self._level, self._more[min(a, b), max(a, b)])

    def _count(self, group: Sequence[int]) -> None:
        self._more.update((min(pair), max(pair)) for pair in combinations(group, 2))
