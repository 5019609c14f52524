"""The faults of all bots, by kind and match; their times, and what an overloaded machine did to them."""

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from tourney.match.record import FAULT_KINDS
from tourney.match.result import LogLine
from tourney.report import text
from tourney.report.matches import View
from tourney.report.output.look import File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.listing import MatchLine
from tourney.report.pages.overview import FaultLine, fault_lines
from tourney.report.pages.think_time import ThinkTime, think_time
from tourney.report.setting import EntrantLabel
from tourney.results.columns import Row
from tourney.results.tables import DataTable
from tourney.results.texts import overload_text
from tourney.store.values import OverloadTotals, VoidReason

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

    line: MatchLine
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
    voids: tuple[MatchLine, ...]
    measured: bool
    logs: bool


@dataclass(frozen=True, slots=True)
class OverloadLine:
    """A bot's turns, those that overload stretched with their percentage, and the matches with such."""

    entrant: EntrantLabel
    turns: int
    overloaded: int
    percent: str
    matches: int


@dataclass(frozen=True, slots=True)
class OverloadPage:
    """The page's template context. ``said`` sums up all turns, or is "" where nothing was measured.

    ``matches`` have the most overloaded turns: (match, turns, overloaded turns); ``more`` of them are left
    out. ``voids`` are void because the machine failed or was overloaded: (match, why in words).
    """

    said: str
    share: Fraction
    times: ThinkTime
    lines: tuple[OverloadLine, ...]
    matches: tuple[tuple[MatchLine, int, int], ...]
    more: int
    voids: tuple[tuple[MatchLine, str], ...]


VOIDED = {
    "machine-failure": "the machine failed each time it was played",
    "overload": "the machine was overloaded each time it was played",
    "benched": "a bot was benched",
    "startup-failure": "no bot of it started",
}
"""Reasons of void matches in words."""


def files(make: Renderer) -> Iterator[File]:
    """Yield the page of faults with its download, and the page on overload if the report has measurements."""
    every = _faults(make)
    chosen: list[tuple[MatchLine, int]] = []
    of_a_kind: Counter[tuple[int, str]] = Counter()
    for line, seat in every:
        key = (line.seats[seat].entrant.number, line.seats[seat].fault)
        of_a_kind[key] += 1
        if of_a_kind[key] <= OF_A_KIND and len(chosen) < LISTED:
            chosen.append((line, seat))
    page = FaultPage(
        lines=fault_lines(make.source),
        kinds=tuple((kind, text.fault(kind)) for kind in FAULT_KINDS),
        faults=tuple(_fault(make, line, seat) for line, seat in chosen),
        left_out=len(every) - len(chosen),
        voids=tuple(line for line, _ in islice(_voids(make), LISTED)),
        measured=make.measured,
        logs=make.options.logs and make.measured,
    )
    yield make.page("faults.html", "faults.html", page=page)
    yield from make.tables("data/fault-list", _table(make, every))
    if make.measured:
        yield make.page("overload.html", "overload.html", page=_overload(make))


def _faults(make: Renderer) -> Sequence[tuple[MatchLine, int]]:
    """Return each fault as its match and seat (from 0), in schedule order."""
    lines, seats = make.lines, make.source.tournament.seats
    found = array("L")
    for place, match in enumerate(make.source.matches):
        if match.result is not None and any(match.result.faults):
            found.extend(place * seats + seat for seat, fault in enumerate(match.result.faults) if fault)
    return View(found, lambda at: (lines[at // seats], at % seats))


def _voids(make: Renderer) -> Iterator[tuple[MatchLine, VoidReason | None]]:
    """Yield the void matches with the reason, in schedule order."""
    for place, match in enumerate(make.source.matches):
        if match.result is not None and match.result.void:
            yield make.lines[place], match.result.void_reason


def _fault(make: Renderer, line: MatchLine, seat: int) -> Fault:
    detail = make.source.detail(line.number)
    kind = line.seats[seat].fault
    ply = None
    if detail.record is not None:
        found = (
            at for place, one, at in detail.record["outcome"]["faults"] if (place, one) == (seat + 1, kind)
        )
        ply = next(found, None)
    own: Sequence[LogLine] = [one for one in detail.log if one.seat == seat + 1] if make.measured else ()
    notes = [one.text for one in own if one.kind == "note"]
    written = [one.text for one in own if one.kind == "stderr"]
    return Fault(
        line=line,
        entrant=line.seats[seat].entrant,
        kind=kind,
        words=text.fault(kind),
        ply=ply,
        note=text.line(notes[-1]).removeprefix(f"{kind}: ") if notes else "",
        tail=tuple(text.line(one) for one in written[-TAIL:]),
    )


def _table(make: Renderer, every: Sequence[tuple[MatchLine, int]]) -> DataTable:
    def row(fault: tuple[MatchLine, int]) -> Row:
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
    return DataTable(columns, View(every, row))


def _overload(make: Renderer) -> OverloadPage:
    source = make.source
    whole, by_entrant = source.overload
    lines = []
    for standing in source.standings:
        totals = by_entrant.get(standing.number, OverloadTotals())
        if totals.turns:
            share = Fraction(totals.overloaded, totals.turns)
            lines.append(
                OverloadLine(
                    source.labels[standing.number],
                    totals.turns,
                    totals.overloaded,
                    text.percent(share),
                    totals.matches,
                )
            )
    void = (one for one in _voids(make) if one[1] in ("machine-failure", "overload"))
    return OverloadPage(
        said=overload_text(whole),
        times=think_time(make),
        share=Fraction(whole.overloaded, max(1, whole.turns)),
        lines=tuple(sorted(lines, key=lambda line: -line.overloaded)),
        matches=tuple((make.line_of[one.number], one.turns, one.overloaded) for one in source.overloaded),
        more=whole.matches - len(source.overloaded),
        voids=tuple((line, VOIDED[str(why)]) for line, why in islice(void, LISTED)),
    )
