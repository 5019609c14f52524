"""The faults of all bots, by kind and match."""

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from tourney.match.record import FAULT_KINDS
from tourney.match.result import LogLine
from tourney.report import display
from tourney.report.compact_matches import LazySequence
from tourney.report.display import EntrantLabel
from tourney.report.output.layout import File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.match_lines import ListedMatch
from tourney.report.pages.overload_page import MOST_VOIDS, overload_page, void_matches
from tourney.report.pages.overview_page import FaultLine, fault_lines
from tourney.results.columns import Row
from tourney.results.tables import DataTable

LISTED = 500
"""Most faults with their match and words; the download has all."""
OF_A_KIND = 20
"""Most of them of one bot and kind."""
TAIL = 12
"""Last lines of a bot's standard error that a fault shows."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: the bot's, in a match. ``ply``: actions before it, or None where no record says it.

    ``note`` is what the referee noted of it (without the kind), ``tail`` the end of
    what the bot wrote to standard error.
    """

    line: ListedMatch
    entrant: EntrantLabel
    kind: str
    words: str
    ply: int | None
    note: str
    tail: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FaultPage:
    """The page's template context; ``left_out`` counts the faults that are in the download alone."""

    lines: tuple[FaultLine, ...]
    kinds: tuple[tuple[str, str], ...]
    faults: tuple[Fault, ...]
    left_out: int
    voids: tuple[ListedMatch, ...]
    measured: bool
    logs: bool


def files(make: Renderer) -> Iterator[File]:
    """Yield the page of faults with its download, and the page on overload if the report has measurements."""
    every = _faults(make)
    chosen: list[tuple[ListedMatch, int]] = []
    of_a_kind: Counter[tuple[int, str]] = Counter()
    for line, seat in every:
        key = (line.seats[seat].entrant.number, line.seats[seat].fault)
        of_a_kind[key] += 1
        if of_a_kind[key] <= OF_A_KIND and len(chosen) < LISTED:
            chosen.append((line, seat))
    page = FaultPage(
        lines=fault_lines(make.source),
        kinds=tuple((kind, display.fault(kind)) for kind in FAULT_KINDS),
        faults=tuple(_fault(make, line, seat) for line, seat in chosen),
        left_out=len(every) - len(chosen),
        voids=tuple(line for line, _ in islice(void_matches(make), MOST_VOIDS)),
        measured=make.measured,
        logs=make.options.logs and make.measured,
    )
    yield make.page("faults.html", "faults.html", page=page)
    yield from make.tables("data/fault-list", _table(make, every))
    if make.measured:
        yield make.page("overload.html", "overload.html", page=overload_page(make))


def _faults(make: Renderer) -> Sequence[tuple[ListedMatch, int]]:
    """Each fault as its match and seat (from 0), in schedule order."""
    lines, seats = make.lines, make.source.tournament.seats
    found = array("L")
    for place, match in enumerate(make.source.matches):
        if match.result is not None and any(match.result.faults):
            found.extend(place * seats + seat for seat, fault in enumerate(match.result.faults) if fault)
    return LazySequence(found, lambda at: (lines[at // seats], at % seats))


def _fault(make: Renderer, line: ListedMatch, seat: int) -> Fault:
    detail = make.source.detail(line.number)
    kind = line.seats[seat].fault
    ply = None
    if detail.record is not None:
        found = (at for place, one, at in detail.record.outcome.faults if (place, one) == (seat + 1, kind))
        ply = next(found, None)
    own: Sequence[LogLine] = [one for one in detail.log if one.seat == seat + 1] if make.measured else ()
    notes = [one.text for one in own if one.kind == "note"]
    written = [one.text for one in own if one.kind == "stderr"]
    return Fault(
        line=line,
        entrant=line.seats[seat].entrant,
        kind=kind,
        words=display.fault(kind),
        ply=ply,
        note=display.line(notes[-1]).removeprefix(f"{kind}: ") if notes else "",
        tail=tuple(display.line(one) for one in written[-TAIL:]),
    )


def _table(make: Renderer, every: Sequence[tuple[ListedMatch, int]]) -> DataTable:
    def row(fault: tuple[ListedMatch, int]) -> Row:
        line, seat = fault
        return {
            "match": line.number,
            "round": line.round,
            "entrant": make.source.entrants[line.seats[seat].entrant.number].name,
            "seat": seat + 1,
            "fault": line.seats[seat].fault,
            "actions": line.actions,
            "void": line.void,
        }

    columns = ("match", "round", "entrant", "seat", "fault", "actions", "void")
    return DataTable(columns, LazySequence(every, row))
