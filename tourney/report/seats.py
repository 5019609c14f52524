"""The scores of each seat."""

from dataclasses import dataclass
from fractions import Fraction

from tourney.report import text
from tourney.report.downloads import DownloadTable, table
from tourney.report.labels import SeatLabel, seat_labels
from tourney.report.source import Source
from tourney.schedule.row import units_of_win
from tourney.store.values import ScoreTotals


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
