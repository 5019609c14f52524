"""Ratings as rows of tables: of stored tournaments, long schedules in part, and of other programs' games."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Any, get_args

from tourney.errors import RecordError, UsageError
from tourney.ratings.batch import Batch, BatchMethod, PoolMethod, SeatEffect
from tourney.ratings.counts import Clusters
from tourney.ratings.method import (
    METHODS,
    Forfeits,
    Measure,
    OrderedMethod,
    OrderedPool,
    RatingLine,
    RatingMethod,
)
from tourney.ratings.sequential import PlannedGames
from tourney.results.columns import ELO, WIDE, range_text, rating_columns
from tourney.results.interval_widths import look_of
from tourney.results.luck import results_with_luck
from tourney.results.standings import score_of, setup_of
from tourney.results.tables import DataTable, entrant_names
from tourney.results.texts import Names
from tourney.results.until import as_planned
from tourney.schedule.format import ranking_format
from tourney.schedule.row import ResultRow
from tourney.store.database import Database
from tourney.store.derived import Checkpoint
from tourney.store.schedules import RowCounts
from tourney.store.values import StoredEntrant, Tournament

Rows = list[dict[str, Any]]
MAX_PLAYERS = 2000
"""Players of one fit: its matrices have a row and a column for each, and take a minute at this size."""
MAX_MATRIX = 60
"""Players of a table of all pairs' superiority in a terminal."""
TOO_FEW = "too few games"
"""Printed for people instead of an Elo that says nothing."""
DRAW_PROBABILITY = "draw-probability"
"""The option of methods that count draws; each game and number of seats has a value of its own."""
WORTH_KEEPING = 1000
"""Matches since the last checkpoint that make a new one worth keeping; rating them takes milliseconds."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A pool after all stored matches; ``keep``: a checkpoint worth keeping, under ``settings``."""

    pool: OrderedPool
    settings: str
    keep: Checkpoint | None


def rate_in_order(
    database: Database, tournament: Tournament, method: OrderedMethod, forfeits: Forfeits
) -> Rated:
    """Rate a tournament match after match, on from the last checkpoint under these settings, if any.

    A checkpoint lies within the settled prefix of the schedule, whose results never change; so matches that
    finish out of turn, and are rated in their place later, do no harm.
    """
    text = method.key(forfeits)
    numbers = [entrant.number for entrant in database.tournaments.entrants(tournament.id)]
    start = 0
    pool = method.begin(numbers)
    try:
        checkpoint = database.ratings.checkpoint(tournament.id, text)
    except RecordError:
        checkpoint = None
    settled = database.schedules.settled(tournament.id)
    if checkpoint is not None and checkpoint.number <= settled:
        thawed = method.load(checkpoint.state, numbers)
        if thawed is not None:
            start = checkpoint.number
            pool = thawed
    results = database.matches.results(tournament.id, after=start)
    beyond: list[ResultRow] = []

    def prefix() -> Iterator[ResultRow]:
        for result in results:
            if result.number > settled:
                beyond.append(result)
                return
            yield result

    pool = pool.after(prefix(), forfeits)
    # Matches before later results may still finish, so a checkpoint ends with the settled prefix.
    keep = Checkpoint(settled, method.dump(pool)) if settled - start >= WORTH_KEEPING else None
    return Rated(pool.after(chain(beyond, results), forfeits), text, keep)


def wrong_checkpoints(database: Database, tournament: Tournament) -> Iterator[str]:
    """Yield the settings of stored checkpoints that do not follow from the results, by rating them again."""
    numbers = [entrant.number for entrant in database.tournaments.entrants(tournament.id)]
    for text, checkpoint in database.ratings.checkpoints(tournament.id):
        try:
            data = json.loads(text)
            name = data.pop("method")
            forfeits = data.pop("forfeits")
            if not METHODS.knows(name):
                continue  # of an add-on that is not installed: nothing here reads it
            plain = METHODS.find(name)
            method = plain.configured(**data) if isinstance(plain, OrderedMethod) else None
        except (ValueError, LookupError, TypeError, AttributeError, UsageError):
            method = None
        if method is None or forfeits not in get_args(Forfeits):
            yield text
            continue
        results = (
            result for result in database.matches.results(tournament.id) if result.number <= checkpoint.number
        )
        pool = method.begin(numbers).after(results, forfeits)
        stored = method.load(checkpoint.state, numbers)
        if stored is None or method.dump(stored) != method.dump(pool):
            yield text


def rate_by(
    database: Database, tournament: Tournament, method: RatingMethod, forfeits: Forfeits
) -> Sequence[RatingLine]:
    """Rate a tournament by any method, from all of its results."""
    numbers = [entrant.number for entrant in database.tournaments.entrants(tournament.id)]
    return method.rate_sorted(database.matches.results(tournament.id), numbers, tournament.seats, forfeits)


def rate_batch(
    database: Database,
    tournament: Tournament,
    forfeits: Forfeits,
    *,
    method: PoolMethod | None = None,
    pairs: bool = True,
    **how: bool,
) -> Batch:
    """Rate a tournament in one fit (default: Tourney's own), without the table of pairs unless ``pairs``.

    ``how``: ``joined`` and ``luck`` of ``tourney.ratings.counts.Clusters``.
    """
    entrants = database.tournaments.entrants(tournament.id)
    numbers = [entrant.number for entrant in entrants]
    clusters = Clusters(shared_dice=tournament.plan.mirrored_dice, forfeits=forfeits, **how)
    with_luck = how.get("luck", True)
    clusters.take(
        results_with_luck(database, tournament) if with_luck else database.matches.results(tournament.id)
    )
    look = look_now(tournament, entrants, database.schedules.progress(tournament.id))
    method = _scored(method or BatchMethod(), tournament)
    return method.fit_clusters(clusters, numbers, tournament.seats, pairs=pairs, look=look)


def rate_anchored(
    database: Database,
    tournament: Tournament,
    forfeits: Forfeits,
    method: PoolMethod,
    anchors: Mapping[int, float],
) -> Batch:
    """Rate a tournament in one fit in which the mean of some entrants' Elo, by number, is fixed."""
    entrants = database.tournaments.entrants(tournament.id)
    clusters = Clusters(shared_dice=tournament.plan.mirrored_dice, forfeits=forfeits)
    clusters.take(results_with_luck(database, tournament))
    counts = clusters.counts([entrant.number for entrant in entrants], tournament.seats)
    look = look_now(tournament, entrants, database.schedules.progress(tournament.id))
    return _scored(method, tournament).fit(counts, pairs=False, look=look, anchors=anchors)


def _scored(method: PoolMethod, tournament: Tournament) -> PoolMethod:
    """The method for what counts in a tournament's places, if it can rate by that."""
    return method.by_score(score_of(tournament.plan)) if isinstance(method, BatchMethod) else method


def rating_table(
    database: Database,
    tournament: Tournament,
    name: str,
    forfeits: Forfeits,
    anchors: Mapping[str, float] = MappingProxyType({}),
) -> DataTable:
    """A row for each entrant, best first, with the stored settings or the defaults.

    ``anchors``: the Elo of entrants by name, whose mean is fixed. Raises UsageError for an unknown method or
    anchor, and for anchors of a method that takes none.
    """
    names = entrant_names(database, tournament)
    faults = database.totals.faults_by_entrant(tournament.id)
    method = METHODS.find(name)
    numbers = {entrant: number for number, entrant in names.items()}
    for anchor in anchors:
        if anchor not in numbers:
            entrants = ", ".join(numbers)
            raise UsageError(f"{tournament.name} has no entrant {anchor!r}; its entrants: {entrants}")
    if anchors and not isinstance(method, PoolMethod):
        raise UsageError(f"the method {name} has no Elo to anchor: leave the anchors out, or take batch")
    if isinstance(method, PoolMethod):
        levels = {numbers[anchor]: elo for anchor, elo in anchors.items()}
        if levels:
            batch = rate_anchored(database, tournament, forfeits, method, levels)
        else:
            batch = rate_batch(database, tournament, forfeits, method=method, pairs=False)
        return DataTable(ELO, batch_rows(batch, names, faults))
    if isinstance(method, OrderedMethod):
        if DRAW_PROBABILITY in method.options:
            method = method.configured(draw_probability=draw_probability_of(database, tournament))
        lines = method.shown(
            rate_in_order(database, tournament, method, forfeits).pool.table(), tournament.seats
        )
    else:
        lines = rate_by(database, tournament, method, forfeits)
    rows = rating_rows(lines, method.measures, names, faults)
    return DataTable(rating_columns(method.measures), rows)


def look_now(
    tournament: Tournament, entrants: Sequence[StoredEntrant], counts: RowCounts
) -> PlannedGames | None:
    """The plan by which intervals hold at every look, or None for a tournament that ended as planned."""
    setup = setup_of(tournament.plan, tournament.seed, entrants)
    format_ = ranking_format(tournament.plan.format)
    over = tournament.complete and counts.done == counts.rows
    return None if over and as_planned(format_, setup, counts.rows) else look_of(format_, setup)


def draw_probability_of(database: Database, tournament: Tournament) -> float:
    """The draw probability of a tournament: the stored one of its game and seats, or the default.

    Of results of other programs it is estimated: their game may be unknown, and how often it is drawn, too.
    """
    estimate = database.ratings.draw_probability(tournament.game, tournament.seats)
    if estimate is not None:
        return estimate.probability
    from tourney.ratings.trueskill import default_draw_probability, estimate_draw_probability  # noqa: PLC0415 - only TrueSkill needs them

    if not tournament.recorded:
        return estimate_draw_probability(database.matches.results(tournament.id))
    return default_draw_probability(tournament.game, tournament.seats, dict(tournament.plan.options))


def estimated_text(probability: float) -> str:
    """The sentence on a draw probability that no person chose."""
    return (
        f"The draw probability {probability:g} is estimated from these results; --draw-probability sets it."
    )


def rating_rows(
    lines: Iterable[RatingLine], measures: Sequence[Measure], names: Names, faults: Mapping[int, int]
) -> Rows:
    """A rating table as rows, with the ``measures`` of its method."""
    return [
        {
            "rank": line.rank,
            "name": names[line.entrant],
            **{measure.name: getattr(line, measure.name) for measure in measures},
            "games": line.games,
            "faults": faults[line.entrant],
        }
        for line in lines
    ]


def unsure(batch: Batch) -> frozenset[int]:
    """The entrants whose Elo says nothing yet: the prior decides it, or its interval is wide."""
    wide = (line.entrant for line in batch.ratings if line.high - line.low > WIDE or not line.games)
    return batch.apart | frozenset(wide)


def without_guesses(rows: Rows, batch: Batch) -> Rows:
    """Rows of a batch rating for people: ``TOO_FEW`` instead of an Elo or a gain that says nothing."""
    vague = unsure(batch)
    no_elo = {"elo": None, "interval": TOO_FEW}
    no_gain = {"gain": None, "gain_interval": TOO_FEW}
    return [
        row | (no_elo if row["entrant"] in vague else {}) | (no_gain if row.get("vague_gain") else {})
        for row in rows
    ]


def batch_rows(batch: Batch, names: Names, faults: Mapping[int, int]) -> Rows:
    """A batch rating as rows: its numbers, and the ranges as text."""
    return [
        line._asdict()
        | {
            "name": names[line.entrant],
            "faults": faults[line.entrant],
            "ranks": "-".join(map(str, dict.fromkeys((line.best_rank, line.worst_rank)))),
            "interval": range_text(line.low, line.high),
            "intervals": batch.intervals,
            # Where one number a bot does not fit, none is the best.
            "p_best": line.p_best if batch.cycles is None else None,
        }
        for line in batch.ratings
    ]


def pair_rows(batch: Batch, names: Names) -> Rows:
    """All pairs as rows, the bot in front first."""
    return [pair._asdict() | {"a": names[pair.a], "b": names[pair.b]} for pair in batch.pairs]


def pool_rows(batch: Batch, names: Names) -> Rows:
    """The figures of the whole pool, a row each."""
    pool = batch.pool
    fit = batch.pool.goodness
    values = {
        "matches": pool.matches,
        "distinct matches": pool.distinct,
        "clusters": pool.clusters,
        "draw rate": pool.draw_rate,
        **{f"seat {seat.seat} (Elo)": seat for seat in pool.seats},
        "dispersion": pool.dispersion,
        "fit: pairs": fit.pairs,
        "fit: mean squared residual": fit.ratio,
        "fit: p-value": fit.p_value,
        "parts": len(pool.parts),
        "spread of the strengths (Elo)": pool.prior_elo,
        **{
            f"P(best) of {names[line.entrant]}": line.p_best for line in batch.ratings if batch.cycles is None
        },
    }
    return [
        {
            "figure": figure,
            "value": value.elo,
            "low": value.low,
            "high": value.high,
            "intervals": batch.intervals,
        }
        if isinstance(value, SeatEffect)
        else {"figure": figure, "value": value}
        for figure, value in values.items()
    ]


def cycle_rows(batch: Batch, names: Names) -> Rows:
    """The likeliest cycles as rows; ``bots`` ends with the first again."""
    cycles = () if batch.cycles is None else batch.cycles.cycles or ()
    return [
        {
            "bots": " > ".join(names[entrant] for entrant in (*cycle.entrants, cycle.entrants[0])),
            "scores": " ".join(f"{100 * score:.1f}" for score in cycle.scores),
            "probability": cycle.probability,
        }
        for cycle in cycles
    ]


def superiority_rows(batch: Batch, names: Mapping[int, str]) -> Rows:
    """The probabilities that a row's player is stronger than each column's, the best player first.

    Columns are named by the players' places in the table, from 1; the diagonal is None.
    """
    order = [line.entrant for line in batch.ratings]
    place = {number: str(at) for at, number in enumerate(order, 1)}
    rows: dict[int, dict[str, object]] = {
        number: {"place": at, "name": names[number], str(at): None} for at, number in enumerate(order, 1)
    }
    for pair in batch.pairs:
        rows[pair.a][place[pair.b]] = pair.los
        # Rounded like the other half, so that the two add up to 1 as printed.
        rows[pair.b][place[pair.a]] = round(1 - pair.los, 4)
    return list(rows.values())
