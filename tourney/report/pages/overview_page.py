"""The first page: conditions, standings with ratings, seats, ends and faults; and the list of tournaments."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup

from tourney.match.record import FAULT_KINDS
from tourney.report import display
from tourney.report.charts.chart import Scale, interval, interval_axis, scale_of, sigmas
from tourney.report.display import EntrantLabel, Fact, SeatLabel
from tourney.report.output.layout import File
from tourney.report.output.rendering import Renderer
from tourney.report.pages import adaptive_page, bracket_page, gauntlet_page, rounds_page
from tourney.report.pages.adaptive_page import AdaptivePage
from tourney.report.pages.bracket_page import BracketPage
from tourney.report.pages.gauntlet_page import GauntletPage
from tourney.report.pages.rounds_page import Progress
from tourney.report.pages.tournament_facts import state, tournament_facts
from tourney.report.source import ReportSource
from tourney.results.columns import Column, rendered
from tourney.results.standings import (
    Standing,
    interim_sentence,
    page_columns,
    ranking_sentences,
    report_columns,
    standing_row,
)
from tourney.results.tables import DataTable
from tourney.schedule.row import units_of_win
from tourney.store.totals import ScoreTotals

INLINE_CELLS = 400
"""Most cells of the progress table on the first page."""
INLINE_BOTS = 16
"""Most bots of the table of intervals on the first page."""
HISTORY = ("rank", "mu", "sigma", "exposed", "games")
"""Columns of a rating in the history."""


@dataclass(frozen=True, slots=True)
class StandingLine:
    """A line of the standings with the ratings; strings are as printed.

    ``cells`` are the values of the columns of the standings (``Overview.columns``), in their order;
    ``ranking`` holds those that rank, with their columns, apart from points, share and wins.
    """

    entrant: EntrantLabel
    standing: Standing
    points: str
    percent: str
    cells: tuple[str, ...]
    ranking: tuple[tuple[Column, str], ...]
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
    faults_said: str


@dataclass(frozen=True, slots=True)
class FaultLine:
    """An entrant's faults in the order of ``FAULT_KINDS``; ``share`` is their percentage of its games."""

    entrant: EntrantLabel
    counts: tuple[int, ...]
    total: int
    share: str


@dataclass(frozen=True, slots=True)
class SeatScore:
    """The score of a seat, of all entrants or of one; ``points`` and ``percent`` as printed."""

    seat: SeatLabel
    totals: ScoreTotals
    score: Fraction
    points: str
    percent: str


@dataclass(frozen=True, slots=True)
class Overview:
    """The template context of the first page. ``downloads`` are by file name without suffix.

    ``rules`` are sentences on the ranking rule; ``columns`` are those of the standings, from the catalogue.
    ``interim`` says what an unfinished tournament has still to play, or is "".
    """

    facts: tuple[Fact, ...]
    state: str
    rules: tuple[str, ...]
    interim: str
    standings: tuple[StandingLine, ...]
    columns: tuple[Column, ...]
    axis: Markup
    skill_axis: Markup
    seats: tuple[SeatScore, ...]
    ends: tuple[tuple[str, int, str], ...]
    faults: tuple[FaultLine, ...]
    fault_kinds: tuple[tuple[str, str], ...]
    voids: int
    downloads: dict[str, DataTable]


def overview(source: ReportSource, *, measured: bool) -> Overview:
    """The first page's context, with measurements only if ``measured``."""
    columns = page_columns(source.format, source.tournament.seats)
    scale = scale_of([value for line in source.batch.ratings for value in (line.low, line.high)])
    skill_scale = scale_of([mu for r in source.ratings for mu in (r.mu - 3 * r.sigma, r.mu + 3 * r.sigma)])
    seats = seat_lines(source)
    return Overview(
        facts=tuple(tournament_facts(source, measured=measured)),
        state=state(source),
        rules=ranking_sentences(source.format, source.tournament.seats),
        interim=interim_sentence(source.tournament.complete, source.progress, ratings=True),
        standings=_standing_lines(source, columns, scale, skill_scale),
        columns=columns,
        axis=interval_axis(scale),
        skill_axis=interval_axis(skill_scale),
        seats=seats,
        ends=_ends(source),
        faults=fault_lines(source),
        fault_kinds=tuple((kind, display.fault(kind)) for kind in FAULT_KINDS),
        voids=source.progress.void,
        downloads={
            "standings": _standings_table(source),
            "seats": _seats_table(seats),
            "faults": _faults_table(source),
            "history": _history_table(source),
        },
    )


def _standing_lines(
    source: ReportSource, columns: tuple[Column, ...], scale: Scale, skill_scale: Scale
) -> tuple[StandingLine, ...]:
    ratings = {rating.entrant: rating for rating in source.ratings}
    batch = {line.entrant: line for line in source.batch.ratings}
    lines = []
    for standing in source.standings:
        rating, line = ratings[standing.number], batch[standing.number]
        cells = standing_cells(columns, standing)
        own = [pair for pair in zip(columns, cells, strict=True) if _is_special(pair[0])]
        lines.append(
            StandingLine(
                entrant=source.labels[standing.number],
                standing=standing,
                points=display.points(standing.points, source.tournament.seats),
                percent=display.percent(standing.mean),
                cells=cells,
                ranking=tuple(sorted(own, key=lambda pair: pair[0].criterion)),
                rating_rank=rating.rank,
                mu=display.number(rating.mu, 3),
                sigma=display.number(rating.sigma, 3),
                exposed=display.number(rating.exposed, 3),
                elo=display.number(line.elo, 1),
                low=display.number(line.low, 1),
                high=display.number(line.high, 1),
                ranks=display.span(line.best_rank, line.worst_rank),
                whisker=interval(scale, line.elo, line.low, line.high, source.intervals),
                skill=sigmas(skill_scale, rating.mu, rating.sigma),
                faults_said=", ".join(f"{kind} {count}" for kind, count in standing.faults),
            )
        )
    return tuple(lines)


def _is_special(column: Column) -> bool:
    return column.criterion > 0 and column.key not in {"points", "mean", "wins"}


def standing_cells(columns: tuple[Column, ...], line: Standing) -> tuple[str, ...]:
    """The values of a line of the standings as printed; the name is safe to show once escaped."""
    row = standing_row(line)
    return tuple(
        display.label(line.name) if column.key == "name" else _shown(column, row[column.key])
        for column in columns
    )


def _shown(column: Column, value: object) -> str:
    shown = column.shown(value)
    return display.MISSING if shown is None else str(shown).replace("-", "\N{MINUS SIGN}")


def seat_lines(source: ReportSource, entrant: int | None = None) -> tuple[SeatScore, ...]:
    """The score of each seat over all matches, or over those of an entrant."""
    lines = []
    for seat in source.seats:
        found = (
            totals
            for (number, at), totals in source.seat_totals.items()
            if at == seat.number and entrant in (None, number)
        )
        totals = ScoreTotals(*map(sum, zip(*found, strict=True)))
        score = Fraction(totals.units, units_of_win(source.tournament.seats))
        points = display.points(score, source.tournament.seats)
        percent = display.percent(score / totals.games if totals.games else None)
        lines.append(SeatScore(seat, totals, score, points, percent))
    return tuple(lines)


def fault_lines(source: ReportSource) -> tuple[FaultLine, ...]:
    """The entrants with faults, most faults first."""
    lines = []
    for standing in source.standings:
        total = standing.fault_count
        if total:
            kinds = dict(standing.faults)
            counts = tuple(kinds.get(kind, 0) for kind in FAULT_KINDS)
            # Faults in void matches count too, but the games do not.
            share = display.percent(Fraction(total, max(standing.games, total)))
            lines.append(FaultLine(source.labels[standing.number], counts, total, share))
    return tuple(sorted(lines, key=lambda line: (-line.total, line.entrant.number)))


def _ends(source: ReportSource) -> tuple[tuple[str, int, str], ...]:
    """The reasons for the ends of matches, the most frequent first: (reason, count, percent)."""
    results = (match.result for match in source.matches)
    counts = Counter(result.reason for result in results if result is not None and not result.void)
    total = counts.total()
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple((display.reason(r), n, display.percent(Fraction(n, total))) for r, n in ordered)


def _standings_table(source: ReportSource) -> DataTable:
    """The standings as commands export them, with bots, ratings, and points as exact fractions."""
    ratings = {rating.entrant: rating for rating in source.ratings}
    batch = {found.entrant: found for found in source.batch.ratings}
    rows = []
    for line in source.standings:
        entrant, rating, elo = source.entrants[line.number].entrant, ratings[line.number], batch[line.number]
        rows.append(
            elo._asdict()
            | standing_row(line)
            | {
                "bot": entrant.bot,
                "version": entrant.version,
                "digest": entrant.digest,
                "points_exact": str(line.points),
                "kinds": " ".join(f"{kind}:{count}" for kind, count in line.faults),
                "elo_rank": elo.rank,
                "trueskill_rank": rating.rank,
                "trueskill_mu": rating.mu,
                "trueskill_sigma": rating.sigma,
                "trueskill_exposed": rating.exposed,
            }
        )
    columns = report_columns(source.format, source.tournament.seats)
    return DataTable([column.key for column in columns], rendered(rows, columns, people=False))


def _history_table(source: ReportSource) -> DataTable:
    """Every entrant's rating after each round."""
    rows = [
        {
            "round": round_,
            "entrant": source.entrants[rating.entrant].name,
            **{name: getattr(rating, name) for name in HISTORY},
        }
        for round_, pool in source.history
        for rating in pool.table()
    ]
    return DataTable(("round", "entrant", *HISTORY), rows)


def _faults_table(source: ReportSource) -> DataTable:
    """Every entrant's faults by kind."""
    rows = [
        {
            "entrant": line.name,
            **dict.fromkeys(FAULT_KINDS, 0),
            **dict(line.faults),
            "total": line.fault_count,
        }
        for line in source.standings
    ]
    return DataTable(("entrant", *FAULT_KINDS, "total"), rows)


def _seats_table(lines: tuple[SeatScore, ...]) -> DataTable:
    rows = [
        {
            **line.totals._asdict(),
            "losses": line.totals.losses,
            "seat": line.seat.number,
            "name": line.seat.name,
            "points": round(float(line.score), 4),
        }
        for line in lines
    ]
    return DataTable(("seat", "name", "games", "points", "wins", "draws", "losses", "faults"), rows)


@dataclass(frozen=True, slots=True)
class ListedTournament:
    """A tournament in the list of tournaments; ``first`` are the leaders of its standings."""

    href: str
    name: str
    game: str
    seats: int
    entrants: int
    state: str
    first: tuple[str, ...]
    faults: int


def tournament_row(source: ReportSource, href: str) -> ListedTournament:
    """The row of a tournament."""
    return ListedTournament(
        href=href,
        name=source.title,
        game=display.label(source.game.title if source.game else source.tournament.game),
        seats=source.tournament.seats,
        entrants=len(source.entrants),
        state=state(source),
        first=tuple(
            source.labels[line.number].name for line in source.standings if line.rank == 1 and line.games
        ),
        faults=sum(line.fault_count for line in source.standings),
    )


@dataclass(frozen=True, slots=True)
class Introduction:
    """The first page's introduction; texts are safe to show once escaped.

    ``logo`` is the path of the image in the tournament's folder, or ""; ``links`` are (words, address).
    """

    logo: str
    paragraphs: tuple[str, ...]
    links: tuple[tuple[str, str], ...]


def about(source: ReportSource) -> Introduction:
    """The introduction of a tournament; without any, all is empty."""
    shown = source.presentation
    paragraphs: list[list[str]] = [[]]
    for line in shown.description.splitlines():
        if line.strip():
            paragraphs[-1].append(line.strip())
        else:
            paragraphs.append([])
    return Introduction(
        shown.file_name,
        tuple(display.line(" ".join(lines)) for lines in paragraphs if lines),
        tuple((display.label(link.title), link.url) for link in shown.links),
    )


def logo(make: Renderer) -> Iterator[File]:
    """Yield the tournament's logo, if it has one."""
    shown = make.source.presentation
    if shown.logo:
        yield make.file(shown.file_name, shown.image)


@dataclass(frozen=True, slots=True)
class Lead:
    """The first section: at most one of its parts is there. ``drawn``: it is small enough to show."""

    bracket: BracketPage | None = None
    progress: Progress | None = None
    gauntlet: GauntletPage | None = None
    adaptive: AdaptivePage | None = None
    drawn: bool = True


def lead(make: Renderer) -> Lead:
    """The first section of the renderer's tournament; none for a round-robin, an import, a comparison.

    There the standings and the crosstable say most.
    """
    source = make.source
    if bracket_page.is_knockout(source):
        return Lead(
            bracket=make.once(bracket_page.bracket), drawn=len(source.entrants) <= bracket_page.INLINE
        )
    if source.tournament.plan.format == "swiss" and rounds_page.has_progress(source):
        shown = make.once(rounds_page.progress)
        return Lead(progress=shown, drawn=len(shown.lines) * len(shown.rounds) <= INLINE_CELLS)
    if gauntlet_page.is_gauntlet(source):
        return Lead(gauntlet=make.once(gauntlet_page.page_of))
    if adaptive_page.is_adaptive(source):
        return Lead(adaptive=make.once(adaptive_page.page_of), drawn=len(source.entrants) <= INLINE_BOTS)
    return Lead()
