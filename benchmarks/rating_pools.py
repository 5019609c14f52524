"""Simulated pools of known strengths, the same on every machine, for measuring ratings."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tourney.ratings.fit import ELO
from tourney.ratings.sequential import expected_score
from tourney.ratings.superiority import normals, uniforms
from tourney.schedule.row import MatchKey, ResultRow

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class World:
    """The model of a simulated pool; standard deviations and effects in Elo.

    ``opening``: the advantage of one bot over another in all games of a mirrored group (so these are alike);
    ``dice``: that of a seat (so mirrored games are opposed). ``style``: the advantage of a bot against
    another that no rating explains (two seats only). ``draws``: the share of draws of equals at two seats;
    ``taste``: by how much bots differ in it (natural logarithm of the odds). The expected score is that of
    Elo whatever the draws. ``grid``: at more seats performances are rounded to this, and equal ones tie (0:
    no ties); ``places``: the number of distinct places, all others share the last (0: all).
    """

    name: str
    seats: int
    bots: int = 50
    spread: float = 200.0
    seat: float = 35.0
    opening: float = 0.0
    dice: float = 0.0
    style: float = 0.0
    draws: float = 0.2
    taste: float = 0.0
    grid: float = 0.0
    places: int = 0


@dataclass(frozen=True, slots=True)
class Pool:
    """Strengths (Elo, mean 0) and results in schedule order."""

    world: World
    strengths: Floats
    results: list[ResultRow]


def simulate(world: World, seed: int, matches: int, stream: str = "pool") -> Pool:
    """A pool; strengths depend on world and seed, matches on the stream too."""
    labels = (world.name, seed)
    strengths = world.spread * normals(world.bots, "bench", *labels, "strengths")
    strengths -= strengths.mean()
    k = world.seats
    clusters = matches // k
    # The first k of a random order of all bots sit down.
    order = np.argsort(uniforms(clusters * world.bots, "bench", *labels, stream, "who").reshape(clusters, -1))
    who = order[:, :k]
    games = np.repeat(np.arange(clusters), k)
    turns = np.tile(np.arange(k), clusters)
    # Game t of a group seats the bots turned by t; so two seats play both orders.
    seat_of = (np.arange(k)[None, :] + turns[:, None]) % k
    opening = world.opening * normals(clusters * k, "bench", *labels, stream, "opening").reshape(clusters, k)
    dice = world.dice * normals(clusters * k, "bench", *labels, stream, "dice").reshape(clusters, k)
    seats = world.seat * np.linspace(0.5, -0.5, k)
    utility = (strengths[who] + opening)[games[:, None], seat_of] + seats + dice[games]
    sat = who[games[:, None], seat_of]
    if world.style:
        suits = world.style * normals(world.bots**2, "bench", *labels, "style").reshape(world.bots, -1)
        utility[:, 0] += (suits - suits.T)[sat[:, 0], sat[:, 1]]
    taste = world.taste * normals(world.bots, "bench", *labels, "taste")[sat]
    ranks = (
        _scores(world, utility, taste, labels, stream) if k == 2 else _order(world, utility, labels, stream)
    )
    results = [
        ResultRow(
            MatchKey(1, int(game) + 1, 1, int(turn) + 1), tuple(map(int, seated)), tuple(map(int, ranked))
        )
        for game, turn, seated, ranked in zip(games, turns, sat, ranks, strict=True)
    ]
    return Pool(world, strengths, results)


def pair_shares(elo: float, *, mirrored: bool, dice: float = 300.0, nu: float = 0.5) -> Floats:
    """The probabilities of A's scores of 0 to 4 half-points in two games with dice that favour a seat.

    They follow Davidson's model, averaged over the dice; A's mean score is the one expected at ``elo``.
    """
    points, weights = np.polynomial.hermite_e.hermegauss(40)
    weights = weights / weights.sum()

    def outcomes(gap: float) -> Floats:
        half = (gap + dice * points) / ELO / 2
        win, loss = np.exp(half), np.exp(-half)
        return np.stack([loss, np.full_like(half, nu), win]) / (win + loss + nu)

    low, high = -1000.0, 1000.0
    for _ in range(60):
        gap = (low + high) / 2
        _, draw, win = outcomes(gap) @ weights
        low, high = (gap, high) if win + draw / 2 < expected_score(elo) else (low, gap)
    first, second = outcomes(gap), outcomes(gap)[:, ::-1]
    shares = np.zeros(5)
    for i in range(3):
        for j in range(3):
            both = (
                first[i] * second[j] @ weights if mirrored else (first[i] @ weights) * (second[j] @ weights)
            )
            shares[i + j] += both
    return shares


def _scores(
    world: World, utility: Floats, taste: Floats, labels: tuple[str, int], stream: str
) -> NDArray[np.int64]:
    expected = 1 / (1 + np.exp((utility[:, 1] - utility[:, 0]) / ELO))
    odds = world.draws / (1 - world.draws) * np.exp(taste.sum(axis=1)) if world.draws < 1 else np.inf
    draw = 2 * np.minimum(expected, 1 - expected) * (1 / (1 + 1 / odds) if world.draws else 0.0)
    u = uniforms(len(expected), "bench", *labels, stream, "outcome")
    first = np.where(u < expected + draw / 2, 1, 2)
    second = np.where(u < expected - draw / 2, 2, 1)
    return np.stack([first, second], axis=1)


def _order(world: World, utility: Floats, labels: tuple[str, int], stream: str) -> NDArray[np.int64]:
    # Utilities plus independent Gumbel noise order themselves as Plackett and Luce's model says.
    noise = -np.log(-np.log(uniforms(utility.size, "bench", *labels, stream, "outcome")))
    performance = utility / ELO + noise.reshape(utility.shape)
    if world.grid:
        performance = np.round(performance * ELO / world.grid)
    better = performance[:, None, :] > performance[:, :, None]
    ranks: NDArray[np.int64] = 1 + better.sum(axis=2)
    return np.minimum(ranks, world.places + 1) if world.places else ranks
