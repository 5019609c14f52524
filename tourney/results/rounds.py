"""The rounds of a tournament: its pairings, their scores, and the ranking after each round."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Any

from tourney.results.standings import rank_totals
from tourney.schedule.format import Format, History, Setup
from tourney.schedule.player_history import departures
from tourney.schedule.row import ResultRow, Row, score_units
from tourney.schedule.tie_breaks import RankedEntrant
from tourney.store.totals import ResultSums

Ranking = Mapping[int, RankedEntrant]
"""The places of all entrants by number, in the order of the table."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """A pairing of a round: its table, its entrants in the order of the schedule, and its results so far.

    ``units`` are the entrants' scores (see ``tourney.schedule.row.score_units``), without void matches.
    ``size``, ``left`` and ``counted`` are the numbers of its matches, of the matches still to play, and of
    the matches that count. ``results`` is () in the summary of a round.
    """

    table: int
    entrants: tuple[int, ...]
    results: tuple[ResultRow, ...]
    units: tuple[int, ...]
    size: int
    left: int
    counted: int

    @property
    def best(self) -> int | None:
        """The only entrant with the most points, once the pairing has all results."""
        top = max(self.units)
        alone = self.counted and not self.left and self.units.count(top) == 1
        return self.entrants[self.units.index(top)] if alone else None


@dataclass(frozen=True, slots=True)
class Round:
    """A round. ``idle`` are the entrants that took part in the tournament but had no table in this round.

    ``absent`` are the entrants that had not joined yet or had left.
    """

    number: int
    pairings: tuple[Pairing, ...]
    idle: tuple[int, ...]
    absent: tuple[int, ...]

    @property
    def games(self) -> int:
        """The number of its matches."""
        return sum(pairing.size for pairing in self.pairings)

    @property
    def left(self) -> int:
        """The number of matches still to play."""
        return sum(pairing.left for pairing in self.pairings)

    def summary(self) -> "Round":
        """The round without its results, which may be many."""
        return replace(self, pairings=tuple(replace(pairing, results=()) for pairing in self.pairings))


def _together(
    rows: Iterable[Row], results: Iterable[ResultRow], *place: str
) -> Iterator[tuple[Any, list[Row], list[ResultRow]]]:
    """Yield rows in groups by parts of their place in the schedule, each with its results so far."""
    # Results come in the order of rows but not for all of them, so one group of them waits for its rows.
    place_of = attrgetter(*place)
    played = groupby(results, key=lambda result: place_of(result.key))
    waiting = next(played, None)
    for key, group in groupby(rows, key=place_of):
        of_group: list[ResultRow] = []
        if waiting is not None and waiting[0] == key:
            of_group = list(waiting[1])
            waiting = next(played, None)
        yield key, list(group), of_group


def rounds_of(setup: Setup, rows: Iterable[Row], results: Sequence[ResultRow]) -> Iterator[Round]:
    """Yield the rounds of rows with their results, both in schedule order, one round at a time."""
    # Bots that failed to start three times leave a tournament without an entry in the schedule.
    gone = departures(setup, History(results=results))
    tables = _together(rows, results, "round", "table")
    for number, of_round in groupby(tables, key=lambda table: table[0][0]):
        pairings = []
        for (_, table), seated, finished in of_round:
            counted = [result for result in finished if not result.void]
            score: Counter[int] = Counter()
            for result in counted:
                score.update(dict(zip(result.entrants, score_units(result.ranks, setup.score), strict=True)))
            # All matches of a table have the same entrants, in other seats.
            entrants = seated[0].seats
            size = len(seated)
            units = tuple(score[entrant] for entrant in entrants)
            left = size - len(finished)
            pairings.append(Pairing(table, entrants, tuple(finished), units, size, left, len(counted)))
        playing = {entrant for pairing in pairings for entrant in pairing.entrants}
        rest = [player for player in setup.participants if player.number not in playing]
        idle = [p.number for p in rest if p.joined <= number < gone.get(p.number, number + 1)]
        absent = [p.number for p in rest if p.number not in idle]
        yield Round(number, tuple(pairings), tuple(idle), tuple(absent))


def rankings(
    format_: Format, setup: Setup, rows: Iterable[Row], results: Iterable[ResultRow]
) -> Iterator[Ranking]:
    """Yield the ranking before the first round, then after each round; the last one is the standings'.

    Rows and results are in schedule order.
    """
    history = History()
    sums = ResultSums(setup.score)

    def ranked() -> Ranking:
        # Totals are smaller than a history, so only a format that ranks by one gets it.
        lines = format_.table(setup, history) if format_.ranks else rank_totals(format_, setup, sums.totals())
        return {line.number: line for line in lines}

    yield ranked()
    for _, paired, finished in _together(rows, results, "round"):
        if format_.ranks:
            history.extend(paired, finished)
        for result in () if format_.ranks else finished:
            sums.add(result.entrants, result.ranks, result.faults, void=result.void)
        yield ranked()


def float_of(before: Ranking, pairing: Pairing, entrant: int) -> str:
    """Whether an entrant of a pair floats: ``up`` to an opponent with more points, ``down``, or ""."""
    mine = before[entrant].points
    theirs = [before[opponent].points for opponent in pairing.entrants if opponent != entrant]
    if len(theirs) != 1 or theirs[0] == mine:
        return ""
    return "up" if theirs[0] > mine else "down"
