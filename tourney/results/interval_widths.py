"""The width of the intervals of a tournament's Elo: the looks at which they hold, and the widest one now.

Apart from ``tourney.results.until``, because this computes with NumPy and the other conditions do not.
"""

import math
from collections.abc import Iterable

from tourney.ratings.batch import strengths
from tourney.ratings.counts import Clusters
from tourney.ratings.sequential import EVERY_LOOK, FIXED, QUANTILE, PlannedGames
from tourney.schedule.format import Format, History, Setup
from tourney.schedule.until_rule import multiplier

GAMES = 200
"""The games of an entrant for which intervals are tuned if no plan gives their number."""


def look_of(format_: Format, setup: Setup) -> PlannedGames:
    """The plan by which the intervals of an unfinished tournament hold at every look.

    They are tuned for the number of matches planned at the start, so they depend on no result: the matches
    of the schedule, or the matches that ``width`` needs between even bots if they are fewer.
    """
    matches = format_.planned_matches(setup.first)
    until = setup.until
    games = matches * setup.seats / max(len(setup.participants), 1) if matches else None
    look = PlannedGames(games or GAMES, setup.seats)
    if until is not None and until.width is not None:
        needed = look.games_for((until.width / multiplier(1.0)) ** 2)
        look = PlannedGames(min(games or needed, needed), setup.seats)
    return look


def interval_text(look: PlannedGames | None) -> str:
    """The width of intervals of Elo, as a part of a sentence; ``look`` is the plan they are tuned for."""
    deviations = QUANTILE if look is None else multiplier(1.0)
    width = f"Elo \N{PLUS-MINUS SIGN} {deviations:.2f} standard deviations"
    if look is None:
        return f"{width} ({FIXED})"
    games = f"{look.games:,.0f} even games of a bot"
    return f"{width} after {games}, as planned, and more before and after that ({EVERY_LOOK})"


def widest_now(format_: Format, setup: Setup, history: History, present: Iterable[int]) -> float:
    """Half of the widest interval of those present, as published."""
    numbers = [player.number for player in setup.participants]
    counts = history.sums(Clusters, shared_dice=setup.shared_dice).counts(numbers, setup.seats)
    look = look_of(format_, setup)
    (_, matrix) = strengths(counts, flat=True)
    weight = 1 - 1 / len(setup.participants)
    variances = [float(matrix[number, number]) for number in present]
    return max(round(look.deviations(value, weight) * math.sqrt(value), 1) for value in variances)
