"""Round-robin: every entrant meets every other.

With more than two seats every group of that size meets, or with ``rounds`` a balanced choice of groups.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, groupby
from math import comb

from tourney.schedule.balanced_design import balanced, design
from tourney.schedule.format import (
    Format,
    History,
    Pairings,
    RoundsKey,
    Setup,
    refuse_few,
    refuse_late,
    rows_of_rounds,
)
from tourney.schedule.row import limit_rows

Rounds = Iterable[Sequence[tuple[int, ...]]]
"""Rounds as lists of groups, in the order of the tables."""


class RoundRobin(Format):
    """All rounds at once, because no result matters; an entrant added later meets all others in new rounds.

    Two seats: the rounds of the Berger tables (FIDE Handbook C.05, Annex 1). More seats: all groups in
    lexicographic order, each in the first round in which all its members are free; or, with ``rounds``, that
    number of rounds in which the meetings of two pairs differ by at most one
    (``tourney.schedule.balanced_design``).
    """

    name = "round-robin"
    takes_entrants = True

    def rounds_key(self, seats: int) -> RoundsKey:
        """Take ``rounds`` for more than two seats."""
        return "refused" if seats == 2 else "optional"

    def check(self, setup: Setup) -> None:
        """Raise TournamentError for fewer entrants than seats, or too many matches."""
        count = len(setup.participants)
        refuse_few(setup, "a round-robin")
        rounds = setup.rounds
        groups_ = comb(count, setup.seats) if rounds is None else rounds * (count // setup.seats)
        limit_rows(f"a round-robin of {count} entrants", groups_ * setup.games)
        if rounds is not None:
            refuse_late(setup, rounds)

    def next_rounds(self, setup: Setup, history: History) -> Pairings:
        """Return the rounds that are not paired yet."""
        self.check(setup)
        return Pairings(rows_of_rounds(setup, history.rounds + 1, _rounds(setup, history)), complete=True)


def _rounds(setup: Setup, history: History) -> Rounds:
    count = len(setup.participants)
    first = [row for row in history.rows if row.repeat == row.order == 1]
    if setup.rounds is not None:
        before = [[row.seats for row in rows] for _, rows in groupby(first, key=lambda row: row.round)]
        rounds = setup.rounds - history.rounds
        return _seated(design(count, setup.seats, rounds, setup.seed, before) if rounds > 0 else [])
    paired = {frozenset(row.seats) for row in first}
    every: Rounds = berger(count) if setup.seats == 2 else groups(count, setup.seats)
    left = [[group for group in tables if frozenset(group) not in paired] for tables in every]
    left = [tables for tables in left if tables]
    return left if setup.seats == 2 else _seated(left)


def _seated(rounds: Sequence[Sequence[tuple[int, ...]]]) -> Rounds:
    """Order each group so that every entrant comes first, second, ... equally often."""
    ordered = iter(balanced([group for tables in rounds for group in tables]))
    return [[next(ordered) for _ in tables] for tables in rounds]


def berger(count: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield the rounds of the Berger tables for entrants 0..count-1, pairs in the order of the boards.

    The first of a pair has the first seat. With an odd number the entrant paired with the missing last one
    is free.
    """
    even = count + count % 2
    ring = even - 1
    for round_ in range(ring):
        first = round_ * (even // 2) % ring
        top = (first, ring) if round_ % 2 == 0 else (ring, first)
        others = (((first + i) % ring, (first - i) % ring) for i in range(1, even // 2))
        yield tuple(pair for pair in (top, *others) if max(pair) < count)


def groups(count: int, seats: int) -> list[tuple[tuple[int, ...], ...]]:
    """Return rounds with every group of entrants 0..count-1 once, and no entrant twice in a round."""
    return first_fit(combinations(range(count), seats))


def first_fit(every: Iterable[tuple[int, ...]]) -> list[tuple[tuple[int, ...], ...]]:
    """Put each group, in the order given, into the first round in which all its members are free."""
    rounds: list[list[tuple[int, ...]]] = []
    busy: dict[int, int] = defaultdict(int)  # per entrant, bit r is set when it plays in round r
    for group in every:
        taken = 0
        for entrant in group:
            taken |= busy[entrant]
        bit = ~taken & (taken + 1)  # the lowest round in which all are free
        for entrant in group:
            busy[entrant] |= bit
        round_ = bit.bit_length() - 1
        if round_ == len(rounds):
            rounds.append([])
        rounds[round_].append(group)
    return [tuple(tables) for tables in rounds]
