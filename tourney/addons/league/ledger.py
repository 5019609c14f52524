"""The ledger of a league, beside its database: authors, submissions, versions, nights and seasons.

The ledger is a file of JSON lines that only grows. Each line is a value below with its ``kind``; a later
line with the same key replaces the earlier one, so the file is also the league's history. A line counts once
it ends in a newline: a line that a crash cut off is dropped.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct, field

from tourney.addons.league.file import Handle
from tourney.errors import StoreError
from tourney.files import sync_folder
from tourney.prepared_types import prepared
from tourney.schema import Count, Digest, Name, Text
from tourney.store.values import Ordinal

Moment = Annotated[str, Meta(pattern=r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00\Z")]
"""A time in UTC, as 2026-11-26T22:00:00+00:00."""
Fate = Literal["waiting", "accepted", "refused"]


class Opened(Struct, frozen=True, tag_field="kind", tag="league", forbid_unknown_fields=True):
    """The first line: the format, and when the league was made."""

    format: Literal["tourney-league/1"]
    name: Name
    since: Moment


class Author(Struct, frozen=True, tag_field="kind", tag="author", forbid_unknown_fields=True):
    """An author by name; ``user`` is the account that owned the folder of the first accepted submission."""

    name: Handle
    since: Moment
    user: Text | None = None


class Submission(Struct, frozen=True, tag_field="kind", tag="submission", forbid_unknown_fields=True):
    """A bot that arrived, by number; ``source`` is its name in the inbox, or a commit and a path.

    ``digest`` and ``version`` are None until it is in the store and accepted; ``reason`` says in a sentence
    why it was refused, or why it waits. ``stamp`` tells a source that could not be removed from one that is
    new. ``user`` is the account that owned it, None from a git repository. ``arrived`` is when it was
    complete, in microseconds since 1970, or None if that is not known. ``night`` judged it last; its builds
    and trials were charged ``charged_ms`` in that night, and its longest trial took ``match_ms`` of that.
    """

    number: Ordinal
    author: Handle
    bot: Handle
    received: Moment
    source: Text
    fate: Fate = "waiting"
    digest: Digest | None = None
    version: Ordinal | None = None
    reason: Annotated[str, Meta(max_length=4000)] = ""
    stamp: Text = ""
    user: Text | None = None
    arrived: Count | None = None
    night: Ordinal | None = None
    charged_ms: Count = 0
    match_ms: Count = 0

    @property
    def sentence(self) -> str:
        """The outcome in a sentence."""
        version = f" as version {self.version}" if self.version else ""
        return f"{self.author}/{self.bot}: {self.fate}{version}" + (f": {self.reason}" if self.reason else "")


class BotVersion(Struct, frozen=True, tag_field="kind", tag="version", forbid_unknown_fields=True):
    """A version of a bot; ``number`` counts from 1 for each AUTHOR/BOT, ``night`` is its first.

    ``superseded`` is the first night with a newer version, ``retired`` the first without this one: it plays
    no more and stays in the ratings. ``withdrawn``: its author or the organiser took it out.
    """

    author: Handle
    bot: Handle
    number: Ordinal
    digest: Digest
    night: Ordinal
    superseded: Ordinal | None = None
    retired: Ordinal | None = None
    withdrawn: bool = False

    @property
    def entrant(self) -> str:
        """Its name in tournaments: the names of author and bot hold no dot."""
        return f"{self.author}.{self.bot}.{self.number}"

    @property
    def label(self) -> str:
        """Its name for people, as ``mason/drifter 4``."""
        return f"{self.author}/{self.bot} {self.number}"


class NightTournament(Struct, frozen=True, forbid_unknown_fields=True):
    """The tournament of a night for a number of seats, with its root once the books are closed."""

    name: Name
    seats: Ordinal
    matches: Count = 0
    root: Digest | None = None


class Night(Struct, frozen=True, tag_field="kind", tag="night", forbid_unknown_fields=True):
    """A night by number. It is open until ``closed``; ``announced``: authors have their news."""

    number: Ordinal
    season: Ordinal
    opened: Moment
    closed: Moment | None = None
    announced: bool = field(default=False, name="told")
    tournaments: tuple[NightTournament, ...] = ()

    @property
    def matches(self) -> int:
        """The matches of all its tournaments."""
        return sum(tournament.matches for tournament in self.tournaments)


class Division(Struct, frozen=True, forbid_unknown_fields=True):
    """A division of a season, 1 being the highest: its bots as AUTHOR/BOT.

    A bot that no division names plays in the lowest one.
    """

    number: Ordinal
    bots: tuple[Text, ...]


class Season(Struct, frozen=True, tag_field="kind", tag="season", forbid_unknown_fields=True):
    """A season by number, with the divisions that it began with; ``root`` once it is closed."""

    number: Ordinal
    opened: Moment
    divisions: tuple[Division, ...] = ()
    closed: Moment | None = None
    root: Digest | None = None

    def division_of(self, bot: str, lowest: int) -> int:
        """The division of AUTHOR/BOT."""
        return next((division.number for division in self.divisions if bot in division.bots), lowest)


Entry = Opened | Author | Submission | BotVersion | Night | Season


class Ledger:
    """The ledger of a league: its values by key, and the file to which ``add`` appends.

    ``accepted`` are the names of the authors with an accepted bot.
    """

    def __init__(self, path: Path) -> None:
        """Read the file. Raises StoreError that names the first line that is not an entry."""
        self.path = path
        self.authors: dict[str, Author] = {}
        self.submissions: dict[int, Submission] = {}
        self.nights: dict[int, Night] = {}
        self.seasons: dict[int, Season] = {}
        self.accepted: set[str] = set()
        self._versions: dict[tuple[str, str, int], BotVersion] = {}
        self._size = 0
        self.opened = self._read()

    def _read(self) -> Opened:
        try:
            data = self.path.read_bytes()
        except PermissionError as error:
            raise StoreError(
                f"{self.path} cannot be read: the records of a league are its organiser's; authors see the"
                " site, and their receipts in the outbox"
            ) from error
        except OSError as error:
            raise StoreError(f"the ledger {self.path} cannot be read: {error.strerror}") from error
        # A crash may have cut the last line off; the next write replaces it.
        self._size = data.rfind(b"\n") + 1
        first: Entry | None = None
        decoder = msgspec.json.Decoder(prepared(Entry))
        for number, line in enumerate(data[: self._size].splitlines(), 1):
            try:
                entry: Entry = decoder.decode(line)
            except msgspec.DecodeError as error:
                raise StoreError(
                    f"{self.path}, line {number} is not an entry of a ledger ({error}): restore a backup"
                ) from error
            first = first or entry
            self._take(entry)
        if not isinstance(first, Opened):
            raise StoreError(f"{self.path} does not begin as the ledger of a league: restore a backup")
        return first

    def _take(self, entry: Entry) -> None:
        match entry:
            case Author():
                self.authors[entry.name] = entry
            case Submission():
                self.submissions[entry.number] = entry
            case BotVersion():
                self._versions[entry.author, entry.bot, entry.number] = entry
                self.accepted.add(entry.author)
            case Night():
                self.nights[entry.number] = entry
            case Season():
                self.seasons[entry.number] = entry
            case Opened():
                pass

    def add(self, *entries: Entry) -> None:
        """Append entries in one write, and sync it. Raises StoreError; the ledger is then unchanged."""
        data = b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries)
        try:
            with self.path.open("r+b") as file:
                file.truncate(self._size)  # the rest of a line that a crash cut off
                file.seek(self._size)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StoreError(f"the ledger {self.path} cannot be written: {error.strerror}") from error
        self._size += len(data)
        for entry in entries:
            self._take(entry)

    @property
    def versions(self) -> tuple[BotVersion, ...]:
        """All versions, by author, bot and number."""
        return tuple(self._versions[key] for key in sorted(self._versions))

    def versions_of(self, author: str, bot: str) -> tuple[BotVersion, ...]:
        """The versions of a bot, the oldest first."""
        return tuple(version for version in self.versions if (version.author, version.bot) == (author, bot))

    def alive(self, night: int) -> tuple[BotVersion, ...]:
        """The versions that play in a night."""
        return tuple(
            version
            for version in self.versions
            if version.night <= night
            and not version.withdrawn
            and (version.retired is None or version.retired > night)
        )

    @property
    def established(self) -> Mapping[str, Author]:
        """The authors with an accepted bot, the earliest first.

        Other authors in the ledger reserve no name: their submissions were all refused.
        """
        authors = (author for author in self.authors.values() if author.name in self.accepted)
        return {author.name: author for author in sorted(authors, key=lambda author: author.since)}

    @property
    def by_digest(self) -> Mapping[str, BotVersion]:
        """The version of each digest: no two versions have the same."""
        return {version.digest: version for version in self.versions}

    @property
    def night(self) -> Night | None:
        """The latest night, or None."""
        return self.nights[max(self.nights)] if self.nights else None

    @property
    def season(self) -> Season | None:
        """The latest season, or None."""
        return self.seasons[max(self.seasons)] if self.seasons else None


def make_ledger(path: Path, entries: Iterable[Entry]) -> None:
    """Write a new ledger. Raises OSError."""
    with path.open("xb") as file:
        file.write(b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries))
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)
