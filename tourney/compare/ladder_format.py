"""The format of a placement: a bot meets the rungs of a ladder near it until its rating is known.

No tournament file can name it; ``tourney ladder`` makes the tournament (``tourney.compare.ladder``).
Entrant 0 is the bot; the others are the rungs, whose ratings are fixed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from typing import Final, Literal

from tourney.errors import TournamentError
from tourney.ratings.anchored import Meeting, Placement, expected, place
from tourney.schedule.boundary import multiplier
from tourney.schedule.format import Format, History, Pairings, Setup, group_size, rows_of_rounds
from tourney.schedule.player_history import departures, present_in
from tourney.schedule.row import MAX_ROWS, ResultRow
from tourney.schedule.tie_breaks import Scores, TieBreak, Values, match_points

WIDTH: Final = 50
"""The default of ``LadderRule.width``."""
GAMES: Final = 400
"""The default of ``LadderRule.games``."""
BATCH_GAMES: Final = 8
"""A batch has at least so many matches."""
OUTSIDE: Final = 40_000
"""A bot that is further than this outside the ladder (hundredths of Elo) wins or loses nearly every game."""

Ending = Literal["width", "above", "below", "games", "out"]
"""Why a placement ended: the rating is known; the bot is far above or below the ladder; the limit of matches
is reached; the bot cannot start."""


@dataclass(frozen=True, slots=True)
class LadderRule:
    """The rungs' ratings (hundredths of Elo, entrants 1 and up), and when the placement ends.

    ``width``: the 95 % interval is at most ``width`` Elo to either side. ``games``: the most matches.
    """

    anchors: tuple[int, ...]
    width: int = WIDTH
    games: int = GAMES

    def extra(self) -> tuple[tuple[str, int | str], ...]:
        """Return the rule as a format's own settings, sorted by name."""
        anchors = ",".join(map(str, self.anchors))
        return (("anchors", anchors), ("games", self.games), ("width", self.width))

    @classmethod
    def of(cls, extra: Iterable[tuple[str, int | str]]) -> "LadderRule":
        """Return the rule that ``extra`` describes. Raises KeyError, TypeError and ValueError."""
        values = dict(extra)
        anchors = tuple(int(word) for word in str(values["anchors"]).split(","))
        return cls(anchors, int(values["width"]), int(values["games"]))

    def rating(self, rung: int) -> int:
        """Return the rating of a rung, by its number as an entrant."""
        return self.anchors[rung - 1]

    def place(self, results: Iterable[ResultRow]) -> Placement:
        """Return the bot's rating by these results."""
        return place(groups_of(self, results), self.anchors)

    def now(self, placement: Placement) -> Placement:
        """Return a placement with the interval that holds at every look, tuned for ``width``."""
        planned = (100 * self.width / multiplier(1.0)) ** 2
        return replace(placement, deviations=multiplier(planned / placement.deviation**2))

    def ending(self, placement: Placement, matches: int) -> Ending | None:
        """Return why a placement ends after so many matches with this rating, or None."""
        if placement.half_width <= 100 * self.width:
            return "width"
        if placement.rating > max(self.anchors) + OUTSIDE and placement.low > max(self.anchors):
            return "above"
        if placement.rating < min(self.anchors) - OUTSIDE and placement.high < min(self.anchors):
            return "below"
        return "games" if matches >= self.games else None


def batch_tables(seats: int) -> int:
    """Return the number of mirrored groups in a batch."""
    return max(1, BATCH_GAMES // group_size(seats))


def counts(result: ResultRow) -> bool:
    """Return whether a match counts: not one that is void, or in which a rung was at fault.

    A rung's rating says nothing about a match that it lost by a fault.
    """
    faulty = {number for number, fault in zip(result.entrants, result.faults, strict=False) if fault}
    return not result.void and faulty <= {0}


def groups_of(rule: LadderRule, results: Iterable[ResultRow]) -> list[list[Meeting]]:
    """Return the bot's meetings by mirrored group; results are in schedule order."""
    found = []
    for _, group in groupby(filter(counts, results), key=lambda result: result.key[:3]):
        sums: dict[int, tuple[int, int]] = {}
        seats = 2
        for result in group:
            seats = len(result.entrants)
            for rung, half_points in half_points_of(result).items():
                games, total = sums.get(rung, (0, 0))
                sums[rung] = (games + 1, total + half_points)
        found.append(
            [Meeting(rule.rating(rung), games, total, 2 / seats) for rung, (games, total) in sums.items()]
        )
    return found


def half_points_of(result: ResultRow) -> Mapping[int, int]:
    """Return the bot's half-points against each rung at the table: 2 ahead of it, 1 beside it, 0 behind."""
    mine = result.ranks[result.entrants.index(0)]
    return {
        number: (mine < rank) + (mine <= rank)
        for number, rank in zip(result.entrants, result.ranks, strict=True)
        if number
    }


def batch(
    rule: LadderRule, seats: int, present: Sequence[int], placement: Placement | None
) -> list[tuple[int, ...]]:
    """Return the rungs at each table of the next batch.

    Without a placement the lowest rungs. With two seats those on both sides of the bot's rating, in turn,
    unless a game against the one tells less than half of what a game against the other does. With more seats
    the nearest.
    """
    tables = batch_tables(seats)
    rungs = sorted(present, key=lambda rung: (rule.rating(rung), rung))
    if placement is None:
        return [tuple(rungs[: seats - 1])] * tables

    def information(rung: int) -> float:
        # What a game against the rung says of the rating: the Fisher information, but for a factor.
        better = expected(placement.rating - rule.rating(rung))
        return round(better * (1 - better), 6)

    best = sorted(rungs, key=lambda rung: (-information(rung), rule.rating(rung), rung))
    if seats > 2:
        return [tuple(best[: seats - 1])] * tables
    below = [rung for rung in best if rule.rating(rung) <= placement.rating]
    above = [rung for rung in best if rule.rating(rung) > placement.rating]
    near = best[0]
    other = next(iter(above if near in below else below), near)
    other = other if 2 * information(other) >= information(near) else near
    return [(near if table % 2 == 0 else other,) for table in range(tables)]


class LadderFormat(Format):
    """The bot against the rungs nearest to it, a batch a round, until its rating is known."""

    name = "ladder"
    in_files = False
    ends_by_results = True
    ranks = True
    ranked_by = "rating"
    measures = (
        TieBreak(
            "rating", "rating", "Rating on the ladder's scale; those of the rungs are fixed", unit="Elo"
        ),
        TieBreak("sigma", "sigma", "Standard deviation of the bot's rating", order=False, unit="Elo"),
    )

    def check(self, setup: Setup) -> None:
        """Raise TournamentError unless there are a bot, rungs to fill a table, and their ratings."""
        try:
            rule = LadderRule.of(setup.extra)
        except (KeyError, TypeError, ValueError) as error:
            raise TournamentError(f"the settings of the placement cannot be read ({error})") from error
        if len(rule.anchors) != len(setup.participants) - 1 or len(rule.anchors) < setup.seats - 1:
            raise TournamentError(
                f"a placement at {setup.seats} seats needs a bot and at least {setup.seats - 1} rungs with a"
                " rating each"
            )
        if not (rule.width > 0 and 0 < rule.games <= MAX_ROWS):
            raise TournamentError("the width and the number of matches of a placement must be at least 1")

    def next_rounds(self, setup: Setup, history: History) -> Pairings:
        """Return the next batch, or nothing once the placement has ended."""
        self.check(setup)
        rule = LadderRule.of(setup.extra)
        round_ = history.rounds + 1
        present = present_in(round_, setup, departures(setup, history.results))
        rungs = [number for number in present if number]
        placement = rule.place(history.results) if history.rounds else None
        ended = placement is not None and rule.ending(placement, len(history.rows)) is not None
        if ended or 0 not in present or len(rungs) < setup.seats - 1:
            return Pairings((), complete=True)
        tables = [(0, *rungs_there) for rungs_there in batch(rule, setup.seats, rungs, placement)]
        return Pairings(rows_of_rounds(setup, round_, [tables]), complete=False)

    def tie_breaks(self, seats: int) -> tuple[str, ...]:  # noqa: ARG002 - the same for all
        """Rank by rating; its sigma is shown and breaks no tie."""
        return ("rating", "sigma")

    def scores(self, setup: Setup, history: History) -> Scores:
        """Return the bot's rating among those of the rungs."""
        rule = LadderRule.of(setup.extra)
        placement = rule.place(history.results)
        points = match_points((p.number for p in setup.participants), history.results, setup.seats)
        rating: Values = {n: Fraction(rule.rating(n) if n else placement.rating, 100) for n in points}
        sigma: Values = {n: None if n else Fraction(placement.deviation, 100) for n in points}
        return Scores(points, measures={"rating": rating, "sigma": sigma})
