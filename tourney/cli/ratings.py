"""``tourney ratings``: the ratings of the bots, from the stored matches."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import click

from tourney.cli.completion import complete_game, complete_tournament
from tourney.cli.documents.tournaments import (
    MeasuresDocument,
    PairsDocument,
    PoolDocument,
    RatingsDocument,
    VersionsDocument,
)
from tourney.cli.options import db_option, formats_option, game_option, output_options, pairs
from tourney.cli.output import Format, Output, current
from tourney.cli.rating_tables import (
    TRUESKILL_MEASURES,
    RatingTable,
    anchor_option,
    anchors_text,
    batch_table,
    forfeits_option,
    measures_table,
    method_option,
    number,
    refuse_for,
    versions_data,
)
from tourney.errors import StoreError, UsageError
from tourney.ratings.method import METHODS, Forfeits, RatingLine
from tourney.ratings.trueskill_rating import PACKAGE_TAU, Settings, estimate_draw_probability
from tourney.results.columns import VERSIONS, VERSIONS_SHOWN
from tourney.results.ratings import (
    draw_probability_of,
    fault_counts,
    pool_notes,
    rate_batch,
    rate_by,
    rate_trueskill,
    shared_by,
)
from tourney.results.versions import Wanted, pool_versions, version_notes, version_rows
from tourney.store.repository import Repository
from tourney.store.values import DrawProbability, Tournament

ESTIMATE = "estimate"
AGAIN = "estimate-again"
DEFAULT = "default"


@click.command("ratings")
@click.argument("tournament", required=False, shell_complete=complete_tournament)
@method_option(METHODS.names())
@click.option(
    "--show",
    type=click.Choice(["bots", "pairs", "pool"]),
    default="bots",
    show_default=True,
    help="Table of a batch rating: the bots, the probability of superiority of each pair, or the whole pool.",
)
@forfeits_option
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
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Rate the versions of all bots in one fit over all tournaments of a game with the same settings.",
)
@click.option(
    "--game", metavar="GAME", shell_complete=complete_game, help="--all: game. [default: the only one]"
)
@anchor_option
@click.option("--seats", type=click.IntRange(min=2), metavar="N", help="--all: number of seats.")
@game_option
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="NAME=VALUE",
    callback=lambda _ctx, _param, values: pairs(values),
    help="--all: a limit of the tournaments, as move-ms=100; repeatable.",
)
@click.option(
    "--any-host",
    is_flag=True,
    help="--all: also pool tournaments by the wall clock from hosts of other or unknown speed.",
)
@db_option
@formats_option(RatingsDocument, VersionsDocument, MeasuresDocument, PairsDocument, PoolDocument)
@output_options
def command(
    tournament: str | None,
    method: str,
    show: str,
    forfeits: Forfeits,
    draw_probability: str | None,
    tau: str | None,
    every: bool,
    game: str | None,
    levels: dict[str, float],
    seats: int | None,
    options: dict[str, str],
    limits: dict[str, str],
    any_host: bool,
    db: str,
    format_: Format,
) -> None:
    """Print the ratings of TOURNAMENT (default: the newest).

    Batch: Elo relative to the mean of the pool with a 95 % confidence interval, and the confidence interval
    of the rank. The order of matches does not matter. TrueSkill: mu is the mean of the skill estimate and
    sigma its standard deviation; the table is sorted by mu - 3 sigma. Matches count in schedule order.

    With --all: the versions of all bots, by one batch fit over all tournaments of a game with the rules,
    seats, options and limits of TOURNAMENT (default: the newest that has what other options name), and the
    gain of each version over the one before it. Tournaments that cannot be pooled are named with the reason.
    Anchors, as --anchor greedy@1.0=1000, keep the scale from year to year.
    """
    trueskill = {"--tau": tau, "--draw-probability": draw_probability}
    batch_only = {f"--show {show}": show != "bots", "--all": every}
    if method != "trueskill":
        refuse_for("trueskill", (option for option, given in trueskill.items() if given is not None))
    if method != "batch":
        refuse_for("batch", (option for option, given in batch_only.items() if given))
    pool_only = {"--game": game, "--anchor": levels, "--seats": seats, "--option": options, "--limit": limits}
    for option, given in (pool_only | {"--any-host": any_host}).items():
        if given and not every:
            raise UsageError(f"{option} is for --all")
    output = current()
    if every:
        wanted = Wanted(game, tournament, seats, options, limits, any_host=any_host)
        _rate_all(db, wanted, show, forfeits, levels, format_, output)
        return
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


def _rate_all(
    db: str,
    wanted: Wanted,
    show: str,
    forfeits: Forfeits,
    levels: Mapping[str, float],
    format_: Format,
    output: Output,
) -> None:
    """Print the ratings of all versions of bots."""
    with Repository.open(db) as opened, opened.snapshot() as repository:
        pool = pool_versions(repository, wanted, forfeits)
    batch = pool.rate(levels, pairs=show == "pairs")
    # What a look means for one tournament does not fit a pool, which has a sentence of its own.
    notes = [*version_notes(pool), *pool_notes(replace(batch, look=None), pool.labels)]
    if levels:
        notes.append(anchors_text(levels))
    people = format_ is Format.TABLE
    if show == "bots":
        columns = VERSIONS_SHOWN if people else VERSIONS
        rows = version_rows(pool, batch)
        table = RatingTable(rows, columns, VersionsDocument, versions_data(pool, rows))
        table.write(output, format_, notes)
        return
    faults = {one.number: one.faults for one in pool.versions}
    table = batch_table(batch, show, pool.labels, faults, people=people)
    table.write(output, format_, notes, tournament=None)


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
