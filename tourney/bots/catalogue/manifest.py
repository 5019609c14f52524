"""The manifest of a bot: ``bot.toml``, read strictly, or made from the name of an executable file."""

import math
import posixpath
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Final

from msgspec import Meta, Struct

from tourney.bots.protocols import PROTOCOLS, Setting
from tourney.errors import BotError
from tourney.parsing import parse_toml
from tourney.schema import NAME, GameName, Name, SchemaError, Version, Word, read, show

Value = int | float
ParameterName = Annotated[
    str,
    Meta(
        pattern=r"\A[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,62}[A-Za-z0-9._-])?\Z",
        extra={"want": "have letters, digits, blanks and ._- only, at most 64 of them"},
    ),
]


class Parameter(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A number of the bot: its value, which stays from `low` to `high`, and a change worth a few Elo, `step`.

    Values have at most the decimals with which these four are written.
    """

    value: Annotated[Value, Meta(examples=[100])]
    low: Annotated[Value, Meta(examples=[0])]
    high: Annotated[Value, Meta(examples=[200])]
    step: Annotated[Value, Meta(examples=[10])]

    def __post_init__(self) -> None:
        for key in ("value", "low", "high", "step"):
            number = getattr(self, key)
            if not math.isfinite(number) or abs(number) > 1e12 or decimals_of(number) > 9:
                raise SchemaError(
                    (key,), f"is {number}, but must be a number up to 10^12 with at most 9 decimals"
                )
        if self.low >= self.high:
            raise SchemaError(("low",), f"is {show(self.low)}, but must be less than high, {show(self.high)}")
        if not self.low <= self.value <= self.high:
            raise SchemaError(
                ("value",), f"is {show(self.value)}, but must be from {show(self.low)} to {show(self.high)}"
            )
        if not 0 < self.step <= self.high - self.low:
            raise SchemaError(
                ("step",), f"is {show(self.step)}, but must be more than 0 and at most high less low"
            )

    @property
    def decimals(self) -> int:
        """The most decimals of a value."""
        return max(decimals_of(number) for number in (self.value, self.low, self.high, self.step))

    def text(self, value: Value | Decimal | None = None) -> str:
        """A value (default: its own) as arguments, options and ``bot.toml`` have it."""
        return f"{exact(self.value if value is None else value):.{self.decimals}f}"


def exact(number: Value | Decimal) -> Decimal:
    """A number as it is written."""
    return number if isinstance(number, Decimal) else Decimal(repr(number))


def decimals_of(number: Value) -> int:
    """The decimals with which a number is written; ``2.0`` and ``100`` have none."""
    exponent = exact(number).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


FILE_NAME: Final = "bot.toml"
MAX_TEXT: Final = 64 * 1024  # bytes that a manifest may have
MODULE_SUFFIX: Final = ".wasm"

_SUFFIX = re.compile(r"(?<=.)\.(py|sh|bash|pl|rb|js|lua|exe|bin|wasm)\Z")

Part = Annotated[str, Meta(min_length=1, max_length=1_000)]
Parts = Annotated[tuple[Part, ...], Meta(min_length=1, max_length=100)]
OptionName = Annotated[str, Meta(min_length=1, max_length=100)]

PLAYS_ALL = frozenset({"random", "mcts"})
"""Shipped bots that play every game, plugins' too.

Their bot.toml names five games. It stays so, because records name the digest of that file."""


class Manifest(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """What a bot says about itself.

    ``games`` is empty for a bot that plays any game, and ``build`` for one that is ready to run.
    """

    name: Annotated[Name, Meta(description="Name of the bot.", examples=["mybot"])]
    version: Annotated[Version, Meta(description="Version of the bot.", examples=["1.0"])]
    command: Annotated[
        Parts,
        Meta(
            description="Program and arguments, run in the bot's folder. `python3` means the interpreter"
            " that runs Tourney; a file `*.wasm` is a module of WASI preview 1.",
            examples=[["python3", "bot.py"]],
        ),
    ]
    title: Annotated[str, Meta(max_length=80, description="Title for pages; printable.")] = ""
    author: Annotated[str, Meta(max_length=200, description="Author for pages; printable.")] = ""
    games: Annotated[
        tuple[GameName, ...],
        Meta(
            min_length=1,
            max_length=100,
            description="Games that the bot plays, or families of games (`fairy`). Default: any game.",
        ),
    ] = ()
    build: Annotated[Parts, Meta(description="Command that builds the bot, once per host.")] = ()
    build_output: Annotated[
        Parts, Meta(description="Globs of what the build makes, which is not part of the bot. Needs `build`.")
    ] = ()
    protocol: Annotated[
        Word, Meta(description="Protocol that the bot speaks: `tourney`, `uci`, or a plugin's.")
    ] = "tourney"
    deterministic: Annotated[
        bool,
        Meta(
            description="Whether the bot plays the same in each replay of a match. `false` for one that uses"
            " the time or random bytes: its matches are not promised to reproduce, unless all times are fuel."
        ),
    ] = True
    options: Annotated[
        dict[OptionName, Setting],
        Meta(max_length=100, description="Options of the program, as its protocol sets them."),
    ] = {}
    go: Annotated[
        dict[OptionName, int],
        Meta(max_length=10, description="Limits of each turn, as its protocol has them."),
    ] = {}
    parameters: Annotated[
        dict[ParameterName, Parameter],
        Meta(
            max_length=50,
            description="Numbers that `tourney tune` may change. The program gets each as an argument"
            " `NAME=VALUE`, an engine of UCI as the option NAME.",
        ),
    ] = {}

    def __post_init__(self) -> None:
        for key in ("title", "author", "command", "build", "build_output"):
            value = getattr(self, key)
            for index, text in enumerate((value,) if isinstance(value, str) else value):
                if not text.isprintable():
                    where = (_key(key),) if isinstance(value, str) else (_key(key), index)
                    raise SchemaError(where, f"is {show(text)}, but must have printable characters only")
        inside: Sequence[tuple[str, tuple[str, ...]]] = (
            ("command", self.command[:1] if "/" in self.command[0] else ()),
            ("build", self.build[:1] if self.build and "/" in self.build[0] else ()),
            ("build_output", self.build_output),
        )
        for key, paths in inside:
            for index, path in enumerate(paths):
                if ".." in path.split("/") or (key == "build_output" and path.startswith("/")):
                    raise SchemaError(
                        (_key(key), index), f"is {show(path)}, which leads out of the bot's folder"
                    )
        for name in self.games:
            if self.games.count(name) > 1:
                raise SchemaError(("games",), f"names {name} twice")
        if self.protocol not in PROTOCOLS.own and self.protocol not in (protocols := PROTOCOLS.names()):
            raise SchemaError(
                ("protocol",), f"is {show(self.protocol)}, but the bot protocols are: {', '.join(protocols)}"
            )
        for name in self.parameters:
            if name in self.options:
                raise SchemaError(("parameters", name), "is in options too: leave one of them out")
        try:
            PROTOCOLS.find(self.protocol).configured(self.started()[0], self.go)
        except BotError as error:
            raise SchemaError((), str(error), inside=True) from error
        if self.build_output and not self.build:
            raise SchemaError(("build-output",), "is set without build")

    @property
    def module(self) -> str | None:
        """The path of the WebAssembly module that is the bot's program, or None for any other program."""
        program = self.command[0]
        return posixpath.normpath(program) if program.endswith(MODULE_SUFFIX) else None

    def started(self, args: Sequence[str] = ()) -> tuple[dict[str, Setting], tuple[str, ...]]:
        """The options and the arguments with which the bot starts, by an entrant's arguments.

        An argument ``NAME=VALUE`` of a parameter takes the place of the parameter's own value.
        """
        if not self.parameters:
            return self.options, tuple(args)
        words = {name: parameter.text() for name, parameter in self.parameters.items()}
        settings_given = [arg for arg in args if arg.partition("=")[0] in words and "=" in arg]
        words |= {name: value for name, _, value in (arg.partition("=") for arg in settings_given)}
        if PROTOCOLS.find(self.protocol).has_options:
            return {**self.options, **words}, tuple(arg for arg in args if arg not in settings_given)
        settings = tuple(f"{name}={value}" for name, value in words.items())
        return self.options, (*settings, *(arg for arg in args if arg not in settings_given))

    def plays(self, game: str) -> bool:
        """Whether the bot plays a game, by its ``games`` or as one of ``PLAYS_ALL``."""
        if not self.games or self.name in PLAYS_ALL:
            return True
        return game in self.games or game.partition(":")[0] in self.games


def read_manifest(text: str, where: str) -> Manifest:
    """The manifest of a ``bot.toml``; ``where`` names the file in errors.

    Raises BotError with the file and, where it is known, the line.
    """
    try:
        data = parse_toml(text)
    except ValueError as error:
        raise BotError(f"{where} is not valid TOML: {error}", file=where) from error
    try:
        return read(data, Manifest, toml=True)
    except SchemaError as error:
        key = ".".join(map(str, error.path[:2])) if error.path[:1] == ("parameters",) else error.key
        raise BotError(error.in_toml(where + _line(text, key)), file=where, key=error.key) from error


def manifest_from_name(file_name: str, where: str) -> Manifest:
    """The manifest of an executable file that comes without one.

    Its name is the file's in small letters without a script's suffix, other characters turned into ``-``;
    its version is ``0``; it plays any game. Raises BotError if no name can be made.
    """
    name = re.sub(r"[^a-z0-9._-]", "-", _SUFFIX.sub("", file_name.lower())).lstrip("._-")[:64]
    if NAME.fullmatch(name) is None:
        raise BotError(
            f"{where}: no bot's name can be made of {file_name!r}; rename it to letters and digits",
            file=where,
        )
    return Manifest(name=name, version="0", command=(f"./{file_name}",))


def _key(attribute: str) -> str:
    return attribute.replace("_", "-")


def _line(text: str, key: str) -> str:
    """`` line N`` for a key of the top level, where it is written plainly; else ""."""
    word = rf"""["']?{re.escape(key)}["']?\s*"""
    for number, line in enumerate(text.splitlines(), start=1):
        if re.match(rf"\s*({word}=|\[+\s*{word}[.\]])", line):
            return f" line {number}"
    return ""
