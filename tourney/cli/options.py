"""Options that several commands share, one decorator each, so that they work alike everywhere."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from tourney.cli.output import Format, Setting
from tourney.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_DB = "tourney.db"
"""The database in the current folder."""
DEFAULT_BOTS = "tourney-bots"
"""The bot store in the current folder."""


def db_option(function: F) -> F:
    """Add ``--db URL``; the command gets ``db``: a path or an SQLAlchemy URL."""
    return click.option(
        "--db",
        envvar="TOURNEY_DB",
        default=DEFAULT_DB,
        show_default=True,
        show_envvar=True,
        metavar="URL",
        help="Database: an SQLite file or an SQLAlchemy URL.",
    )(function)


def bots_option(function: F) -> F:
    """Add ``--bots DIR``; the command gets ``bots``: the folder of the bot store, a string."""
    return click.option(
        "--bots",
        envvar="TOURNEY_BOTS",
        default=DEFAULT_BOTS,
        show_default=True,
        show_envvar=True,
        metavar="DIR",
        help="Folder of the bot store.",
    )(function)


def sandbox_option(function: F) -> F:
    """Add ``--sandbox strict|auto|off``; the command gets ``sandbox``, a ``Level``."""
    return click.option(
        "--sandbox",
        type=click.Choice(["strict", "auto", "off"]),
        default="auto",
        show_default=True,
        help="Containment of the bots: all protections, those available here, or none.",
    )(function)


def format_option(function: F) -> F:
    """Add ``--format table|csv|json``; the command gets ``format_``, a ``Format``."""

    def read(_ctx: click.Context, _param: click.Parameter, value: str) -> Format:
        return Format(value)

    return click.option(
        "--format",
        "format_",
        type=click.Choice([f.value for f in Format]),
        default=Format.TABLE.value,
        show_default=True,
        callback=read,
        help="Output format.",
    )(function)


def output_options(function: F) -> F:
    """Add ``--quiet`` and ``--no-color``; the command calls ``output.current()`` for its output."""

    def keep(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        if value:
            ctx.find_root().meta[Setting(param.name).key] = True

    function = click.option(
        "--no-color",
        Setting.NO_COLOR.value,
        is_flag=True,
        expose_value=False,
        callback=keep,
        help="Print without colors (the default in pipes and if NO_COLOR is set).",
    )(function)
    return click.option(
        "-q",
        "--quiet",
        Setting.QUIET.value,
        is_flag=True,
        expose_value=False,
        callback=keep,
        help="Print only results and errors.",
    )(function)


def game_options(function: F) -> F:
    """Add ``--seats N`` and ``--option K=V``; the command gets ``seats`` (or None) and ``options``."""

    def read(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
        return pairs(values)

    function = click.option(
        "--option",
        "options",
        multiple=True,
        metavar="NAME=VALUE",
        callback=read,
        help="Option of the game; repeatable.",
    )(function)
    return click.option(
        "--seats",
        type=click.IntRange(min=1),
        metavar="N",
        help="Number of seats (default: the game's minimum).",
    )(function)


def pairs(words: tuple[str, ...]) -> dict[str, str]:
    """Parse ``NAME=VALUE`` words into a dict. Raises UsageError for another form or a repeated name."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise UsageError(f"option {word!r} does not have the form NAME=VALUE")
        if name in found:
            raise UsageError(f"option {name} is given twice")
        found[name] = value
    return found
