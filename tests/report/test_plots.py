"""Charts: well-formed, within their frame, and safe."""

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.report import plots

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
        xs = numbers(plots.interval(scale, value, value - below, value + above), "x1", "x2", "cx")
        assert all(-0.1 <= x <= 100.1 for x in xs)


@given(st.lists(st.tuples(st.integers(0, 400), FINITE), max_size=60), st.integers(0, 400))
def test_line_plots_are_well_formed_and_within_their_frame(
    points: list[tuple[int, float]], last: int
) -> None:
    ordered = tuple(sorted({float(x): y for x, y in points if x <= last}.items()))
    svg = plots.line_plot([plots.Series("<b>", "l-blue", ordered)], last, 'a "<b>" & c')
    assert all(-1 <= x <= plots.WIDTH + 1 for x in numbers(svg, "cx", "cy", "x1", "x2", "y1", "y2"))
    for path in re.findall(r' d="M([^"]*)"', svg):
        for pair in path.split("L"):
            x, y = map(float, pair.split(" "))
            assert -1 <= x <= plots.WIDTH + 1
            assert -1 <= y <= plots.HEIGHT + 1
    assert parsed(svg).attrib["aria-label"] == 'a "<b>" & c'


def test_outlier_does_not_flatten_the_other_scores() -> None:
    points = (*((float(k), 100.0 + 10 * (-1) ** k) for k in range(20)), (20.0, 1e9))
    svg = plots.line_plot([plots.Series("", "l-red", points)], 20, "")
    heights = [float(y) for y in re.findall(r'cy="([\d.]+)"', svg)]
    assert max(heights[:-1]) - min(heights[:-1]) > 10
    assert heights[-1] == min(heights)


@given(
    st.lists(
        st.tuples(st.integers(1, 400), st.floats(0, 1e6), st.sampled_from(["l-red", "l-blue"])), min_size=1
    )
)
def test_bar_plots_are_well_formed(bars: list[tuple[int, float, str]]) -> None:
    svg = plots.bar_plot(bars, 400, "ms")
    assert len(re.findall(r'class="bar', svg)) == len({style for _, _, style in bars})
    assert parsed(svg).tag == "svg"


def test_large_numbers_are_abbreviated() -> None:
    svg = plots.line_plot([plots.Series("", "l-red", ((0.0, -2e6), (1.0, 3e6)))], 1, "")
    assert ">2M<" in svg
    assert "000000" not in svg
