"""``tourney bots promote`` and ``tourney bots baselines``: the bots that gates compare candidates with."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from tourney.bots.catalogue.store import BotStore, StoredBot, resolve_bot
from tourney.cli.completion import complete_bot, complete_game
from tourney.cli.documents.compare import BaselinesDocument
from tourney.cli.options import TEXT, bots_option, db_option, formats_option, output_options, split_words
from tourney.cli.output import Format, current
from tourney.errors import GameError, UsageError
from tourney.games.registry import find_game
from tourney.results.columns import Column
from tourney.schema import NAME

if TYPE_CHECKING:
    from tourney.store.baselines import Baseline
    from tourney.store.repository import Repository

COLUMNS = (
    Column("game"),
    Column("name"),
    Column("bot"),
    Column("version"),
    Column("args"),
    Column("digest"),
    Column("promoted"),
    Column("beat"),
    Column("gate"),
)
SHORT = 12


@click.command("promote")
@click.argument("bot", shell_complete=complete_bot)
@click.option(
    "--game", metavar="GAME", shell_complete=complete_game, help="Game. [default: the bot's only one]"
)
@click.option("--name", metavar="NAME", help="Name of the baseline. [default: the bot's]")
@click.option(
    "--args", "words", default="", metavar="WORDS", callback=split_words, help="Arguments of the bot."
)
@click.option("--force", is_flag=True, help="Promote the bot although no gate accepted it.")
@click.option("--undo", is_flag=True, help="Take back the last promotion of BOT, the name of a baseline.")
@db_option
@bots_option
@formats_option(BaselinesDocument, formats=TEXT)
@output_options
def promote(
    bot: str,
    game: str | None,
    name: str | None,
    words: tuple[str, ...],
    force: bool,
    undo: bool,
    db: str,
    bots: str,
    format_: Format,
) -> None:
    """Make a bot a baseline of a game, which `tourney gate` compares candidates with.

    The database keeps whom the bot beat, by how much, and in which gate. It replaces the baseline of its
    name, which --undo brings back; baselines of other names stay. Exit code 1: the bot has not been accepted
    by a gate against all baselines of the game.
    """
    from tourney.store.repository import Repository  # noqa: PLC0415 - the database is slow to import

    if undo:
        with Repository.open(db, write=True) as repository:
            last, before = repository.demote(game or _game_of(repository, bot), bot)
        text = f"{_label(last)} is no baseline of {last.game} any more"
        text += f"; {_label(before)} is it again" if before is not None else ""
        _print([] if before is None else [before], text, format_)
        return
    from tourney.compare.promote import promote_bot  # noqa: PLC0415 - as above

    found = resolve_bot(bot, BotStore(Path(bots)))
    chosen = game or _only_game(found)
    try:
        chosen = find_game(chosen).name
    except GameError as error:
        raise UsageError(str(error)) from error
    if not found.manifest.plays(chosen):
        raise UsageError(f"{found.label} does not play {chosen}; it plays {', '.join(found.manifest.games)}")
    name = name or found.manifest.name
    if NAME.fullmatch(name) is None:
        raise UsageError(f"--name {name!r} is no name of a baseline ({NAME.pattern})")
    with Repository.open(db, create=True) as opened, opened.transaction() as repository:
        made = promote_bot(repository, found, chosen, name, words, force=force)
    beat = _beat_text(made)
    _print(
        [made], f"{_label(made)} is a baseline of {chosen}" + (f": it beat {beat}" if beat else ""), format_
    )


def _print(shown: "Sequence[Baseline]", text: str, format_: Format) -> None:
    """Print baselines as a JSON document, or a text instead."""
    if format_ is Format.JSON:
        current().document(BaselinesDocument, baselines=[_line(one) for one in shown])
    else:
        current().write(text)


def _only_game(bot: StoredBot) -> str:
    games = bot.manifest.games
    if len(games) != 1:
        raise UsageError(f"{bot.label} plays {'several' if games else 'any'} games: name one by --game GAME")
    return games[0]


def _game_of(repository: "Repository", name: str) -> str:
    games = [one.game for one in repository.baselines() if one.name == name]
    if len(games) > 1:
        raise UsageError(f"{name} is a baseline of {', '.join(games)}: name one by --game GAME")
    return games[0] if games else "any game"


@click.command("baselines")
@click.option("--game", metavar="GAME", shell_complete=complete_game, help="Game. [default: all games]")
@click.option("--history", is_flag=True, help="Also list the baselines that later promotions replaced.")
@db_option
@formats_option(BaselinesDocument)
@output_options
def baselines(game: str | None, history: bool, db: str, format_: Format) -> None:
    """List the baselines: the bots that `tourney gate` compares candidates with, and whom each beat."""
    from tourney.store.engine import database_exists  # noqa: PLC0415 - as above
    from tourney.store.repository import Repository  # noqa: PLC0415 - as above

    found: tuple[Baseline, ...] = ()
    if database_exists(db):
        with Repository.open(db) as repository:
            found = repository.baselines(game, history=history)
    if format_ is Format.JSON:
        _print(found, "", format_)
        return
    current().table([row_of(one, people=format_ is Format.TABLE) for one in found], COLUMNS, format_)


def _line(one: "Baseline") -> dict[str, Any]:
    """Return a baseline as its JSON document has it."""
    promotion = msgspec.to_builtins(one.promotion)
    return {
        **promotion,
        "game": one.game,
        "name": one.name,
        "number": one.number,
        "digest": one.digest,
        "gate": one.promotion.gate or None,
    }


def row_of(one: "Baseline", *, people: bool) -> dict[str, Any]:
    """Return a baseline's row; for people its digest is short."""
    promotion = one.promotion
    return {
        "game": one.game,
        "name": one.name,
        "bot": promotion.bot,
        "version": promotion.version,
        "args": " ".join(promotion.args) or None,
        "digest": one.digest[:SHORT] if people else one.digest,
        "promoted": promotion.promoted[:10] if people else promotion.promoted,
        "beat": _beat_text(one) or None,
        "gate": promotion.gate or None,
    }


def _label(one: "Baseline") -> str:
    return f"{one.name} {one.promotion.version} ({one.digest[:SHORT]})"


def _beat_text(one: "Baseline") -> str:
    """Return whom a baseline beat, as ``greedy 1.0 by +80.1 Elo (+12.0 .. none)``."""
    return ", ".join(
        f"{other.name} {other.version} by {other.elo:+.1f} Elo ({_end(other.low)} .. {_end(other.high)})"
        for other in one.promotion.beaten
    )


def _end(value: float | None) -> str:
    return "none" if value is None else f"{value:+.1f}"
