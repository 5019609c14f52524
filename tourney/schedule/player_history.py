"""What became of every entrant, round by round, in formats in which nobody sits twice in a round."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tourney.schedule.format import History, Setup
from tourney.schedule.row import ResultRow, score_units, units_of_win
from tourney.schedule.startup_failures import MAX_STARTUP_FAILURES, startup_failures


@dataclass(frozen=True, slots=True)
class RoundEntry:
    """A round of an entrant.

    ``kind``: it had a table, or a bye, or was absent (it had not joined yet, or had left). ``opponents`` in
    the order in which the pairing names them, ``place`` its own place among them all (0 is named first).
    ``units`` is what its matches gave (see ``score_units``) and ``awarded`` what a bye gave. ``games`` counts
    the matches that count, ``voids`` those that do not; ``wins`` are first places alone, ``seconds`` ranks 2.
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
        """All that the round gave, in units."""
        return self.units + self.awarded


@dataclass(frozen=True, slots=True)
class PlayerHistory:
    """The entries of every entrant, one a round drawn; ``left`` as of ``departures``."""

    setup: Setup
    rounds: int
    entries: Mapping[int, tuple[RoundEntry, ...]]
    left: Mapping[int, int]

    def score(self, number: int, rounds: int | None = None) -> int:
        """Return what an entrant has after so many rounds (by default all), in units."""
        return sum(entry.score for entry in self.entries[number][:rounds])

    def scores(self) -> dict[int, tuple[int, ...]]:
        """Return what every entrant had before each round and after the last."""
        found = {}
        for number, entries in self.entries.items():
            sums = [0]
            for entry in entries:
                sums.append(sums[-1] + entry.score)
            found[number] = tuple(sums)
        return found

    def present(self, round_: int) -> tuple[int, ...]:
        """Return who takes part in a round that is to be drawn."""
        return tuple(
            player.number
            for player in self.setup.players
            if player.joined <= round_ and not self.left.get(player.number, round_ + 1) <= round_
        )


def award(setup: Setup) -> int:
    """Return what a bye is worth, in units.

    Two seats: a win in each match missed (FIDE C.04.1). More seats: half of that, the mean of a table.
    """
    full = setup.games * units_of_win(setup.seats)
    return full if setup.seats == 2 else full // 2


def departures(setup: Setup, results: Sequence[ResultRow]) -> dict[int, int]:
    """Return the first round without an entrant: withdrawn, or failed at start-up too often."""
    left = {player.number: player.left for player in setup.players if player.left is not None}
    strikes: dict[int, int] = defaultdict(int)
    for result in results:
        for number in startup_failures(result.entrants, result.faults):
            strikes[number] += 1
            if strikes[number] == MAX_STARTUP_FAILURES:
                left[number] = min(left.get(number, result.key.round + 1), result.key.round + 1)
    return left


def keep(setup: Setup, history: History) -> PlayerHistory:
    """Return the ledger of all rounds drawn."""
    named: list[dict[int, tuple[tuple[int, ...], int]]] = [{} for _ in range(history.rounds)]
    for row in history.rows:
        if row.repeat == row.order == 1:
            for place, number in enumerate(row.seats):
                others = tuple(other for other in row.seats if other != number)
                named[row.round - 1][number] = (others, place)
    sums: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0, 0, 0, 0])
    for result in history.results:
        units = score_units(result.ranks)
        for seat, number in enumerate(result.entrants):
            tally = sums[number, result.key.round]
            if result.void:
                tally[2] += 1
                continue
            rank = result.ranks[seat]
            tally[0] += units[seat]
            tally[1] += 1
            tally[3] += rank == 1 and result.ranks.count(1) == 1
            tally[4] += rank == 2
    left = departures(setup, history.results)
    entries = {}
    for player in setup.players:
        line = []
        for round_ in range(1, history.rounds + 1):
            found = named[round_ - 1].get(player.number)
            if found is not None:
                units_, games, voids, wins, seconds = sums[player.number, round_]
                line.append(RoundEntry("table", *found, units_, 0, games, voids, wins, seconds))
            elif player.joined <= round_ < left.get(player.number, round_ + 1):
                line.append(RoundEntry("bye", awarded=award(setup)))
            else:
                line.append(RoundEntry("absent"))
        entries[player.number] = tuple(line)
    return PlayerHistory(setup, history.rounds, entries, left)
