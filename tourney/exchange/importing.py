"""Read, check and import a tournament that was exported (``tourney.exchange.lines``): all or nothing."""

import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from msgspec import structs

from tourney.check.merkle import Tree
from tourney.check.root import KNOWN, PlanEntry, keep_root, leaf_of, match_entry, plan_entry, sealed_entry
from tourney.errors import EnvironmentFailure, GameError, RecordError
from tourney.exchange.lines import MatchLine, TournamentLine
from tourney.games.registry import find_game
from tourney.match.record import MAX_SEATS, Record, check_record
from tourney.match.result import NOT_MEASURED, LogLine, PlayedMatch
from tourney.match.spec import Entrant
from tourney.schedule.format import IMPORTED
from tourney.schedule.row import MatchKey, Row
from tourney.schema import Name, SchemaError, check_bits, check_range, read
from tourney.store.database import Database
from tourney.store.rows import FIRST_KEY, chunks
from tourney.store.values import (
    BLAMING,
    MatchResult,
    Origin,
    Plan,
    StoredEntrant,
    StoredRun,
    Tournament,
    read_plan,
)


@dataclass(frozen=True)
class Head:
    """The first line, read and checked; ``tournament`` has the id 0, and the seed 0 where that is sealed."""

    line: TournamentLine
    tournament: Tournament
    entrants: tuple[StoredEntrant, ...]

    @property
    def sealed(self) -> bool:
        """Whether a commitment stands for the seed."""
        return self.line.tournament.seed is None

    @property
    def entry(self) -> PlanEntry:
        """The plan's entry, sealed or not."""
        if self.sealed:
            seal = self.line.tournament.seed_commitment
            return sealed_entry(self.tournament, self.entrants, seal or "")
        return plan_entry(self.tournament, self.entrants)


def is_tournament(value: object) -> bool:
    """Whether a JSON value is the first line of a tournament, valid or not."""
    return isinstance(value, dict) and str(value.get("format", "")).startswith("tourney-tournament/")


def read_head(value: object, where: str) -> Head:
    """The first line. Raises RecordError that names ``where``, and GameError."""
    try:
        line = read(value, TournamentLine)
        form = line.tournament
        seed = 0 if form.seed is None else check_bits("seed", form.seed, 256)
    except SchemaError as error:
        raise RecordError(f"{where}: {error.in_json('the tournament')}") from error
    try:
        plan = read_plan(form.plan)
    except SchemaError as error:
        raise RecordError(f"{where}: {error.under('tournament', 'plan').in_json()}") from error
    _check_plan(plan, where)
    entrants = _entrants_of(line, where)
    _check_replaced(line, plan.seats, where)
    tournament = Tournament(
        0,
        plan,
        seed,
        Origin(form.seed_chosen, line.salt or "", form.beacon),
        StoredRun(**structs.asdict(line.run)),
        complete=line.complete,
        created=line.created,
        root=line.root,
    )
    assert isinstance(value, dict)  # noqa: S101 - for the type checker: it has just been read as an object
    head = Head(line, tournament, entrants)
    if head.entry != value["tournament"]:
        raise RecordError(f"{where}: the tournament has keys that stand only where they say something else")
    return head


def _entrants_of(line: TournamentLine, where: str) -> tuple[StoredEntrant, ...]:
    forms = line.tournament.entrants
    if len(line.shown) != len(forms):
        raise RecordError(f"{where}: shown has {len(line.shown)} items, but there are {len(forms)} entrants")
    entrants = tuple(
        StoredEntrant(
            number,
            Entrant(form.name, form.bot, form.version, form.args, form.digest),
            **{key: getattr(form, key) for key in KNOWN},
            **structs.asdict(shown),
        )
        for number, (form, shown) in enumerate(zip(forms, line.shown, strict=True))
    )
    names = Counter(entrant.name for entrant in entrants)
    for name in (*names, *line.run.withdrawn):
        if names[name] != 1:
            why = "twice among the entrants" if names[name] else "withdrawn, but no entrant"
            raise RecordError(f"{where}: {name} is {why}")
    return entrants


def _check_replaced(line: TournamentLine, seats: int, where: str) -> None:
    for old in line.replaced:
        if not (len(old.ranks) == len(old.faults) == seats) or old.match > line.matches:
            raise RecordError(f"{where}: replaced has match {old.match}, which does not fit the tournament")
    if len({(old.match, old.rounds) for old in line.replaced}) < len(line.replaced):
        raise RecordError(f"{where}: replaced has a match twice")


def _check_plan(plan: Plan, where: str) -> None:
    """Raise RecordError or GameError for a plan that no tournament can have."""
    try:
        read(plan.name, Name, at=("plan", "name"))
        check_range(("plan", "seats"), plan.seats, 1, MAX_SEATS)
    except SchemaError as error:
        raise RecordError(f"{where}: {error.in_json()}") from error
    check_game(where, plan.game, plan.seats, dict(plan.options))


def check_game(where: str, name: str, seats: int, options: dict[str, str]) -> None:
    """Raise GameError, naming the place, for a game that is not installed or has other seats or options."""
    try:
        find_game(name).new(seats, options)
    except GameError as error:
        raise type(error)(f"{where}: {error}") from error


def read_matches(
    head: Head, lines: Iterable[tuple[str, object]]
) -> Iterator[tuple[str, Row, MatchResult | None]]:
    """Yield each match of the lines after the first: its place in the file, its row, and its result.

    Checks that the matches are in order, fit the plan and its seeds, and have no digest twice; at the end,
    that none is missing and the root is right. Raises RecordError that names the line.
    """
    last = FIRST_KEY
    # The root is computed line by line, so that memory does not grow with the file.
    tree = Tree()
    tree.add(leaf_of(head.entry))
    number = 0
    with Scratch() as scratch:
        for number, (where, value) in enumerate(lines, 1):
            try:
                line = read(value, MatchLine)
                row = Row(*line.place, line.seats)
                _check_row(head, row, last)
                result = _result(head, number, row, line)
            except SchemaError as error:
                raise RecordError(f"{where}: {error.in_json('the match')}") from error
            except RecordError as error:
                raise RecordError(f"{where}: {error}") from error
            last = row.key
            digest = ""
            if result is not None and result.played is not None:
                digest = result.played.digest
                if (first := scratch.first_place(digest, where)) != where:
                    raise RecordError(f"{where} has the record of {first} again")
            void = None
            if result is not None and not digest and head.tournament.origin.salt:
                void = (list(row.seats), result.void_reason, result.void_entrant)
            tree.add(leaf_of(match_entry(row.key, digest, void)))
            yield where, row, result
    if number != head.line.matches:
        raise RecordError(f"the file has {number} matches, but its first line says {head.line.matches}")
    if head.line.root is not None and (root := tree.hash().hex()) != head.line.root:
        raise RecordError(
            f"the first line has the root {head.line.root[:16]}..., but the plan and the matches have"
            f" {root[:16]}...: the file was changed after it was made"
        )


def _check_row(head: Head, row: Row, last: MatchKey) -> None:
    if row.key <= last:
        raise RecordError(
            f"its place {list(row.key)} does not come after {list(last)}, that of the match before"
        )
    seats, count = head.tournament.seats, len(head.entrants)
    if len(row.seats) != seats:
        raise SchemaError(("seats",), f"has {len(row.seats)} items, but must have {seats}")
    for index, seat in enumerate(row.seats):
        check_range(("seats", index), seat, 0, count - 1)
    if len(set(row.seats)) < seats:
        raise SchemaError(("seats",), "has an entrant twice")


def _result(head: Head, number: int, row: Row, line: MatchLine) -> MatchResult | None:
    if line.record is None:
        if line.log or line.measured is not None:
            raise RecordError("there are a log or measurements, but no record")
        if line.void is None:
            return None
        entrant = line.void.entrant
        reason = line.void.reason
        if (entrant is not None) != (reason in BLAMING):
            words = " or ".join(BLAMING)
            raise SchemaError(("void",), f"must name an entrant where the reason is {words}, and only there")
        if entrant is not None:
            check_range(("void", "entrant"), entrant, 0, len(head.entrants) - 1)
        return MatchResult(
            *(number, None, line.note, entrant),
            overloaded=reason == "overload",
            out_of_memory=reason == "memory",
        )
    if line.void is not None:
        raise RecordError("there are both a record and the reason why there is none")
    record = check_record(line.record)
    _check_record(head, row, record)
    log = tuple(LogLine(*entry) for entry in line.log)
    return MatchResult(number, PlayedMatch(record, log, line.measured or NOT_MEASURED), line.note)


def _check_record(head: Head, row: Row, record: Record) -> None:
    """Raise RecordError for a record of another match than that of the row."""
    tournament, plan, spec = head.tournament, head.tournament.plan, record.spec
    pairs: list[tuple[str, object, object]] = [
        ("game", spec.game, plan.game),
        ("version of the rules", record.rules, plan.rules),
        ("options", record.options, dict(plan.options)),
        ("limits", record.limits, plan.limits),
        ("seats", spec.seats, tuple(head.entrants[seat].entrant for seat in row.seats)),
    ]
    if plan.format != IMPORTED and not head.sealed:
        pairs.append(("seed", spec.seed, plan.seed_of(tournament.seed, row)))
    for what, value, right in pairs:
        if value != right:
            raise RecordError(f"its record has another {what} than the tournament has for this match")


def renamed(head: Head, name: str) -> Head:
    """A tournament under another name, which gives it another root."""
    plan = structs.replace(head.tournament.plan, name=name)
    origin = head.tournament.origin._replace(salt="")  # it opens the commitment to the other name
    return replace(head, tournament=replace(head.tournament, plan=plan, origin=origin, root=None))


def import_tournament(
    database: Database,
    lines: Iterable[tuple[str, object]],
    created: str,
    *,
    name: str | None = None,
    again: bool = False,
) -> Tournament:
    """Store the tournament of an export (``tourney.exchange.lines``), finished or not: all or nothing.

    ``lines`` are the values with their places; ``name`` replaces the tournament's own; ``again`` accepts
    records that the database has already. ``created`` is taken where the export has no date. The game's draw
    probability is taken if the database has no tournament of this game and number of seats yet. Raises as
    ``read_tournament`` and ``import_records`` do.
    """
    with database.transaction() as writer:
        head, matches = read_tournament(lines)
        head = head if name is None else renamed(head, name)
        imported = head.tournament
        alone = all(
            (other.game, other.seats) != (imported.game, imported.seats) for other in writer.tournaments.all()
        )
        tournament = writer.tournaments.add(
            imported.plan,
            seed=imported.seed,
            origin=imported.origin,
            run=imported.run,
            entrants=head.entrants,
            created=imported.created or created,
        )
        for chunk in chunks(matches):
            writer.schedules.add(tournament.id, [row for _, row, _ in chunk], complete=False)
            results = [(where, result) for where, _, result in chunk if result is not None]
            store_new(writer, tournament.id, results, again=again)
        writer.schedules.add(tournament.id, (), complete=imported.complete)
        writer.matches.keep_replaced(tournament.id, head.line.replaced)
        for host, why in head.line.refused_hosts.items():
            writer.hosts.refuse(tournament.id, host, why)
        if head.line.presentation:
            writer.tournaments.keep_presentation(tournament.id, head.line.presentation)
        if alone and (kept := head.line.draw_probability) is not None:
            writer.ratings.keep_draw_probability(imported.game, imported.seats, kept)
        keep_root(writer, tournament.id)
        return writer.tournaments.by_id(tournament.id)


def read_tournament(
    lines: Iterable[tuple[str, object]],
) -> tuple[Head, Iterator[tuple[str, Row, MatchResult | None]]]:
    """The first line, and what ``read_matches`` yields of the others.

    Raises RecordError or GameError, naming the line, for other lines.
    """
    values = iter(lines)
    where, value = next(values)
    head = read_head(value, where)
    return head, read_matches(head, values)


def store_new(
    writer: Database, tournament: int, finished: Sequence[tuple[str, MatchResult]], *, again: bool
) -> None:
    """Store results. Raises RecordError for a record that the database has already, unless ``again``."""
    places = {item.played.digest: where for where, item in finished if item.played is not None}
    for digest, match in () if again else writer.matches.find_digests(places):
        raise RecordError(f"{places[digest]}: {match} has this record already; to import it, add --again")
    writer.matches.add(tournament, [item for _, item in finished])


_CACHE: Final = 2_000
"""Kibibytes of the tables that are kept in memory."""

_TABLES: Final = """
CREATE TABLE seen (digest BLOB PRIMARY KEY, place BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE line (id INTEGER PRIMARY KEY, key TEXT NOT NULL, seats TEXT NOT NULL, digest BLOB NOT NULL);
CREATE VIEW piled AS SELECT *, min(id) OVER (PARTITION BY key) AS pile FROM line;
CREATE TABLE text (id INTEGER PRIMARY KEY, label BLOB NOT NULL, data BLOB NOT NULL);
"""


class Scratch:
    """What reading a long file must remember of each match: memory does not grow with the file.

    It is in a temporary file without a name, which the system removes whatever becomes of the process.
    Methods raise EnvironmentFailure where the file cannot be written.
    """

    def __init__(self) -> None:
        with _named():
            self._tables = sqlite3.connect("", isolation_level=None)
            self._tables.executescript(
                f"PRAGMA journal_mode = OFF; PRAGMA cache_size = -{_CACHE}; {_TABLES} BEGIN"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._tables.close()

    def first_place(self, digest: str, place: str) -> str:
        """The first place that was given with a digest: this one if it is new."""
        key = bytes.fromhex(digest)
        with _named():
            new = self._tables.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (key, os.fsencode(place)))
            if new.rowcount:
                return place
            (found,) = self._tables.execute("SELECT place FROM seen WHERE digest = ?", (key,)).fetchone()
            return os.fsdecode(found)

    def put_line(self, key: str, seats: str, digest: str) -> None:
        """Add a line to the pile of a key; piles are numbered from 1 as they appear, and lines in each."""
        row = (key, seats, bytes.fromhex(digest))
        with _named():
            self._tables.execute("INSERT INTO line (key, seats, digest) VALUES (?, ?, ?)", row)

    def piled(self) -> Iterator[tuple[int, int, str]]:
        """Yield pile, place in it and seats of each line, pile after pile."""
        yield from self._rows(
            "SELECT dense_rank() OVER (ORDER BY pile), row_number() OVER (PARTITION BY pile ORDER BY id),"
            " seats FROM piled ORDER BY pile, id"
        )

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the number from 1 among those of ``piled``, and the digest, of each line as they came."""
        yield from self._rows(
            "SELECT row_number() OVER (ORDER BY pile, id), lower(hex(digest)) FROM piled ORDER BY id"
        )

    def put_text(self, label: str, data: bytes) -> int:
        """Keep a text with its label; return how many are kept now."""
        row = (os.fsencode(label), data)  # it begins with a file's name, which need not be text
        with _named():
            made = self._tables.execute("INSERT INTO text (label, data) VALUES (?, ?)", row)
        return made.lastrowid or 0

    def text(self, index: int) -> tuple[str, bytes]:
        """A text by its place from 0, with its label."""
        query = "SELECT label, data FROM text WHERE id = ?"
        with _named():
            label, data = self._tables.execute(query, (index + 1,)).fetchone()
        return os.fsdecode(label), data

    def _rows(self, query: str) -> Iterator[Any]:
        with _named():
            yield from self._tables.execute(query)


@contextmanager
def _named() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise EnvironmentFailure(
            f"a temporary file cannot be written ({error}): free some space there, or name another folder by"
            " TMPDIR"
        ) from error
