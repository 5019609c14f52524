"""Rating what is stored: from a tournament to TrueSkill pools and batch tables, long schedules in part."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, get_args

from tourney.errors import RecordError, UsageError
from tourney.ratings.batch import Batch, BatchPool, rate
from tourney.ratings.counts import Clusters
from tourney.ratings.cycles import MOST, PoolCycles
from tourney.ratings.method import METHODS, Forfeits, RatingLine, RatingMethod
from tourney.ratings.sequential import PlannedGames
from tourney.ratings.trueskill_rating import (
    Settings,
    SkillPool,
    default_draw_probability,
    dump_pool,
    load_pool,
    settings_text,
)
from tourney.results.columns import ELO, rating_columns
from tourney.results.standings import setup_of
from tourney.results.tables import ResultTable, entrant_names
from tourney.results.texts import repeats_text
from tourney.results.until import as_planned, look_of
from tourney.schedule.format import ranking_format
from tourney.schedule.row import ResultRow
from tourney.store.database import Database
from tourney.store.rating_data import Checkpoint
from tourney.store.schedules import RowCounts
from tourney.store.values import StoredEntrant, Tournament

Rows = list[dict[str, Any]]
Names = Mapping[int, str]
"""Entrants' names by number."""

WORTH_KEEPING = 1000
"""Matches since the last checkpoint that make a new one worth keeping; rating them takes milliseconds."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A TrueSkill pool after all stored matches; ``keep``: a checkpoint worth keeping, under ``settings``."""

    pool: SkillPool
    settings: str
    keep: Checkpoint | None


def rate_trueskill(
    database: Database, tournament: Tournament, settings: Settings, forfeits: Forfeits
) -> Rated:
    """Rate a tournament by TrueSkill, on from the last checkpoint under these settings, if there is one.

    A checkpoint lies within the settled prefix of the schedule, whose results never change; so matches that
    finish out of turn, and are rated in their place later, do no harm.
    """
    text = settings_text(settings, forfeits)
    numbers = [entrant.number for entrant in database.tournaments.entrants(tournament.id)]
    start, pool = 0, SkillPool.of(numbers, settings)
    try:
        kept = database.ratings.checkpoint(tournament.id, text)
    except RecordError:
        kept = None
    settled = database.schedules.settled(tournament.id)
    if kept is not None and kept.number <= settled:
        thawed = load_pool(kept.state, settings, numbers)
        if thawed is not None:
            start, pool = kept.number, thawed
    results = database.matches.results(tournament.id, after=start)
    beyond: list[ResultRow] = []

    def prefix() -> Iterator[ResultRow]:
        for result in results:
            if result.number > settled:
                beyond.append(result)
                return
            yield result

    pool = pool.after_ordered(prefix(), forfeits)
    keep = Checkpoint(settled, dump_pool(pool)) if settled - start >= WORTH_KEEPING else None
    return Rated(pool.after_ordered(chain(beyond, results), forfeits), text, keep)


def wrong_checkpoints(database: Database, tournament: Tournament) -> Iterator[str]:
    """Yield the settings of kept checkpoints that do not follow from the results, by rating them again."""
    numbers = [entrant.number for entrant in database.tournaments.entrants(tournament.id)]
    for text, kept in database.ratings.checkpoints(tournament.id):
        try:
            data = json.loads(text)
            forfeits = data.pop("forfeits")
            known = data.pop("method") == "trueskill" and forfeits in get_args(Forfeits)
            settings = Settings(**data)
        except (ValueError, LookupError, TypeError, AttributeError, UsageError):
            known = False
        if known:
            results = (one for one in database.matches.results(tournament.id) if one.number <= kept.number)
            pool = SkillPool.of(numbers, settings).after_ordered(results, forfeits)
            again = load_pool(kept.state, settings, numbers)
            known = again is not None and dump_pool(again) == dump_pool(pool)
        if not known:
            yield text


def rate_by(
    database: Database, tournament: Tournament, method: RatingMethod, forfeits: Forfeits
) -> Sequence[RatingLine]:
    """Rate a tournament by any method, from all of its results."""
    numbers = [entrant.number for entrant in database.tournaments.entrants(tournament.id)]
    return method.rate(database.matches.results(tournament.id), numbers, tournament.seats, forfeits)


def rate_batch(
    database: Database, tournament: Tournament, forfeits: Forfeits, *, pairs: bool = True, **how: bool
) -> Batch:
    """Rate a tournament in one fit, without the table of pairs unless ``pairs``.

    ``how``: ``joined`` and ``luck`` of ``tourney.ratings.counts.Clusters``.
    """
    entrants = database.tournaments.entrants(tournament.id)
    numbers = [entrant.number for entrant in entrants]
    clusters = Clusters(shared_dice=tournament.plan.mirrored_dice, forfeits=forfeits, **how)
    clusters.add(database.matches.results(tournament.id))
    look = look_now(tournament, entrants, database.schedules.progress(tournament.id))
    counts = clusters.counts(numbers, tournament.seats)
    return rate(counts, pairs=pairs, look=look)


def rating_table(database: Database, tournament: Tournament, method: str, forfeits: Forfeits) -> ResultTable:
    """A row for each entrant, best first, with the settings that are kept or the defaults.

    Raises UsageError for an unknown method.
    """
    names, faults = entrant_names(database, tournament), fault_counts(database, tournament)
    if method == "batch":
        batch = rate_batch(database, tournament, forfeits, pairs=False)
        return ResultTable(ELO, batch_rows(batch, names, faults))
    found = METHODS.find(method)
    lines: Sequence[RatingLine]
    if method == "trueskill":
        settings = Settings(draw_probability=draw_probability_of(database, tournament), tau=0.0)
        lines = rate_trueskill(database, tournament, settings, forfeits).pool.table()
    else:
        lines = rate_by(database, tournament, found, forfeits)
    rows = rating_rows(lines, found.columns, names, faults)
    return ResultTable(rating_columns(method, found.columns), rows)


def look_at(tournament: Tournament, entrants: Sequence[StoredEntrant]) -> PlannedGames:
    """What makes the intervals of an unfinished tournament hold at every look."""
    setup = setup_of(tournament.plan, tournament.seed, entrants)
    return look_of(ranking_format(tournament.plan.format), setup)


def look_now(
    tournament: Tournament, entrants: Sequence[StoredEntrant], counts: RowCounts
) -> PlannedGames | None:
    """``look_at``, or None for a tournament that ended as planned: it has fixed intervals."""
    setup = setup_of(tournament.plan, tournament.seed, entrants)
    over = tournament.complete and counts.done == counts.rows
    if over and as_planned(ranking_format(tournament.plan.format), setup, counts.rows):
        return None
    return look_at(tournament, entrants)


def draw_probability_of(database: Database, tournament: Tournament) -> float:
    """What TrueSkill takes for a tournament: what is kept for its game and seats, or the default."""
    kept = database.ratings.draw_probability(tournament.game, tournament.seats)
    if kept is not None:
        return kept.probability
    return default_draw_probability(tournament.game, tournament.seats, dict(tournament.plan.options))


def fault_counts(database: Database, tournament: Tournament) -> dict[int, int]:
    """The number of each entrant's faults, those in void matches included."""
    counts = {entrant.number: 0 for entrant in database.tournaments.entrants(tournament.id)}
    for number, _, count in database.totals.faults(tournament.id):
        counts[number] += count
    return counts


def rating_rows(
    lines: Iterable[RatingLine], measures: Sequence[str], names: Names, faults: Mapping[int, int]
) -> Rows:
    """A rating table as rows; ``measures`` names the attributes of a line beside rank and games."""
    return [
        {
            "rank": line.rank,
            "name": names[line.entrant],
            **{name: getattr(line, name) for name in measures},
            "games": line.games,
            "faults": faults[line.entrant],
        }
        for line in lines
    ]


def batch_rows(batch: Batch, names: Names, faults: Mapping[int, int]) -> Rows:
    """A batch rating as rows: its numbers, and the ranges as text."""
    return [
        line._asdict()
        | {
            "name": names[line.entrant],
            "faults": faults[line.entrant],
            "ranks": f"{line.best_rank}-{line.worst_rank}"
            if line.best_rank != line.worst_rank
            else f"{line.best_rank}",
            "interval": f"{line.low:+.1f} .. {line.high:+.1f}",
            "intervals": batch.intervals,
        }
        for line in batch.ratings
    ]


def pair_rows(batch: Batch, names: Names) -> Rows:
    """All pairs as rows, the bot in front first."""
    return [pair._asdict() | {"a": names[pair.a], "b": names[pair.b]} for pair in batch.pairs]


def pool_rows(batch: Batch, names: Names) -> Rows:
    """The figures of the whole pool, a row each."""
    pool, fit = batch.pool, batch.pool.goodness
    rows: Rows = [
        {"figure": "matches", "value": pool.matches},
        {"figure": "distinct matches", "value": pool.distinct},
        {"figure": "clusters", "value": pool.clusters},
        {"figure": "draw rate", "value": pool.draw_rate},
        *(
            {
                "figure": f"seat {seat.seat} (Elo)",
                "value": seat.elo,
                "low": seat.low,
                "high": seat.high,
                "intervals": batch.intervals,
            }
            for seat in pool.seats
        ),
        {"figure": "dispersion", "value": pool.dispersion},
        {"figure": "fit: pairs", "value": fit.pairs},
        {"figure": "fit: mean squared residual", "value": fit.ratio},
        {"figure": "fit: p-value", "value": fit.p_value},
        {"figure": "parts", "value": len(pool.parts)},
        {"figure": "prior (Elo, standard deviation)", "value": pool.prior_elo},
    ]
    rows += [{"figure": f"P(best) of {names[line.entrant]}", "value": line.p_best} for line in batch.ratings]
    return rows


def shared_by(tournament: Tournament) -> str:
    """What the games of a mirrored group have in common, in a word."""
    return "seed" if tournament.recorded else "pair"


def _plain(value: float, digits: int) -> str:
    return f"{round(value, digits) + 0.0:.{digits}f}"


def pool_notes(
    batch: Batch, names: Names, number: Callable[[float, int], str] = _plain, *, shared: str = "seed"
) -> Iterator[str]:
    """Yield sentences on the pool and the limits of its ratings.

    ``number`` returns a float as text with a number of decimals; ``shared`` is what the games of a group have
    in common.
    """
    pool, fit = batch.pool, batch.pool.goodness
    if batch.look is not None:
        yield (
            "Not all planned matches are played: intervals and ranks hold at every look, probabilities are"
            " those of this moment."
        )
    if not pool.matches:
        yield "No match has been rated yet, so the intervals are those of the prior."
        return
    yield from evidence_texts(batch, names, number)
    if len(pool.parts) > 1:
        yield (
            f"No match connects these {len(pool.parts)} groups of bots, so their ratings are not comparable:"
            f" {_groups_text(pool.parts, names)}."
        )
    for steps in pool.steps:
        if len(steps) > 1:
            yield (
                "No bot of a later group has scored against one of an earlier group, so only the prior limits"
                f" the distance between these groups: {_groups_text(steps, names)}."
            )
    if pool.seats:
        yield _seats_text(pool, number)
    if fit.p_value is not None and fit.ratio is not None:
        pairs = f"{fit.pairs:,} pair{'' if fit.pairs == 1 else 's'}"
        yield (
            f"Fit: the residuals of {pairs} are {number(fit.ratio, 2)} times those expected by chance"
            f" (p = {number(fit.p_value, 3)})."
        )
    if batch.cycles is not None and fit.p_value is not None:
        yield cycle_sentence(batch.cycles, fit.p_value, names, number)
    if pool.clusters == pool.matches:
        yield (
            f"No two games have the same {shared}, so each counts by itself; they vary"
            f" {number(pool.dispersion, 2)} times as much as the model says."
        )
        return
    yield (
        f"Games with the same {shared} vary {number(pool.dispersion, 2)} times as much as independent games;"
        " the intervals take this into account."
    )


def evidence_texts(batch: Batch, names: Names, number: Callable[[float, int], str] = _plain) -> Iterator[str]:
    """Yield how many games repeat, what was done with luck, and which bots may know the dice."""
    if batch.pool.distinct < batch.pool.matches:
        yield repeats_text(batch.pool.distinct, batch.pool.matches)
    if batch.share:
        yield (
            f"{number(100 * batch.share, 0)} % of the dice's luck is subtracted from results, which makes"
            " intervals narrower; --no-luck leaves it in."
        )
    for entrant, one in sorted(batch.luck.items()):
        if one.alarm:
            yield (
                f"{names[entrant]} may know the dice: they gave it {number(100 * one.mean, 1)} points per 100"
                f" matches, {number(one.z, 1)} standard errors above fair ones. Its luck is not subtracted."
            )


def cycle_sentence(
    found: PoolCycles, p_value: float, names: Names, number: Callable[[float, int], str] = _plain
) -> str:
    """Say to a bot's author that the model does not fit, with the likeliest cycle if there is one."""
    chance = f"p = {number(p_value, 3)}" if p_value else "p < 0.001"
    if found.cycles:
        lead = f"Strength is not one number here ({chance})"
        cycle = found.cycles[0]
        a, b, c = (names[entrant] for entrant in cycle.entrants)
        beats = "beats" if found.seats == 2 else "finishes ahead of"
        return (
            f"{lead}: {a} {beats} {b}, {b} {beats} {c} and {c} {beats} {a} (probability"
            f" {number(cycle.probability, 2)}), so the best choice depends on the opponents; the lottery and"
            " alpha-rank allow for this, Elo does not."
        )
    looked = "" if found.evaluations else f"; with more than {MOST} bots no cycles are looked for"
    return (
        f"The model does not fit (accidents, drift or matchups; {chance}): against some opponents bots score"
        f" more or less than their ratings say, typically by {number(100 * found.deviation, 1)} %{looked}."
    )


def evaluation_rows(batch: Batch, names: Names) -> Rows:
    """The evaluations that allow for cycles as rows, in the order of the ratings; none without any."""
    elo = {line.entrant: line.elo for line in batch.ratings}
    evaluations = () if batch.cycles is None else batch.cycles.evaluations
    return [{**line._asdict(), "name": names[line.entrant], "elo": elo[line.entrant]} for line in evaluations]


def cycle_rows(batch: Batch, names: Names) -> Rows:
    """The likeliest cycles as rows; ``bots`` ends with the first again."""
    cycles = () if batch.cycles is None else batch.cycles.cycles
    return [
        {
            "bots": " > ".join(names[entrant] for entrant in (*cycle.entrants, cycle.entrants[0])),
            "scores": " ".join(f"{100 * score:.1f}" for score in cycle.scores),
            "probability": cycle.probability,
        }
        for cycle in cycles
    ]


def _seats_text(pool: BatchPool, number: Callable[[float, int], str]) -> str:
    seats = (
        f"seat {seat.seat}: {number(seat.elo, 0)} ({number(seat.low, 0)} to {number(seat.high, 0)})"
        for seat in pool.seats
    )
    return f"Seats, in Elo relative to their mean: {'; '.join(seats)}."


def _groups_text(groups: Sequence[Sequence[int]], names: Names) -> str:
    """Groups of bots on one line, cut short after six groups or bots."""
    shown = [", ".join(names[number] for number in group[:6]) for group in groups[:6]]
    cut = len(groups) > 6 or any(len(group) > 6 for group in groups)
    return "; ".join(shown) + (" and more" if cut else "")
