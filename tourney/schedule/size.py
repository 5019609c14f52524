"""How large a schedule may be."""

from typing import Final

from tourney.errors import TournamentError

MAX_ROWS: Final = 2_000_000
"""A schedule beyond this is a slip of the pen, not a tournament."""


def limit_rows(what: str, rows: int, fewer: str = "fewer entrants, fewer games per pairing") -> None:
    """Raise TournamentError for a tournament (``what``) of more than ``MAX_ROWS`` matches."""
    if rows > MAX_ROWS:
        raise TournamentError(
            f"{what} would have {rows:,} matches, more than {MAX_ROWS:,}: take {fewer}, or another format"
        )
