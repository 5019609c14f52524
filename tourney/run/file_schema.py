"""The keys of a tournament file, with their descriptions and bounds.

Reading, the reference page and the JSON Schema are made from these classes.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, cast

import msgspec
from msgspec import Meta, Struct

from tourney.bots.protocols import PROTOCOLS, Setting
from tourney.errors import TournamentError, UsageError
from tourney.games.base import AnyGame
from tourney.match.spec import (
    DEFAULT_LIMITS,
    MEMORY_HELP,
    MEMORY_MB,
    CommonLimits,
    IncrementMs,
    Limits,
    Mebibytes,
    MoveMs,
    OwnLimits,
)
from tourney.parsing import parse_toml, toml_text
from tourney.schedule.format import Format, FormatKey
from tourney.schedule.until_rule import SHARE, Until
from tourney.schema import MAX_ARGUMENT, MAX_ARGUMENTS, GameName, Name, SchemaError, Seed, Word, seed_of, show
from tourney.store.beacon import Beacon
from tourney.store.presentation import MAX_LINKS, Address, Description, LinkTitle, Title
from tourney.store.values import RunSettings

MAX_OPENING_PLIES: Final = 200

OPENING_PLIES: Final = 4
"""Random opening actions of each group in a game without dice; without them all groups would be equal."""

MAX_BYTES: Final = 1 << 20

DEFAULT_FORMAT: Final = "round-robin"
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


def named_program(reference: str) -> tuple[str, tuple[str, ...]] | None:
    """The protocol and the words of the command of ``uci:stockfish``; None for any other reference."""
    protocol, colon, words = reference.partition(":")
    return (protocol, tuple(words.split())) if colon and protocol in PROTOCOLS.names() else None


class EntrantLine(Struct, frozen=True, forbid_unknown_fields=True):
    """A bot under a name of its own, with arguments; or a program of this machine, such as a chess engine."""

    bot: Annotated[
        BotSource | None,
        Meta(
            description="Bot: a name in the bot store, a bot that ships, or a path; or a program with its"
            " protocol, as `uci:stockfish`. Either this or `command` is required.",
            examples=["mcts"],
        ),
    ] = None
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
    limits: Annotated[
        OwnLimits | None,
        Meta(
            description="Limits of this entrant in place of those of `[limits]`, as"
            " `{clock-ms = 60000, clock-moves = 40}` or `{depth = 5}`; needs `name`."
        ),
    ] = None

    def __post_init__(self) -> None:
        """Check that the line names one bot. Raises SchemaError."""
        if (self.bot is None) == (not self.command):
            raise SchemaError(
                ("bot",), 'must be set, or command: bot = "mcts", or command = ["stockfish"]; not both'
            )
        if self.command and not self.command[0]:
            raise SchemaError(("command",), "begins with an empty word; it names a program")
        program = named_program(self.bot) if self.bot else None
        if program and not program[1]:
            raise SchemaError(("bot",), f"is {show(self.bot)}, which names no program: write uci:stockfish")
        if program and self.protocol:
            raise SchemaError(("protocol",), f"is set, and bot names {program[0]}: leave it out")
        for key in ("protocol", "options", "go"):
            if getattr(self, key) and not self.command and not program:
                raise SchemaError((key,), "goes with command only; a bot with bot.toml has it there")
        if self.limits is not None and self.name is None:
            raise SchemaError(("name",), "is missing: limits of one entrant need its name")

    def as_program(self) -> "EntrantLine":
        """The line of the program that ``bot`` means, as ``uci:stockfish``; any other line as it is."""
        program = named_program(self.bot) if self.bot else None
        if program is None:
            return self
        return msgspec.structs.replace(self, bot=None, command=program[1], protocol=program[0])


Ponder = Literal["allow", "freeze"]


class FileLimits(CommonLimits, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """What a bot may use. Milliseconds and MiB; None where there is no such limit."""

    move_ms: MoveMs = DEFAULT_LIMITS.move_ms
    increment_ms: IncrementMs = 0
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
    memory_mb: (
        Annotated[
            Mebibytes,
            Meta(
                description=f"{MEMORY_HELP} Default: {MEMORY_MB}, or that with which the tournament began. As"
                " many matches are played at a time as fit into the machine's memory with it."
            ),
        ]
        | None
    ) = None  # type: ignore[assignment]  # likewise

    def planned(self, data: Mapping[str, object]) -> Limits:
        """The limits of a plan from a file's ``data``, with ``allow`` for a ``ponder`` that is left out.

        A ``memory-mb`` that is left out is that of new tournaments.

        With a clock and no ``move-ms`` an action alone has no limit. Raises SchemaError.
        """
        # A default and the same value in the file mean different things here, so the file itself is asked.
        written = data.get("limits")
        limits_table = written if isinstance(written, dict) else {}
        if self.by_fuel and limits_table.get("ponder") == "allow":
            raise SchemaError(
                ("limits", "ponder"),
                'is "allow", but with charge = "fuel" no bot runs in the turn of another',
            )
        values = {name: getattr(self, name) for name in CommonLimits.__struct_fields__}
        chosen = {"ponder": self.ponder or "allow", "memory_mb": self.memory_mb or MEMORY_MB}
        limits = Limits(**{**values, **chosen}).metered()
        if limits.clock_ms is None and "increment-ms" in limits_table:
            raise SchemaError(("limits", "increment-ms"), "is set without clock-ms")
        if limits.clock_ms is None or "move-ms" in limits_table:
            return limits
        return msgspec.structs.replace(limits, move_ms=None)


class UntilTable(Struct, frozen=True, forbid_unknown_fields=True):
    """The questions of a tournament, which ends as soon as one of them is answered."""

    width: Annotated[
        Annotated[int, Meta(ge=1, le=1000)] | None,
        Meta(description="The interval of each bot's Elo has at most this width on each side."),
    ] = None
    best: Annotated[
        float | None,
        Meta(description="The best bot is known with this confidence, from 0.5 to 0.9999."),
    ] = None
    top: Annotated[
        Annotated[int, Meta(ge=1, le=100_000)] | None,
        Meta(description="The best N bots are known, in any order, with 95 % confidence."),
    ] = None
    order: Annotated[
        bool, Meta(description="`true`: the order of all bots is known, with 95 % confidence.")
    ] = False
    games: Annotated[Games, Meta(description="Limit of matches.")] | None = None

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
    format: Annotated[str, Meta(description=FORMAT_HELP)] = DEFAULT_FORMAT
    seed: Annotated[
        Seed | None,
        Meta(
            description='Source of all chance, below 2^256: decimal, or hex as `"0x1f..."`. Default: 128'
            " random"
            " bits, drawn at the first start. Any bot can find a seed below 2^64 and compute the dice, so"
            " choose one only to play a finished tournament again."
        ),
    ] = None
    beacon: Annotated[
        Beacon | None, Meta(description="Public randomness that the seed comes from, instead of `seed`.")
    ] = None
    bots: Annotated[
        tuple[BotSource, ...],
        Meta(
            description="Bots that enter under their own names: names in the bot store, paths, or programs"
            " with their protocol, as `uci:stockfish`."
            " A folder of bots enters all bots in it, a pattern such as `submissions/*.zip` those that it"
            " matches."
            " `@ladder` enters all rungs of the game's [ladder](../how-to/ladder.md), `@standings:course:8`"
            " the first eight of the finished tournament `course` under their names, and"
            " `@entrant:course:anna` one entrant of it; see [a final](../how-to/run-a-course.md#a-final)."
        ),
    ] = ()
    seats: Annotated[
        Annotated[int, Meta(ge=2, le=4)] | None,
        Meta(description="Seats per table. Default: the game's minimum."),
    ] = None
    games_per_pairing: Annotated[
        Games | None,
        Meta(
            description="Matches of a pairing: a multiple of the mirrored group, which has 2 matches for two"
            " seats, 6 for three and 4 for four. Default: one group."
        ),
    ] = None
    rounds: Annotated[
        Games | None, Meta(description="Rounds, for formats that take them. A later file may change it.")
    ] = None
    score: Annotated[
        Literal["places", "win"],
        Meta(
            description="What a match of three or four seats gives: a point for each opponent beaten, divided"
            " by their number (`places`), or one point for the first place alone, which ties for it share"
            " (`win`). It decides standings, pairings of a Swiss and Elo. With `round-robin`, `gauntlet` and"
            " `swiss`, without `[until]`."
        ),
    ] = "places"
    opening_plies: Annotated[
        int,
        Meta(
            ge=0,
            le=MAX_OPENING_PLIES,
            description="Actions at the start of a match that the seed samples, the same for mirrored games.",
        ),
    ] = 0
    opening_book: Annotated[
        FilePath | None,
        Meta(
            description="Text file with an opening per line: actions separated by blanks, comments after"
            " `#`; for chess in any notation, also behind a position as UCI's `position` has it. For chess"
            " also `.epd` or `.fen`, a position per line; `.pgn`, of whose games the first"
            " `opening-plies` moves count (default: all); or `.bin` of polyglot, whose"
            " [lines](../rules/chess.md#books-of-polyglot) end with the book or after `opening-plies` moves."
            " Other books do not go together with `opening-plies`. May be"
            " compressed (`.gz`, `.zst`) and of any size: of more than 20,000 openings, 20,000 at even"
            " distances are taken. Openings that cannot be played are left out, with a message."
        ),
    ] = None
    opening_order: Annotated[
        Literal["random", "sequential"],
        Meta(
            description="How a match finds its opening in the book: in an order of the same entrants' games"
            " that the seed gives, without repeating one before the end of the book (`random`), or the"
            " next one for each round and repeat, which all tables of a round share (`sequential`)."
        ),
    ] = "random"
    opening_start: Annotated[
        int,
        Meta(
            ge=1, description='Opening of the book to begin with, from 1; for `opening-order = "sequential"`.'
        ),
    ] = 1
    mirrored_dice: Annotated[
        bool | None,
        Meta(
            description="Whether the games of a mirrored group share dice and opening; `false` gives each"
            " match its own. Default: `false` for games with chance, otherwise `true`. See"
            " [ratings](../explanation/ratings.md#shared-dice)."
        ),
    ] = None
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
    logo: Annotated[
        FilePath | None,
        Meta(
            description="Image file for the report: PNG, JPEG, WebP or SVG, at most 256 KiB. The database"
            " keeps a copy. A later file may change it."
        ),
    ] = None
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
            seed_of("seed", self.seed)
            if self.beacon is not None:
                raise SchemaError(("beacon",), "does not go with seed: choose one of them")
        if not self.bots and not self.entrant:
            raise SchemaError(
                ("bots",), 'is missing: name the bots that play, as bots = ["random", "./mybot"]'
            )


def file_schema(formats: Sequence[Format]) -> type[TournamentTable]:
    """The schema of a tournament file, with these formats by name and the keys that they take."""
    keys = {key.name: key for format_ in formats for key in format_.keys}
    fields: list[tuple[str, Any, Any]] = [
        (key.replace("-", "_"), _key_type(keys[key]) | None, None) for key in keys
    ]
    word = Literal[tuple(format_.name for format_ in formats)]  # type: ignore[valid-type]  # known when it runs
    fields.append(("format", Annotated[word, Meta(description=FORMAT_HELP)], DEFAULT_FORMAT))
    return cast(
        "type[TournamentTable]",
        msgspec.defstruct("TournamentFile", fields, bases=(TournamentTable,), kw_only=True),
    )


def _key_type(key: FormatKey) -> Any:
    about = Meta(description=key.help)
    if key.kind == "integer":
        return Annotated[int, Meta(ge=key.low, le=key.high), about]
    if key.kind == "choice":
        return Annotated[Literal[key.words], about]
    if key.kind == "flag":
        return Annotated[bool, about]
    return Annotated[tuple[Name, ...], Meta(min_length=1), about]


def opening_plies(game: AnyGame, asked: int | None = None) -> int:
    """The random actions at the start of each group.

    By default ``OPENING_PLIES`` if the game has neither dice nor hidden actions, else none. Raises UsageError
    for a number that the game does not allow.
    """
    if asked is None:
        plain = not (game.has_hidden_actions or game.has_chance)
        return min(OPENING_PLIES, game.max_actions - 1) if plain else 0
    if asked and game.has_hidden_actions:
        raise UsageError(f"--opening-plies does not go with {game.name}, a game with hidden actions")
    if asked >= game.max_actions:
        raise UsageError(f"--opening-plies {asked}: no game of {game.name} is that long")
    return asked


def load_tables(path: Path, text: str | None = None) -> dict[str, object]:
    """The tables of a tournament file. Raises TournamentError."""
    text = read_text(path, "a tournament file", MAX_BYTES) if text is None else text
    try:
        return parse_toml(text)
    except ValueError as error:
        raise TournamentError(f"{path}: this is not valid TOML: {error}", file=path) from error


def read_text(path: Path, noun: str, most: int) -> str:
    """The text of a file of at most ``most`` bytes; ``noun`` names it, with its article."""
    try:
        return toml_text(read_file_bytes(path, noun, most))
    except ValueError as error:
        raise TournamentError(f"{path} {error}", file=path) from error


def read_file_bytes(path: Path, noun: str, most: int) -> bytes:
    """The content of a file as ``read_text`` does."""
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)  # one byte too many shows that there are more
    except OSError as error:
        name = noun.partition(" ")[2]
        raise TournamentError(f"the {name} {path} cannot be read: {error.strerror}", file=path) from error
    if len(data) > most:
        size = f"{most >> 20} MiB" if most >> 20 else f"{most >> 10} KiB"
        raise TournamentError(f"{path}: {noun} has at most {size}", file=path)
    return data
