"""Round-robin: everybody meets everybody; for more than two seats every group of that size meets."""

from collections.abc import Iterable, Iterator
from itertools import combinations
from math import comb

from tourney.errors import TournamentError
from tourney.schedule.format import Drawn, Format, History, Setup, group_size, rows_of
from tourney.schedule.row import Row

MAX_ROWS = 2_000_000
"""A schedule beyond this is a slip of the pen, not a tournament."""


class RoundRobin(Format):
    """All rounds at once, as no result matters; an entrant added later meets everybody in further rounds.

    Two seats: the rounds of the Berger tables (FIDE Handbook C.05, Annex 1). More seats: all groups, taken
    in lexicographic order, each put into the first round in which all its members are free.
    """

    name = "round-robin"
    takes_entrants = True

    def check(self, setup: Setup) -> None:
        """Raise TournamentError for fewer entrants than seats, or a schedule beyond ``MAX_ROWS``."""
        count = len(setup.players)
        if count < setup.seats:
            raise TournamentError(
                f"a round-robin with {setup.seats} seats per table wants at least {setup.seats} entrants,"
                f" not {count}"
            )
        rows = comb(count, setup.seats) * setup.repeats * group_size(setup.seats)
        if rows > MAX_ROWS:
            raise TournamentError(
                f"a round-robin of {count} entrants would have {rows:,} matches, more than {MAX_ROWS:,}:"
                " take fewer entrants, fewer games per pairing, or another format"
            )

    def draw(self, setup: Setup, history: History) -> Drawn:
        """Return the rounds of all groups that were not drawn before."""
        self.check(setup)
        drawn = {frozenset(row.seats) for row in history.rows}
        rounds = berger(len(setup.players)) if setup.seats == 2 else groups(len(setup.players), setup.seats)
        rows: list[Row] = []
        round_ = history.rounds
        for tables in rounds:
            left = [group for group in tables if frozenset(group) not in drawn]
            if left:
                round_ += 1
            for table, group in enumerate(left, 1):
                rows.extend(rows_of(setup, round_, table, group))
        return Drawn(tuple(rows), complete=True)


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


def groups(count: int, seats: int) -> Iterable[tuple[tuple[int, ...], ...]]:
    """Return rounds that hold every group of entrants 0..count-1 once, nobody twice in a round."""
    rounds: list[list[tuple[int, ...]]] = []
    busy = [0] * count  # per entrant, bit r is set when it plays in round r
    for group in combinations(range(count), seats):
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
