"""``tourney games``: list the games."""

import sys

import click
from msgspec.structs import asdict

from tourney.cli.documents.bot_documents import GameLine, GamesDocument, OptionLine
from tourney.cli.edge import printable
from tourney.cli.options import formats_option, output_options
from tourney.cli.output import OutputFormat, Row, current
from tourney.errors import CheckError, GameError
from tourney.games.base import AnyGame, Option
from tourney.games.registry import FAMILIES, GAMES
from tourney.results.columns import Column

_MANY = 4
"""Ranges of numbers with more values than this are abridged."""

COLUMNS = (
    Column("name"),
    Column("title"),
    Column("seats"),
    Column("chance"),
    Column("hidden", "hidden actions"),
    Column("rules", "rules version"),
    Column("options"),
)


@click.command("games")
@click.argument("family", required=False)
@formats_option(GamesDocument)
@output_options
def command(family: str | None, format_: OutputFormat) -> None:
    """List the games, their seats and their options; or the games of a FAMILY.

    Options are listed as NAME=VALUE|VALUE|..., the default first. Broken plugins and duplicate names are
    reported on standard error with exit code 1.
    """
    games: list[AnyGame] = []
    taken = GAMES.clashes() if family is None else {}
    errors: list[str] = []
    for name in GAMES.names() if family is None else FAMILIES.find(family).names():
        try:
            games.append(GAMES.find(name))
        except GameError as error:
            errors.append(str(error))
        else:
            errors += [taken[name]] if name in taken else []
    for sentence in errors:
        click.echo(f"error: {printable(sentence)}", err=True)
    output = current()
    if format_ is OutputFormat.JSON:
        families = FAMILIES.names() if family is None else ()
        output.document(
            GamesDocument(games=tuple(map(game_line, games)), families=tuple(families), broken=tuple(errors))
        )
    else:
        output.table([row_of(game) for game in games], COLUMNS, format_)
    if family is None and format_ is OutputFormat.TABLE:
        for found in FAMILIES.names():
            output.say(f"{found}: a family of further games; `tourney games {found}` lists them")
    if errors:
        sys.exit(CheckError.exit_code)


def row_of(game: AnyGame) -> Row:
    """The row of a game."""
    return {**asdict(game_line(game)), "options": [_values(option) for option in game.options]}


def game_line(game: AnyGame) -> GameLine:
    """A game as a line of a ``GamesDocument``."""
    return GameLine(
        name=game.name,
        title=game.title,
        seats=tuple(game.seat_counts),
        chance=game.has_chance,
        hidden=game.has_hidden_actions,
        rules=game.rules,
        options=tuple(
            OptionLine(name=one.name, default=one.default, values=tuple(one.values), help=one.help)
            for one in game.options
        ),
    )


def _values(option: Option) -> str:
    """``NAME=DEFAULT|OTHER|...``; a long range of numbers becomes ``FIRST..LAST``."""
    others = [value for value in option.values if value != option.default]
    if len(others) > _MANY and all(v.isdecimal() for v in option.values):
        numbers = [int(value) for value in option.values]
        if numbers == list(range(numbers[0], numbers[-1] + 1)):
            others = [f"{numbers[0]}..{numbers[-1]}"]
    return f"{option.name}=" + "|".join([option.default, *others])
