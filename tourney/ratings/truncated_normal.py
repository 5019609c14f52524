"""TrueSkill's corrections v and w in far tails and thin margins, where plain formulas lose precision.

The difference of two performances, in units of its standard deviation, is normal with mean ``t`` and variance
1 before the result. A win truncates it to values above the draw margin, a draw to those within the margin on
both sides of 0; v is the change of its mean, and 1 - w its new variance (Herbrich, Minka and Graepel,
"TrueSkill: a Bayesian skill rating system", 2006, section 3). The plain quotients of densities and
distribution functions become 0/0 for a surprising result; these formulas use Mills' ratio
R(x) = (1 - cdf(x)) / pdf(x), which has a continued fraction (Laplace's) without small numbers.
"""

import math

W_MAX = 1 - 1e-8
"""The largest w: message passing divides by the variance, which must stay above 0."""

_FAR = 8.0
"""From here on ``_TERMS`` of the continued fraction give 1/R(x) - x to the last bit."""
_TERMS = 60
_THIN = 1e-2
"""Below this margin the normal density is exponential within it, to the square of the margin."""
_SQRT2 = math.sqrt(2)
_NORM = 1 / math.sqrt(2 * math.pi)


def win(t: float, margin: float) -> tuple[float, float]:
    """The corrections v and w of a win; 0 <= w <= W_MAX for every ``t`` and ``margin`` >= 0."""
    x = t - margin
    if x <= -_FAR:
        k = _excess(-x)
        return k - x, _bounded((k - x) * k)
    v = _pdf(x) / _cdf(x)
    return v, _bounded(v * (v + x))


def draw(t: float, margin: float) -> tuple[float, float]:
    """The corrections v and w of a draw; 0 <= w <= W_MAX for every ``t`` and ``margin`` >= 0.

    A margin of 0 gives the limit: the difference is 0, so v = -t.
    """
    v, w = _draw(abs(t), margin)
    return (-v if t < 0 else v), _bounded(w)


def _draw(t: float, margin: float) -> tuple[float, float]:
    if margin < _THIN:
        # The density within the margin is proportional to exp(t z): mean by Langevin's function.
        y = t * margin
        return margin * _langevin(y) - t, 1 - margin * margin * _langevin_slope(y)
    near, far = t - margin, t + margin
    fade = math.exp(-2 * t * margin)
    if near >= _FAR:
        if fade < 1e-18:
            # The far end of the margin is negligible: the same as a win of the weaker side.
            k = _excess(near)
            return -(near + k), (near + k) * k
        z = 1 / (near + _excess(near)) - fade / (far + _excess(far))
        v = (fade - 1) / z
        return v, v * v + (far * fade - near) / z
    # If both ends lie above 0, use erfc: a difference of two numbers near 1 would keep few digits.
    z = (math.erfc(near / _SQRT2) - math.erfc(far / _SQRT2)) / 2 if near > 0 else _cdf(far) - _cdf(near)
    v = (_pdf(far) - _pdf(near)) / z
    return v, v * v + (far * _pdf(far) - near * _pdf(near)) / z


def _excess(x: float) -> float:
    """1/R(x) - x for x >= 8: 1/(x + 2/(x + 3/(x + ...)))."""
    fraction = x
    for n in range(_TERMS, 1, -1):
        fraction = x + n / fraction
    return 1 / fraction


def _langevin(y: float) -> float:
    """The value of coth(y) - 1/y for y >= 0."""
    if y < 1e-2:
        return y / 3 - y**3 / 45
    return 1 / math.tanh(y) - 1 / y


def _langevin_slope(y: float) -> float:
    """1/y**2 - 1/sinh(y)**2 for y >= 0."""
    if y < 1e-2:
        return 1 / 3 - y * y / 15
    return 1 / (y * y) - (1 / math.sinh(y) ** 2 if y < 300 else 0.0)


def _bounded(w: float) -> float:
    return min(max(w, 0.0), W_MAX)


def _pdf(x: float) -> float:
    return _NORM * math.exp(-x * x / 2)


def _cdf(x: float) -> float:
    return math.erfc(-x / _SQRT2) / 2
