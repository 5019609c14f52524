"""Tunings on known surfaces, simulated with seeds: how near to the best values, in how many games.

    python -m benchmarks.tune methods [--runs 20] [--games 1000 --games 4000 --games 16000] [--method spsa]
    python -m benchmarks.tune luck [--runs 40]
    python -m benchmarks.tune flat [--runs 400]

A surface gives the Elo of the values of two or three parameters from 0 to 100, whose first ones are
deliberately bad. ``quadratic``: three parameters, 150 Elo below the best. ``ridge``: two, of which the
difference matters much and the sum little, 110 Elo below. ``noisy``: the quadratic one, where the strength
of each pair varies by a normal distribution of 150 Elo. ``flat``: three that change nothing. No game is
drawn.

``methods``: the Elo that the tuned values are below the best, the mean and the share of runs with at most 5;
and how often the gate of at most the same number of games accepts them. ``--rate`` is SPSA's. ``luck``: games
whose dice shift the strength by a normal distribution of 250 Elo, of which the value function knows two
thirds. ``flat``: how often the gate accepts values that are no better.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from statistics import NormalDist
from typing import Final, NamedTuple

import click

from benchmarks.common import described, head, row, run
from tourney.addons.lab.gate import GateRule
from tourney.addons.lab.tune_file import GATE_BATCH
from tourney.addons.lab.tuning_methods import METHODS, SearchTerms, Values, default_rate, method_of
from tourney.bots.catalogue.manifest import Parameter
from tourney.match.evidence import CAP, POINT, Coefficient
from tourney.ratings.sequential import expected_score
from tourney.seeds import U64, deriver

NEAR: Final = 5
"""The Elo within which values count as found."""
_NORMAL = NormalDist()


class Surface(NamedTuple):
    """The Elo of values, the first ones, and what varies: each pair, and each game by its dice, in Elo."""

    elo: Callable[[Sequence[float]], float]
    first: tuple[int, ...]
    pairs: float = 0.0
    dice: float = 0.0
    known: bool = False
    """Whether luck is taken out."""


def quadratic(values: Sequence[float]) -> float:
    """150 Elo from 20 to 60 in three parameters together."""
    return -50 * math.fsum(((value - 60) / 40) ** 2 for value in values)


def ridge(values: Sequence[float]) -> float:
    """200 Elo for a difference of 40, 60 for a sum of 80."""
    x, y = values
    return -200 * ((x - y) / 40) ** 2 - 60 * ((x + y - 120) / 80) ** 2


SURFACES: Final = {
    "quadratic": Surface(quadratic, (20, 20, 20)),
    "ridge": Surface(ridge, (20, 40)),
    "noisy": Surface(quadratic, (20, 20, 20), pairs=150),
    "dice": Surface(quadratic, (20, 20, 20), dice=250, known=True),
    "flat": Surface(lambda _: 0.0, (20, 20, 20)),
}


class Table:
    """A table at which pairs of games are played, by draws from one seed."""

    def __init__(self, surface: Surface, seed: int) -> None:
        self._surface = surface
        self._draw = deriver(seed, "benchmark")
        self._drawn = 0

    def pair(self, one: Values, other: Values) -> tuple[float, float]:
        """The mean score of the first values in two games, and its luck in points."""
        apart = self._elo(one) - self._elo(other) + self._normal(self._surface.pairs)
        score = luck = 0.0
        for _ in range(2):
            dice = self._normal(self._surface.dice)
            score += self._uniform() < expected_score(apart + dice)
            # The value function sees two thirds of what the dice do.
            seen = expected_score(2 * dice / 3) - 0.5
            luck += max(-CAP / POINT, min(CAP / POINT, seen))
        return score / 2, luck / 2

    def _elo(self, values: Values) -> float:
        return self._surface.elo([float(value) for value in values])

    def _uniform(self) -> float:
        self._drawn += 1
        return (self._draw(self._drawn) + 0.5) / U64

    def _normal(self, deviation: float) -> float:
        return _NORMAL.inv_cdf(self._uniform()) * deviation if deviation else 0.0


class Tuned(NamedTuple):
    """The outcome of a tuning: Elo below the best values, and over the first ones; and the gate's claim."""

    below: float
    gain: float
    claim: str | None


def tune(
    surface: Surface, name: str, games: int, seed: int, *, gate: int = 0, rate: Decimal | None = None
) -> Tuned:
    """Tune once, as ``tourney tune`` does, and let a gate of at most ``gate`` games decide.

    Luck is taken out if the surface has any that is ``known``.
    """
    parameters = tuple(Parameter(value=first, low=0, high=100, step=10) for first in surface.first)
    names = tuple(f"p{place}" for place in range(len(parameters)))
    terms = SearchTerms(names, parameters, games // 2, 8, seed, rate or default_rate(len(parameters)))
    method, table, known = method_of(name, terms), Table(surface, seed), Coefficient()
    while method.count:
        found = [table.pair(*duel) for duel in method.propose()]
        part = known.value if surface.known else 0.0
        known.add(found)
        method.learn([score - part * of_dice for score, of_dice in found])
    values = method.values
    elo = surface.elo([float(value) for value in values])
    claim = None
    if gate and values != terms.start:
        claim = _gate(surface, (values, terms.start), seed + 1, gate)
    return Tuned(-elo, elo - surface.elo(surface.first), claim)


def _gate(surface: Surface, duel: tuple[Values, Values], seed: int, games: int) -> str | None:
    """The claim of the gate about the tuned values."""
    rule, table, known = GateRule(0.0, 10.0, luck=surface.known), Table(surface, seed), Coefficient()
    batches: list[Counter[float]] = []
    for _ in range(max(1, games // 2 // GATE_BATCH)):
        found = [table.pair(*duel) for _ in range(GATE_BATCH)]
        part = known.value if surface.known else 0.0
        known.add(found)
        batches.append(Counter(score - part * of_dice for score, of_dice in found))
        ((_, _, claim),) = rule.prove([batches])
        if claim:
            return claim
    return None


def _summary(found: Sequence[Tuned]) -> tuple[str, str]:
    """The mean Elo below the best, and the share of runs near it."""
    mean = math.fsum(one.below for one in found) / len(found)
    return f"{mean:.1f}", _percent(sum(one.below <= NEAR for one in found), len(found))


def _percent(count: int, total: int) -> str:
    return f"{100 * count / total:.3g} %"


@click.group(help=described(__doc__))
def cli() -> None:
    """Choose a table."""


@cli.command("methods")
@click.option("--runs", default=20)
@click.option("--games", multiple=True, type=int, default=(1000, 4000, 16000))
@click.option("--method", "methods", multiple=True, type=click.Choice(METHODS), default=METHODS)
@click.option("--surface", "surfaces", multiple=True, default=("quadratic", "ridge", "noisy"))
@click.option("--rate", type=Decimal)
def methods_command(
    runs: int,
    games: tuple[int, ...],
    methods: tuple[str, ...],
    surfaces: tuple[str, ...],
    rate: Decimal | None,
) -> None:
    """Print how near each method comes, by surface and games."""
    head("surface", "method", "games", "Elo below the best", f"within {NEAR} Elo", "accepted by the gate")
    for surface in surfaces:
        for name in methods:
            for count in games:
                seeds = range(0, 1000 * runs, 1000)
                found = [tune(SURFACES[surface], name, count, k, gate=count, rate=rate) for k in seeds]
                accepted = _percent(sum(one.claim == "better" for one in found), runs)
                row(surface, name, f"{count:,}", *_summary(found), accepted)


@cli.command("luck")
@click.option("--runs", default=40)
@click.option("--games", multiple=True, type=int, default=(1000, 4000))
def luck_command(runs: int, games: tuple[int, ...]) -> None:
    """Print what taking luck out is worth to SPSA in a game with dice."""
    head("luck", "games", "Elo below the best", f"within {NEAR} Elo")
    for known, word in ((False, "left in"), (True, "taken out")):
        for count in games:
            surface = SURFACES["dice"]._replace(known=known)
            found = [tune(surface, "spsa", count, 1000 * k) for k in range(runs)]
            row(word, f"{count:,}", *_summary(found))


@cli.command("flat")
@click.option("--runs", default=400)
@click.option("--games", default=1000)
@click.option("--method", "methods", multiple=True, type=click.Choice(METHODS), default=("spsa", "random"))
def flat_command(runs: int, games: int, methods: tuple[str, ...]) -> None:
    """Print how often a flat surface is accepted."""
    head("method", "games", "accepted", "rejected", "undecided")
    for name in methods:
        found = [tune(SURFACES["flat"], name, games, 1000 * k, gate=games) for k in range(runs)]
        claims = Counter(one.claim for one in found)
        shares = (_percent(claims[claim], runs) for claim in ("better", "worse", None))
        row(name, f"{games:,}", *shares)


if __name__ == "__main__":
    run(cli)
