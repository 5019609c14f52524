"""A match with its record, as the Python interface gives it: its actions and the position after each."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from tourney.errors import (
    EnvironmentFailure,
    GameError,
    RecordError,
    StoreDamaged,
    TourneyError,
    UsageError,
)
from tourney.games.base import AnyGame, AnyState
from tourney.games.registry import find_game
from tourney.match.record import Record, read_record
from tourney.match.result import NOT_MEASURED, LogLine, Measurements
from tourney.parsing import read_json_value
from tourney.results.columns import ACTION_COLUMNS, data_frame

if TYPE_CHECKING:
    import pandas as pd

    from tourney.store.database import Database

T = TypeVar("T")

# Nine digits at most, which fit the integers of every database.
_NUMBER: Final = re.compile(r"[0-9]{1,9}", re.ASCII)


@dataclass(frozen=True, slots=True)
class MatchPosition:
    """The position after ``ply`` actions; ``action`` is the last of them, None at the start."""

    ply: int
    action: str | None
    game: AnyGame
    state: AnyState

    @property
    def text(self) -> str:
        """The position as a string, which the game reads back if it has positions."""
        return self.state.position()

    def board(self, *, mark: bool = True, color: bool = False) -> str:
        """A drawing on several lines; ``mark`` marks the last action, ``color`` uses ANSI colors."""
        from tourney.games.view import text_diagram  # noqa: PLC0415 - a tournament draws no board

        return text_diagram(self.game.diagram(self.text, self.action if mark else None), color=color)


@dataclass(frozen=True, slots=True)
class FoundMatch:
    """A match: its name for people, its record, and the log and measurements stored with it.

    ``damaged``: why the log or the measurements are missing, one sentence each. ``sealed``: a match that is
    still to be played shares its seed, so its dice must stay private.
    """

    label: str
    record: Record
    log: tuple[LogLine, ...] = ()
    measured: Measurements = NOT_MEASURED
    damaged: tuple[str, ...] = ()
    sealed: bool = False

    def published(self) -> "FoundMatch":
        """The match itself. Raises UsageError if it is sealed."""
        if self.sealed:
            raise UsageError(
                f"{self.label} shares its seed with a match that is still to be played: its record can be"
                " shown after that"
            )
        return self

    def positions(self, last: int | None = None) -> Iterator[MatchPosition]:
        """The positions from the start to the one after ``last`` actions (default: all), by the rules.

        The dice come from the record. Raises GameError if the rules of the record are not installed, and
        RecordError for an illegal action.
        """
        # here and not at the first position: a generator of its own checks nothing before it is asked
        if last is not None:
            check_argument("last", last, whole_number(last, 0), "a number of actions from 0 on")
        return self._positions(last)

    def _positions(self, last: int | None) -> Iterator[MatchPosition]:
        record = self.record
        game = find_game(record.game)
        if game.rules != record.rules:
            raise GameError(
                f"rules version {record.rules} of {game.name} is not installed, only {game.rules}"
            )
        state = game.new(len(record.seats), record.options)
        yield MatchPosition(0, None, game, state)
        for number, (_, text) in enumerate(record.actions[:last], start=1):
            try:
                state = state.play(game.read_action(state, text))
            except GameError as error:
                raise RecordError(f"action {number} is not legal: {error}") from error
            yield MatchPosition(number, text, game, state)

    def _repr_html_(self) -> str:
        """The match with its last board, for notebooks; the text alone if its rules are not installed."""
        from html import escape  # noqa: PLC0415 - a tournament draws no board

        from tourney.games.diagrams import seat_colors  # noqa: PLC0415 - as above
        from tourney.games.svg_diagram import svg_diagram  # noqa: PLC0415 - as above

        record = self.record
        ranks = record.outcome.ranks
        seats = [f"{escape(seat.name)} (rank {rank})" for seat, rank in zip(record.seats, ranks, strict=True)]
        text = f"<p><b>{escape(self.label)}</b>: {', '.join(seats)}, {escape(record.outcome.reason)}</p>"
        try:
            *_, last = self.published().positions()
        except TourneyError as error:
            return f"{text}\n<p>{escape(str(error))}</p>"
        colors = seat_colors(last.game.seat_names)
        return f"{text}\n{svg_diagram(last.game.diagram(last.text, last.action), colors)}"

    def actions(self) -> "pd.DataFrame":
        """A row for each action, in their order: its actor, its time, and the position after it."""
        record = self.record
        times = self.measured.times_ms
        # The first position is the start, which belongs to no action.
        after = iter(self.positions())
        next(after)
        return data_frame(
            ACTION_COLUMNS,
            (
                {
                    "ply": ply,
                    "seat": seat or None,
                    "entrant": record.seats[seat - 1].name if seat else None,
                    "action": action,
                    "ms": times[ply - 1] if ply <= len(times) else None,
                    "position": next(after).text,
                }
                for ply, (seat, action) in enumerate(record.actions, start=1)
            ),
        )


def read_match(path: str | Path) -> FoundMatch:
    """Read a file with one record. Checks the record's form, not its digest.

    Raises RecordError for a file without a record, and UsageError for one that cannot be read.
    """
    try:
        value = read_json_value(Path(path))
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except OSError as error:
        raise EnvironmentFailure(f"{path} cannot be read: {error.strerror or error}") from error
    try:
        return FoundMatch(str(path), read_record(value))
    except RecordError as error:
        raise RecordError(f"{path} is not a record: {error}") from error


def stored_match(database: "Database", words: str, tournament: str | None = None) -> FoundMatch:
    """Find a match by ``NUMBER`` or ``TOURNAMENT/NUMBER``. Raises UsageError and StoreError."""
    from tourney.check.root import disclosure  # noqa: PLC0415 - slow to import, as in find_match

    match = database.matches.find(words, tournament)
    row = database.tournaments.by_id(match.tournament)
    name = row.name
    sealed = match.number in disclosure(database, row).sealed
    record = database.records.get(match.tournament, match.number)
    damaged: list[str] = []

    def part(read: Callable[[int, int], T]) -> T | None:
        # The record is what counts: a damaged part beside it is reported, and costs only that part.
        try:
            return read(match.tournament, match.number)
        except StoreDamaged as error:
            damaged.append(str(error))
            return None

    log = part(database.records.log) or ()
    measured = part(database.records.measured) or NOT_MEASURED
    return FoundMatch(f"match {match.number} of {name}", record, log, measured, tuple(damaged), sealed)


def check_argument(name: str, value: object, valid: bool, wanted: str) -> None:
    """Raise UsageError for an argument of the Python interface that is not ``valid``.

    Types alone do not stop a notebook: a wrong value must not be taken in silence, nor end in a traceback.
    """
    if not valid:
        raise UsageError(f"{name} is {value!r}: it must be {wanted}")


def whole_number(value: object, least: int, most: int | None = None) -> bool:
    """Whether a value is an int of a range; ``True`` is not."""
    # bool is a subclass of int, and True as a seed is a mistake.
    return type(value) is int and value >= least and (most is None or value <= most)


def is_file(words: str) -> bool:
    """Whether words name a record file; a bare number never does."""
    # A file named "12" in the folder must not change the meaning of `tourney show 12`.
    return _NUMBER.fullmatch(words) is None and Path(words).is_file()


def is_match_name(words: str) -> bool:
    """Whether words may name a match in a database: ``12`` or ``TOURNAMENT/12``."""
    return _NUMBER.fullmatch(words.rpartition("/")[2]) is not None


def check_match_name(words: str) -> None:
    """Raise UsageError for words that do not name a match in a database: ``12`` or ``TOURNAMENT/12``."""
    if not is_match_name(words):
        raise UsageError(f"{words!r} is not a match: give its number (12 or autumn-cup/12) or a record file")


def find_match(words: str, db: str) -> FoundMatch:
    """Find a match by ``NUMBER``, ``TOURNAMENT/NUMBER`` or record file.

    A bare number always means a match in the database; for a file of that name, write ``./12``. Raises
    UsageError if there is no such match, and as ``read_match`` and ``stored_match`` do.
    """
    if is_file(words):
        return read_match(words)
    check_match_name(words)
    from tourney.store.database import Database  # noqa: PLC0415 - slow to import; a file does not need it

    with Database.open(db) as opened, opened.snapshot() as database:
        return stored_match(database, words)
