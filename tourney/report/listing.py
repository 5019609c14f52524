"""The list of matches: one line each, in schedule order, in pages."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tourney.report import text
from tourney.report.downloads import DownloadTable, table
from tourney.report.labels import EntrantLabel, SeatLabel, entrant_labels, seat_labels
from tourney.report.source import Source
from tourney.store.values import Match, Result

PAGE = 500
"""Matches on a page of the list."""


@dataclass(frozen=True, slots=True)
class SeatResult:
    """Who sat where and what came of it; ``result`` is ``1``, ``½``, ``0`` at two seats, else the rank."""

    seat: SeatLabel
    entrant: EntrantLabel
    rank: int
    fault: str
    result: str
    won: bool
    lost: bool


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A match as a line. ``href`` is its page's path in the site, or "" if no page is written for it.

    ``tags`` are what the list can be filtered by.
    """

    number: int
    href: str
    round: int
    table: int
    repeat: int
    order: int
    seats: tuple[SeatResult, ...]
    reason: str
    actions: int
    void: bool
    note: str
    tags: tuple[str, ...]


def match_page(number: int) -> str:
    """Return the path of a match's page in the site."""
    return f"matches/{number}.html"


def match_lines(source: Source, paged: Collection[int], *, measured: bool) -> tuple[MatchLine, ...]:
    """Return all finished matches; ``paged`` are the numbers of those that have a page of their own."""
    known = entrant_labels(source)
    places = seat_labels(source)
    return tuple(
        match_line(match, match.result, known, places, has_page=match.number in paged, measured=measured)
        for match in source.matches
        if match.result is not None
    )


def match_line(
    match: Match,
    result: Result,
    known: dict[int, EntrantLabel],
    places: Sequence[SeatLabel],
    *,
    has_page: bool,
    measured: bool,
) -> MatchLine:
    """Return a match's line; without ``measured`` the note of a failed infrastructure stays out."""
    tied = len(set(result.ranks)) == 1
    tags = [
        *(["is-void"] if result.void else ["is-draw"] if tied else []),
        *(["has-fault"] if any(result.faults) else []),
    ]
    return MatchLine(
        number=match.number,
        href=match_page(match.number) if has_page else "",
        round=match.key.round,
        table=match.key.table,
        repeat=match.key.repeat,
        order=match.key.order,
        seats=tuple(
            SeatResult(
                seat=places[seat],
                entrant=known[entrant],
                rank=result.ranks[seat],
                fault=result.faults[seat] or "",
                result=_result(result, seat),
                won=not result.void and result.ranks[seat] == 1 and not tied,
                lost=not result.void and result.ranks[seat] > 1,
            )
            for seat, entrant in enumerate(match.seats)
        ),
        reason=text.words(result.reason) if result.digest else "void",
        actions=result.actions,
        void=result.void,
        note=text.display(result.note) if result.note and measured else "",
        tags=tuple(tags),
    )


def _result(result: Result, seat: int) -> str:
    if result.void:
        return "\N{EN DASH}"
    rank = result.ranks[seat]
    if len(result.ranks) > 2:
        return str(rank)
    if result.ranks.count(rank) > 1:
        return "\N{VULGAR FRACTION ONE HALF}"
    return "1" if rank == 1 else "0"


def matches_table(source: Source, *, measured: bool) -> DownloadTable:
    """Return the list for download; what is measured only with ``measured``."""
    seats = range(1, source.tournament.seats + 1)
    columns = ["match", "round", "table", "repeat", "order"]
    columns += [f"{what}_{seat}" for seat in seats for what in ("entrant", "rank", "fault")]
    columns += ["reason", "actions", "void", "digest", *(["reproducible", "note"] if measured else [])]
    rows = []
    for match in source.matches:
        result = match.result
        if result is None:
            continue
        row: dict[str, object] = {"match": match.number, **match.key._asdict()}
        for seat, number in enumerate(match.seats):
            row[f"entrant_{seat + 1}"] = source.entrants[number].name
            row[f"rank_{seat + 1}"] = result.ranks[seat]
            row[f"fault_{seat + 1}"] = result.faults[seat]
        row |= {
            "reason": result.reason,
            "actions": result.actions,
            "void": result.void,
            "digest": result.digest,
            "reproducible": result.reproducible,
            "note": result.note,
        }
        rows.append(row)
    return table(rows, columns)


def pages_of(lines: Sequence[MatchLine]) -> tuple[tuple[MatchLine, ...], ...]:
    """Return the lines in pages; at least one, which may be empty."""
    return tuple(tuple(lines[k : k + PAGE]) for k in range(0, len(lines), PAGE)) or ((),)


def list_page(index: int) -> str:
    """Return the path of a page of the list, ``index`` from 0."""
    return "matches.html" if index == 0 else f"matches-{index + 1}.html"
