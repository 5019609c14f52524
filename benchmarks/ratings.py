"""Ratings against known strengths: error, coverage and speed, next to other packages.

It is one file because all tables share the simulated pools.

    pip install -r requirements/bench.in
    python -m benchmarks.ratings [--seeds 20] [TABLE ...]

Tables: pools, order, unequal, designs, bets, zero, clusters, speed; all without an argument. Every pool is
simulated from fixed seeds (see ``simulate``), so all figures but the times are the same everywhere. Strengths
are in Elo. What makes results doubtful is in ``benchmarks.audits``.

TrueSkill and openskill have units of their own; the best straight line puts them on the scale of the truth
before their errors are taken, which flatters them a little. Packages that are not installed are left out.
"""

import math
import resource
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import head, row, run, tables_command
from tourney.ratings import sequential
from tourney.ratings.batch import rate, relative
from tourney.ratings.batch import strengths as strengths_of
from tourney.ratings.counts import Counts, Game
from tourney.ratings.fit import estimate, squared_scores
from tourney.ratings.sequential import (
    ELO,
    QUANTILE,
    SCORES,
    SequentialTest,
    expected_score,
    needed,
)
from tourney.ratings.superiority import normals, uniforms
from tourney.ratings.trueskill import Settings, SkillPool
from tourney.schedule.adaptive import Adaptive
from tourney.schedule.format import Format, History, Participant, Setup
from tourney.schedule.round_robin import RoundRobin
from tourney.schedule.row import MatchKey, ResultRow
from tourney.schedule.swiss import Swiss

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
        _results(world, utility, taste, labels, stream) if k == 2 else _order(world, utility, labels, stream)
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


def _results(
    world: World, utility: Floats, taste: Floats, labels: tuple[str | int, ...], stream: str
) -> NDArray[np.int64]:
    expected = 1 / (1 + np.exp((utility[:, 1] - utility[:, 0]) / ELO))
    odds = world.draws / (1 - world.draws) * np.exp(taste.sum(axis=1)) if world.draws < 1 else np.inf
    draw = 2 * np.minimum(expected, 1 - expected) * (1 / (1 + 1 / odds) if world.draws else 0.0)
    u = uniforms(len(expected), "bench", *labels, stream, "outcome")
    first = np.where(u < expected + draw / 2, 1, 2)
    second = np.where(u < expected - draw / 2, 2, 1)
    return np.stack([first, second], axis=1)


def _order(world: World, utility: Floats, labels: tuple[str | int, ...], stream: str) -> NDArray[np.int64]:
    # Utilities plus independent Gumbel noise order themselves as Plackett and Luce's model says.
    noise = -np.log(-np.log(uniforms(utility.size, "bench", *labels, stream, "outcome")))
    performance = utility / ELO + noise.reshape(utility.shape)
    if world.grid:
        performance = np.round(performance * ELO / world.grid)
    better = performance[:, None, :] > performance[:, :, None]
    ranks: NDArray[np.int64] = 1 + better.sum(axis=2)
    return np.minimum(ranks, world.places + 1) if world.places else ranks


MATCHES = 10_000
TWO = World("two", 2)
FOUR = World("four", 4)

Fit = tuple[Floats, Floats | None]
"""Ratings and their standard deviations, if a method has them, in the method's units."""


def fit_batch(pool: Pool) -> Fit:
    """Rate by this package's batch fit; Elo."""
    batch = rate(counts_of(pool))
    lines = sorted(batch.ratings, key=lambda line: line.entrant)
    elo = np.array([line.elo for line in lines])
    return elo, np.array([(line.high - line.low) / 2 / QUANTILE for line in lines])


def fit_trueskill(pool: Pool, draw: float | None = None, tau: float = 0.0) -> Fit:
    """Rate by TrueSkill in the order of the results; the draw probability is the share of draws."""
    tied = statistics.mean(len(set(result.ranks)) < len(result.ranks) for result in pool.results)
    settings = Settings(tau=tau, draw_probability=max(tied, 0.0001) if draw is None else draw)
    after = SkillPool.of(range(pool.world.bots), settings).after(pool.results)
    skills = [after.skills[number] for number in range(pool.world.bots)]
    return np.array([s.mu for s in skills]), np.array([s.sigma for s in skills])


def fit_trueskill_package_tau(pool: Pool) -> Fit:
    """Rate by TrueSkill with the package's dynamics."""
    from tourney.ratings.trueskill import PACKAGE_TAU  # noqa: PLC0415 - used here only

    return fit_trueskill(pool, tau=PACKAGE_TAU)


def fit_openskill(pool: Pool) -> Fit:
    """Rate by openskill's Plackett-Luce with its default settings."""
    from openskill.models import PlackettLuce  # type: ignore[import-not-found] # noqa: PLC0415 - a package of the benchmark alone

    model = PlackettLuce()
    skills = [model.rating() for _ in range(pool.world.bots)]
    for result in pool.results:
        after = model.rate([[skills[n]] for n in result.entrants], ranks=list(result.ranks))
        for number, (skill,) in zip(result.entrants, after, strict=True):
            skills[number] = skill
    return np.array([s.mu for s in skills]), np.array([s.sigma for s in skills])


def fit_choix(pool: Pool) -> Fit:
    """Rate by choix: I-LSR on wins (draws are not known to it and left out) or on whole orders."""
    import choix  # type: ignore[import-not-found] # noqa: PLC0415 - a package of the benchmark alone

    orders = []
    for result in pool.results:
        if len(set(result.ranks)) == len(result.ranks):
            ordered = sorted(zip(result.ranks, result.entrants, strict=True))
            orders.append(tuple(number for _, number in ordered))
    fit = choix.ilsr_pairwise if pool.world.seats == 2 else choix.ilsr_rankings
    return ELO * np.asarray(fit(pool.world.bots, orders, alpha=0.01), dtype=np.float64), None


METHODS: tuple[tuple[str, str | None, Callable[[Pool], Fit]], ...] = (
    ("batch (Elo as published)", None, fit_batch),
    ("TrueSkill, tau 0", None, fit_trueskill),
    ("TrueSkill, the package's tau", None, fit_trueskill_package_tau),
    ("openskill Plackett-Luce", "openskill", fit_openskill),
    ("choix", "choix", fit_choix),
)


def counts_of(pool: Pool) -> Counts:
    """A pool's counts."""
    return Counts.of_results(pool.results, range(pool.world.bots), pool.world.seats)


def ranks_of(values: Floats) -> Floats:
    """Ranks from 0, the smallest first; values are all different."""
    return np.argsort(np.argsort(values)).astype(np.float64)


def scaled(fit: Fit, truth: Floats) -> tuple[Floats, Floats | None]:
    """Put ratings on the scale of the truth by the best straight line, their deviations with them."""
    values, deviations = fit
    slope, offset = np.polyfit(values, truth, 1)
    return slope * values + offset, None if deviations is None else slope * deviations


def show_pools(seeds: int) -> None:
    """Compare methods on pools of 50 bots and 10,000 matches."""
    print(f"\n50 bots, {MATCHES:,} matches, means of {seeds} seeds (the slow ones: of {min(seeds, 5)})\n")
    head("pool", "method", "rank correlation", "RMSE, Elo", "coverage of 95 %", "CPU seconds")
    for world, title in ((TWO, "two seats, draws"), (FOUR, "four seats")):
        for name, package, fit in METHODS:
            if package is not None and find_spec(package) is None:
                continue
            slow = world.seats > 2 and ("TrueSkill" in name or package == "openskill")
            figures = [
                score(simulate(world, seed, MATCHES), fit) for seed in range(min(seeds, 5) if slow else seeds)
            ]
            rho, rmse, cover, seconds = ([f[k] for f in figures if f[k] is not None] for k in range(4))
            row(
                title,
                name,
                f"{statistics.mean(rho):.4f}",  # type: ignore[type-var] # None was left out
                f"{statistics.mean(rmse):.1f}",  # type: ignore[type-var] # None was left out
                f"{statistics.mean(cover):.3f}" if cover else "no interval",  # type: ignore[type-var] # None was left out
                f"{statistics.median(seconds):.2f}",  # type: ignore[type-var] # None was left out
            )


def score(pool: Pool, fit: Callable[[Pool], Fit]) -> tuple[float, float, float | None, float]:
    """Rank correlation, RMSE, coverage and seconds of a method on a pool."""
    began = time.process_time()
    found = fit(pool)
    seconds = time.process_time() - began
    rho = float(np.corrcoef(ranks_of(found[0]), ranks_of(pool.strengths))[0, 1])
    values, deviations = found if fit is fit_batch else scaled(found, pool.strengths)
    error = values - pool.strengths
    cover = None if deviations is None else float(np.mean(np.abs(error) <= QUANTILE * deviations))
    return rho, float(np.sqrt(np.mean(error**2))), cover, seconds


def show_order(seeds: int) -> None:
    """Show the effect of the order of the same matches on the ratings."""
    runs = 8
    print(f"\nThe same {MATCHES:,} two-seat matches in {runs} orders, means of {min(seeds, 5)} seeds\n")
    head("method", "deviation between orders, Elo", "RMSE, Elo", "bots whose rank changes")
    for name, fit in (
        ("batch", fit_batch),
        ("TrueSkill, tau 0", fit_trueskill),
        ("TrueSkill, the package's tau", fit_trueskill_package_tau),
    ):
        moved, errors, changed = [], [], []
        for seed in range(min(seeds, 5)):
            pool = simulate(TWO, seed, MATCHES)
            fits = []
            for turn in range(runs):
                order = np.argsort(uniforms(MATCHES, "bench", "order", seed, turn))
                results = (
                    [pool.results[old]._replace(key=pool.results[new].key) for new, old in enumerate(order)]
                    if fit is not fit_batch
                    else [pool.results[k] for k in order]
                )
                fits.append(scaled(fit(replace(pool, results=results)), pool.strengths)[0])
            values = np.array(fits)
            moved.append(float(np.mean(values.std(axis=0, ddof=1))))
            errors.append(float(np.sqrt(np.mean((values - pool.strengths) ** 2))))
            ranks = np.array([ranks_of(line) for line in values])
            changed.append(float(np.mean(ranks.max(axis=0) > ranks.min(axis=0))))
        means = (statistics.mean(column) for column in (moved, errors, changed))
        row(name, *(f"{mean:.2f}" for mean in means))


def crossed(bots: int, games: Sequence[int], strengths: Floats, seed: int) -> list[ResultRow]:
    """Games of all pairs without draws: about the mean of ``games`` of two bots each."""
    results = []
    for table, (a, b) in enumerate(combinations(range(bots), 2), 1):
        count = math.isqrt(games[a] * games[b])
        won = uniforms(count, "bench", "crossed", seed, a, b) < expected_score(
            float(strengths[a] - strengths[b])
        )
        for game, first in enumerate(won.tolist()):
            seats, ranks = ((a, b), (1, 2)) if game % 2 else ((b, a), (2, 1))
            key = MatchKey(1, table, game // 2 + 1, game % 2 + 1)
            results.append(ResultRow(key, seats, ranks if first else ranks[::-1]))
    return results


UNEQUAL = (4, 4, 8, 8, 16, 16, 32, 32, 64, 64, 128, 128)
"""Games of twelve bots, who meet the more often the more both play."""


def show_unequal(seeds: int) -> None:
    """Compare orders of bots some of which played far more than others, as on an old leaderboard."""
    runs, bots = 10 * seeds, len(UNEQUAL)
    print(f"\n{bots} bots of which some played 30 times as much as others; {runs} pools of each kind\n")
    head("strengths, standard deviation", "by mu", "by mu - 3 sigma", "by Elo")
    for spread in (50.0, 100.0, 200.0):
        found = np.zeros(3)
        for seed in range(runs):
            strengths = spread * normals(bots, "bench", "unequal", seed, "strengths")
            pool = Pool(World("unequal", 2, bots), strengths, crossed(bots, UNEQUAL, strengths, seed))
            mu, sigma = fit_trueskill(pool)
            orders = (mu, mu - 3 * (sigma if sigma is not None else 0), fit_batch(pool)[0])
            found += [np.corrcoef(ranks_of(order), ranks_of(strengths))[0, 1] for order in orders]
        row(f"{spread:.0f}", *(f"{rho:.2f}" for rho in found / runs))


class Design(NamedTuple):
    """A kind of tournament; ``rounds`` are the games of a bot if it is adaptive, ``draws`` of equals."""

    format: str
    bots: int
    rounds: int
    draws: float
    spread: float
    seats: int = 2


DESIGNS = (
    *(Design("swiss", 32, 7, 0.0, spread) for spread in (30.0, 60.0, 200.0, 400.0, 600.0)),
    Design("swiss", 64, 7, 0.0, 200.0),
    Design("swiss", 16, 5, 0.0, 60.0),
    Design("swiss", 32, 9, 0.4, 200.0),
    *(Design("adaptive", 16, 20, 0.0, spread) for spread in (60.0, 200.0, 400.0)),
    Design("adaptive", 16, 60, 0.8, 200.0),
    *(Design("round-robin", 16, 1, 0.0, spread) for spread in (30.0, 60.0, 200.0, 600.0)),
    Design("round-robin", 8, 5, 0.5, 100.0),
    Design("round-robin", 4, 10, 0.3, 100.0),
    Design("swiss", 15, 5, 0.2, 200.0, 3),
    Design("swiss", 16, 5, 0.2, 200.0, 4),
)


def play_design(design: Design, seed: int) -> tuple[Floats, list[ResultRow]]:
    """The strengths and the results of a tournament, paired by the package's own formats."""
    labels: tuple[str | int, ...] = ("design", *map(str, design), seed)
    strengths = design.spread * normals(design.bots, "bench", *labels, "strengths")
    players = tuple(Participant(number) for number in range(design.bots))
    setup = Setup(players, design.seats, seed, rounds=design.rounds)
    format_: Format = Swiss()
    if design.format == "round-robin":
        setup, format_ = Setup(players, design.seats, seed, repeats=design.rounds), RoundRobin()
    elif design.format == "adaptive":
        budget = design.rounds * design.bots // design.seats
        setup, format_ = Setup(players, design.seats, seed, extra=(("budget", budget),)), Adaptive()
    world = World("design", design.seats, draws=design.draws, grid=1000 * design.draws)
    history = History()
    while True:
        seen = (one for one in history.results if one.key.round <= history.rounds - format_.lag)
        pairings = format_.next_rounds(setup, History(history.rows, tuple(seen)))
        utility = strengths[np.array([one.seats for one in pairings.rows])]
        utility[:, 0] += 20.0
        stream = str(history.rounds)
        ranks = (
            _results(world, utility, 0 * utility, labels, stream)
            if design.seats == 2
            else _order(world, utility, labels, stream)
        )
        played = (one.result(tuple(line)) for one, line in zip(pairings.rows, ranks.tolist(), strict=True))
        history = History((*history.rows, *pairings.rows), (*history.results, *played))
        if pairings.complete or history.rounds == setup.rounds:
            return strengths - strengths.mean(), list(history.results)


class Held(NamedTuple):
    """The shares of a tournament's numbers that hold, and their errors."""

    flat: float
    elo: float
    gaps: float
    flat_square: float
    square: float
    width: float
    ranks: float
    together: bool
    spread: float
    sure: int
    right: int


def hold(design: Design, seed: int) -> Held:
    """Rate a tournament and hold it to the truth."""
    truth, results = play_design(design, seed)
    counts = Counts.of_results(results, range(design.bots), design.seats, joined=False)
    batch = rate(counts)
    flat, matrix = relative(*strengths_of(counts, flat=True), 1.0)
    lines, zero = batch.ratings, float(np.mean(truth[list(batch.pool.zero)]))
    errors = [line.elo + zero - float(truth[line.entrant]) for line in lines]
    gaps = [float(truth[pair.a] - truth[pair.b]) for pair in batch.pairs]
    sure = [gap > 0 for pair, gap in zip(batch.pairs, gaps, strict=True) if pair.los >= 0.975]
    ranks = 1 + np.sum(truth[None, :] > truth[:, None], axis=1)
    ranked = [line.best_rank <= ranks[line.entrant] <= line.worst_rank for line in lines]
    return Held(
        float(np.mean(np.abs(flat - truth) <= QUANTILE * np.sqrt(np.diag(matrix)))),
        float(np.mean([abs(e) <= line.high - line.elo for e, line in zip(errors, lines, strict=True)])),
        statistics.mean(p.low <= gap <= p.high for p, gap in zip(batch.pairs, gaps, strict=True)),
        float(np.mean((flat - truth) ** 2)),
        statistics.pvariance(errors),
        statistics.mean(line.worst_rank - line.best_rank + 1 for line in batch.ratings),
        float(np.mean(ranked)),
        all(ranked),
        batch.pool.prior_elo,
        len(sure),
        sum(sure),
    )


def show_designs(seeds: int) -> None:
    """Hold what is published, and the flat fit, to the truth, also where pairings follow results."""
    runs = 2 * seeds
    print(f"\n{runs} tournaments of each kind; flat: the fit without a population, Ordo's model. Shares in")
    print("percent, with the standard error of those that should be 95; RMSE and spread in Elo\n")
    head(
        *("format", "bots", "seats", "draws", "sd", "Elo held, flat", "Elo held", "differences held"),
        *("P >= .975 right", "RMSE, flat", "RMSE", "ranks in a range", "ranks held", "all ranks held"),
        "spread",
    )
    for design in DESIGNS:
        held = [hold(design, seed) for seed in range(runs)]
        shares = []
        for at in range(3):
            values = [one[at] for one in held]
            error = statistics.stdev(values) / runs**0.5
            shares.append(f"{100 * statistics.mean(values):.1f} ({100 * error:.1f})")
        sure = sum(one.sure for one in held)
        right = 100 * sum(one.right for one in held) / max(sure, 1)
        row(
            *(
                design.format,
                design.bots,
                design.seats,
                f"{100 * design.draws:.0f} %",
                f"{design.spread:.0f}",
            ),
            *shares,
            f"{right:.1f} of {sure:,}" if sure else "none",
            *(f"{statistics.mean(one[at] for one in held) ** 0.5:.0f}" for at in (3, 4)),
            f"{statistics.mean(one.width for one in held):.1f}",
            f"{100 * statistics.mean(one.ranks for one in held):.1f}",
            f"{100 * statistics.mean(one.together for one in held):.0f}",
            f"{statistics.median(one.spread for one in held):.0f}",
        )


def show_zero(seeds: int) -> None:
    """Show what one bot far above all others does to their Elo, by the zero."""
    runs, bots = 10 * seeds, 8
    print(f"\n{bots} bots of which each two play 40 games, and a champion; {runs} pools of each kind\n")
    head(
        "champion, Elo",
        "moved by, zero of all bots",
        "zero of the connected",
        "RMSE, zero of all",
        "connected",
    )
    for champion in (0.0, 400.0, 1000.0, 3000.0):
        moved: list[list[float]] = [[], []]
        errors: list[list[float]] = [[], []]
        for seed in range(runs):
            strengths = 100 * normals(bots, "bench", "zero", seed, "strengths")
            strengths -= strengths.mean()
            results = crossed(bots + 1, (40,) * (bots + 1), np.append(strengths, champion), seed)
            lines = rate(Counts.of_results(results, range(bots + 1), 2), pairs=False, best=False).ratings
            elo = np.array([line.elo for line in sorted(lines, key=lambda line: line.entrant)])
            for at, values in enumerate((elo - elo.mean(), elo)):
                error = values[:bots] - strengths
                moved[at].append(float(error.mean()))
                errors[at].append(float(np.mean(error**2)))
        means = (f"{statistics.mean(column):.0f}" for column in moved)
        row(f"{champion:.0f}", *means, *(f"{statistics.mean(column) ** 0.5:.0f}" for column in errors))


def show_clusters(seeds: int) -> None:
    """Compare the covariances where mirrored games are not independent, and test the test of fit."""
    runs = min(seeds, 10)
    print(
        f"\nCoverage of 95 % where games of a mirrored group depend on each other; {runs} seeds of 50 bots,"
    )
    print(f"{MATCHES:,} matches; the truth is a fit to 40 times as many\n")
    head("pool", "inverse Hessian", "sandwich", "published", "dispersion", "range of ranks", "fit: p < 0.05")
    worlds = (
        (TWO, "two seats"),
        (replace(TWO, name="two-opening", opening=150.0), "an opening suits one bot"),
        (replace(TWO, name="two-dice", dice=300.0), "dice favour a seat"),
        (replace(TWO, name="two-style", style=50.0), "styles that suit each other"),
        (FOUR, "four seats"),
        (replace(FOUR, name="four-winner", places=1), "four seats, one winner"),
        (replace(FOUR, name="four-opening", opening=150.0), "four seats, an opening suits one bot"),
        (replace(FOUR, name="four-dice", dice=300.0), "four seats, dice favour a seat"),
    )
    for world, title in worlds:
        inside: dict[str, list[float]] = {"hessian": [], "sandwich": [], "published": []}
        spread, ranked, refused = [], [], []
        for seed in range(runs):
            truth = _truth(world, seed)
            counts = counts_of(simulate(world, seed, MATCHES))
            found = estimate(counts)
            mode, inverse = found.raw, np.linalg.inv(found.raw.hessian)
            clusters = int(counts.times.sum())
            meat = squared_scores(found.likelihood.scores(mode.x), counts.times, len(mode.x))
            meat *= clusters / (clusters - 1)
            fits = {
                "hessian": (mode.x, inverse),
                "sandwich": (mode.x, inverse @ (meat + mode.precision) @ inverse),
                "published": (found.mean, found.covariance),
            }
            for kind, figures in inside.items():
                x, full = fits[kind]
                elo, matrix = relative(x[: world.bots], full[: world.bots, : world.bots])
                deviation = np.sqrt(np.diag(matrix))
                figures.append(float(np.mean(np.abs(elo - truth) <= QUANTILE * deviation)))
            batch = rate(counts)
            ranks = 1 + np.sum(truth[None, :] > truth[:, None], axis=1)
            ranked += [line.best_rank <= ranks[line.entrant] <= line.worst_rank for line in batch.ratings]
            spread.append(found.dispersion)
            p_value = batch.pool.goodness.p_value
            refused.append(p_value is not None and p_value < 0.05)
        cells = [f"{statistics.mean(figures):.3f}" for figures in inside.values()]
        row(
            title,
            *cells,
            f"{statistics.mean(spread):.2f}",
            f"{np.mean(ranked):.3f}",
            f"{np.mean(refused):.2f}",
        )


def _truth(world: World, seed: int) -> Floats:
    """The strengths, or the fit to many more matches where the model does not hold."""
    if not (world.opening or world.dice or world.style):
        return simulate(world, seed, world.seats).strengths
    many = counts_of(simulate(world, seed, 40 * MATCHES, "truth"))
    return relative(estimate(many).mean[: world.bots], np.eye(world.bots))[0]


SHAPES = (("none", 0.0, 20.0), ("40 %", 0.4, 20.0), ("70 %", 0.7, 10.0), ("95 %", 0.95, 5.0))
"""Draws of equals, as text and as a share, and the upper bound of the test; the lower one is 0."""
LOOKS = 3000
"""Most batches of 16 pairs of a run."""


def pair_chances(elo: float, draws: float) -> Floats:
    """The probabilities of the five scores of two games of independent luck."""
    score = expected_score(elo)
    drawn = min(draws, 2 * min(score, 1 - score))
    game = np.array([1 - score - drawn / 2, drawn, score - drawn / 2])
    return np.convolve(game, game)


def bets_needed(chances: Floats, upper: float, runs: int) -> tuple[Floats, Floats]:
    """The pairs of each run until the bets of version 2 prove something, and whether that is better.

    All runs at once, by the constants of ``tourney.ratings.sequential``.
    """
    draw = np.random.default_rng(5)
    scores, multiples = np.array(SCORES), np.array((1.0, *sequential.MULTIPLES))
    others = len(sequential.MULTIPLES)
    first = np.array([sequential.SUITED, *[(1 - sequential.SUITED) / others] * others])
    gap = expected_score(upper) - 0.5
    wealth = np.tile(np.log(first), (2, runs, 1))
    sums, squares = np.zeros((2, runs))
    pairs, better, open_ = np.zeros(runs), np.zeros(runs), np.ones(runs, dtype=bool)
    for look in range(LOOKS):
        batch = draw.multinomial(16, chances, size=runs)
        spread = np.maximum(squares - sums**2 / max(16 * look, 1), 0.0)
        variance = (sequential.GUESS * sequential.VARIANCE + spread) / (sequential.GUESS + 16 * look)
        level = np.exp(np.round(sequential.LEVELS * np.log(variance)) / sequential.LEVELS)
        shares = np.minimum(multiples * (0.5 * gap / level)[:, None], sequential.BOLDEST)
        for side, (points, bound) in enumerate(((scores, 0.5), (1 - scores, 0.5 - gap))):
            gains = np.log1p(shares[:, :, None] * (points / bound - 1))
            wealth[side] += (gains * batch[:, None, :]).sum(axis=2)
        sums, squares = sums + batch @ scores, squares + batch @ scores**2
        pairs[open_] += 16
        most = wealth.max(axis=2)
        joint = most + np.log(np.exp(wealth - most[:, :, None]).sum(axis=2))
        better[open_ & (joint[0] >= needed(1, 0.05))] = 1.0
        open_ &= np.all(joint < needed(1, 0.05), axis=0)
        if not open_.any():
            break
    return pairs, better


def sprt_needed(chances: Floats, upper: float, runs: int) -> tuple[Floats, Floats]:
    """The same of the pentanomial GSPRT, as ``sequential.likelihood_ratio`` has it."""
    draw = np.random.default_rng(5)
    proof, _ = SequentialTest(0.0, upper, sprt=True).needed
    gaps = [np.array(SCORES) - expected_score(elo) for elo in (0.0, upper)]
    pairs, better = np.zeros(runs), np.zeros(runs)
    counts, open_ = np.zeros((runs, 5)), np.ones(runs, dtype=bool)
    for _ in range(LOOKS):
        counts += draw.multinomial(16, chances, size=runs)
        pairs[open_] += 16
        here = np.maximum(counts[open_], sequential.ABSENT)
        logs = []
        for gap in gaps:
            low, high = (np.full(len(here), -1 / end) for end in (gap.max(), gap.min()))
            for _ in range(45):
                middle = (low + high) / 2
                above = (here * gap / (1 + middle[:, None] * gap)).sum(axis=1) > 0
                low, high = np.where(above, middle, low), np.where(above, high, middle)
            logs.append((here * np.log1p(middle[:, None] * gap)).sum(axis=1))
        ratio = logs[0] - logs[1]
        better[open_] = ratio >= proof
        open_[open_] = np.abs(ratio) < proof
        if not open_.any():
            break
    return pairs, better


def show_bets(seeds: int) -> None:
    """Compare the pairs that the bets and the GSPRT need, and how often they say better."""
    runs = 20 * seeds
    print(
        f"\nPairs until a decision at alpha = beta = 5 %, {runs} runs of each kind; in brackets: better, and"
    )
    print("of the ratio its standard error; both see the same pairs\n")
    head("draws", "bounds", "truth", "GSPRT", "bets", "ratio")
    for title, draws, upper in SHAPES:
        for times in (0.0, 0.5, 1.0, 3.0):
            chances = pair_chances(times * upper, draws)
            (one, first), (two, second) = (
                needed_(chances, upper, runs) for needed_ in (sprt_needed, bets_needed)
            )
            ratio = two.mean() / one.mean()
            error = float(np.std(two - ratio * one)) / one.mean() / runs**0.5
            row(
                *(title, f"0, {upper:g}", f"{times * upper:g}"),
                f"{one.mean():.0f} ({100 * first.mean():.1f} %)",
                f"{two.mean():.0f} ({100 * second.mean():.1f} %)",
                f"{ratio:.2f} ({error:.2f})",
            )


def show_speed(_seeds: int) -> None:
    """Time the large cases; memory is the process's highest so far, simulation included."""
    print("\nOne process; memory is its maximum resident set up to there\n")
    head("case", "seconds", "CPU seconds", "MB")
    big = replace(TWO, name="big", bots=200)
    found: Counter[tuple[Game, ...]] = Counter()
    for results in _parts(big):
        for first, second in zip(results[::2], results[1::2], strict=True):
            found[(first.entrants, first.ranks, ()), (second.entrants, second.ranks, ())] += 1
    spent = -_clocks()
    rate(Counts.of_clusters(found, range(big.bots), 2))
    _show_time("1,000,000 two-seat matches of 200 bots, batch from counts of groups", spent + _clocks())
    four = simulate(replace(FOUR, name="many"), 0, 100_000)
    spent = -_clocks()
    rate(counts_of(four))
    _show_time("100,000 four-seat matches of 50 bots, batch from results", spent + _clocks())
    spent = np.zeros(2)
    after = SkillPool.of(range(big.bots), Settings(draw_probability=0.2))
    for results in _parts(big):
        spent -= _clocks()
        after = after.after(results)
        spent += _clocks()
    _show_time("1,000,000 two-seat matches of 200 bots, TrueSkill", spent)


def _clocks() -> Floats:
    return np.array([time.perf_counter(), time.process_time()])


def _show_time(title: str, spent: Floats) -> None:
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    row(title, f"{spent[0]:.1f}", f"{spent[1]:.1f}", f"{memory:.0f}")


def _parts(world: World) -> Iterator[list[ResultRow]]:
    """Yield a million matches, 50,000 at a time, in schedule order."""
    for part in range(20):
        results = simulate(world, 0, 50_000, f"part-{part}").results
        yield [result._replace(key=result.key._replace(round=part + 1)) for result in results]


TABLES: dict[str, Callable[[int], None]] = {
    "pools": show_pools,
    "order": show_order,
    "unequal": show_unequal,
    "designs": show_designs,
    "bets": show_bets,
    "zero": show_zero,
    "clusters": show_clusters,
    "speed": show_speed,
}


main = tables_command(__doc__, TABLES, "Pools of each kind; of small ones 10 times as many.")


if __name__ == "__main__":
    run(main)
