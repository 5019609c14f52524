"""The faults of each entrant, by kind."""

from dataclasses import dataclass
from fractions import Fraction

from tourney.match.record import FAULT_KINDS
from tourney.report import text
from tourney.report.downloads import DownloadTable, table
from tourney.report.labels import EntrantLabel, entrant_labels
from tourney.report.source import Source


@dataclass(frozen=True, slots=True)
class FaultLine:
    """An entrant's faults by kind, in the order of ``FAULT_KINDS``; ``share``: percent of its matches."""

    entrant: EntrantLabel
    counts: tuple[int, ...]
    total: int
    share: str


def fault_lines(source: Source) -> tuple[FaultLine, ...]:
    """Return the entrants that have a fault, most faults first."""
    known = entrant_labels(source)
    lines = []
    for standing in source.standings:
        counts = dict(standing.faults)
        if not counts:
            continue
        # A void match has faults too, but is none of the games.
        share = Fraction(standing.fault_count, max(standing.games, standing.fault_count))
        lines.append(
            FaultLine(
                known[standing.number],
                tuple(counts.get(kind, 0) for kind in FAULT_KINDS),
                standing.fault_count,
                text.percent(share),
            )
        )
    return tuple(sorted(lines, key=lambda line: (-line.total, line.entrant.number)))


def faults_table(source: Source) -> DownloadTable:
    """Return every entrant's faults by kind, for download."""
    rows = [
        {
            "entrant": line.name,
            **dict.fromkeys(FAULT_KINDS, 0),
            **dict(line.faults),
            "total": line.fault_count,
        }
        for line in source.standings
    ]
    return table(rows, ("entrant", *FAULT_KINDS, "total"))
