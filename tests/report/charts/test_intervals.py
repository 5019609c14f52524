"""Intervals in the rows of a table: within their cell, and numbers that stand apart."""

from itertools import pairwise
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from tourney.report.charts.chart import coordinate, interval, interval_axis, scale_of, sigmas

FINITE = st.floats(-1e6, 1e6)


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 - made by the function under test


def places(svg: str) -> list[float]:
    return [
        float(element.attrib[name].rstrip("%"))
        for element in parsed(svg).iter()
        for name in ("x1", "x2", "cx")
        if name in element.attrib
    ]


def test_coordinates_are_short() -> None:
    assert [coordinate(x) for x in (1.0, 1.04, 1.05001, -0.01, -2.25)] == ["1", "1", "1.1", "0", "-2.2"]


@given(st.lists(st.tuples(FINITE, st.floats(0.01, 100)), min_size=1, max_size=10))
def test_sigmas_stay_within_their_cell(skills: list[tuple[float, float]]) -> None:
    scale = scale_of([x for mu, s in skills for x in (mu - 3 * s, mu + 3 * s)])
    for mu, sigma in skills:
        assert all(-0.1 <= x <= 100.1 for x in places(sigmas(scale, mu, sigma)))


@given(st.lists(st.tuples(FINITE, st.floats(0.01, 100), st.floats(0.01, 100)), min_size=1, max_size=10))
def test_intervals_stay_within_their_cell(found: list[tuple[float, float, float]]) -> None:
    scale = scale_of([x for value, below, above in found for x in (value - below, value + above)])
    for value, below, above in found:
        svg = interval(scale, value, value - below, value + above, "95 %")
        assert all(-0.1 <= x <= 100.1 for x in places(svg))


@given(st.floats(-1e4, 0), st.floats(1, 1e4))
def test_numbers_of_an_axis_stand_apart(low: float, high: float) -> None:
    """A digit takes 7.5 pixels, and the narrowest column (14rem less its padding) 195."""
    svg = interval_axis(scale_of([low, high]))
    shown = [(float(e.attrib["x"].rstrip("%")) * 1.95, len(e.text or "") * 7.5) for e in parsed(svg)]
    assert shown
    for (a, x), (b, y) in pairwise(shown):
        assert b - a >= (x + y) / 2
