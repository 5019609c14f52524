"""Intervals that hold at every look, and tournaments that end at an answer: all by simulation, from seeds.

    python -m benchmarks.anytime [--full] [--only pairs|ratings|stopping|best] [--seed 1]

Four tables, in Markdown:

- *pairs*: the share of runs in which an interval of a comparison excludes the truth at any look; widths.
- *ratings*: the same of the Elo of bots and of differences of two, from the fit to all matches; 2 to 4 seats,
  with draws, pairs that depend on each other, and games that vary more than chance.
- *stopping*: the pairs that ``compare --width`` plays, and how often its last interval excludes the truth.
- *best*: the games until ``[until] best = 0.95`` is known, adaptive pairing beside a round-robin, and how
  often a wrong bot is named.
It is one script because one size and one seed are chosen for all four tables.
"""

import argparse
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import combinations
from typing import Generic, TypeVar
from unittest.mock import patch

import numpy as np

from benchmarks.rating_pools import Floats, pair_shares
from tourney.match.seeds import seat_orders
from tourney.ratings.batch import QUANTILE, strengths
from tourney.ratings.counts import Counts, GameWithFaults
from tourney.ratings.fit import ELO
from tourney.ratings.sequences import EVERY_LOOK, FIXED, Look, multiplier
from tourney.ratings.sprt import SCORES, elo_of
from tourney.ratings.superiority import normals, uniforms
from tourney.results import until
from tourney.results.until import answer_of_fit, ended_by, next_rounds
from tourney.schedule import adaptive
from tourney.schedule.adaptive import Adaptive, Evidence, Strengths
from tourney.schedule.format import Format, History, Participant, Setup
from tourney.schedule.racing import Duels
from tourney.schedule.round_robin import BATCH, RoundRobin
from tourney.schedule.row import ResultRow, Row
from tourney.schedule.until import Until
from tourney.seeds import U64, derive

Lines = Iterator[Sequence[str]]


@dataclass(frozen=True)
class Size:
    """How much to simulate: runs of each table."""

    pairs: int
    ratings: int
    best: int


SMALL, FULL = Size(1000, 20, 6), Size(20_000, 400, 40)


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


@dataclass(frozen=True)
class PairRuns:
    """Runs of pairs: means and standard errors of the score after each pair, as ``estimate`` has them."""

    truth: float
    mean: Floats
    error: Floats

    @classmethod
    def of(cls, name: str, shares: Floats, runs: int, length: int, seed: int) -> "PairRuns":
        """Simulate runs of so many pairs."""
        label = name.replace(" ", "-").replace(",", "")
        bounds = np.cumsum(shares / shares.sum())
        drawn = uniforms(runs * length, "anytime", seed, label).reshape(runs, length)
        scores = np.array(SCORES)[np.minimum(np.searchsorted(bounds, drawn), 4)]
        n = np.arange(1, length + 1) + 2.0
        total, squares = np.cumsum(scores, axis=1) + 1, np.cumsum(scores**2, axis=1) + 1
        mean = total / n
        error = np.sqrt(np.maximum(squares - n * mean**2, 0.0)) / n
        return cls(float(np.array(SCORES) @ shares / shares.sum()), mean, error)


def pairs_table(size: Size, seed: int) -> Lines:
    """Yield lines: how often an interval ever excludes the truth, of 1,024 pairs with a look at each."""
    length, step = 1024, 100
    at = np.arange(1, length + 1)
    deviations = np.array([multiplier(t / length) for t in at])
    yield (
        "pairs",
        EVERY_LOOK,
        f"{EVERY_LOOK}, in the first 128 pairs",
        f"{FIXED}, every 16",
        f"{FIXED}, at the end",
    )
    for name, shares in PAIR_WORLDS.items():
        ever = early = watched = last = 0.0
        for part in range(0, size.pairs, step):
            count = min(step, size.pairs - part)
            runs = PairRuns.of(f"{name}-{part}", shares, count, length, seed)
            gap = np.abs(runs.mean - runs.truth)
            out, fixed = gap > deviations * runs.error, gap > QUANTILE * runs.error
            ever += out.any(axis=1).sum()
            early += out[:, :128].any(axis=1).sum()
            watched += fixed[:, 15::16].any(axis=1).sum()
            last += fixed[:, -1].sum()
        found = (ever, early, watched, last)
        yield (name, *(f"{100 * count / size.pairs:.1f} %" for count in found))


def width_table() -> Lines:
    """Yield lines: the width of the interval in units of the fixed one of the same pairs."""
    shares = (1 / 64, 1 / 16, 1 / 4, 1 / 2, 1.0, 2.0, 4.0)
    yield ("share of the planned length", *(f"{share:g}" for share in shares))
    yield ("times as wide as a fixed one", *(f"{multiplier(share) / QUANTILE:.2f}" for share in shares))


def stopping_table(size: Size, seed: int) -> Lines:
    """Yield lines: pairs until the interval is as narrow as asked, and whether it holds the truth then."""
    yield (
        "pairs",
        "width asked, Elo",
        "pairs, mean",
        "pairs, 95 % of runs",
        "last interval excludes the truth",
    )
    runs = max(50, size.pairs // 20)
    for name in ("even, no draws", "30 Elo, dice for 300 Elo, mirrored", "even, nine of ten games drawn"):
        for width in (40, 20):
            planned = width_pairs(width)
            length = 3 * planned
            at = np.arange(1, length + 1)
            deviations = np.array([multiplier(t / planned) for t in at])
            stops, wrong = [], 0
            for run in range(runs):
                found = PairRuns.of(f"{name}-stop-{width}-{run}", PAIR_WORLDS[name], 1, length, seed)
                mean, wide = found.mean[0], deviations * found.error[0]
                low, high = np.clip(mean - wide, 1e-9, None), np.clip(mean + wide, None, 1 - 1e-9)
                ends = [-400 * np.log10(1 / score - 1) for score in (low, mean, high)]
                narrow = np.maximum(ends[2] - ends[1], ends[1] - ends[0]) <= width
                narrow[np.arange(length) % 16 != 15] = False
                stop = int(np.argmax(narrow)) if narrow.any() else length - 1
                stops.append(stop + 1)
                wrong += not ends[0][stop] <= elo_of(found.truth) <= ends[2][stop]
            ordered = sorted(stops)
            yield (
                name,
                f"{width}",
                f"{sum(stops) / runs:,.0f}",
                f"{ordered[math.ceil(0.95 * runs) - 1]:,}",
                f"{100 * wrong / runs:.1f} %",
            )


# Ratings of a pool


@dataclass(frozen=True)
class PoolWorld:
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


def play_cycles(world: PoolWorld, strong: Floats, cycles: int, label: str) -> list[list[GameWithFaults]]:
    """Return the groups of so many cycles in which all groups of entrants meet once."""
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
            games: list[GameWithFaults] = []
            for turn, order in enumerate(orders):
                sat = tuple(table[index] for index in order)
                utility = (strong[list(table)] + opening[cycle, at])[order] + dice[cycle, at]
                drawn = noise[cycle, at, turn]
                ranks = _davidson(utility, drawn, world.nu) if k == 2 else _places(utility, drawn)
                games.append((sat, ranks, (None,) * k))
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
        for run in range(size.ratings):
            strong = world.spread * normals(world.bots, "anytime", seed, label, run, "strengths")
            known = f"{seed}-{label}-{run}"
            truth = weights @ strong
            if world.opening or world.dice:  # then the fit's own truth: what it tends to with more games
                many = play_cycles(world, strong, 20 * world.cycles, f"{known}-many")
                truth = weights @ strengths(_counts(world, many))[0]
            tables = len(list(combinations(range(world.bots), world.seats)))
            games = world.cycles * tables * len(seat_orders(world.seats, 1)) * world.seats / world.bots
            look = Look(games, world.seats)
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


def _counts(world: PoolWorld, groups: Sequence[Sequence[GameWithFaults]]) -> Counts:
    return Counts.of_groups(((games, 1) for games in groups), range(world.bots), world.seats)


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
    """Return strengths: the best, ``first`` Elo below it the second, then one each ``step`` Elo."""
    return (0.0, *(-first - step * place for place in range(count - 1)))


FIELDS = (
    Field("16 bots, 30 Elo from first to second, then 30 each", steps(16, 30, 30)),
    Field("16 bots, 30 Elo, then 15 each", steps(16, 30, 15)),
    Field("8 bots, 50 Elo, then 25 each, four of five games drawn", steps(8, 50, 25), nu=8.0),
    Field("6 bots of 4 seats, 60 Elo, then 40 each", steps(6, 60, 40), seats=4),
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


def play(rows: Sequence[Row], world: Field, seed: int) -> tuple[ResultRow, ...]:
    """Return results derived from the rows' keys and the seed."""
    found = []
    for row in rows:
        labels = (row.round, row.table, row.repeat, row.order)
        drawn = [(derive(seed, "seat", *labels, seat) + 0.5) / U64 for seat in range(world.seats)]
        utility = [world.strengths[number] for number in row.seats]
        if world.seats == 2:
            a, b = row.seats
            utility[0] += world.style.get((a, b), 0.0) - world.style.get((b, a), 0.0)
            ranks = _davidson(utility, drawn, world.nu)
        else:
            ranks = _places(np.array(utility), np.array(drawn))
        found.append(row.result(ranks))
    return tuple(found)


def search(format_: Format, world: Field, seed: int) -> tuple[int | None, int]:
    """Return the bot named as the best (None: none was), and the number of games."""
    asked = Until(best=9500, games=world.games)
    if isinstance(format_, RoundRobin):
        return _search_level(world, asked, seed)
    players = tuple(Participant(number, str(number)) for number in range(len(world.strengths)))
    setup = Setup(players, world.seats, seed, extra=asked.extra())
    history = History()
    while True:
        seen = history.rounds - format_.lag
        known = tuple(result for result in history.results if result.key.round <= seen)
        drawn = next_rounds(format_, setup, History(history.rows, known))
        history = History(history.rows + drawn.rows, history.results + play(drawn.rows, world, seed))
        if drawn.complete:
            break
    found = ended_by(format_, setup, history)
    return (found.entrants[0] if found and found.entrants else None), len(history.rows)


T = TypeVar("T", Duels, Evidence)


class Growing(Generic[T]):
    """What is counted of results that only grow: each look adds the new ones."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make: Callable[[], T] = make
        self._seen = 0
        self._found: T = make()

    def at(self, results: Sequence[ResultRow]) -> T:
        """Return what is counted of these results; fewer than before begin another run."""
        if len(results) < self._seen:
            self._seen, self._found = 0, self._make()
        self._found.add(results[self._seen :])
        self._seen = len(results)
        return self._found


@contextmanager
def growing(world: Field) -> Iterator[None]:
    """Let adaptive runs of a field count only new results at each look, for the same answers much sooner."""
    duels = Growing(Duels)
    evidence = Growing(lambda: Evidence(len(world.strengths), world.seats))

    def duels_of(results: Sequence[ResultRow], *, shared_dice: bool) -> Duels:  # noqa: ARG001 - dice are shared
        return duels.at(results)

    def estimate(
        players: Sequence[Participant],
        results: Sequence[ResultRow],
        seats: int,  # noqa: ARG001 - the field's
    ) -> Strengths:
        return evidence.at(results).strengths(players)

    with ExitStack() as stack:
        for module in (adaptive, until):
            stack.enter_context(patch.object(module, "Duels", duels_of))
            stack.enter_context(patch.object(module, "estimate", estimate))
        yield


def _search_level(world: Field, asked: Until, seed: int) -> tuple[int | None, int]:
    """Return the same of a round-robin, decided as the format does it, from counts of equal groups."""
    entrants = range(len(world.strengths))
    groups: Counter[tuple[GameWithFaults, ...]] = Counter()
    tables = list(combinations(entrants, world.seats))
    size = len(seat_orders(world.seats, 1))
    most = (asked.games or 0) // (len(tables) * size)
    look = Look(most * len(tables) * size * world.seats / len(entrants), world.seats)
    batch = -(-BATCH // (len(tables) * size))
    for cycle in range(1, most + 1):
        for table, group in enumerate(tables, 1):
            rows = [
                Row(cycle, table, 1, order, tuple(group[index] for index in seats))
                for order, seats in enumerate(seat_orders(world.seats, cycle), 1)
            ]
            results = play(rows, world, seed)
            groups[tuple((one.entrants, one.ranks, (None,) * world.seats) for one in results)] += 1
        if cycle % batch == 0 or cycle == most:
            counts = Counts.of_groups(groups.items(), entrants, world.seats)
            if (found := answer_of_fit(counts, look, asked, entrants)) is not None:
                return found.entrants[0], cycle * len(tables) * size
    return None, most * len(tables) * size


def best_table(size: Size, seed: int) -> Lines:
    """Yield lines: games until the best is known, adaptive beside round-robin."""
    yield ("field", "adaptive, games", "round-robin, games", "ratio", "wrong", "not known")
    for world in FIELDS:
        games = {"adaptive": 0, "round-robin": 0}
        wrong = unknown = 0
        for run in range(size.best):
            for format_ in (Adaptive(), RoundRobin()):
                with growing(world):
                    named, played = search(format_, world, derive(seed, "best", run))
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
        with growing(world):
            answers = [search(Adaptive(), world, derive(seed, "hard", run))[0] for run in range(runs)]
        wrong = sum(named is not None and named != world.best for named in answers)
        none = answers.count(None)
        yield (world.name, f"{runs}", f"{wrong}", f"{runs - wrong - none}", f"{none}")


def width_pairs(width: float) -> int:
    """Return the pairs for which ``compare --width`` tunes its interval."""
    from tourney.compare.format import planned_for  # noqa: PLC0415 - only this table needs it

    return planned_for(width)


Table = Callable[[Size, int], Lines]
TABLES: dict[str, tuple[Table, ...]] = {
    "pairs": (pairs_table, lambda _size, _seed: width_table()),
    "ratings": (ratings_table,),
    "stopping": (stopping_table,),
    "best": (best_table, errors_table),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--full", action="store_true", help="as many runs as the documentation has; hours")
    parser.add_argument("--only", choices=TABLES, help="one part")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    size = FULL if given.full else SMALL
    for name in [given.only] if given.only else TABLES:
        for table in TABLES[name]:
            start = time.perf_counter()
            for place, line in enumerate(table(size, given.seed)):
                print("| " + " | ".join(line) + " |", flush=True)
                if not place:
                    print("|---" * len(line) + "|", flush=True)
            print(f"\n({time.perf_counter() - start:.0f} s)\n", flush=True)


if __name__ == "__main__":
    main()
