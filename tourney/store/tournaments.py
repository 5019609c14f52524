"""Tournaments: entrants, archives, presentations, what comparisons came to, and the hosts that played."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import NamedTuple

import msgspec
import sqlalchemy as sa
from msgspec import structs
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from tourney.errors import StoreError, UsageError
from tourney.match.result import machine_of
from tourney.match.spec import Entrant
from tourney.parsing import JsonObject
from tourney.schedule.format import ranking_format
from tourney.store.beacon import Beacon
from tourney.store.column_reading import (
    ColumnError,
    Columns,
    canonical,
    read_json,
    read_seed,
    unpack_measured,
)
from tourney.store.engine import Subject
from tourney.store.presentation import NO_PRESENTATION, Presentation, presentation_of
from tourney.store.rows import (
    check_columns,
    dictionaries_of,
    each,
    read_value,
    read_values,
)
from tourney.store.tables import (
    ARCHIVE,
    DRAW_PROBABILITY,
    ENTRANT,
    MATCH,
    MEASURED,
    PLAYED,
    PRESENTATION,
    REFUSED_HOST,
    SCHEDULE,
    TOURNAMENT,
    VERDICT,
)
from tourney.store.values import (
    Origin,
    Plan,
    RunSettings,
    StoredEntrant,
    StoredRun,
    Tournament,
    plan_data,
    plan_from,
    run_data,
    run_from,
)


def tournament_of(row: Columns) -> Tournament:
    """A tournament; the columns that repeat its plan must agree with it."""
    plan = plan_from(row["plan"])
    for column in ("name", "game", "format", "seats"):
        if row[column] != getattr(plan, column):
            raise ColumnError(column, row[column], f"{getattr(plan, column)} as the column plan has it")
    check_columns(TOURNAMENT, row)
    salt = row["salt"]
    beacon = row["beacon"]
    if salt is not None and re.fullmatch("[0-9a-f]{32}", salt) is None:
        raise ColumnError("salt", salt, "32 hex digits")
    if beacon is not None:
        beacon = read_json("beacon", beacon, Beacon, "a beacon")
    origin = Origin(bool(row["seed_chosen"]), salt or "", beacon)
    seed = read_seed(row["seed"])
    run = run_from(row["run"])
    return Tournament(row["id"], plan, seed, origin, run, bool(row["complete"]), row["created"], row["root"])


def entrant_of(row: Columns, number: int) -> StoredEntrant:
    """The entrant of a number."""
    if row["number"] != number:
        raise ColumnError("number", row["number"], f"{number}, the next one")
    check_columns(ENTRANT, row)
    args = read_json("args", row["args"], tuple[str, ...], "a JSON list of texts")
    values = {name: row[name] for name in ("title", "author", "joined", "line", "rating", "deviation")}
    entrant = Entrant(row["name"], row["bot"], row["version"], args, row["digest"])
    return StoredEntrant(number, entrant, **values, left=row["left_at"], broken=row["broken"] or "")


def entrant_values(tournament: int, stored: StoredEntrant) -> dict[str, object]:
    """An entrant's columns."""
    shown = ("number", "title", "author", "joined", "line", "rating", "deviation")
    return {
        "tournament_id": tournament,
        **structs.asdict(stored.entrant),
        "args": json.dumps(list(stored.entrant.args)),
        **{name: getattr(stored, name) for name in shown},
        "left_at": stored.left,
        "broken": stored.broken or None,
    }


class Archive(NamedTuple):
    """The file that holds the records, logs and measurements of a tournament instead of the database.

    ``file`` is its name without its folder, ``sha256`` that of its bytes, ``created`` (ISO 8601, UTC) when it
    was made. ``hosts``: the hosts that played, with their speeds (0: unknown); None if they are unknown.
    """

    file: str
    sha256: str
    created: str
    hosts: Mapping[str, int] | None = None

    def __str__(self) -> str:
        """Its name and the way to bring back its records, for a sentence."""
        return (
            f"the archive {self.file} (sha256 {self.sha256[:16]}...); `tourney db unarchive"
            f" {shlex.quote(self.file)}` brings it back"
        )


def archive_of(row: Columns) -> Archive:
    """Where the records of a tournament are."""
    check_columns(ARCHIVE, row)
    hosts = row["hosts"]
    if hosts is not None:
        hosts = read_json("hosts", hosts, dict[str, int], "a JSON object of speeds")
    return Archive(row["file"], row["sha256"], row["created"], hosts)


def verdict_of(row: Columns) -> JsonObject:
    """The verdict of a comparison."""
    return read_json("data", row["data"], JsonObject, "a JSON object")


def change_tournament(connection: Connection, tournament: int, **values: object) -> None:
    """Change columns of a tournament."""
    connection.execute(sa.update(TOURNAMENT).where(TOURNAMENT.c.id == tournament).values(**values))


def _change_entrant(connection: Connection, tournament: int, number: int, **values: object) -> None:
    mine = (ENTRANT.c.tournament_id == tournament) & (ENTRANT.c.number == number)
    connection.execute(sa.update(ENTRANT).where(mine).values(**values))


def _taken(name: str) -> UsageError:
    return UsageError(f"the database holds a tournament {name!r} already")


class Tournaments(Subject):
    """Reads and writes tournaments: entrants, archives, presentations and verdicts too."""

    def all(self) -> tuple[Tournament, ...]:
        """All tournaments, in the order in which they were begun."""
        query = sa.select(TOURNAMENT).order_by(TOURNAMENT.c.id)
        return read_values(self._access, TOURNAMENT, query, tournament_of)

    def get(self, name: str | None = None) -> Tournament:
        """A tournament by name, or the one begun last. Raises UsageError if there is none.

        Questions about a bot are the last only if there is nothing else.
        """
        stored = self.all()
        if not stored:
            raise UsageError("the database holds no tournament yet: begin one with `tourney run FILE.toml`")
        if name is None:
            # The newest first, so that formats of older ones are not imported.
            tournaments = (
                tournament
                for tournament in reversed(stored)
                if not ranking_format(tournament.plan.format).asks_question
            )
            return next(tournaments, stored[-1])
        named = {tournament.name: tournament for tournament in stored}
        if name in named:
            return named[name]
        raise UsageError(f"there is no tournament {name!r} in this database; there are: {', '.join(named)}")

    def find(self, name: str) -> Tournament | None:
        """A tournament by name, or None."""
        return read_value(self._access, TOURNAMENT, tournament_of, name=name)

    def by_id(self, tournament: int) -> Tournament:
        """A tournament by id. Raises UsageError if there is none."""
        stored = read_value(self._access, TOURNAMENT, tournament_of, id=tournament)
        if stored is None:
            raise UsageError(f"there is no tournament with the id {tournament} in this database")
        return stored

    def archives(self) -> dict[int, Archive]:
        """Where the records of archived tournaments are, by the tournament's id."""
        query = sa.select(ARCHIVE).order_by(ARCHIVE.c.tournament_id)
        return dict(
            read_values(self._access, ARCHIVE, query, lambda row: (row["tournament_id"], archive_of(row)))
        )

    def refuse_archived(self, tournament: int, what: str = "") -> None:
        """Raise UsageError if a tournament is archived; ``what`` of it is asked for, as "match 3 of "."""
        archive = self.archives().get(tournament)
        if archive is not None:
            raise UsageError(f"{what}{self.by_id(tournament).name} is in {archive}")

    def entrants(self, tournament: int) -> tuple[StoredEntrant, ...]:
        """A tournament's entrants by number."""
        query = sa.select(ENTRANT).where(ENTRANT.c.tournament_id == tournament).order_by(ENTRANT.c.number)
        numbers = count()
        return read_values(self._access, ENTRANT, query, lambda row: entrant_of(row, next(numbers)))

    def add(
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
            order = ranking_format(plan.format).known_at_start and plan.rounds is None
            run = StoredRun(**structs.asdict(run), breadth_first=order)
        with self._access.write() as connection:
            if connection.execute(sa.select(TOURNAMENT.c.id).where(TOURNAMENT.c.name == plan.name)).first():
                raise _taken(plan.name)
            row = sa.insert(TOURNAMENT).values(
                name=plan.name,
                game=plan.game,
                format=plan.format,
                seats=plan.seats,
                seed=str(seed),
                seed_chosen=origin.chosen,
                salt=origin.salt or None,
                beacon=None if origin.beacon is None else msgspec.json.encode(origin.beacon).decode(),
                plan=canonical(plan_data(plan)),
                run=canonical(run_data(run)),
                complete=False,
                created=created,
            )
            try:
                made = connection.execute(row)
            except IntegrityError as error:
                # On a server a transaction does not see what another one commits after its first look.
                raise _taken(plan.name) from error
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
        plan: Plan,
        run: RunSettings,
        entrants: Sequence[StoredEntrant] = (),
        left: Mapping[int, int] | None = None,
    ) -> None:
        """Change the parts that a later file may change: keys of the plan, run settings, further entrants.

        ``left`` maps the number of a withdrawn entrant to the first round without it.
        """
        self.refuse_archived(tournament)
        stored = self.by_id(tournament)
        settings = StoredRun(**structs.asdict(stored.run) | structs.asdict(run))
        texts = {"plan": canonical(plan_data(plan)), "run": canonical(run_data(settings))}
        values: dict[str, object] = {**texts, "root": None}
        if entrants or plan != stored.plan:
            values["complete"] = False
        with self._access.write() as connection:
            change_tournament(connection, tournament, **values)
            if entrants:
                connection.execute(sa.insert(ENTRANT), [entrant_values(tournament, e) for e in entrants])
            for number, round_ in (left or {}).items():
                _change_entrant(connection, tournament, number, left_at=round_)

    def keep_floor(self, tournament: int, protections: Mapping[str, str], *, weaker: bool = False) -> None:
        """Keep the degrees of protections that a tournament needs; ``weaker``: it began with more."""
        run = structs.replace(self.by_id(tournament).run, floor=dict(protections), weaker=weaker)
        with self._access.write() as connection:
            change_tournament(connection, tournament, run=canonical(run_data(run)))

    def rename(self, tournament: int, name: str) -> None:
        """Change a tournament's name, and so its commitment; its root has to be computed again.

        Raises UsageError for a name that is taken, and for a tournament whose seed comes from a beacon.
        """
        if self.find(name) is not None:
            raise UsageError(f"the database holds a tournament {name!r} already")
        stored = self.by_id(tournament)
        if stored.origin.beacon is not None:
            raise UsageError(f"{stored.name} keeps its name: its seed follows from beacon and commitment")
        old = DRAW_PROBABILITY.c.tournament == stored.name
        with self._access.write() as connection:
            plan = canonical(plan_data(structs.replace(stored.plan, name=name)))
            change_tournament(connection, tournament, name=name, plan=plan, root=None)
            connection.execute(sa.update(DRAW_PROBABILITY).where(old).values(tournament=name))

    def change_entrants(self, tournament: int, entrants: Sequence[StoredEntrant]) -> None:
        """Store when entrants joined and left, and why their bots cannot be started; rounds may follow."""
        self.refuse_archived(tournament)
        with self._access.write() as connection:
            change_tournament(connection, tournament, complete=False, root=None)
            for stored in entrants:
                new = entrant_values(tournament, stored)
                changed = {column: new[column] for column in ("joined", "left_at", "broken")}
                _change_entrant(connection, tournament, stored.number, **changed)

    def keep_beacon(self, tournament: int, beacon: Beacon, seed: int) -> None:
        """Store the value of a beacon, and the seed that follows from it."""
        values = {"beacon": msgspec.json.encode(beacon).decode(), "seed": str(seed)}
        with self._access.write() as connection:
            change_tournament(connection, tournament, **values)

    def keep_root(self, tournament: int, root: str) -> None:
        """Keep the root of a tournament whose matches are all played."""
        with self._access.write() as connection:
            change_tournament(connection, tournament, root=root)

    def verdict(self, tournament: int) -> JsonObject | None:
        """The result of a comparison (JSON data), or None before its end."""
        return read_value(self._access, VERDICT, verdict_of, tournament_id=tournament)

    def keep_verdict(self, tournament: int, data: JsonObject) -> None:
        """Keep the result of a comparison."""
        text = json.dumps(data, sort_keys=True, allow_nan=False)
        self._replace(VERDICT, {"tournament_id": tournament}, data=text)

    def presentation(self, tournament: int) -> Presentation:
        """How a tournament presents itself; without any, an empty value."""
        presentation = read_value(self._access, PRESENTATION, presentation_of, tournament_id=tournament)
        return presentation or NO_PRESENTATION

    def keep_presentation(self, tournament: int, presentation: Presentation) -> None:
        """Keep how a tournament presents itself; digests and root do not change."""
        self._replace(PRESENTATION, {"tournament_id": tournament}, data=canonical(presentation))


class RefusedHost(NamedTuple):
    """A host that gets no match of a tournament, why, and its stored matches, which no longer count.

    ``host`` is the machine as the coordinator knows it: the last part of the host beside a record.
    """

    host: str
    why: str
    matches: tuple[int, ...] = ()


def refused_host_of(row: Columns) -> RefusedHost:
    """A host that gets no match, without its matches."""
    check_columns(REFUSED_HOST, row)
    return RefusedHost(row["host"], row["why"])


class StoredHosts(Subject):
    """Reads which host played what, and keeps the refused ones."""

    def of_matches(self, tournament: int) -> Iterator[tuple[int, str]]:
        """Yield number and host of the matches that have a record; "" where the host is unknown."""
        query = (
            sa.select(SCHEDULE.c.number, MEASURED.c.data)
            .select_from(PLAYED.outerjoin(MEASURED, MEASURED.c.match_id == SCHEDULE.c.id))
            .where(SCHEDULE.c.tournament_id == tournament, MATCH.c.digest != "")
            .order_by(SCHEDULE.c.number)
        )
        with self._access.read() as connection:
            dictionary = dictionaries_of(connection, tournament).data
            for number, blob in each(connection, query):
                host = ""
                if blob is not None:
                    with suppress(ColumnError):
                        host = unpack_measured(blob, dictionary).host
                yield number, host

    def refused(self, tournament: int) -> tuple[RefusedHost, ...]:
        """The hosts that get no match of a tournament, by name, with their matches that are stored."""
        query = sa.select(REFUSED_HOST).where(REFUSED_HOST.c.tournament_id == tournament)
        hosts = read_values(self._access, REFUSED_HOST, query.order_by(REFUSED_HOST.c.host), refused_host_of)
        matches: dict[str, list[int]] = {host_refused.host: [] for host_refused in hosts}
        for number, host in self.of_matches(tournament) if hosts else ():
            if (machine := machine_of(host)) in matches:
                matches[machine].append(number)
        return tuple(
            host_refused._replace(matches=tuple(matches[host_refused.host])) for host_refused in hosts
        )

    def refuse(self, tournament: int, host: str, why: str) -> None:
        """Give a host no more matches of a tournament."""
        self._replace(REFUSED_HOST, {"tournament_id": tournament, "host": host}, why=why)

    def accept(self, tournament: int, host: str) -> None:
        """Let a refused host play again."""
        self._remove(REFUSED_HOST, tournament_id=tournament, host=host)
