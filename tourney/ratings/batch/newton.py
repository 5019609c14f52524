"""Newton's method on a concave log-posterior: a log-likelihood and a Gaussian prior around 0."""

from dataclasses import dataclass

import numpy as np

from tourney.ratings.batch.counts import Floats
from tourney.ratings.batch.likelihood import Likelihood

_STEP = 1e-9
"""A step below this, in natural units, is the last: 1e-7 Elo."""
_RISE = 1e-18
"""So is one that promises to rise by less than this part: where hardly anything is known, steps are noise."""
_STEPS = 200


@dataclass(frozen=True, eq=False, slots=True)
class Mode:
    """The posterior's mode: parameters, the data's information J and the prior's precision (a diagonal)."""

    x: Floats
    information: Floats
    precision: Floats

    @property
    def hessian(self) -> Floats:
        """The negative second derivative of the log-posterior: J + the prior's."""
        return self.information + np.diag(self.precision)


def maximise(likelihood: Likelihood, precision: Floats) -> Mode:
    """Return the mode. The posterior is strictly concave, so there is one, and damped steps reach it.

    Raises ArithmeticError should they not; that is a fault of the program.
    """
    x = np.zeros(likelihood.size)
    point = likelihood.at(x)
    for _ in range(_STEPS):
        gradient = point.gradient - precision * x
        step = np.linalg.solve(point.information + np.diag(precision), gradient)
        rise = float(gradient @ step)
        now = point.value - float(precision @ x**2) / 2
        if np.max(np.abs(step), initial=0.0) < _STEP or rise < _RISE * (1 + abs(now)):
            return Mode(x, point.information, precision)
        size = 1.0
        while True:
            there = x + size * step
            next_point = likelihood.at(there)
            gain = next_point.value - float(precision @ there**2) / 2 - now
            # Near the top the gain drowns in rounding, and a full step is right.
            if gain >= 1e-4 * size * rise or rise < 1e-9 * (1 + abs(now)) or size < 1e-9:
                break
            size /= 2
        x, point = there, next_point
    raise ArithmeticError(f"Newton's method took more than {_STEPS} steps")
