"""Tables of pairs: the crosstable with expected scores, and the probabilities of superiority."""

from dataclasses import dataclass
from fractions import Fraction

from tourney.ratings.batch import SeatEffect
from tourney.report import text
from tourney.report.downloads import DownloadTable, table
from tourney.report.labels import EntrantLabel, entrant_labels
from tourney.report.source import Source

SHADES = 9
"""Shades of a score or probability, from 0 (0 %) to 8 (100 %); 4 is even."""


@dataclass(frozen=True, slots=True)
class CrosstableCell:
    """A pair: points and games, the shades of score and residual, and the shares in words."""

    opponent: EntrantLabel
    score: str
    games: int
    shade: int
    residual: int
    said: str


@dataclass(frozen=True, slots=True)
class CrosstableRow:
    """A row; a cell is None for the entrant itself and for pairs without games."""

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
    """Return the shade 1..7 of a residual in standard deviations; 4 is within one."""
    return 4 + max(-3, min(3, int(z)))


def crosstable(source: Source) -> Crosstable:
    """Return the crosstable; the expected scores come from the fit to all matches."""
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
    download: DownloadTable


def superiority(source: Source) -> Superiority:
    """Return the probability of superiority for each pair of bots."""
    known = entrant_labels(source)
    batch = source.batch
    cells: dict[tuple[int, int], SuperiorityCell] = {}
    for pair in batch.pairs:
        for a, b, los in ((pair.a, pair.b, pair.los), (pair.b, pair.a, 1 - pair.los)):
            shade = round(los * (SHADES - 1))
            cells[a, b] = SuperiorityCell(text.number(100 * los, 1), shade, text.count(pair.games, "game"))
    lines = tuple(
        SuperiorityRow(
            entrant=known[rating.entrant],
            elo=text.number(rating.elo, 1),
            ranks=text.span(rating.best_rank, rating.worst_rank),
            best=text.number(100 * rating.p_best, 0),
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
    return Superiority(lines, notes(source), table(rows, ("entrant", "opponent", "p_better", *columns)))


def notes(source: Source) -> tuple[str, ...]:
    """Return sentences on the pool and the limits of its ratings."""
    known = entrant_labels(source)
    pool = source.batch.pool
    if not pool.matches:
        return ("No match has been rated yet, so the intervals are those of the prior.",)

    def groups(found: tuple[tuple[int, ...], ...]) -> str:
        shown = [", ".join(known[number].name for number in group[:6]) for group in found[:6]]
        cut = len(found) > 6 or any(len(group) > 6 for group in found)
        return "; ".join(shown) + (" and more" if cut else "")

    said = []
    if len(pool.parts) > 1:
        said.append(
            f"No match connects these {len(pool.parts)} groups of bots, so their ratings are not comparable:"
            f" {groups(pool.parts)}."
        )
    said += [
        "No bot ever scored against a group before its own, so only the prior limits their distance:"
        f" {groups(steps)}."
        for steps in pool.steps
        if len(steps) > 1
    ]
    said.append("Seats, in Elo relative to their mean: " + "; ".join(map(_seat, pool.seats)) + ".")
    fit = pool.goodness
    if fit.p_value is not None and fit.ratio is not None:
        said.append(
            f"Fit: the residuals of {text.count(fit.pairs, 'pair')} are {text.number(fit.ratio, 2)} times"
            f" those expected by chance (p = {text.number(fit.p_value, 3)})."
        )
    said.append(
        f"Games with the same seed vary {text.number(pool.dispersion, 2)} times as much as independent games;"
        " the intervals take this into account."
    )
    return tuple(said)


def _seat(effect: SeatEffect) -> str:
    low, high = text.number(effect.low, 0), text.number(effect.high, 0)
    return f"seat {effect.seat}: {text.number(effect.elo, 0)} ({low} to {high})"
