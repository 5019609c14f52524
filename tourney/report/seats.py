"""What each seat scored, whoever sat there."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from tourney.report import text
from tourney.report.downloads import DownloadTable, table
from tourney.report.frames import points_of, tally
from tourney.report.labels import SeatLabel, seat_labels
from tourney.report.source import Source


@dataclass(frozen=True, slots=True)
class SeatLine:
    """What a seat scored, whoever sat there."""

    seat: SeatLabel
    games: int
    points: str
    percent: str
    wins: int
    draws: int
    losses: int


def seat_lines(source: Source, frame: pd.DataFrame) -> tuple[SeatLine, ...]:
    """Return what each seat scored over all matches."""
    by_seat = tally(frame, "seat").to_dict("index")
    return tuple(
        seat_line(seat, by_seat.get(seat.number, {}), source.tournament.seats) for seat in seat_labels(source)
    )


def seat_line(seat: SeatLabel, counts: Mapping[Any, Any], seats: int) -> SeatLine:
    """Return a seat's line of a tally, which may be empty."""
    games = counts.get("games", 0)
    score = points_of(counts.get("units", 0), seats)
    return SeatLine(
        seat=seat,
        games=games,
        points=text.points(score, seats),
        percent=text.percent(score / games if games else None),
        wins=counts.get("wins", 0),
        draws=counts.get("draws", 0),
        losses=counts.get("losses", 0),
    )


def seats_table(source: Source, frame: pd.DataFrame) -> DownloadTable:
    """Return what each seat scored, for download."""
    by_seat = tally(frame, "seat").to_dict("index")
    rows = []
    for seat in seat_labels(source):
        counts = by_seat.get(seat.number, {})
        rows.append(
            {
                "seat": seat.number,
                "name": seat.name,
                "games": counts.get("games", 0),
                "points": round(float(points_of(counts.get("units", 0), source.tournament.seats)), 4),
                **{key: counts.get(key, 0) for key in ("wins", "draws", "losses", "faults")},
            }
        )
    return table(rows, ("seat", "name", "games", "points", "wins", "draws", "losses", "faults"))
