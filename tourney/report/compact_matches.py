"""The matches of a report in little memory: columns of numbers, and views that make values on access.

A tournament has up to two million matches. As values with their keys, seats and results they take 600 bytes
each, in columns about 30; so pages keep values only of the matches that they list. The values of a small
tournament are held, because almost every page goes through them.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Generic, TypeVar, overload

from tourney.match.evidence import Evidence
from tourney.schedule.row import MatchKey, ResultRow
from tourney.store.values import Result, TournamentMatch

S = TypeVar("S")
T = TypeVar("T")

_KEY_FIELDS: Final = len(MatchKey._fields)
HELD: Final = 20_000
"""Most matches whose values are held: they then take 12 MB."""
RECORDED: Final = "recorded"
"""Stands for the digest of a match with a record."""


class LazySequence(Sequence[T], Generic[S, T]):
    """A sequence that applies a function to items on each access: to all, or to those at ``places``."""

    def __init__(
        self, items: Sequence[S], make: Callable[[S], T], places: Sequence[int] | None = None
    ) -> None:
        self._items = items
        self._make = make
        self._places = range(len(items)) if places is None else places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> "LazySequence[S, T]": ...
    def __getitem__(self, index: int | slice) -> "T | LazySequence[S, T]":
        if isinstance(index, slice):
            return LazySequence(self._items, self._make, self._places[index])
        return self._make(self._items[self._places[index]])

    def __iter__(self) -> Iterator[T]:
        items = self._items
        make = self._make
        return (make(items[place]) for place in self._places)


@dataclass(frozen=True, slots=True)
class FinishedMatch(TournamentMatch):
    """A match with a result."""

    result: Result

    @classmethod
    def of(cls, match: TournamentMatch) -> "FinishedMatch":
        """A match that has a result. Raises ValueError for another one."""
        if match.result is None:
            raise ValueError(f"match {match.number} has no result")
        return cls(match.tournament, match.number, match.key, match.seats, match.result)

    @property
    def result_row(self) -> ResultRow:
        """The match as a row of results."""
        return self.result.row(self.row, self.number)


class CompactMatches(Sequence[FinishedMatch]):
    """Finished matches of one tournament in schedule order; each access makes a new value.

    The digest of a result is ``RECORDED``, or "" without a record: the real ones take more than all the rest.
    """

    def __init__(self, tournament: int, matches: Iterable[FinishedMatch]) -> None:
        self._tournament = tournament
        self._numbers = array("I")
        self._keys = array("I")
        self._seats = array("I")
        self._size = 1
        self._ends = array("I")
        self._plays = array("Q")
        self._luck = array("i")
        self._results: list[Result] = []
        places: dict[Result, int] = {}
        for match in matches:
            self._numbers = _extended(self._numbers, (match.number,))
            self._keys = _extended(self._keys, match.key)
            self._seats.extend(match.seats)
            self._size = len(match.seats)
            line, play, luck, values = match.result.evidence
            # The leading 1 keeps the zeros at the start of a hash.
            self._plays.extend((int(f"1{line}", 16), int(f"1{play}", 16)))
            self._luck.extend(luck or (0,) * self._size)
            evidence = Evidence(values=values)
            end = replace(match.result, digest=RECORDED if match.result.digest else "", evidence=evidence)
            # Many matches end alike, with the same ranks, reason and length: each such result is kept once.
            place = places.setdefault(end, len(places))
            if place == len(self._results):
                self._results.append(end)
            self._ends.append(place)

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> FinishedMatch: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[FinishedMatch]: ...
    def __getitem__(self, index: int | slice) -> FinishedMatch | Sequence[FinishedMatch]:
        if isinstance(index, slice):
            return LazySequence(self, same, range(len(self))[index])
        place = range(len(self))[index]
        return self._made(place) if self._values is None else self._values[place]

    @cached_property
    def _values(self) -> Sequence[FinishedMatch] | None:
        return tuple(map(self._made, range(len(self)))) if len(self) <= HELD else None

    def _made(self, place: int) -> FinishedMatch:
        size = self._size
        return FinishedMatch(
            self._tournament,
            self._numbers[place],
            MatchKey(*self._keys[_KEY_FIELDS * place : _KEY_FIELDS * (place + 1)]),
            tuple(self._seats[size * place : size * place + size]),
            self._result(place),
        )

    def _result(self, place: int) -> Result:
        end = self._results[self._ends[place]]
        size = self._size
        line, play = (f"{marked_hash:x}"[1:] for marked_hash in self._plays[2 * place : 2 * place + 2])
        if not play:
            return end
        values = end.evidence.values
        luck = tuple(self._luck[size * place : size * place + size]) if values else ()
        return replace(end, evidence=Evidence(line, play, luck, values))

    def __iter__(self) -> Iterator[FinishedMatch]:
        return map(self._made, range(len(self))) if self._values is None else iter(self._values)


def held(sequence: Sequence[T]) -> Sequence[T]:
    """A sequence as values if it is small enough to hold them, else as it is."""
    return tuple(sequence) if len(sequence) <= HELD else sequence


def _extended(column: "array[int]", values: tuple[int, ...]) -> "array[int]":
    """A column with more values; it takes more bytes for all if one of them needs them."""
    try:
        column.extend(array(column.typecode, values))
    except OverflowError:
        # Few tournaments have numbers of more than 4 bytes; then the whole column takes 8.
        column = array("q", (*column, *values))
    return column


def same(match: FinishedMatch) -> FinishedMatch:
    """The match itself: the function for a view that only selects."""
    return match


def place_of(matches: Sequence[TournamentMatch], number: int) -> int:
    """The place of a match in a sequence by number. Raises KeyError if it is not there."""
    place = number - 1  # of a tournament that is played whole
    if not 0 <= place < len(matches) or matches[place].number != number:
        place = bisect_left(matches, number, key=lambda match: match.number)
    if place == len(matches) or matches[place].number != number:
        raise KeyError(number)
    return place


def matches_where(
    matches: Sequence[FinishedMatch], fits: Callable[[Result], object]
) -> Sequence[FinishedMatch]:
    """The matches whose result fits."""
    places = (place for place, match in enumerate(matches) if fits(match.result))
    return LazySequence(matches, same, array("I", places))
