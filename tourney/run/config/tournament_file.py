"""The tournament file (TOML), read strictly into a frozen value.

It is long because every key stands here with its description, from which schema and reference are made.
"""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Final, Literal, cast

import msgspec
from msgspec import Meta, Struct

from tourney.bots.catalogue.rungs import ladder_of, ladders
from tourney.bots.protocols import Setting
from tourney.errors import GameError, TournamentError
from tourney.games.base import AnyGame
from tourney.games.external import REFEREE, command_option
from tourney.games.registry import EXTERNAL, find_game
from tourney.match.spec import Limits
from tourney.parsing import parse_toml
from tourney.run.config.opening_book import Book, read_book, read_bytes, read_text
from tourney.schedule.format import Format, Key, find_format, group_size, join_names, working_formats
from tourney.schedule.until import SHARE, Until
from tourney.schema import (
    MAX_ARGUMENT,
    MAX_ARGUMENTS,
    GameName,
    Name,
    SchemaError,
    Seed,
    Word,
    check_range,
    read,
    show,
)
from tourney.seeds import U64
from tourney.store.presentation import (
    MAX_LINKS,
    MAX_LOGO,
    NO_PRESENTATION,
    Address,
    Description,
    Link,
    LinkTitle,
    Presentation,
    Title,
    logo_text,
)
from tourney.store.values import Plan, RunSettings

MAX_BYTES: Final = 1 << 20
MAX_OPENING_PLIES: Final = 200

LADDER: Final = "@ladder"
"""In ``bots``: the rungs of the game's anchor ladder, as entrants with names and arguments of their own."""

FORMAT_HELP: Final = "Format of the tournament; see [formats](../explanation/formats.md)."

BotSource = Annotated[str, Meta(pattern=r"\A[^\x00]+\Z", extra={"want": "name a bot"})]
CleanArgument = Annotated[
    str,
    Meta(
        max_length=MAX_ARGUMENT,
        pattern=r"\A[^\x00-\x1f\x7f-\x9f]*\Z",
        extra={"want": "hold no control character"},
    ),
]
FilePath = Annotated[str, Meta(pattern=r"\A[^\x00]+\Z", extra={"want": "name a file"})]
Games = Annotated[int, Meta(ge=1, le=1_000_000)]


class EntrantLine(Struct, frozen=True, forbid_unknown_fields=True):
    """A bot under a name of its own, with arguments; or a program of this machine, such as a chess engine."""

    bot: (
        Annotated[
            BotSource,
            Meta(
                description="Bot: a name in the bot store, a bot that ships, or a path. Either this or"
                " `command` is required.",
                examples=["mcts"],
            ),
        ]
        | None
    ) = None
    name: Annotated[Name, Meta(description="Name of the entrant. Default: the bot's name.")] | None = None
    args: Annotated[
        tuple[CleanArgument, ...],
        Meta(max_length=MAX_ARGUMENTS, description="Arguments added to the bot's command."),
    ] = ()
    command: Annotated[
        tuple[CleanArgument, ...],
        Meta(
            max_length=MAX_ARGUMENTS,
            description="Program on PATH, or its path, with arguments, instead of `bot`: a bot of its own.",
            examples=[["stockfish"]],
        ),
    ] = ()
    protocol: Annotated[
        Word | None, Meta(description="Protocol of the program of `command`. Default: `uci`.")
    ] = None
    options: Annotated[
        dict[str, Setting],
        Meta(max_length=100, description="Options of the program of `command`, as `{Hash = 64}`."),
    ] = {}
    go: Annotated[
        dict[str, int],
        Meta(
            max_length=10,
            description="Limits of each turn of the program of `command`, as `{nodes = 1000}`.",
        ),
    ] = {}

    def __post_init__(self) -> None:
        """Check that the line names one bot. Raises SchemaError."""
        if (self.bot is None) == (not self.command):
            raise SchemaError(
                ("bot",), 'must be set, or command: bot = "mcts", or command = ["stockfish"]; not both'
            )
        if self.command and not self.command[0]:
            raise SchemaError(("command",), "begins with an empty word; it names a program")
        for key in ("protocol", "options", "go"):
            if getattr(self, key) and not self.command:
                raise SchemaError((key,), "goes with command only; a bot with bot.toml has it there")


Ponder = Literal["allow", "freeze"]


class FileLimits(Limits, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """What a bot may use. Milliseconds and MiB; None where there is no such limit."""

    ponder: (
        Annotated[
            Ponder,
            Meta(
                description="Whether a bot may compute while others are to move; `freeze` stops its"
                " processes. Default: `freeze` where the sandbox can enforce it and the bots of a match share"
                " processors, otherwise `allow`; the first start decides."
            ),
        ]
        | None
    ) = None  # type: ignore[assignment]  # a file may leave it out, a plan may not

    def fixed(self) -> Limits:
        """Return the limits of a plan, with ``allow`` for a ``ponder`` that is left out."""
        values = {name: getattr(self, name) for name in Limits.__struct_fields__}
        return Limits(**{**values, "ponder": self.ponder or "allow"})


class UntilTable(Struct, frozen=True, forbid_unknown_fields=True):
    """What to find out: the tournament ends as soon as any of it is known."""

    width: (
        Annotated[
            int,
            Meta(ge=1, le=1000, description="Each bot's Elo is known to so many Elo on each side."),
        ]
        | None
    ) = None
    best: (
        Annotated[
            float,
            Meta(description="The best bot is known with this confidence, from 0.5 to less than 1, as 0.95."),
        ]
        | None
    ) = None
    top: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=100_000,
                description="The best so many bots are known, in any order, with 95 % confidence.",
            ),
        ]
        | None
    ) = None
    order: Annotated[
        bool, Meta(description="`true`: the order of all bots is known, with 95 % confidence.")
    ] = False
    games: Annotated[Games, Meta(description="So many matches are played.")] | None = None

    def __post_init__(self) -> None:
        """Check the confidence. Raises SchemaError."""
        if self.best is not None and not 0.5 <= self.best <= (SHARE - 1) / SHARE:
            raise SchemaError(
                ("best",), f"is {self.best:g}, but must be from 0.5 to 0.9999: nothing is known for certain"
            )

    @property
    def until(self) -> Until:
        """The table as the formats see it."""
        best = None if self.best is None else round(self.best * SHARE)
        return Until(self.width, best, self.top, self.order, self.games)


class TournamentTable(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """A tournament file. Paths are relative to its folder."""

    name: Annotated[
        Name, Meta(description="Name of the tournament, unique in a database.", examples=["autumn-cup"])
    ]
    game: Annotated[GameName, Meta(description="Game to play; see `tourney games`.", examples=["sages-tafl"])]
    referee: Annotated[
        tuple[CleanArgument, ...],
        Meta(
            max_length=MAX_ARGUMENTS,
            description='Command of an outside referee, for `game = "external"`; see'
            " [outside referees](../how-to/outside-referees.md).",
            examples=[["python3", "play_game.py"]],
        ),
    ] = ()
    format: Annotated[str, Meta(description=FORMAT_HELP)] = "round-robin"
    seed: (
        Annotated[
            Seed,
            Meta(
                description="Source of all chance. Default: sampled at the first start. A bot that knows"
                " the seed can compute the dice."
            ),
        ]
        | None
    ) = None
    bots: Annotated[
        tuple[BotSource, ...],
        Meta(
            description="Bots that enter under their own names: names in the bot store, or paths."
            " `@ladder` enters all rungs of the game's [ladder](../how-to/ladder.md)."
        ),
    ] = ()
    seats: (
        Annotated[int, Meta(ge=2, le=4, description="Seats per table. Default: the game's minimum.")] | None
    ) = None
    games_per_pairing: (
        Annotated[
            Games,
            Meta(
                description="Matches of a pairing: a multiple of the mirrored group, which has 2 matches for"
                " two seats, 6 for three and 4 for four. Default: one group."
            ),
        ]
        | None
    ) = None
    rounds: (
        Annotated[Games, Meta(description="Rounds, for formats that take them. A later file may change it.")]
        | None
    ) = None
    opening_plies: Annotated[
        int,
        Meta(
            ge=0,
            le=MAX_OPENING_PLIES,
            description="Actions at the start of a match that the seed samples, the same for mirrored games.",
        ),
    ] = 0
    opening_book: (
        Annotated[
            FilePath,
            Meta(
                description="Text file with an opening per line: actions separated by blanks, comments after"
                " `#`. For chess also `.epd`, a position per line, or `.pgn`, of whose games the first"
                " `opening-plies` moves count (default: all); otherwise not together with `opening-plies`."
            ),
        ]
        | None
    ) = None
    opening_order: Annotated[
        Literal["random", "sequential"],
        Meta(
            description="How a match finds its opening in the book: sampled by the seed (`random`), or the"
            " next one for each round and repeat, which all tables of a round share (`sequential`)."
        ),
    ] = "random"
    mirrored_dice: Annotated[
        bool,
        Meta(
            description="Whether the games of a mirrored group share dice and opening; `false` gives each"
            " match its own. See [ratings](../explanation/ratings.md#shared-dice)."
        ),
    ] = True
    title: Annotated[
        Title, Meta(description="Title of the report. Default: the name. A later file may change it.")
    ] = ""
    description: Annotated[
        Description,
        Meta(
            description="Text for the report's first page; an empty line ends a paragraph. A later file may"
            " change it."
        ),
    ] = ""
    logo: (
        Annotated[
            FilePath,
            Meta(
                description="Image file for the report: PNG, JPEG, WebP or SVG, at most 256 KiB. The database"
                " keeps a copy. A later file may change it."
            ),
        ]
        | None
    ) = None
    links: Annotated[
        dict[LinkTitle, Address],
        Meta(
            max_length=MAX_LINKS,
            description="Links for the report: titles with addresses (https, http or mailto). A later file"
            " may change them.",
        ),
    ] = {}
    entrant: Annotated[tuple[EntrantLine, ...], Meta(description="Further entrants, a table each.")] = ()
    options: Annotated[dict[str, str | int], Meta(description="Options of the game.")] = {}
    limits: Annotated[FileLimits, Meta(description="What a bot may use.")] = FileLimits()
    until: Annotated[
        UntilTable, Meta(description="What to find out; the tournament ends as soon as it is known.")
    ] = UntilTable()
    run: Annotated[RunSettings, Meta(description="How matches are run. A later file may change these.")] = (
        RunSettings()
    )

    def __post_init__(self) -> None:
        """Check the seed's size, and that a bot is there. Raises SchemaError."""
        if self.seed is not None:
            check_range(("seed",), self.seed, 0, U64 - 1)
        if not self.bots and not self.entrant:
            raise SchemaError(
                ("bots",), 'is missing: name the bots that play, as bots = ["random", "./mybot"]'
            )


@dataclass(frozen=True, slots=True)
class TournamentFile:
    """A tournament file, checked. ``seed`` is None where the first start samples it.

    ``ponder`` is None where the first start chooses it; then the plan has ``allow`` until that. ``rungs`` are
    the names of the entrants that ``@ladder`` brought.
    """

    path: Path
    plan: Plan
    seed: int | None
    entrants: tuple[EntrantLine, ...]
    run: RunSettings
    ponder: Ponder | None = None
    presentation: Presentation = NO_PRESENTATION
    rungs: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """The folder that the file's paths are relative to."""
        return self.path.parent


def read_tournament_file(path: Path) -> TournamentFile:
    """Read a tournament file. Raises TournamentError, in one sentence that names the file and the key."""
    data = _load(path)
    formats, broken = working_formats()
    name = str(data.get("format"))
    if name in broken and name not in [format_.name for format_ in formats]:
        raise TournamentError(f"{path}: {broken[name]}", file=path, key="format")
    try:
        table = read(data, file_schema(formats), toml=True)
        plan = _plan(table, data, path, formats)
        rungs = rung_lines(plan.game, plan.seats) if _enters_ladder(table) else ()
        presentation = _presentation(table, path)
    except SchemaError as error:
        sentence = error.in_toml(str(path))
        if error.inside and not error.path:  # an unknown key, which a broken format may take
            sentence = "; ".join((sentence, *broken.values()))
        raise TournamentError(sentence, file=path, key=error.key) from error
    except GameError as error:
        raise TournamentError(f"{path}: {error}", file=path) from error
    bots = (rungs if bot == LADDER else (EntrantLine(bot),) for bot in table.bots)
    entrants = (*chain.from_iterable(bots), *table.entrant)
    names = tuple(line.name or line.bot or "" for line in rungs)
    return TournamentFile(
        path, plan, table.seed, entrants, table.run, table.limits.ponder, presentation, names
    )


def rung_lines(game: str, seats: int) -> tuple[EntrantLine, ...]:
    """Return the rungs of a game's ladder, weakest first. Raises SchemaError for a game without one."""
    found = ladder_of(game, seats)
    if not found:
        raise SchemaError(("bots",), f"names {LADDER}, but {no_ladder_text(game, seats)}")
    return tuple(EntrantLine(rung.bot, rung.name, rung.args) for rung in found)


def no_ladder_text(game: str, seats: int) -> str:
    """Return why there is no ladder for a game and a number of seats, and what to do instead."""
    known = sorted({f"{name} ({seats} seats)" for name, seats in ladders()})
    return (
        f"{game} with {seats} seats has no ladder; there are ladders of {', '.join(known)}; name the bots"
        " of another game one by one"
    )


def _enters_ladder(table: TournamentTable) -> bool:
    """Return whether the file enters the ladder. Raises SchemaError where it cannot."""
    if table.bots.count(LADDER) > 1:
        raise SchemaError(("bots",), f"names {LADDER} twice")
    for number, line in enumerate(table.entrant):
        if line.bot == LADDER:
            raise SchemaError(
                ("entrant", number, "bot"), f'is {LADDER}, which belongs in bots, as bots = ["{LADDER}"]'
            )
    return LADDER in table.bots


def file_schema(formats: Sequence[Format]) -> type[TournamentTable]:
    """Return the schema of a tournament file, with these formats by name and the keys that they take."""
    own = {key.name: key for format_ in formats for key in format_.keys}
    fields: list[tuple[str, Any, Any]] = [(_attribute(key), _key_type(own[key]) | None, None) for key in own]
    word = Literal[tuple(format_.name for format_ in formats)]  # type: ignore[valid-type]  # known when it runs
    fields.append(("format", Annotated[word, Meta(description=FORMAT_HELP)], "round-robin"))
    return cast(
        "type[TournamentTable]",
        msgspec.defstruct("TournamentFile", fields, bases=(TournamentTable,), kw_only=True),
    )


def _attribute(key: str) -> str:
    return key.replace("-", "_")


def _key_type(key: Key) -> Any:
    """Return the type of a format's own key."""
    about = Meta(description=key.help)
    if key.kind == "integer":
        return Annotated[int, Meta(ge=key.low, le=key.high), about]
    if key.kind == "choice":
        return Annotated[Literal[key.words], about]
    if key.kind == "flag":
        return Annotated[bool, about]
    return Annotated[tuple[Name, ...], Meta(min_length=1), about]


def _load(path: Path) -> dict[str, Any]:
    try:
        return parse_toml(read_text(path, "a tournament file", MAX_BYTES))
    except ValueError as error:
        raise TournamentError(f"{path}: this is no TOML: {error}", file=path) from error


def _presentation(table: TournamentTable, path: Path) -> Presentation:
    """Return the keys for the report. Raises SchemaError and TournamentError for a logo that is none."""
    links = tuple(Link(title, url) for title, url in table.links.items())
    logo = b"" if table.logo is None else read_bytes(path.parent / table.logo, "a logo", MAX_LOGO)
    if table.logo is not None and not logo:
        raise SchemaError(("logo",), f"names {path.parent / table.logo}, which is empty")
    return Presentation(table.title, table.description, links, logo_text(logo))


def _plan(table: TournamentTable, data: dict[str, Any], path: Path, formats: Sequence[Format]) -> Plan:
    """Return the plan of a file. Raises SchemaError for keys that do not go together, and GameError."""
    game = find_game(table.game)
    given = {key: str(value) for key, value in table.options.items()}
    if table.referee or game.outside:
        given |= {REFEREE: _referee(table, game.outside, path.parent)}
    seats, options = game.settings(table.seats, given)
    if seats not in (2, 3, 4):
        raise SchemaError(("seats",), f"is {seats}: tournaments are for 2, 3 or 4 seats per table")
    _check_adjudication(table.limits, game, seats)
    format_ = find_format(table.format)
    if "until" in data and table.until == UntilTable():
        raise SchemaError(("until",), "asks nothing: set width, best, top, order = true, or games")
    book: Book = ()
    check_range(("opening-plies",), table.opening_plies, 0, min(MAX_OPENING_PLIES, game.max_actions - 1))
    if table.opening_plies and game.has_hidden_actions:
        raise SchemaError(("opening-plies",), f"does not go with {game.name}, a game with hidden actions")
    plies = table.opening_plies
    if table.opening_book is not None:
        if plies and not table.opening_book.endswith(".pgn"):
            raise SchemaError(("opening-book",), "does not go with opening-plies: choose one of them")
        book = read_book(path.parent / table.opening_book, game, seats, options, plies)
        plies = 0
    elif table.opening_order != "random":
        raise SchemaError(("opening-order",), "is set without opening-book")
    return Plan(
        name=table.name,
        game=game.name,
        rules=game.rules,
        options=tuple(sorted(options.items())),
        format=format_.name,
        seats=seats,
        games_per_pairing=_games_per_pairing(table, seats),
        rounds=_rounds(table, format_, seats),
        opening_plies=plies,
        book=book,
        limits=_limits(table.limits.fixed(), data.get("limits", {})),
        extra=_extra(table, format_, formats),
        mirrored_dice=table.mirrored_dice,
        opening_order=table.opening_order,
    )


def _check_adjudication(limits: Limits, game: AnyGame, seats: int) -> None:
    """Check that the limits can end matches of this game. Raises SchemaError, GameError and TablesError."""
    for key in ("draw", "resign", "tablebase-pieces"):
        if getattr(limits, key.replace("-", "_")) is None:
            continue
        if game.outside:
            raise SchemaError(("limits", key), "does not go with an outside referee, which ends the matches")
        if seats != 2:
            raise SchemaError(("limits", key), f"goes with two seats only, and this tournament has {seats}")
    if limits.tablebase_pieces is not None:
        game.tables(limits.tablebase_pieces)


def _referee(table: TournamentTable, outside: bool, folder: Path) -> str:
    """Return the referee's command as an option; words that name files of the folder become their paths.

    Raises SchemaError.
    """
    if not outside:
        raise SchemaError(("referee",), f'goes with game = "{EXTERNAL}" only')
    if REFEREE in table.options:
        raise SchemaError(("options", REFEREE), "is set by the key referee: leave it out")
    if not table.referee or not table.referee[0]:
        raise SchemaError(
            ("referee",),
            f'is missing: game = "{EXTERNAL}" needs it, as referee = ["python3", "play_game.py"]',
        )
    words = [str((folder / word).resolve()) if _is_file(folder / word) else word for word in table.referee]
    if shutil.which(words[0]) is None:
        raise SchemaError(("referee",), f"names {show(words[0])}, which is no program that can be executed")
    return command_option(words)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # as a word too long for a name
        return False


def _games_per_pairing(table: TournamentTable, seats: int) -> int:
    group = group_size(seats)
    games = group if table.games_per_pairing is None else table.games_per_pairing
    if games % group:
        raise SchemaError(
            ("games-per-pairing",),
            f"is {games}, but must be a multiple of {group}, the size of a mirrored group of {seats} seats",
        )
    return games


def _rounds(table: TournamentTable, format_: Format, seats: int) -> int | None:
    wanted = format_.rounds_key(seats)
    if table.rounds is not None and wanted == "refused":
        raise SchemaError(("rounds",), f'does not go with format = "{format_.name}" for {seats} seats')
    if table.rounds is None and wanted == "required":
        raise SchemaError(("rounds",), f'is missing: format = "{format_.name}" needs it')
    return table.rounds


def _limits(limits: Limits, given: dict[str, Any]) -> Limits:
    """Return the limits; with a clock and no ``move-ms`` an action alone has no limit."""
    if limits.by_fuel and given.get("ponder") == "allow":
        raise SchemaError(
            ("limits", "ponder"), 'is "allow", but with charge = "fuel" no bot runs in the turn of another'
        )
    limits = limits.metered()
    if limits.clock_ms is None:
        if "increment-ms" in given:
            raise SchemaError(("limits", "increment-ms"), "is set without clock-ms")
        return limits
    return limits if "move-ms" in given else msgspec.structs.replace(limits, move_ms=None)


def _extra(
    table: TournamentTable, format_: Format, formats: Sequence[Format]
) -> tuple[tuple[str, int | str], ...]:
    """Return the format's own keys that the file has, as they are stored. Refuses those of other formats."""
    found: list[tuple[str, int | str]] = []
    for name in {key.name: key for other in formats for key in other.keys}:
        value = getattr(table, _attribute(name))
        if value is None:
            continue
        if name not in [key.name for key in format_.keys]:
            raise SchemaError((name,), f'does not go with format = "{format_.name}"')
        if isinstance(value, tuple):
            if len(set(value)) < len(value):
                raise SchemaError((name,), "names an entrant twice")
            value = join_names(value)
        found.append((name, int(value) if isinstance(value, bool) else value))
    if table.until != UntilTable():
        if not format_.takes_until:
            takers = " and ".join(other.name for other in formats if other.takes_until)
            raise SchemaError(
                ("until",), f'does not go with format = "{format_.name}"; it is for {takers} tournaments'
            )
        found += table.until.until.extra()
    return tuple(sorted(found))
