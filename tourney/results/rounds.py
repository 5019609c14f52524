"""The rounds of a tournament: its pairings, their scores, and the ranking after each round."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from tourney.results.standings import BY_MEAN, rank_totals
from tourney.schedule.format import Format, History, Setup
from tourney.schedule.player_history import departures
from tourney.schedule.row import ResultRow, Row, score_units
from tourney.schedule.tie_breaks import RankedEntrant
from tourney.store.values import PairTotal, ScoreTotals

Ranking = Mapping[int, RankedEntrant]
"""The places of all entrants by number, in the order of the table."""


@dataclass(frozen=True, slots=True)
class Game:
    """A match of a pairing by its number; ``result`` is None before it is played."""

    number: int
    row: Row
    result: ResultRow | None


@dataclass(frozen=True, slots=True)
class Pairing:
    """A pairing of a round: its table, its entrants in the order of the schedule, and its matches.

    ``units`` are the entrants' scores (see ``tourney.schedule.row.score_units``), without void matches.
    ``size`` is the number of its matches, ``left`` that of those still to play, and ``counted`` that of those
    that count. ``games`` is () in the summary of a round.
    """

    table: int
    entrants: tuple[int, ...]
    games: tuple[Game, ...]
    units: tuple[int, ...]
    size: int
    left: int
    counted: int


@dataclass(frozen=True, slots=True)
class Round:
    """A round. ``idle`` are the entrants that took part in the tournament but had no table in this round.

    ``absent`` are those that had not joined yet or were gone.
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
        """Return the round without its matches, which may be many."""
        return replace(self, pairings=tuple(replace(pairing, games=()) for pairing in self.pairings))


def rounds_of(setup: Setup, rows: Iterable[tuple[int, Row]], results: Sequence[ResultRow]) -> Iterator[Round]:
    """Yield the rounds of numbered rows with their results, both in schedule order; one round is held."""
    left = departures(setup, results)
    played = iter(results)
    waiting = next(played, None)

    def result_of(number: int) -> ResultRow | None:
        nonlocal waiting
        while waiting is not None and waiting.number < number:
            waiting = next(played, None)
        return waiting if waiting is not None and waiting.number == number else None

    for number, numbered in groupby(rows, key=lambda item: item[1].round):
        pairings = []
        for table, own in groupby(numbered, key=lambda item: item[1].table):
            games = tuple(Game(at, row, result_of(at)) for at, row in own)
            entrants = games[0].row.seats
            score: Counter[int] = Counter()
            for game in games:
                if game.result is not None and not game.result.void:
                    units = score_units(game.result.ranks)
                    score.update(dict(zip(game.result.entrants, units, strict=True)))
            pairings.append(
                Pairing(
                    table,
                    entrants,
                    games,
                    tuple(score[one] for one in entrants),
                    len(games),
                    sum(game.result is None for game in games),
                    sum(game.result is not None and not game.result.void for game in games),
                )
            )
        playing = {entrant for pairing in pairings for entrant in pairing.entrants}
        rest = [player for player in setup.participants if player.number not in playing]
        idle = [p.number for p in rest if p.joined <= number < left.get(p.number, number + 1)]
        absent = [p.number for p in rest if p.number not in idle]
        yield Round(number, tuple(pairings), tuple(idle), tuple(absent))


def rankings(format_: Format, setup: Setup, history: History) -> Iterator[Ranking]:
    """Yield the ranking before the first round, then after each round, by the format's own rule.

    The last one is that of the standings.
    """
    if not format_.ranks:
        yield from rankings_by_totals(format_, setup, history.rounds, history.results)
        return
    results: dict[int, list[ResultRow]] = defaultdict(list)
    for result in history.results:
        results[result.key.round].append(result)
    known: list[ResultRow] = []
    rows: dict[int, list[Row]] = defaultdict(list)
    for row in history.rows:
        rows[row.round].append(row)
    paired: list[Row] = []
    for round_ in range(history.rounds + 1):
        paired += rows[round_]
        known += results[round_]
        lines = format_.table(setup, History(tuple(paired), tuple(known)))
        yield {line.number: line for line in lines}


def rankings_by_totals(
    format_: Format, setup: Setup, rounds: int, results: Iterable[ResultRow]
) -> Iterator[Ranking]:
    """Yield the same for a format that does not ``rank``; results in schedule order are read one by one."""
    totals = _Totals()
    by_round = groupby(results, key=lambda result: result.key.round)
    waiting = next(by_round, None)
    for round_ in range(rounds + 1):
        if waiting is not None and waiting[0] == round_:
            totals.add(waiting[1])
            waiting = next(by_round, None)
        yield {line.number: line for line in totals.ranking(format_, setup)}


class _Totals:
    """The totals of matches, as the store counts them."""

    def __init__(self) -> None:
        self._scores: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        self._pairs: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])

    def add(self, results: Iterable[ResultRow]) -> None:
        for result in results:
            if result.void:
                continue
            units = score_units(result.ranks)
            alone = result.ranks.count(1) == 1
            for number, rank, unit in zip(result.entrants, result.ranks, units, strict=True):
                score = self._scores[number]
                score[0] += 1
                score[1] += unit
                score[2 if alone else 3] += rank == 1
                for other, theirs in zip(result.entrants, result.ranks, strict=True):
                    if other != number:
                        pair = self._pairs[number, other]
                        pair[0] += 1
                        pair[1] += (rank < theirs) + (rank <= theirs)

    def ranking(self, format_: Format, setup: Setup) -> tuple[RankedEntrant, ...]:
        return rank_totals(
            [player.number for player in setup.participants],
            setup.seats,
            {number: ScoreTotals(*score) for number, score in self._scores.items()},
            [PairTotal(a, b, *pair) for (a, b), pair in sorted(self._pairs.items())],
            format_.ranking(setup.seats),
            by_mean=format_.ranked_by == BY_MEAN,
        )


UP: Final = "up"
DOWN: Final = "down"


def float_of(before: Ranking, pairing: Pairing, entrant: int) -> str:
    """Return whether an entrant of a pair floats: ``up`` to an opponent with more points, ``down``, or ""."""
    mine = before[entrant].points
    theirs = [before[other].points for other in pairing.entrants if other != entrant]
    if len(theirs) != 1 or theirs[0] == mine:
        return ""
    return UP if theirs[0] > mine else DOWN
