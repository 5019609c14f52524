"""Knockout: an entrant that loses a pairing is out."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Literal

from msgspec import structs

from tourney.errors import TournamentError
from tourney.schedule.format import SEEDING, Format, FormatKey, History, Pairings, Setup, rows_of_rounds
from tourney.schedule.player_history import departures
from tourney.schedule.ranking_rule import RankingRule
from tourney.schedule.row import ResultRow, limit_rows
from tourney.schedule.tie_breaks import EntrantScores, TieBreak, Values, match_points

EXTRA_GROUPS: Final = 2  # further mirrored groups of a tied pairing, without ``extra-groups``


class Knockout(Format):
    """Stage by stage, for two seats, in a bracket in which the best seeds meet last.

    Unless the number of entrants is a power of two, the best seeds have a bye in the first stage. A pairing
    is ``games-per-pairing`` matches. Tied pairings play one more mirrored group, at most ``extra-groups``
    times, all in the same round; then the better seed advances. With ``third-place`` the losers of the
    semi-finals play for it beside the final. A withdrawn entrant loses.
    """

    name = "knockout"
    has_bracket = True
    rounds_shown = "no"
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
        FormatKey("third-place", "flag", help="Whether the losers of the semi-finals play for third place."),
        FormatKey(
            "extra-groups",
            "integer",
            0,
            100,
            help="Further mirrored groups that a tied pairing plays at most; then the better seed goes on."
            f" Default: {EXTRA_GROUPS}.",
        ),
    )

    def check(self, setup: Setup) -> None:
        """Raises TournamentError for fewer than two entrants, more than two seats, or too many matches."""
        if setup.seats != 2:
            raise TournamentError(f"a knockout is for two seats per table, not {setup.seats}")
        if len(setup.participants) < 2:
            raise TournamentError(f"a knockout needs at least 2 entrants, not {len(setup.participants)}")
        limit_rows(f"a knockout of {len(setup.participants)} entrants", len(setup.participants) * setup.games)

    def next_rounds(self, setup: Setup, history: History) -> Pairings:
        """The next stage, or a further group for the tied pairings."""
        self.check(setup)
        bracket = self.bracket(setup, history)
        round_ = history.rounds + 1
        # The seat of the first match alternates by round, so the better seed does not always begin.
        tables = [pair if round_ % 2 else pair[::-1] for pair in bracket.due]
        setup = replace(setup, repeats=1) if bracket.extra else setup
        return Pairings(rows_of_rounds(setup, round_, [tables]), complete=not tables)

    def tie_breaks(self, seats: int) -> tuple[str, ...]:  # noqa: ARG002 - the same for all
        """Rank by the stage reached alone."""
        return ("stages-won",)

    def new_rule(self, seats: int) -> RankingRule:
        """With the further groups of tied pairings."""
        return structs.replace(super().new_rule(seats), extra_groups=EXTRA_GROUPS)

    def bracket(self, setup: Setup, history: History) -> "Bracket":
        """The bracket as far as there are results."""
        more = setup.setting("extra-groups", self.rule_in(setup).extra_groups)
        return Bracket(setup, history, int(more or 0))

    def scores(self, setup: Setup, history: History) -> EntrantScores:
        """The stages that each entrant won; losers of the same stage are equal."""
        won: Values = {**self.bracket(setup, history).won}
        return EntrantScores(
            match_points((p.number for p in setup.participants), history.results, 2),
            measures={"stages-won": won},
        )


Pair = tuple[int, int]  # two entrants, the better seed first


def bracket_order(size: int) -> list[int]:
    """The seeds (from 0) of a power of two in bracket order: 0 and 1 would meet in the final."""
    order = [0]
    while len(order) < size:
        # Each seed so far meets the one that completes it to the last number, as 0 and 7 of eight.
        order = [seed for top in order for seed in (top, 2 * len(order) - 1 - top)]
    return order


How = Literal["", "bye", "score", "extra", "seed", "walkover"]
"""How a tie was decided: not yet, without an opponent, by the score of its matches, by that of a further
group, by the better seed, or because an entrant was gone."""


@dataclass(frozen=True, slots=True)
class Tie:
    """A tie of the bracket: two entrants of which one advances.

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

    @property
    def loser(self) -> int | None:
        """The entrant that is out, once the tie is decided."""
        return None if self.winner is None else self.two if self.winner == self.one else self.one


class Bracket:
    """A bracket, played as far as there are results.

    ``won`` counts the stages that each entrant survived, and half a one for winning the third place. ``due``
    holds the pairs that play next; ``extra`` says whether they are tied ones. ``ties`` are all ties of the
    bracket, also those still to play, stage by stage from top to bottom.
    """

    def __init__(self, setup: Setup, history: History, extra_groups: int) -> None:
        self._setup = setup
        self._extra_groups = extra_groups
        self._left = departures(setup, history)
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
        self._play()

    def _play(self) -> None:
        """Go through the stages, and decide ties up to the first stage that is not finished."""
        seeds = [player.number for player in self._setup.seeded()]
        size = 1 << (len(seeds) - 1).bit_length()
        slots = [seeds[seed] if seed < len(seeds) else None for seed in bracket_order(size)]
        beaten: list[int | None] = []
        stage = 0
        finished = True
        while len(slots) > 1:
            stage += 1
            ties = [Tie(stage, k // 2, slots[k], slots[k + 1]) for k in range(0, len(slots), 2)]
            if stage == 1:  # one without an opponent has a bye
                ties = [
                    tie
                    if tie.one is not None and tie.two is not None
                    else replace(tie, winner=tie.two if tie.one is None else tie.one, how="bye")
                    for tie in ties
                ]
            if len(slots) == 2 and len(beaten) == 2 and self._setup.setting("third-place"):
                first, second = beaten
                ties.append(Tie(stage, 1, first, second, third=True))
            if finished:
                ties, finished = self._decide(ties)
            self.ties += ties
            slots = [tie.winner for tie in ties if not tie.third]
            beaten = [tie.loser for tie in ties if tie.how != "bye"]
            if finished:
                for tie in ties:
                    if tie.winner is not None:
                        self.won[tie.winner] += Fraction(1, 2) if tie.third else 1

    def _decide(self, ties: list[Tie]) -> tuple[list[Tie], bool]:
        """The ties of a stage with the winners known so far, and whether the stage is finished.

        A stage takes a round, and a further one for each time that tied pairings play again.
        """
        ties = list(ties)
        undecided = {
            (tie.one, tie.two) if self._seed[tie.one] < self._seed[tie.two] else (tie.two, tie.one): k
            for k, tie in enumerate(ties)
            if tie.one is not None and tie.two is not None
        }

        def settle(winners: Mapping[Pair, int], how: How) -> None:
            for pair, winner in winners.items():
                k = undecided.pop(pair)
                ties[k] = replace(ties[k], winner=winner, how=how)

        # Turn 0 is the tie's own matches, each later turn a further group of those that are still level. The
        # bracket is replayed from its start each time: a stored round only says which rows it has.
        for turn in range(1 + self._extra_groups):
            settle(self._walkovers(undecided), "walkover")
            if not undecided:
                return ties, True
            self._round += 1
            if self._round > self._last:
                self.due = list(undecided)
                self.extra = turn > 0
                return ties, False
            for k in undecided.values():
                ties[k] = replace(ties[k], rounds=(*ties[k].rounds, self._round))
            # A round with matches to play decides nothing yet, although some of its ties may already be
            # clear: the next stage is drawn from whole rounds only.
            if self._open[self._round]:
                return ties, False
            settle(self._by_score(undecided), "extra" if turn else "score")
        settle({pair: pair[0] for pair in undecided}, "seed")
        return ties, True

    def _walkovers(self, pairs: Iterable[Pair]) -> dict[Pair, int]:
        """The winners of pairings in which an entrant misses the next round."""
        gone = {number for number, round_ in self._left.items() if round_ <= self._round + 1}
        return {(a, b): b if a in gone and b not in gone else a for a, b in pairs if a in gone or b in gone}

    def _by_score(self, pairs: Iterable[Pair]) -> dict[Pair, int]:
        """The winners of the pairings decided by the results of this round."""
        # Not of all rounds: a further group of tied pairings decides by itself.
        points = match_points(self.won, self._results[self._round], 2)
        return {(a, b): a if points[a] > points[b] else b for a, b in pairs if points[a] != points[b]}
