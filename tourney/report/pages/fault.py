"""The pages of faults, and of time and overload: mistakes of bots, and effects of the machine on matches."""

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice, takewhile
from typing import NamedTuple

from tourney.errors import StoreDamaged
from tourney.report import display
from tourney.report.charts.chart import draw
from tourney.report.charts.kinds import box_plot
from tourney.report.compact_matches import FinishedMatch, LazySequence
from tourney.report.display import EntrantLabel
from tourney.report.output.layout import File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.history import sampled
from tourney.report.pages.match_lines import ListedMatch
from tourney.report.pages.overview import faulty
from tourney.results.audit import RECORDS, UNSEEN, AlikePair, alike_in
from tourney.results.columns import Column, Row
from tourney.results.positions import each_part
from tourney.results.tables import DataTable
from tourney.results.texts import overload_text
from tourney.store.column_reading import unpack_parts
from tourney.store.values import VoidReason

LISTED = 500
"""Most faults that the page describes; the download has all."""
OF_A_KIND = 20
"""Most described faults of one bot and kind."""
TAIL = 12
"""Last lines of a bot's standard error that a fault shows."""
LOOKED_AT = 150
"""Matches whose times are read: records are large, and their times are stored with them."""
CHARTED = 40
"""Most bots in the chart of times; the table has all."""
MOST_VOIDS = 500
"""Most void matches that a page lists."""
LEAST_MS = 0.01
"""Times below are drawn as this one, as the axis is logarithmic."""
VOIDED = {
    "machine-failure": "the machine failed each time it was played",
    "overload": "the machine was overloaded each time it was played",
    "memory": "the machine's memory was full each time it was played",
}
"""Reasons of matches that are void by the machine, in words."""


class Fault(NamedTuple):
    """A match and the seat (from 0) that had a fault in it."""

    line: ListedMatch
    seat: int


class ThinkTimes(NamedTuple):
    """A bot's times for an action in milliseconds, from a number of actions; least, quartiles and most."""

    entrant: EntrantLabel
    actions: int
    quartiles: tuple[float, ...]


def files(make: Renderer) -> Iterator[File]:
    """Yield the pages of faults, with a download, of the audit, and of overload if there are measurements."""
    every = _faults(make)
    chosen: list[Fault] = []
    of_a_kind: Counter[tuple[int, str]] = Counter()
    for line, seat in every:
        key = (line.seats[seat].entrant.number, line.seats[seat].fault)
        of_a_kind[key] += 1
        # One bot that crashes in every game must not fill the page.
        if of_a_kind[key] <= OF_A_KIND and len(chosen) < LISTED:
            chosen.append(Fault(line, seat))
    yield make.page(
        "faults.html",
        "faults.html",
        lines=faulty(make.source),
        faults=[_described(make, line, seat) for line, seat in chosen],
        left_out=len(every) - len(chosen),
        voids=[line for line, _ in islice(_void_matches(make), MOST_VOIDS)],
        measured=make.measured,
        logs=make.options.logs and make.measured,
    )
    yield from make.tables("data/fault-list", _table(make, every))
    if make.measured:
        yield _overload_page(make)
    every_finding = make.source.audit(lambda: _alike(make))
    findings = [finding for finding in every_finding if make.measured or finding.kind != "think time"]
    yield make.page("audit.html", "audit.html", findings=findings, unseen=UNSEEN)


def _alike(make: Renderer) -> list[AlikePair]:
    """The bots that answer alike; the first matches decide, so it seldom changes. Raises StoreDamaged."""
    source = make.source
    matches = list(takewhile(lambda match: match.number <= RECORDS, source.recorded))
    seats = {match.number: match.seats for match in matches}
    numbers = list(seats)

    def find() -> list[AlikePair]:
        packed = each_part(matches, make.maker.matches.only(numbers).parts)
        alone = ((match.number, parts._replace(log=None, measured=None)) for match, parts in packed)
        records = ((number, unpack_parts(parts, source.tournament.seats)[0]) for number, parts in alone)
        return alike_in(seats, ((number, record) for number, record in records if record is not None))

    return make.maker.value("bots that answer alike", seats, list[AlikePair], find, numbers)


def _faults(make: Renderer) -> Sequence[Fault]:
    lines = make.lines
    seats = make.source.tournament.seats
    # One number for match and seat: a tournament may have a million faults.
    positions = array("L")
    for place, match in enumerate(make.source.matches):
        if any(match.result.faults):
            positions.extend(place * seats + seat for seat, fault in enumerate(match.result.faults) if fault)
    return LazySequence(positions, lambda at: Fault(lines[at // seats], at % seats))


def _described(make: Renderer, line: ListedMatch, seat: int) -> dict[str, object]:
    """A fault for the template.

    ``ply``: the number of actions before it, or None without a record. ``note`` is the referee's note on it
    (without the kind), ``tail`` the end of the bot's standard error.
    """
    detail = make.source.detail(line.number)
    kind = line.seats[seat].fault
    faults = detail.record.outcome.faults if detail.record is not None else ()
    seat_lines = [entry for entry in detail.log if entry.seat == seat + 1] if make.measured else []
    notes = [entry.text for entry in seat_lines if entry.kind == "note"]
    written = [entry.text for entry in seat_lines if entry.kind == "stderr"]
    return {
        "line": line,
        "seated": line.seats[seat],
        "words": display.fault(kind),
        "ply": next((ply for number, what, ply in faults if (number, what) == (seat + 1, kind)), None),
        "note": display.line(notes[-1]).removeprefix(f"{kind}: ") if notes else "",
        "tail": [display.line(text) for text in written[-TAIL:]],
    }


def _table(make: Renderer, every: Sequence[Fault]) -> DataTable:
    columns = tuple(map(Column, ("match", "round", "entrant", "seat", "fault", "actions", "void")))

    def row(fault_of_seat: Fault) -> Row:
        line, seat = fault_of_seat
        name = make.source.entrants[line.seats[seat].entrant.number].name
        fault = line.seats[seat].fault
        values = (line.number, line.round, name, seat + 1, fault, line.actions, line.void)
        return {column.key: value for column, value in zip(columns, values, strict=True)}

    return DataTable(columns, LazySequence(every, row))


def _void_matches(make: Renderer) -> Iterator[tuple[ListedMatch, VoidReason | None]]:
    for place, match in enumerate(make.source.matches):
        if match.result.void:
            yield make.lines[place], match.result.void_reason


def _overload_page(make: Renderer) -> File:
    """The page of the effects of overload; ``said`` sums up all turns, or is "" without measurements."""
    source = make.source
    whole, by_entrant = source.overload
    measured = [(source.labels[line.number], by_entrant.get(line.number)) for line in source.standings]
    turns = [(label, totals) for label, totals in measured if totals is not None and totals.turns]
    # Spread over the tournament, as machines and bots may change while it runs.
    matches = sampled(source.recorded, LOOKED_AT)
    times = _think_times(make, matches)
    rows = [[max(LEAST_MS, time) for time in bot_times.quartiles] for bot_times in times[:CHARTED]]
    description = "Time for an action by bot, numbered as in the table"
    void = ((line, VOIDED[why]) for line, why in _void_matches(make) if why in VOIDED)
    return make.page(
        "overload.html",
        "overload.html",
        said=overload_text(whole),
        overloaded_share=Fraction(whole.overloaded, max(1, whole.turns)),
        times=times,
        chart=draw(box_plot(description, rows, "ms an action", "Bot")) if rows else None,
        timed=len(matches),
        lines=sorted(turns, key=lambda line: -line[1].overloaded),
        matches=[(make.line_of(overloaded.number), overloaded) for overloaded in source.overloaded],
        more=whole.matches - len(source.overloaded),
        voids=tuple(islice(void, MOST_VOIDS)),
    )


def _think_times(make: Renderer, matches: Sequence[FinishedMatch]) -> list[ThinkTimes]:
    """The times of the bots with measurements, in the order of the standings."""
    source = make.source
    by_entrant: dict[int, list[float]] = {}
    for match, parts in each_part(matches, source.parts):
        try:
            record, _, measured = unpack_parts(parts._replace(log=None), len(match.seats))
        except StoreDamaged:  # the page of the match names it
            continue
        actions = record.actions if record is not None else ()
        for (actor, _), time in zip(actions, measured.times_ms, strict=False):
            if time is not None and 0 < actor <= len(match.seats):
                by_entrant.setdefault(match.seats[actor - 1], []).append(float(time))
    times = [
        (source.labels[line.number], sorted(by_entrant.get(line.number, ()))) for line in source.standings
    ]
    return [
        ThinkTimes(
            label,
            len(bot_times),
            tuple(bot_times[round(quarter * (len(bot_times) - 1) / 4)] for quarter in range(5)),
        )
        for label, bot_times in times
        if bot_times
    ]
