"""The repository: the one way to read and write the database.

Reading gives frozen values and plain tuples, always in schedule order, never in completion order. Only a
run's coordinator writes. ``Repository.open`` takes a path or a database URL::

    with Repository.open("tourney.db") as repository:
        tournament = repository.tournament()            # the one begun last
        for result in repository.results(tournament.id):
            ...
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

import sqlalchemy as sa
from sqlalchemy.engine import RowMapping

from tourney.errors import UsageError
from tourney.match.result import pack
from tourney.store import damage, sqlite
from tourney.store.baselines import Baseline, Promotion, baseline_of, promotion_text
from tourney.store.columns import ColumnError, read_int, unpack
from tourney.store.engine import is_sqlite, open_engine, transaction
from tourney.store.matches import Matches
from tourney.store.models import BASELINE, CHECKPOINT, DRAW_PROBABILITY, PRESENTATION, VERDICT
from tourney.store.presentation import NO_PRESENTATION, Presentation, presentation_of, presentation_text
from tourney.store.rows import check_draw_probability, check_verdict
from tourney.store.totals import Totals
from tourney.store.values import Checkpoint, DrawProbability


class Repository(Matches, Totals):
    """Reads and writes one database. Methods raise StoreError where the database fails them."""

    @classmethod
    def open(
        cls, url: str, *, create: bool = False, write: bool = False, busy: float | None = None
    ) -> "Repository":
        """Open a database by path or URL; ``create`` makes one that is missing.

        ``write`` refuses a read-only file or folder now. ``busy`` is how many seconds a writer waits for
        another one. Raises StoreError, in one sentence, for a file that is not ours, damaged, half-written,
        too new or too old.
        """
        return cls(open_engine(url, create=create, write=write or create, busy=busy))

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def snapshot(self) -> Iterator["Repository"]:
        """Give a repository whose reads all see one moment, though a run may be writing."""
        if self._connection is not None:
            yield self
            return
        with transaction(self._engine) as connection:
            yield Repository(self._engine, connection)

    @contextmanager
    def transaction(self) -> Iterator["Repository"]:
        """Give a repository whose reads and writes are one transaction: all is stored, or nothing."""
        with self._write() as connection:
            yield Repository(self._engine, connection, writes=True)

    def give_space_back(self) -> bool:
        """Let an SQLite file shrink by what was removed from it; return whether it did.

        It does not while a run goes on or another program uses the file, nor on a server; then the space is
        used again for what is stored next.
        """
        url = self._engine.url
        if not is_sqlite(url) or any(self.running(one.id) for one in self.tournaments()):
            return False
        return sqlite.shrink(sqlite.path_of(url))

    def draw_probability(self, game: str, seats: int) -> DrawProbability | None:
        """Return the draw probability kept for a game and a number of seats, or None."""
        key = {"game": game, "seats": seats}
        row = self._kept(DRAW_PROBABILITY, key)
        if row is None:
            return None
        with self._naming(DRAW_PROBABILITY, f"{game},{seats}"):
            check_draw_probability(row)
        return DrawProbability(float(row["probability"]), row["tournament"], row["matches"])

    def keep_draw_probability(self, game: str, seats: int, value: DrawProbability) -> None:
        """Keep a draw probability for all tournaments of a game and a number of seats."""
        self._keep(DRAW_PROBABILITY, {"game": game, "seats": seats}, value._asdict())

    def checkpoint(self, tournament: int, settings: str) -> Checkpoint | None:
        """Return the checkpoint kept under these settings, or None; None too if it is damaged."""
        row = self._kept(CHECKPOINT, {"tournament_id": tournament, "settings": settings})
        if row is None:
            return None
        try:
            return Checkpoint(read_int(row, "number"), unpack("state", row["state"]))
        except ColumnError:
            return None

    def checkpoints(self, tournament: int) -> tuple[tuple[str, Checkpoint], ...]:
        """Return the checkpoints of a tournament by their settings; damaged ones are left out."""
        query = sa.select(CHECKPOINT.c.settings).where(CHECKPOINT.c.tournament_id == tournament)
        with self._read() as connection:
            named = sorted(str(settings) for settings in connection.execute(query).scalars())
        found = ((settings, self.checkpoint(tournament, settings)) for settings in named)
        return tuple((settings, kept) for settings, kept in found if kept is not None)

    def keep_checkpoint(self, tournament: int, settings: str, value: Checkpoint) -> None:
        """Keep a checkpoint; ``settings`` (up to 250 characters) names the way of rating."""
        key = {"tournament_id": tournament, "settings": settings}
        self._keep(CHECKPOINT, key, {"number": value.number, "state": pack(value.state)})

    def forget_ratings(self, tournament: int) -> None:
        """Drop the checkpoints of a tournament: results came in between those that they know."""
        with self._write() as connection:
            connection.execute(sa.delete(CHECKPOINT).where(CHECKPOINT.c.tournament_id == tournament))

    def verdict(self, tournament: int) -> dict[str, Any] | None:
        """Return the result of a comparison (JSON data), or None before its end."""
        row = self._kept(VERDICT, {"tournament_id": tournament})
        if row is None:
            return None
        with self._naming(VERDICT, tournament):
            return check_verdict(row)

    def keep_verdict(self, tournament: int, data: dict[str, Any]) -> None:
        """Keep the result of a comparison."""
        text = json.dumps(data, sort_keys=True, allow_nan=False)
        self._keep(VERDICT, {"tournament_id": tournament}, {"data": text})

    def presentation(self, tournament: int) -> Presentation:
        """Return how a tournament presents itself; without any, an empty value."""
        row = self._kept(PRESENTATION, {"tournament_id": tournament})
        if row is None:
            return NO_PRESENTATION
        with self._naming(PRESENTATION, tournament):
            return presentation_of(row)

    def keep_presentation(self, tournament: int, presentation: Presentation) -> None:
        """Keep how a tournament presents itself; digests and root do not change."""
        self._keep(PRESENTATION, {"tournament_id": tournament}, {"data": presentation_text(presentation)})

    def baselines(self, game: str | None = None, *, history: bool = False) -> tuple[Baseline, ...]:
        """Return the baselines of a game (None: of all) by game and name.

        With ``history`` also those that later promotions replaced, the oldest first.
        """
        columns = (BASELINE.c.game, BASELINE.c.name, BASELINE.c.number)
        query = sa.select(BASELINE).order_by(*columns)
        if game is not None:
            query = query.where(BASELINE.c.game == game)
        found = []
        with self._read() as connection:
            for row in connection.execute(query).mappings():
                try:
                    found.append(baseline_of(row))
                except ColumnError as error:
                    key = ",".join(str(row[column.name]) for column in columns)
                    raise damage.in_row(connection, BASELINE, key, error) from error
        if history:
            return tuple(found)
        return tuple({(one.game, one.name): one for one in found}.values())

    def promote(self, game: str, name: str, digest: str, promotion: Promotion) -> Baseline:
        """Store a promotion; it replaces the baseline of that name."""
        mine = (BASELINE.c.game == game) & (BASELINE.c.name == name)
        data = promotion_text(promotion)
        with self._write() as connection:
            last = connection.execute(sa.select(sa.func.max(BASELINE.c.number)).where(mine)).scalar()
            number = (last or 0) + 1
            row = {"game": game, "name": name, "number": number, "digest": digest, "data": data}
            connection.execute(sa.insert(BASELINE).values(**row))
        return Baseline(game, name, number, digest, promotion)

    def demote(self, game: str, name: str) -> tuple[Baseline, Baseline | None]:
        """Take back the last promotion of a name; return it, and the baseline that it had replaced.

        Raises UsageError if there is none.
        """
        before = [one for one in self.baselines(game, history=True) if one.name == name]
        if not before:
            raise UsageError(f"{name} is no baseline of {game}; see `tourney bots baselines`")
        last = before.pop()
        mine = (BASELINE.c.game == game) & (BASELINE.c.name == name) & (BASELINE.c.number == last.number)
        with self._write() as connection:
            connection.execute(sa.delete(BASELINE).where(mine))
        return last, before[-1] if before else None

    def _kept(self, table: sa.Table, key: dict[str, Any]) -> RowMapping | None:
        with self._read() as connection:
            return connection.execute(sa.select(table).filter_by(**key)).mappings().first()

    @contextmanager
    def _naming(self, table: sa.Table, key: object) -> Iterator[None]:
        """Let errors of a column name its row."""
        try:
            yield
        except ColumnError as error:
            with self._read() as connection:
                raise damage.in_row(connection, table, key, error) from error

    def _keep(self, table: sa.Table, key: dict[str, Any], values: dict[str, Any]) -> None:
        """Replace the row of a key."""
        with self._write() as connection:
            connection.execute(sa.delete(table).filter_by(**key))
            connection.execute(sa.insert(table).values(**key, **values))
