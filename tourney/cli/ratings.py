"""``tourney ratings``: the ratings of the bots, from the stored matches."""

from collections.abc import Sequence
from contextlib import suppress

import click

from tourney.cli.options import db_option, format_option, output_options
from tourney.cli.output import Format, Output, current
from tourney.errors import StoreError, UsageError
from tourney.ratings.batch import Batch
from tourney.ratings.draw_probability import estimate_draw_probability
from tourney.ratings.method import METHODS, Forfeits, RatingMethod
from tourney.ratings.trueskill_rating import PACKAGE_TAU, Settings
from tourney.results.columns import (
    ELO,
    ELO_SHOWN,
    PAIRS,
    POOL,
    TRUESKILL,
    Column,
    rating_columns,
    rendered,
)
from tourney.results.ratings import (
    Names,
    batch_rows,
    draw_probability_of,
    fault_counts,
    pair_rows,
    pool_rows,
    rate_batch,
    rate_by,
    rate_trueskill,
    rating_rows,
)
from tourney.store.repository import Repository
from tourney.store.values import DrawProbability, Tournament

_SHOWN_GROUPS = 6

ESTIMATE = "estimate"
AGAIN = "estimate-again"
DEFAULT = "default"


@click.command("ratings")
@click.argument("tournament", required=False)
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
@format_option
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
    if method == "batch":
        _batch(tournament, show, forfeits, db, format_)
    elif method == "trueskill":
        _trueskill(tournament, forfeits, draw_probability, tau, db, format_)
    else:
        _plugin(METHODS.find(method), tournament, forfeits, db, format_)


def _batch(name: str | None, show: str, forfeits: Forfeits, db: str, format_: Format) -> None:
    with Repository.open(db) as opened, opened.snapshot() as repository:
        found = repository.tournament(name)
        entrants = repository.entrants(found.id)
        faults = fault_counts(repository, found)
        batch: Batch = rate_batch(repository, found, forfeits, pairs=show == "pairs")
        finished = repository.progress(found.id)
    names = {entrant.number: entrant.name for entrant in entrants}
    output = current()
    people = format_ is Format.TABLE
    columns: Sequence[Column]
    if show == "pairs":
        rows, columns = pair_rows(batch, names), PAIRS
    elif show == "pool":
        rows, columns = pool_rows(batch, names), POOL
    else:
        rows, columns = batch_rows(batch, names, faults), ELO_SHOWN if people else ELO
    output.table(rendered(rows, columns, people=people), columns, format_)
    for sentence in notes(batch, names):
        output.say(sentence)
    _say_forfeits(output, forfeits, finished.done - finished.void - batch.pool.matches, sum(faults.values()))


def _trueskill(
    name: str | None,
    forfeits: Forfeits,
    draw_probability: str | None,
    tau: str | None,
    db: str,
    format_: Format,
) -> None:
    output = current()
    with Repository.open(db) as opened:
        found = opened.tournament(name)
        probability = _draw_probability(opened, found, draw_probability, forfeits, output)
        settings = Settings(
            tau=PACKAGE_TAU if tau == DEFAULT else _number("--tau", tau or "0"), draw_probability=probability
        )
        with opened.snapshot() as repository:
            names = {entrant.number: entrant.name for entrant in repository.entrants(found.id)}
            faults = fault_counts(repository, found)
            progress = repository.progress(found.id)
            rated = rate_trueskill(repository, found, settings, forfeits)
        if rated.keep is not None:
            # It only saves time: where the database cannot be written, all is rated again next time.
            with suppress(StoreError):
                opened.keep_checkpoint(found.id, rated.settings, rated.keep)
    table = rated.pool.table()
    rows = rating_rows(table, ("mu", "sigma", "exposed"), names, faults)
    output.table(rendered(rows, TRUESKILL, people=format_ is Format.TABLE), TRUESKILL, format_)
    if draw_probability not in {ESTIMATE, AGAIN}:
        output.say(f"rated with tau {settings.tau:g} and draw probability {probability:g}")
    matches = sum(line.games for line in table) // found.seats
    _say_forfeits(output, forfeits, progress.done - progress.void - matches, sum(faults.values()))


def _plugin(method: RatingMethod, name: str | None, forfeits: Forfeits, db: str, format_: Format) -> None:
    with Repository.open(db) as opened, opened.snapshot() as repository:
        found = repository.tournament(name)
        names = {entrant.number: entrant.name for entrant in repository.entrants(found.id)}
        faults = fault_counts(repository, found)
        progress = repository.progress(found.id)
        table = rate_by(repository, found, method, forfeits)
    rows = rating_rows(table, method.columns, names, faults)
    current().table(rows, rating_columns(method.columns), format_)
    matches = sum(line.games for line in table) // found.seats
    _say_forfeits(current(), forfeits, progress.done - progress.void - matches, sum(faults.values()))


def _say_forfeits(output: Output, forfeits: Forfeits, left_out: int, faults: int) -> None:
    if faults and forfeits == "void":
        output.say(f"matches with a fault, left out: {left_out}")


def _draw_probability(
    repository: Repository, tournament: Tournament, asked: str | None, forfeits: Forfeits, output: Output
) -> float:
    if asked is None:
        return draw_probability_of(repository, tournament)
    if asked not in {ESTIMATE, AGAIN}:
        return _number("--draw-probability", asked)
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


def _number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise UsageError(f"{option} {text} is no number") from error


def notes(batch: Batch, names: Names) -> list[str]:
    """Return sentences on the pool and the limits of its ratings."""
    pool = batch.pool
    if not pool.matches:
        return ["no match has been rated yet, so the intervals are those of the prior"]
    said = []
    if len(pool.parts) > 1:
        said.append(
            f"no match connects these {len(pool.parts)} groups of bots, so their ratings are not comparable:"
            f" {groups_text(pool.parts, names)}"
        )
    said += [
        "no bot ever scored against a group before its own, so only the prior limits their distance:"
        f" {groups_text(steps, names)}"
        for steps in pool.steps
        if len(steps) > 1
    ]
    first, *_, last = pool.seats
    if len(pool.seats) == 2:
        gap = first.elo - last.elo
        half = first.high - first.low
        said.append(
            f"seat 1 is worth {gap:+.1f} Elo over seat 2 (95 %: {gap - half:+.1f} to {gap + half:+.1f})"
        )
    else:
        seats = ", ".join(f"{seat.seat} {seat.elo:+.1f}" for seat in pool.seats)
        said.append(f"seats, in Elo relative to their mean: {seats}")
    if pool.goodness.p_value is not None:
        said.append(
            f"fit: pairs' residuals are {pool.goodness.ratio} times those expected by chance"
            f" (p = {pool.goodness.p_value})"
        )
    return said


def groups_text(groups: Sequence[Sequence[int]], names: Names) -> str:
    """Return groups of bots in a line, cut short where they are many."""
    shown = [", ".join(names[number] for number in group[:_SHOWN_GROUPS]) for group in groups[:_SHOWN_GROUPS]]
    for k, group in enumerate(groups[:_SHOWN_GROUPS]):
        if len(group) > _SHOWN_GROUPS:
            shown[k] += f" and {len(group) - _SHOWN_GROUPS} more"
    if len(groups) > _SHOWN_GROUPS:
        shown.append(f"{len(groups) - _SHOWN_GROUPS} more")
    return " | ".join(shown)
