"""``tourney ratings``: how strong the bots are, from the stored matches."""

from typing import Any

import click

from tourney.cli.options import db_option, format_option, output_options
from tourney.cli.output import Column, Format, current
from tourney.errors import UsageError
from tourney.ratings import draws
from tourney.ratings.trueskill_rating import PACKAGE_TAU, Settings, rate
from tourney.ratings.values import Forfeits
from tourney.store.repository import Repository
from tourney.store.values import ResultRow, StoredEntrant, Tournament

COLUMNS = (
    Column("rank", right=True),
    Column("name"),
    Column("mu", right=True),
    Column("sigma", right=True),
    Column("exposed", "mu-3sigma", right=True),
    Column("games", right=True),
    Column("faults", right=True),
)

ESTIMATE = "estimate"
DEFAULT = "default"


@click.command("ratings")
@click.argument("tournament", required=False)
@click.option(
    "--method",
    type=click.Choice(["trueskill"]),
    default="trueskill",
    show_default=True,
    help="How to rate.",
)
@click.option(
    "--draw-probability",
    metavar="P",
    help=f"How often equals draw: a number from 0 to 1, or '{ESTIMATE}' to take it from the results and print"
    " it. [default: the game's]",
)
@click.option(
    "--tau",
    default="0",
    show_default=True,
    metavar="T",
    help=f"By how much skill moves between matches, or '{DEFAULT}' for the trueskill package's own.",
)
@click.option(
    "--forfeits",
    type=click.Choice(["loss", "void"]),
    default="loss",
    show_default=True,
    help="What a fault is: a loss, or a match that is left out.",
)
@db_option
@format_option
@output_options
def command(
    tournament: str | None,
    method: str,  # noqa: ARG001 - there is one so far
    draw_probability: str | None,
    tau: str,
    forfeits: Forfeits,
    db: str,
    format_: Format,
) -> None:
    """Print the ratings of TOURNAMENT, by default the one begun last.

    mu is the mean of what is believed of a bot's skill and sigma its standard deviation; the table is in the
    order of mu - 3 sigma. Matches count in schedule order, whenever they were played.
    """
    with Repository.open(db) as opened, opened.snapshot() as repository:
        found = repository.tournament(tournament)
        entrants = repository.entrants(found.id)
        results = list(repository.results(found.id))
    settings = Settings(
        tau=PACKAGE_TAU if tau == DEFAULT else _number("--tau", tau),
        draw_probability=_draw_probability(found, results, draw_probability, forfeits),
    )
    rows = _rows(entrants, results, settings, forfeits)
    if format_ is Format.TABLE:
        rows = [row | {key: f"{row[key]:.3f}" for key in ("mu", "sigma", "exposed")} for row in rows]
    current().table(rows, COLUMNS, format_)


def _rows(
    entrants: tuple[StoredEntrant, ...], results: list[ResultRow], settings: Settings, forfeits: Forfeits
) -> list[dict[str, Any]]:
    names = {entrant.number: entrant.name for entrant in entrants}
    faults = dict.fromkeys(names, 0)
    for result in results:
        for number, kind in zip(result.entrants, result.faults, strict=True):
            faults[number] += kind is not None
    return [
        {
            "rank": line.rank,
            "name": names[line.entrant],
            "mu": line.mu,
            "sigma": line.sigma,
            "exposed": line.exposed,
            "games": line.games,
            "faults": faults[line.entrant],
        }
        for line in rate(results, names, settings, forfeits)
    ]


def _draw_probability(
    tournament: Tournament, results: list[ResultRow], asked: str | None, forfeits: Forfeits
) -> float:
    if asked is None:
        return draws.default(tournament.game, tournament.seats, dict(tournament.plan.options))
    if asked != ESTIMATE:
        return _number("--draw-probability", asked)
    estimated = draws.estimate(results, forfeits)
    current().say(f"draw probability of {tournament.game} with {tournament.seats} seats: {estimated}")
    return estimated


def _number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise UsageError(f"{option} {text} is no number") from error
