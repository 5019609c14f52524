"""The keys of ``league.toml`` and ``authors.toml``, read strictly into frozen values."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar

from msgspec import Meta, Struct, field

from tourney.bots.catalogue.shipped import shipped_bots
from tourney.bots.catalogue.submission import digest_of_folder
from tourney.errors import GameError, InputError
from tourney.games.registry import find_game
from tourney.run.file_schema import (
    MAX_BYTES,
    MAX_OPENING_PLIES,
    CleanArgument,
    FileLimits,
    FilePath,
    load_tables,
    read_text,
)
from tourney.schema import GameName, Name, SandboxLevel, SchemaError, read, show, whole
from tourney.store.presentation import Title
from tourney.store.values import Elo

LEAGUE_FILE: Final = "league.toml"
AUTHORS_FILE: Final = "authors.toml"
HANDLE: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,23}", re.ASCII)
WINDOW: Final = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])-([01][0-9]|2[0-3]):([0-5][0-9])", re.ASCII)

T = TypeVar("T")
Handle = Annotated[
    str, whole(HANDLE, "Small letters, digits and '-', at most 24; the first is a letter or digit.")
]
"""The name of an author or of a bot in a league; without a dot, so that AUTHOR.BOT.VERSION is clear."""
Amount = Annotated[int, Meta(ge=1, le=1_000_000)]


class SeasonTable(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """How long a season lasts, and who moves between divisions at its end."""

    weeks: Annotated[int, Meta(ge=1, le=104, description="Weeks of a season.")] = 6
    promote: Annotated[
        int, Meta(ge=0, le=1000, description="Bots that rise, and as many that fall, at a season's end.")
    ] = 2
    division_size: Annotated[int, Meta(ge=2, le=1000, description="Bots in each division but the last.")] = 10
    divisions: Annotated[int, Meta(ge=1, le=20, description="Number of divisions.")] = 1


class QuotaTable(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """The bounds for each author."""

    submissions_per_day: Annotated[Amount, Meta(description="Submissions taken in on one day (UTC).")] = 3
    bots: Annotated[Amount, Meta(description="Bots of an author that play at the same time.")] = 5
    seconds_per_night: Annotated[
        Amount, Meta(description="Charged time of an author's bots in a night; then they stop playing.")
    ] = 1800
    superseded_nights: Annotated[
        int, Meta(ge=0, le=1000, description="Nights that a version plays on after a newer one arrived.")
    ] = 3


class LeagueTable(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """A league file. Paths are relative to its folder."""

    name: Annotated[Name, Meta(description="Name of the league.", examples=["stones"])]
    game: Annotated[GameName, Meta(description="Game to play; see `tourney games`.")]
    title: Annotated[Title, Meta(description="Title of the site. Default: the name.")] = ""
    seats: Annotated[
        tuple[Annotated[int, Meta(ge=2, le=4)], ...],
        Meta(
            max_length=3, description="Seats per table; several numbers share the night. Default: the least."
        ),
    ] = ()
    nights: Annotated[
        str,
        Meta(
            pattern=rf"\A{WINDOW.pattern}\Z",
            extra={"want": "be two times of day, as 22:00-07:00"},
            description="Beginning and end of each night, in local time.",
        ),
    ] = "22:00-07:00"
    inbox: Annotated[
        str,
        Meta(
            pattern=r"\A[^\x00-]\Z|\A[^\x00-][^\x00]*\Z",
            extra={"want": "name a folder or a git repository"},
            description="Folder in which authors put bots, or a git repository (its path or address).",
        ),
    ] = "inbox"
    git: Annotated[
        Literal["branches", "folders"],
        Meta(description="Whether an author has a branch or a folder, if the inbox is a git repository."),
    ] = "branches"
    outbox: Annotated[FilePath, Meta(description="Folder of the receipts.")] = "outbox"
    site: Annotated[FilePath, Meta(description="Folder of the site.")] = "site"
    authors: Annotated[
        Literal["open", "listed"],
        Meta(description="Whether anyone may submit, or only the authors of `authors.toml`."),
    ] = "open"
    notify: Annotated[
        tuple[CleanArgument, ...],
        Meta(max_length=100, description="Command that is run for each author with news; see the guide."),
    ] = ()
    house: Annotated[
        tuple[Name, ...],
        Meta(description="Shipped bots that play every night, as known rivals for new ones."),
    ] = ("random", "greedy")
    anchors: Annotated[
        dict[Name, Elo], Meta(description="Elo of house bots, to which all ratings are relative.")
    ] = field(default_factory=lambda: {"random": 0.0})
    opening_plies: Annotated[
        Annotated[int, Meta(ge=0, le=MAX_OPENING_PLIES)] | None,
        Meta(description="As in a tournament file. Default: 4 for games without chance."),
    ] = None
    keep_records: Annotated[
        Annotated[int, Meta(ge=1, le=100_000_000)] | None,
        Meta(description="MiB of the database beyond which the oldest seasons are archived. Default: none."),
    ] = None
    sandbox: Annotated[SandboxLevel, Meta(description="As in a tournament file.")] = "auto"
    season: Annotated[SeasonTable, Meta(description="Seasons and divisions.")] = SeasonTable()
    quota: Annotated[QuotaTable, Meta(description="The bounds for each author.")] = QuotaTable()
    options: Annotated[dict[str, str | int], Meta(description="Options of the game.")] = {}
    limits: Annotated[FileLimits, Meta(description="What a bot may use.")] = FileLimits()

    def __post_init__(self) -> None:
        """Check keys against each other. Raises SchemaError."""
        for name in self.anchors:
            if name not in self.house:
                raise SchemaError(("anchors",), f"names {name}, which is not in house")
        for key, values in (("house", self.house), ("seats", self.seats)):
            if len(set(values)) < len(values):
                raise SchemaError((key,), "names a value twice")
        begin, end = self.nights.split("-")
        if begin == end:
            raise SchemaError(("nights",), f"begins and ends at {begin}")

    @property
    def opens(self) -> str:
        """When a night begins, as HH:MM."""
        return self.nights.split("-")[0]

    @property
    def closes(self) -> str:
        """When a night ends, as HH:MM."""
        return self.nights.split("-")[1]


class AuthorTable(Struct, frozen=True, forbid_unknown_fields=True):
    """An author, as the organiser knows one.

    With ``keys`` every submission must be signed by one of them; with ``user`` its files must belong to that
    account. ``address`` is for the command of ``notify``.
    """

    user: (
        Annotated[str, Meta(min_length=1, max_length=64, description="Account that owns the folder.")] | None
    ) = None
    keys: Annotated[
        tuple[Annotated[str, Meta(pattern=r"\A(ssh|sk|ecdsa)-[!-~]+ [A-Za-z0-9+/=]+( [ -~]*)?\Z")], ...],
        Meta(max_length=20, description="Public SSH keys, a line each as in `id_ed25519.pub`."),
    ] = ()
    address: Annotated[Title, Meta(description="Address for `notify`.")] = ""


def read_league_file(path: Path) -> LeagueTable:
    """The table of a league file. Raises InputError, in a sentence that names the file and the key."""
    table = _read_file(path, LeagueTable)
    try:
        game = find_game(table.game)
        for seats in table.seats:
            game.settings(seats, {key: str(value) for key, value in table.options.items()})
    except GameError as error:
        raise InputError(f"{path}: {error}", file=path, key="game") from error
    if game.outside:
        raise InputError(f"{path}: game: a league has no outside referee", file=path, key="game")
    house_names = house_bots(table.game)
    for name in table.house:
        if name not in house_names:
            raise InputError(
                f"{path}: house names {show(name)}, which is not a shipped bot that plays {table.game}; there"
                f" are: {', '.join(house_names) or 'none'}",
                file=path,
                key="house",
            )
    return table


def house_bots(game: str) -> tuple[str, ...]:
    """The shipped bots that play a game."""
    shipped = shipped_bots().items()
    return tuple(name for name, folder in shipped if digest_of_folder(folder)[1].plays(game))


def read_authors_file(path: Path) -> Mapping[str, AuthorTable]:
    """The authors of a file by name; none if there is no file. Raises InputError."""
    return _read_file(path, dict[Handle, AuthorTable]) if path.exists() else {}


def _read_file(path: Path, kind: type[T]) -> T:
    data = load_tables(path, read_text(path, "a file of a league", MAX_BYTES))
    try:
        return read(data, kind, toml=True)
    except SchemaError as error:
        raise InputError(error.in_toml(str(path)), file=path, key=error.key) from error
