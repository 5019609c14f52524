"""``tourney bots baselines``: the bots that gates compare candidates with."""

from collections.abc import Sequence
from typing import Literal

import click
from msgspec.structs import asdict

from tourney.addons.lab.question import interval_text
from tourney.addons.lab.results import GateBot
from tourney.cli import options as opt
from tourney.cli.bots.list import SHORT
from tourney.cli.completion import complete_game
from tourney.cli.output import current
from tourney.games.registry import find_game
from tourney.results.columns import Row
from tourney.schema import Document
from tourney.store.baselines import Baseline, Beaten
from tourney.store.database import Database
from tourney.store.engine import database_exists


class BaselineLine(GateBot, frozen=True, kw_only=True):
    """A baseline. `number` counts the promotions of its name; `gate` accepted it, or is null."""

    game: str
    number: int
    promoted: str
    gate: str | None
    beaten: tuple[Beaten, ...]


class BaselinesDocument(Document, frozen=True, kw_only=True):
    """Baselines by game and name, of each name the newest last."""

    format: Literal["tourney-baselines/1"] = "tourney-baselines/1"
    baselines: tuple[BaselineLine, ...]


COLUMNS = ("game", "name", "bot", "version", "args", "digest", "promoted", "beat", "gate")


@opt.command("baselines")
@click.option("--game", metavar="GAME", shell_complete=complete_game, help="Game. [default: all games]")
@click.option("--history", is_flag=True, help="Also list the baselines that later promotions replaced.")
@opt.db_option
@opt.formats_option(BaselinesDocument)
def command(game: str | None, history: bool, db: str) -> None:
    """List the baselines: the bots that `tourney gate` compares candidates with, and whom each beat."""
    if opt.is_given("db") and not database_exists(db):
        Database.open(db)  # raises: a name that was given, but is not there, is a mistake
    baselines = baselines_of(db, game, history=history)
    output = current()
    if game is not None and not baselines:
        find_game(game)
    output.document(BaselinesDocument(baselines=tuple(map(_line, baselines))))
    output.table((_row(baseline, people=output.people) for baseline in baselines), COLUMNS)


def baselines_of(db: str, game: str | None, *, history: bool = False) -> tuple[Baseline, ...]:
    """The baselines of a game, or of all games; none without a database."""
    if not database_exists(db):
        return ()
    with Database.open(db) as database:
        return database.baselines.all(game, history=history)


def _line(baseline: Baseline) -> BaselineLine:
    more = {
        "name": baseline.name,
        "digest": baseline.digest,
        "game": baseline.game,
        "number": baseline.number,
    }
    return BaselineLine.of(baseline.promotion, **more, gate=baseline.promotion.gate or None)


def _row(baseline: Baseline, *, people: bool) -> Row:
    """A baseline's row; for people its digest is short."""
    line = _line(baseline)
    row = {**asdict(line), "args": " ".join(line.args) or None, "beat": beat_text(baseline) or None}
    return row | {"digest": baseline.digest[:SHORT], "promoted": line.promoted[:10]} if people else row


def label_of(baseline: Baseline) -> str:
    """A baseline's name, version and short digest."""
    return f"{baseline.name} {baseline.promotion.version} ({baseline.digest[:SHORT]})"


def beat_text(baseline: Baseline) -> str:
    """The bots that a baseline beat, as ``greedy 1.0 by +80.1 Elo (+12.0 .. no bound)``."""
    return ", ".join(
        f"{beaten.name} {beaten.version} by {beaten.elo:+.1f} Elo ({interval_text(beaten.low, beaten.high)})"
        for beaten in baseline.promotion.beaten
    )


def print_baselines(shown: Sequence[Baseline], text: str) -> None:
    """Print baselines as a JSON document, or a text instead."""
    current().document(BaselinesDocument(baselines=tuple(map(_line, shown))))
    current().text(text)
