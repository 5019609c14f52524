"""``tourney ratings``: the ratings of the bots, from the stored matches."""

from collections.abc import Sequence
from contextlib import suppress

import click

from tourney.cli.completion import complete_tournament
from tourney.cli.documents.tournaments import (
    MeasuresDocument,
    PairsDocument,
    PoolDocument,
    RatingsDocument,
)
from tourney.cli.options import db_option, formats_option, output_options
from tourney.cli.output import Format, Output, current
from tourney.cli.rating_tables import TRUESKILL_MEASURES, batch_table, measures_table, number
from tourney.errors import StoreError, UsageError
from tourney.ratings.method import METHODS, Forfeits, RatingLine
from tourney.ratings.trueskill_rating import PACKAGE_TAU, Settings, estimate_draw_probability
from tourney.results.ratings import (
    draw_probability_of,
    fault_counts,
    pool_notes,
    rate_batch,
    rate_by,
    rate_trueskill,
    shared_by,
)
from tourney.store.repository import Repository
from tourney.store.values import DrawProbability, Tournament

ESTIMATE = "estimate"
AGAIN = "estimate-again"
DEFAULT = "default"


@click.command("ratings")
@click.argument("tournament", required=False, shell_complete=complete_tournament)
@click.option(
    "--method",
    type=click.Choice(METHODS.names()),
    default="batch",
    show_default=True,
    help="Rating method: one fit to all matches (batch), or match by match (trueskill).",
)
@click.option(
    "--show",
    type=click.Choice(["bots", "pairs", "pool"]),
    default="bots",
    show_default=True,
    help="Table of a batch rating: the bots, the probability of superiority of each pair, or the whole pool.",
)
@click.option(
    "--forfeits",
    type=click.Choice(["loss", "void"]),
    default="loss",
    show_default=True,
    help="Whether a match lost by a fault counts as a loss or not at all.",
)
@click.option(
    "--draw-probability",
    metavar="P",
    help=f"TrueSkill: draw probability of equal bots, from 0 to 1; or '{ESTIMATE}' to estimate it from the"
    f" results, print it and store it for this game and number of seats ('{AGAIN}' replaces it)."
    " [default: the stored value, or the game's]",
)
@click.option(
    "--tau",
    metavar="T",
    help=f"TrueSkill: change of skill between matches, or '{DEFAULT}' for the trueskill package's default."
    " [default: 0]",
)
@db_option
@formats_option(RatingsDocument, MeasuresDocument, PairsDocument, PoolDocument)
@output_options
def command(
    tournament: str | None,
    method: str,
    show: str,
    forfeits: Forfeits,
    draw_probability: str | None,
    tau: str | None,
    db: str,
    format_: Format,
) -> None:
    """Print the ratings of TOURNAMENT (default: the newest).

    Batch: Elo relative to the mean of the pool with a 95 % confidence interval, and the confidence interval
    of the rank. The order of matches does not matter. TrueSkill: mu is the mean of the skill estimate and
    sigma its standard deviation; the table is sorted by mu - 3 sigma. Matches count in schedule order.
    """
    if method != "trueskill":
        for option, given in (("--tau", tau), ("--draw-probability", draw_probability)):
            if given is not None:
                raise UsageError(f"{option} is for --method trueskill")
    if method != "batch" and show != "bots":
        raise UsageError(f"--show {show} is for --method batch")
    output = current()
    with Repository.open(db) as opened:
        found = opened.tournament(tournament)
        settings = None
        if method == "trueskill":
            settings = Settings(
                draw_probability=_draw_probability(opened, found, draw_probability, forfeits, output),
                tau=PACKAGE_TAU if tau == DEFAULT else number("--tau", tau or "0"),
            )
        with opened.snapshot() as repository:
            names = {entrant.number: entrant.name for entrant in repository.entrants(found.id)}
            faults = fault_counts(repository, found)
            progress = repository.progress(found.id)
            rated = None
            said: list[str] = []
            if method == "batch":
                batch = rate_batch(repository, found, forfeits, pairs=show == "pairs")
                table = batch_table(batch, show, names, faults, people=format_ is Format.TABLE)
                matches, said = batch.pool.matches, list(pool_notes(batch, names, shared=shared_by(found)))
            else:
                if settings is not None:
                    rated = rate_trueskill(repository, found, settings, forfeits)
                    lines: Sequence[RatingLine] = rated.pool.table()
                    measures = TRUESKILL_MEASURES
                else:
                    chosen = METHODS.find(method)
                    lines, measures = rate_by(repository, found, chosen, forfeits), chosen.columns
                table = measures_table(lines, method, measures, names, faults)
                matches = sum(line.games for line in lines) // found.seats
        if rated is not None and rated.keep is not None:
            # The checkpoint only saves time: without it the next command rates all matches again.
            with suppress(StoreError):
                opened.keep_checkpoint(found.id, rated.settings, rated.keep)
    if settings is not None and draw_probability not in {ESTIMATE, AGAIN}:
        said = [f"rated with tau {settings.tau:g} and draw probability {settings.draw_probability:g}"]
    if any(faults.values()) and forfeits == "void":
        said.append(f"matches with a fault, left out: {progress.done - progress.void - matches}")
    table.write(output, format_, said, tournament=found.name)


def _draw_probability(
    repository: Repository, tournament: Tournament, asked: str | None, forfeits: Forfeits, output: Output
) -> float:
    if asked is None:
        return draw_probability_of(repository, tournament)
    if asked not in {ESTIMATE, AGAIN}:
        return number("--draw-probability", asked)
    game, seats = tournament.game, tournament.seats
    kept = repository.draw_probability(game, seats)
    if kept is None or asked == AGAIN:
        results = list(repository.results(tournament.id))
        kept = DrawProbability(estimate_draw_probability(results, forfeits), tournament.name, len(results))
        try:
            repository.keep_draw_probability(game, seats, kept)
        except StoreError as error:
            output.warn(f"the draw probability is not kept: {error}")
    output.say(
        f"draw probability of {game} with {seats} seats, of {kept.matches} matches of {kept.tournament}:"
        f" {kept.probability}"
    )
    return kept.probability
