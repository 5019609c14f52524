"""Options that several commands share, and the decorator that collects a command's options into one value."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from functools import wraps
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar, dataclass_transform, get_args, get_origin

import click
from click.core import ParameterSource

from tourney.cli.completion import complete_game, complete_tournament
from tourney.cli.output import OutputFormat, keep
from tourney.errors import UsageError
from tourney.files import DEFAULT_BOTS, DEFAULT_DB
from tourney.match.spec import LEAST_MEMORY_MB, MAX_MS, MEMORY_MB, MOST_MEMORY_MB, Charge
from tourney.schema import Document, SandboxLevel
from tourney.seeds import U64

Function = Callable[..., object]
Decorator = Callable[[Function], Function]
F = TypeVar("F", bound=Function)

FILE = click.Path(dir_okay=False, path_type=Path)
EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


GENERAL: Final = "General"
"""The group of the options that most commands have."""
_GENERAL_NAMES: Final = frozenset(("db", "bots", "format_", "formats", "quiet", "no_color", "help"))

_PLACE_NAMES: Final = frozenset(("db", "bots"))
"""Parameters that are texts and may be paths."""


def option(usage: str, *words: str, group: str = "", **attributes: object) -> Any:
    """Declare a field of a class of options; ``usage`` is as in the help: ``--out FILE``.

    ``group`` is the title above the option in the help (default: the ``group`` of the class).

    ``words`` are the help, and further names of the option. The field's name and type give the rest:
    ``bool`` makes a flag, ``tuple`` a repeatable option, ``Path`` a file, ``int`` a number from 1 on; a
    default is shown unless it is empty. ``attributes`` go to ``click.option``.
    """

    def declare(option_field: "Field[object]") -> Decorator:
        word, _, metavar = usage.partition(" ")
        settings: dict[str, Any] = {
            "metavar": metavar or None,
            "show_default": attributes.get("default", "") != "",
        }
        if option_field.type is bool:
            settings["is_flag"] = True
        elif get_origin(option_field.type) is tuple and "callback" not in attributes:
            settings["multiple"] = True
        elif Path in (option_field.type, *get_args(option_field.type)):
            settings["type"] = FILE
        elif float in (option_field.type, *get_args(option_field.type)):
            settings["type"] = float
        elif int in (option_field.type, *get_args(option_field.type)):
            # Nearly all numbers of options are counts; the others name their own type.
            settings["type"] = click.IntRange(min=1)
        # Any option for a game completes its names; no option has to say so.
        if metavar == "GAME":
            settings["shell_complete"] = complete_game
        names = [text for text in words if " " not in text]
        settings["help"] = next((text for text in words if " " in text), None)
        return click.option(word, *names, option_field.name, **settings | attributes)

    return field(metadata={"option": declare, "group": group})


def shared(decorator: Decorator) -> Any:
    """Declare a field of a class of options by the decorator of an option that several commands share."""
    return field(metadata={"option": lambda _: decorator})


def formats(*documents: type[Document], formats: Sequence[str] = ("table", "csv", "json")) -> Any:
    """Declare the place of ``--format`` among the options. The value is in ``Output``, not here."""
    made = formats_option(*documents, formats=formats)
    return field(init=False, repr=False, metadata={"option": lambda _: made})


@dataclass_transform(
    frozen_default=True, kw_only_default=True, field_specifiers=(option, shared, formats, field)
)
class CommandOptions:
    """The base of classes of options, which are frozen dataclasses.

    Each field is declared by ``option``, ``shared`` or ``formats``, and has the name of its parameter, or its
    type is another such class. The help lists the options in the order of the fields.
    """

    group: ClassVar[str] = ""
    """The title above the options in the help; "" for that of the class which has this one as a field."""

    # Type checkers do not know that subclasses are dataclasses, which `replace` asks for.
    __dataclass_fields__: ClassVar[dict[str, "Field[Any]"]]

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)


class HelpCommand(click.Command):
    """A command whose help begins with ``examples``, and lists options by ``groups``: a title by parameter.

    A group mechanism of its own: click has none, and rich-click, cloup and click-option-group decorate
    functions, where options here are fields of classes; rich-click also imports rich for every command.
    """

    examples: tuple[str, ...] = ()
    groups: Mapping[str, str] = {}

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, then the description."""
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{example}\n")
        super().format_help_text(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by group, in the order in which the groups come first."""
        records: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is None:
                continue
            general = param.name in _GENERAL_NAMES or "--help" in param.opts
            title = GENERAL if general else self.groups.get(param.name or "", "Options")
            records.setdefault(title if self.groups else "Options", []).append(record)
        last = records.pop(GENERAL, [])
        for title, lines in (*records.items(), (GENERAL, last)):
            if lines:
                with formatter.section(title):
                    formatter.write_dl(lines)

    def in_place_of(self, word: str) -> str:  # noqa: ARG002 - commands with such words override it
        """What to write in place of an unknown option of this name, without its hyphens; "" if nothing."""
        return ""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words. Raises UsageError, which says what to write for a word of another place."""
        try:
            # A path loses whether it was empty, so it is looked at before.
            self._refuse_empty_paths(self.make_parser(ctx).parse_args(args=list(args))[0])
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if instead := self.in_place_of(error.option_name.lstrip("-")):
                raise UsageError(
                    f"{error.option_name} is not an option of `{ctx.command_path}`: {instead}"
                ) from error
            # Words such as -each of fastchess, or a path: click reads them letter by letter.
            start = error.option_name
            long_word = next((arg for arg in args if arg.startswith(start) and len(arg) > 2), "")
            if len(start) == 2 and start[1].isalpha() and long_word:
                raise UsageError(
                    f"{long_word} is not an option: options begin with two hyphens, as -{long_word}, and"
                    f" a path with ./, as ./{long_word}; see '{ctx.command_path} --help'"
                ) from error
            word = error.option_name.lstrip("-").replace("-", "_")
            if any(param.name == word for param in self.params if isinstance(param, click.Argument)):
                raise UsageError(
                    f"{error.option_name} is not an option: write the {word} itself, as"
                    f" `{ctx.command_path} {word.upper()}`"
                ) from error
            raise

    def _refuse_empty_paths(self, texts: Mapping[str, object]) -> None:
        """Raise UsageError for an empty path: it would mean the current folder."""
        for param in self.params:
            names_path = isinstance(param.type, click.Path) or param.name in _PLACE_NAMES
            if names_path and texts.get(param.name or "") == "":
                label = param.opts[0] if isinstance(param, click.Option) else (param.name or "").upper()
                raise UsageError(f"{label} is empty, as from an unset variable of the shell; name a path")


def _groups_of(kind: type[CommandOptions], title: str = "") -> Iterator[tuple[str, str]]:
    """Yield the parameters of a class of options with the titles of their groups; those without have none."""
    title = kind.group or title
    for option_field in fields(kind):
        if isinstance(option_field.type, type) and issubclass(option_field.type, CommandOptions):
            yield from _groups_of(option_field.type, title)
        elif group := option_field.metadata.get("group") or title:
            yield option_field.name, group


def command(
    name: str,
    kind: type[CommandOptions] | None = None,
    cls: type[HelpCommand] = HelpCommand,
    examples: Sequence[str] = (),
) -> Callable[[Function], click.Command]:
    """Make a command of a function, with --quiet and --no-color: ``output.current()`` respects them.

    ``kind`` is a class of options: the command has its options, and the function gets their values as
    ``options``. The help begins with the ``examples``.
    """

    def decorate(function: Function) -> click.Command:
        @wraps(function)
        def made(*args: object, **values: object) -> object:
            if kind is not None:
                values["options"] = collected(kind, values)
            return function(*args, **values)

        params = vars(made).pop("__click_params__", [])
        declared = [] if kind is None else list(_declared(kind))
        # Click lists the option of the outermost decorator first, so the last one is applied first.
        for decorator in reversed([*declared, _QUIET, _NO_COLOR]):
            decorator(made)
        # Click reverses this list: the options of decorators come first in the help.
        vars(made)["__click_params__"].extend(params)
        decorated = click.command(name, cls=cls)(made)
        decorated.examples = tuple(examples)
        decorated.groups = {} if kind is None else dict(_groups_of(kind))
        return decorated

    return decorate


def _declared(kind: type[CommandOptions]) -> Iterator[Decorator]:
    for option_field in fields(kind):
        if isinstance(option_field.type, type) and issubclass(option_field.type, CommandOptions):
            yield from _declared(option_field.type)
        else:
            yield option_field.metadata["option"](option_field)


def collected(kind: Any, values: dict[str, object]) -> Any:
    """Move the values of a class's options from click's ``values`` into an instance."""
    arguments = {}
    for option_field in fields(kind):
        if option_field.init:
            inner = isinstance(option_field.type, type) and issubclass(option_field.type, CommandOptions)
            arguments[option_field.name] = (
                collected(option_field.type, values) if inner else values.pop(option_field.name)
            )
    return kind(**arguments)


def _flag(*names: str, help_: str) -> Decorator:
    """A flag of the output; its last name is a field of ``Output``."""

    def kept(context: click.Context, _: click.Parameter, value: bool) -> None:
        keep(context, **{names[-1]: value})

    return click.option(*names, is_flag=True, expose_value=False, callback=kept, help=help_)


_QUIET = _flag("-q", "--quiet", "quiet", help_="Print only results and errors.")
_NO_COLOR = _flag(
    "--no-color", "no_color", help_="Print without colors (the default in pipes and if NO_COLOR is set)."
)


def choice_option(name: str, words: Sequence[str], help_: str, default: str = "") -> Callable[[F], F]:
    """Add an option that takes one of some words; the default is the first one."""
    type_ = click.Choice(words)
    return click.option(name, type=type_, default=default or words[0], show_default=True, help=help_)


def _place_option(word: str, default: str, metavar: str, help_: str) -> Callable[[F], F]:
    return click.option(
        f"--{word}",
        envvar=f"TOURNEY_{word.upper()}",
        default=default,
        show_default=True,
        show_envvar=True,
        metavar=metavar,
        help=help_,
    )


db_option = _place_option("db", DEFAULT_DB, "URL", "Database: an SQLite file or an SQLAlchemy URL.")
bots_option = _place_option("bots", DEFAULT_BOTS, "DIR", "Folder of the bot store.")

league_option = click.option(
    "--league",
    type=FOLDER,
    default=".",
    envvar="TOURNEY_LEAGUE",
    show_envvar=True,
    metavar="DIR",
    help="Folder of the league. [default: the current folder]",
)

sandbox_option = choice_option(
    "--sandbox",
    get_args(SandboxLevel),
    "Containment of the bots: all protections, those available here, or none.",
    "auto",
)


allow_weaker_option = click.option(
    "--allow-weaker",
    is_flag=True,
    help="Go on although this machine contains bots less than the tournament's first match was; stored.",
)


class FormatOption(click.Option):
    """``--format`` of a command; ``documents`` are the kinds of JSON documents that it prints."""

    def __init__(self, *args: Any, documents: Sequence[type[Document]], **rest: Any) -> None:
        super().__init__(*args, **rest)
        self.documents = tuple(documents)


def formats_option(
    *documents: type[Document], formats: Sequence[str] = ("table", "csv", "json")
) -> Callable[[F], F]:
    """Add ``--format``, for ``output.current()``; the first of the ``formats`` is the default."""
    return click.option(
        "--format",
        "format_",
        cls=FormatOption,
        documents=documents,
        type=click.Choice(list(formats)),
        default=formats[0],
        show_default=True,
        expose_value=False,
        callback=lambda context, _, value: keep(context, format=OutputFormat(value)),
        help="Output format.",
    )


TEXT = ("text", "json")
"""The formats of a command that prints sentences."""


def pairs(words: Sequence[str], what: str = "option", form: str = "NAME=VALUE") -> dict[str, str]:
    """Parse ``NAME=VALUE`` words into a dict. Raises UsageError for another form or a repeated name.

    ``what`` and ``form`` are what the words are, for its sentence.
    """
    by_name: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise UsageError(f"{what} {word!r} does not have the form {form}")
        if name in by_name:
            raise UsageError(f"{what} {name} is given twice")
        by_name[name] = value
    return by_name


def _pairs_option(
    words: tuple[str, str], metavar: str, read: Callable[[Sequence[str]], object], help_: str
) -> Callable[[F], F]:
    """A repeatable option; ``read`` makes one value of its texts."""
    return click.option(
        *words, multiple=True, metavar=metavar, callback=lambda _ctx, _param, texts: read(texts), help=help_
    )


game_option = _pairs_option(("--option", "options"), "NAME=VALUE", pairs, "Option of the game; repeatable.")

entrant_option = _pairs_option(
    ("--option", "options"),
    "NAME=VALUE",
    pairs,
    "Option of the game or, if it has none of this name, of all programs; repeatable.",
)


seats_option = click.option(
    "--seats",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of seats (default: the game's minimum).",
)


seed_option = click.option(
    "--seed", type=click.IntRange(0, U64 - 1), metavar="N", help="Seed. [default: random]"
)

reuse_option = click.option(
    "--reuse", is_flag=True, help="Keep a bot's process from match to match; for trusted bots."
)


def move_ms_option(help_: str) -> Callable[[F], F]:
    """Add ``--move-ms MS``, 1000 by default; the command gets ``move_ms``."""
    type_ = click.IntRange(1, MAX_MS)
    return click.option("--move-ms", type=type_, default=1000, show_default=True, metavar="MS", help=help_)


def memory_option(help_: str) -> Callable[[F], F]:
    """Add ``--memory-mb MB``; the command gets ``memory_mb``."""
    type_ = click.IntRange(LEAST_MEMORY_MB, MOST_MEMORY_MB)
    return click.option(
        "--memory-mb", type=type_, default=MEMORY_MB, show_default=True, metavar="MB", help=help_
    )


CHARGES: Final[Mapping[Charge, str]] = {
    "wall": "elapsed (wall)",
    "cpu": "spent computing (cpu)",
    "fuel": "the work of WebAssembly modules, which reproduces everywhere (fuel)",
}


def charge_option(*charges: Charge) -> Callable[[F], F]:
    """Add ``--charge``, of which the first is the default; the command gets ``charge``."""
    *words, last = (CHARGES[charge] for charge in charges)
    return choice_option("--charge", charges, f"Time that counts: {', '.join(words)} or {last}.")


def args_option(whose: str) -> Callable[[F], F]:
    """Add ``--args WORDS``, the arguments of a bot; the command gets ``words``."""
    return click.option(
        "--args",
        "words",
        default="",
        metavar="WORDS",
        callback=split_words,
        help=f"Arguments of the {whose}, as '--playouts 100'.",
    )


tournament_argument = click.argument("tournament", required=False, shell_complete=complete_tournament)


def refuse(options: Mapping[str, object], why: str) -> None:
    """Raise UsageError for the first option that has a value; ``why`` continues the sentence."""
    for word, value in options.items():
        if value:
            raise UsageError(f"{word} {why}")


def is_given(name: str, context: click.Context | None = None) -> bool:
    """Whether the command line has an option, by the name of its parameter."""
    context = context or click.get_current_context()
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def given_words(context: click.Context, *without: str) -> tuple[str, ...]:
    """The options of a command line again, also those that came from the environment.

    ``without`` are names of parameters to leave out.
    """
    sources = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)
    words: list[str] = []
    for param in context.command.params:
        name = param.name or ""
        if not isinstance(param, click.Option) or name in without:
            continue
        if context.get_parameter_source(name) not in sources:
            continue
        value = context.params[name]
        if param.is_flag:
            words += [param.opts[0]] if value else param.secondary_opts[:1]
        else:
            for each_value in value if param.multiple else (value,):
                words += [param.opts[0], str(each_value)]
    return tuple(words)


def split_words(_ctx: click.Context, param: click.Parameter, text: str) -> tuple[str, ...]:
    """Split an option's value into words as a shell does; a callback of options. Raises UsageError."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"{param.opts[0]} {text!r} cannot be split into words: {error}") from error


forfeits_option = choice_option(
    "--forfeits",
    ["loss", "void"],
    "Whether a game lost by a fault (time, illegal move, crash) counts as a loss or not at all.",
)

repeats_option = choice_option(
    "--repeats",
    ["join", "count"],
    "Games of two bots that repeat, or have one opening line, are one observation (join), or count each"
    " (count): for tiny games, where chance makes games equal.",
)

no_luck_option = click.option(
    "--no-luck", is_flag=True, help="Leave the luck of the dice in the results that are rated."
)


def method_option(names: Sequence[str], default: str) -> Callable[[F], F]:
    """Add ``--method`` with these names of methods; the command gets ``method``."""
    help_ = "Rating method: one fit to all games (batch), or game by game in their order (trueskill)."
    return choice_option("--method", names, help_, default)


def anchors_of(texts: Sequence[str]) -> dict[str, float]:
    """The Elo of anchors by name. A name may hold ``=``; the number follows the last one."""
    anchors: dict[str, float] = {}
    for text in texts:
        name, equals, level = text.rpartition("=")
        try:
            elo = float(level)
        except ValueError:
            elo = float("nan")
        if not equals or not name or not abs(elo) <= 1e6:  # NaN compares false
            raise UsageError(f"--anchor {text!r} does not have the form NAME=ELO")
        if name in anchors:
            raise UsageError(f"--anchor names {name!r} twice")
        anchors[name] = elo
    return anchors


anchor_option = _pairs_option(
    ("--anchor", "levels"),
    "NAME=ELO",
    anchors_of,
    "Give a player this Elo; all others follow. Repeatable: then the mean of the anchors is fixed.",
)


def anchors_text(levels: Mapping[str, float]) -> str:
    """The sentence that names the anchors."""
    return f"Elo is relative to {', '.join(f'{name} = {elo:g}' for name, elo in levels.items())}."
