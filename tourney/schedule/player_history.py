"""Each entrant's rounds so far, for formats that give it one table a round at most, and failed starts."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, Literal

from tourney.schedule.format import History, Setup
from tourney.schedule.row import ResultRow, score_units, units_of_win

MAX_STARTUP_FAILURES: Final = 3
"""An entrant is benched after this many failed starts."""


@dataclass(frozen=True, slots=True)
class RoundEntry:
    """A round of an entrant.

    ``kind``: it had a table or a bye, or was absent (not yet joined, or gone). ``opponents`` stand in the
    pairing's order, ``place`` is its own place in the pairing (0: first). ``units`` is its score from matches
    (see ``score_units``), ``awarded`` that from a bye. ``games`` counts its matches without void ones,
    ``voids`` the void ones; ``wins`` counts first places alone, ``seconds`` ranks 2.
    """

    kind: Literal["table", "bye", "absent"]
    opponents: tuple[int, ...] = ()
    place: int = 0
    units: int = 0
    awarded: int = 0
    games: int = 0
    voids: int = 0
    wins: int = 0
    seconds: int = 0

    @property
    def score(self) -> int:
        """The round's whole score, in units."""
        return self.units + self.awarded


@dataclass(frozen=True, slots=True)
class PlayerHistory:
    """The entries of every entrant, one for each round paired; ``left`` as ``departures`` returns it."""

    setup: Setup
    rounds: int
    entries: Mapping[int, tuple[RoundEntry, ...]]
    left: Mapping[int, int]

    @classmethod
    def of(cls, setup: Setup, history: History) -> "PlayerHistory":
        """Return the entries of all rounds paired so far."""
        tables: list[dict[int, tuple[tuple[int, ...], int]]] = [{} for _ in range(history.rounds)]
        for row in history.rows:
            if row.repeat == row.order == 1:
                for place, number in enumerate(row.seats):
                    others = tuple(other for other in row.seats if other != number)
                    tables[row.round - 1][number] = (others, place)
        sums: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0, 0, 0, 0])
        for result in history.results:
            units = score_units(result.ranks)
            for seat, number in enumerate(result.entrants):
                counts = sums[number, result.key.round]
                if result.void:
                    counts[2] += 1
                    continue
                rank = result.ranks[seat]
                counts[0] += units[seat]
                counts[1] += 1
                counts[3] += rank == 1 and result.ranks.count(1) == 1
                counts[4] += rank == 2
        left = departures(setup, history.results)
        entries = {}
        for participant in setup.participants:
            number = participant.number
            rounds = []
            for round_ in range(1, history.rounds + 1):
                table = tables[round_ - 1].get(number)
                if table is not None:
                    units_, games, voids, wins, seconds = sums[number, round_]
                    rounds.append(RoundEntry("table", *table, units_, 0, games, voids, wins, seconds))
                elif participant.joined <= round_ < left.get(number, round_ + 1):
                    rounds.append(RoundEntry("bye", awarded=award(setup)))
                else:
                    rounds.append(RoundEntry("absent"))
            entries[number] = tuple(rounds)
        return cls(setup, history.rounds, entries, left)

    def score(self, number: int) -> int:
        """Return an entrant's score after all rounds, in units."""
        return sum(entry.score for entry in self.entries[number])

    def scores(self) -> dict[int, tuple[int, ...]]:
        """Return every entrant's score before each round and after the last."""
        return {
            number: tuple(accumulate((entry.score for entry in entries), initial=0))
            for number, entries in self.entries.items()
        }


def award(setup: Setup) -> int:
    """Return a bye's score, in units.

    Two seats: a win in each match missed (FIDE C.04.1). More seats: half of that, the mean of a table.
    """
    full = setup.games * units_of_win(setup.seats)
    return full if setup.seats == 2 else full // 2


def present_in(round_: int, setup: Setup, left: Mapping[int, int]) -> tuple[int, ...]:
    """Return the entrants that take part in a round; ``left`` as ``departures`` returns it."""
    return tuple(
        player.number
        for player in setup.participants
        if player.joined <= round_ < left.get(player.number, round_ + 1)
    )


def departures(setup: Setup, results: Sequence[ResultRow]) -> dict[int, int]:
    """Return the first round without each entrant that withdrew or failed at start-up too often."""
    left = {player.number: player.left for player in setup.participants if player.left is not None}
    failures: dict[int, int] = defaultdict(int)
    for result in results:
        if "startup" not in result.faults:  # nearly always
            continue
        for number in startup_failures(result.entrants, result.faults):
            failures[number] += 1
            if failures[number] == MAX_STARTUP_FAILURES:
                left[number] = min(left.get(number, result.key.round + 1), result.key.round + 1)
    return left


def startup_failures(seats: Sequence[int], faults: Sequence[str | None]) -> Iterator[int]:
    """Yield the entrants that failed to start in a match, from those in its seats and each seat's fault.

    A match in which all fail counts against none of them: the machine is the likelier cause.
    """
    if set(faults) != {"startup"}:
        for entrant, fault in zip(seats, faults, strict=True):
            if fault == "startup":
                yield entrant
