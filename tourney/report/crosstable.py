"""The crosstable: what each entrant scored against each other, and what their ratings lead one to expect."""

from dataclasses import dataclass
from fractions import Fraction

from tourney.report import text
from tourney.report.downloads import DownloadTable, table
from tourney.report.labels import EntrantLabel, entrant_labels
from tourney.report.source import Source

SHADES = 9
"""Steps of a score's shade, from 0 (lost all) to 8 (won all); 4 is even."""


@dataclass(frozen=True, slots=True)
class CrosstableCell:
    """A pair: points of games, the steps of both shadings, and the shares in words."""

    opponent: EntrantLabel
    score: str
    games: int
    shade: int
    residual: int
    said: str


@dataclass(frozen=True, slots=True)
class CrosstableRow:
    """A row; a cell is None for the entrant itself and for a pair that has not met."""

    rank: int
    entrant: EntrantLabel
    points: str
    games: int
    cells: tuple[CrosstableCell | None, ...]


@dataclass(frozen=True, slots=True)
class Crosstable:
    """Rows and columns in the order of the standings."""

    lines: tuple[CrosstableRow, ...]
    download: DownloadTable


def residual_step(z: float) -> int:
    """Return 1..7: how far a score lies from what was expected, in standard deviations; 4 is within one."""
    return 4 + max(-3, min(3, int(z)))


def crosstable(source: Source) -> Crosstable:
    """Return the crosstable; expected scores come from the fit to all matches."""
    known = entrant_labels(source)
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
            scored = text.decimal(Fraction(pair.half_points, 2), 1)
            cells.append(
                CrosstableCell(
                    opponent=known[other.number],
                    score=scored.removesuffix(".0"),
                    games=pair.games,
                    shade=round(share * (SHADES - 1)),
                    residual=residual_step(meeting.z),
                    said=f"{text.percent(share)} %, expected {text.number(100 * meeting.expected, 1)} %",
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
                standing.rank,
                known[standing.number],
                text.points(standing.points, source.tournament.seats),
                standing.games,
                tuple(cells),
            )
        )
    columns = ("entrant", "opponent", "games", "points", "share", "expected")
    return Crosstable(tuple(lines), table(rows, columns))
