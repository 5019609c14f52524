"""Charts: well-formed, within their frame, and safe."""

from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.report.charts import plots

FINITE = st.floats(-1e6, 1e6)


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 - made by the function under test


def numbers(svg: str, *attributes: str) -> list[float]:
    return [
        float(element.attrib[a].rstrip("%"))
        for element in parsed(svg).iter()
        for a in attributes
        if a in element.attrib
    ]


@given(st.floats(-1e5, 1e5), st.floats(1e-3, 1e5), st.integers(2, 12))
def test_ticks_are_few_and_within_the_scale(low: float, span: float, most: int) -> None:
    scale = plots.Scale(low, low + span, 0, 100)
    ticks = scale.ticks(most)
    assert len(ticks) <= most + 1
    assert all(low - span * 1e-6 <= tick <= low + span * (1 + 1e-6) for tick in ticks)
    assert list(ticks) == sorted(set(ticks))


@pytest.mark.parametrize(
    ("low", "high", "ticks"), [(0, 10, (0, 2, 4, 6, 8, 10)), (-1, 1, (-1, -0.5, 0, 0.5, 1))]
)
def test_ticks_are_round(low: float, high: float, ticks: tuple[float, ...]) -> None:
    assert plots.Scale(low, high, 0, 1).ticks(6) == ticks


def test_coordinates_are_short() -> None:
    assert [plots.coordinate(x) for x in (1.0, 1.04, 1.05001, -0.01, -2.25)] == ["1", "1", "1.1", "0", "-2.2"]


@given(st.lists(st.tuples(FINITE, st.floats(0.01, 100)), min_size=1, max_size=10))
def test_whiskers_stay_within_their_cell(skills: list[tuple[float, float]]) -> None:
    scale = plots.axis_of([x for mu, s in skills for x in (mu - 3 * s, mu + 3 * s)])
    for mu, sigma in skills:
        svg = plots.whisker(scale, mu, sigma)
        assert all(-0.1 <= x <= 100.1 for x in numbers(svg, "x1", "x2", "cx"))


@given(st.lists(st.tuples(FINITE, st.floats(0.01, 100), st.floats(0.01, 100)), min_size=1, max_size=10))
def test_intervals_stay_within_their_cell(found: list[tuple[float, float, float]]) -> None:
    scale = plots.axis_of([x for value, below, above in found for x in (value - below, value + above)])
    for value, below, above in found:
        xs = numbers(plots.interval(scale, value, value - below, value + above, "95 %"), "x1", "x2", "cx")
        assert all(-0.1 <= x <= 100.1 for x in xs)


@given(st.floats(-1e4, 0), st.floats(1, 1e4))
def test_numbers_of_an_axis_stand_apart(low: float, high: float) -> None:
    """A digit takes 7.5 pixels, and the narrowest column (14rem less its padding) 195."""
    svg = plots.whisker_axis(plots.axis_of([low, high]))
    shown = [(float(e.attrib["x"].rstrip("%")) * 1.95, len(e.text or "") * 7.5) for e in parsed(svg)]
    assert shown
    for (a, x), (b, y) in pairwise(shown):
        assert b - a >= (x + y) / 2
