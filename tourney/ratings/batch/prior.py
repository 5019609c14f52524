"""The Gaussian prior: what is believed before the first match. It keeps every estimate finite."""

import math
from dataclasses import dataclass

import numpy as np

from tourney.ratings.batch.counts import Floats

ELO = 400 / math.log(10)
"""How many Elo a unit of the natural logarithm of the odds is."""


@dataclass(frozen=True, slots=True)
class Prior:
    """Independent normal distributions around 0, by their standard deviations.

    ``rating`` (Elo): of a bot. At 600 the prior weighs a third of one even game. ``seat`` (Elo): of a seat's
    effect. ``draws`` (natural logarithm): of Davidson's nu, so that before the first match a draw of equals
    is about as likely as a win.
    """

    rating: float = 600.0
    seat: float = 200.0
    draws: float = 2.0

    def precision(self, entrants: int, seats: int, *, draws: bool) -> Floats:
        """Return the precisions of the parameters: ratings, seats, and the draws' if there is one."""
        parts = [
            np.full(entrants, (ELO / self.rating) ** 2),
            np.full(seats, (ELO / self.seat) ** 2),
            *([np.full(1, self.draws**-2)] if draws else []),
        ]
        return np.concatenate(parts)
