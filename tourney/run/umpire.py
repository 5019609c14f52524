"""Benching and ``--max-faults``: decided after batches of a fixed size, in schedule order.

What is decided about a match rests on the results of the whole batches in the first half of what comes before
it, all of them, and on no other results: so it is the same with one worker or forty, and after any
interruption. Half, so that a bot that never starts is noticed early, while later many workers have enough to
play that does not wait; and never more than ``AHEAD`` rows back.
"""

from bisect import bisect_right, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tourney.schedule.strikes import STRIKES, struck

BATCH: Final = 8
"""How many rows of the schedule make a batch."""
AHEAD: Final = 128
"""At most so many rows lie between the results that decide and the row that they decide about."""

Open = Sequence[tuple[int, Sequence[int]]]
"""Rows that were handed out and have no result yet: their numbers and their entrants."""


@dataclass(frozen=True, slots=True)
class Call:
    """What becomes of a row: it is played, it waits for results, it is void, or the run stops before it.

    ``kept`` is the docket's word: it will be void, once those before it are decided.

    ``entrant`` is who is benched; ``matches`` those that decided it, or how far faults were counted.
    """

    kind: Literal["play", "wait", "kept", "benched", "stop"]
    entrant: int = -1
    matches: tuple[int, ...] = ()


PLAY = Call("play")
WAIT = Call("wait")


class Umpire:
    """Counts faults as results come, in any order, and calls rows in schedule order.

    A row may be called once all rows before it were handed out; those still open are told with it.
    """

    def __init__(self, max_faults: int | None = None) -> None:
        self._max_faults = max_faults
        self._strikes: dict[int, list[int]] = {}  # match numbers by entrant, sorted
        self._faults: list[int] = []  # a match number for each fault, sorted; kept if they are limited

    def note(self, number: int, seats: Sequence[int], faults: Sequence[str | None]) -> None:
        """Note a result: who sat in the match, and each seat's fault or None."""
        if not any(faults):
            return
        if self._max_faults is not None:
            for _ in filter(None, faults):
                insort(self._faults, number)
        for entrant in struck(seats, faults):
            insort(self._strikes.setdefault(entrant, []), number)

    def call(self, number: int, seats: Sequence[int], open_: Open) -> Call:
        """Say what becomes of a row; ``wait`` only if a row that it must wait for is among the open ones."""
        limit = decided_by(number)
        if not limit:
            return PLAY
        before = [entrants for row, entrants in open_ if row <= limit]
        if self._max_faults is not None:
            known = bisect_right(self._faults, limit)
            if known >= self._max_faults:
                return Call("stop", matches=(limit,))
            if known + sum(map(len, before)) >= self._max_faults:
                return WAIT
        for entrant in seats:
            strikes = self._strikes.get(entrant, [])
            count = bisect_right(strikes, limit)
            if count >= STRIKES:
                return Call("benched", entrant, tuple(strikes[:STRIKES]))
            if count + sum(entrant in entrants for entrants in before) >= STRIKES:
                return WAIT
        return PLAY


def decided_by(number: int) -> int:
    """Return the last match whose result bears on a row (0: none does)."""
    before = number - 1
    return (before - min(AHEAD, before // 2)) // BATCH * BATCH


def strikes_of(
    results: Iterable[tuple[int, Sequence[int], Sequence[str | None]]],
) -> dict[int, tuple[int, ...]]:
    """Return the matches, of those given, that count as strikes, by entrant."""
    umpire = Umpire()
    for number, seats, faults in results:
        umpire.note(number, seats, faults)
    return {entrant: tuple(numbers) for entrant, numbers in sorted(umpire._strikes.items())}  # noqa: SLF001 - its own
