"""The ratings of the whole pool at once: who is likely better than whom, and what is said of the pool."""

from dataclasses import dataclass

from tourney.ratings.batch import SeatEffect
from tourney.report import text
from tourney.report.downloads import DownloadTable, table
from tourney.report.labels import EntrantLabel, entrant_labels
from tourney.report.source import Source

SHADES = 9
"""Steps of a probability's shade, from 0 (surely the weaker) to 8 (surely the stronger); 4 is even."""


@dataclass(frozen=True, slots=True)
class SuperiorityCell:
    """A pair: the probability that the row's bot is the stronger, in percent, and its shade; more, said."""

    percent: str
    shade: int
    said: str


@dataclass(frozen=True, slots=True)
class SuperiorityRow:
    """A row; the entrant's own cell is None. ``best``: the probability of being the strongest, in percent."""

    entrant: EntrantLabel
    elo: str
    ranks: str
    best: str
    cells: tuple[SuperiorityCell | None, ...]


@dataclass(frozen=True, slots=True)
class Superiority:
    """Rows and columns in the order of the ratings; ``notes`` say of the pool what a reader has to know."""

    lines: tuple[SuperiorityRow, ...]
    notes: tuple[str, ...]
    download: DownloadTable


def superiority(source: Source) -> Superiority:
    """Return who is likely better than whom."""
    known = entrant_labels(source)
    batch = source.batch
    pairs = {(pair.a, pair.b): pair for pair in batch.pairs}
    order = [line.entrant for line in batch.ratings]
    lines = []
    for rating in batch.ratings:
        cells: list[SuperiorityCell | None] = []
        for other in order:
            if other == rating.entrant:
                cells.append(None)
                continue
            pair = pairs.get((rating.entrant, other))
            los = pair.los if pair else 1 - pairs[other, rating.entrant].los
            games = (pair or pairs[other, rating.entrant]).games
            cells.append(
                SuperiorityCell(
                    text.number(100 * los, 1), round(los * (SHADES - 1)), text.count(games, "game")
                )
            )
        lines.append(
            SuperiorityRow(
                entrant=known[rating.entrant],
                elo=text.number(rating.elo, 1),
                ranks=text.span(rating.best_rank, rating.worst_rank),
                best=text.number(100 * rating.p_best, 0),
                cells=tuple(cells),
            )
        )
    rows = [
        {
            "entrant": source.entrants[pair.a].name,
            "opponent": source.entrants[pair.b].name,
            "p_better": pair.los,
            "games": pair.games,
            "points": pair.points,
            "expected": pair.expected,
            "residual": pair.residual,
            "z": pair.z,
        }
        for pair in batch.pairs
    ]
    columns = ("entrant", "opponent", "p_better", "games", "points", "expected", "residual", "z")
    return Superiority(tuple(lines), notes(source), table(rows, columns))


def notes(source: Source) -> tuple[str, ...]:
    """Return what the ratings say of the pool, and what they cannot say."""
    known = entrant_labels(source)
    pool = source.batch.pool
    if not pool.matches:
        return ("No match has been rated yet: the intervals are the prior's.",)

    def groups(found: tuple[tuple[int, ...], ...]) -> str:
        shown = [", ".join(known[number].name for number in group[:6]) for group in found[:6]]
        cut = len(found) > 6 or any(len(group) > 6 for group in found)
        return "; ".join(shown) + (" and more" if cut else "")

    said = []
    if len(pool.parts) > 1:
        said.append(
            f"The bots fall into {len(pool.parts)} parts that no match connects, so ratings of one say"
            f" nothing about another: {groups(pool.parts)}."
        )
    said += [
        "Nobody further down ever took anything off the groups above, so the prior alone bounds how far apart"
        f" they are: {groups(steps)}."
        for steps in pool.steps
        if len(steps) > 1
    ]
    said.append("Seats, in Elo relative to their mean: " + "; ".join(map(_seat, pool.seats)) + ".")
    fit = pool.goodness
    if fit.p_value is not None and fit.ratio is not None:
        said.append(
            f"Fit: the residuals of {text.count(fit.pairs, 'pair')} are {text.number(fit.ratio, 2)} times"
            f" what chance would leave (p = {text.number(fit.p_value, 3)})."
        )
    said.append(
        f"Games of one seed vary {text.number(pool.dispersion, 2)} times as much as independent games; the"
        " intervals know of it."
    )
    return tuple(said)


def _seat(effect: SeatEffect) -> str:
    low, high = text.number(effect.low, 0), text.number(effect.high, 0)
    return f"seat {effect.seat}: {text.number(effect.elo, 0)} ({low} to {high})"
