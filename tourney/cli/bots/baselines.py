"""``tourney bots baselines``: the bots that gates compare candidates with."""

from collections.abc import Sequence

import click
import msgspec

from tourney.cli.completion import complete_game
from tourney.cli.documents.baseline_documents import BaselineLine, BaselinesDocument, BeatenBot
from tourney.cli.options import db_option, formats_option, output_options
from tourney.cli.output import OutputFormat, Row, current
from tourney.cli.stored_bots import SHORT
from tourney.results.columns import Column
from tourney.store.baselines import Baseline
from tourney.store.database import Database
from tourney.store.engine import database_exists

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


@click.command("baselines")
@click.option("--game", metavar="GAME", shell_complete=complete_game, help="Game. [default: all games]")
@click.option("--history", is_flag=True, help="Also list the baselines that later promotions replaced.")
@db_option
@formats_option(BaselinesDocument)
@output_options
def command(game: str | None, history: bool, db: str, format_: OutputFormat) -> None:
    """List the baselines: the bots that `tourney gate` compares candidates with, and whom each beat."""
    found: tuple[Baseline, ...] = ()
    if database_exists(db):
        with Database.open(db) as database:
            found = database.baselines.all(game, history=history)
    if format_ is OutputFormat.JSON:
        print_baselines(found, "", format_)
        return
    current().table([_row(one, people=format_ is OutputFormat.TABLE) for one in found], COLUMNS, format_)


def _line(one: Baseline) -> BaselineLine:
    promotion = one.promotion
    return BaselineLine(
        name=one.name,
        bot=promotion.bot,
        version=promotion.version,
        args=promotion.args,
        digest=one.digest,
        game=one.game,
        number=one.number,
        promoted=promotion.promoted,
        gate=promotion.gate or None,
        beaten=tuple(msgspec.convert(other, BeatenBot, from_attributes=True) for other in promotion.beaten),
    )


def _row(one: Baseline, *, people: bool) -> Row:
    """A baseline's row; for people its digest is short."""
    promotion = one.promotion
    return {
        "game": one.game,
        "name": one.name,
        "bot": promotion.bot,
        "version": promotion.version,
        "args": " ".join(promotion.args) or None,
        "digest": one.digest[:SHORT] if people else one.digest,
        "promoted": promotion.promoted[:10] if people else promotion.promoted,
        "beat": beat_text(one) or None,
        "gate": promotion.gate or None,
    }


def label_of(one: Baseline) -> str:
    """A baseline's name, version and short digest."""
    return f"{one.name} {one.promotion.version} ({one.digest[:SHORT]})"


def beat_text(one: Baseline) -> str:
    """The bots that a baseline beat, as ``greedy 1.0 by +80.1 Elo (+12.0 .. none)``."""
    return ", ".join(
        f"{other.name} {other.version} by {other.elo:+.1f} Elo ({_end(other.low)} .. {_end(other.high)})"
        for other in one.promotion.beaten
    )


def _end(value: float | None) -> str:
    return "none" if value is None else f"{value:+.1f}"


def print_baselines(shown: Sequence[Baseline], text: str, format_: OutputFormat) -> None:
    """Print baselines as a JSON document, or a text instead."""
    if format_ is OutputFormat.JSON:
        current().document(BaselinesDocument(baselines=tuple(map(_line, shown))))
    else:
        current().write(text)
