"""The repository's part on tournaments, their entrants and schedules, and the runs that play them."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from msgspec import structs
from sqlalchemy.engine import Connection

from tourney.errors import StoreDamaged, StoreError, UsageError
from tourney.schedule.row import MatchKey, Row
from tourney.store import damage
from tourney.store.columns import ColumnError, read_seating
from tourney.store.engine import Access, is_sqlite, place_of, transaction
from tourney.store.models import ARCHIVE, ENTRANT, KEY, MATCH, MATCH_TOTAL, SCHEDULE, TOURNAMENT
from tourney.store.rows import (
    FIRST_KEY,
    archive_of,
    each,
    entrant_of,
    entrant_values,
    joined,
    match_key,
    shape_of,
    tournament_of,
)
from tourney.store.run_lock import Running, run_lock, running_now
from tourney.store.stored_totals import read_totals
from tourney.store.values import (
    Archive,
    Plan,
    RowCounts,
    RunSettings,
    StoredEntrant,
    StoredRun,
    Tournament,
    plan_text,
    run_text,
)

_S, _M = SCHEDULE.c, MATCH.c
_ALL = SCHEDULE.outerjoin(MATCH, _M.id == _S.id)


class Tournaments(Access):
    """Reads and writes tournaments and schedules."""

    def tournaments(self) -> tuple[Tournament, ...]:
        """Return all tournaments, in the order in which they were begun."""
        found = []
        with self._read() as connection:
            for row in connection.execute(sa.select(TOURNAMENT).order_by(TOURNAMENT.c.id)).mappings():
                try:
                    found.append(tournament_of(row))
                except ColumnError as error:
                    raise damage.in_row(connection, TOURNAMENT, row["id"], error, str(row["name"])) from error
        return tuple(found)

    def tournament(self, name: str | None = None) -> Tournament:
        """Return a tournament by name, or the one begun last. Raises UsageError if there is none."""
        found = self.tournaments()
        if not found:
            raise UsageError("the database holds no tournament yet: begin one with `tourney run FILE.toml`")
        if name is None:
            return found[-1]
        for tournament in found:
            if tournament.name == name:
                return tournament
        names = ", ".join(t.name for t in found)
        raise UsageError(f"there is no tournament {name!r} in this database; there are: {names}")

    def tournament_by_id(self, tournament: int) -> Tournament:
        """Return a tournament by id. Raises UsageError if there is none."""
        for found in self.tournaments():
            if found.id == tournament:
                return found
        raise UsageError(f"there is no tournament with the id {tournament} in this database")

    def archives(self) -> dict[int, Archive]:
        """Return where the records of archived tournaments are, by the tournament's id."""
        found = {}
        with self._read() as connection:
            query = sa.select(ARCHIVE).order_by(ARCHIVE.c.tournament_id)
            for row in connection.execute(query).mappings():
                try:
                    found[int(row["tournament_id"])] = archive_of(row)
                except ColumnError as error:
                    raise damage.in_row(connection, ARCHIVE, row["tournament_id"], error) from error
        return found

    def refuse_archived(self, tournament: int, what: str = "") -> None:
        """Raise UsageError if a tournament is archived; ``what`` of it is asked for, as "match 3 of "."""
        archive = self.archives().get(tournament)
        if archive is not None:
            raise UsageError(f"{what}{self.tournament_by_id(tournament).name} is in {archive}")

    def entrants(self, tournament: int) -> tuple[StoredEntrant, ...]:
        """Return a tournament's entrants by number."""
        query = sa.select(ENTRANT).where(ENTRANT.c.tournament_id == tournament).order_by(ENTRANT.c.number)
        found = []
        with self._read() as connection:
            for number, row in enumerate(connection.execute(query).mappings()):
                try:
                    found.append(entrant_of(row, number))
                except ColumnError as error:
                    key = f"{tournament},{row['number']}"
                    raise damage.in_row(connection, ENTRANT, key, error, f"entrant {row['name']}") from error
        return tuple(found)

    def begin(
        self,
        plan: Plan,
        *,
        seed: int,
        seed_chosen: bool,
        run: RunSettings,
        entrants: Sequence[StoredEntrant],
        created: str,
    ) -> Tournament:
        """Store a new tournament with its entrants. Raises UsageError if the name is taken.

        A round-robin is played breadth first; ``run`` as stored keeps its order.
        """
        if not isinstance(run, StoredRun):
            run = StoredRun.of(run, breadth_first=plan.format == "round-robin" and plan.rounds is None)
        with self._write() as connection:
            if connection.execute(sa.select(TOURNAMENT.c.id).where(TOURNAMENT.c.name == plan.name)).first():
                raise UsageError(f"the database holds a tournament {plan.name!r} already")
            made = connection.execute(
                sa.insert(TOURNAMENT).values(
                    name=plan.name,
                    game=plan.game,
                    format=plan.format,
                    seats=plan.seats,
                    seed=str(seed),
                    seed_chosen=seed_chosen,
                    plan=plan_text(plan),
                    run=run_text(run),
                    complete=False,
                    created=created,
                )
            )
            if made.inserted_primary_key is None:
                raise StoreError("the database gave a new tournament no id")
            tournament: int = made.inserted_primary_key[0]
            if entrants:
                connection.execute(sa.insert(ENTRANT), [entrant_values(tournament, e) for e in entrants])
        return Tournament(tournament, plan, seed, seed_chosen, run, complete=False, created=created)

    @contextmanager
    def _write_results(self, tournament: int) -> Iterator[Connection]:
        """Give a transaction in which only this writer stores or removes results of a tournament.

        Another one waits until it has ended. A transaction of the caller's is used as it is: there a server
        refuses the second of two that change the same totals.
        """
        if self._connection is not None:
            with self._write() as connection:
                yield connection
            return
        with transaction(self._engine, write=True, latest=True) as connection:
            if not is_sqlite(self._engine.url):
                mine = sa.select(TOURNAMENT.c.id).where(TOURNAMENT.c.id == tournament)
                connection.execute(mine.with_for_update(key_share=True))
            yield connection

    def amend(
        self,
        tournament: int,
        *,
        rounds: int | None,
        run: RunSettings,
        entrants: Sequence[StoredEntrant] = (),
        left: Mapping[int, int] | None = None,
    ) -> None:
        """Change the parts that a later file may change: ``rounds``, run settings, further entrants.

        ``left`` maps the number of a withdrawn entrant to the first round without it.
        """
        self.refuse_archived(tournament)
        stored = self.tournament_by_id(tournament)
        plan, order = stored.plan, stored.run.breadth_first
        values: dict[str, Any] = {
            "plan": plan_text(structs.replace(plan, rounds=rounds)),
            "run": run_text(StoredRun.of(run, breadth_first=order)),
            "root": None,
        }
        if entrants or rounds != plan.rounds:
            values["complete"] = False
        with self._write() as connection:
            connection.execute(sa.update(TOURNAMENT).where(TOURNAMENT.c.id == tournament).values(**values))
            if entrants:
                connection.execute(sa.insert(ENTRANT), [entrant_values(tournament, e) for e in entrants])
            for number, round_ in (left or {}).items():
                mine = (ENTRANT.c.tournament_id == tournament) & (ENTRANT.c.number == number)
                connection.execute(sa.update(ENTRANT).where(mine).values(left_at=round_))

    def change_entrants(self, tournament: int, entrants: Sequence[StoredEntrant]) -> None:
        """Store when entrants joined and left, and why their bots cannot be started; rounds may follow."""
        self.refuse_archived(tournament)
        values = {"complete": False, "root": None}
        with self._write() as connection:
            connection.execute(sa.update(TOURNAMENT).where(TOURNAMENT.c.id == tournament).values(**values))
            for stored in entrants:
                new = entrant_values(tournament, stored)
                mine = (ENTRANT.c.tournament_id == tournament) & (ENTRANT.c.number == stored.number)
                changed = {column: new[column] for column in ("joined", "left_at", "broken")}
                connection.execute(sa.update(ENTRANT).where(mine).values(**changed))

    def add_rows(
        self, tournament: int, rows: Sequence[Row], *, complete: bool
    ) -> tuple[tuple[int, Row], ...]:
        """Store rows of new rounds, and return them with their numbers, which go on from the stored ones.

        ``complete``: no further row will come. Raises StoreError for a key that does not come after all
        stored ones: a stored round never changes; and UsageError for an archived tournament.
        """
        self.refuse_archived(tournament)
        last = (
            sa.select(_S.number, *KEY)
            .where(_S.tournament_id == tournament)
            .order_by(_S.number.desc())
            .limit(1)
        )
        with self._write() as connection:
            found = connection.execute(last).first()
            number, key = (found[0], MatchKey(*found[1:])) if found else (0, FIRST_KEY)
            numbered = []
            values = []
            for row in sorted(rows):
                if row.key <= key:
                    raise StoreError(
                        f"match {tuple(row.key)} of the schedule was drawn already, or comes before one that"
                        " was"
                    )
                number, key = number + 1, row.key
                numbered.append((number, row))
                place = {column.name: part for column, part in zip(KEY, key, strict=True)}
                seating = joined(row.seats)
                values.append({"tournament_id": tournament, "number": number, "seating": seating, **place})
            if values:
                connection.execute(sa.insert(SCHEDULE), values)
            mine = TOURNAMENT.c.id == tournament
            connection.execute(sa.update(TOURNAMENT).where(mine).values(complete=complete, root=None))
        return tuple(numbered)

    def keep_root(self, tournament: int, root: str) -> None:
        """Keep the root of a tournament whose matches are all played."""
        with self._write() as connection:
            connection.execute(sa.update(TOURNAMENT).where(TOURNAMENT.c.id == tournament).values(root=root))

    def rows(self, tournament: int, *, pending: bool = False) -> Iterator[tuple[int, Row]]:
        """Yield each match's number and row, in schedule order: all, or those without a result."""
        query = sa.select(_S.number, *KEY, _S.seating)
        if pending:
            query = query.select_from(_ALL).where(_M.id.is_(None))
        query = query.where(_S.tournament_id == tournament).order_by(_S.number)
        last = FIRST_KEY
        with self._read() as connection:
            shape = shape_of(connection, tournament)
            for number, *key, seating in each(connection, query):
                try:
                    last = match_key(last, number, *key)
                    row = Row(*last, read_seating(seating, *shape))
                except ColumnError as error:
                    raise damage.in_match(connection, SCHEDULE, tournament, number, error) from error
                yield number, row

    def pending(self, tournament: int) -> tuple[tuple[int, Row], ...]:
        """Return the rows without a result, with their numbers, in schedule order."""
        return tuple(self.rows(tournament, pending=True))

    def progress(self, tournament: int) -> RowCounts:
        """Return how far a tournament is; no match is read for it."""
        last = sa.select(_S.number, _S.round_no).where(_S.tournament_id == tournament)
        with self._read() as connection:
            rows, rounds = connection.execute(last.order_by(_S.number.desc()).limit(1)).first() or (0, 0)
            if type(rows) is not int or type(rounds) is not int:
                raise damage.first_bad(connection, SCHEDULE, tournament)
            stored = read_totals(connection, tournament, (MATCH_TOTAL,))[MATCH_TOTAL]
            done, void, _ = stored.get((), (0, 0, 0))
        return RowCounts(rows, done, void, rounds)

    def settled(self, tournament: int) -> int:
        """Return how many matches from the first on all have a result: that prefix never changes."""
        mine = _S.tournament_id == tournament
        open_ = sa.select(sa.func.min(_S.number)).select_from(_ALL).where(mine, _M.id.is_(None))
        count = sa.select(sa.func.coalesce(sa.func.max(_S.number), 0)).where(mine)
        with self._read() as connection:
            first_open, last = connection.execute(open_).scalar(), connection.execute(count).scalar()
            if type(last) is not int or type(first_open) not in (int, type(None)):
                raise damage.first_bad(connection, SCHEDULE, tournament)
        return last if first_open is None else int(first_open) - 1

    @contextmanager
    def run_lock(self, tournament: Tournament, since: float) -> Iterator[None]:
        """Hold the lock of a tournament's run; ``since`` is its start, in seconds since the epoch.

        Raises UsageError if another process holds it. A crash releases it.
        """
        try:
            done = self.progress(tournament.id).done
        except StoreDamaged:
            done = 0  # who holds the lock may be about to put that right
        running = Running(os.getpid(), since, done)
        with run_lock(self._engine, tournament.id, tournament.name, running):
            yield

    def running(self, tournament: int) -> Running | None:
        """Return the run of a tournament that is going on, or None."""
        return running_now(self._engine, tournament)

    @property
    def place(self) -> Path:
        """The path that the database's other files lie beside and are named after."""
        return place_of(self._engine.url)
