"""Data derived from matches, outside all digests: analyses, luck, and the data of ratings."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, Final, NamedTuple

import sqlalchemy as sa
from msgspec import Meta, Struct, structs

from tourney.errors import StoreDamaged
from tourney.match.analysis import Analysis
from tourney.store.column_reading import (
    ColumnError,
    Columns,
    ComputedLuck,
    deflate,
    pack,
    unpack,
    unpack_analysis,
)
from tourney.store.engine import Subject
from tourney.store.rows import (
    check_columns,
    chunks,
    dictionaries_of,
    luck_values,
    read_value,
    read_values,
)
from tourney.store.tables import (
    ANALYSIS,
    CHECKPOINT,
    DRAW_PROBABILITY,
    LUCK,
    MATCH,
    SCHEDULE,
    SEAT,
    WITH_LUCK,
)
from tourney.store.values import Number, Words

_MINE = ANALYSIS.join(SCHEDULE, SCHEDULE.c.id == ANALYSIS.c.match_id).join(MATCH, MATCH.c.id == SCHEDULE.c.id)


class Analyses(Subject):
    """Reads and writes analyses of matches: one for each analyser and its limits."""

    def keep(self, tournament: int, number: int, analysis: Analysis) -> None:
        """Store the analysis of a match; it replaces an earlier one of the same analyser.

        Nothing is stored for a match whose result was taken back or replayed meanwhile.
        """
        mine = SCHEDULE.c.tournament_id == tournament, SCHEDULE.c.number == number
        query = sa.select(MATCH.c.id).join(SCHEDULE, SCHEDULE.c.id == MATCH.c.id)
        limits = analysis.analyser.limits
        key = analysis.analyser.key
        with self._access.write() as connection:
            # The digest tells a replayed match from the one that was analysed.
            id_ = connection.execute(query.where(*mine, MATCH.c.digest == analysis.record)).scalar()
            if id_ is None:
                return
            same = (ANALYSIS.c.match_id == id_) & (ANALYSIS.c.analyser == key)
            connection.execute(sa.delete(ANALYSIS).where(same))
            connection.execute(
                sa.insert(ANALYSIS).values(
                    match_id=id_,
                    analyser=key,
                    effort=limits.nodes or limits.move_ms or 0,
                    data=deflate(analysis.encode(), b""),
                )
            )

    def of(self, tournament: int, number: int) -> tuple[Analysis, ...]:
        """The analyses of a match, that with the largest limit first. Raises StoreDamaged."""
        query = sa.select(ANALYSIS).select_from(_MINE)
        query = query.where(SCHEDULE.c.tournament_id == tournament, SCHEDULE.c.number == number)
        query = query.order_by(ANALYSIS.c.effort.desc(), ANALYSIS.c.analyser)
        return read_values(self._access, ANALYSIS, query, analysis_of_row)

    def all(self, tournament: int) -> Iterator[tuple[int, Analysis]]:
        """Yield all analyses of a tournament with the numbers of their matches, in schedule order.

        Raises StoreDamaged.
        """
        for number in self.numbers(tournament):
            yield from ((number, analysis) for analysis in self.of(tournament, number))

    def numbers(self, tournament: int) -> Sequence[int]:
        """The numbers of the matches with an analysis, in schedule order."""
        query = sa.select(SCHEDULE.c.number).distinct().select_from(_MINE)
        query = query.where(SCHEDULE.c.tournament_id == tournament).order_by(SCHEDULE.c.number)
        with self._access.read() as connection:
            return connection.execute(query).scalars().all()

    def packed(self, tournament: int, numbers: Sequence[int]) -> dict[int, bytes]:
        """The packed analysis with the largest limit, by the number of its match; others are left out."""
        query = (
            sa.select(SCHEDULE.c.number, ANALYSIS.c.data)
            .select_from(_MINE)
            .where(SCHEDULE.c.tournament_id == tournament)
            .order_by(ANALYSIS.c.effort, ANALYSIS.c.analyser.desc())
        )
        packed: dict[int, bytes] = {}
        with self._access.read() as connection:
            for some in chunks(numbers):
                rows = connection.execute(query.where(SCHEDULE.c.number.in_(some)))
                packed.update((number, data) for number, data in rows)
        return packed

    def done(self, tournament: int, key: str) -> frozenset[int]:
        """The numbers of the matches that an analyser has valued."""
        query = sa.select(SCHEDULE.c.number).select_from(_MINE)
        query = query.where(SCHEDULE.c.tournament_id == tournament, ANALYSIS.c.analyser == key)
        with self._access.read() as connection:
            return frozenset(connection.execute(query).scalars())


def analysis_of_row(row: Columns) -> Analysis:
    """The analysis of a row. Raises ColumnError."""
    if not isinstance(row["effort"], int) or row["effort"] < 0:
        raise ColumnError("effort", row["effort"], "a limit of an action")
    analysis = unpack_analysis(row["data"])
    if analysis.analyser.key != row["analyser"]:
        raise ColumnError("analyser", row["analyser"], "the key of the analyser that the data name")
    return analysis


class LuckSource(NamedTuple):
    """What the luck of a match follows from: its id and digest, its evidence, and its record, packed.

    The record is None for a match without one, and where its tournament is archived.
    """

    id: int
    digest: str
    evidence: str
    record: bytes | None


class Lucks(Subject):
    """Keeps the luck of matches, which the results of ``Matches`` have from here."""

    def missing(self, tournament: int) -> Sequence[int]:
        """The ids of the matches with a result whose luck was not computed yet, in schedule order."""
        mine = SCHEDULE.c.tournament_id == tournament
        # Two counts over small tables first: with all luck at hand no match is read.
        count = sa.select(sa.func.count()).where(mine)
        lucks = count.select_from(SCHEDULE.join(LUCK, LUCK.c.match_id == SCHEDULE.c.id))
        first_seat = sa.and_(SEAT.c.match_id == SCHEDULE.c.id, SEAT.c.seat == 1)
        matches = count.select_from(SCHEDULE.join(SEAT, first_seat))
        with self._access.read() as connection:
            if connection.execute(lucks).scalar() == connection.execute(matches).scalar():
                return ()
            query = sa.select(MATCH.c.id, MATCH.c.digest).select_from(WITH_LUCK)
            query = query.where(mine, LUCK.c.match_id.is_(None)).order_by(SCHEDULE.c.number)
            computed = self._access.luck
            return [
                id_
                for id_, digest in connection.execute(query)
                if id_ not in computed or computed[id_].digest != digest
            ]

    def sources(self, tournament: int, ids: Sequence[int]) -> tuple[list[LuckSource], bytes]:
        """The sources of the luck of some matches, and the dictionary of their records."""
        query = sa.select(MATCH.c.id, MATCH.c.digest, MATCH.c.evidence, MATCH.c.record)
        with self._access.read() as connection:
            rows = connection.execute(query.where(MATCH.c.id.in_(ids)).order_by(MATCH.c.id))
            sources = [LuckSource(*row) for row in rows]
            return sources, dictionaries_of(connection, tournament).record

    def keep(self, computed: Mapping[int, ComputedLuck]) -> None:
        """Keep luck by the ids of its matches.

        A match whose result was taken back or replayed meanwhile is left out. Raises StoreError.
        """
        if self._access.connection is not None and not self._access.writes:
            self.show(computed)  # this moment is before it is kept
        query = sa.select(MATCH.c.id, MATCH.c.digest).where(MATCH.c.id.in_(list(computed)))
        with self._access.write() as connection:
            if connection.dialect.name == "postgresql":
                # First, so that this transaction sees what another process has just kept: else the server
                # refuses rows that are there, in spite of ON CONFLICT. And a writer who removes
                # a match waits before it looks for its luck.
                connection.execute(sa.text("LOCK TABLE luck IN SHARE ROW EXCLUSIVE MODE"))
            values = [
                luck_values(id_, computed[id_].evidence)
                for id_, digest in connection.execute(query)
                if computed[id_].digest == digest
            ]
            if values:  # another process may compute the same, which must not fail
                connection.execute(_KEEP_LUCK, values)

    def show(self, computed: Mapping[int, ComputedLuck]) -> None:
        """Let the readers of this database have luck that is not kept, or was kept after their moment."""
        self._access.luck.update(computed)


_KEEP_LUCK: Final = sa.text(
    "INSERT INTO luck (match_id, value_version, units) VALUES (:match_id, :value_version, :units)"
    " ON CONFLICT DO NOTHING"
)


class DrawProbability(Struct, frozen=True, forbid_unknown_fields=True):
    """The draw probability that TrueSkill rates a game with, and the matches that it was estimated from."""

    probability: Annotated[float, Meta(ge=0, le=1)]
    tournament: Words
    matches: Number


class Checkpoint(NamedTuple):
    """A rating method's state (JSON data) after the first ``number`` matches of a schedule."""

    number: int
    state: Any


def draw_probability_of(row: Columns) -> DrawProbability:
    """A draw probability that is kept. Raises ColumnError."""
    check_columns(DRAW_PROBABILITY, row)
    return DrawProbability(float(row["probability"]), row["tournament"], row["matches"])


def checkpoint_of(row: Columns) -> Checkpoint:
    """A checkpoint of ratings, whose state is checked as far as its form goes. Raises ColumnError."""
    check_columns(CHECKPOINT, row)
    return Checkpoint(row["number"], unpack("state", row["state"]))


class RatingData(Subject):
    """Reads and writes draw probabilities and checkpoints."""

    def draw_probability(self, game: str, seats: int) -> DrawProbability | None:
        """The draw probability kept for a game and a number of seats, or None."""
        return read_value(self._access, DRAW_PROBABILITY, draw_probability_of, game=game, seats=seats)

    def keep_draw_probability(self, game: str, seats: int, value: DrawProbability) -> None:
        """Keep a draw probability for all tournaments of a game and a number of seats."""
        self._replace(DRAW_PROBABILITY, {"game": game, "seats": seats}, **structs.asdict(value))

    def checkpoint(self, tournament: int, settings: str) -> Checkpoint | None:
        """The checkpoint kept under these settings, or None; None too if it is damaged."""
        # It is only a shortcut: without it the ratings are computed from the first match again.
        with suppress(StoreDamaged):
            key = {"tournament_id": tournament, "settings": settings}
            return read_value(self._access, CHECKPOINT, checkpoint_of, **key)
        return None

    def checkpoints(self, tournament: int) -> tuple[tuple[str, Checkpoint], ...]:
        """The checkpoints of a tournament by their settings; damaged ones are left out."""
        query = sa.select(CHECKPOINT.c.settings).where(CHECKPOINT.c.tournament_id == tournament)
        with self._access.read() as connection:
            named = sorted(str(settings) for settings in connection.execute(query).scalars())
        pairs = ((settings, self.checkpoint(tournament, settings)) for settings in named)
        return tuple((settings, checkpoint) for settings, checkpoint in pairs if checkpoint is not None)

    def keep_checkpoint(self, tournament: int, settings: str, value: Checkpoint) -> None:
        """Keep a checkpoint; ``settings`` (up to 250 characters) names the way of rating."""
        key = {"tournament_id": tournament, "settings": settings}
        self._replace(CHECKPOINT, key, number=value.number, state=pack(value.state))

    def forget(self, tournament: int) -> None:
        """Drop the checkpoints of a tournament: results came in between those that they know."""
        self._remove(CHECKPOINT, tournament_id=tournament)
