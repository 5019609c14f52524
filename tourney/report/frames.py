"""Results as pandas frames: a row per match and seat, and a row per meeting of two entrants."""

import pandas as pd

from tourney.report.source import Source

COLUMNS = ("match", "seat", "entrant", "rank", "fault", "void", "reason")


def seat_frame(source: Source) -> pd.DataFrame:
    """Return a row per finished match and seat, in schedule and seat order, void matches too.

    ``fault`` is a kind or "".
    """
    rows = [
        (match.number, seat, *columns, match.result.void, match.result.reason)
        for match in source.matches
        if match.result is not None
        for seat, columns in enumerate(
            zip(match.seats, match.result.ranks, (f or "" for f in match.result.faults), strict=True), 1
        )
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"void": bool, "match": "int64"})


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
