"""Tables of pairs: the crosstable with expected scores, and the probabilities of superiority."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup

from tourney.report import display
from tourney.report.charts.chart import draw
from tourney.report.charts.kinds import heat_map
from tourney.report.display import EntrantLabel
from tourney.report.source import ReportSource
from tourney.results.columns import EVALUATIONS, Column
from tourney.results.ratings import cycle_rows, cycle_sentence, evaluation_rows, pool_notes, shared_by
from tourney.results.tables import DataTable

SHADES = 9
"""Shades of a score or probability, from 0 (0 %) to 8 (100 %); 4 is even."""


@dataclass(frozen=True, slots=True)
class CrosstableCell:
    """A pair: points and games, the shades of score and residual, and the shares in words.

    ``href`` leads to its page, or to its line on the entrant's page.
    """

    href: str
    score: str
    games: int
    shade: int
    residual: int
    said: str


@dataclass(frozen=True, slots=True)
class CrosstableRow:
    """A row; a cell is None for the entrant itself and for pairs without games."""

    entrant: EntrantLabel
    points: str
    cells: tuple[CrosstableCell | None, ...]


@dataclass(frozen=True, slots=True)
class Crosstable:
    """Rows and columns in the order of the standings."""

    lines: tuple[CrosstableRow, ...]
    download: DataTable


def residual_step(z: float) -> int:
    """The shade 1..7 of a residual in standard deviations; 4 is within one."""
    return 4 + max(-3, min(3, int(z)))


EVEN = 4
"""The step of a residual within one standard deviation."""
HEATMAP = 40
"""Most entrants of the chart of residuals, which has a cell for each pair."""


def residual_chart(cross: Crosstable) -> Markup | None:
    """The residuals of all pairs as a chart, rows and columns numbered as in the crosstable.

    None if no residual is beyond one standard deviation.
    """
    if not 2 < len(cross.lines) <= HEATMAP:
        return None
    cells = [
        (row, column, cell.residual)
        for row, line in enumerate(cross.lines, 1)
        for column, cell in enumerate(line.cells, 1)
        if cell is not None
    ]
    if all(step == EVEN for _, _, step in cells):
        return None
    said = "Residuals of all pairs, as in the crosstable when it is shaded by residual"
    return draw(heat_map(said, cells, len(cross.lines), "Opponent", "Bot"))


def crosstable(source: ReportSource, pages: Mapping[tuple[int, int], str] | None = None) -> Crosstable:
    """The crosstable; the expected scores come from the fit to all matches.

    ``pages`` are the paths of the pages of pairs, by the numbers of their entrants.
    """
    pairs = {(pair.entrant, pair.opponent): pair for pair in source.pairs}
    lines = []
    rows = []
    for standing in source.standings:
        cells: list[CrosstableCell | None] = []
        for other in source.standings:
            pair = pairs.get((standing.number, other.number))
            if pair is None or not pair.games:
                cells.append(None)
                continue
            share = Fraction(pair.half_points, 2 * pair.games)
            meeting = source.meetings[standing.number, other.number]
            scored = display.decimal(Fraction(pair.half_points, 2), 1)
            cells.append(
                CrosstableCell(
                    href=(pages or {}).get((standing.number, other.number))
                    or f"{source.labels[standing.number].page}#vs-{other.number + 1}",
                    score=scored.removesuffix(".0"),
                    games=pair.games,
                    shade=round(share * (SHADES - 1)),
                    residual=residual_step(meeting.z),
                    said=f"{display.percent(share)} %, expected "
                    f"{display.number(100 * meeting.expected, 1)} %",
                )
            )
            rows.append(
                {
                    "entrant": source.entrants[standing.number].name,
                    "opponent": source.entrants[other.number].name,
                    "games": pair.games,
                    "points": pair.half_points / 2,
                    "share": round(float(share), 4),
                    "expected": round(meeting.expected, 4),
                }
            )
        lines.append(
            CrosstableRow(
                source.labels[standing.number],
                display.points(standing.points, source.tournament.seats),
                tuple(cells),
            )
        )
    columns = ("entrant", "opponent", "games", "points", "share", "expected")
    return Crosstable(tuple(lines), DataTable(columns, rows))


@dataclass(frozen=True, slots=True)
class SuperiorityCell:
    """A pair: the probability that the row's bot is stronger, in percent, its shade, and the games."""

    percent: str
    shade: int
    said: str


@dataclass(frozen=True, slots=True)
class SuperiorityRow:
    """A row; the entrant's own cell is None. ``best`` is the probability of being strongest, in percent."""

    entrant: EntrantLabel
    elo: str
    ranks: str
    best: str
    cells: tuple[SuperiorityCell | None, ...]


@dataclass(frozen=True, slots=True)
class Superiority:
    """Rows and columns in the order of the ratings, with notes on the pool."""

    lines: tuple[SuperiorityRow, ...]
    notes: tuple[str, ...]
    download: DataTable


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """A bot with its evaluations that allow for cycles, as texts in the order of the columns."""

    entrant: EntrantLabel
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CyclesView:
    """Where strength is not one number: evaluations with their columns but the name, and the cycles."""

    sentence: str
    columns: tuple[Column, ...]
    lines: tuple[EvaluationRow, ...]
    cycles: tuple[tuple[str, str, str], ...]
    download: DataTable


def cycles(source: ReportSource) -> CyclesView | None:
    """The cycles and evaluations, None where the test of fit does not ask for them."""
    batch, fit = source.batch, source.batch.pool.goodness
    if batch.cycles is None or fit.p_value is None:
        return None
    names = {number: label.name for number, label in source.labels.items()}
    columns = EVALUATIONS[1:]
    rows = evaluation_rows(batch, names)
    keys = ("lottery", "against", "alpha")
    plain = {number: entrant.name for number, entrant in enumerate(source.entrants)}
    return CyclesView(
        cycle_sentence(batch.cycles, fit.p_value, names, display.number),
        columns,
        tuple(
            EvaluationRow(
                source.labels[row["entrant"]],
                tuple(
                    str(column.shown(row[column.key])).replace("-", "\N{MINUS SIGN}") for column in columns
                ),
            )
            for row in rows
        ),
        tuple((row["bots"], row["scores"], f"{row['probability']:.2f}") for row in cycle_rows(batch, names)),
        DataTable(
            ("entrant", *keys),
            [{"entrant": plain[row["entrant"]], **{key: row[key] for key in keys}} for row in rows],
        ),
    )


def superiority(source: ReportSource) -> Superiority:
    """The probability of superiority for each pair of bots."""
    batch = source.batch
    cells: dict[tuple[int, int], SuperiorityCell] = {}
    for pair in batch.pairs:
        for a, b, los in ((pair.a, pair.b, pair.los), (pair.b, pair.a, 1 - pair.los)):
            # Both cells of a pair come from one probability, so that they add up to 100 before rounding.
            shade = round(los * (SHADES - 1))
            cells[a, b] = SuperiorityCell(
                display.number(100 * los, 1), shade, display.count(pair.games, "game")
            )
    lines = tuple(
        SuperiorityRow(
            entrant=source.labels[rating.entrant],
            elo=display.number(rating.elo, 1),
            ranks=display.span(rating.best_rank, rating.worst_rank),
            best=display.number(100 * rating.p_best, 0),
            cells=tuple(cells.get((rating.entrant, other.entrant)) for other in batch.ratings),
        )
        for rating in batch.ratings
    )
    columns = ("games", "points", "expected", "residual", "z")
    rows = [
        {
            "entrant": source.entrants[pair.a].name,
            "opponent": source.entrants[pair.b].name,
            "p_better": pair.los,
            **{name: getattr(pair, name) for name in columns},
        }
        for pair in batch.pairs
    ]
    names = {number: label.name for number, label in source.labels.items()}
    return Superiority(
        lines,
        tuple(pool_notes(batch, names, display.number, shared=shared_by(source.tournament))),
        DataTable(("entrant", "opponent", "p_better", *columns), rows),
    )
