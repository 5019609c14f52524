"""The posterior of a population against an integration by brute force, and what it must not do."""

import math

import numpy as np
import pytest

from benchmarks.ratings import Design, play_design
from tourney.ratings.batch import rate, relative
from tourney.ratings.counts import Counts, Floats
from tourney.ratings.fit import estimate
from tourney.ratings.population import SEAT, USUAL
from tourney.ratings.sequential import ELO
from tourney.ratings.superiority import leaders, stepped_down, uniforms
from tourney.schedule.row import MatchKey, ResultRow

Tally = dict[tuple[int, int], tuple[int, int, int]]
"""Games that the first won, drew and lost in the first seat."""


def results_of_tally(tally: Tally) -> list[ResultRow]:
    """Each game with dice of its own."""
    rows: list[ResultRow] = []
    for pair, counts in tally.items():
        for ranks, count in zip(((1, 2), (1, 1), (2, 1)), counts, strict=True):
            for _ in range(count):
                rows.append(ResultRow(MatchKey(1, len(rows) + 1, 1, 1), pair, ranks))
    return rows


def integrated(tally: Tally, dispersion: float) -> tuple[Floats, Floats]:
    """Elo and its standard deviation of three bots: sums over a grid of gaps, the seat's effect and spreads.

    It shares nothing with the package but the model: strengths are normal around their mean, the spread is
    exponential, each seat's effect is normal, and the log-likelihood is divided by the dispersion.
    """
    gaps = np.linspace(-1200, 1200, 121)
    first, second = gaps[:, None, None], gaps[None, :, None]  # of bots 1 and 2 over bot 0
    seat = np.linspace(-400, 400, 41)[None, None, :]
    strength = (0 * first, first, second)
    likelihood = np.zeros(np.broadcast_shapes(first.shape, second.shape, seat.shape))
    for (a, b), (wins, draws, losses) in tally.items():
        gap = (strength[a] - strength[b] + seat) / ELO
        likelihood -= (wins + draws / 2) * np.log1p(np.exp(-gap)) + (losses + draws / 2) * np.log1p(
            np.exp(gap)
        )
    likelihood /= dispersion
    likelihood -= seat**2 / (4 * SEAT**2)
    mean = (first + second) / 3
    squares = mean**2 + (first - mean) ** 2 + (second - mean) ** 2
    density = sum(
        spread * math.exp(-spread / USUAL) * np.exp(likelihood - squares / (2 * spread**2)) / spread**2
        for spread in np.geomspace(4, 3000, 60)
    )
    density /= density.sum()
    elos = [value - mean for value in strength]
    means = np.array([np.sum(density * elo) for elo in elos])
    return means, np.sqrt([np.sum(density * (elo - m) ** 2) for elo, m in zip(elos, means, strict=True)])


@pytest.mark.parametrize(
    "tally",
    [
        {(0, 1): (6, 2, 4), (1, 0): (5, 2, 5), (1, 2): (8, 1, 3), (2, 1): (4, 1, 7), (0, 2): (7, 0, 5)},
        {(0, 1): (3, 30, 2), (1, 0): (2, 30, 3), (1, 2): (6, 30, 0), (2, 1): (1, 30, 5), (2, 0): (1, 30, 4)},
        {(0, 1): (5, 0, 5), (1, 0): (5, 0, 5), (1, 2): (8, 0, 0), (2, 1): (0, 0, 8), (0, 2): (9, 0, 1)},
    ],
    ids=["close", "drawn", "one far below"],
)
def test_posterior_is_that_of_a_plain_integration(tally: Tally) -> None:
    counts = Counts.of_results(results_of_tally(tally), range(3), 2, joined=False)
    batch = rate(counts)
    means, deviations = integrated(tally, estimate(counts).dispersion)
    for line in batch.ratings:
        deviation = deviations[line.entrant]
        assert line.elo == pytest.approx(means[line.entrant], abs=0.12 * deviation)
        # The sandwich may widen an interval, by chance too.
        assert 0.9 < (line.high - line.low) / 2 / 1.96 / deviation < 1.25


def sampled(results: list[ResultRow], bots: int, dispersion: float) -> Floats:
    """Elo of bots, (samples, bots), by Markov chains: another program for the same model at two seats.

    Strengths and seats move by elliptical slices (I. Murray, R. P. Adams and D. J. C. MacKay, AISTATS 2010),
    the spread by a sample of its density on a grid, given the strengths.
    """
    draw = np.random.default_rng(1)
    first, second = np.array([row.entrants for row in results]).T
    points = np.array([(1 + np.sign(row.ranks[1] - row.ranks[0])) / 2 for row in results])

    def log_likelihood(state: Floats) -> float:
        gap = (state[first] - state[second] + state[bots] - state[bots + 1]) / ELO
        return float(np.sum(points * gap - np.logaddexp(0, gap))) / dispersion

    grid = np.geomspace(5, 2500, 200)
    spread, state, lines = 200.0, np.zeros(bots + 2), []
    level = log_likelihood(state)
    for step in range(6000):
        other = draw.standard_normal(bots + 2) * np.array([spread] * bots + [SEAT] * 2)
        floor = level + math.log(draw.random())
        angle = draw.uniform(0, 2 * math.pi)
        low, high = angle - 2 * math.pi, angle
        while True:
            there = state * math.cos(angle) + other * math.sin(angle)
            level = log_likelihood(there)
            if level > floor:
                break
            low, high = (angle, high) if angle < 0 else (low, angle)
            angle = draw.uniform(low, high)
        state = there
        squares = float(np.sum(state[:bots] ** 2))
        density = (1 - bots) * np.log(grid) - grid / USUAL - squares / (2 * grid**2)
        shares = np.cumsum(np.exp(density - density.max()))
        spread = float(grid[np.searchsorted(shares, draw.random() * shares[-1])])
        if step >= 1000:
            lines.append(state[:bots] - state[:bots].mean())
    return np.array(lines)


@pytest.mark.parametrize(
    "design", [Design("swiss", 16, 5, 0.0, 60.0), Design("swiss", 16, 5, 0.4, 200.0)], ids=["close", "wide"]
)
def test_posterior_of_a_swiss_is_that_of_a_plain_sampler(design: Design) -> None:
    _, results = play_design(design, 3)
    counts = Counts.of_results(results, range(design.bots), 2, joined=False)
    fit = estimate(counts)
    samples = sampled(results, design.bots, fit.dispersion)
    strengths, posterior = fit.mean[: design.bots], fit.covariance[: design.bots, : design.bots]
    elo, matrix = relative(strengths, posterior)
    deviations = samples.std(axis=0)
    assert np.abs((elo - samples.mean(axis=0)) / deviations).max() < 0.3
    assert 0.85 < float(np.median(np.sqrt(np.diag(matrix)) / deviations)) < 1.25
    best = np.mean(samples == samples.max(axis=1)[:, None], axis=0)
    # Relative to the mean they have no sum, so that ``matrix`` is singular: rounding would decide.
    assert np.abs(leaders(strengths, posterior).shares - best).max() < 0.1


def test_results_of_lots_are_not_taken_for_strength() -> None:
    """Of 24 equal bots in 8 games the flat fit rates about 300 Elo apart."""
    rows = []
    for game, drawn in enumerate(uniforms(96, "lots"), 1):
        a, b = game % 24, (game + 1 + game // 24 * 5) % 24
        rows.append(ResultRow(MatchKey(1, game, 1, 1), (a, b), (1, 2) if drawn < 0.5 else (2, 1)))
    counts = Counts.of_results(rows, range(24), 2, joined=False)
    flat = estimate(counts, flat=True).mean[:24] * ELO
    lines = rate(counts).ratings
    assert np.ptp(flat) > 300
    assert lines[0].elo - lines[-1].elo < 100
    assert sum(line.low <= 0 <= line.high for line in lines) == 24


def test_fit_looks_once_for_the_groups_that_met(monkeypatch: pytest.MonkeyPatch) -> None:
    """It asks for the prior of dozens of spreads, each of which read all games."""
    looks: list[Counts] = []
    met = Counts.met

    def noted(counts: Counts) -> list[set[int]]:
        looks.append(counts)
        return met(counts)

    monkeypatch.setattr(Counts, "met", noted)
    pairs = [ResultRow(MatchKey(1, game, 1, 1), (0, 1), (1, 2)) for game in range(1, 4)]
    estimate(Counts.of_results(pairs, range(2), 2, joined=False))
    assert len(looks) == 1


def test_levels_of_groups_that_never_met_stay_open() -> None:
    pairs = [(0, 1), (2, 3)]
    rows = [ResultRow(MatchKey(1, k, 1, 1), pairs[k % 2], ((1, 2), (2, 1))[k // 2 % 2]) for k in range(200)]
    batch = rate(Counts.of_results(rows, range(4), 2, joined=False))
    widths = {frozenset((pair.a, pair.b)): pair.high - pair.low for pair in batch.pairs}
    assert widths[frozenset((0, 1))] < 300
    assert widths[frozenset((0, 2))] > 3000


def test_later_steps_need_less_than_the_first() -> None:
    mean, spread = np.array([300.0, 23.0, 0.0]), np.full((3, 3), 10.0)
    apart = stepped_down(mean, spread)
    # Of its two comparisons the first must reach 2.24 deviations and the other 1.96.
    assert apart[0].tolist() == [0, 0, 0]
    assert (apart[1, 2] / 10, apart[2, 1] / 10) == (0, 0)
    assert stepped_down(np.array([21.0, 0.0, 0.0]), spread)[0, 1] / 10 == pytest.approx(2.2365, abs=1e-3)
