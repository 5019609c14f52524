"""Round-robin: every entrant meets every other.

With more than two seats every group of that size meets, or with ``rounds`` a balanced choice of groups.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, groupby
from math import comb
from typing import Final

from tourney.errors import TournamentError
from tourney.schedule.balanced_design import balanced, design
from tourney.schedule.format import (
    Format,
    History,
    Pairings,
    RoundsKey,
    Setup,
    group_size,
    refuse_few,
    refuse_late,
    rows_of,
    rows_of_rounds,
)
from tourney.schedule.row import limit_rows
from tourney.schedule.until_rule import Until
from tourney.seeds import seat_orders

BATCH: Final = 96
"""The least matches between two decisions about ``[until]``; enough for many workers."""

Rounds = Iterable[Sequence[tuple[int, ...]]]
"""Rounds as lists of groups, in the order of the tables."""


class RoundRobin(Format):
    """All rounds are paired at the start; a later entrant meets all others in further rounds.

    Two seats: the rounds of the Berger tables (FIDE Handbook C.05, Annex 1). More seats: all groups in
    lexicographic order, each in the first round in which all its members are free; or, with ``rounds``, that
    number of rounds in which the meetings of two pairs differ by at most one
    (``tourney.schedule.balanced_design``).

    With ``[until]`` it plays cycles: in each, every group of entrants meets once for one mirrored group of
    games. A batch is as many cycles as have ``BATCH`` matches; ``games-per-pairing`` bounds their number.
    """

    name = "round-robin"
    takes_entrants = True
    takes_until = True

    def rounds_key(self, seats: int) -> RoundsKey:
        """Take ``rounds`` for more than two seats."""
        return "refused" if seats == 2 else "optional"

    def check(self, setup: Setup) -> None:
        """Raises TournamentError for fewer entrants than seats, or too many matches."""
        refuse_few(setup, "a round-robin")
        limit_rows(f"a round-robin of {len(setup.participants)} entrants", self.planned_matches(setup))
        if setup.rounds is not None:
            refuse_late(setup, setup.rounds)
        if setup.until is not None:
            self._check_until(setup, setup.until)

    def _check_until(self, setup: Setup, until: Until) -> None:
        until.check(len(setup.participants), self.planned_matches(replace(setup, repeats=1, extra=())))
        if any(player.joined > 1 for player in setup.participants):
            raise TournamentError("a round-robin with [until] takes no entrants after its start")
        if setup.repeats == 1:
            raise TournamentError(
                f"games-per-pairing is {setup.games}, so [until] could never end the round-robin sooner: set"
                " games-per-pairing to the most games that two entrants may play"
            )

    def planned_rounds(self, setup: Setup) -> int | None:
        """``rounds``; with ``[until]`` their number depends on results."""
        return None if setup.until is not None else setup.rounds

    def planned_matches(self, setup: Setup) -> int:
        """The number of matches of all groups, or of the rounds, up to the games of ``[until]``."""
        count, rounds = len(setup.participants), setup.rounds
        groups_ = comb(count, setup.seats) if rounds is None else rounds * (count // setup.seats)
        return groups_ * group_size(setup.seats) * _most_cycles(setup, groups_)

    def next_rounds(self, setup: Setup, history: History) -> Pairings:
        """The rounds that are not paired yet."""
        self.check(setup)
        if setup.until is not None:
            return _cycles(setup, history)
        return Pairings(rows_of_rounds(setup, history.rounds + 1, _rounds(setup, history)), complete=True)


def _most_cycles(setup: Setup, tables: int) -> int:
    """The most cycles of ``tables`` mirrored groups each."""
    games = None if setup.until is None else setup.until.games
    if games is None or not tables:
        return setup.repeats
    return min(setup.repeats, games // (tables * group_size(setup.seats)))


def _cycles(setup: Setup, history: History) -> Pairings:
    """The next batch of cycles; each has the rounds of the whole round-robin."""
    rounds = [list(tables) for tables in _rounds(setup, History())]
    tables = sum(map(len, rounds))
    done, most = history.rounds // len(rounds), _most_cycles(setup, tables)
    last = min(done + -(-BATCH // (tables * group_size(setup.seats))), most)
    rows = tuple(
        row
        for cycle in range(done, last)
        for round_, groups_ in enumerate(rounds, cycle * len(rounds) + 1)
        for table, group in enumerate(groups_, 1)
        # The cycles take the six groups of seat orders of a table of four in turn.
        for row in rows_of(
            setup, round_, table, [group[index] for index in seat_orders(setup.seats, cycle + 1)[0]], 1
        )
    )
    return Pairings(rows, complete=last == most)


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
    """Rounds with every group of entrants 0..count-1 once, and no entrant twice in a round."""
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
