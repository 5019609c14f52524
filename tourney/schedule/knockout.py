"""Knockout: an entrant that loses a pairing is out."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from tourney.errors import TournamentError
from tourney.schedule.format import SEEDING, Format, History, Key, Pairings, Setup, rows_of
from tourney.schedule.player_history import departures
from tourney.schedule.row import ResultRow, limit_rows, score_units
from tourney.schedule.tie_breaks import Scores, TieBreak, Values, match_points

EXTRA_GROUPS: Final = 2
"""Further mirrored groups of a tied pairing, without ``extra-groups``."""


class Knockout(Format):
    """Stage by stage, for two seats, in a bracket in which the best seeds meet last.

    Unless the number of entrants is a power of two, the best seeds have a bye in the first stage. A pairing
    is ``games-per-pairing`` matches. Tied pairings play one mirrored group more, at most ``extra-groups``
    times, each time in a common round; then the better seed advances. With ``third-place`` the losers of the
    semi-finals play for it beside the final. A withdrawn entrant loses.
    """

    name = "knockout"
    takes_withdrawals = True
    ranks = True
    ranked_by = "stages-won"
    measures = (
        TieBreak(
            "stages-won",
            "stages won",
            "Stages of the bracket won, and half a stage for the third place",
            unit="stages",
        ),
    )
    keys = (
        SEEDING,
        Key("third-place", "flag", help="Whether the losers of the semi-finals play for third place."),
        Key(
            "extra-groups",
            "integer",
            0,
            100,
            help="Further mirrored groups that a tied pairing plays at most; then the better seed goes on."
            f" Default: {EXTRA_GROUPS}.",
        ),
    )

    def check(self, setup: Setup) -> None:
        """Raise TournamentError for fewer than two entrants, more than two seats, or too many matches."""
        if setup.seats != 2:
            raise TournamentError(f"a knockout is for two seats per table, not {setup.seats}")
        if len(setup.participants) < 2:
            raise TournamentError(f"a knockout needs at least 2 entrants, not {len(setup.participants)}")
        limit_rows(f"a knockout of {len(setup.participants)} entrants", len(setup.participants) * setup.games)

    def next_rounds(self, setup: Setup, history: History) -> Pairings:
        """Return the next stage, or a further group for the tied pairings."""
        self.check(setup)
        bracket = Bracket(setup, history)
        round_ = history.rounds + 1
        repeats = 1 if bracket.extra else setup.repeats
        return Pairings(
            tuple(
                row
                for table, pair in enumerate(bracket.due, 1)
                for row in rows_of(setup, round_, table, pair if round_ % 2 else pair[::-1], repeats)
            ),
            complete=not bracket.due,
        )

    def tie_breaks(self, seats: int) -> tuple[str, ...]:  # noqa: ARG002 - the same for all
        """Rank by the stage reached and nothing else."""
        return ("stages-won",)

    def scores(self, setup: Setup, history: History) -> Scores:
        """Return the stages that each entrant won; losers of the same stage are equal."""
        won: Values = {**Bracket(setup, history).won}
        return Scores(
            match_points((p.number for p in setup.participants), history.results, 2),
            measures={"stages-won": won},
        )


Pair = tuple[int, int]
"""Two entrants, the better seed first."""


def bracket_order(size: int) -> list[int]:
    """Return the seeds (from 0) of a power of two in bracket order: 0 and 1 would meet in the final."""
    order = [0]
    while len(order) < size:
        order = [seed for top in order for seed in (top, 2 * len(order) - 1 - top)]
    return order


class Bracket:
    """A bracket, played as far as there are results.

    ``won`` counts the stages that each entrant survived, and half a one for winning the third place. ``due``
    holds the pairs that play next; ``extra`` says whether they are tied ones.
    """

    def __init__(self, setup: Setup, history: History) -> None:
        self._setup = setup
        self._left = departures(setup, history.results)
        self._last = history.rounds
        self._open = Counter(row.round for row in history.rows)
        self._results: dict[int, list[ResultRow]] = {}
        for result in history.results:
            self._open[result.key.round] -= 1
            self._results.setdefault(result.key.round, []).append(result)
        self._round = 0
        self._seed = {player.number: seed for seed, player in enumerate(setup.seeded())}
        self.won = {player.number: Fraction(0) for player in setup.participants}
        self.due: list[Pair] = []
        self.extra = False
        self._play()

    def _play(self) -> None:
        """Go through the stages, up to the first that is not paired or not finished."""
        seeds = [player.number for player in self._setup.seeded()]
        size = 1 << (len(seeds) - 1).bit_length()
        slots = [seeds[seed] if seed < len(seeds) else None for seed in bracket_order(size)]
        beaten: list[int] = []
        while len(slots) > 1:
            places = list(zip(slots[::2], slots[1::2], strict=True))
            pairs = [self._by_seed(a, b) for a, b in places if a is not None and b is not None]
            third = None
            if len(slots) == 2 and len(beaten) == 2 and self._setup.setting("third-place"):
                third = self._by_seed(beaten[0], beaten[1])
                pairs.append(third)
            winners = self._stage(pairs)
            if winners is None:
                return
            slots, beaten = [], []
            for a, b in places:
                if a is None or b is None:
                    winner = a if b is None else b
                else:
                    pair = self._by_seed(a, b)
                    winner = winners[pair]
                    beaten.append(sum(pair) - winner)
                slots.append(winner)
                if winner is not None:
                    self.won[winner] += 1
            if third is not None:
                self.won[winners[third]] += Fraction(1, 2)

    def _by_seed(self, a: int, b: int) -> Pair:
        return (a, b) if self._seed[a] < self._seed[b] else (b, a)

    def _stage(self, pairs: Sequence[Pair]) -> dict[Pair, int] | None:
        """Return the winner of each pairing, or None while one is not decided."""
        winners: dict[Pair, int] = {}
        undecided = list(pairs)
        for turn in range(1 + int(self._setup.setting("extra-groups", EXTRA_GROUPS) or 0)):
            winners |= self._walkovers(undecided)
            undecided = [pair for pair in undecided if pair not in winners]
            if not undecided:
                break
            self._round += 1
            if self._round > self._last:
                self.due, self.extra = undecided, turn > 0
                return None
            if self._open[self._round]:
                return None
            winners |= self._decided(undecided)
            undecided = [pair for pair in undecided if pair not in winners]
        return winners | {pair: pair[0] for pair in undecided}

    def _walkovers(self, pairs: Sequence[Pair]) -> dict[Pair, int]:
        """Return the winners of pairings in which an entrant misses the next round."""
        gone = {number for number, round_ in self._left.items() if round_ <= self._round + 1}
        found = {}
        for a, b in pairs:
            if a in gone or b in gone:
                found[a, b] = b if a in gone and b not in gone else a
        return found

    def _decided(self, pairs: Sequence[Pair]) -> dict[Pair, int]:
        """Return the winners of the pairings decided by the results of this round."""
        units: dict[int, int] = defaultdict(int)
        for result in self._results[self._round]:
            if not result.void:
                for number, value in zip(result.entrants, score_units(result.ranks), strict=True):
                    units[number] += value
        return {(a, b): a if units[a] > units[b] else b for a, b in pairs if units[a] != units[b]}
