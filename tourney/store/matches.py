"""The repository's part on matches: results, records, logs and measurements.

It is long because it has a query for each use, so that no reader fetches more columns than it needs.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from operator import itemgetter
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tourney.errors import UsageError
from tourney.match.record import Record
from tourney.match.result import LogLine, Texts
from tourney.schedule.row import MatchKey, ResultRow
from tourney.store import damage
from tourney.store.columns import (
    SAMPLES,
    ColumnError,
    deflate,
    dictionary_of,
    read_digest,
    read_faults,
    read_ranks,
    read_seating,
    unpack_log,
    unpack_measured,
    unpack_record,
)
from tourney.store.engine import shown
from tourney.store.models import (
    ARCHIVE,
    CHECKPOINT,
    DICTIONARY,
    KEY,
    LOG,
    MATCH,
    MEASURED,
    REPLACED,
    SCHEDULE,
    SEAT,
    START,
    TOURNAMENT,
)
from tourney.store.rows import (
    FIRST_KEY,
    RESULT,
    MatchColumns,
    SeatColumns,
    dictionaries_of,
    each,
    insert_rows,
    joined,
    match_key,
    match_values,
    outcome_values,
    replaced_of,
    result_of,
    seat_values,
    shape_of,
)
from tourney.store.stored_match import Owner, StoredMatch, no_record
from tourney.store.stored_totals import Changes
from tourney.store.tournaments import Tournaments
from tourney.store.values import (
    Archive,
    Dictionaries,
    Match,
    MatchParts,
    MatchResult,
    Measured,
    Outcome,
    ReplacedResult,
)

T = TypeVar("T")

_CHUNK = 500
"""Keys in one query: databases bound their number."""

_S, _M = SCHEDULE.c, MATCH.c
_PLAYED = SCHEDULE.join(MATCH, _M.id == _S.id)
_ALL = SCHEDULE.outerjoin(MATCH, _M.id == _S.id)
_DIGEST_START = sa.literal_column(f'substr("match".digest, 1, {START})', sa.String)
"""As the index has it: with bound numbers it would not be used."""


class Matches(Tournaments):
    """Reads and writes matches."""

    def record_results(self, tournament: int, finished: Sequence[MatchResult]) -> None:
        """Store finished matches with their logs and measurements, all in one transaction.

        They count as done when this returns. A row that has a result keeps it.
        """
        matches: list[MatchColumns] = []
        seats: list[SeatColumns] = []
        details: dict[sa.Table, list[tuple[int, bytes]]] = {LOG: [], MEASURED: []}
        totals = Changes()
        with self._write_results(tournament) as connection:
            rows = _open_rows(connection, tournament, [item.number for item in finished])
            texts_of = {item.number: item.played.plain for item in finished if item.played is not None}
            known = _dictionaries(connection, tournament, list(islice(texts_of.values(), SAMPLES)))
            for item in finished:
                found = rows.pop(item.number, None)
                if found is None:
                    continue
                id_, seating = found
                texts = texts_of.get(item.number)
                record = None if texts is None else deflate(texts.record, known.record)
                match = match_values(id_, item, len(seating), record)
                load = () if item.played is None else item.played.load
                matches.append(match)
                seats += seat_values(tournament, match, seating, load)
                totals.add(seating, match._asdict(), load)
                for table, row in () if texts is None else _details(id_, texts, known):
                    details[table].append(row)
            insert_rows(connection, MATCH, matches)
            insert_rows(connection, SEAT, seats)
            for table, new in details.items():
                insert_rows(connection, table, new)
            totals.store(connection, tournament)

    def add_outcomes(self, tournament: int, outcomes: Sequence[Outcome]) -> None:
        """Store finished matches without records, in schedule order, after those that are stored."""
        with self._write() as connection:
            numbered = self.add_rows(tournament, [outcome.row for outcome in outcomes], complete=True)
            if not numbered:
                return
            query = sa.select(_S.id).where(_S.tournament_id == tournament, _S.number >= numbered[0][0])
            ids = connection.execute(query.order_by(_S.number)).scalars()
            matches: list[MatchColumns] = []
            seats: list[SeatColumns] = []
            totals = Changes()
            for id_, outcome in zip(ids, outcomes, strict=True):
                match = outcome_values(id_, outcome)
                matches.append(match)
                seats += seat_values(tournament, match, outcome.row.seats)
                totals.add(outcome.row.seats, match._asdict())
            insert_rows(connection, MATCH, matches)
            insert_rows(connection, SEAT, seats)
            totals.store(connection, tournament)

    def take_back(self, tournament: int, numbers: Sequence[int], host: str | None = None) -> None:
        """Remove results, so that their rows are played again, and the rating checkpoints that used them.

        For a person who asks for it, and for those of a ``host`` that was set aside ("" for others that these
        led to). The results are kept aside (``replaced``), because later rounds may be drawn from them
        already. After those of a host the schedule counts as incomplete until it is ``settle``d.
        """
        self.refuse_archived(tournament)
        rounds = self.progress(tournament).rounds
        known = {(old.number, old.rounds) for old in self.replaced(tournament)}
        totals = Changes()
        with self._write_results(tournament) as connection:
            for start in range(0, len(numbers), _CHUNK):
                chosen = _S.number.in_(numbers[start : start + _CHUNK])
                _remove_from(totals, connection, tournament, chosen)
                old = sa.select(_S.number, _M.ranks, _M.faults, _M.void).select_from(_PLAYED)
                found = connection.execute(old.where(_S.tournament_id == tournament, chosen)).mappings().all()
                values = [
                    {"tournament_id": tournament, "rounds": rounds, "host": host, **row}
                    for row in found
                    if (row["number"], rounds) not in known
                ]
                if values:
                    connection.execute(sa.insert(REPLACED), values)
                ids = sa.select(_S.id).where(_S.tournament_id == tournament, chosen).scalar_subquery()
                for column in (SEAT.c.match_id, LOG.c.match_id, MEASURED.c.match_id, _M.id):
                    connection.execute(sa.delete(column.table).where(column.in_(ids)))
            totals.store(connection, tournament)
            self._change(connection, tournament, **({} if host is None else {"complete": False}))

    def settle(self, tournament: int, rounds: int) -> None:
        """Let what was played again after a host was set aside count, and remove all after so many rounds.

        Results that ``--unbench`` replaced stay for the rounds that are left. More rounds may be drawn then.
        """
        later = (_S.tournament_id == tournament) & (_S.round_no > rounds)
        left: dict[tuple[int, int], ReplacedResult] = {}
        for old in self.replaced(tournament):
            if old.host is None:
                until = min(old.rounds, rounds)
                left.setdefault((old.number, until), old._replace(rounds=until))
        totals = Changes()
        with self._write_results(tournament) as connection:
            _remove_from(totals, connection, tournament, later)
            gone = set(connection.execute(sa.select(_S.number).where(later)).scalars())
            ids = sa.select(_S.id).where(later).scalar_subquery()
            for column in (SEAT.c.match_id, LOG.c.match_id, MEASURED.c.match_id, _M.id):
                connection.execute(sa.delete(column.table).where(column.in_(ids)))
            totals.store(connection, tournament)
            connection.execute(sa.delete(SCHEDULE).where(later))
            connection.execute(sa.delete(REPLACED).where(REPLACED.c.tournament_id == tournament))
            if values := _replaced_values(tournament, [o for o in left.values() if o.number not in gone]):
                connection.execute(sa.insert(REPLACED), values)
            self._change(connection, tournament, complete=False)

    @staticmethod
    def _change(connection: Connection, tournament: int, **values: bool) -> None:
        """Drop what follows from results that are gone."""
        connection.execute(sa.delete(CHECKPOINT).where(CHECKPOINT.c.tournament_id == tournament))
        mine = TOURNAMENT.c.id == tournament
        connection.execute(sa.update(TOURNAMENT).where(mine).values(root=None, **values))

    def move_out(self, tournament: int, archive: Archive) -> None:
        """Remove the records, logs and measurements of a tournament, and note the archive that has them."""
        mine = sa.select(_S.id).where(_S.tournament_id == tournament)
        with self._write() as connection:
            for column in (LOG.c.match_id, MEASURED.c.match_id):
                connection.execute(sa.delete(column.table).where(column.in_(mine)))
            connection.execute(sa.update(MATCH).where(_M.id.in_(mine)).values(record=None))
            connection.execute(sa.delete(DICTIONARY).where(DICTIONARY.c.tournament_id == tournament))
            values = archive._asdict()
            if archive.hosts is not None:
                values["hosts"] = json.dumps(archive.hosts)
            connection.execute(sa.insert(ARCHIVE).values(tournament_id=tournament, **values))

    def forget_archive(self, tournament: int) -> None:
        """Let a tournament count as not archived; ``bring_back`` stores what its archive has."""
        with self._write() as connection:
            connection.execute(sa.delete(ARCHIVE).where(ARCHIVE.c.tournament_id == tournament))

    def bring_back(self, tournament: int, finished: Sequence[MatchResult]) -> None:
        """Store the records, logs and measurements of matches whose results are stored without them."""
        texts_of = {item.number: item.played.plain for item in finished if item.played is not None}
        query = sa.select(_S.number, _S.id).select_from(_PLAYED)
        query = query.where(_S.tournament_id == tournament, _S.number.in_(list(texts_of)))
        put = sa.update(MATCH).where(_M.id == sa.bindparam("row")).values(record=sa.bindparam("packed"))
        records: list[dict[str, Any]] = []
        details: dict[sa.Table, list[tuple[int, bytes]]] = {LOG: [], MEASURED: []}
        with self._write() as connection:
            known = _dictionaries(connection, tournament, list(islice(texts_of.values(), SAMPLES)))
            for number, id_ in connection.execute(query.order_by(_S.number)).all():
                texts = texts_of[number]
                records.append({"row": id_, "packed": deflate(texts.record, known.record)})
                for table, row in _details(id_, texts, known):
                    details[table].append(row)
            if records:
                connection.execute(put, records)
            for table, new in details.items():
                insert_rows(connection, table, new)

    def keep_replaced(self, tournament: int, results: Sequence[ReplacedResult]) -> None:
        """Store results that were taken back before the tournament was imported."""
        if values := _replaced_values(tournament, results):
            with self._write() as connection:
                connection.execute(sa.insert(REPLACED), values)

    def find_digests(self, digests: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield those of the digests that a stored match has, with the match as "match 3 of cup"."""
        wanted = sorted(digests)
        query = sa.select(_M.digest, _S.number, TOURNAMENT.c.name).select_from(
            _PLAYED.join(TOURNAMENT, TOURNAMENT.c.id == _S.tournament_id)
        )
        with self._read() as connection:
            for start in range(0, len(wanted), _CHUNK):
                some = wanted[start : start + _CHUNK]
                chosen = query.where(_DIGEST_START.in_([digest[:START] for digest in some]))
                chosen = chosen.where(_M.digest.in_(some))
                for digest, number, name in connection.execute(chosen.order_by(_S.tournament_id, _S.number)):
                    yield digest, f"match {number} of {name}"

    def replaced(self, tournament: int) -> tuple[ReplacedResult, ...]:
        """Return the results that were taken back, by match number and time."""
        query = sa.select(REPLACED).where(REPLACED.c.tournament_id == tournament)
        found = []
        with self._read() as connection:
            shape = shape_of(connection, tournament)
            for row in connection.execute(query.order_by(REPLACED.c.number, REPLACED.c.rounds)).mappings():
                try:
                    found.append(replaced_of(row, shape))
                except ColumnError as error:
                    key = f"{tournament},{row['number']},{row['rounds']}"
                    raise damage.in_row(connection, REPLACED, key, error) from error
        return tuple(found)

    def digests(self, tournament: int) -> Iterator[tuple[int, MatchKey, str | None]]:
        """Yield number, key and digest of all matches in schedule order.

        The digest is "" for a match without a record, which is void, and None before the match is played.
        """
        query = sa.select(_S.number, *KEY, _M.id, _M.digest).select_from(_ALL)
        last = FIRST_KEY
        with self._read() as connection:
            for row in each(connection, query.where(_S.tournament_id == tournament).order_by(_S.number)):
                try:
                    last = match_key(last, *row[:5])
                    if row[5] is not None and row[6] != "":
                        read_digest({"digest": row[6]}, "digest")
                except ColumnError as error:
                    raise damage.in_result(connection, tournament, row[0], error) from error
                yield row[0], last, None if row[5] is None else row[6]

    def matches(
        self,
        tournament: int,
        *,
        entrant: int | None = None,
        numbers: range | None = None,
        finished: bool = False,
    ) -> Iterator[Match]:
        """Yield matches in schedule order: all, those of an entrant, some numbers, or those with a result."""
        query = sa.select(_S.number, *KEY, _S.seating, _M.id, *RESULT).select_from(
            _PLAYED if finished else _ALL
        )
        if numbers is not None:
            query = query.where(_S.number >= numbers.start, _S.number < numbers.stop)
        if entrant is not None:
            query = query.where(sa.literal(",").concat(_S.seating).concat(",").like(f"%,{entrant:d},%"))
        query = query.where(_S.tournament_id == tournament).order_by(_S.number)
        last = FIRST_KEY
        with self._read() as connection:
            shape = shape_of(connection, tournament)
            for row in each(connection, query):
                try:
                    result = None if row[6] is None else result_of(row[7:], shape.seats)
                    last = match_key(last, *row[:5])
                    match = Match(tournament, row[0], last, read_seating(row[5], *shape), result)
                except ColumnError as error:
                    raise damage.in_result(connection, tournament, row[0], error) from error
                yield match

    def finished_numbers(self, tournament: int) -> tuple[int, ...]:
        """Return the numbers of the matches that have a result, in schedule order, void ones too."""
        query = sa.select(_S.number).select_from(_PLAYED)
        with self._read() as connection:
            found = connection.execute(query.where(_S.tournament_id == tournament).order_by(_S.number))
            return tuple(found.scalars())

    def match(self, tournament: int, number: int) -> Match:
        """Return a match by its number. Raises UsageError if there is none."""
        for match in self.matches(tournament, numbers=range(number, number + 1)):
            return match
        raise UsageError(f"there is no match {number} in this tournament; see `tourney status`")

    def find_match(self, text: str, tournament: str | None = None) -> Match:
        """Return the match with a name as a person gives it: ``12``, or ``autumn-cup/12``.

        A bare number is of the named tournament, or of the one begun last. Raises UsageError.
        """
        name, slash, number = text.rpartition("/")
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            raise UsageError(f"{text!r} is no match: name one by its number, as 12 or autumn-cup/12")
        return self.match(self.tournament(name if slash else tournament).id, int(number))

    def results(self, tournament: int, *, after: int = 0) -> Iterator[ResultRow]:
        """Yield the results in schedule order, those of void matches too.

        Only those of a number above ``after``: a rating may know the earlier ones already.
        """
        query = sa.select(_S.number, *KEY, _S.seating, _M.ranks, _M.faults, _M.void).select_from(_PLAYED)
        query = query.where(_S.tournament_id == tournament, _S.number > after).order_by(_S.number)
        last = FIRST_KEY
        with self._read() as connection:
            shape = shape_of(connection, tournament)
            for number, round_, table, repeat, order, seating, ranks, faults, void in each(connection, query):
                try:
                    last = match_key(last, number, round_, table, repeat, order)
                    result = ResultRow(
                        last,
                        read_seating(seating, *shape),
                        read_ranks(ranks, shape.seats),
                        read_faults(faults, shape.seats),
                        void,
                        number,
                    )
                except ColumnError as error:
                    raise damage.in_result(connection, tournament, number, error) from error
                yield result

    def faulty_matches(
        self, tournament: int
    ) -> tuple[tuple[int, tuple[int, ...], tuple[str | None, ...]], ...]:
        """Return number, entrants and faults (in seat order) of the matches that hold a fault, by number."""
        held = sa.select(SEAT.c.match_id).where(SEAT.c.tournament_id == tournament, SEAT.c.fault.is_not(None))
        query = sa.select(_S.number, _S.seating, _M.faults).select_from(_PLAYED).where(_M.id.in_(held))
        query = query.where(_S.tournament_id == tournament).order_by(_S.number)
        found = []
        with self._read() as connection:
            shape = shape_of(connection, tournament)
            for number, seating, faults in each(connection, query):
                try:
                    found.append((number, read_seating(seating, *shape), read_faults(faults, shape.seats)))
                except ColumnError as error:
                    raise damage.in_result(connection, tournament, number, error) from error
        return tuple(found)

    def record(self, tournament: int, number: int) -> Record:
        """Return a match's record as JSON data, its digest unchecked.

        Raises UsageError if there is none yet, the match is void without one, or the tournament is archived,
        and StoreDamaged if the stored bytes are no record of this tournament.
        """
        with self._read() as connection:
            seats = shape_of(connection, tournament).seats
            record = _read_blob(
                connection,
                tournament,
                number,
                _M.record,
                lambda column, blob, dictionary: unpack_record(column, blob, seats, dictionary),
            )
        if record is None:
            match = self.match(tournament, number)
            if match.result is not None and match.result.digest:
                self.refuse_archived(tournament, f"match {number} of ")
            raise no_record(match)
        return record

    def records(self, tournament: int) -> Iterator[tuple[int, Record]]:
        """Yield the numbers and records of a tournament in schedule order; matches without one are left out.

        Raises UsageError for an archived tournament, and StoreDamaged as ``record`` does.
        """
        self.refuse_archived(tournament)
        query = sa.select(_S.number, _M.record).select_from(_PLAYED).where(_M.record.is_not(None))
        query = query.where(_S.tournament_id == tournament).order_by(_S.number)
        with self._read() as connection:
            seats = shape_of(connection, tournament).seats
            dictionary = dictionaries_of(connection, tournament).record
            for number, blob in each(connection, query, 500):
                try:
                    found = unpack_record("record", blob, seats, dictionary)
                except ColumnError as error:
                    raise damage.in_match(connection, MATCH, tournament, number, error) from error
                yield number, found

    def stored_matches(self, tournament: int, chunk: int) -> Iterator[list[StoredMatch]]:
        """Yield all that is stored of the finished matches, in schedule order, a chunk at a time."""
        last: Any = 0
        while found := self._stored_matches(tournament, _S.number > last, chunk):
            yield found
            last = found[-1].number

    def stored_match(self, tournament: int, number: int) -> StoredMatch:
        """Return all that is stored of a finished match. Raises UsageError if it is not finished."""
        for found in self._stored_matches(tournament, _S.number == number, 1):
            return found
        raise no_record(self.match(tournament, number))

    def _stored_matches(
        self, tournament: int, chosen: sa.ColumnElement[bool], most: int
    ) -> list[StoredMatch]:
        """Return the first chosen ones of the finished matches: a query for them, and one for their seats."""
        before = (_S.number, *KEY, _S.seating, MEASURED.c.data)
        query = sa.select(*before, MATCH)
        query = query.select_from(_PLAYED.outerjoin(MEASURED, MEASURED.c.match_id == _S.id))
        query = query.where(_S.tournament_id == tournament, chosen).order_by(_S.number).limit(most)
        seats: dict[int, list[dict[str, Any]]] = {}
        with self._read() as connection:
            name = sa.select(TOURNAMENT.c.name).where(TOURNAMENT.c.id == tournament)
            owner = Owner(
                shown(self._engine.url),
                tournament,
                str(connection.execute(name).scalar()),
                shape_of(connection, tournament),
                dictionaries_of(connection, tournament),
            )
            rows = connection.execute(query).all()
            of_them = sa.select(SEAT).where(SEAT.c.match_id.in_([row[len(before)] for row in rows]))
            for seat in connection.execute(of_them.order_by(SEAT.c.match_id, SEAT.c.seat)):
                values = dict(zip(SEAT.c.keys(), seat, strict=True))
                seats.setdefault(values["match_id"], []).append(values)
        found = []
        for row in rows:
            number, *key, seating, data = row[: len(before)]
            columns = dict(zip(MATCH.c.keys(), row[len(before) :], strict=True))
            mine = tuple(seats.get(columns["id"], ()))
            found.append(StoredMatch(owner, number, tuple(key), seating, columns, mine, data))
        return found

    def log(self, tournament: int, number: int) -> tuple[LogLine, ...]:
        """Return a match's log; empty if there is none. Raises StoreDamaged if it is damaged."""
        with self._read() as connection:
            return _read_blob(connection, tournament, number, LOG.c.lines, unpack_log) or ()

    def measured(self, tournament: int, number: int) -> Measured:
        """Return a match's measurements; empty if there are none. Raises StoreDamaged if damaged."""
        with self._read() as connection:
            return _read_blob(connection, tournament, number, MEASURED.c.data, unpack_measured) or {}

    def hosts(self, tournament: int) -> Iterator[tuple[int, str]]:
        """Yield number and host of the matches that have a record; "" where the host is unknown."""
        query = sa.select(_S.number, MEASURED.c.data).select_from(
            _PLAYED.outerjoin(MEASURED, MEASURED.c.match_id == _S.id)
        )
        query = query.where(_S.tournament_id == tournament, _M.digest != "").order_by(_S.number)
        with self._read() as connection:
            dictionary = dictionaries_of(connection, tournament).data
            for number, blob in each(connection, query):
                host = ""
                if blob is not None:
                    with suppress(ColumnError):
                        host = str(unpack_measured("data", blob, dictionary).get("host", ""))
                yield number, host

    def parts(self, tournament: int, numbers: Sequence[int]) -> dict[int, MatchParts]:
        """Return what is stored of finished matches, packed, by number; others are left out."""
        query = (
            sa.select(_S.number, _M.record, LOG.c.lines, MEASURED.c.data)
            .select_from(
                _PLAYED.outerjoin(LOG, LOG.c.match_id == _S.id).outerjoin(
                    MEASURED, MEASURED.c.match_id == _S.id
                )
            )
            .where(_S.tournament_id == tournament)
        )
        found: dict[int, MatchParts] = {}
        with self._read() as connection:
            known = dictionaries_of(connection, tournament)
            for start in range(0, len(numbers), _CHUNK):
                chosen = query.where(_S.number.in_(numbers[start : start + _CHUNK]))
                found.update((row[0], MatchParts(*row[1:], known)) for row in connection.execute(chosen))
        return found

    def recent_seconds(self, tournament: int, count: int) -> tuple[float, ...]:
        """Return the durations of the ``count`` last matches in schedule order.

        They only serve estimates, so damaged measurements are left out.
        """
        query = (
            sa.select(MEASURED.c.data)
            .select_from(SCHEDULE.join(MEASURED, MEASURED.c.match_id == _S.id))
            .where(_S.tournament_id == tournament)
            .order_by(_S.number.desc())
            .limit(count)
        )
        found = []
        with self._read() as connection:
            dictionary = dictionaries_of(connection, tournament).data
            for (blob,) in connection.execute(query):
                with suppress(ColumnError):
                    found.append(unpack_measured("data", blob, dictionary).get("wall-ms", 0) / 1000)
        return tuple(found)


def _remove_from(
    totals: Changes, connection: Connection, tournament: int, chosen: sa.ColumnElement[bool]
) -> None:
    """Take the finished ones of the chosen matches off the totals."""
    shape = shape_of(connection, tournament)
    chosen = sa.and_(_S.tournament_id == tournament, chosen)
    loads: dict[int, dict[int, tuple[int, int]]] = {}
    measured = sa.select(SEAT.c.match_id, SEAT.c.seat, SEAT.c.turns, SEAT.c.overloaded)
    measured = measured.select_from(SCHEDULE.join(SEAT, SEAT.c.match_id == _S.id)).where(chosen)
    for id_, seat, turns, overloaded in connection.execute(measured):
        loads.setdefault(id_, {})[seat] = (turns or 0, overloaded or 0)
    query = sa.select(_S.id, _S.number, _S.seating, _M.ranks, _M.faults, _M.void).select_from(_PLAYED)
    for row in connection.execute(query.where(chosen).order_by(_S.number)).mappings():
        try:
            seating = read_seating(row["seating"], *shape)
            read_ranks(row["ranks"], shape.seats)
            read_faults(row["faults"], shape.seats)
        except ColumnError as error:
            raise damage.in_result(connection, tournament, row["number"], error) from error
        load = loads.get(row["id"], {})
        totals.add(seating, row, [load.get(seat, (0, 0)) for seat in range(1, shape.seats + 1)], -1)


def _open_rows(
    connection: Connection, tournament: int, numbers: Sequence[int]
) -> dict[int, tuple[int, tuple[int, ...]]]:
    """Return id and seating, by number, of those rows that have no result yet."""
    found: dict[int, tuple[int, tuple[int, ...]]] = {}
    shape = shape_of(connection, tournament)
    query = sa.select(_S.number, _S.id, _S.seating).select_from(_ALL)
    query = query.where(_S.tournament_id == tournament, _M.id.is_(None))
    wanted = sorted(numbers)
    for start in range(0, len(wanted), _CHUNK):
        some = wanted[start : start + _CHUNK]
        # Most batches have one match after the other: a span is found sooner than each of its numbers.
        dense = some[-1] - some[0] < 2 * _CHUNK
        chosen = query.where(_S.number.between(some[0], some[-1]) if dense else _S.number.in_(some))
        for number, id_, seating in connection.execute(chosen):
            try:
                found[number] = (id_, read_seating(seating, *shape))
            except ColumnError as error:
                raise damage.in_match(connection, SCHEDULE, tournament, number, error) from error
    return found


def _dictionaries(connection: Connection, tournament: int, samples: Sequence[Texts]) -> Dictionaries:
    """Return what a tournament's columns are packed with; what is missing is made of samples, and kept."""
    known = dictionaries_of(connection, tournament)
    texts = Dictionaries(*(b"" if known[k] else dictionary_of(map(itemgetter(k), samples)) for k in range(3)))
    if new := {name: data for name, data in texts._asdict().items() if data}:
        values = [{"tournament_id": tournament, "name": name, "data": data} for name, data in new.items()]
        connection.execute(sa.insert(DICTIONARY), values)
    return known._replace(**new)


def _details(id_: int, texts: Texts, known: Dictionaries) -> Iterator[tuple[sa.Table, tuple[int, bytes]]]:
    """Yield the rows of a match's log and measurements, as far as there are any, with their tables."""
    if texts.log is not None:
        yield LOG, (id_, deflate(texts.log, known.lines))
    if texts.measured is not None:
        yield MEASURED, (id_, deflate(texts.measured, known.data))


def _read_blob(
    connection: Connection,
    tournament: int,
    number: int,
    column: sa.Column[Any],
    unpack: Callable[[str, bytes, bytes], T],
) -> T | None:
    """Return the unpacked value of a packed column of a match, or None if there is none."""
    key = column.table.primary_key.columns[0]
    query = sa.select(column).select_from(SCHEDULE.join(column.table, key == _S.id))
    blob = connection.execute(query.where(_S.tournament_id == tournament, _S.number == number)).scalar()
    if blob is None:
        return None
    try:
        return unpack(column.name, blob, getattr(dictionaries_of(connection, tournament), column.name))
    except ColumnError as error:
        raise damage.in_match(connection, column.table, tournament, number, error) from error


def _replaced_values(tournament: int, results: Iterable[ReplacedResult]) -> list[dict[str, Any]]:
    """Return the columns of results that were taken back."""
    return [
        {
            "tournament_id": tournament,
            "number": old.number,
            "rounds": old.rounds,
            "ranks": joined(old.ranks),
            "faults": ",".join(kind or "" for kind in old.faults),
            "void": old.void,
            "host": old.host,
        }
        for old in results
    ]
