"""Standings: ranked by the rule of the tournament's format."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tourney.results.columns import Column, ranking_columns
from tourney.schedule.format import BY_POINTS, Format, History, Participant, Setup, group_size, ranking_format
from tourney.schedule.row import ResultRow, Row, units_of_win
from tourney.schedule.tie_breaks import (
    TIE_BREAKS,
    ZERO,
    Encounter,
    RankedEntrant,
    Scores,
    TieBreak,
    rank_scores,
)
from tourney.store.repository import Repository
from tourney.store.values import PairTotal, Plan, RowCounts, ScoreTotals, StandingsTotals, StoredEntrant


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of the standings.

    ``points`` is the sum of match scores: 1 for a win and 1/2 for a draw at two seats; at k seats
    (k - place) / (k - 1), where tied seats share the mean of the places they take. ``wins``: first alone;
    ``draws``: first, shared; ``losses``: the rest. ``faults``: ``(kind, count)`` sorted by kind. ``rank`` is
    1 + the number of entrants that are better by the format's rule; equal lines share it. ``awarded`` is the
    part of the points from byes. ``tie_breaks`` holds names and values in the order of their use, None where
    one does not apply.
    """

    rank: int
    number: int
    name: str
    games: int
    points: Fraction
    wins: int
    draws: int
    losses: int
    faults: tuple[tuple[str, int], ...]
    awarded: Fraction = ZERO
    tie_breaks: tuple[tuple[str, Fraction | None], ...] = ()

    @property
    def fault_count(self) -> int:
        """The number of the entrant's faults."""
        return sum(count for _, count in self.faults)

    @property
    def mean(self) -> Fraction | None:
        """Points per game, without those of byes, or None before the first game."""
        return (self.points - self.awarded) / self.games if self.games else None


def compute_standings(
    repository: Repository, tournament: int, totals: StandingsTotals | None = None
) -> tuple[Standing, ...]:
    """Return the standings by the rule of ``ranking_format``; equal entrants by number.

    ``totals``: in place of the stored ones.
    """
    with repository.snapshot() as moment:
        stored = moment.tournament_by_id(tournament)
        entrants = moment.entrants(tournament)
        format_ = ranking_format(stored.plan.format)
        ranked = None
        if format_.ranks:
            setup = setup_of(stored.plan, stored.seed, entrants)
            ranked = format_.table(setup, load_history(moment, tournament))
        return rank_standings(
            entrants,
            stored.seats,
            totals or moment.standings_totals(tournament),
            ranked=ranked,
            breaks=format_.ranking(stored.seats),
            by_mean=format_.ranked_by == BY_MEAN,
        )


BY_MEAN = "points-per-match"
"""The ``ranked_by`` of formats in which some entrants play more matches than others."""


def rank_standings(
    entrants: Sequence[StoredEntrant],
    seats: int,
    sums: StandingsTotals,
    *,
    ranked: Sequence[RankedEntrant] | None = None,
    breaks: Sequence[TieBreak] | None = None,
    by_mean: bool = False,
) -> tuple[Standing, ...]:
    """Return the standings as a format has ``ranked`` them; without that, rank by the totals of all matches.

    Then points rank (or with ``by_mean`` points per match), then the tie-breaks (default: ``BY_POINTS``).
    """
    totals = sums.scores
    if ranked is None:
        chosen = [TIE_BREAKS[name] for name in BY_POINTS] if breaks is None else breaks
        numbers = [entrant.number for entrant in entrants]
        ranked = rank_totals(numbers, seats, totals, sums.pairs, chosen, by_mean=by_mean)
    kinds: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for number, kind, count in sums.faults:
        kinds[number].append((kind, count))
    names = {entrant.number: entrant.name for entrant in entrants}
    found = []
    for line in ranked:
        total = totals.get(line.number, ScoreTotals())
        found.append(
            Standing(
                rank=line.rank,
                number=line.number,
                name=names[line.number],
                games=total.games,
                points=line.points,
                wins=total.wins,
                draws=total.draws,
                losses=total.losses,
                faults=tuple(sorted(kinds[line.number])),
                awarded=line.awarded,
                tie_breaks=line.values,
            )
        )
    return tuple(found)


def standing_row(line: Standing) -> dict[str, Any]:
    """Return a line of the standings as a row of exact values; see ``tourney.results.columns``."""
    return {
        **dict(line.tie_breaks),
        "rank": line.rank,
        "name": line.name,
        "points": line.points,
        "games": line.games,
        "mean": line.mean,
        "wins": line.wins,
        "draws": line.draws,
        "losses": line.losses,
        "faults": line.fault_count,
        "kinds": [f"{kind}:{count}" for kind, count in line.faults],
    }


def rank_totals(
    numbers: Sequence[int],
    seats: int,
    totals: Mapping[int, ScoreTotals],
    pairs: Sequence[PairTotal],
    breaks: Sequence[TieBreak],
    *,
    by_mean: bool = False,
) -> tuple[RankedEntrant, ...]:
    """Return the ranking by the totals of all matches; entrants equal in all in the order of ``numbers``."""
    scores = _total_scores(numbers, seats, totals, pairs)
    mean = {
        number: points / totals[number].games if number in totals else ZERO
        for number, points in scores.points.items()
    }
    return rank_scores(scores, breaks, mean if by_mean else None)


def _total_scores(
    numbers: Sequence[int],
    seats: int,
    totals: Mapping[int, ScoreTotals],
    pairs: Sequence[PairTotal],
) -> Scores:
    """Return the input of ranking from totals: an encounter is all matches of a pair."""
    unit = units_of_win(seats)
    points = {number: Fraction(totals.get(number, ScoreTotals()).units, unit) for number in numbers}
    encounters: dict[int, list[Encounter]] = defaultdict(list)
    halves = {half: Fraction(half, 2) for half in {pair.half_points for pair in pairs}}
    for pair in pairs:
        met = Encounter(pair.opponent, points[pair.opponent], halves[pair.half_points])
        encounters[pair.entrant].append(met)
    return Scores(
        points,
        wins={number: total.wins for number, total in totals.items()},
        encounters=encounters,
        most=Fraction(max((pair.games for pair in pairs), default=0)),
    )


def ranking_sentences(format_: Format, seats: int) -> tuple[str, ...]:
    """Return a format's ranking rule in sentences: what ranks first, the tie-breaks, and their meaning."""
    first, *breaks = ranking_columns(format_, seats)
    rule = f"Ranked by {_criterion(first)}"
    if breaks:
        rule += f"; ties are broken by {_listed([_criterion(column) for column in breaks])}"
        rule += ", in this order" if len(breaks) > 1 else ""
    lower = any(column.order == "lower" for column in (first, *breaks))
    higher = "Otherwise higher values rank first" if lower else "Higher values rank first"
    return (
        f"{rule}.",
        f"{higher}; bots that are equal in all of this share a rank.",
        *(f"{_named(column)}: {column.description}." for column in (first, *breaks)),
    )


def _named(column: Column) -> str:
    return f"{column.name} ({column.short})" if column.short and column.key != "mean" else column.name


def _criterion(column: Column) -> str:
    words = "points per match" if column.key == "mean" else column.words
    return f"{words} (lower first)" if column.order == "lower" else words


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def interim_sentence(complete: bool, counts: RowCounts, *, ratings: bool = False) -> str:
    """Return what an unfinished tournament has still to play; "" for a finished one.

    ``complete``: all rounds are paired. ``ratings``: ratings stand beside the standings.
    """
    left = counts.rows - counts.done
    if complete and not left:
        return ""
    matches = f"{left:,} of {counts.rows:,} match{'' if counts.rows == 1 else 'es'}"
    play = (
        f"{matches} {'is' if left == 1 else 'are'} still to play" if left else "all paired matches are played"
    )
    more = "" if complete else f"{', and ' if left else ', but '}more rounds are to be paired"
    kinds = " Intervals and ranks by Elo hold at every look; probabilities and TrueSkill are of this moment."
    return f"Interim standings: {play}{more}.{kinds if ratings else ''}"


def load_setup(repository: Repository, tournament: int) -> Setup:
    """Return a stored tournament as its format sees it, without the matches."""
    stored = repository.tournament_by_id(tournament)
    return setup_of(stored.plan, stored.seed, repository.entrants(tournament))


def load_history(repository: Repository, tournament: int) -> History:
    """Return all stored rows and results of a tournament as its format sees them."""
    with repository.snapshot() as moment:
        rows = (row for _, row in moment.rows(tournament))
        return history_of(rows, moment.results(tournament))


def setup_of(plan: Plan, seed: int, entrants: Sequence[StoredEntrant]) -> Setup:
    """Return what a format needs to know of a tournament, its results apart."""
    return Setup(
        participants=tuple(
            Participant(
                number=entrant.number,
                name=entrant.name,
                joined=entrant.joined,
                left=entrant.left,
                rating=entrant.rating,
                deviation=entrant.deviation,
            )
            for entrant in entrants
        ),
        seats=plan.seats,
        seed=seed,
        repeats=plan.games_per_pairing // group_size(plan.seats),
        rounds=plan.rounds,
        extra=plan.extra,
        shared_dice=plan.mirrored_dice,
    )


def history_of(rows: Iterable[Row], results: Iterable[ResultRow], rounds: int | None = None) -> History:
    """Return the stored rows, and the results of all rounds or of the first ``rounds``."""
    return History(
        tuple(rows),
        tuple(result for result in results if rounds is None or result.key.round <= rounds),
    )
