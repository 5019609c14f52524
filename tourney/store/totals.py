"""Sums over many matches of a tournament, which are counted whenever they are asked for."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import sqlalchemy as sa

from tourney.match.evidence import HASH
from tourney.match.record import FAULT_KINDS
from tourney.schedule.row import half_points, score_units
from tourney.schema import Part
from tourney.store.column_reading import (
    naming,
    read_faults,
    read_int,
    read_ranks,
    read_seating,
)
from tourney.store.engine import Subject
from tourney.store.rows import LUCK_CELLS, bad_value, each, evidence_of, first_bad, shape_of
from tourney.store.tables import MATCH, PLAYED, SCHEDULE, SEAT, WITH_LUCK
from tourney.store.values import VoidReason

_SCHEDULE = SCHEDULE.c
_MATCH = MATCH.c
_BY_MATCH: Any = _SCHEDULE.tournament_id + 0
"""The tournament of few matches: as a sum, so that these are looked up first and not the whole schedule."""


class ScoreTotals(NamedTuple):
    """The sums of an entrant's or a seat's matches, void ones left out.

    ``units`` as of ``tourney.schedule.row.score_units`` by the tournament's score; ``wins``: first alone,
    ``draws``: first, shared.
    """

    games: int = 0
    units: int = 0
    wins: int = 0
    draws: int = 0
    faults: int = 0

    @property
    def losses(self) -> int:
        """Matches in which the entrant was not first."""
        return self.games - self.wins - self.draws


class PairTotal(NamedTuple):
    """An entrant's score against another, over all matches of both.

    A meeting counts 2 half-points to the better rank, 1 to each of equals; so ``half_points`` is at most
    ``2 * games``.
    """

    entrant: int
    opponent: int
    games: int
    half_points: int


class FaultCount(NamedTuple):
    """The number of an entrant's faults of one kind."""

    entrant: int
    kind: str
    times: int


class VoidCount(NamedTuple):
    """The number of matches that an entrant makes void."""

    entrant: int
    matches: int


class StandingsTotals(NamedTuple):
    """The sums that standings by points are made of.

    ``by_seat``: each entrant's sums by seat (from 1), those without a match left out; ``pairs``: sorted,
    those that never met left out; ``faults``: of void matches too, sorted.
    ``lucks``: see ``Totals.luck``; empty unless it was asked for.
    """

    by_seat: Mapping[tuple[int, int], ScoreTotals]
    pairs: tuple[PairTotal, ...]
    faults: tuple[FaultCount, ...]
    lucks: Mapping[int, tuple[int, int]] = MappingProxyType({})

    @property
    def scores(self) -> dict[int, ScoreTotals]:
        """The sums of each entrant's matches; an entrant without one is left out."""
        totals: dict[int, ScoreTotals] = {}
        for (entrant, _), seat_totals in self.by_seat.items():
            before = totals.get(entrant, ScoreTotals())
            totals[entrant] = ScoreTotals(*map(sum, zip(before, seat_totals, strict=True)))
        return totals


class OverloadTotals(Part, frozen=True):
    """Turns that were measured, those that an overloaded machine stretched, and the matches with such."""

    turns: int
    overloaded: int
    matches: int


NO_OVERLOAD = OverloadTotals(0, 0, 0)


class OverloadedMatch(NamedTuple):
    """A match with turns that an overloaded machine stretched, by its number."""

    number: int
    turns: int
    overloaded: int


class ResultSums:
    """Adds up results for standings by points, a kind of result at a time; ``score``: what a match gives."""

    def __init__(self, score: str | None = None) -> None:
        self._score = score
        self._scores: defaultdict[tuple[int, int], list[int]] = defaultdict(lambda: [0] * 5)
        self._pairs: defaultdict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])
        self._faults: Counter[tuple[int, str]] = Counter()

    def add(
        self,
        entrants: Sequence[int],
        ranks: Sequence[int],
        faults: Sequence[str | None],
        *,
        void: bool = False,
        times: int = 1,
    ) -> None:
        """Count a result that occurs ``times`` times; of a void match only the faults count."""
        for entrant, kind in zip(entrants, faults, strict=False):
            if kind is not None:
                self._faults[entrant, kind] += times
        if void:
            return
        alone = ranks.count(1) == 1
        units = score_units(ranks, self._score)
        for place, (entrant, rank) in enumerate(zip(entrants, ranks, strict=True)):
            score = self._scores[entrant, place + 1]
            score[0] += times
            score[1] += times * units[place]
            if rank == 1:
                score[2 if alone else 3] += times
            if place < len(faults) and faults[place] is not None:
                score[4] += times
            for opponent_place, (opponent, rank_of_opponent) in enumerate(zip(entrants, ranks, strict=True)):
                if opponent_place != place:
                    pair = self._pairs[entrant, opponent]
                    pair[0] += times
                    pair[1] += times * half_points(rank, rank_of_opponent)

    def totals(self) -> StandingsTotals:
        """The sums of all results so far."""
        return StandingsTotals(
            {key: ScoreTotals(*sums) for key, sums in sorted(self._scores.items())},
            tuple(PairTotal(*key, *sums) for key, sums in sorted(self._pairs.items())),
            tuple(FaultCount(*key, times) for key, times in sorted(self._faults.items())),
        )


class Totals(Subject):
    """Reads sums over the matches of a tournament, which the database counts when they are asked for."""

    def standings(self, tournament: int, score: str | None = None) -> StandingsTotals:
        """The sums for standings; ``score``: what a match gives, as the plan stores it."""
        columns = (_SCHEDULE.seating, _MATCH.ranks, _MATCH.faults, _MATCH.void_reason)
        query = sa.select(*columns, sa.func.count()).select_from(PLAYED).group_by(*columns)
        query = query.where(_SCHEDULE.tournament_id == tournament)
        sums = ResultSums(score)
        with self._access.read() as connection:
            shape = shape_of(connection, tournament)
            for seating, ranks, faults, why, times in each(connection, query):
                with naming(partial(bad_value, connection, tournament)):
                    places = read_ranks(ranks, shape.seats)
                    kinds = read_faults(faults, shape.seats)
                    entrants = read_seating(seating, *shape)
                sums.add(entrants, places, kinds, void=why is not None, times=times)
        return sums.totals()

    def faults(self, tournament: int) -> tuple[FaultCount, ...]:
        """The faults of all entrants by kind, in void matches too, sorted."""
        seat = SEAT.c
        query = sa.select(seat.entrant, seat.fault, sa.func.count()).group_by(seat.entrant, seat.fault)
        query = query.where(seat.tournament_id == tournament, seat.fault.is_not(None))
        with self._access.read() as connection:
            rows = connection.execute(query).all()
            entrants = range(shape_of(connection, tournament).entrants)
            if not all(entrant in entrants and kind in FAULT_KINDS for entrant, kind, _ in rows):
                raise first_bad(connection, SEAT, tournament)
        return tuple(sorted(FaultCount(entrant, kind, int(count)) for entrant, kind, count in rows))

    def faults_by_entrant(self, tournament: int) -> Counter[int]:
        """The number of faults of each entrant by its number, those in void matches included."""
        counts: Counter[int] = Counter()
        for number, _, count in self.faults(tournament):
            counts[number] += count
        return counts

    def overload(self, tournament: int) -> tuple[OverloadTotals, dict[int, OverloadTotals]]:
        """Overloaded turns and matches of a tournament, and those of each entrant.

        Matches without measurements count as none. The matches of all are not the sum of the entrants'
        matches, as entrants share these.
        """
        seat = SEAT.c
        stretched = sa.case((seat.overloaded > 0, 1), else_=0)
        mine = sa.and_(seat.tournament_id == tournament, seat.turns.is_not(None))
        sums = (sa.func.sum(column) for column in (seat.turns, seat.overloaded, stretched))
        query = sa.select(seat.entrant, *sums).where(mine).group_by(seat.entrant).order_by(seat.entrant)
        matches = sa.select(sa.func.count(sa.distinct(seat.match_id))).where(mine, seat.overloaded > 0)
        with self._access.read() as connection:
            rows = connection.execute(query).all()
            entrants = range(shape_of(connection, tournament).entrants)
            if not all(entrant in entrants for entrant, *_ in rows) or _has_float(rows):
                raise first_bad(connection, SEAT, tournament)
            any_overloaded = any(overloaded for _, _, overloaded, _ in rows)
            count = int(connection.execute(matches).scalar_one()) if any_overloaded else 0
        by_entrant = {
            entrant: OverloadTotals(*(int(value or 0) for value in sums)) for entrant, *sums in rows
        }
        turns = sum(totals.turns for totals in by_entrant.values())
        overloaded = sum(totals.overloaded for totals in by_entrant.values())
        return OverloadTotals(turns, overloaded, count), by_entrant

    def overloaded(self, tournament: int, most: int | None = None) -> tuple[OverloadedMatch, ...]:
        """The matches with overloaded turns, those with the most first; at most ``most``."""
        seat = SEAT.c
        stretched = sa.func.sum(seat.overloaded)
        query = (
            sa.select(_SCHEDULE.number, sa.func.coalesce(sa.func.sum(seat.turns), 0), stretched)
            .select_from(SEAT.join(SCHEDULE, _SCHEDULE.id == seat.match_id))
            .where(_SCHEDULE.tournament_id == tournament)
            .group_by(_SCHEDULE.number)
            .having(stretched > 0)
            .order_by(stretched.desc(), _SCHEDULE.number)
            .limit(most)
        )
        with self._access.read() as connection:
            rows = connection.execute(query).all()
            if _has_float(rows):
                raise first_bad(connection, SEAT, tournament)
        return tuple(OverloadedMatch(int(number), int(turns), int(much)) for number, turns, much in rows)

    def distinct(self, tournament: int) -> tuple[int, int]:
        """The number of matches with known plays, and how many of these are distinct; void ones left out."""
        # Older versions stored the luck behind the two hashes; the first of these may be missing.
        hashes = sa.case(
            (sa.func.substr(_MATCH.evidence, 1, 1) == " ", sa.func.substr(_MATCH.evidence, 1, 2 + HASH)),
            else_=sa.func.substr(_MATCH.evidence, 1, 2 + 2 * HASH),
        )
        game = _SCHEDULE.seating.concat(" ").concat(hashes)
        with_evidence = sa.and_(
            _SCHEDULE.tournament_id == tournament, _MATCH.void_reason.is_(None), _MATCH.evidence != ""
        )
        query = (
            sa.select(sa.func.count(), sa.func.count(sa.distinct(game)))
            .select_from(PLAYED)
            .where(with_evidence)
        )
        with self._access.read() as connection:
            matches, distinct = connection.execute(query).one()
        return int(matches), int(distinct)

    def luck(self, tournament: int) -> dict[int, tuple[int, int]]:
        """The luck of each entrant, in units, and the matches of which it is known; void ones left out."""
        query = sa.select(_SCHEDULE.seating, _MATCH.evidence, _MATCH.id, *LUCK_CELLS).select_from(WITH_LUCK)
        query = query.where(_SCHEDULE.tournament_id == tournament, _MATCH.void_reason.is_(None))
        by_entrant: dict[int, tuple[int, int]] = {}
        with self._access.read() as connection:
            shape = shape_of(connection, tournament)
            for seating, text, id_, *cells in each(connection, query):
                with naming(partial(bad_value, connection, tournament)):
                    computed = self._access.luck.get(id_)
                    lucks = evidence_of(text, cells, shape.seats, computed).luck
                    entrants = read_seating(seating, *shape) if lucks else ()
                for entrant, units in zip(entrants, lucks, strict=True):
                    total, matches = by_entrant.get(entrant, (0, 0))
                    by_entrant[entrant] = total + units, matches + 1
        return by_entrant

    def void_matches(self, tournament: int) -> tuple[tuple[int, str], ...]:
        """The numbers and notes of the matches that the machine made void."""
        query = (
            sa.select(_SCHEDULE.number, _MATCH.note)
            .select_from(PLAYED)
            .where(tournament == _BY_MATCH, _MATCH.void_reason.in_(("machine-failure", "overload", "memory")))
            .order_by(_SCHEDULE.number)
        )
        with self._access.read() as connection:
            return tuple((int(number), str(note)) for number, note in connection.execute(query))

    def benched(self, tournament: int) -> tuple[VoidCount, ...]:
        """The matches that are void for each benched entrant, sorted."""
        return self._blamed(tournament, "benched")

    def out_of_memory(self, tournament: int) -> tuple[VoidCount, ...]:
        """The matches that are void for each entrant that used most of a full memory, sorted."""
        return self._blamed(tournament, "memory")

    def _blamed(self, tournament: int, reason: VoidReason) -> tuple[VoidCount, ...]:
        query = (
            sa.select(_MATCH.void_entrant, sa.func.count())
            .select_from(PLAYED)
            .where(tournament == _BY_MATCH, _MATCH.void_reason == reason)
            .group_by(_MATCH.void_entrant)
        )
        with self._access.read() as connection:
            rows = connection.execute(query).all()
            shape = shape_of(connection, tournament)
            for entrant, _ in rows:
                with naming(partial(bad_value, connection, tournament)):
                    read_int("void_entrant", entrant, 0, shape.entrants - 1)
        return tuple(sorted(VoidCount(entrant, int(count)) for entrant, count in rows))

    def void_for(self, tournament: int, entrant: int) -> tuple[int, ...]:
        """The numbers of the matches that are void because this entrant is benched."""
        query = sa.select(_SCHEDULE.number).select_from(PLAYED)
        query = query.where(_MATCH.void_entrant == entrant, _MATCH.void_reason == "benched")
        with self._access.read() as connection:
            numbers = connection.execute(
                query.where(_SCHEDULE.tournament_id == tournament).order_by(_SCHEDULE.number)
            )
            return tuple(numbers.scalars())


def _has_float(rows: Iterable[Iterable[object]]) -> bool:
    """Whether SQLite added up values that are not integers."""
    return any(isinstance(value, float) for row in rows for value in row)
