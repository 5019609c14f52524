"""The standings with their ratings, as the first page and the downloads have them."""

from dataclasses import dataclass

from markupsafe import Markup

from tourney.ratings.trueskill_rating import TrueSkillRating
from tourney.report import plots, text
from tourney.report.downloads import DownloadTable, table
from tourney.report.labels import EntrantLabel, entrant_labels
from tourney.report.source import Source
from tourney.results.columns import Column, rendered, report_columns, special_tie_breaks
from tourney.results.standings import Standing, standing_row


@dataclass(frozen=True, slots=True)
class StandingLine:
    """A line of the standings, all numbers as they are printed."""

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
    batch_rank: int
    ranks: str
    best: str
    whisker: Markup
    skill: Markup
    faults: int
    faults_said: str


def rating_axis(source: Source) -> plots.Scale:
    """Return the one scale of all TrueSkill whiskers, in percent."""
    ends_ = [value for r in source.ratings for value in (r.mu - 3 * r.sigma, r.mu + 3 * r.sigma)]
    return plots.axis_of(ends_)


def elo_axis(source: Source) -> plots.Scale:
    """Return the one scale of all intervals of Elo, in percent."""
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
                batch_rank=line.rank,
                ranks=text.span(line.best_rank, line.worst_rank),
                best=text.number(100 * line.p_best, 0),
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
    """Return the standings for download: points as exact fractions too."""
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
            "rank": rating.rank,
            "mu": rating.mu,
            "sigma": rating.sigma,
            "exposed": rating.exposed,
            "games": rating.games,
        }
        for round_, pool in source.history
        for rating in pool.table()
    ]
    return table(rows, ("round", "entrant", "rank", "mu", "sigma", "exposed", "games"))
