"""The functions of add-ons that write a match as a game for other programs. It imports little."""

from collections.abc import Iterable
from typing import Protocol

from tourney.errors import UsageError
from tourney.match.analysis import Analysis
from tourney.match.record import Record
from tourney.match.result import NOT_MEASURED, LogLine, Measurements
from tourney.plugins import load, offered
from tourney.schedule.row import MatchKey


class GameWriter(Protocol):
    """A function that writes a match as a game for other programs."""

    def __call__(
        self,
        event: str,
        key: MatchKey,
        record: Record,
        log: Iterable[LogLine] = (),
        measured: Measurements = NOT_MEASURED,
        analysis: Analysis | None = None,
    ) -> str:
        """A match of the tournament ``event``, with an empty line after it. Raises GameError.

        With an ``analysis``, marked actions have their marks and the better lines.
        """
        ...


def writes_games(game: str) -> bool:
    """Whether an add-on writes matches of a game for other programs."""
    return game in offered("game_files")


def find_writer(game: str) -> GameWriter:
    """The writer of a game's matches. Raises UsageError for a game without one."""
    targets = offered("game_files")
    if game not in targets:
        raise UsageError(
            f"PGN is written of {' and '.join(sorted(targets)) or 'no game here'}, not of {game}"
        )
    writer: GameWriter = load(targets[game])
    return writer
