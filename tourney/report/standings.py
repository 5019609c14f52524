"""Standings with ratings, and scores by seat and faults by kind, for the pages and the downloads."""

from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup

from tourney.match.record import FAULT_KINDS
from tourney.ratings.trueskill_rating import TrueSkillRating
from tourney.report import plots, text
from tourney.report.downloads import DownloadTable, table
from tourney.report.labels import EntrantLabel, SeatLabel, entrant_labels, seat_labels
from tourney.report.source import Source
from tourney.results.columns import Column, rendered, report_columns, special_tie_breaks
from tourney.results.standings import Standing, standing_row
from tourney.schedule.row import units_of_win
from tourney.store.values import ScoreTotals


@dataclass(frozen=True, slots=True)
class StandingLine:
    """A line of the standings; strings are numbers as printed."""

    rank: int
    entrant: EntrantLabel
    points: str
    games: int
    percent: str
    wins: int
    draws: int
    losses: int
    tie_breaks: tuple[str, ...]
    rating_rank: int
    mu: str
    sigma: str
    exposed: str
    elo: str
    low: str
    high: str
    ranks: str
    whisker: Markup
    skill: Markup
    faults: int
    faults_said: str


HISTORY = ("rank", "mu", "sigma", "exposed", "games")
"""Columns of a rating in the history."""


def rating_axis(source: Source) -> plots.Scale:
    """Return the common scale of all TrueSkill whiskers, in percent."""
    ends_ = [value for r in source.ratings for value in (r.mu - 3 * r.sigma, r.mu + 3 * r.sigma)]
    return plots.axis_of(ends_)


def elo_axis(source: Source) -> plots.Scale:
    """Return the common scale of all Elo intervals, in percent."""
    return plots.axis_of([value for line in source.batch.ratings for value in (line.low, line.high)])


def standing_lines(source: Source) -> tuple[StandingLine, ...]:
    """Return the standings with ratings beside them."""
    known = entrant_labels(source)
    ratings: dict[int, TrueSkillRating] = {rating.entrant: rating for rating in source.ratings}
    batch = {line.entrant: line for line in source.batch.ratings}
    scale, skill_scale = elo_axis(source), rating_axis(source)
    seats = source.tournament.seats
    columns = special_tie_breaks(source.format, seats)
    lines = []
    for standing in source.standings:
        rating, line = ratings[standing.number], batch[standing.number]
        lines.append(
            StandingLine(
                rank=standing.rank,
                entrant=known[standing.number],
                points=text.points(standing.points, seats),
                games=standing.games,
                percent=text.percent(standing.mean),
                wins=standing.wins,
                draws=standing.draws,
                losses=standing.losses,
                tie_breaks=tuple(_shown(column, standing) for column in columns),
                rating_rank=rating.rank,
                mu=text.number(rating.mu, 3),
                sigma=text.number(rating.sigma, 3),
                exposed=text.number(rating.exposed, 3),
                elo=text.number(line.elo, 1),
                low=text.number(line.low, 1),
                high=text.number(line.high, 1),
                ranks=text.span(line.best_rank, line.worst_rank),
                whisker=plots.interval(scale, line.elo, line.low, line.high),
                skill=plots.whisker(skill_scale, rating.mu, rating.sigma),
                faults=standing.fault_count,
                faults_said=", ".join(f"{kind} {count}" for kind, count in standing.faults),
            )
        )
    return tuple(lines)


def _shown(column: Column, line: Standing) -> str:
    value = column.shown(dict(line.tie_breaks)[column.key])
    return text.MISSING if value is None else str(value).replace("-", "\N{MINUS SIGN}")


def standings_table(source: Source) -> DownloadTable:
    """Return the standings for download, with points also as exact fractions."""
    ratings = {rating.entrant: rating for rating in source.ratings}
    batch = {found.entrant: found for found in source.batch.ratings}
    rows = []
    for line in source.standings:
        entrant, rating, elo = source.entrants[line.number].entrant, ratings[line.number], batch[line.number]
        rows.append(
            elo._asdict()
            | standing_row(line)
            | {
                "entrant": entrant.name,
                "bot": entrant.bot,
                "version": entrant.version,
                "digest": entrant.digest,
                "points_exact": str(line.points),
                "sonneborn": line.sonneborn,
                "elo_rank": elo.rank,
                "rating_rank": rating.rank,
                "mu": rating.mu,
                "sigma": rating.sigma,
                "exposed": rating.exposed,
            }
        )
    columns = report_columns(source.format, source.tournament.seats)
    return table(rendered(rows, columns, people=False), [column.key for column in columns])


def history_table(source: Source) -> DownloadTable:
    """Return every entrant's rating after each round, for download."""
    rows = [
        {
            "round": round_,
            "entrant": source.entrants[rating.entrant].name,
            **{name: getattr(rating, name) for name in HISTORY},
        }
        for round_, pool in source.history
        for rating in pool.table()
    ]
    return table(rows, ("round", "entrant", *HISTORY))


@dataclass(frozen=True, slots=True)
class FaultLine:
    """An entrant's faults in the order of ``FAULT_KINDS``; ``share`` is their percentage of its games."""

    entrant: EntrantLabel
    counts: tuple[int, ...]
    total: int
    share: str


def fault_lines(source: Source) -> tuple[FaultLine, ...]:
    """Return the entrants with faults, most faults first."""
    known = entrant_labels(source)
    lines = []
    for standing in source.standings:
        counts = dict(standing.faults)
        if not counts:
            continue
        # Faults in void matches count too, but the games do not.
        share = Fraction(standing.fault_count, max(standing.games, standing.fault_count))
        lines.append(
            FaultLine(
                known[standing.number],
                tuple(counts.get(kind, 0) for kind in FAULT_KINDS),
                standing.fault_count,
                text.percent(share),
            )
        )
    return tuple(sorted(lines, key=lambda line: (-line.total, line.entrant.number)))


def faults_table(source: Source) -> DownloadTable:
    """Return every entrant's faults by kind, for download."""
    rows = [
        {
            "entrant": line.name,
            **dict.fromkeys(FAULT_KINDS, 0),
            **dict(line.faults),
            "total": line.fault_count,
        }
        for line in source.standings
    ]
    return table(rows, ("entrant", *FAULT_KINDS, "total"))


@dataclass(frozen=True, slots=True)
class SeatLine:
    """The score of a seat, of all entrants or of one."""

    seat: SeatLabel
    games: int
    points: str
    percent: str
    wins: int
    draws: int
    losses: int


def seat_lines(source: Source, entrant: int | None = None) -> tuple[SeatLine, ...]:
    """Return the score of each seat over all matches, or over those of an entrant."""
    return tuple(_seat_line(seat, totals, source) for seat, totals in _totals(source, entrant))


def seats_table(source: Source) -> DownloadTable:
    """Return the score of each seat, for download."""
    rows = [
        {
            "seat": seat.number,
            "name": seat.name,
            "games": totals.games,
            "points": round(float(_points(totals, source)), 4),
            "wins": totals.wins,
            "draws": totals.draws,
            "losses": totals.losses,
            "faults": totals.faults,
        }
        for seat, totals in _totals(source)
    ]
    return table(rows, ("seat", "name", "games", "points", "wins", "draws", "losses", "faults"))


def _totals(source: Source, entrant: int | None = None) -> list[tuple[SeatLabel, ScoreTotals]]:
    """Return each seat with the sums of all entrants on it, or of one."""
    sums = {seat.number: [0] * len(ScoreTotals._fields) for seat in seat_labels(source)}
    for (number, seat), totals in source.seat_totals.items():
        if entrant in (None, number):
            sums[seat] = [one + more for one, more in zip(sums[seat], totals, strict=True)]
    return [(seat, ScoreTotals(*sums[seat.number])) for seat in seat_labels(source)]


def _points(totals: ScoreTotals, source: Source) -> Fraction:
    return Fraction(totals.units, units_of_win(source.tournament.seats))


def _seat_line(seat: SeatLabel, totals: ScoreTotals, source: Source) -> SeatLine:
    score = _points(totals, source)
    return SeatLine(
        seat=seat,
        games=totals.games,
        points=text.points(score, source.tournament.seats),
        percent=text.percent(score / totals.games if totals.games else None),
        wins=totals.wins,
        draws=totals.draws,
        losses=totals.losses,
    )
