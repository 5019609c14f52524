"""Results as pandas frames: a row per match and seat, and what they add up to.

Shares and counts come out of here; they are exact integers until they are printed.
"""

from fractions import Fraction

import pandas as pd

from tourney.report.source import Source
from tourney.schedule.row import score_units

COLUMNS = (
    "match",
    "round",
    "seat",
    "entrant",
    "rank",
    "units",
    "first",
    "shared",
    "fault",
    "void",
    "reason",
    "actions",
)


def seat_frame(source: Source) -> pd.DataFrame:
    """Return a row per finished match and seat, in schedule and seat order, void matches too.

    ``units`` is the match score in units of 1 / (2 * (seats - 1)); ``first`` says rank 1, ``shared`` that
    another seat has the same rank; ``fault`` is a kind or "".
    """
    rows = []
    for match in source.matches:
        result = match.result
        if result is None:
            continue
        units = score_units(result.ranks)
        for seat, entrant in enumerate(match.seats):
            rank = result.ranks[seat]
            rows.append(
                (
                    match.number,
                    match.key.round,
                    seat + 1,
                    entrant,
                    rank,
                    units[seat],
                    rank == 1,
                    result.ranks.count(rank) > 1,
                    result.faults[seat] or "",
                    result.void,
                    result.reason,
                    result.actions,
                )
            )
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(
        {"first": bool, "shared": bool, "void": bool, "units": "int64", "match": "int64", "actions": "int64"}
    )


def tally(frame: pd.DataFrame, by: str | list[str]) -> pd.DataFrame:
    """Return games, units, wins, draws, losses and faults per value of a column, in its order.

    A win is first alone, a draw first with others, a loss the rest; void matches do not count.
    """
    counted = frame[~frame["void"]]
    marked = counted.assign(
        win=counted["first"].astype(bool) & ~counted["shared"].astype(bool),
        draw=counted["first"].astype(bool) & counted["shared"].astype(bool),
        faulty=counted["fault"] != "",
    )
    grouped = marked.groupby(by, sort=True)
    table = grouped.agg(
        games=("match", "size"),
        units=("units", "sum"),
        wins=("win", "sum"),
        draws=("draw", "sum"),
        faults=("faulty", "sum"),
    )
    table["losses"] = table["games"] - table["wins"] - table["draws"]
    return table.astype(int)


def meetings(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row per match and ordered pair of its entrants, void matches left out.

    Columns: match, entrant, seat, opponent, half (2 for the better rank, 1 for equals), fault (the
    entrant's), opponent_fault.
    """
    counted = frame.loc[~frame["void"], ["match", "seat", "entrant", "rank", "fault"]]
    pairs = counted.merge(counted, on="match", suffixes=("", "_theirs"))
    pairs = pairs[pairs["seat"] != pairs["seat_theirs"]]
    better = (pairs["rank"] < pairs["rank_theirs"]).astype(int)
    equal = (pairs["rank"] == pairs["rank_theirs"]).astype(int)
    return pd.DataFrame(
        {
            "match": pairs["match"],
            "entrant": pairs["entrant"],
            "seat": pairs["seat"],
            "opponent": pairs["entrant_theirs"],
            "half": 2 * better + equal,
            "fault": pairs["fault"],
            "opponent_fault": pairs["fault_theirs"],
        }
    ).sort_values(["entrant", "opponent", "match"], ignore_index=True)


def points_of(units: int, seats: int) -> Fraction:
    """Return score units as points."""
    return Fraction(int(units), 2 * (seats - 1))
