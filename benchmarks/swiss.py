"""Quality of Swiss pairings on simulated fields, next to simpler pairings of the same fields.

    python benchmarks/swiss.py [--sizes 20,100,500] [--rounds 9] [--fields 10] [--large 2000]

Strengths are normal with a standard deviation of 200 Elo and decide matches. All samples derive from fixed
seeds, so all figures but the seconds are the same on every machine. A pairing is two matches with the seats
exchanged; a column is the mean over the fields.

gap: difference of a pair's scores before its round, in points of a match. again: repeated meetings a
tournament. rank: Spearman's correlation of the standings with the true strengths. seats: the largest
difference between an entrant's two seats, over all matches. lead, most: the difference between first and
second places in pairings: the mean and the largest of all entrants.
"""

import argparse
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean

from tourney.ratings.superiority import normals
from tourney.schedule.balanced_design import shuffled
from tourney.schedule.format import History, Participant, Setup, rows_of
from tourney.schedule.player_history import PlayerHistory
from tourney.schedule.row import ResultRow, Row
from tourney.schedule.swiss import Swiss
from tourney.seeds import U64, derive

Pairs = list[tuple[int, int]]
NextRound = Callable[[Setup, History], tuple[Row, ...]]
DRAWS = 0.2
"""The draw probability of two equals."""


def matched(setup: Setup, history: History) -> tuple[Row, ...]:
    """Return the next round of the Swiss format."""
    return Swiss().next_rounds(setup, history).rows


def plain(pair: Callable[[PlayerHistory, list[int]], Pairs]) -> NextRound:
    """Return the next round by ``pair``; with an odd number the last entrant without a bye gets it."""

    def next_round(setup: Setup, history: History) -> tuple[Row, ...]:
        past = PlayerHistory.of(setup, history)
        order = sorted(range(len(setup.participants)), key=lambda number: (-past.score(number), number))
        if len(order) % 2:
            rested = {n for n in order if any(entry.kind == "bye" for entry in past.entries[n])}
            order.remove(next(n for n in reversed(order) if n not in rested))
        round_ = history.rounds + 1
        tables = enumerate(pair(past, order), 1)
        return tuple(row for table, group in tables for row in rows_of(setup, round_, table, group))

    return next_round


def by_lot(past: PlayerHistory, order: list[int]) -> Pairs:
    """Pair by a shuffle; meetings may repeat."""
    mixed = shuffled(len(order), derive(past.setup.seed, "lot", past.rounds))
    return [(order[a], order[b]) for a, b in zip(mixed[::2], mixed[1::2], strict=True)]


def monrad(past: PlayerHistory, order: list[int]) -> Pairs:
    """Go down the standings: each meets the next it has not met, or the next if it has met all."""
    pairs: Pairs = []
    left = list(order)
    while left:
        first = left.pop(0)
        second = _next(past, first, left)
        left.remove(second)
        pairs.append((first, second))
    return pairs


def folded(past: PlayerHistory, order: list[int]) -> Pairs:
    """Fold every score group: each of the upper half meets the first of the lower half that it has not met.

    The rest floats down to the next group; at the end the rest meets as in ``monrad``.
    """
    pairs: Pairs = []
    group: list[int] = []
    for k, number in enumerate(order):
        group.append(number)
        ends = k + 1 == len(order) or past.score(order[k + 1]) != past.score(number)
        if not ends:
            continue
        half = len(group) // 2
        upper, lower, down = group[:half], group[half:], []
        for first in upper:
            fresh = [second for second in lower if second not in _met(past, first)]
            if fresh:
                lower.remove(fresh[0])
                pairs.append((first, fresh[0]))
            else:
                down.append(first)
        group = down + lower
    return pairs + monrad(past, group)


def _met(past: PlayerHistory, number: int) -> set[int]:
    return {other for entry in past.entries[number] for other in entry.opponents}


def _next(past: PlayerHistory, first: int, left: Sequence[int]) -> int:
    met = _met(past, first)
    return next((second for second in left if second not in met), left[0])


METHODS: dict[str, NextRound] = {
    "swiss": matched,
    "fold": plain(folded),
    "monrad": plain(monrad),
    "lot": plain(by_lot),
}


def play(rows: Sequence[Row], strengths: Sequence[float], seed: int) -> tuple[ResultRow, ...]:
    """Return a result for each row, derived from its entrants, its round and the seed."""
    found = []
    for row in rows:
        one, two = row.seats
        better = 1 / (1 + 10 ** ((strengths[two] - strengths[one]) / 400))
        drawn = 4 * DRAWS * better * (1 - better)
        u = derive(seed, "match", row.round, *row.seats) / U64
        ranks = (1, 1) if u < drawn else (1, 2) if u < drawn + better - drawn / 2 else (2, 1)
        found.append(row.result(ranks))
    return tuple(found)


@dataclass(frozen=True)
class Figures:
    """The figures of one tournament, as the module's docstring describes them."""

    gap: float
    again: float
    rank: float
    seats: float
    lead: float
    most: float


def tournament(next_round: NextRound, count: int, rounds: int, seed: int) -> Figures:
    """Play a tournament with one way of pairing and measure it."""
    strengths = 200 * normals(count, "swiss", count, seed)
    setup = Setup(tuple(Participant(number) for number in range(count)), 2, seed, rounds=rounds)
    history = History()
    for _ in range(rounds):
        rows = next_round(setup, history)
        history = History(history.rows + rows, history.results + play(rows, strengths.tolist(), seed))
    return measure(setup, history, strengths.tolist())


def measure(setup: Setup, history: History, strengths: Sequence[float]) -> Figures:
    """Measure a finished tournament."""
    scores = PlayerHistory.of(setup, history).scores()
    pairs = [(row.round, *row.seats) for row in history.rows if row.repeat == row.order == 1]
    met = Counter(frozenset((a, b)) for _, a, b in pairs)
    lead = Counter[int]()
    seats = Counter[int]()
    for _, first, second in pairs:
        lead[first] += 1
        lead[second] -= 1
    for row in history.rows:
        seats[row.seats[0]] += 1
        seats[row.seats[1]] -= 1
    table = Swiss().table(setup, history)
    return Figures(
        gap=mean(abs(scores[a][round_ - 1] - scores[b][round_ - 1]) / 2 for round_, a, b in pairs),
        again=sum(times - 1 for times in met.values()),
        rank=spearman([-line.rank for line in table], [strengths[line.number] for line in table]),
        seats=max(abs(value) for value in seats.values()),
        lead=mean(abs(lead[player.number]) for player in setup.participants),
        most=max(abs(value) for value in lead.values()),
    )


def spearman(one: Sequence[float], two: Sequence[float]) -> float:
    """Return Spearman's rank correlation; equal values share the mean of their ranks."""
    a, b = _ranks(one), _ranks(two)
    middle = (len(a) - 1) / 2
    top = sum((x - middle) * (y - middle) for x, y in zip(a, b, strict=True))
    below = sum((x - middle) ** 2 for x in a) * sum((y - middle) ** 2 for y in b)
    return float(top / below**0.5) if below else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(values)
    first = {value: k for k, value in reversed(list(enumerate(order)))}
    times = Counter(order)
    return [first[value] + (times[value] - 1) / 2 for value in values]


def seconds(count: int, rounds: int) -> list[tuple[float, float]]:
    """Return how long each round of a large field took to draw: by the clock, and of a processor."""
    strengths = (200 * normals(count, "swiss", count, 1)).tolist()
    setup = Setup(tuple(Participant(number) for number in range(count)), 2, 1, rounds=rounds)
    history = History()
    taken = []
    for _ in range(rounds):
        began, worked = time.perf_counter(), time.process_time()
        rows = matched(setup, history)
        taken.append((time.perf_counter() - began, time.process_time() - worked))
        history = History(history.rows + rows, history.results + play(rows, strengths, 1))
    return taken


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Measure the pairings of a Swiss.")
    parser.add_argument("--sizes", default="20,100,500", help="entrants of the simulated fields")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--fields", type=int, default=10, help="fields of each size")
    parser.add_argument("--large", type=int, default=2000, help="entrants of the field to time; 0: none")
    options = parser.parse_args()
    print(f"{options.rounds} rounds, {options.fields} fields of each size, two matches a pairing")
    print()
    print("| N | pairing | gap | again | rank | seats | lead | most |")
    print("|---|---|---|---|---|---|---|---|")
    for count in map(int, options.sizes.split(",")):
        for name, draw in METHODS.items():
            found = [tournament(draw, count, options.rounds, seed) for seed in range(1, options.fields + 1)]
            figures = " | ".join(
                f"{mean(getattr(one, key) for one in found):.{digits}f}"
                for key, digits in (("gap", 3), ("again", 1), ("rank", 3), ("seats", 0), ("lead", 2))
            )
            print(f"| {count} | {name} | {figures} | {max(one.most for one in found):.0f} |", flush=True)
    if options.large:
        print()
        print(f"N = {options.large}, seconds to draw each round")
        for what, taken in zip(
            ("by the clock", "of a processor"),
            zip(*seconds(options.large, options.rounds), strict=True),
            strict=True,
        ):
            print(f"{what}: {' '.join(f'{one:.2f}' for one in taken)}, at most {max(taken):.2f}")


if __name__ == "__main__":
    main()
