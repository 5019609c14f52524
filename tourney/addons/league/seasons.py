"""Seasons: their divisions, final tables, and the chain of roots by which old seasons cannot be rewritten.

A closed season is the file ``records/seasons/NUMBER.json``. Its root is the Merkle tree hash
(``tourney.check.merkle``) of its entries, each in its RFC 8785 form: the season with the root of the one
before it, the tournaments of its nights with their roots, and the final table. So a season's root fixes all
seasons before it, and all of their matches.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Annotated, Literal

import msgspec
import rfc8785
from msgspec import Meta, Struct, structs

from tourney.addons.league.file import SeasonTable
from tourney.addons.league.folder import League, moment, read_kept
from tourney.addons.league.ledger import Division, Season
from tourney.addons.league.tables import NightTable, latest_table
from tourney.check.merkle import leaf_hash, tree_hash
from tourney.check.root import compute_root
from tourney.errors import StoreError, UsageError
from tourney.files import write_file
from tourney.schema import Digest
from tourney.store.database import Database

SeasonEntry = dict[str, str | int | None] | list[str | int]


class SeasonFile(Struct, frozen=True, forbid_unknown_fields=True):
    """A closed season: its entries, and the root over them."""

    format: Literal["tourney-season/1"]
    root: Digest
    entries: Annotated[tuple[SeasonEntry, ...], Meta(min_length=1)]

    @property
    def previous(self) -> str | None:
        """The root of the season before it, or None for the first."""
        head = self.entries[0]
        root = head.get("previous") if isinstance(head, dict) else None
        return None if root is None else str(root)

    def nights(self) -> Iterator[tuple[str, str]]:
        """Yield each tournament with its root."""
        for entry in self.entries:
            if isinstance(entry, list) and len(entry) == 5 and entry[0] == "night":
                yield str(entry[2]), str(entry[4])


def season_root(entries: Sequence[SeasonEntry]) -> str:
    """The root of a season's entries."""
    return tree_hash(leaf_hash(rfc8785.dumps(entry)) for entry in entries).hex()


def season_now(league: League, now: datetime) -> Season:
    """The open season; opens the first one if there is none yet."""
    season = league.ledger.season
    if season is None:
        season = Season(1, moment(now))
        league.ledger.add(season)
    return season


def season_end(league: League) -> datetime | None:
    """The planned end of the open season; None before the first season."""
    season = league.ledger.season
    if season is None:
        return None
    return datetime.fromisoformat(season.opened) + timedelta(weeks=league.table.season.weeks)


def close_season(league: League, now: datetime) -> SeasonFile:
    """Close the open season and open the next. Raises UsageError without a night, or with an open night."""
    ledger = league.ledger
    season = league.ledger.season
    nights = [
        night for night in ledger.nights.values() if season is not None and night.season == season.number
    ]
    table = latest_table(league)
    if season is None or table is None or not nights:
        raise UsageError("no night of this season has been played, so it cannot be closed")
    if any(night.closed is None for night in nights):
        raise UsageError(f"night {nights[-1].number} is open: run tourney league night to close it first")
    before = ledger.seasons.get(season.number - 1)
    # The root before is a part of the new entries, so a new root proves all seasons before it.
    head: SeasonEntry = {
        "league": league.table.name,
        "number": season.number,
        "opened": season.opened,
        "closed": moment(now),
        "previous": None if before is None else before.root,
    }
    played: list[SeasonEntry] = [
        ["night", night.number, tournament.name, tournament.seats, tournament.root or ""]
        for night in nights
        for tournament in night.tournaments
    ]
    entries = (head, *played, *_places(table))
    file = SeasonFile("tourney-season/1", season_root(entries), entries)
    write_file(
        league.records / "seasons" / f"{season.number}.json",
        msgspec.json.encode(file) + b"\n",  # one line, which the checkers in seeds/ read
    )
    ledger.add(
        structs.replace(season, closed=moment(now), root=file.root),
        Season(season.number + 1, moment(now), next_divisions(_order(table), league.table.season)),
    )
    return file


def _places(table: NightTable) -> Iterator[SeasonEntry]:
    """Yield the final table; Elo in whole tenths, as records hold no fractions."""
    for row in table.rows:
        if row.place is not None:
            elo = round(10 * row.elo)
            yield ["place", row.division, row.place, row.name, row.version, row.digest, elo, row.games]


def _order(table: NightTable) -> Mapping[int, Sequence[str]]:
    by_division: dict[int, list[str]] = {}
    for row in sorted(table.rows, key=lambda row: (row.division, row.place or 0)):
        if row.place is not None:
            by_division.setdefault(row.division, []).append(row.name)
    return by_division


def next_divisions(order: Mapping[int, Sequence[str]], rules: SeasonTable) -> tuple[Division, ...]:
    """The divisions after a season that ended in this order.

    The best ``promote`` of each division rise; as many fall as the division above has no room for. A
    division that is not full is filled from below.
    """
    lists = [list(order.get(number, ())) for number in range(1, rules.divisions + 1)]
    for upper, lower in pairwise(lists):
        # Free places above are filled first; beyond them, each bot that rises sends one down.
        room = max(0, rules.division_size - len(upper))
        rising = lower[: max(room, rules.promote)]
        falling = upper[len(upper) + room - len(rising) :] if len(rising) > room else []
        upper[len(upper) - len(falling) :] = rising
        lower[: len(rising)] = falling
    return tuple(Division(number, tuple(bots)) for number, bots in enumerate(lists, 1))


def season_files(league: League) -> Iterator[tuple[int, SeasonFile]]:
    """Yield the files of closed seasons by number. Raises StoreError for a damaged or missing one."""
    for number, season in sorted(league.ledger.seasons.items()):
        if season.closed is not None:
            path = league.records / "seasons" / f"{number}.json"
            file = read_kept(path, SeasonFile, "is not the file of a season")
            if file is None:
                raise StoreError(f"{path} is not the file of a season (it is missing): restore a backup")
            yield number, file


def chain_problems(league: League) -> Iterator[str]:
    """Yield a sentence for each season whose root, predecessor or nights differ from the league's."""
    previous: str | None = None
    with Database.open(league.database) as database:
        tournaments = {tournament.name: tournament for tournament in database.tournaments.all()}
        for number, file in season_files(league):
            root_now = season_root(file.entries)
            noted_root = league.ledger.seasons[number].root
            if not root_now == file.root == noted_root:
                yield f"season {number} ended with the root {noted_root}, and has {root_now} now"
            if file.previous != previous:
                yield f"season {number} follows the root {file.previous}, but the one before has {previous}"
            previous = root_now
            for name, root in file.nights():
                now = compute_root(database, tournaments[name]) if name in tournaments else None
                if (now or "") != root:
                    yield f"{name} of season {number} ended with the root {root}, and has {now} now"
