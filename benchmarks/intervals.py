"""The tables of ``benchmarks.questions intervals``: each yields its lines from simulated games.

It is one file because the tables share their worlds, sizes and draws.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from benchmarks.ratings import Floats, pair_shares
from tourney.addons.lab.comparison import ComparisonRule
from tourney.match.evidence import Coefficient
from tourney.ratings.batch import strengths
from tourney.ratings.counts import Counts, Game
from tourney.ratings.sequential import (
    ELO,
    EVERY_LOOK,
    FIXED,
    QUANTILE,
    SCORES,
    Findings,
    PlannedGames,
    Scores,
    SequentialTest,
    elo_of,
    expected_score,
    needed,
    pair_scores,
)
from tourney.ratings.superiority import normals, uniforms
from tourney.results.until import ended_by, next_rounds
from tourney.schedule.adaptive import Adaptive
from tourney.schedule.format import Format, History, Participant, Setup
from tourney.schedule.round_robin import RoundRobin
from tourney.schedule.row import ResultRow, Row
from tourney.schedule.until_rule import Until
from tourney.seeds import U64, derive, seat_orders

Lines = Iterator[Sequence[str]]


class Size(NamedTuple):
    """How much to simulate: runs of each table."""

    pairs: int
    ratings: int
    best: int


SMALL, FULL = Size(400, 20, 6), Size(20_000, 400, 40)


# Pairs of a comparison


PAIR_WORLDS: dict[str, Floats] = {
    "even, no draws": np.array([0.25, 0, 0.5, 0, 0.25]),
    "even, half of the games drawn": np.array([0.0625, 0.25, 0.375, 0.25, 0.0625]),
    "even, dice for 300 Elo, mirrored": pair_shares(0.0, mirrored=True),
    "30 Elo, dice for 300 Elo, mirrored": pair_shares(30.0, mirrored=True),
    "even, nine of ten games drawn": np.array([0.0025, 0.045, 0.905, 0.045, 0.0025]),
    "an opening decides both games": np.array([0.45, 0.02, 0.06, 0.02, 0.45]),
    "800 Elo": np.array([0.0, 0.0, 0.02, 0.0, 0.98]),
}
"""The shares of pairs in which A scores 0 to 4 half-points."""


def looks_of(shares: Floats, count: int, *label: str | int) -> list[Scores]:
    """Batches of 16 pairs with these shares of scores."""
    drawn = uniforms(16 * count, "pairs", *label).reshape(count, 16)
    bounds = np.cumsum(shares / shares.sum())
    outcomes = np.minimum(np.searchsorted(bounds, drawn), 4)
    return [pair_scores(np.bincount(part, minlength=5).tolist()) for part in outcomes]


def excludes(found: Findings | None, truth: float) -> bool:
    """Whether the interval does not hold the true Elo."""
    low, high = (None, None) if found is None else (found.low, found.high)
    return (low is not None and low > truth) or (high is not None and high < truth)


def pairs_table(size: Size, seed: int) -> Lines:
    """Yield lines: how often an interval excludes the truth at any of 40 looks, and its half widths."""
    lengths = (64, 256, 640)
    yield ("pairs", "interval ever excludes the truth", *(f"half width after {pairs}" for pairs in lengths))
    for name, shares in PAIR_WORLDS.items():
        truth, test = elo_of(float(np.array(SCORES) @ shares / shares.sum())), SequentialTest()
        wrong, widths = 0, np.full((size.pairs, len(lengths)), np.inf)
        for number in range(size.pairs):
            looks = looks_of(shares, 40, seed, *name.replace(",", "").split(), number)
            found = [test.find(looks[: pairs // 16]) for pairs in lengths]
            wrong += excludes(found[-1], truth)
            for at, one in enumerate(found):
                if one is not None and one.low is not None and one.high is not None:
                    widths[number, at] = (one.high - one.low) / 2
        half = np.median(widths, axis=0)
        yield (name, f"{100 * wrong / size.pairs:.1f} %", *(f"{width:.0f}" for width in half))


def verdicts_table(size: Size, seed: int) -> Lines:
    """Yield lines: verdicts of comparisons of at most 4,096 pairs, whose dice favour a seat."""
    yield ("true Elo", "H1", "H0", "wrong", "pairs, mean", "verdict and interval differ", "halves differ")
    test, proof = SequentialTest(), needed(1, 0.05)
    for elo in (-10.0, 0.0, 10.0, 20.0, 30.0, 100.0):
        verdicts: Counter[str] = Counter()
        pairs = differ = halves = 0
        runs = size.pairs // 5
        for number in range(runs):
            looks = looks_of(pair_shares(elo, mirrored=True), 256, seed, "verdicts", int(elo) + 100, number)
            first, last = 1, len(looks)
            while first < last:  # evidence never falls
                middle = (first + last) // 2
                over = max(test.evidence(looks[:middle])) >= proof
                first, last = (first, middle) if over else (middle + 1, last)
            better, worse = test.evidence(looks[:first])
            verdicts["H1"] += better >= proof
            verdicts["H0"] += worse >= proof > better
            found = test.find(looks[:first])
            differ += (better >= proof) != excludes(found, 0.0) and worse < proof
            pairs += 16 * first
            halves += found is not None and found.halves is not None
        wrong = (verdicts["H1"] if elo <= 0 else 0) + (verdicts["H0"] if elo >= test.elo1 else 0)
        shown = (f"{100 * count / runs:.1f} %" for count in (verdicts["H1"], verdicts["H0"], wrong))
        yield (f"{elo:g}", *shown, f"{pairs / runs:.0f}", f"{differ}", f"{100 * halves / runs:.1f} %")


def halves_table(size: Size, seed: int) -> Lines:
    """Yield lines: how often the halves of 128 pairs differ, by the change of strength between them."""
    yield ("Elo in the first half, in the last", "said to differ")
    for first, last in ((0.0, 0.0), (100.0, 100.0), (100.0, 0.0), (100.0, -100.0), (200.0, -100.0)):
        said = 0
        for number in range(size.pairs):
            parts = (
                looks_of(pair_shares(elo, mirrored=True), 4, seed, "halves", int(elo) + 300, part, number)
                for part, elo in enumerate((first, last))
            )
            found = SequentialTest().find([look for part in parts for look in part])
            said += found is not None and found.halves is not None
        yield (f"{first:+.0f}, {last:+.0f}", f"{100 * said / size.pairs:.1f} %")


def stopping_table(size: Size, seed: int) -> Lines:
    """Yield lines: pairs until the interval is as narrow as asked, and whether it holds the truth then."""
    yield ("pairs", "width asked, Elo", "pairs, mean", "last interval excludes the truth")
    runs = max(50, size.pairs // 20)
    for name in ("even, no draws", "30 Elo, dice for 300 Elo, mirrored", "even, nine of ten games drawn"):
        shares = PAIR_WORLDS[name]
        truth = elo_of(float(np.array(SCORES) @ shares / shares.sum()))
        for width in (40, 20):
            test, pairs, wrong = ComparisonRule.to_width(width).test, 0, 0
            for number in range(runs):
                looks = looks_of(shares, 160, seed, "stop", width, *name.replace(",", "").split(), number)
                found = None
                for count in range(1, len(looks) + 1):
                    found = test.find(looks[:count])
                    if found is not None and round(found.width, 1) <= width:
                        break
                pairs += 16 * count
                wrong += excludes(found, truth)
            yield (name, f"{width}", f"{pairs / runs:,.0f}", f"{100 * wrong / runs:.1f} %")


# Ratings of a pool


class PoolWorld(NamedTuple):
    """A pool of bots: standard deviations in Elo of strengths, and of what the games of a group share."""

    name: str
    bots: int
    seats: int
    cycles: int
    spread: float = 150.0
    nu: float = 0.5
    opening: float = 0.0
    dice: float = 0.0


POOLS = (
    PoolWorld("2 seats, a third drawn", 4, 2, 60),
    PoolWorld("2 seats, no draws, far apart", 4, 2, 60, spread=500, nu=0.0),
    PoolWorld("2 seats, three quarters drawn", 4, 2, 60, nu=6.0),
    PoolWorld("2 seats, an opening suits one bot", 4, 2, 60, opening=200),
    PoolWorld("2 seats, dice favour a seat", 4, 2, 60, dice=300),
    PoolWorld("2 bots", 2, 2, 120),
    PoolWorld("3 seats", 4, 3, 20),
    PoolWorld("3 seats, an opening suits one bot", 4, 3, 20, opening=150),
    PoolWorld("4 seats", 5, 4, 16),
    PoolWorld("4 seats, dice favour a seat", 5, 4, 16, dice=200),
)


def play_cycles(world: PoolWorld, strong: Floats, cycles: int, label: str) -> list[list[Game]]:
    """The groups of ``cycles`` cycles in each of which all groups of entrants meet once."""
    k = world.seats
    orders = [np.array(order) for order in seat_orders(k, 1)]
    tables = list(combinations(range(world.bots), k))
    shape = (cycles, len(tables))
    opening = world.opening * normals(cycles * len(tables) * k, "anytime", label, "opening").reshape(
        *shape, k
    )
    dice = world.dice * normals(cycles * len(tables) * k, "anytime", label, "dice").reshape(*shape, k)
    noise = uniforms(cycles * len(tables) * len(orders) * k, "anytime", label, "games")
    noise = noise.reshape(*shape, len(orders), k)
    groups = []
    for cycle in range(cycles):
        for at, table in enumerate(tables):
            games: list[Game] = []
            for turn, order in enumerate(orders):
                sat = tuple(table[index] for index in order)
                utility = (strong[list(table)] + opening[cycle, at])[order] + dice[cycle, at]
                drawn = noise[cycle, at, turn]
                ranks = _davidson(utility, drawn, world.nu) if k == 2 else _places(utility, drawn)
                games.append((sat, ranks, ()))
            groups.append(games)
    return groups


def _davidson(
    utility: Sequence[float] | Floats, drawn: Sequence[float] | Floats, nu: float
) -> tuple[int, ...]:
    half = float(utility[0] - utility[1]) / ELO / 2
    win, loss = math.exp(half), math.exp(-half)
    u = float(drawn[0]) * (win + loss + nu)
    return (1, 2) if u < win else (1, 1) if u < win + nu else (2, 1)


def _places(utility: Floats, drawn: Floats) -> tuple[int, ...]:
    performance = utility / ELO - np.log(-np.log(drawn))
    return tuple(int(1 + np.sum(performance > own)) for own in performance)


def ratings_table(size: Size, seed: int) -> Lines:
    """Yield lines: how often intervals of Elo ever exclude the truth, with a look after each cycle."""
    yield (
        "pool",
        f"Elo, {EVERY_LOOK}",
        f"differences, {EVERY_LOOK}",
        f"Elo, {FIXED}",
        f"Elo, {FIXED}, at the end",
    )
    for world in POOLS:
        label = world.name.replace(" ", "-").replace(",", "")
        ever = np.zeros(2)
        fixed = last = 0.0
        contrasts = [np.eye(world.bots)[i] - 1 / world.bots for i in range(world.bots)]
        singles = len(contrasts)
        contrasts += [
            np.eye(world.bots)[a] - np.eye(world.bots)[b] for a, b in combinations(range(world.bots), 2)
        ]
        weights = np.array(contrasts)
        for number in range(size.ratings):
            strong = world.spread * normals(world.bots, "anytime", seed, label, number, "strengths")
            known = f"{seed}-{label}-{number}"
            truth = weights @ strong
            if world.opening or world.dice:  # then the fit's own truth: what it tends to with more games
                many = play_cycles(world, strong, 20 * world.cycles, f"{known}-many")
                truth = weights @ strengths(_counts(world, many))[0]
            tables = len(list(combinations(range(world.bots), world.seats)))
            games = world.cycles * tables * len(seat_orders(world.seats, 1)) * world.seats / world.bots
            look = PlannedGames(games, world.seats)
            groups = play_cycles(world, strong, world.cycles, known)
            out = np.zeros(len(weights), dtype=bool)
            watched = np.zeros(len(weights), dtype=bool)
            for cycle in range(1, world.cycles + 1):
                elo, matrix = strengths(_counts(world, groups[: cycle * tables]))
                gap = np.abs(weights @ elo - truth)
                variance = np.einsum("ij,jk,ik->i", weights, matrix, weights)
                wide = [
                    look.deviations(float(v), float(w @ w)) for v, w in zip(variance, weights, strict=True)
                ]
                out |= gap > np.array(wide) * np.sqrt(variance)
                now = gap > QUANTILE * np.sqrt(variance)
                watched |= now
            ever += (out[:singles].mean(), out[singles:].mean())
            fixed += watched[:singles].mean()
            last += now[:singles].mean()
        found = (*ever, fixed, last)
        yield (world.name, *(f"{100 * value / size.ratings:.1f} %" for value in found))


def _counts(world: PoolWorld, groups: Sequence[Sequence[Game]]) -> Counts:
    found = Counter(tuple(sorted(games)) for games in groups)
    return Counts.of_clusters(found, range(world.bots), world.seats)


# Best of N


@dataclass(frozen=True)
class Field:
    """Entrants among which the best is sought: strengths in Elo, the best first (or none is).

    ``style``: Elo of the first of a pair against the second, beside their strengths. ``nu``: draws.
    """

    name: str
    strengths: tuple[float, ...]
    seats: int = 2
    nu: float = 0.5
    style: dict[tuple[int, int], float] = field(default_factory=dict)
    best: int | None = 0
    games: int = 60_000


def steps(count: int, first: float, step: float) -> tuple[float, ...]:
    """Strengths: the best, ``first`` Elo below it the second, then one each ``step`` Elo."""
    return (0.0, *(-first - step * place for place in range(count - 1)))


FIELDS = (
    Field("16 bots, 30 Elo from first to second, then 30 each", steps(16, 30, 30)),
    Field("16 bots, 30 Elo, then 15 each", steps(16, 30, 15)),
    Field("8 bots, 50 Elo, then 25 each, four of five games drawn", steps(8, 50, 25), nu=8.0),
    Field("6 bots of 4 seats, 60 Elo, then 40 each", steps(6, 60, 40), seats=4),
    Field("6 bots, 60 Elo, then 20 each, the last never scores", (*steps(5, 60, 20), -3000.0)),
    Field("6 bots, the best wins everything", steps(6, 3000, 20)),
)
HARD = (
    Field("two equal leaders", (0.0, 0.0, -100.0, -200.0), best=None, games=600),
    Field("leaders 10 Elo apart", (0.0, -10.0, -100.0, -200.0), games=600),
    Field(
        "a cycle of three in front",
        (0.0, 0.0, 0.0, -150.0),
        style={(0, 1): 100.0, (1, 2): 100.0, (2, 0): 100.0},
        best=None,
        games=600,
    ),
    Field("equal, nine of ten games drawn", (0.0, 0.0, 0.0, 0.0), nu=18.0, best=None, games=600),
    Field("equal, 3 seats", (0.0, 0.0, 0.0, 0.0), seats=3, best=None, games=600),
)
"""Fields whose best bot is hard to tell, or does not exist: any answer but the best is an error."""


def play_rows(rows: Sequence[Row], world: Field, seed: int) -> tuple[ResultRow, ...]:
    """Results derived from the rows' keys and the seed."""
    found = []
    for one in rows:
        drawn = [(derive(seed, "seat", *one.key, seat) + 0.5) / U64 for seat in range(world.seats)]
        utility = [world.strengths[number] for number in one.seats]
        if world.seats == 2:
            a, b = one.seats
            utility[0] += world.style.get((a, b), 0.0) - world.style.get((b, a), 0.0)
            ranks = _davidson(utility, drawn, world.nu)
        else:
            ranks = _places(np.array(utility), np.array(drawn))
        found.append(one.result(ranks))
    return tuple(found)


def search(format_: Format, world: Field, seed: int) -> tuple[int | None, int]:
    """The bot named as the best (None: none was), and the number of games."""
    asked = Until(best=9500, games=world.games)
    players = tuple(Participant(number, str(number)) for number in range(len(world.strengths)))
    repeats = world.games if isinstance(format_, RoundRobin) else 1
    setup = Setup(players, world.seats, seed, repeats, extra=asked.extra())
    history = History()
    unseen: tuple[ResultRow, ...] = ()
    complete = False
    while not complete:
        drawn = next_rounds(format_, setup, history)
        history.extend(drawn.rows, unseen)  # a format with a lag of one does not see the last round's results
        unseen, complete = play_rows(drawn.rows, world, seed), drawn.complete
    history.extend((), unseen)
    found = ended_by(format_, setup, history)
    return (found.entrants[0] if found and found.entrants else None), len(history.rows)


def best_table(size: Size, seed: int) -> Lines:
    """Yield lines: games until the best is known, adaptive beside round-robin."""
    yield ("field", "adaptive, games", "round-robin, games", "ratio", "wrong", "not known")
    for world in FIELDS:
        games = {"adaptive": 0, "round-robin": 0}
        wrong = unknown = 0
        for number in range(size.best):
            for format_ in (Adaptive(), RoundRobin()):
                named, played = search(format_, world, derive(seed, "best", number))
                games[format_.name] += played
                wrong += named not in (None, world.best)
                unknown += named is None
        raced, whole = (games[name] / size.best for name in ("adaptive", "round-robin"))
        yield (
            world.name,
            f"{raced:,.0f}",
            f"{whole:,.0f}",
            f"{raced / whole:.2f}",
            f"{wrong} of {2 * size.best}",
            f"{unknown}",
        )


def errors_table(size: Size, seed: int) -> Lines:
    """Yield lines: how often a wrong bot is named in fields that are hard to tell, by adaptive pairing."""
    runs = 10 * size.best
    yield ("field, up to 600 games", "runs", "wrong", "right", "none named")
    for world in HARD:
        answers = [search(Adaptive(), world, derive(seed, "hard", number))[0] for number in range(runs)]
        wrong = sum(named is not None and named != world.best for named in answers)
        none = answers.count(None)
        yield (world.name, f"{runs}", f"{wrong}", f"{runs - wrong - none}", f"{none}")


# Luck


def lucky_pairs(elo: float, noise: float, count: int, *label: str | int) -> Floats:
    """Scores and luck of pairs, (count, 2): a game goes to A if its luck and some noise are above a bound.

    The bound makes A's expected score that of ``elo``; with less noise luck explains more.
    """
    bound = _bound(elo, noise)
    drawn = uniforms(4 * count, "luck", *label).reshape(2, count, 2) - 0.5
    luck = 1.1 * drawn[0]
    scores = (luck + noise * drawn[1] > bound).mean(axis=1)
    return np.stack([scores, luck.mean(axis=1)], axis=1)


@cache
def _bound(elo: float, noise: float) -> float:
    grid = (np.arange(400) + 0.5) / 400 - 0.5
    both = np.sort((1.1 * grid[:, None] + noise * grid[None, :]).ravel())
    return float(both[round(len(both) * (1 - expected_score(elo)))])


def luck_table(size: Size, seed: int) -> Lines:
    """Yield lines: wrong verdicts and pairs of comparisons, with the luck and without a share of it."""
    yield (
        *("true Elo", "luck explains", "wrong H1, with luck", "without", "pairs, mean, with luck", "without"),
        "interval without ever excludes the truth",
    )
    runs, looks, proof = max(40, size.pairs // 10), 96, needed(1, 0.05)
    tests = (SequentialTest(), SequentialTest(luck=True))
    for elo in (0.0, 20.0, 60.0):
        for noise in (0.6, 1.2, 4.0):
            wrong, pairs, missed, explained = Counter[int](), Counter[int](), 0, 0.0
            for number in range(runs):
                found = lucky_pairs(elo, noise, 16 * looks, seed, int(elo), int(10 * noise), number)
                explained += float(np.atleast_2d(np.corrcoef(found.T))[0, 1]) ** 2 / runs
                share = Coefficient()
                batches: tuple[list[Scores], list[Scores]] = ([], [])
                for part in found.reshape(looks, 16, 2):
                    batches[0].append(Counter(part[:, 0].tolist()))
                    batches[1].append(Counter((part[:, 0] - share.value * part[:, 1]).tolist()))
                    share.add(map(tuple, part.tolist()))
                for fair, (test, scores) in enumerate(zip(tests, batches, strict=True)):
                    first, last = 1, looks
                    while first < last:  # evidence never falls
                        middle = (first + last) // 2
                        over = max(test.evidence(scores[:middle])) >= proof
                        first, last = (first, middle) if over else (middle + 1, last)
                    better = test.evidence(scores[:first])[0] >= proof
                    wrong[fair] += better and elo <= 0
                    pairs[fair] += 16 * first
                    if fair:
                        missed += excludes(test.find(scores[:40]), elo)
            shares = (f"{100 * wrong[fair] / runs:.1f} %" if elo <= 0 else "-" for fair in (0, 1))
            means = (f"{pairs[fair] / runs:.0f}" for fair in (0, 1))
            yield (f"{elo:g}", f"{100 * explained:.0f} %", *shares, *means, f"{100 * missed / runs:.1f} %")


Table = Callable[[Size, int], Lines]
TABLES: dict[str, tuple[Table, ...]] = {
    "pairs": (pairs_table, verdicts_table, halves_table),
    "ratings": (ratings_table,),
    "stopping": (stopping_table,),
    "luck": (luck_table,),
    "best": (best_table, errors_table),
}
