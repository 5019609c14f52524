"""Formats that pair all rounds at the start: round-robin, and gauntlet."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, groupby
from math import comb
from typing import Final

from tourney.errors import TournamentError
from tourney.schedule.balanced_design import Design, balanced
from tourney.schedule.format import (
    Format,
    FormatKey,
    History,
    Pairings,
    RoundsKey,
    Setup,
    group_size,
    rows_of_rounds,
)
from tourney.schedule.row import limit_rows, refuse_few, refuse_late
from tourney.seeds import seat_orders

BATCH: Final = 96  # the least matches between two decisions about ``[until]``; enough for many workers

Rounds = Iterable[Sequence[tuple[int, ...]]]  # rounds as lists of groups, in the order of the tables


class RoundRobin(Format):
    """Every entrant meets every other; a later entrant meets all others in further rounds.

    Two seats: the rounds of the Berger tables (FIDE Handbook C.05, Annex 1). More seats: all groups in
    lexicographic order, each in the first round in which all its members are free; or, with ``rounds``, that
    number of rounds in which the meetings of two pairs differ by at most one
    (``tourney.schedule.balanced_design``).

    If a later file raises ``games-per-pairing``, further rounds have the repeats that are missing.

    With ``[until]`` it plays cycles: in each, every group of entrants meets once for one mirrored group of
    games. A batch is as many cycles as have ``BATCH`` matches; ``games-per-pairing`` bounds their number.
    """

    name = "round-robin"
    one_pairing_a_round = True
    known_at_start = True
    takes_entrants = True
    takes_until = True
    takes_score = True

    def rounds_key(self, seats: int) -> RoundsKey:
        """Take ``rounds`` for more than two seats."""
        return "refused" if seats == 2 else "optional"

    def raisable(self, setup: Setup) -> tuple[str, ...]:
        """Raise both, but not the games of a design, whose rounds are numbered."""
        if setup.until is not None:
            return "games-per-pairing", "until-games"
        return ("games-per-pairing",) if setup.rounds is None else ()

    def check(self, setup: Setup) -> None:
        """Raises TournamentError for fewer entrants than seats, or too many matches."""
        refuse_few(setup, "a round-robin")
        limit_rows(f"a round-robin of {len(setup.participants)} entrants", self.planned_matches(setup))
        if setup.rounds is not None:
            refuse_late(setup, setup.rounds)
        if setup.until is None:
            return
        setup.until.check(len(setup.participants), self.planned_matches(replace(setup, repeats=1, extra=())))
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
        count = len(setup.participants)
        rounds = setup.rounds
        groups_ = comb(count, setup.seats) if rounds is None else rounds * (count // setup.seats)
        return groups_ * group_size(setup.seats) * _most_cycles(setup, groups_)

    def next_rounds(self, setup: Setup, history: History) -> Pairings:
        """The rounds that are not paired yet."""
        self.check(setup)
        if setup.until is not None:
            return _cycles(setup, history)
        rounds = _rounds(setup, history)
        done = repeats_done(history) if setup.rounds is None else None
        return Pairings(rows_of_rounds(setup, history.rounds + 1, rounds, done), complete=True)


class Gauntlet(Format):
    """Challengers meet every other entrant, and these never meet each other; a later one joins the field.

    The field is all entrants but the ``challengers`` (default: the first of the file). Two seats: each
    challenger meets each entrant of the field once. More seats: each meets every group of the field that
    fills its table. The mean score ranks, because a challenger plays more matches than the others.
    """

    name = "gauntlet"
    has_challengers = True
    takes_entrants = True
    takes_score = True
    ranked_by = "points-per-match"
    keys = (
        FormatKey(
            "challengers",
            "names",
            help="Entrants that play against all others. Default: the first entrant of the file.",
        ),
    )

    def raisable(self, setup: Setup) -> tuple[str, ...]:  # noqa: ARG002 - always the same
        """Play further repeats in further rounds."""
        return ("games-per-pairing",)

    def check(self, setup: Setup) -> None:
        """Raises TournamentError for an unknown challenger, too small a field, or too many matches."""
        challengers = challengers_of(setup)
        field = len(setup.participants) - len(challengers)
        if field < setup.seats - 1:
            raise TournamentError(
                f"a gauntlet with {setup.seats} seats per table needs a field of at least {setup.seats - 1}"
                f" beside its challengers, not {field}"
            )
        limit_rows(f"a gauntlet of {len(challengers)} against {field}", self.planned_matches(setup))

    def subjects(self, setup: Setup) -> tuple[int, ...]:
        """The challengers."""
        return tuple(challengers_of(setup))

    def planned_matches(self, setup: Setup) -> int:
        """The number of matches: each challenger meets each group of the field."""
        challengers = len(challengers_of(setup))
        return challengers * comb(len(setup.participants) - challengers, setup.seats - 1) * setup.games

    def next_rounds(self, setup: Setup, history: History) -> Pairings:
        """The rounds of all groups that are not paired yet."""
        self.check(setup)
        challengers = challengers_of(setup)
        field = [player.number for player in setup.participants if player.number not in challengers]
        done = repeats_done(history)
        paired = {group for group, repeats in done.items() if repeats >= setup.repeats}
        if setup.seats == 2:
            # A Latin square: challenger i meets j in round i + j, so none of them plays twice in a round.
            # The larger side has a free place each round; the first seat alternates along both sides.
            rounds: list[list[tuple[int, ...]]] = [[] for _ in range(max(len(challengers), len(field)))]
            for i, challenger in enumerate(challengers):
                for j, opponent in enumerate(field):
                    if frozenset((challenger, opponent)) not in paired:
                        pair = (opponent, challenger) if (i + j) % 2 else (challenger, opponent)
                        rounds[(i + j) % len(rounds)].append(pair)
            rounds = [tables for tables in rounds if tables]
        else:
            groups_ = [(c, *rest) for rest in combinations(field, setup.seats - 1) for c in challengers]
            rounds = first_fit(balanced([group for group in groups_ if frozenset(group) not in paired]))
        return Pairings(rows_of_rounds(setup, history.rounds + 1, rounds, done), complete=True)


def repeats_done(history: History) -> dict[frozenset[int], int]:
    """How many repeats of each group of entrants are paired."""
    done: dict[frozenset[int], int] = {}
    for row in history.rows:
        group = frozenset(row.seats)
        done[group] = max(done.get(group, 0), row.repeat)
    return done


def challengers_of(setup: Setup) -> list[int]:
    """The challengers' numbers in the order of the tournament file's key."""
    names = setup.setting("challengers")
    if not names:
        return [participant.number for participant in setup.participants[:1]]
    numbers = {participant.name: participant.number for participant in setup.participants}
    for name in str(names).split(","):
        if name not in numbers:
            raise TournamentError(
                f"challengers names {name}, which is not an entrant; the entrants are: {', '.join(numbers)}"
            )
    return [numbers[name] for name in str(names).split(",")]


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
    done = history.rounds // len(rounds)
    most = _most_cycles(setup, tables)
    # Batches end at fixed cycles, also where one was cut by fewer games than a later file asks for.
    batch = -(-BATCH // (tables * group_size(setup.seats)))
    last = min(done - done % batch + batch, most)
    # The cycles take the six groups of seat orders of a table of four in turn.
    orders = [seat_orders(setup.seats, cycle + 1)[0] for cycle in range(done, last)]
    seated = [
        [[group[index] for index in order] for group in groups_] for order in orders for groups_ in rounds
    ]
    rows = rows_of_rounds(replace(setup, repeats=1), done * len(rounds) + 1, seated)
    return Pairings(rows, complete=last == most)


def _rounds(setup: Setup, history: History) -> Rounds:
    count = len(setup.participants)
    if setup.rounds is not None:
        first = [row for row in history.rows if row.repeat == row.order == 1]
        before = [[row.seats for row in rows] for _, rows in groupby(first, key=lambda row: row.round)]
        rounds = setup.rounds - history.rounds
        return _seated(Design(count, setup.seats, rounds, setup.seed, before).run() if rounds > 0 else [])
    paired = {group for group, repeats in repeats_done(history).items() if repeats >= setup.repeats}
    every: Rounds = berger(count) if setup.seats == 2 else first_fit(combinations(range(count), setup.seats))
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


def first_fit(every: Iterable[tuple[int, ...]]) -> list[list[tuple[int, ...]]]:
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
    return rounds
