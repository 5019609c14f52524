"""The rating of one entrant by its results against opponents whose ratings are known.

The model is that of Bradley and Terry (1952) on the Elo scale: an entrant that is d Elo stronger than
another finishes ahead of it with probability 1 / (1 + 10**(-d / 400)); equal ranks count as half a win. The
opponents' ratings are exact. The prior of the entrant's rating is normal, and wide.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from tourney.ratings.sequential import QUANTILE
from tourney.schedule.adaptive import expected
from tourney.schedule.until_rule import multiplier

SPREAD: Final = 350.0
"""The prior's standard deviation beyond half the range of the opponents' ratings, in Elo."""
_SCALE: Final = math.log(10) / 400
_STEPS: Final = 60
_LONGEST: Final = 300.0
_ENOUGH: Final = 1e-9


class Meeting(NamedTuple):
    """Games of the entrant and one opponent that share their dice.

    ``opponent`` is the opponent's rating in hundredths of Elo; ``half_points`` are the entrant's, 2 for each
    game in which it finished ahead. ``weight`` is what a game counts: 2 / k at a table of k seats.
    """

    opponent: int
    games: int
    half_points: int
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Placement:
    """A rating and its standard deviation, in whole hundredths of Elo.

    ``deviations``: standard deviations of the 95 % interval on each side; by default those of a fixed one.
    """

    rating: int
    deviation: int
    deviations: float = QUANTILE

    def at_every_look(self, width: float) -> "Placement":
        """The same with an interval that holds at every look, tuned for this half width."""
        planned = (width / multiplier(1.0)) ** 2
        return replace(self, deviations=multiplier(planned / self.deviation**2))

    @property
    def half_width(self) -> int:
        """Half the width of the 95 % interval, in hundredths of Elo."""
        return round(self.deviations * self.deviation)

    @property
    def low(self) -> int:
        """The lower end of the 95 % interval."""
        return self.rating - self.half_width

    @property
    def high(self) -> int:
        """The upper end of the 95 % interval."""
        return self.rating + self.half_width


def place(groups: Iterable[Sequence[Meeting]], opponents: Sequence[int]) -> Placement:
    """The most probable rating, and its standard deviation.

    Each group holds the meetings of one mirrored group: its scores are not independent. ``opponents`` are
    the ratings of all that could be met, at least one; the prior's mean is the middle of their range. The
    variance is the larger of the model's and of the one that the scores of groups show (the sandwich
    estimator of Huber, Proceedings of the Fifth Berkeley Symposium 1, 1967), so dependent games count for
    what they are worth.
    """
    played = [group for group in groups if group]
    low = min(opponents) / 100
    high = max(opponents) / 100
    centre = (low + high) / 2
    precision = 1 / (SPREAD + (high - low) / 2) ** 2
    rating = centre
    for _ in range(_STEPS):
        slope = precision * (centre - rating)
        curvature = precision
        for meeting in (meeting for group in played for meeting in group):
            better = expected(100 * rating - meeting.opponent)
            slope += _SCALE * meeting.weight * (meeting.half_points / 2 - meeting.games * better)
            curvature += _SCALE**2 * meeting.weight * meeting.games * better * (1 - better)
        step = max(-_LONGEST, min(_LONGEST, slope / curvature))
        rating += step
        if abs(step) < _ENOUGH:
            break
    curvature = precision
    seen = 0.0
    for group in played:
        surprise = 0.0
        for meeting in group:
            better = expected(100 * rating - meeting.opponent)
            surprise += _SCALE * meeting.weight * (meeting.half_points / 2 - meeting.games * better)
            curvature += _SCALE**2 * meeting.weight * meeting.games * better * (1 - better)
        seen += surprise**2
    if len(played) > 1:
        # The rating was fitted to these groups, so their surprises are a little too small.
        seen *= len(played) / (len(played) - 1)
    variance = max(1 / curvature, seen / curvature**2)
    return Placement(round(100 * rating), round(100 * math.sqrt(variance)))
