"""Tournaments, their entrants and archives, how they present themselves, and what comparisons came to."""

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa
from msgspec import structs

from tourney.errors import StoreError, UsageError
from tourney.match.spec import Entrant
from tourney.store.column_reading import (
    ColumnError,
    Columns,
    read_digest,
    read_flag,
    read_int,
    read_json,
    read_maybe_int,
    read_seed,
    read_text,
)
from tourney.store.damage import naming
from tourney.store.engine import Access
from tourney.store.models import ARCHIVE, ENTRANT, PRESENTATION, TOURNAMENT, VERDICT
from tourney.store.origin import Origin, origin_of
from tourney.store.presentation import NO_PRESENTATION, Presentation, presentation_of, presentation_text
from tourney.store.rows import keep_row, stored_row
from tourney.store.values import (
    Plan,
    RunSettings,
    StoredEntrant,
    StoredRun,
    Tournament,
    plan_from,
    plan_text,
    run_from,
    run_text,
)

QUESTIONS: Final = ("compare", "gate", "ladder")
"""The formats of questions about a bot, which no command takes by default."""


def tournament_of(row: Columns) -> Tournament:
    """A tournament; the columns that repeat its plan must agree with it."""
    plan = plan_from(row["plan"])
    for column in ("name", "game", "format", "seats"):
        if row[column] != getattr(plan, column):
            raise ColumnError(column, row[column], f"{getattr(plan, column)} as the column plan has it")
    return Tournament(
        id=read_int(row, "id"),
        plan=plan,
        seed=read_seed(row, "seed"),
        origin=origin_of(row),
        run=run_from(row["run"]),
        complete=read_flag(row, "complete"),
        created=read_text(row, "created"),
        root=None if row["root"] is None else read_digest(row, "root"),
    )


def entrant_of(row: Columns, number: int) -> StoredEntrant:
    """The entrant of a number."""
    if row["number"] != number:
        raise ColumnError("number", row["number"], f"{number}, the next one")
    args = read_json("args", row["args"])
    if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
        raise ColumnError("args", row["args"], "a JSON list of texts")
    return StoredEntrant(
        number=number,
        entrant=Entrant(
            read_text(row, "name", least=1),
            read_text(row, "bot"),
            read_text(row, "version"),
            tuple(args),
            read_digest(row, "digest"),
        ),
        title=read_text(row, "title"),
        author=read_text(row, "author"),
        joined=read_int(row, "joined", 1),
        line=read_text(row, "line"),
        left=read_maybe_int(row, "left_at"),
        rating=read_maybe_int(row, "rating", None),
        deviation=read_maybe_int(row, "deviation"),
        broken="" if row["broken"] is None else read_text(row, "broken", least=1),
    )


def entrant_values(tournament: int, stored: StoredEntrant) -> dict[str, Any]:
    """An entrant's columns."""
    entrant = stored.entrant
    return {
        "tournament_id": tournament,
        "number": stored.number,
        "name": entrant.name,
        "bot": entrant.bot,
        "version": entrant.version,
        "args": json.dumps(list(entrant.args)),
        "digest": entrant.digest,
        "title": stored.title,
        "author": stored.author,
        "joined": stored.joined,
        "line": stored.line,
        "left_at": stored.left,
        "rating": stored.rating,
        "deviation": stored.deviation,
        "broken": stored.broken or None,
    }


class Archive(NamedTuple):
    """The file that holds the records, logs and measurements of a tournament instead of the database.

    ``file`` is its name without its folder, ``sha256`` that of its bytes, ``created`` (ISO 8601, UTC) when it
    was made. ``hosts``: those that played, with their speeds (0: unknown); None if that is not known.
    """

    file: str
    sha256: str
    created: str
    hosts: Mapping[str, int] | None = None

    def __str__(self) -> str:
        """Its name and how to bring back what it holds, for a sentence."""
        return (
            f"the archive {self.file} (sha256 {self.sha256[:16]}...); `tourney db unarchive"
            f" {shlex.quote(self.file)}` brings it back"
        )


def archive_of(row: Columns) -> Archive:
    """Where the records of a tournament are."""
    hosts = None
    if row["hosts"] is not None:
        hosts = read_json("hosts", row["hosts"])
        if not isinstance(hosts, dict) or any(type(speed) is not int for speed in hosts.values()):
            raise ColumnError("hosts", row["hosts"], "a JSON object of speeds")
    return Archive(
        read_text(row, "file", least=1), read_digest(row, "sha256"), read_text(row, "created"), hosts
    )


def check_verdict(row: Columns) -> dict[str, Any]:
    """What a comparison came to."""
    data = read_json("data", row["data"])
    if not isinstance(data, dict):
        raise ColumnError("data", row["data"], "a JSON object")
    return data


class Tournaments:
    """Reads and writes tournaments: entrants, archives, presentations and verdicts too."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def all(self) -> tuple[Tournament, ...]:
        """All tournaments, in the order in which they were begun."""
        found = []
        with self._access.read() as connection:
            for row in connection.execute(sa.select(TOURNAMENT).order_by(TOURNAMENT.c.id)).mappings():
                with naming(connection, TOURNAMENT, row, str(row["name"])):
                    found.append(tournament_of(row))
        return tuple(found)

    def get(self, name: str | None = None) -> Tournament:
        """A tournament by name, or the one begun last. Raises UsageError if there is none.

        Questions about a bot are the last only if there is nothing else.
        """
        found = self.all()
        if not found:
            raise UsageError("the database holds no tournament yet: begin one with `tourney run FILE.toml`")
        if name is None:
            return ([one for one in found if one.plan.format not in QUESTIONS] or found)[-1]
        for tournament in found:
            if tournament.name == name:
                return tournament
        names = ", ".join(t.name for t in found)
        raise UsageError(f"there is no tournament {name!r} in this database; there are: {names}")

    def find(self, name: str) -> Tournament | None:
        """A tournament by name, or None."""
        return next((found for found in self.all() if found.name == name), None)

    def by_id(self, tournament: int) -> Tournament:
        """A tournament by id. Raises UsageError if there is none."""
        for found in self.all():
            if found.id == tournament:
                return found
        raise UsageError(f"there is no tournament with the id {tournament} in this database")

    def archives(self) -> dict[int, Archive]:
        """Where the records of archived tournaments are, by the tournament's id."""
        found = {}
        with self._access.read() as connection:
            query = sa.select(ARCHIVE).order_by(ARCHIVE.c.tournament_id)
            for row in connection.execute(query).mappings():
                with naming(connection, ARCHIVE, row):
                    found[int(row["tournament_id"])] = archive_of(row)
        return found

    def refuse_archived(self, tournament: int, what: str = "") -> None:
        """Raise UsageError if a tournament is archived; ``what`` of it is asked for, as "match 3 of "."""
        archive = self.archives().get(tournament)
        if archive is not None:
            raise UsageError(f"{what}{self.by_id(tournament).name} is in {archive}")

    def entrants(self, tournament: int) -> tuple[StoredEntrant, ...]:
        """A tournament's entrants by number."""
        query = sa.select(ENTRANT).where(ENTRANT.c.tournament_id == tournament).order_by(ENTRANT.c.number)
        found = []
        with self._access.read() as connection:
            for number, row in enumerate(connection.execute(query).mappings()):
                with naming(connection, ENTRANT, row, f"entrant {row['name']}"):
                    found.append(entrant_of(row, number))
        return tuple(found)

    def begin(
        self,
        plan: Plan,
        *,
        seed: int,
        origin: Origin,
        run: RunSettings,
        entrants: Sequence[StoredEntrant],
        created: str,
    ) -> Tournament:
        """Store a new tournament with its entrants. Raises UsageError if the name is taken.

        A round-robin is played breadth first; ``run`` as stored keeps its order.
        """
        if not isinstance(run, StoredRun):
            run = StoredRun.of(run, breadth_first=plan.format == "round-robin" and plan.rounds is None)
        with self._access.write() as connection:
            if connection.execute(sa.select(TOURNAMENT.c.id).where(TOURNAMENT.c.name == plan.name)).first():
                raise UsageError(f"the database holds a tournament {plan.name!r} already")
            made = connection.execute(
                sa.insert(TOURNAMENT).values(
                    name=plan.name,
                    game=plan.game,
                    format=plan.format,
                    seats=plan.seats,
                    seed=str(seed),
                    seed_chosen=origin.chosen,
                    salt=origin.salt or None,
                    beacon=None if origin.beacon is None else msgspec.json.encode(origin.beacon).decode(),
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
        return Tournament(tournament, plan, seed, origin, run, complete=False, created=created)

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
        stored = self.by_id(tournament)
        plan, order = stored.plan, stored.run.breadth_first
        values: dict[str, Any] = {
            "plan": plan_text(structs.replace(plan, rounds=rounds)),
            "run": run_text(StoredRun.of(run, breadth_first=order)),
            "root": None,
        }
        if entrants or rounds != plan.rounds:
            values["complete"] = False
        with self._access.write() as connection:
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
        with self._access.write() as connection:
            connection.execute(sa.update(TOURNAMENT).where(TOURNAMENT.c.id == tournament).values(**values))
            for stored in entrants:
                new = entrant_values(tournament, stored)
                mine = (ENTRANT.c.tournament_id == tournament) & (ENTRANT.c.number == stored.number)
                changed = {column: new[column] for column in ("joined", "left_at", "broken")}
                connection.execute(sa.update(ENTRANT).where(mine).values(**changed))

    def keep_root(self, tournament: int, root: str) -> None:
        """Keep the root of a tournament whose matches are all played."""
        with self._access.write() as connection:
            connection.execute(sa.update(TOURNAMENT).where(TOURNAMENT.c.id == tournament).values(root=root))

    def verdict(self, tournament: int) -> dict[str, Any] | None:
        """The result of a comparison (JSON data), or None before its end."""
        with self._access.read() as connection:
            row = stored_row(connection, VERDICT, tournament_id=tournament)
            if row is None:
                return None
            with naming(connection, VERDICT, row):
                return check_verdict(row)

    def keep_verdict(self, tournament: int, data: dict[str, Any]) -> None:
        """Keep the result of a comparison."""
        text = json.dumps(data, sort_keys=True, allow_nan=False)
        with self._access.write() as connection:
            keep_row(connection, VERDICT, {"tournament_id": tournament}, data=text)

    def presentation(self, tournament: int) -> Presentation:
        """How a tournament presents itself; without any, an empty value."""
        with self._access.read() as connection:
            row = stored_row(connection, PRESENTATION, tournament_id=tournament)
            if row is None:
                return NO_PRESENTATION
            with naming(connection, PRESENTATION, row):
                return presentation_of(row)

    def keep_presentation(self, tournament: int, presentation: Presentation) -> None:
        """Keep how a tournament presents itself; digests and root do not change."""
        text = presentation_text(presentation)
        with self._access.write() as connection:
            keep_row(connection, PRESENTATION, {"tournament_id": tournament}, data=text)
