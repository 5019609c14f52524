"""What ratings keep from one call to the next: draw probabilities and checkpoints."""

from contextlib import suppress
from typing import Annotated, Any, NamedTuple

import sqlalchemy as sa
from msgspec import Meta, Struct, structs

from tourney.errors import StoreDamaged
from tourney.store.column_reading import Columns, pack, unpack
from tourney.store.engine import Subject
from tourney.store.models import CHECKPOINT, DRAW_PROBABILITY
from tourney.store.rows import check_columns, read_value
from tourney.store.values import Number, Words


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
        found = ((settings, self.checkpoint(tournament, settings)) for settings in named)
        return tuple((settings, kept) for settings, kept in found if kept is not None)

    def keep_checkpoint(self, tournament: int, settings: str, value: Checkpoint) -> None:
        """Keep a checkpoint; ``settings`` (up to 250 characters) names the way of rating."""
        key = {"tournament_id": tournament, "settings": settings}
        self._replace(CHECKPOINT, key, number=value.number, state=pack(value.state))

    def forget(self, tournament: int) -> None:
        """Drop the checkpoints of a tournament: results came in between those that they know."""
        self._remove(CHECKPOINT, tournament_id=tournament)
