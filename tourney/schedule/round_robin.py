"""Round-robin: everybody meets everybody.

For more than two seats every group of that size meets, or with ``rounds`` a balanced choice of groups.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, groupby
from math import comb

from tourney.errors import TournamentError
from tourney.schedule.balanced_design import balanced, design
from tourney.schedule.format import Format, History, Pairings, RoundsKey, Setup, rows_of
from tourney.schedule.row import Row, limit_rows

Rounds = Iterable[Sequence[tuple[int, ...]]]
"""Rounds as lists of groups, in the order of the tables."""


class RoundRobin(Format):
    """All rounds at once, as no result matters; an entrant added later meets everybody in further rounds.

    Two seats: the rounds of the Berger tables (FIDE Handbook C.05, Annex 1). More seats: all groups, taken
    in lexicographic order, each put into the first round in which all its members are free; or, with
    ``rounds``, so many rounds in which each pair meets equally often to one
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
        if count < setup.seats:
            raise TournamentError(
                f"a round-robin with {setup.seats} seats per table needs at least {setup.seats} entrants,"
                f" not {count}"
            )
        rounds = setup.rounds
        groups_ = comb(count, setup.seats) if rounds is None else rounds * (count // setup.seats)
        limit_rows(f"a round-robin of {count} entrants", groups_ * setup.games)
        late = [player for player in setup.participants if rounds is not None and player.joined > rounds]
        if late:
            raise TournamentError(
                f"{late[0].name or 'an entrant'} would join in round {late[0].joined},"
                f" but rounds is {rounds}: set rounds higher"
            )

    def next_rounds(self, setup: Setup, history: History) -> Pairings:
        """Return the rounds that were not drawn before."""
        self.check(setup)
        rows: list[Row] = []
        for round_, tables in enumerate(_rounds(setup, history), history.rounds + 1):
            for table, group in enumerate(tables, 1):
                rows.extend(rows_of(setup, round_, table, group))
        return Pairings(tuple(rows), complete=True)


def _rounds(setup: Setup, history: History) -> Rounds:
    count = len(setup.participants)
    first = [row for row in history.rows if row.repeat == row.order == 1]
    if setup.rounds is not None:
        before = [[row.seats for row in rows] for _, rows in groupby(first, key=lambda row: row.round)]
        rounds = setup.rounds - history.rounds
        return _seated(design(count, setup.seats, rounds, setup.seed, before) if rounds > 0 else [])
    drawn = {frozenset(row.seats) for row in first}
    every: Rounds = berger(count) if setup.seats == 2 else groups(count, setup.seats)
    left = [[group for group in tables if frozenset(group) not in drawn] for tables in every]
    left = [tables for tables in left if tables]
    return left if setup.seats == 2 else _seated(left)


def _seated(rounds: Sequence[Sequence[tuple[int, ...]]]) -> Rounds:
    """Name each group's entrants in such an order that all are named first, second, ... equally often."""
    ordered = iter(balanced([group for tables in rounds for group in tables]))
    return [[next(ordered) for _ in tables] for tables in rounds]


def berger(count: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield the rounds of the Berger tables for entrants 0..count-1, pairs in the order of the boards.

    The first of a pair has the first seat. With an odd number the one paired with the missing last is free.
    """
    even = count + count % 2
    ring = even - 1
    for round_ in range(ring):
        first = round_ * (even // 2) % ring
        top = (first, ring) if round_ % 2 == 0 else (ring, first)
        others = (((first + i) % ring, (first - i) % ring) for i in range(1, even // 2))
        yield tuple(pair for pair in (top, *others) if max(pair) < count)


def groups(count: int, seats: int) -> list[tuple[tuple[int, ...], ...]]:
    """Return rounds that hold every group of entrants 0..count-1 once, nobody twice in a round."""
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
