"""Tournaments that no format can pair."""

from collections.abc import Iterable

from tourney.errors import TournamentError
from tourney.schedule.format import Format, FormatKey, Setup
from tourney.schedule.row import MAX_ROWS
from tourney.schedule.until_rule import FIRSTS, LIMITS


def refuse_few(setup: Setup, what: str) -> None:
    """Raise TournamentError for a tournament (``what``) with fewer entrants than seats at a table."""
    count = len(setup.participants)
    if count < setup.seats:
        raise TournamentError(
            f"{what} with {setup.seats} seats per table needs at least {setup.seats} entrants, not {count}"
        )


def refuse_late(setup: Setup, rounds: int) -> None:
    """Raise TournamentError if an entrant would join after the last of a number of rounds."""
    for late in setup.participants:
        if late.joined > rounds:
            raise TournamentError(
                f"{late.name or 'an entrant'} would join in round {late.joined},"
                f" but rounds is {rounds}: set rounds higher"
            )


def check_settings(format_: Format, extra: Iterable[tuple[str, int | str]]) -> None:
    """Raise TournamentError for settings that the keys of a format do not allow."""
    keys = {key.name: key for key in format_.keys}
    if format_.takes_until:
        keys |= {name: FormatKey(name, "integer", low, high) for name, (low, high) in LIMITS.items()}
    keys |= {name: FormatKey(name, "integer", 1, MAX_ROWS) for name in FIRSTS}
    for name, value in extra:
        key = keys.get(name)
        if key is None:
            raise TournamentError(f"a {format_.name} has no setting {name!r}")
        is_text = key.kind in {"choice", "names"}
        if isinstance(value, str) != is_text:
            raise TournamentError(f"{name} is {value!r}, but must be {'a text' if is_text else 'an integer'}")
        low, high = (0, 1) if key.kind == "flag" else (key.low, key.high)
        if isinstance(value, int) and not low <= value <= high:
            raise TournamentError(f"{name} is {value}, but must be from {low} to {high}")
        if key.kind == "choice" and value not in key.words:
            raise TournamentError(f"{name} is {value!r}, but must be one of {', '.join(key.words)}")
