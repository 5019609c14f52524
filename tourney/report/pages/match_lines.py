"""The lines of the list of matches, in schedule order, and their division into pages; see ``match_list``."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tourney.report import display
from tourney.report.compact_matches import LazySequence, place_of
from tourney.report.display import EntrantLabel, SeatLabel
from tourney.store.values import Result, TournamentMatch

if TYPE_CHECKING:
    from tourney.report.source import ReportSource

PAGE = 500
"""Matches on a page of the list."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A match in short: its page ("" without one), its result, its outcome, and in words."""

    href: str
    result: str
    outcome: str
    fault: bool
    said: str


@dataclass(frozen=True, slots=True)
class SeatResult:
    """A seat of a match, its entrant and result: ``1``, ``½`` or ``0`` for two seats, otherwise the rank."""

    seat: SeatLabel
    entrant: EntrantLabel
    rank: int
    fault: str
    result: str
    won: bool
    lost: bool


@dataclass(frozen=True, slots=True)
class ListedMatch:
    """A match in the list. ``href`` is the path of its page, or "" without; ``tags`` are for the filter."""

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


def match_path(number: int) -> str:
    """The path of a match's page in the site."""
    return f"matches/{number}.html"


def picked(source: "ReportSource", most: int) -> frozenset[int]:
    """The numbers of at most these matches: those with faults first, then in schedule order."""
    faulty: list[int] = []
    others: list[int] = []
    for match in source.matches:
        kept = faulty if match.result is not None and any(match.result.faults) else others
        if len(kept) < most:
            kept.append(match.number)
    return frozenset([*faulty, *others][:most])


class LineOf(Mapping[int, ListedMatch]):
    """The lines of matches by number."""

    def __init__(self, matches: Sequence[TournamentMatch], lines: Sequence[ListedMatch]) -> None:
        self._matches = matches
        self._lines = lines

    def __getitem__(self, number: int) -> ListedMatch:
        return self._lines[place_of(self._matches, number)]

    def __iter__(self) -> Iterator[int]:
        return (match.number for match in self._matches)

    def __len__(self) -> int:
        return len(self._matches)


def match_lines(source: "ReportSource", paged: Collection[int], *, measured: bool) -> Sequence[ListedMatch]:
    """All finished matches; ``paged`` are the numbers of those with a page.

    The notes on failures of the infrastructure are included only with ``measured``.
    """
    entrants, seats = source.labels, source.seats

    def line(match: TournamentMatch) -> ListedMatch:
        result = match.result
        if result is None:
            raise ValueError(f"match {match.number} has no result")
        tied = len(set(result.ranks)) == 1
        tags = ["is-void"] if result.void else ["is-draw"] if tied else []
        if any(result.faults):
            tags.append("has-fault")
        return ListedMatch(
            number=match.number,
            href=match_path(match.number) if match.number in paged else "",
            **match.key._asdict(),
            seats=tuple(
                SeatResult(
                    seat=seats[seat],
                    entrant=entrants[entrant],
                    rank=result.ranks[seat],
                    fault=result.faults[seat] or "",
                    result=_result(result, seat),
                    won=not result.void and result.ranks[seat] == 1 and not tied,
                    lost=not result.void and result.ranks[seat] > 1,
                )
                for seat, entrant in enumerate(match.seats)
            ),
            reason=display.reason(result.reason) if result.digest or not result.void else "void",
            actions=result.actions,
            void=result.void,
            note=display.label(result.note) if result.note and measured else "",
            tags=tuple(tags),
        )

    return LazySequence(source.matches, line)


def _result(result: Result, seat: int) -> str:
    if result.void:
        return display.MISSING
    rank = result.ranks[seat]
    if len(result.ranks) > 2:
        return str(rank)
    if result.ranks.count(rank) > 1:
        return "\N{VULGAR FRACTION ONE HALF}"
    return "1" if rank == 1 else "0"


def pages_of(lines: Sequence[ListedMatch]) -> tuple[tuple[ListedMatch, ...], ...]:
    """Divide the lines into pages; there is at least one, which may be empty."""
    return tuple(tuple(lines[k : k + PAGE]) for k in range(0, len(lines), PAGE)) or ((),)


def list_page(index: int) -> str:
    """The path of a page of the list, ``index`` from 0."""
    return "matches.html" if index == 0 else f"matches-{index + 1}.html"
