"""Adaptive: the next pairing is the one that gains the most information about the strengths.

Strengths follow the model of Bradley and Terry (1952) on the Elo scale: of two entrants the one that is d Elo
stronger finishes ahead with probability 1 / (1 + 10**(-d / 400)); equal ranks count as half a win. A match of
k seats counts as its pairs, each with weight 2 / k. The prior of a strength is normal around an earlier
rating. The estimate is the most probable one, and its covariance that of the normal distribution which
touches the posterior there (Laplace).
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Final

from tourney.errors import TournamentError
from tourney.schedule.format import (
    SEEDING,
    Format,
    FormatKey,
    History,
    Pairings,
    Participant,
    Setup,
    rows_of_rounds,
)
from tourney.schedule.neighbours import AUTHOR_SHARE, LEAGUE, authors_ahead, authors_of, neighbours
from tourney.schedule.player_history import departures, present_in
from tourney.schedule.row import MAX_ROWS, ResultRow, Row, half_points, refuse_few
from tourney.schedule.tie_breaks import EntrantScores, Values, match_points, rating_measures
from tourney.schedule.until_rule import Duels, Race

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

BATCH: Final = 8  # pairings in a batch (default of ``batch``)
MOST: Final = 1000  # entrants; the covariance of more would be too large
UNKNOWN: Final = 35_000  # hundredths of Elo: the prior standard deviation of an unrated entrant's strength
_SCALE: Final = 2.302585092994046 / 400  # the natural logarithm of the odds for a difference of one Elo
_DIGITS: Final = 10**6
_STEPS: Final = 60  # of Newton's method at most
_LONGEST: Final = 300.0  # Elo that a step moves a strength at most
_ENOUGH: Final = 1e-7  # Elo: a last step smaller than this ends the search


@dataclass(frozen=True)
class Strengths:
    """Estimates of strengths in Elo, by number, and their covariance.

    ``rating`` and ``deviation`` (of the difference from the mean of all) are rounded to whole hundredths.
    """

    mean: "Array"
    covariance: "Array"

    @cached_property
    def rating(self) -> tuple[int, ...]:
        """Each strength less the mean of all, in hundredths of Elo."""
        return tuple(round(100 * value) for value in (self.mean - self.mean.mean()).tolist())

    @cached_property
    def deviation(self) -> tuple[int, ...]:
        """The standard deviation of each rating, in hundredths of Elo."""
        rows = self.covariance.mean(axis=0)
        variance = self.covariance.diagonal() - 2 * rows + rows.mean()
        return tuple(round(100 * max(value, 0.0) ** 0.5) for value in variance.tolist())

    def variance(self, a: int, b: int) -> float:
        """The variance of the difference of two strengths."""
        c = self.covariance
        return float(c[a, a] + c[b, b] - 2 * c[a, b])

    def apart(self, a: int, b: int) -> int:
        """The standard deviation of the difference of two strengths, in hundredths of Elo."""
        return round(100 * math.sqrt(max(self.variance(a, b), 0.0)))


def expected(difference: float) -> float:
    """The expected score of an entrant with this lead in hundredths of Elo."""
    return 1 / (1 + 10 ** (-difference / 40_000))


def information(games: int, seats: int, difference: int) -> float:
    """The Fisher information of matches about a difference of strength, as 1 / variance in Elo.

    ``difference`` between the two is in hundredths of Elo.
    """
    better = expected(difference)
    return games * 2 / seats * _SCALE**2 * better * (1 - better)


class PairTally:
    """The meetings of entrants so far, from which strengths are estimated; it grows by results."""

    def __init__(self, count: int, seats: int) -> None:
        """Begin without results; ``count`` is the number of entrants."""
        import numpy as np  # noqa: PLC0415 - slow to import, and only this needs it

        self._seats = seats
        self._games: Array = np.zeros((count, count))
        self._wins: Array = np.zeros((count, count))

    def take(self, results: Iterable[ResultRow]) -> None:
        """Add results; void ones count for nothing."""
        games = self._games
        wins = self._wins
        seats = self._seats
        for result in results:
            if result.void:
                continue
            for i, j in combinations(range(len(result.ranks)), 2):
                a = result.entrants[i]
                b = result.entrants[j]
                better = half_points(result.ranks[i], result.ranks[j])
                games[a, b] += 2 / seats
                games[b, a] += 2 / seats
                wins[a, b] += better / seats
                wins[b, a] += (2 - better) / seats

    def strengths(self, participants: Sequence[Participant]) -> Strengths:
        """The strengths of participants, whose ``rating`` and ``deviation`` are the prior."""
        import numpy as np  # noqa: PLC0415 - as above

        games = self._games
        wins = self._wins
        before = np.array([(player.rating or 0) / 100 for player in participants])
        deviations = [
            UNKNOWN if player.deviation is None else max(player.deviation, 1) for player in participants
        ]
        precision = np.diag([(100 / deviation) ** 2 for deviation in deviations])
        mean = before.copy()
        for _ in range(_STEPS):
            better = 1 / (1 + np.exp(_SCALE * (mean[None, :] - mean[:, None])))
            slope = _SCALE * (wins - games * better).sum(axis=1) - precision @ (mean - before)
            weights = _SCALE**2 * games * better * (1 - better)
            curvature = np.diag(weights.sum(axis=1)) - weights + precision
            step = np.linalg.solve(curvature, slope)
            # Where expected scores are near 0 or 1 the curvature is small and a whole step overshoots.
            mean = mean + np.clip(step, -_LONGEST, _LONGEST)
            if np.abs(step).max(initial=0.0) < _ENOUGH:
                break
        return Strengths(mean, np.linalg.inv(curvature))


def estimate(participants: Sequence[Participant], results: Iterable[ResultRow], seats: int) -> Strengths:
    """The strengths of participants, whose ``rating`` and ``deviation`` are the prior."""
    evidence = PairTally(len(participants), seats)
    evidence.take(results)
    return evidence.strengths(participants)


def strengths_now(setup: Setup, history: History) -> Strengths:
    """The strengths of all participants by the results of a history."""
    evidence = history.sums(PairTally, len(setup.participants), setup.seats)
    return evidence.strengths(participants_of(setup))


class Adaptive(Format):
    """Batches of a fixed number of pairings, each the one that gains the most after those before it.

    The gain of a pairing, by which the entropy of the strengths shrinks, is ln(1 + I V) / 2: V is the
    variance of the two's difference (its deviation in whole hundredths of Elo), and I the Fisher information
    of their matches, larger the closer they are. A batch is a round; it is paired when the round before the
    last is finished, so that no worker waits. An entrant may sit at several tables of a batch. The tournament
    ends after ``budget`` matches, or when every rating's standard deviation is at most ``target-sigma`` Elo;
    entrants that reached it meet only those that did not. An entrant added later starts without a rating, and
    so plays most. If ``[until]`` compares entrants, the pairings are those that answer soonest
    (``tourney.schedule.until_rule``).
    """

    name = "adaptive"
    narrows_intervals = True
    rounds_shown = "batches"
    lag = 1
    takes_entrants = True
    takes_withdrawals = True
    takes_until = True
    ranks = True
    ranked_by = "rating"
    measures = rating_measures("Strength in Elo, as pairings estimate it", "Standard deviation of the rating")
    keys = (
        SEEDING,
        FormatKey("budget", "integer", 1, MAX_ROWS, help="Matches of the tournament."),
        FormatKey(
            "target-sigma",
            "integer",
            1,
            1000,
            help="Standard deviation of each rating, in Elo, at which the tournament ends.",
        ),
        FormatKey("batch", "integer", 1, 1000, help=f"Pairings per round. Default: {BATCH}."),
        LEAGUE,
        AUTHOR_SHARE,
    )

    def raisable(self, setup: Setup) -> tuple[str, ...]:  # noqa: ARG002 - always the same
        """Raise the number of matches."""
        return "budget", "until-games"

    def check(self, setup: Setup) -> None:
        """Raises TournamentError for fewer entrants than seats, or if nothing would end it."""
        count = len(setup.participants)
        refuse_few(setup, "an adaptive tournament")
        if count > MOST:
            raise TournamentError(f"an adaptive tournament takes at most {MOST} entrants, not {count}")
        budget = setup.setting("budget")
        until = setup.until
        if budget is None and setup.setting("target-sigma") is None and until is None:
            raise TournamentError(
                "an adaptive tournament needs budget (the number of matches), target-sigma (the ratings'"
                " standard deviation in Elo), or [until]"
            )
        if until is not None:
            until.check(count, setup.games)
            if until.compares and budget is None and until.games is None:
                raise TournamentError(
                    "[until] never knows who is better of two equal bots: set budget, or games in [until]"
                )
        if budget is not None and int(budget) < setup.games:
            raise TournamentError(
                f"budget is {budget}, but a pairing has {setup.games} matches: set budget higher"
            )

    def planned_matches(self, setup: Setup) -> int | None:
        """The budget, or the games of ``[until]`` if they are fewer."""
        until = setup.until
        limits = [setup.setting("budget"), None if until is None else until.games]
        return min((int(limit) for limit in limits if limit is not None), default=None)

    def next_rounds(self, setup: Setup, history: History) -> Pairings:
        """The next batch."""
        self.check(setup)
        round_ = history.rounds + 1
        present = present_in(round_, setup, departures(setup, history))
        budget = self.planned_matches(setup) or MAX_ROWS
        pairings = min(
            int(setup.setting("batch", BATCH) or BATCH), (budget - len(history.rows)) // setup.games
        )
        if len(present) < setup.seats or pairings < 1:
            return Pairings((), complete=True)
        strengths = strengths_now(setup, history)
        target = setup.setting("target-sigma")
        unsure = [n for n in present if target is None or strengths.deviation[n] > 100 * int(target)]
        if not unsure:
            return Pairings((), complete=True)
        race = None
        if setup.until is not None and setup.until.compares:
            ranked = sorted(present, key=lambda number: (-strengths.rating[number], number))
            first = (row for row in history.waiting if row.repeat == row.order == 1)
            waiting = [row.seats for row in first for _ in range(setup.repeats)]
            duels = history.sums(Duels, shared_dice=setup.shared_dice)
            race = Race(duels, setup.until, ranked, setup.seats, waiting)
        batch = _Batch(setup, history, strengths, present, unsure, race)
        rows = rows_of_rounds(setup, round_, [[batch.next() for _ in range(pairings)]])
        # Complete now if not one more pairing fits, so that the run need not ask again for nothing.
        last = len(history.rows) + len(rows) + setup.games > budget
        return Pairings(rows, complete=last)

    def planned_rounds(self, setup: Setup) -> int | None:
        """The number of batches in the budget; None if a target may end the tournament earlier."""
        budget = setup.setting("budget")
        if budget is None or setup.setting("target-sigma") is not None or setup.until is not None:
            return None
        return math.ceil(int(budget) // setup.games / int(setup.setting("batch", BATCH) or BATCH))

    def tie_breaks(self, seats: int) -> tuple[str, ...]:  # noqa: ARG002 - the same for all
        """Rank by rating; its sigma is shown and breaks no tie."""
        return ("rating", "sigma")

    def scores(self, setup: Setup, history: History) -> EntrantScores:
        """The ratings, because each entrant plays opponents of its own strength."""
        strengths = strengths_now(setup, history)
        points = match_points((p.number for p in setup.participants), history.results, setup.seats)
        rating: Values = {number: Fraction(strengths.rating[number], 100) for number in points}
        sigma: Values = {number: Fraction(strengths.deviation[number], 100) for number in points}
        return EntrantScores(points, measures={"rating": rating, "sigma": sigma})


def participants_of(setup: Setup) -> tuple[Participant, ...]:
    """The participants with their earlier ratings if the tournament is seeded by rating."""
    if setup.setting("seeding") == "rating":
        return setup.participants
    return tuple(Participant(player.number) for player in setup.participants)


class Seatings:
    """The matches that each entrant played, and the pairings in which it came first."""

    def __init__(self) -> None:
        self.played: Counter[int] = Counter()
        self.first: Counter[int] = Counter()

    def take(self, results: Iterable[ResultRow]) -> None:
        """Count the matches of further results, void ones too."""
        for result in results:
            self.played.update(result.entrants)
            if result.key.repeat == result.key.order == 1:
                self.first[result.entrants[0]] += 1

    def with_rows(self, rows: Iterable[Row]) -> "Seatings":
        """A copy that counts rows without a result too."""
        both = deepcopy(self)
        both.take(ResultRow(row.key, row.seats, ()) for row in rows)
        return both


class _Batch:
    """The pairings of a batch, one after the other.

    The covariance shrinks after each pairing as its matches will shrink it. Each pairing holds at least one
    ``unsure`` entrant. A ``race`` chooses pairings first, as long as any of its questions is open.
    """

    def __init__(
        self,
        setup: Setup,
        history: History,
        strengths: Strengths,
        present: Sequence[int],
        unsure: Sequence[int],
        race: Race | None,
    ) -> None:
        self._race = race
        self._setup = setup
        self._unsure = unsure
        # A copy, because it changes with each pairing; the ratings are computed before that.
        self._strengths = replace(strengths, covariance=strengths.covariance.copy())
        self._present = present
        seatings = history.sums(Seatings).with_rows(history.waiting)
        self._played = seatings.played
        self._first = seatings.first
        self._authors = authors_of(setup)
        self._neighbours = neighbours(setup, present, len(history.rows) // setup.games)
        for row in history.waiting:  # matches in play count as information too
            if row.repeat == row.order == 1:
                self._learn(row.seats)

    def next(self) -> tuple[int, ...]:
        """The entrants of the next pairing; the one that came first least often comes first."""
        raced = self._race.next() if self._race is not None else None
        ahead = authors_ahead(self._setup, self._played, self._present, BATCH)
        due = next(self._neighbours, None)
        if due is not None and ahead & {self._authors[number] for number in due}:
            due = None
        group = list(raced or due or self._best_pair(ahead))
        while len(group) < self._setup.seats:
            others = [number for number in self._present if number not in group]
            authors = {self._authors[number] for number in group}
            others = [number for number in others if self._authors[number] not in authors] or others
            others = [number for number in others if self._authors[number] not in ahead] or others
            gains = {
                candidate: sum(self._gain(candidate, member) for member in group) for candidate in others
            }
            group.append(
                max(others, key=lambda candidate: (gains[candidate], -self._played[candidate], -candidate))
            )
        self._learn(group)
        group.sort(key=lambda number: (self._first[number], number))
        self._first[group[0]] += 1
        self._played.update(dict.fromkeys(group, self._setup.games))
        return tuple(group)

    def _best_pair(self, ahead: set[str]) -> tuple[int, int]:
        """The pair that gains the most, of authors that are not ``ahead`` if there is one."""
        import numpy as np  # noqa: PLC0415 - slow to import, and only this needs it

        present = np.array(self._present)
        part = self._strengths.covariance[np.ix_(present, present)]
        variance = part.diagonal()[:, None] + part.diagonal()[None, :] - 2 * part
        deviation = np.rint(100 * np.sqrt(np.maximum(variance, 0.0)))
        rating = np.array([self._strengths.rating[number] for number in self._present])
        better = 1 / (1 + 10 ** ((rating[None, :] - rating[:, None]) / 40_000))
        fisher = 4 * information(self._setup.games, self._setup.seats, 0) * better * (1 - better)
        # Whole numbers from here on: the last bit of a logarithm differs between libraries, and must not
        # choose.
        gain = np.rint(_DIGITS * np.log1p(fisher * (deviation / 100) ** 2)).astype(np.int64)
        unsure = np.isin(present, self._unsure)
        author = np.array([self._authors[number] for number in self._present])
        gain[~(unsure[:, None] | unsure[None, :]) | (author[:, None] == author[None, :])] = -1
        late = np.isin(author, [*ahead])
        even = np.where(late[:, None] | late[None, :], -1, gain)
        gain = even if even.max() >= 0 else gain
        upper = np.triu_indices(len(present), 1)
        best = np.flatnonzero(gain[upper] == gain[upper].max())
        pairs = [(self._present[upper[0][k]], self._present[upper[1][k]]) for k in best.tolist()]
        return min(pairs, key=lambda pair: (self._played[pair[0]] + self._played[pair[1]], pair))

    def _gain(self, a: int, b: int) -> int:
        """The gain of pairing two, in whole millionths."""
        deviation = self._strengths.apart(a, b)
        return round(_DIGITS * math.log1p(self._information(a, b) * (deviation / 100) ** 2))

    def _information(self, a: int, b: int) -> float:
        difference = self._strengths.rating[a] - self._strengths.rating[b]
        return information(self._setup.games, self._setup.seats, difference)

    def _learn(self, group: Sequence[int]) -> None:
        """Shrink the covariance by the information that the matches of a group will give."""
        for a, b in combinations(group, 2):
            fisher = self._information(a, b)
            covariance = self._strengths.covariance
            column = covariance[:, a] - covariance[:, b]
            # Sherman and Morrison's update by one observation of the difference: no inversion for each
            # pairing.
            shrink = fisher / (1 + fisher * self._strengths.variance(a, b))
            covariance -= shrink * column[:, None] * column[None, :]
