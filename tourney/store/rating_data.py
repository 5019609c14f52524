"""What ratings keep from one call to the next: draw probabilities and checkpoints."""

from typing import Any, NamedTuple

import sqlalchemy as sa

from tourney.store.column_reading import ColumnError, Columns, pack, read_int, read_text, unpack
from tourney.store.damage import naming
from tourney.store.engine import Access
from tourney.store.models import CHECKPOINT, DRAW_PROBABILITY
from tourney.store.rows import keep_row, stored_row


class DrawProbability(NamedTuple):
    """A stored draw probability, and the tournament and number of matches that it was estimated from."""

    probability: float
    tournament: str
    matches: int


class Checkpoint(NamedTuple):
    """A rating method's state (JSON data) after the first ``number`` matches of a schedule."""

    number: int
    state: Any


def check_draw_probability(row: Columns) -> None:
    """Check a draw probability that is kept."""
    value = row["probability"]
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise ColumnError("probability", value, "a number from 0 to 1")
    read_int(row, "seats", 1)
    read_int(row, "matches")
    for column in ("game", "tournament"):
        read_text(row, column)


def check_checkpoint(row: Columns) -> None:
    """Check a checkpoint of ratings, as far as its form goes."""
    read_text(row, "settings")
    read_int(row, "number")
    unpack("state", row["state"])


class RatingData:
    """Reads and writes draw probabilities and checkpoints."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def draw_probability(self, game: str, seats: int) -> DrawProbability | None:
        """The draw probability kept for a game and a number of seats, or None."""
        with self._access.read() as connection:
            row = stored_row(connection, DRAW_PROBABILITY, game=game, seats=seats)
            if row is None:
                return None
            with naming(connection, DRAW_PROBABILITY, row):
                check_draw_probability(row)
        return DrawProbability(float(row["probability"]), row["tournament"], row["matches"])

    def keep_draw_probability(self, game: str, seats: int, value: DrawProbability) -> None:
        """Keep a draw probability for all tournaments of a game and a number of seats."""
        with self._access.write() as connection:
            keep_row(connection, DRAW_PROBABILITY, {"game": game, "seats": seats}, **value._asdict())

    def checkpoint(self, tournament: int, settings: str) -> Checkpoint | None:
        """The checkpoint kept under these settings, or None; None too if it is damaged."""
        with self._access.read() as connection:
            row = stored_row(connection, CHECKPOINT, tournament_id=tournament, settings=settings)
        try:
            return None if row is None else Checkpoint(read_int(row, "number"), unpack("state", row["state"]))
        except ColumnError:
            return None  # it is only a shortcut: the ratings are computed from the first match again

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
        with self._access.write() as connection:
            keep_row(connection, CHECKPOINT, key, number=value.number, state=pack(value.state))

    def forget(self, tournament: int) -> None:
        """Drop the checkpoints of a tournament: results came in between those that they know."""
        with self._access.write() as connection:
            connection.execute(sa.delete(CHECKPOINT).where(CHECKPOINT.c.tournament_id == tournament))
