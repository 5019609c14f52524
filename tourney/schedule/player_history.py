"""Each entrant's rounds so far, for formats that give it one table a round at most, and failed starts."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from typing import Final, Literal

from tourney.schedule.format import History, Participant, Setup
from tourney.schedule.row import ResultRow, score_units, units_of_win

MAX_STARTUP_FAILURES: Final = 3  # an entrant is benched after this many failed starts
BYES: Final[Mapping[str, Callable[[int], Fraction]]] = {
    "win": lambda _: Fraction(1),
    "half": lambda _: Fraction(1, 2),
    "share": lambda seats: Fraction(1, seats),
}
"""The score of a bye by the seats at a table, by the name that plans store, in wins of all matches missed."""


@dataclass(frozen=True, slots=True)
class RoundEntry:
    """A round of an entrant.

    ``kind``: it had a table or a bye, or was absent (not yet joined, or withdrawn). ``place`` is its
    place in the pairing (0: first), whose order the ``opponents`` keep. ``units`` is its score from matches
    (see ``score_units``), ``awarded`` that from a bye. ``games`` counts its matches without void
    ones, ``voids`` the void ones; ``wins`` counts first places alone, ``seconds`` ranks 2.
    """

    kind: Literal["table", "bye", "absent"]
    place: int = 0
    units: int = 0
    awarded: int = 0
    opponents: tuple[int, ...] = ()
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
    def of(cls, setup: Setup, history: History, bye: str | None) -> "PlayerHistory":
        """The entries of all rounds paired so far; ``bye`` is a name of ``BYES``, or None for no points."""
        tables: list[dict[int, tuple[tuple[int, ...], int]]] = [{} for _ in range(history.rounds)]
        for row in history.rows:
            # The first row of a pairing has its entrants in the order of their places; the others turn it.
            if row.repeat == row.order == 1:
                for place, number in enumerate(row.seats):
                    others = tuple(opponent for opponent in row.seats if opponent != number)
                    tables[row.round - 1][number] = (others, place)
        units, games, voids, wins, seconds = (Counter[tuple[int, int]]() for _ in range(5))
        for result in history.results:
            scored = score_units(result.ranks, setup.score)
            for number, rank, score in zip(result.entrants, result.ranks, scored, strict=True):
                key = number, result.key.round
                if result.void:
                    voids[key] += 1
                    continue
                units[key] += score
                games[key] += 1
                wins[key] += rank == 1 and result.ranks.count(1) == 1
                seconds[key] += rank == 2
        left = departures(setup, history)

        def entry(player: Participant, round_: int) -> RoundEntry:
            if player.number in tables[round_ - 1]:
                others, place = tables[round_ - 1][player.number]
                key = (player.number, round_)
                counts = games[key], voids[key], wins[key], seconds[key]
                return RoundEntry("table", place, units[key], 0, others, *counts)
            if player.joined <= round_ < left.get(player.number, round_ + 1):
                return RoundEntry("bye", awarded=0 if bye is None else award(setup, bye))
            return RoundEntry("absent")

        rounds = range(1, history.rounds + 1)
        entries = {p.number: tuple(entry(p, round_) for round_ in rounds) for p in setup.participants}
        return cls(setup, history.rounds, entries, left)

    def score(self, number: int) -> int:
        """An entrant's score after all rounds, in units."""
        return sum(entry.score for entry in self.entries[number])

    def scores(self) -> dict[int, tuple[int, ...]]:
        """Every entrant's score before each round and after the last."""
        return {
            number: tuple(accumulate((entry.score for entry in entries), initial=0))
            for number, entries in self.entries.items()
        }

    def cards(self, present: Sequence[int]) -> "list[PairingCard]":
        """The cards of the entrants present, by score, then by rank."""
        scores = self.scores()
        ranks = {participant.number: rank for rank, participant in enumerate(self.setup.seeded())}
        cards = []
        for number in present:
            entries = self.entries[number]
            floated = [0, 0]
            # FIDE looks back two rounds; an absence between counts as a round without a float.
            for back, entry in enumerate(entries[:-3:-1]):
                if entry.kind == "bye":
                    floated[back] = -1
                elif entry.kind == "table":
                    round_ = self.rounds - 1 - back
                    mine = scores[number][round_]
                    theirs = scores[entry.opponents[0]][round_]
                    floated[back] = (theirs > mine) - (theirs < mine)
            turns = [1 - 2 * entry.place for entry in entries if entry.kind == "table"]
            card = PairingCard(
                number=number,
                score=scores[number][-1],
                rank=ranks[number],
                met=Counter(opponent for entry in entries for opponent in entry.opponents),
                byes=tuple(round_ for round_, entry in enumerate(entries, 1) if entry.kind == "bye"),
                floated=(floated[0], floated[1]),
                balance=sum(turns),
                last=turns[-1] if turns else 0,
            )
            cards.append(card)
        return sorted(cards, key=lambda card: (-card.score, card.rank))


@dataclass(frozen=True, slots=True)
class PairingCard:
    """The data of an entrant that the pairing of a Swiss round uses.

    ``score`` in units; ``rank`` from 0 in seeding order; ``met``: meetings by opponent; ``byes``: the rounds
    of its byes. The rest serves pairs only. ``floated``: 1 up, -1 down, 0 neither, in the round before and
    two rounds before. ``balance``: rounds in which it came first in its pair less those in which it came
    second; ``last``: 1 or -1 for its last pair, 0 before the first.
    """

    number: int
    score: int
    rank: int
    met: Mapping[int, int] = field(default_factory=dict)
    byes: tuple[int, ...] = ()
    floated: tuple[int, int] = (0, 0)
    balance: int = 0
    last: int = 0


def award(setup: Setup, bye: str) -> int:
    """A bye's score, in units.

    It is a ``win`` in each match missed (FIDE C.04.1), or the mean of a table: ``half`` of it, or the
    ``share`` of each seat where rank 1 alone counts.
    """
    return int(setup.games * units_of_win(setup.seats, setup.score) * BYES[bye](setup.seats))


def present_in(round_: int, setup: Setup, left: Mapping[int, int]) -> tuple[int, ...]:
    """The entrants that take part in a round; ``left`` as ``departures`` returns it."""
    return tuple(
        player.number
        for player in setup.participants
        if player.joined <= round_ < left.get(player.number, round_ + 1)
    )


class StartupFailures:
    """Each entrant's failed starts; ``last`` is the round of the one after which it is benched."""

    def __init__(self) -> None:
        self._failures: Counter[int] = Counter()
        self.last: dict[int, int] = {}

    def take(self, results: Iterable[ResultRow]) -> None:
        """Take in further results, in schedule order."""
        for result in results:
            if "startup" not in result.faults:  # nearly always
                continue
            for number in startup_failures(result.entrants, result.faults):
                self._failures[number] += 1
                if self._failures[number] == MAX_STARTUP_FAILURES:
                    self.last[number] = result.key.round


def departures(setup: Setup, history: History) -> dict[int, int]:
    """The first round without each entrant that withdrew or failed at start-up too often."""
    left = {player.number: player.left for player in setup.participants if player.left is not None}
    for number, round_ in history.sums(StartupFailures).last.items():
        left[number] = min(left.get(number, round_ + 1), round_ + 1)
    return left


def startup_failures(seats: Sequence[int], faults: Sequence[str | None]) -> Iterator[int]:
    """Yield the entrants that failed to start in a match, from those in its seats and each seat's fault.

    A match in which all fail counts against none of them, because the machine is the likelier cause.
    """
    if set(faults) != {"startup"}:
        for entrant, fault in zip(seats, faults, strict=True):
            if fault == "startup":
                yield entrant
