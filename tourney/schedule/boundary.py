"""The boundary of intervals that hold at every look: how many standard errors they have on each side.

The boundary is the normal mixture of Robbins (Annals of Mathematical Statistics 41, 1970), which
Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas ("Time-uniform central limit theory and asymptotic confidence
sequences", Annals of Statistics 52, 2024, theorem 2.2 and proposition 2.1) carry to any estimate with a
consistent standard error: with t units and a parameter rho,

    |estimate - truth| <= SE * sqrt(2 (t rho^2 + 1) / (t rho^2) * log(sqrt(t rho^2 + 1) / alpha)).

rho makes the interval narrowest at the planned length. Only t rho^2 matters, so ``share`` is the run's
information as a share of that planned: t / planned for units of equal weight, else the planned variance of an
estimate over the variance now. Units are independent: mirrored groups of games, not games.
"""

import math

ALPHA = 0.05
"""The share of runs in which an interval may ever exclude the truth."""


def tuned(alpha: float = ALPHA) -> float:
    """The value of t rho^2 at the planned length, for the rho that makes the interval narrowest there.

    An approximation that is within 1 % of the optimum (Waudby-Smith and others 2024, appendix B.2).
    """
    wanted = -2 * math.log(alpha)
    return wanted + math.log(wanted + 1)


def multiplier(share: float, alpha: float = ALPHA) -> float:
    """The standard errors on each side of an estimate at a ``share`` of the planned information.

    1.55 times those of a fixed interval at ``share`` 1 and ``alpha`` 0.05, and more before and after;
    infinite at 0.
    """
    if share <= 0:
        return math.inf
    known = tuned(alpha) * share
    return math.sqrt((1 + 1 / known) * (math.log1p(known) - 2 * math.log(alpha)))
