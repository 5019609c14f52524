"""Quality of pairings on simulated fields: of a Swiss, and of adaptive pairing; what checking them takes.

    python -m benchmarks.pairings swiss [--sizes 20,100,500] [--rounds 9] [--fields 10] [--large 2000]
    python -m benchmarks.pairings adaptive [--pool 20] [--spread 200] [--sigma 50] [--before 8] [--fields 10]
    python -m benchmarks.pairings checkers [--entrants 20]

Strengths are normal and decide matches. All samples derive from fixed seeds, so all figures but the seconds
are the same on every machine.

``swiss`` pairs fields with a standard deviation of 200 Elo by the Swiss format and by three simpler methods.
A pairing is two matches with the seats exchanged; a column is the mean over the fields. gap: difference of a
pair's scores before its round, in points of a match. again: repeated meetings a tournament. rank: Spearman's
correlation of the standings with the true strengths. seats: the largest difference between an entrant's two
seats, over all matches. lead, most: the difference between first and second places in pairings: the mean and
the largest of all entrants.

``adaptive``: a pool has played a round-robin of ``--before`` pairs of matches a pairing. Then a bot joins: at
the pool's mean, two standard deviations above it and four. It is placed when its rating has a standard
deviation of at most ``--sigma`` Elo. The figures are the matches played from then on, and the final error of
the rating (root of the mean square over the fields). In the round-robin it meets all bots in turn, again and
again; adaptive pairs batches of 4 pairings and sees the results of all but the last batch.

``checkers``: tournaments of each format are played in this process by bots that choose by a seed, exported,
and checked by ``seeds/check.py`` and ``seeds/check.mjs``, each in a process of its own. Seconds are those of
its processor. The last column is what they print.

It is long because its tables share their simulated fields.
"""

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import click

from benchmarks.common import described, head, row, run, share, two_seat_results
from tests.seeds import pool as played_pool
from tests.seeds.checkers import NODE, PYTHON
from tourney.exchange.lines import export_lines
from tourney.games.registry import find_game
from tourney.ratings.superiority import normals
from tourney.schedule.adaptive import Adaptive, estimate
from tourney.schedule.balanced_design import shuffled
from tourney.schedule.format import History, Participant, Setup, rows_of
from tourney.schedule.player_history import PlayerHistory
from tourney.schedule.round_robin import RoundRobin
from tourney.schedule.row import ResultRow, Row
from tourney.schedule.swiss import Swiss
from tourney.seeds import derive
from tourney.store.database import Database
from tourney.store.values import Plan

Pairs = list[tuple[int, int]]
NextRound = Callable[[Setup, History], tuple[Row, ...]]
DRAWS = 0.2
"""The draw probability of two equals."""


def matched(setup: Setup, history: History) -> tuple[Row, ...]:
    """The next round of the Swiss format."""
    return Swiss().next_rounds(setup, history).rows


def plain(pair: Callable[[PlayerHistory, list[int]], Pairs]) -> NextRound:
    """The next round by ``pair``; with an odd number the last entrant without a bye gets it."""

    def next_round(setup: Setup, history: History) -> tuple[Row, ...]:
        past = PlayerHistory.of(setup, history, "win")
        order = sorted(range(len(setup.participants)), key=lambda number: (-past.score(number), number))
        if len(order) % 2:
            rested = {n for n in order if any(entry.kind == "bye" for entry in past.entries[n])}
            order.remove(next(n for n in reversed(order) if n not in rested))
        tables = enumerate(pair(past, order), 1)
        return tuple(
            one for table, group in tables for one in rows_of(setup, history.rounds + 1, table, group)
        )

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
        met = _met(past, first)
        second = next((second for second in left if second not in met), left[0])
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
        if k + 1 < len(order) and past.score(order[k + 1]) == past.score(number):
            continue
        half = len(group) // 2
        upper, lower, down = group[:half], group[half:], []
        for first in upper:
            met = _met(past, first)
            fresh = [second for second in lower if second not in met]
            if fresh:
                lower.remove(fresh[0])
                pairs.append((first, fresh[0]))
            else:
                down.append(first)
        group = down + lower
    return pairs + monrad(past, group)


def _met(past: PlayerHistory, number: int) -> set[int]:
    return {other for entry in past.entries[number] for other in entry.opponents}


METHODS: dict[str, NextRound] = {
    "swiss": matched,
    "fold": plain(folded),
    "monrad": plain(monrad),
    "lot": plain(by_lot),
}


def _played(history: History, rows: Sequence[Row], results: Sequence[ResultRow]) -> History:
    return History((*history.rows, *rows), (*history.results, *results))


def play_swiss(rows: Sequence[Row], strengths: Sequence[float], seed: int) -> tuple[ResultRow, ...]:
    """Results whose draws depend on the round and the seats alone."""
    return two_seat_results(rows, strengths, DRAWS, lambda one: share(seed, "match", one.round, *one.seats))


class Figures(NamedTuple):
    """The figures of one tournament, as the module's docstring describes them."""

    gap: float
    again: float
    rank: float
    seats: float
    lead: float
    most: float


def tournament(next_round: NextRound, count: int, rounds: int, seed: int) -> Figures:
    """Play a tournament with one way of pairing and measure it."""
    strengths = (200 * normals(count, "swiss", count, seed)).tolist()
    setup = Setup(tuple(Participant(number) for number in range(count)), 2, seed, rounds=rounds)
    history = History()
    for _ in range(rounds):
        rows = next_round(setup, history)
        history = _played(history, rows, play_swiss(rows, strengths, seed))
    scores = PlayerHistory.of(setup, history, "win").scores()
    pairs = [(one.round, *one.seats) for one in history.rows if one.repeat == one.order == 1]
    met = Counter(frozenset((a, b)) for _, a, b in pairs)
    lead, seats = Counter[int](), Counter[int]()
    for counts, listed in (
        (lead, [pair[1:] for pair in pairs]),
        (seats, [one.seats for one in history.rows]),
    ):
        for first, second in listed:
            counts[first] += 1
            counts[second] -= 1
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
    """Spearman's rank correlation; equal values share the mean of their ranks."""
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


def seconds_of_rounds(count: int, rounds: int) -> list[tuple[float, float]]:
    """The time to draw each round of a large field: by the clock, and of a processor."""
    strengths = (200 * normals(count, "swiss", count, 1)).tolist()
    setup = Setup(tuple(Participant(number) for number in range(count)), 2, 1, rounds=rounds)
    history = History()
    taken = []
    for _ in range(rounds):
        began, worked = time.perf_counter(), time.process_time()
        rows = matched(setup, history)
        taken.append((time.perf_counter() - began, time.process_time() - worked))
        history = _played(history, rows, play_swiss(rows, strengths, 1))
    return taken


# -- adaptive -----------------------------------------------------------------------------------------------


class Placing(NamedTuple):
    """The matches until a bot is placed, and the error of its rating in Elo."""

    matches: int
    error: float


def play_pool(rows: Sequence[Row], strengths: Sequence[float], seed: int) -> tuple[ResultRow, ...]:
    """Results whose draws depend on the whole key of a row but its order, and the seats."""

    def luck(one: Row) -> float:
        return share(seed, "match", one.round, one.table, one.repeat, *one.seats)

    return two_seat_results(rows, strengths, DRAWS, luck)


def by_round_robin(setup: Setup, pool: History, strengths: Sequence[float], seed: int) -> Iterator[ResultRow]:
    """Yield the matches of repeated round-robins after the last entrant has joined."""
    rows = list(RoundRobin().next_rounds(replace(setup, extra=()), History(pool.rows)).rows)
    last = pool.rounds
    while True:
        yield from play_pool(rows, strengths, seed)
        rows = [replace(one, round=one.round + rows[-1].round - last) for one in rows]


def by_adaptive(setup: Setup, pool: History, strengths: Sequence[float], seed: int) -> Iterator[ResultRow]:
    """Yield the matches of an adaptive tournament after the last entrant has joined."""
    history = pool
    while True:
        seen = tuple(result for result in history.results if result.key.round < history.rounds)
        rows = Adaptive().next_rounds(setup, History(history.rows, seen)).rows
        if not rows:
            return
        results = play_pool(rows, strengths, seed)
        history = _played(history, rows, results)
        yield from results


def place(
    setup: Setup, known: Sequence[ResultRow], more: Iterator[ResultRow], truth: Sequence[float], sigma: int
) -> Placing:
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
    return Placing(count, found.rating[new] / 100 - (truth[new] - mean(truth)))


def field(
    pool: int, spread: float, above: float, sigma: int, before: int, seed: int
) -> tuple[Placing, Placing]:
    """The placing of a bot ``above`` spreads over the pool's mean: adaptive, round-robin."""
    strengths = [*(spread * normals(pool, "adaptive", pool, seed)).tolist(), above * spread]
    rated = Setup(tuple(Participant(number) for number in range(pool)), 2, seed, repeats=before)
    rows = RoundRobin().next_rounds(rated, History()).rows
    known = History(rows, play_pool(rows, strengths, seed))
    participants = (*rated.participants, Participant(pool, joined=known.rounds + 1))
    setup = Setup(participants, 2, seed, extra=(("batch", 4), ("target-sigma", sigma)))
    return (
        place(setup, known.results, by_adaptive(setup, known, strengths, seed), strengths, sigma),
        place(setup, known.results, by_round_robin(setup, known, strengths, seed), strengths, sigma),
    )


@click.group(help=described(__doc__))
def main() -> None:
    """Measure pairings."""


@main.command("swiss")
@click.option("--sizes", default="20,100,500", show_default=True, help="Entrants of the simulated fields.")
@click.option("--rounds", default=9, show_default=True)
@click.option("--fields", default=10, show_default=True, help="Fields of each size.")
@click.option("--large", default=2000, show_default=True, help="Entrants of the field to time; 0: none.")
def swiss_command(sizes: str, rounds: int, fields: int, large: int) -> None:
    """Print the quality of Swiss pairings, and the time of those of a large field."""
    print(f"{rounds} rounds, {fields} fields of each size, two matches a pairing\n")
    head("N", "pairing", "gap", "again", "rank", "seats", "lead", "most")
    for count in map(int, sizes.split(",")):
        for name, draw in METHODS.items():
            found = [tournament(draw, count, rounds, seed) for seed in range(1, fields + 1)]
            gap, again, rank, seats, lead, _ = map(mean, zip(*found, strict=True))
            most = max(one.most for one in found)
            row(count, name, f"{gap:.3f}", f"{again:.1f}", f"{rank:.3f}", f"{seats:.0f}", f"{lead:.2f}", most)
    if large:
        print(f"\nN = {large}, seconds to draw each round")
        clock, processor = zip(*seconds_of_rounds(large, rounds), strict=True)
        for what, taken in (("by the clock", clock), ("of a processor", processor)):
            print(f"{what}: {' '.join(f'{one:.2f}' for one in taken)}, at most {max(taken):.2f}")


@main.command("adaptive")
@click.option("--pool", default=20, show_default=True, help="Bots in the pool.")
@click.option("--spread", default=200.0, show_default=True, help="Their standard deviation in Elo.")
@click.option("--sigma", default=50, show_default=True, help="Target sigma of the new bot's rating, in Elo.")
@click.option("--before", default=8, show_default=True, help="Pairs of matches of each pairing of the pool.")
@click.option("--fields", default=10, show_default=True)
def adaptive_command(pool: int, spread: float, sigma: int, before: int, fields: int) -> None:
    """Print the matches needed to place a new bot in a rated pool."""
    print(f"a pool of {pool}, sigma {sigma} Elo, {fields} fields\n")
    head("new bot", "adaptive", "error", "round-robin", "error")
    for above in (0.0, 2.0, 4.0):
        found = [field(pool, spread, above, sigma, before, seed) for seed in range(1, fields + 1)]
        cells = []
        for placed in zip(*found, strict=True):
            cells.append(f"{mean(one.matches for one in placed):.1f}")
            cells.append(f"{mean(one.error**2 for one in placed) ** 0.5:.0f}")
        row(f"{above * spread:+.0f} Elo", *cells)


CHECKED = {
    "swiss": (2, 9, ()),
    "pods": (4, 5, ()),
    "knockout": (2, None, ()),
    "adaptive": (2, None, (("budget", 300),)),
}
"""The tournaments for the checkers: seats, rounds and settings."""


def exported(name: str, entrants: int, folder: Path) -> Path:
    """Play a tournament of Sage Stones and export it."""
    seats, rounds, extra = CHECKED[name]
    game = find_game("sage-stones")
    _, options = game.settings(seats, {"stones": "6"} if seats > 2 else {})
    plan = Plan(
        name,
        game.name,
        game.rules,
        tuple(sorted(options.items())),
        "swiss" if name == "pods" else name,
        seats,
        2 if seats == 2 else 4,
        rounds=rounds,
        extra=extra,
    )
    out = folder / f"{name}.jsonl"
    with Database.open(str(folder / f"{name}.db"), create=True) as database:
        made = played_pool.store(database, played_pool.Case(plan, entrants), 7, folder)
        stored = database.tournaments.by_id(made)
        out.write_bytes(b"".join(export_lines(database, stored, measured=False)))
    return out


def seconds_of(words: Sequence[str]) -> tuple[float, str]:
    """The seconds of processor that a program takes, and the last line that it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return taken, done.stdout.splitlines()[-1]


@main.command("checkers")
@click.option("--entrants", default=20, show_default=True)
def checkers_command(entrants: int) -> None:
    """Print what the checkers of exported tournaments take."""
    programs = {"check.py": [sys.executable, "-E", "-s", "-S", str(PYTHON)], "check.mjs": ["node", str(NODE)]}
    programs = {name: words for name, words in programs.items() if shutil.which(words[0])}
    print(f"{entrants} entrants, seconds of processor\n")
    head("tournament", "matches", *programs, "found")
    with tempfile.TemporaryDirectory() as folder:
        for name in CHECKED:
            path = exported(name, entrants, Path(folder))
            found = [seconds_of([*words, str(path)]) for words in programs.values()]
            (said,) = {line for _, line in found}
            matches = path.read_bytes().count(b"\n") - 1
            row(name, matches, *(f"{taken:.2f}" for taken, _ in found), said.partition(";")[0])


if __name__ == "__main__":
    run(main)
