"""The inputs of match pages: the setting, the lines of lists, and the stored data of a match.

It imports little, because every process that renders matches imports it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import nlargest
from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from tourney.exchange.game_writers import writes_games
from tourney.games.base import AnyGame
from tourney.games.registry import known_game
from tourney.match.analysis import Analysis
from tourney.match.record import Record
from tourney.match.result import NOT_MEASURED, LogLine, Measurements
from tourney.report import display
from tourney.report.compact_matches import FinishedMatch, LazySequence
from tourney.report.display import EntrantLabel, SeatLabel
from tourney.results.highlights import Kind, highlights_of_result
from tourney.store.values import Result, Tournament

if TYPE_CHECKING:
    from tourney.report.source import ReportSource


@dataclass(frozen=True, slots=True)
class MatchDetail:
    """The stored data of a match beyond its result; ``record`` is None if the infrastructure failed.

    Damaged parts are left out: ``damaged`` names each (record, log, measurements or analysis) and says why.
    """

    record: Record | None = None
    log: tuple[LogLine, ...] = ()
    measured: Measurements = NOT_MEASURED
    damaged: tuple[tuple[str, str], ...] = ()
    analysis: Analysis | None = None


def published_detail(detail: MatchDetail, *, logs: bool, measured: bool = True) -> MatchDetail:
    """The published parts of a match; private parts need ``logs``.

    Without ``measured``, only what the record's digest covers.
    """
    if not measured:
        damaged = tuple((part, why) for part, why in detail.damaged if part in {"record", "analysis"})
        return replace(detail, log=(), measured=NOT_MEASURED, damaged=damaged)
    if logs:
        return detail
    log = tuple(line for line in detail.log if line.kind != "stderr")
    return replace(detail, log=log, measured=structs.replace(detail.measured, host=""))


@dataclass(frozen=True)
class MatchSetting:
    """The tournament as match pages see it, without anything that changes while it runs; picklable."""

    tournament: Tournament
    seats: tuple[SeatLabel, ...]

    @property
    def game(self) -> AnyGame | None:
        """The game, or None if it is not installed, is broken, or no rules were run."""
        return known_game(self.tournament.game) if self.tournament.recorded else None

    @property
    def seat_word(self) -> str:
        """What players call a seat: a colour in chess, whose seats are White and Black."""
        return "colour" if {seat.name for seat in self.seats} == {"White", "Black"} else "seat"

    @cached_property
    def _ends(self) -> Mapping[str, str]:
        try:
            guide = self.game.guide() if self.game else None
            return dict(guide.ends) if guide else {}
        except Exception:  # noqa: BLE001 - a plugin's guide that fails
            return {}

    def reason(self, word: str) -> str:
        """The reason for the end of a match in the words of the game's guide."""
        return display.label(self._ends[word]) if word in self._ends else display.reason(word)


class Chip(NamedTuple):
    """A match in short: its page ("" without one), result and outcome; ``said`` has all in words."""

    href: str
    result: str
    outcome: str
    fault: bool
    said: str


class SeatResult(NamedTuple):
    """A seat of a match, its entrant and result: ``1``, ``½`` or ``0`` for two seats, otherwise the rank."""

    seat: SeatLabel
    entrant: EntrantLabel
    rank: int
    fault: str
    result: str
    won: bool
    lost: bool


class ListedMatch(NamedTuple):
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


def record_path(line: ListedMatch) -> str:
    """The path of a match's record in the site."""
    return f"matches/{line.number}.json"


GAMES_PGN = "data/games.pgn"
"""The path of the games of all these matches in one file."""


def pgn_path(setting: MatchSetting, line: ListedMatch) -> str:
    """The path of a match's PGN in the site; "" without."""
    written = writes_games(setting.tournament.game) and setting.game is not None and not line.void
    return f"matches/{line.number}.pgn" if written and line.href else ""


WORTH_SEEING = 60
"""Matches that get their pages for each kind of matches worth seeing, before all others."""


def picked(source: "ReportSource", most: int, *, worth: bool = False) -> frozenset[int]:
    """The numbers of at most ``most`` matches in schedule order, but matches with faults first.

    With ``worth``, upsets, short wins and long games come next, in turn.
    """
    faulty: list[int] = []
    others: list[int] = []
    by_kind: dict[Kind, list[tuple[float, int]]] = {"upset": [], "shortest": [], "longest": []}
    # Without a choice all matches count the same, and the ratings need not be known yet.
    choose = worth and len(source.matches) > most
    for match in source.matches:
        # Faults are what an author looks for first, and few: they get their pages before all others.
        if any(match.result.faults):
            faulty.append(match.number)
            continue
        if len(others) < most:
            others.append(match.number)
        if choose and match.result.digest:
            names = [source.labels[entrant].name for entrant in match.seats]
            elo = [source.elo[entrant].elo for entrant in match.seats]
            for highlight in highlights_of_result(match.result, names, elo):
                by_kind[highlight.kind].append((highlight.size, match.number))
    most_of_each = (nlargest(WORTH_SEEING, matches) for matches in by_kind.values())
    in_turn = (entry[1] for entry in chain.from_iterable(zip_longest(*most_of_each)) if entry is not None)
    return frozenset(islice(dict.fromkeys([*faulty, *in_turn, *others]), most))


def match_lines(source: "ReportSource", paged: Collection[int], *, measured: bool) -> Sequence[ListedMatch]:
    """All finished matches; ``paged`` are the numbers of the matches with a page.

    The notes on failures of the infrastructure are included only with ``measured``.
    """
    entrants = source.labels
    seats = source.seats

    def line(match: FinishedMatch) -> ListedMatch:
        result = match.result
        # With more than two seats a shared first place is a draw only if all seats share it.
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
            reason=source.reason(result.reason) if result.digest or not result.void else "void",
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


def engines_of(source: "ReportSource") -> Mapping[int, str]:
    """Each bot's introduction in the first of its recorded matches, by entrant."""
    engines: dict[int, str] = {}
    waiting = {entrant.number for entrant in source.entrants}
    for match in source.recorded:
        if not waiting:
            break
        if waiting.intersection(match.seats):
            introductions = source.detail(match.number).measured.engines
            engines |= {
                e: words for e, words in zip(match.seats, introductions, strict=False) if e in waiting
            }
            waiting.difference_update(match.seats)
    return engines
