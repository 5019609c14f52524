"""Matches and their results; what else is stored of a match is in ``records``.

There is a query for each use, so that no reader fetches more columns than it needs.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import Final, NamedTuple

import sqlalchemy as sa
from msgspec import structs
from sqlalchemy.engine import Connection

from tourney.errors import UsageError
from tourney.match.record import Outcome
from tourney.match.result import Texts
from tourney.schedule.row import MatchKey, ResultRow, Row
from tourney.store.column_reading import (
    SAMPLES,
    Cells,
    Columns,
    Dictionaries,
    deflate,
    dictionary_of,
    naming,
    read_digest,
    read_evidence,
    read_faults,
    read_ranks,
    read_seating,
)
from tourney.store.engine import Subject, insert_rows, is_sqlite, transaction
from tourney.store.rows import (
    LUCK_CELLS,
    RESULT,
    KeyOrder,
    Shape,
    bad_match,
    checked,
    chunks,
    dictionaries_of,
    evidence_of,
    luck_values,
    match_values,
    read_values,
    replaced_of,
    replaced_values,
    result_of,
    seat_values,
    shape_of,
)
from tourney.store.schedules import Schedules
from tourney.store.tables import (
    ALL_ROWS,
    ANALYSIS,
    CHECKPOINT,
    DICTIONARY,
    KEY,
    LOG,
    LUCK,
    MATCH,
    MEASURED,
    PLAYED,
    REPLACED,
    SCHEDULE,
    SEAT,
    START,
    TOURNAMENT,
    WITH_LUCK,
)
from tourney.store.tournaments import Tournaments, change_tournament
from tourney.store.values import MatchResult, ReplacedResult, Result, TournamentMatch

_CHUNK = 500
"""Keys in one query: databases bound their number."""

_SCHEDULE = SCHEDULE.c
_MATCH = MATCH.c
_KEY_CELLS: Final = 1 + len(KEY)
"""The cells at the start of a row that ``KeyOrder`` reads: the number and the columns of the key."""
_RESULT_CELLS: Final = _KEY_CELLS + 2
"""The cells before those of a result: also the seating, and the match's id if it is played."""
_VOID = _MATCH.void_reason.is_not(None).label("void")
_DIGEST_START = sa.literal_column(f'substr("match".digest, 1, {START})', sa.String)
"""As the index has it: with bound numbers it would not be used."""


class FaultyMatch(NamedTuple):
    """A match with a fault: its number, and in seat order its entrants and each seat's fault or None."""

    number: int
    entrants: tuple[int, ...]
    faults: tuple[str | None, ...]


class Matches(Subject):
    """Reads and writes matches and results."""

    def add(self, tournament: int, finished: Sequence[MatchResult]) -> None:
        """Store finished matches with their logs and measurements, all in one transaction.

        They count as done when this returns. A row that has a result keeps it.
        """
        matches: list[Columns] = []
        seats: list[Columns] = []
        with self._write_results(tournament) as connection:
            rows = _open_rows(connection, tournament, [item.number for item in finished])
            texts_of = {item.number: item.played.texts for item in finished if item.played is not None}
            details = Details(connection, tournament, texts_of.values())
            lucks: list[Columns] = []
            for item in finished:
                open_row = rows.pop(item.number, None)
                if open_row is None:
                    continue
                id_, seating = open_row
                texts = texts_of.get(item.number)
                record = None if texts is None else details.add(id_, texts)
                result = item.result(len(seating))
                load = () if item.played is None else item.played.load
                matches.append(match_values(id_, result, record))
                seats += seat_values(id_, tournament, result, seating, load)
                if result.evidence.luck:
                    lucks.append(luck_values(id_, result.evidence))
            insert_rows(connection, MATCH, matches)
            insert_rows(connection, SEAT, seats)
            insert_rows(connection, LUCK, lucks)
            details.insert()

    def add_outcomes(self, tournament: int, outcomes: Sequence[tuple[Row, Outcome]]) -> None:
        """Store finished matches without records, in schedule order, after the stored ones."""
        with self._access.write() as connection:
            numbered = Schedules(self._access).add(tournament, [row for row, _ in outcomes], complete=True)
            if not numbered:
                return
            query = sa.select(_SCHEDULE.id).where(
                _SCHEDULE.tournament_id == tournament, _SCHEDULE.number >= numbered[0][0]
            )
            ids = connection.execute(query.order_by(_SCHEDULE.number)).scalars()
            matches: list[Columns] = []
            seats: list[Columns] = []
            for id_, (row, outcome) in zip(ids, outcomes, strict=True):
                kinds = outcome.seat_faults
                result = Result("", outcome.ranks, outcome.reason, kinds, "", 0, reproducible=False)
                matches.append(match_values(id_, result, None))
                seats += seat_values(id_, tournament, result, row.seats)
            insert_rows(connection, MATCH, matches)
            insert_rows(connection, SEAT, seats)

    def take_back(self, tournament: int, numbers: Sequence[int]) -> None:
        """Remove results, so that their rows are replayed, and the rating checkpoints that used them.

        The results are kept aside (``replaced``), because later rounds may be drawn from them already.
        """
        Tournaments(self._access).refuse_archived(tournament)
        rounds = Schedules(self._access).progress(tournament).rounds
        # Of a match taken back twice before the next round is drawn, the first result is what rounds rest on.
        replaced = {(old.match, old.rounds) for old in self.replaced(tournament)}
        query = sa.select(_SCHEDULE.number, _MATCH.ranks, _MATCH.faults, _VOID).select_from(PLAYED)
        with self._write_results(tournament) as connection:
            for some in chunks(numbers):
                chosen = _SCHEDULE.number.in_(some)
                values = [
                    {"tournament_id": tournament, "rounds": rounds, **row}
                    for row in connection.execute(
                        query.where(_SCHEDULE.tournament_id == tournament, chosen)
                    ).mappings()
                    if (row["number"], rounds) not in replaced
                ]
                if values:
                    connection.execute(sa.insert(REPLACED), values)
                _remove_results(connection, tournament, chosen)
            _forget_derived(connection, tournament)

    def withdraw(self, tournament: int, numbers: Sequence[int], rounds: int | None) -> None:
        """Remove results, and with ``rounds`` all rounds after that one; then more rounds may be drawn.

        Results that ``--unbench`` replaced stay for the rounds that are left.
        """
        Tournaments(self._access).refuse_archived(tournament)
        last = Schedules(self._access).progress(tournament).rounds if rounds is None else rounds
        later = (_SCHEDULE.tournament_id == tournament) & (_SCHEDULE.round_no > last)
        left: dict[tuple[int, int], ReplacedResult] = {}
        for old in self.replaced(tournament):
            # Rounds after the last one that stays are gone: results taken back in their time count from
            # that one on, and of several results of a match the oldest decides.
            until = min(old.rounds, last)
            left.setdefault((old.match, until), structs.replace(old, rounds=until))
        with self._write_results(tournament) as connection:
            for some in chunks(numbers):
                _remove_results(connection, tournament, _SCHEDULE.number.in_(some))
            _remove_results(connection, tournament, later)
            gone = set(connection.execute(sa.select(_SCHEDULE.number).where(later)).scalars())
            connection.execute(sa.delete(SCHEDULE).where(later))
            connection.execute(sa.delete(REPLACED).where(REPLACED.c.tournament_id == tournament))
            if values := replaced_values(tournament, [o for o in left.values() if o.match not in gone]):
                connection.execute(sa.insert(REPLACED), values)
            _forget_derived(connection, tournament, **({} if rounds is None else {"complete": False}))

    def keep_replaced(self, tournament: int, results: Sequence[ReplacedResult]) -> None:
        """Store results that were taken back before the tournament was imported."""
        if values := replaced_values(tournament, results):
            with self._access.write() as connection:
                connection.execute(sa.insert(REPLACED), values)

    def replaced(self, tournament: int) -> tuple[ReplacedResult, ...]:
        """The results that were taken back, by match number and time."""
        query = sa.select(REPLACED).filter_by(tournament_id=tournament).order_by(*REPLACED.primary_key)
        with self._access.read() as connection:
            shape = shape_of(connection, tournament)
        return read_values(self._access, REPLACED, query, partial(replaced_of, shape=shape))

    def find_digests(self, digests: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield each of the digests that is stored, with its match as "match 3 of cup"."""
        query = sa.select(_MATCH.digest, _SCHEDULE.number, TOURNAMENT.c.name).select_from(
            PLAYED.join(TOURNAMENT, TOURNAMENT.c.id == _SCHEDULE.tournament_id)
        )
        with self._access.read() as connection:
            for some in chunks(sorted(digests)):
                # The index knows only the start of a digest; the second condition compares all of it.
                chosen = query.where(_DIGEST_START.in_([digest[:START] for digest in some]))
                chosen = chosen.where(_MATCH.digest.in_(some))
                for digest, number, name in connection.execute(
                    chosen.order_by(_SCHEDULE.tournament_id, _SCHEDULE.number)
                ):
                    yield digest, f"match {number} of {name}"

    def digests(self, tournament: int) -> Iterator[tuple[int, MatchKey, str | None]]:
        """Yield number, key and digest of all matches in schedule order.

        The digest is "" for a match without a record, which is void, and None before the match is played.
        """
        query = sa.select(_SCHEDULE.number, *KEY, _MATCH.id, _MATCH.digest).select_from(ALL_ROWS)
        order = KeyOrder()

        def digest_of(row: Cells, _: Shape) -> tuple[int, MatchKey, str | None]:
            played_id, digest = row[_KEY_CELLS:]
            key = order.next_key(row[:_KEY_CELLS])
            if played_id is not None and digest != "":
                read_digest("digest", digest)
            return row[0], key, None if played_id is None else digest

        with self._access.read() as connection:
            yield from checked(connection, query, tournament, digest_of)

    def all(
        self,
        tournament: int,
        *,
        entrant: int | None = None,
        numbers: range | None = None,
        finished: bool = False,
        luck: bool = False,
    ) -> Iterator[TournamentMatch]:
        """Yield matches in schedule order: all, an entrant's, a range of numbers, or the finished ones.

        ``luck``: with their luck as far as it is known; ``tourney.results.luck`` computes the rest.
        """
        query = sa.select(_SCHEDULE.number, *KEY, _SCHEDULE.seating, _MATCH.id, *RESULT)
        tables = PLAYED if finished else ALL_ROWS
        if luck:
            query = query.add_columns(*LUCK_CELLS)
            tables = tables.outerjoin(LUCK, LUCK.c.match_id == _SCHEDULE.id)
        query = query.select_from(tables)
        if numbers is not None:
            query = query.where(_SCHEDULE.number >= numbers.start, _SCHEDULE.number < numbers.stop)
        if entrant is not None:
            query = query.where(
                sa.literal(",").concat(_SCHEDULE.seating).concat(",").like(f"%,{entrant:d},%")
            )
        order = KeyOrder()

        def match_of(row: Cells, shape: Shape) -> TournamentMatch:
            seating, played_id = row[_KEY_CELLS:_RESULT_CELLS]
            cells = row[_RESULT_CELLS:]
            if played_id is None:
                result = None
            elif luck:
                computed = self._access.luck.get(played_id)
                result = result_of(cells[: len(RESULT)], shape.seats, cells[len(RESULT) :], computed)
            else:
                result = result_of(cells, shape.seats)
            key = order.next_key(row[:_KEY_CELLS])
            return TournamentMatch(tournament, row[0], key, read_seating(seating, *shape), result)

        with self._access.read() as connection:
            yield from checked(connection, query, tournament, match_of)

    def finished_numbers(self, tournament: int) -> tuple[int, ...]:
        """The numbers of the matches that have a result, in schedule order, void ones too."""
        query = sa.select(_SCHEDULE.number).select_from(PLAYED)
        with self._access.read() as connection:
            rows = connection.execute(
                query.where(_SCHEDULE.tournament_id == tournament).order_by(_SCHEDULE.number)
            )
            return tuple(rows.scalars())

    def get(self, tournament: int, number: int) -> TournamentMatch:
        """A match by its number. Raises UsageError if there is none."""
        for match in self.all(tournament, numbers=range(number, number + 1)):
            return match
        last = sa.select(sa.func.max(_SCHEDULE.number)).where(_SCHEDULE.tournament_id == tournament)
        with self._access.read() as connection:
            count = connection.execute(last).scalar()
        matches = f"its matches are 1 to {count}" if count else "none of its matches is paired yet"
        raise UsageError(f"there is no match {number} in this tournament: {matches}")

    def find(self, text: str, tournament: str | None = None) -> TournamentMatch:
        """The match with a name as a person gives it: ``12``, or ``autumn-cup/12``.

        A bare number is of the named tournament, or of the one begun last. Raises UsageError.
        """
        name, slash, number = text.rpartition("/")
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            raise UsageError(f"{text!r} is not a match: name one by its number, as 12 or autumn-cup/12")
        return self.get(Tournaments(self._access).get(name if slash else tournament).id, int(number))

    def results(self, tournament: int, *, after: int = 0, luck: bool = False) -> Iterator[ResultRow]:
        """Yield the results in schedule order, also of void matches.

        Only of numbers above ``after``: a rating may know the earlier results already. ``luck``: with the
        luck of matches, as far as it is known; ``tourney.results.luck`` computes the rest.
        """
        query = sa.select(
            _SCHEDULE.number,
            *KEY,
            _SCHEDULE.seating,
            _MATCH.ranks,
            _MATCH.faults,
            _MATCH.void_reason,
            _MATCH.evidence,
        )
        if luck:
            query = query.add_columns(_MATCH.id, *LUCK_CELLS).select_from(WITH_LUCK)
        else:
            query = query.select_from(PLAYED)
        query = query.where(_SCHEDULE.number > after)
        order = KeyOrder()
        computed = self._access.luck

        def result_row(row: Cells, shape: Shape) -> ResultRow:
            seating, ranks, faults, void_reason, text, *more = row[_KEY_CELLS:]
            if luck:
                id_, *cells = more
                evidence = evidence_of(text, cells, shape.seats, computed.get(id_))
            else:
                evidence = read_evidence(text, shape.seats)
            return ResultRow(
                order.next_key(row[:_KEY_CELLS]),
                read_seating(seating, *shape),
                read_ranks(ranks, shape.seats),
                read_faults(faults, shape.seats),
                void_reason is not None,
                row[0],
                evidence,
            )

        with self._access.read() as connection:
            yield from checked(connection, query, tournament, result_row)

    def faulty(self, tournament: int) -> tuple[FaultyMatch, ...]:
        """The matches that hold a fault, by number."""
        held = sa.select(SEAT.c.match_id).where(SEAT.c.tournament_id == tournament, SEAT.c.fault.is_not(None))
        query = (
            sa.select(_SCHEDULE.number, _SCHEDULE.seating, _MATCH.faults)
            .select_from(PLAYED)
            .where(_MATCH.id.in_(held))
        )

        def faults_of(row: Cells, shape: Shape) -> FaultyMatch:
            number, seating, faults = row
            return FaultyMatch(number, read_seating(seating, *shape), read_faults(faults, shape.seats))

        with self._access.read() as connection:
            return tuple(checked(connection, query, tournament, faults_of))

    @contextmanager
    def _write_results(self, tournament: int) -> Iterator[Connection]:
        """Give a transaction in which only this writer stores or removes results of a tournament.

        Another one waits until it has ended. A transaction that the caller has begun is used.
        """
        if self._access.connection is not None:
            with self._access.write() as connection:
                yield connection
            return
        engine = self._access.engine
        with transaction(engine, write=True, latest=True) as connection:
            if not is_sqlite(engine.url):
                # A writer of the same tournament holds this row; SQLite has one writer at a time anyway.
                mine = sa.select(TOURNAMENT.c.id).where(TOURNAMENT.c.id == tournament)
                connection.execute(mine.with_for_update(key_share=True))
            yield connection


class Details:
    """Packs the records, logs and measurements of a tournament's matches; the last two are inserted together.

    What they are packed with is read, or made of the first texts and kept, if it is missing.
    """

    def __init__(self, connection: Connection, tournament: int, texts: Iterable[Texts]) -> None:
        self._connection = connection
        self._known = _dictionaries(connection, tournament, list(islice(texts, SAMPLES)))
        self._rows: dict[sa.Table, list[Columns]] = {LOG: [], MEASURED: []}

    def add(self, id_: int, texts: Texts) -> bytes:
        """Take a match's log and measurements, as far as there are any; return its record, packed."""
        if texts.log is not None:
            self._rows[LOG].append({"match_id": id_, "lines": deflate(texts.log, self._known.lines)})
        if texts.measured is not None:
            data = deflate(texts.measured, self._known.data)
            self._rows[MEASURED].append({"match_id": id_, "data": data})
        return deflate(texts.record, self._known.record)

    def insert(self) -> None:
        """Store the logs and measurements, after the rows of their matches."""
        for table, rows in self._rows.items():
            insert_rows(self._connection, table, rows)


def _dictionaries(connection: Connection, tournament: int, samples: Sequence[Texts]) -> Dictionaries:
    stored = dictionaries_of(connection, tournament)
    # A column that has a dictionary keeps it: it is written once, and all that was packed needs it.
    texts = Dictionaries(
        *(b"" if data else dictionary_of(map(itemgetter(k), samples)) for k, data in enumerate(stored))
    )
    if new := {name: data for name, data in texts._asdict().items() if data}:
        values = [{"tournament_id": tournament, "name": name, "data": data} for name, data in new.items()]
        connection.execute(sa.insert(DICTIONARY), values)
    return stored._replace(**new)


def _forget_derived(connection: Connection, tournament: int, **values: bool) -> None:
    """Drop the data derived from results that are gone."""
    connection.execute(sa.delete(CHECKPOINT).where(CHECKPOINT.c.tournament_id == tournament))
    change_tournament(connection, tournament, root=None, **values)


def _remove_results(connection: Connection, tournament: int, chosen: sa.ColumnElement[bool]) -> None:
    """Remove the results of the chosen matches with all that is kept beside them."""
    ids = sa.select(_SCHEDULE.id).where(_SCHEDULE.tournament_id == tournament, chosen).scalar_subquery()
    beside = (SEAT, LOG, MEASURED, ANALYSIS, LUCK)
    for column in (*(table.c.match_id for table in beside), _MATCH.id):
        connection.execute(sa.delete(column.table).where(column.in_(ids)))


def _open_rows(
    connection: Connection, tournament: int, numbers: Sequence[int]
) -> dict[int, tuple[int, tuple[int, ...]]]:
    """Id and seating, by number, of those rows that have no result yet."""
    shape = shape_of(connection, tournament)
    query = sa.select(_SCHEDULE.number, _SCHEDULE.id, _SCHEDULE.seating).select_from(ALL_ROWS)
    query = query.where(_SCHEDULE.tournament_id == tournament, _MATCH.id.is_(None))
    open_rows: dict[int, tuple[int, tuple[int, ...]]] = {}
    for some in chunks(sorted(numbers), _CHUNK):
        # Most batches have one match after the other: a span is found sooner than each of its numbers.
        dense = some[-1] - some[0] < 2 * _CHUNK
        chosen = query.where(
            _SCHEDULE.number.between(some[0], some[-1]) if dense else _SCHEDULE.number.in_(some)
        )
        for number, id_, seating in connection.execute(chosen):
            with naming(partial(bad_match, connection, tournament, number)):
                open_rows[number] = (id_, read_seating(seating, *shape))
    return open_rows
