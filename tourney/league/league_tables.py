"""The table of a league after each night, kept as a file for seasons, receipts and the site."""

from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from tourney.errors import StoreError
from tourney.files import write_file
from tourney.league.league_folder import League
from tourney.league.ledger import BotVersion
from tourney.schema import Count, Digest, SchemaError, read
from tourney.store.values import Ordinal


class TableRow(Struct, frozen=True, forbid_unknown_fields=True):
    """A version in the table: ``elo`` is the mean over the numbers of seats, with a 95 % interval.

    ``by_seats`` has the Elo for each number of seats. ``place`` counts, in the division, the newest rated
    version of each bot that plays; it is None for other versions and for bots of the house.
    """

    author: str
    bot: str
    version: Ordinal
    digest: Digest
    alive: bool
    division: Ordinal
    place: Ordinal | None
    elo: float
    low: float
    high: float
    games: Count
    night_games: Count
    by_seats: dict[str, float]

    @property
    def name(self) -> str:
        """AUTHOR/BOT."""
        return f"{self.author}/{self.bot}"


class NightTable(Struct, frozen=True, forbid_unknown_fields=True):
    """The table after a night: all versions that have games, by division and place, the others by Elo."""

    format: Literal["tourney-league-night/1"]
    league: str
    night: Ordinal
    season: Ordinal
    rows: tuple[TableRow, ...]

    def row_of(self, version: BotVersion) -> TableRow | None:
        """The row of a version, or None before its first game."""
        return next((row for row in self.rows if row.digest == version.digest), None)


def keep_table(league: League, table: NightTable) -> None:
    """Write the table of a night."""
    write_file(_path(league, table.night), msgspec.json.format(msgspec.json.encode(table)) + b"\n")


def night_table(league: League, night: int) -> NightTable | None:
    """The table after a night, or None if there is none. Raises StoreError for a damaged file."""
    path = _path(league, night)
    try:
        return read(msgspec.json.decode(path.read_bytes()), NightTable)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError, SchemaError) as error:
        raise StoreError(f"{path} is not the table of a night ({error}): restore a backup") from error


def latest_table(league: League) -> NightTable | None:
    """The table after the last night that has one."""
    nights = sorted(league.ledger.nights, reverse=True)
    return next((table for night in nights if (table := night_table(league, night))), None)


def _path(league: League, night: int) -> Path:
    return league.records / "nights" / f"{night:04}.json"
