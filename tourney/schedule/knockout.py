"""Knockout: an entrant that loses a pairing is out."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Literal

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


How = Literal["", "bye", "score", "extra", "seed", "walkover"]
"""How a tie was decided: not yet, without an opponent, by the score of its matches, by that of a further
group, by the better seed, or because an entrant was gone."""


@dataclass(frozen=True, slots=True)
class Tie:
    """A tie of the bracket: two entrants of which one goes on.

    ``stage`` counts from 1, ``slot`` from 0 at the top of the stage. ``one`` and ``two`` are the entrants
    from top to bottom: None where they are not known yet, or for a bye. ``rounds`` are those in which the tie
    is played. The tie for the third place has the stage of the final and the slot 1.
    """

    stage: int
    slot: int
    one: int | None
    two: int | None
    rounds: tuple[int, ...] = ()
    winner: int | None = None
    how: How = ""
    third: bool = False


class Bracket:
    """A bracket, played as far as there are results.

    ``won`` counts the stages that each entrant survived, and half a one for winning the third place. ``due``
    holds the pairs that play next; ``extra`` says whether they are tied ones. ``ties`` are all ties of the
    bracket, also those still to play, stage by stage from top to bottom.
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
        self.ties: list[Tie] = []
        self._rounds: dict[Pair, list[int]] = {}
        self._how: dict[Pair, How] = {}
        self._play()

    def _play(self) -> None:
        """Go through the stages, up to the first that is not paired or not finished."""
        seeds = [player.number for player in self._setup.seeded()]
        size = 1 << (len(seeds) - 1).bit_length()
        slots = [seeds[seed] if seed < len(seeds) else None for seed in bracket_order(size)]
        beaten: list[int | None] = []
        stage, playing = 0, True
        while len(slots) > 1:
            stage += 1
            places = list(zip(slots[::2], slots[1::2], strict=True))
            thirds = []
            if len(slots) == 2 and len(beaten) == 2 and self._setup.setting("third-place"):
                thirds = [(beaten[0], beaten[1])]
            every = [self._by_seed(a, b) for a, b in (*places, *thirds) if a is not None and b is not None]
            winners: dict[Pair, int] = {}
            if playing:
                winners, playing = self._stage(every)
            slots, beaten = [], []
            for slot, (a, b) in enumerate(places):
                tie = self._tie(stage, slot, a, b, winners)
                self.ties.append(tie)
                slots.append(tie.winner)
                if tie.how != "bye":
                    known = tie.winner is not None and a is not None and b is not None
                    beaten.append((b if a == tie.winner else a) if known else None)
                if playing and tie.winner is not None:
                    self.won[tie.winner] += 1
            for a, b in thirds:
                tie = replace(self._tie(stage, 1, a, b, winners), third=True)
                self.ties.append(tie)
                if playing and tie.winner is not None:
                    self.won[tie.winner] += Fraction(1, 2)

    def _tie(
        self, stage: int, slot: int, one: int | None, two: int | None, winners: Mapping[Pair, int]
    ) -> Tie:
        """Return a tie of a stage, with its winner as far as it is known."""
        if one is None or two is None:
            if stage == 1:
                return Tie(stage, slot, one, two, winner=two if one is None else one, how="bye")
            return Tie(stage, slot, one, two)
        pair = self._by_seed(one, two)
        winner, rounds = winners.get(pair), tuple(self._rounds.get(pair, ()))
        return Tie(stage, slot, one, two, rounds, winner, self._how[pair] if winner is not None else "")

    def _by_seed(self, a: int, b: int) -> Pair:
        return (a, b) if self._seed[a] < self._seed[b] else (b, a)

    def _stage(self, pairs: Sequence[Pair]) -> tuple[dict[Pair, int], bool]:
        """Return the winners of the pairings decided so far, and whether all of them are."""
        winners: dict[Pair, int] = {}
        undecided = list(pairs)
        for turn in range(1 + int(self._setup.setting("extra-groups", EXTRA_GROUPS) or 0)):
            undecided = self._won(winners, undecided, self._walkovers(undecided), "walkover")
            if not undecided:
                break
            self._round += 1
            if self._round > self._last:
                self.due, self.extra = undecided, turn > 0
                return winners, False
            for pair in undecided:
                self._rounds.setdefault(pair, []).append(self._round)
            if self._open[self._round]:
                return winners, False
            undecided = self._won(winners, undecided, self._decided(undecided), "extra" if turn else "score")
        self._won(winners, undecided, {pair: pair[0] for pair in undecided}, "seed")
        return winners, True

    def _won(
        self, winners: dict[Pair, int], pairs: Sequence[Pair], found: Mapping[Pair, int], how: How
    ) -> list[Pair]:
        """Add the winners found among pairs; return the pairs that are still undecided."""
        winners.update(found)
        self._how.update(dict.fromkeys(found, how))
        return [pair for pair in pairs if pair not in found]

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
