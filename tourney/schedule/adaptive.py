"""Adaptive: the next pairing is the one that tells the most."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from tourney.errors import TournamentError
from tourney.schedule.format import (
    SEEDING,
    Format,
    History,
    Key,
    Pairings,
    Player,
    RankedEntrant,
    Setup,
    rows_of,
)
from tourney.schedule.player_history import departures
from tourney.schedule.row import MAX_ROWS, Row, score_units, units_of_win
from tourney.schedule.strength import Strengths, estimate, information
from tourney.schedule.tie_breaks import Values, rank

if TYPE_CHECKING:
    from tourney.schedule.strength import Array

BATCH: Final = 8
"""Pairings of a batch, without ``batch``."""
MOST: Final = 1000
"""More entrants than these want too large a covariance."""
_DIGITS: Final = 10**6


class Adaptive(Format):
    """Batches of a fixed number of pairings, each the one that tells the most after those before it.

    What a pairing tells is ln(1 + I V) / 2: by so much it shrinks what is not known of the strengths. V is
    the variance of the difference of the two, of a deviation in whole hundredths of Elo, and I what its
    matches tell of it: the more the nearer the two are (``tourney.schedule.strength``). A batch is a round;
    it is drawn when the one before the last is finished, so that nobody waits. An entrant may sit at several
    tables of a batch. It ends when ``budget`` matches are drawn, or when every entrant's rating has a
    standard deviation of ``target-sigma`` Elo at the most; whoever has reached that meets only those who have
    not. An entrant added later begins unknown, and so plays most.
    """

    name = "adaptive"
    lag = 1
    takes_entrants = True
    takes_withdrawals = True
    ranks = True
    keys = (
        SEEDING,
        Key("budget", "integer", 1, MAX_ROWS),
        Key("target-sigma", "integer", 1, 1000),
        Key("batch", "integer", 1, 1000),
    )

    def check(self, setup: Setup) -> None:
        """Raise TournamentError for fewer entrants than seats, or where nothing would end it."""
        count = len(setup.players)
        if count < setup.seats:
            raise TournamentError(
                f"an adaptive tournament with {setup.seats} seats per table wants at least {setup.seats}"
                f" entrants, not {count}"
            )
        if count > MOST:
            raise TournamentError(f"an adaptive tournament takes {MOST} entrants at the most, not {count}")
        budget = setup.setting("budget")
        if budget is None and setup.setting("target-sigma") is None:
            raise TournamentError(
                "an adaptive tournament wants budget (how many matches) or target-sigma (how sure the ratings"
                " are to be, in Elo), or both"
            )
        if budget is not None and int(budget) < setup.games:
            raise TournamentError(
                f"budget is {budget}, but a pairing has {setup.games} matches: set budget higher"
            )

    def draw(self, setup: Setup, history: History) -> Pairings:
        """Return the next batch."""
        self.check(setup)
        round_ = history.rounds + 1
        left = departures(setup, history.results)
        present = [p.number for p in setup.players if p.joined <= round_ < left.get(p.number, round_ + 1)]
        budget = int(setup.setting("budget") or MAX_ROWS)
        pairings = min(
            int(setup.setting("batch", BATCH) or BATCH), (budget - len(history.rows)) // setup.games
        )
        if len(present) < setup.seats or pairings < 1:
            return Pairings((), complete=True)
        strengths = estimate(players_of(setup), history.results, setup.seats)
        target = setup.setting("target-sigma")
        unsure = [n for n in present if target is None or strengths.deviation[n] > 100 * int(target)]
        if not unsure:
            return Pairings((), complete=True)
        batch = _Batch(setup, history, strengths, present, unsure)
        rows: list[Row] = []
        for table in range(1, pairings + 1):
            rows.extend(rows_of(setup, round_, table, batch.next()))
        last = len(history.rows) + len(rows) + setup.games > budget
        return Pairings(tuple(rows), complete=last)

    def tie_breaks(self, seats: int) -> tuple[str, ...]:  # noqa: ARG002 - the same for all
        """Rank by rating; how sure it is stands beside it and breaks no tie."""
        return ("rating", "sigma")

    def table(self, setup: Setup, history: History) -> tuple[RankedEntrant, ...]:
        """Rank the entrants by rating, as they play opponents of their own strength."""
        strengths = estimate(players_of(setup), history.results, setup.seats)
        units = Counter[int]()
        for result in history.results:
            if not result.void:
                units.update(dict(zip(result.entrants, score_units(result.ranks), strict=True)))
        numbers = [player.number for player in setup.players]
        points = {number: Fraction(units[number], units_of_win(setup.seats)) for number in numbers}
        rating = {number: Fraction(strengths.rating[number], 100) for number in numbers}
        sigma = {number: Fraction(strengths.deviation[number], 100) for number in numbers}
        nothing = dict.fromkeys(numbers, Fraction(0))
        rated: Values = {**rating}
        sure: Values = {**sigma}
        breaks = (("rating", lambda _: (rating, rated)), ("sigma", lambda _: (nothing, sure)))
        return rank(numbers, points, nothing, breaks, rating)


def players_of(setup: Setup) -> tuple[Player, ...]:
    """Return the players with what was known of them, or, if that is not to be used, as unknown."""
    if setup.setting("seeding") == "rating":
        return setup.players
    return tuple(Player(player.number) for player in setup.players)


class _Batch:
    """The pairings of a batch, one after the other: each makes what it tells known for the next.

    Each holds one of those who are ``unsure`` at least.
    """

    def __init__(
        self,
        setup: Setup,
        history: History,
        strengths: Strengths,
        present: Sequence[int],
        unsure: Sequence[int],
    ) -> None:
        self._games = setup.games
        self._unsure = unsure
        self._seats = setup.seats
        self._rating = strengths.rating
        self._present = present
        self._covariance: Array = strengths.covariance.copy()
        self._played = Counter(number for row in history.rows for number in row.seats)
        self._first = Counter(row.seats[0] for row in history.rows if row.repeat == row.order == 1)
        seen = max((result.key.round for result in history.results), default=0)
        for row in history.rows:  # what is being played tells something too
            if row.round > seen and row.repeat == row.order == 1:
                self._learn(row.seats)

    def next(self) -> tuple[int, ...]:
        """Return the entrants of the next pairing, the one named first least often first."""
        group = list(self._best_pair())
        while len(group) < self._seats:
            others = [number for number in self._present if number not in group]
            gains = {other: sum(self._gain(other, member) for member in group) for other in others}
            group.append(max(others, key=lambda other: (gains[other], -self._played[other], -other)))
        self._learn(group)
        group.sort(key=lambda number: (self._first[number], number))
        self._first[group[0]] += 1
        self._played.update(dict.fromkeys(group, self._games))
        return tuple(group)

    def _best_pair(self) -> tuple[int, int]:
        import numpy as np  # noqa: PLC0415 - slow to import, and only this needs it

        present = np.array(self._present)
        part = self._covariance[np.ix_(present, present)]
        variance = part.diagonal()[:, None] + part.diagonal()[None, :] - 2 * part
        deviation = np.rint(100 * np.sqrt(np.maximum(variance, 0.0)))
        rating = np.array([self._rating[number] for number in self._present])
        better = 1 / (1 + 10 ** ((rating[None, :] - rating[:, None]) / 40_000))
        told = 4 * information(self._games, self._seats, 0) * better * (1 - better)
        gain = np.rint(_DIGITS * np.log1p(told * (deviation / 100) ** 2)).astype(np.int64)
        unsure = np.isin(present, self._unsure)
        gain[~(unsure[:, None] | unsure[None, :])] = -1
        upper = np.triu_indices(len(present), 1)
        best = np.flatnonzero(gain[upper] == gain[upper].max())
        pairs = [(self._present[upper[0][k]], self._present[upper[1][k]]) for k in best.tolist()]
        return min(pairs, key=lambda pair: (self._played[pair[0]] + self._played[pair[1]], pair))

    def _gain(self, a: int, b: int) -> int:
        """Return what a pairing of two would tell, in whole millionths."""
        import math  # noqa: PLC0415 - as above

        deviation = round(100 * max(self._variance(a, b), 0.0) ** 0.5)
        told = information(self._games, self._seats, self._rating[a] - self._rating[b])
        return round(_DIGITS * math.log1p(told * (deviation / 100) ** 2))

    def _variance(self, a: int, b: int) -> float:
        c = self._covariance
        return float(c[a, a] + c[b, b] - 2 * c[a, b])

    def _learn(self, group: Sequence[int]) -> None:
        """Take what the matches of a group will tell as known."""
        for k, a in enumerate(group):
            for b in group[k + 1 :]:
                told = information(self._games, self._seats, self._rating[a] - self._rating[b])
                column = self._covariance[:, a] - self._covariance[:, b]
                shrink = told / (1 + told * self._variance(a, b))
                self._covariance -= shrink * column[:, None] * column[None, :]
