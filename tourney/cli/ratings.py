"""``tourney ratings``: the ratings of the bots, from the stored matches."""

from contextlib import suppress
from dataclasses import replace

import click

from tourney.cli import options as opt
from tourney.cli import rating_tables as tables
from tourney.cli.luck import compute_luck_shown
from tourney.cli.options import option
from tourney.cli.output import current
from tourney.cli.standings import name_default
from tourney.errors import StoreError, UsageError
from tourney.ratings.batch import PoolMethod
from tourney.ratings.method import DEFAULT_METHOD, METHODS, Forfeits, OrderedMethod, RatingMethod
from tourney.results import ratings as results
from tourney.results.tables import entrant_names
from tourney.results.texts import pool_notes, shared_by
from tourney.results.versions import Wanted, pool_versions, version_notes
from tourney.store.database import Database
from tourney.store.derived import DrawProbability
from tourney.store.values import Tournament

ESTIMATE = "estimate"
AGAIN = "estimate-again"


class _RatingsRequest(opt.CommandOptions):
    method: str = opt.shared(opt.method_option(METHODS.names(), DEFAULT_METHOD))
    show: str = option(
        "--show",
        "Table of a batch rating: the bots, the probability of superiority of each pair, or the whole pool.",
        type=click.Choice(["bots", "pairs", "pool"]),
        default="bots",
    )
    forfeits: Forfeits = opt.shared(opt.forfeits_option)
    repeats: str = opt.shared(opt.repeats_option)
    no_luck: bool = opt.shared(opt.no_luck_option)
    draw_probability: str | None = option(
        "--draw-probability P",
        f"TrueSkill: draw probability of equal bots, from 0 to 1; or '{ESTIMATE}' to estimate it"
        " from the results, print it and store it for this game and number of seats"
        f" ('{AGAIN}' replaces it). [default: the stored value, or the game's]",
    )
    tau: str | None = option(
        "--tau T",
        "TrueSkill: change of skill between matches, or 'default' for the trueskill package's"
        " default. [default: 0]",
    )
    every: bool = option(
        "--all",
        "Rate the versions of all bots in one fit over all tournaments of a game with the same settings.",
    )
    game: str | None = option("--game GAME", "--all: game. [default: the only one]")
    levels: dict[str, float] = opt.shared(opt.anchor_option)
    seats: int | None = option("--seats N", "--all: number of seats.", type=click.IntRange(min=2))
    options: dict[str, str] = opt.shared(opt.game_option)
    limits: dict[str, str] = option(
        "--limit NAME=VALUE",
        "--all: a limit of the tournaments, as move-ms=100; repeatable.",
        multiple=True,
        callback=lambda _ctx, _param, values: opt.pairs(values),
    )
    any_host: bool = option(
        "--any-host", "--all: also pool tournaments by the wall clock from hosts of other or unknown speed."
    )
    db: str = opt.shared(opt.db_option)
    format_: object = opt.formats(
        tables.RatingsDocument,
        tables.VersionsDocument,
        tables.MeasuresDocument,
        tables.PairsDocument,
        tables.PoolDocument,
    )

    def check(self) -> None:
        """Raise UsageError for options that do not go together."""
        options = {
            "tau": ("--tau", self.tau is not None),
            "draw-probability": ("--draw-probability", self.draw_probability is not None),
            "show": (f"--show {self.show}", self.show != "bots"),
            "all": ("--all", self.every),
            "repeats": ("--repeats count", self.repeats != "join"),
            "no-luck": ("--no-luck", self.no_luck),
        }
        tables.refuse_others(METHODS.find(self.method), options)
        if self.every:
            opt.refuse({"--repeats count": self.repeats != "join"}, "is for the ratings of one tournament")
        else:
            pool = ("game", "anchor", "seats", "option", "limit", "any-host")
            values = (self.game, self.levels, self.seats, self.options, self.limits, self.any_host)
            if self.levels:
                raise UsageError(
                    "--anchor is for --all --game GAME, which rates bots over all tournaments of a game; one"
                    " tournament takes anchors in Python: tournament.ratings(anchors={...})"
                )
            opt.refuse({f"--{word}": value for word, value in zip(pool, values, strict=True)}, "is for --all")


@opt.command("ratings", _RatingsRequest)
@opt.tournament_argument
def command(tournament: str | None, options: _RatingsRequest) -> None:
    """Print the ratings of TOURNAMENT (default: the newest).

    Batch: Elo with a 95 % confidence interval, and the confidence interval of the rank. 0 is the mean of all
    bots, or of those that a note names. The order of matches does not matter. TrueSkill: mu is the mean of
    the skill estimate and sigma its standard deviation; the table is sorted by mu. Matches count in schedule
    order.

    With --all: the versions of all bots, by one batch fit over all tournaments of a game with the rules,
    seats, options and limits of TOURNAMENT (default: the newest that has what other options name), and the
    gain of each version over the one before it. Tournaments that cannot be pooled are named with the reason.
    Anchors, as --anchor greedy@1.0=1000, keep the scale from year to year.
    """
    options.check()
    if options.every:
        _rate_versions(tournament, options)
        return
    with Database.open(options.db) as opened:
        stored = opened.tournaments.get(tournament)
        method = METHODS.find(options.method)
        if isinstance(method, OrderedMethod):
            method = method.configured(**_settings(opened, stored, method, options))
        name_default(tournament, stored, opened)
        if isinstance(method, PoolMethod) and not options.no_luck:
            compute_luck_shown(opened, stored)
        with opened.snapshot() as database:
            rated = _rate(database, stored, method, options)
        if rated is not None and rated.keep is not None:
            # The checkpoint only saves time: without it the next command rates all matches again.
            with suppress(StoreError):
                opened.ratings.keep_checkpoint(stored.id, rated.settings, rated.keep)


def _rate(
    database: Database, tournament: Tournament, method: RatingMethod, options: _RatingsRequest
) -> results.Rated | None:
    """Print the ratings; return those of a method that keeps checkpoints."""
    faults = database.totals.faults_by_entrant(tournament.id)
    bots = tables.RatedBots(entrant_names(database, tournament), faults, tournament.name)
    rated = None
    forfeits = options.forfeits

    def left_out(matches: int) -> list[str]:
        if forfeits != "void" or not any(faults.values()):
            return []
        progress = database.schedules.progress(tournament.id)
        return [f"matches with a fault, left out: {progress.done - progress.void - matches}"]

    if isinstance(method, PoolMethod):
        batch = results.rate_batch(
            database,
            tournament,
            forfeits,
            method=method,
            pairs=options.show == "pairs",
            joined=options.repeats == "join",
            luck=not options.no_luck,
        )
        notes = [*pool_notes(batch, bots.names, shared=shared_by(tournament)), *left_out(batch.pool.matches)]
        tables.print_batch(batch, bots, options.show, notes)
        return None
    notes = []
    if isinstance(method, OrderedMethod):
        rated = results.rate_in_order(database, tournament, method, forfeits)
        lines = method.shown(rated.pool.table(), tournament.seats)
        if options.draw_probability not in {ESTIMATE, AGAIN}:
            notes.append(method.note)
    else:
        lines = results.rate_by(database, tournament, method, forfeits)
    notes += left_out(sum(line.games for line in lines) // tournament.seats)
    tables.print_measures(lines, method, bots, notes)
    return rated


def _rate_versions(tournament: str | None, options: _RatingsRequest) -> None:
    wanted = Wanted(
        options.game,
        tournament,
        options.seats,
        options.options,
        options.limits,
        any_host=options.any_host,
    )
    with Database.open(options.db) as opened, opened.snapshot() as database:
        pool = pool_versions(database, wanted, options.forfeits, compute_luck_shown)
    batch = pool.rate(options.levels, pairs=options.show == "pairs")
    # What a look means for one tournament does not fit a pool, which has a sentence of its own.
    notes = [*version_notes(pool), *pool_notes(replace(batch, look=None), pool.labels)]
    if options.levels:
        notes.append(opt.anchors_text(options.levels))
    if options.show == "bots":
        tables.print_versions(pool, batch, notes)
    else:
        bots = tables.RatedBots(pool.labels, {version.number: version.faults for version in pool.versions})
        tables.print_batch(batch, bots, options.show, notes)


def _settings(
    database: Database, tournament: Tournament, method: OrderedMethod, options: _RatingsRequest
) -> dict[str, float]:
    """The settings of a method by the options that it has. Raises UsageError."""
    settings = {}
    if results.DRAW_PROBABILITY in method.options:
        settings["draw_probability"] = _draw_probability(database, tournament, options)
    if "tau" in method.options and options.tau is not None:
        settings["tau"] = tables.tau_of(options.tau)
    return settings


def _draw_probability(database: Database, tournament: Tournament, options: _RatingsRequest) -> float:
    asked = options.draw_probability
    output = current()
    if asked is None:
        probability = results.draw_probability_of(database, tournament)
        stored = database.ratings.draw_probability(tournament.game, tournament.seats)
        if stored is None and not tournament.recorded:
            output.say(results.estimated_text(probability))
        return probability
    if asked not in {ESTIMATE, AGAIN}:
        return tables.number("--draw-probability", asked)
    game = tournament.game
    seats = tournament.seats
    estimate = database.ratings.draw_probability(game, seats)
    if estimate is None or asked == AGAIN:
        played = list(database.matches.results(tournament.id))
        from tourney.ratings.trueskill import estimate_draw_probability  # noqa: PLC0415 - only TrueSkill needs it

        probability = estimate_draw_probability(played, options.forfeits)
        estimate = DrawProbability(probability, tournament.name, len(played))
        try:
            database.ratings.keep_draw_probability(game, seats, estimate)
        except StoreError as error:
            output.warn(f"the draw probability is not kept: {error}")
    output.say(
        f"draw probability of {game} with {seats} seats, of {estimate.matches} matches of"
        f" {estimate.tournament}: {estimate.probability}"
    )
    return estimate.probability
