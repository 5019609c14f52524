"""The standings: ranked by the format, or by what all matches of each entrant and each pair add up to."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction

from tourney.results.format_input import load_history, setup_of
from tourney.schedule.format import RankedEntrant
from tourney.schedule.registry import find_format
from tourney.schedule.row import units_of_win
from tourney.schedule.tie_breaks import direct_encounter, plain, rank
from tourney.store.repository import Repository
from tourney.store.values import PairTotal, ScoreTotals, Standing, StoredEntrant


def compute_standings(repository: Repository, tournament: int) -> tuple[Standing, ...]:
    """Return the standings by the ranking rule of the tournament's format; equal entrants by number."""
    with repository.snapshot() as moment:
        stored = moment.tournament_by_id(tournament)
        entrants = moment.entrants(tournament)
        format_ = find_format(stored.plan.format)
        lines = None
        if format_.ranks:
            lines = format_.table(
                setup_of(stored.plan, stored.seed, entrants), load_history(moment, tournament)
            )
        return rank_standings(
            entrants,
            stored.seats,
            moment.score_totals(tournament),
            moment.pair_totals(tournament),
            moment.faults(tournament),
            lines=lines,
            by_mean=format_.by_mean,
        )


def rank_standings(
    entrants: Sequence[StoredEntrant],
    seats: int,
    tallies: Mapping[int, ScoreTotals],
    pairs: Sequence[PairTotal],
    faults: Sequence[tuple[int, str, int]],
    *,
    lines: Sequence[RankedEntrant] | None = None,
    by_mean: bool = False,
) -> tuple[Standing, ...]:
    """Return the standings as a format ranks them in ``lines``; without these by points and tie-breaks.

    That is by points (or with ``by_mean`` by points per match), direct encounter, wins, Sonneborn-Berger;
    equal lines by number. Sonneborn-Berger: the opponents' points, each times the share of the half-points
    taken from them.
    """
    unit = units_of_win(seats)
    points = {e.number: Fraction(tallies.get(e.number, ScoreTotals()).units, unit) for e in entrants}
    sonneborn = dict.fromkeys(points, Fraction(0))
    for pair in pairs:
        sonneborn[pair.entrant] += points[pair.opponent] * Fraction(pair.half_points, 2)
    if lines is None:
        lines = _ranked(points, tallies, pairs, sonneborn, by_mean=by_mean)
    kinds: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for number, kind, count in faults:
        kinds[number].append((kind, count))
    names = {entrant.number: entrant.name for entrant in entrants}
    found = []
    for line in lines:
        tally = tallies.get(line.number, ScoreTotals())
        found.append(
            Standing(
                rank=line.rank,
                number=line.number,
                name=names[line.number],
                games=tally.games,
                points=line.points,
                wins=tally.wins,
                draws=tally.draws,
                losses=tally.games - tally.wins - tally.draws,
                faults=tuple(sorted(kinds[line.number])),
                sonneborn=sonneborn[line.number],
                awarded=line.awarded,
                tie_breaks=line.values,
            )
        )
    return tuple(found)


def _ranked(
    points: Mapping[int, Fraction],
    tallies: Mapping[int, ScoreTotals],
    pairs: Sequence[PairTotal],
    sonneborn: Mapping[int, Fraction],
    *,
    by_mean: bool,
) -> tuple[RankedEntrant, ...]:
    most = Fraction(max((pair.games for pair in pairs), default=0))
    met = {(pair.entrant, pair.opponent): Fraction(pair.half_points, 2) for pair in pairs}
    wins = {number: Fraction(tallies.get(number, ScoreTotals()).wins) for number in points}
    mean = {
        number: value / tallies[number].games if number in tallies else Fraction(0)
        for number, value in points.items()
    }
    return rank(
        list(points),
        points,
        dict.fromkeys(points, Fraction(0)),
        (
            ("direct-encounter", direct_encounter(met, most)),
            ("wins", plain({**wins})),
            ("sonneborn-berger", plain({**sonneborn})),
        ),
        mean if by_mean else None,
    )
