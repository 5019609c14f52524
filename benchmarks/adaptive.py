"""Matches needed to place a new bot in a rated pool: adaptive pairing next to a round-robin.

    python benchmarks/adaptive.py [--pool 20] [--spread 200] [--sigma 50] [--before 8] [--fields 10]

A pool of known strengths (normal, standard deviation ``--spread`` Elo) has played a round-robin of
``--before`` pairs of matches a pairing. Then a bot joins: at the pool's mean, two standard deviations above
it and four. It is placed when its rating has a standard deviation of at most ``--sigma`` Elo. The figures are
the matches played from then on, and the final error of the rating (root of the mean square over the fields).
In the round-robin it meets all bots in turn, again and again; adaptive pairs batches of 4 pairings and sees
the results of all but the last batch.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import mean

from tourney.ratings.superiority import normals
from tourney.schedule.adaptive import Adaptive, estimate
from tourney.schedule.format import History, Participant, Setup
from tourney.schedule.round_robin import RoundRobin
from tourney.schedule.row import ResultRow, Row
from tourney.seeds import U64, derive

DRAWS = 0.2
"""The draw probability of two equals."""


@dataclass(frozen=True)
class Placed:
    """The matches until a bot is placed, and the error of its rating in Elo."""

    matches: int
    error: float


def play(rows: Sequence[Row], strengths: Sequence[float], seed: int) -> tuple[ResultRow, ...]:
    """Return a result for each row, derived from its key and the seed."""
    found = []
    for row in rows:
        one, two = row.seats
        better = 1 / (1 + 10 ** ((strengths[two] - strengths[one]) / 400))
        drawn = 4 * DRAWS * better * (1 - better)
        u = derive(seed, "match", row.round, row.table, row.repeat, *row.seats) / U64
        ranks = (1, 1) if u < drawn else (1, 2) if u < drawn + better - drawn / 2 else (2, 1)
        found.append(row.result(ranks))
    return tuple(found)


def by_round_robin(setup: Setup, pool: History, strengths: Sequence[float], seed: int) -> Iterator[ResultRow]:
    """Yield the matches of repeated round-robins after the last entrant has joined."""
    again = replace(setup, extra=())
    rows = list(RoundRobin().next_rounds(again, History(pool.rows)).rows)
    last = pool.rounds
    while True:
        yield from play(rows, strengths, seed)
        rows = [replace(row, round=row.round + rows[-1].round - last) for row in rows]


def by_adaptive(setup: Setup, pool: History, strengths: Sequence[float], seed: int) -> Iterator[ResultRow]:
    """Yield the matches of an adaptive tournament after the last entrant has joined."""
    history = pool
    while True:
        seen = tuple(result for result in history.results if result.key.round < history.rounds)
        rows = Adaptive().next_rounds(setup, History(history.rows, seen)).rows
        if not rows:
            return
        results = play(rows, strengths, seed)
        history = History(history.rows + rows, history.results + results)
        yield from results


def place(
    setup: Setup, known: Sequence[ResultRow], more: Iterator[ResultRow], truth: Sequence[float], sigma: int
) -> Placed:
    """Count matches until the last entrant is placed."""
    results = list(known)
    new = len(truth) - 1
    count = 0
    for result in more:
        count += 1
        results.append(result)
        if new in result.entrants and estimate(setup.participants, results, 2).deviation[new] <= 100 * sigma:
            break
    found = estimate(setup.participants, results, 2)
    return Placed(count, found.rating[new] / 100 - (truth[new] - mean(truth)))


def field(
    pool: int, spread: float, above: float, sigma: int, before: int, seed: int
) -> tuple[Placed, Placed]:
    """Return the placing of a bot ``above`` spreads over the pool's mean: adaptive, round-robin."""
    strengths = [*(spread * normals(pool, "adaptive", pool, seed)).tolist(), above * spread]
    rated = Setup(tuple(Participant(number) for number in range(pool)), 2, seed, repeats=before)
    rows = RoundRobin().next_rounds(rated, History()).rows
    known = History(rows, play(rows, strengths, seed))
    participants = (*rated.participants, Participant(pool, joined=known.rounds + 1))
    extra = (("batch", 4), ("target-sigma", sigma))
    setup = Setup(participants, 2, seed, extra=extra)
    return (
        place(setup, known.results, by_adaptive(setup, known, strengths, seed), strengths, sigma),
        place(setup, known.results, by_round_robin(setup, known, strengths, seed), strengths, sigma),
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Measure how a new bot is placed in a rated pool.")
    parser.add_argument("--pool", type=int, default=20, help="bots in the pool")
    parser.add_argument("--spread", type=float, default=200.0, help="their standard deviation in Elo")
    parser.add_argument("--sigma", type=int, default=50, help="target sigma of the new bot's rating, in Elo")
    parser.add_argument("--before", type=int, default=8, help="pairs of matches of each pairing of the pool")
    parser.add_argument("--fields", type=int, default=10)
    options = parser.parse_args()
    print(f"a pool of {options.pool}, sigma {options.sigma} Elo, {options.fields} fields")
    print()
    print("| new bot | adaptive | error | round-robin | error |")
    print("|---|---|---|---|---|")
    for above in (0.0, 2.0, 4.0):
        found = [
            field(options.pool, options.spread, above, options.sigma, options.before, seed)
            for seed in range(1, options.fields + 1)
        ]
        cells = []
        for placed in zip(*found, strict=True):
            cells.append(f"{mean(one.matches for one in placed):.1f}")
            cells.append(f"{mean(one.error**2 for one in placed) ** 0.5:.0f}")
        print(f"| {above * options.spread:+.0f} Elo | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
