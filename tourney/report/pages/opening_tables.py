"""How matches began: the set openings, and each seat's first action of its own."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tourney.errors import StoreDamaged
from tourney.match.record import Record
from tourney.report import display
from tourney.report.display import SeatLabel
from tourney.report.source import ReportSource
from tourney.results.tables import DataTable
from tourney.schedule.row import score_units, units_of_win
from tourney.store.column_reading import MatchParts, unpack_parts
from tourney.store.values import TournamentMatch

OPENING_RECORDS = 1_000
"""Most records to read for the table of openings; each costs some tenths of a millisecond."""
_CHUNK = 200
FIRST_ACTIONS = 12
"""Most lines of the table of openings for each seat."""
BOOK_LINES = 40
"""Most lines of the table of set openings."""


@dataclass(frozen=True, slots=True)
class OpeningLine:
    """An action or a line of actions with which matches began; ``score`` is that of ``seat``, in percent."""

    seat: SeatLabel
    actions: str
    matches: int
    share: str
    score: str


@dataclass(frozen=True, slots=True)
class OpeningTables:
    """How matches began: set openings, each seat's first action, and how many rarer ones a seat had.

    ``read_records`` is the number of records that it was made of.
    """

    book: tuple[OpeningLine, ...]
    first: tuple[OpeningLine, ...]
    others: dict[int, int]
    read_records: int

    @property
    def download(self) -> DataTable:
        """Both tables in one."""
        columns = ("seat", "actions", "matches", "score_percent")
        rows = [
            dict(zip(columns, (x.seat.number, x.actions, x.matches, float(x.score)), strict=True))
            for x in (*self.book, *self.first)
        ]
        return DataTable(columns, rows)

    @classmethod
    def of(cls, source: ReportSource, matches: Sequence[TournamentMatch]) -> "OpeningTables":
        """The openings of matches, from the records of the first of them that can be read."""
        seats, whole = source.seats, units_of_win(source.tournament.seats)
        first: list[defaultdict[str, list[int]]] = [defaultdict(list) for _ in seats]
        book: defaultdict[str, list[int]] = defaultdict(list)
        read = 0
        for match, record in _records(source, matches[:OPENING_RECORDS]):
            if match.result is None:
                continue
            read += 1
            units = score_units(match.result.ranks)
            given, actions = record.opening.length, record.actions
            own = _split(actions, given)
            if given:
                book[display.line(" ".join(action for _, action in actions[:own]))].append(units[0])
            for seat, action in _first(actions[own:], len(seats)):
                first[seat - 1][display.label(action, 200)].append(units[seat - 1])
        lines = [
            line
            for seat, found in zip(seats, first, strict=True)
            for line in _lines(seat, found, whole, FIRST_ACTIONS)
        ]
        others = {
            seat.number: len(found) - FIRST_ACTIONS
            for seat, found in zip(seats, first, strict=True)
            if len(found) > FIRST_ACTIONS
        }
        return cls(tuple(_lines(seats[0], book, whole, BOOK_LINES)), tuple(lines), others, read)


def _records(
    source: ReportSource, matches: Sequence[TournamentMatch]
) -> Iterator[tuple[TournamentMatch, Record]]:
    """Yield matches with their records, in chunks; leave out damaged ones, which their own pages name."""
    for start in range(0, len(matches), _CHUNK):
        chosen = matches[start : start + _CHUNK]
        packed = source.parts([match.number for match in chosen])
        for match in chosen:
            record = _record(packed.get(match.number, MatchParts()), len(match.seats))
            if record is not None:
                yield match, record


def _record(parts: MatchParts, seats: int) -> Record | None:
    """The record alone, or None if there is none or it is damaged."""
    try:
        return unpack_parts(parts._replace(log=None, measured=None), seats)[0]
    except StoreDamaged:
        return None


def _split(actions: Sequence[tuple[int, str]], given: int) -> int:
    """The index after the opening: ``given`` actions of seats, chance not counted."""
    seen = 0
    for index, (actor, _) in enumerate(actions):
        if seen == given:
            return index
        seen += actor != 0
    return len(actions)


def _first(actions: Iterable[tuple[int, str]], seats: int) -> Iterator[tuple[int, str]]:
    """Yield each seat's first action."""
    missing = set(range(1, seats + 1))
    for actor, action in actions:
        if actor in missing:
            missing.remove(actor)
            yield actor, action
        if not missing:
            return


def _lines(seat: SeatLabel, found: Mapping[str, list[int]], whole: int, most: int) -> Iterator[OpeningLine]:
    total = sum(map(len, found.values()))
    for actions, units in sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))[:most]:
        yield OpeningLine(
            seat,
            actions,
            len(units),
            display.percent(Fraction(len(units), total)),
            display.percent(Fraction(sum(units), whole * len(units))),
        )
