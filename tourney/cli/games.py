"""``tourney games``: list the games, or create one to start from."""

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import click
from msgspec.structs import asdict

from tourney import plugins
from tourney.cli import options as opt
from tourney.cli.output import current
from tourney.errors import CheckError, GameError, UsageError
from tourney.games.base import AnyGame, Option
from tourney.games.new_game import new_game
from tourney.games.registry import FAMILIES, GAMES
from tourney.results.columns import Column
from tourney.schema import Document, Part
from tourney.texts import printable


class OptionLine(Part, frozen=True, kw_only=True):
    """An option of a game and its values."""

    name: str
    default: str
    values: tuple[str, ...]
    help: str


class GameLine(Part, frozen=True, kw_only=True):
    """A game: the numbers of seats, and whether it has chance and hidden actions."""

    name: str
    title: str
    seats: tuple[int, ...]
    chance: bool
    hidden: bool
    rules: str
    options: tuple[OptionLine, ...]


class GamesDocument(Document, frozen=True, kw_only=True):
    """The games. `families` name further games; `broken` are sentences on plugins that do not work.

    `missing` are sentences on games that need a package which is not installed, and how to install it.
    """

    format: Literal["tourney-games/1"] = "tourney-games/1"
    games: tuple[GameLine, ...]
    families: tuple[str, ...]
    broken: tuple[str, ...]
    missing: tuple[str, ...]


_MANY = 4
"""Ranges of numbers with more values than this are abridged."""

COLUMNS = (
    *("name", "title", "seats", "chance"),
    *(Column("hidden", "hidden actions"), Column("rules", "rules version"), "options"),
)


@opt.command("games")
@click.argument("game", metavar="[GAME | FAMILY | new", required=False)
@click.argument("folder", metavar="NAME]", type=click.Path(path_type=Path), required=False)
@opt.formats_option(GamesDocument)
def command(game: str | None, folder: Path | None) -> None:
    """List the games, their seats and their options; or one GAME, or the games of a FAMILY.

    new NAME writes the package of a game to start from into the new folder NAME: rules, diagram, rules page
    and tests, which pass tourney check-game unchanged. It prints the files.

    Options are listed as NAME=VALUE|VALUE|..., the default first. Games that need a package which is not
    installed are named on standard error, as are broken plugins and duplicate names (with exit code 1).
    """
    if game == "new" or folder is not None:
        _new(game, folder)
        return
    games: list[AnyGame] = []
    taken = GAMES.clashes() if game is None else {}
    errors = [] if game is not None else list(plugins.others()[1].values())
    missing: list[str] = []
    for name in _named(game):
        try:
            with _libraries_silent():
                games.append(GAMES.find(name))
        except GameError as error:
            errors += [str(error)] if str(error) not in errors else []
        else:
            errors += [taken[name]] if name in taken else []
            missing += [f"{name}: {why}"] if name in GAMES.own and (why := _lacking(games[-1])) else []
    for sentence in errors:
        click.echo(f"error: {printable(sentence)}", err=True)
    output = current()
    lines = tuple(map(_line, games))
    families = FAMILIES.names() if game is None else ()
    output.document(
        GamesDocument(games=lines, families=tuple(families), broken=tuple(errors), missing=tuple(missing))
    )
    rows = (
        {**asdict(line), "options": list(map(_values, listed.options))}
        for line, listed in zip(lines, games, strict=True)
    )
    output.table(rows, COLUMNS)
    more = [
        f"{family}: a family of further games; `tourney games {family}` lists them" for family in families
    ]
    for sentence in (*missing, *more) if output.people else ():
        output.say(sentence)
    if errors:
        sys.exit(CheckError.exit_code)


def _named(game: str | None) -> Sequence[str]:
    """The names to list. Raises GameError for an unknown game or family."""
    if game is None:
        return GAMES.names()
    if FAMILIES.knows(game):
        return FAMILIES.find(game).names()
    return (GAMES.find(game).name,)


def _lacking(game: AnyGame) -> str:
    """The package that a game lacks, and how to install it; "" if the game can be played."""
    try:
        game.new()
    except GameError as error:
        return str(error)
    return ""


@contextmanager
def _libraries_silent() -> Iterator[None]:
    """Drop the warnings that compiled libraries print: OpenSpiel prints some while it loads games."""
    # Compiled code writes to descriptor 2, which a replaced sys.stderr does not catch.
    standard_error = os.dup(2)
    try:
        with Path(os.devnull).open("wb") as nothing:
            os.dup2(nothing.fileno(), 2)
        yield
    finally:
        os.dup2(standard_error, 2)
        os.close(standard_error)


def _new(word: str | None, folder: Path | None) -> None:
    if word != "new" or folder is None:
        raise UsageError("write tourney games, tourney games GAME, or tourney games new NAME")
    output = current()
    for file in new_game(folder):
        output.write(str(file))
    where = shlex.quote(str(folder if folder.is_absolute() or len(folder.parts) > 1 else f"./{folder}"))
    output.say("Next:")
    for line in (f"pip install --editable {where}", f"tourney check-game {folder.name}", f"pytest {where}"):
        output.say(f"  {line}")


def _line(game: AnyGame) -> GameLine:
    return GameLine.of(
        game,
        seats=tuple(game.seat_counts),
        chance=game.has_chance,
        hidden=game.has_hidden_actions,
        options=tuple(map(OptionLine.of, game.options)),
    )


def _values(option: Option) -> str:
    """``NAME=DEFAULT|OTHER|...``; a long range of numbers becomes ``FIRST..LAST``."""
    others = [value for value in option.values if value != option.default]
    if len(others) > _MANY and all(v.isdecimal() for v in option.values):
        numbers = [int(value) for value in option.values]
        if numbers == list(range(numbers[0], numbers[-1] + 1)):
            others = [f"{numbers[0]}..{numbers[-1]}"]
    return f"{option.name}=" + "|".join([option.default, *others])
