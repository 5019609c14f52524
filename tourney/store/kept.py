"""The repository's part on what ratings and comparisons keep."""

from typing import Any

from tourney.store import rating_data
from tourney.store.access import Access
from tourney.store.values import Checkpoint, DrawProbability


class Kept(Access):
    """Reads and writes draw probabilities, checkpoints and verdicts."""

    def draw_probability(self, game: str, seats: int) -> DrawProbability | None:
        """Return the draw probability kept for a game and a number of seats, or None."""
        with self._read() as connection:
            return rating_data.draw_probability(connection, game, seats)

    def keep_draw_probability(self, game: str, seats: int, value: DrawProbability) -> None:
        """Keep a draw probability for all tournaments of a game and a number of seats."""
        with self._write() as connection:
            rating_data.keep_draw_probability(connection, game, seats, value)

    def checkpoint(self, tournament: int, settings: str) -> Checkpoint | None:
        """Return the checkpoint kept under these settings, or None; None too if it is damaged."""
        with self._read() as connection:
            return rating_data.checkpoint(connection, tournament, settings)

    def keep_checkpoint(self, tournament: int, settings: str, value: Checkpoint) -> None:
        """Keep a checkpoint; ``settings`` (up to 250 characters) says what was rated by."""
        with self._write() as connection:
            rating_data.keep_checkpoint(connection, tournament, settings, value)

    def verdict(self, tournament: int) -> dict[str, Any] | None:
        """Return what a comparison came to (JSON data), or None before its end."""
        with self._read() as connection:
            return rating_data.verdict(connection, tournament)

    def keep_verdict(self, tournament: int, data: dict[str, Any]) -> None:
        """Keep what a comparison came to."""
        with self._write() as connection:
            rating_data.keep_verdict(connection, tournament, data)
