"""The folder of a league: its layout, and how it is made and opened.

::

    NAME/
        league.toml  authors.toml     what the organiser writes
        inbox/AUTHOR/BOT              what authors put in
        outbox/AUTHOR/NUMBER-BOT/     the receipts of submissions, private to the author
        site/                         the site
        cron/                         units of systemd and a line for cron that start each night
        league.log                    what happened, a line each
        records/
            ledger.jsonl              authors, submissions, versions, nights, seasons
            league.db                 matches: for each night a tournament for each number of seats
            bots/                     the bot store
            nights/  seasons/         ratings after each night, final tables with their roots
            taken/  backups/  archives/

All paths are relative, so a league is moved by copying its folder. ``records`` and the log are private to
the organiser, ``inbox/AUTHOR`` and ``outbox/AUTHOR`` to the author.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from tourney.addons.league.file import (
    AUTHORS_FILE,
    HANDLE,
    LEAGUE_FILE,
    AuthorTable,
    LeagueTable,
    house_bots,
    read_authors_file,
    read_league_file,
)
from tourney.addons.league.ledger import Ledger, Opened, make_ledger
from tourney.addons.league.privacy import masked
from tourney.bots.catalogue.store import BotStore
from tourney.errors import InputError, StoreError, UsageError
from tourney.files import write_folder
from tourney.games.registry import find_game
from tourney.held_folder import account_name, hold
from tourney.match.spec import Limits
from tourney.parsing import parse_toml, toml_text
from tourney.run.private_paths import private_paths
from tourney.run.timer_units import DailyCommand
from tourney.schema import SchemaError, read
from tourney.store.database import Database
from tourney.store.engine import database_exists

T = TypeVar("T")

OPENS = "22:00"
LEDGER = "records/ledger.jsonl"
BELOW = ("bots", "nights", "seasons", "taken", "backups", "archives")


@dataclass(frozen=True, slots=True)
class LeagueFolder:
    """The folder of a league as authors see it: the league file as read, and the places."""

    folder: Path
    table: LeagueTable

    @classmethod
    def read(cls, folder: Path) -> "LeagueFolder":
        """Read the league file of a folder. Raises UsageError if there is none, and InputError."""
        path = folder.absolute()
        if not (path / LEAGUE_FILE).is_file():
            raise UsageError(
                f"{folder} is not the folder of a league: run the command inside one, name it by --league, or"
                " make one with tourney league init NAME --game GAME"
            )
        return LeagueFolder(path, read_league_file(path / LEAGUE_FILE))

    @property
    def records(self) -> Path:
        """The folder of everything that must not be lost."""
        return self.folder / "records"

    @property
    def database(self) -> str:
        """The database of all matches."""
        return str(self.records / "league.db")

    @property
    def private(self) -> dict[str, Path]:
        """The places that no bot may see, by description."""
        records = private_paths(self.database, self.store.root)
        own_files = {
            "the league file": self.folder / LEAGUE_FILE,
            "the inbox": self.inbox,
            "the outbox": self.outbox,
        }
        return {
            **own_files,
            "the league's log": self.folder / "league.log",
            "the records": self.records,
            **records,
        }

    @property
    def store(self) -> BotStore:
        """The bot store."""
        return BotStore(self.records / "bots")

    @property
    def inbox(self) -> Path:
        """The folder of submissions, or the git repository."""
        return self.folder / self.table.inbox

    @property
    def log(self) -> Path:
        """The log of all calls."""
        return self.folder / "league.log"

    @property
    def outbox(self) -> Path:
        """The folder of receipts."""
        return self.folder / self.table.outbox

    @property
    def site(self) -> Path:
        """The folder of the site."""
        return self.folder / self.table.site

    @property
    def seats(self) -> tuple[int, ...]:
        """The numbers of seats at a table."""
        return self.table.seats or (find_game(self.table.game).seat_counts[0],)


@dataclass(frozen=True, slots=True)
class League(LeagueFolder):
    """A league that is open: its folder, its files as read, and its ledger."""

    authors: Mapping[str, AuthorTable]
    ledger: Ledger

    @classmethod
    def open(cls, folder: Path) -> "League":
        """Open the league of a folder. Raises UsageError if it is not one, InputError and StoreError."""
        read = LeagueFolder.read(folder)
        path = read.folder
        table = read.table
        ledger = Ledger(path / LEDGER)
        if ledger.opened.name != table.name:
            raise InputError(
                f"{path / LEAGUE_FILE}: name is {table.name}, but this league was made as"
                f" {ledger.opened.name}: set it back",
                file=path / LEAGUE_FILE,
                key="name",
            )
        return cls(path, table, read_authors_file(path / AUTHORS_FILE), ledger)

    def account_of(self, author: str) -> str | None:
        """The account that an author's files belong to, if it is known."""
        table = self.authors.get(author)
        entered = self.ledger.authors.get(author)
        if table is not None and table.user is not None:
            return table.user
        return entered.user if entered is not None and author in self.ledger.accepted else None

    @property
    def organisers(self) -> frozenset[str]:
        """The accounts that may submit for any author: root, this process's, and the folder's owner."""
        return frozenset(map(account_name, (0, os.geteuid(), self.folder.stat().st_uid)))

    def payer(self, author: str, user: str | None = None) -> str:
        """The payer of an author: ``@ACCOUNT``, the owner of its files. A new name brings no new quota.

        It is the author's name for submissions from a git repository or the organiser, and for an author
        that is identified by keys alone. ``user`` is the owner of a submission.
        """
        table = self.authors.get(author)
        # A key identifies the author, whichever account delivered the file.
        if table is not None and table.keys and table.user is None:
            return author
        account = user or self.account_of(author)
        return author if account is None or account in self.organisers else f"@{account}"

    @property
    def limits(self) -> Limits:
        """The limits of bots."""
        try:
            limits = self.table.limits.planned(self.tables)
            return msgspec.structs.replace(limits, memory_mb=self.memory_mb or limits.memory_mb)
        except SchemaError as error:
            raise InputError(error.in_toml(str(self.folder / LEAGUE_FILE)), key=error.key) from error

    @property
    def memory_mb(self) -> int | None:
        """The limit of memory, or None for the default of new tournaments.

        Without a limit in its file a league keeps the limit of its latest night, with which bots were
        accepted.
        """
        if self.table.limits.memory_mb is not None or not database_exists(self.database):
            return self.table.limits.memory_mb
        with Database.open(self.database) as database:
            plans = [tournament.plan for tournament in database.tournaments.all()]
        return plans[-1].limits.memory_mb if plans else None

    @property
    def tables(self) -> Mapping[str, object]:
        """The league file as written, without defaults."""
        return parse_toml(toml_text((self.folder / LEAGUE_FILE).read_bytes()))


def moment(now: datetime) -> str:
    """A time in the ledger's form."""
    return now.astimezone(UTC).isoformat(timespec="seconds")


def read_kept(path: Path, kind: type[T], otherwise: str) -> T | None:
    """The value of a JSON file of ``records``, or None if there is no file.

    Raises StoreError for a damaged file; ``otherwise`` follows its path in the sentence.
    """
    try:
        return read(msgspec.json.decode(path.read_bytes()), kind)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError, SchemaError) as error:
        raise StoreError(f"{path} {otherwise} ({error}): restore a backup") from error


def in_window(table: LeagueTable, now: datetime) -> bool:
    """Whether it is night, by the clock of ``now``."""
    clock = f"{now:%H:%M}"
    if table.opens < table.closes:
        return table.opens <= clock < table.closes
    # The night goes over midnight.
    return clock >= table.opens or clock < table.closes


def make_league(folder: Path, game: str, now: datetime) -> Path:
    """Make the folder of a new league; return its league file. Raises UsageError, GameError."""
    name = folder.name
    if HANDLE.fullmatch(name) is None:
        raise UsageError(f"{name!r} cannot name a league: use small letters, digits and '-', at most 24")
    files = {LEAGUE_FILE: _league_text(name, game), AUTHORS_FILE: _AUTHORS}
    files |= {f"cron/{file}": text for file, text in cron_files(folder.absolute(), OPENS).items()}
    # Authors read the league file, and go through the folder to what is theirs; all else is private.
    with masked(0o022):
        write_folder(folder, files, UsageError)
        for place in ("inbox", "outbox", "site"):
            (folder / place).mkdir()
    # It holds the addresses of authors.
    with hold(folder) as held, open(held.open_file(AUTHORS_FILE), "rb") as file:  # noqa: PTH123 - a descriptor
        os.fchmod(file.fileno(), 0o600)
    with masked(0o077):
        for place in ("records", *(f"records/{below}" for below in BELOW)):
            (folder / place).mkdir()
        make_ledger(folder / LEDGER, [Opened("tourney-league/1", name, moment(now))])
    return folder / LEAGUE_FILE


def cron_files(folder: Path, opens: str) -> dict[str, str]:
    """The units of systemd and the crontab line that start each night at ``opens``, by file name.

    They run as the owner of the folder; before there is a folder, as this process's user.
    """
    words = ("league", "night", "--league", str(folder))
    title = f"Night of the league {folder.name}"
    return DailyCommand(f"{folder.name}-night", title, words, folder, opens, private=True).files()


_AUTHORS = """\
# Who may submit, and how they are known; see docs/how-to/league.md. Examples:
#
# [mason]
# user = "mason"                          # the account that owns inbox/mason
# keys = ["ssh-ed25519 AAAA... mason"]    # submissions must be signed by one of these
# address = "mason@example.org"           # for the command of notify
"""


def _league_text(name: str, game: str) -> str:
    seats = find_game(game).seat_counts[0]
    house = [bot for bot in ("random", "greedy") if bot in house_bots(game)]
    anchors = "random = 0\n" if house else ""
    return f"""\
name = "{name}"
game = "{game}"
seats = [{seats}]
nights = "{OPENS}-07:00"            # local time; `tourney league night` plays in between
inbox = "inbox"
site = "site"
house = {json.dumps(house)}      # bots that ship with Tourney, as known rivals

[anchors]                         # ratings are relative to these
{anchors}
[season]
weeks = 6
promote = 2

[quota]                           # for each author
submissions-per-day = 3
seconds-per-night = 1800          # of charged time

[limits]
move-ms = 1000
"""
