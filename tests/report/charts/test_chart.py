"""The one value for charts: drawn alike each time, within its frame, with the page's colors and no markup."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.charts.svg import frame, labels, lines, parsed
from tourney.report.charts.chart import Axis, Chart, ChartMark, Scale, draw, round_step, scale_of, thinned

FINITE = st.floats(-1e6, 1e6)


def chart(*marks: ChartMark, description: str = "What it shows", low: float = 0, high: float = 10) -> Chart:
    return Chart(description, Axis(0, 10), Axis.of(Scale(low, high), 5, grid=True), marks)


@given(st.floats(-1e5, 1e5), st.floats(1e-3, 1e5), st.integers(2, 12))
def test_ticks_are_few_and_within_the_scale(low: float, span: float, most: int) -> None:
    ticks = Scale(low, low + span).ticks(most)
    assert len(ticks) <= most + 1
    assert all(low - span * 1e-6 <= tick <= low + span * (1 + 1e-6) for tick in ticks)
    assert list(ticks) == sorted(set(ticks))


@pytest.mark.parametrize(
    ("low", "high", "ticks"), [(0, 10, (0, 2, 4, 6, 8, 10)), (-1, 1, (-1, -0.5, 0, 0.5, 1))]
)
def test_ticks_are_round(low: float, high: float, ticks: tuple[float, ...]) -> None:
    assert Scale(low, high, 0, 1).ticks(6) == ticks


@given(st.lists(FINITE, min_size=1, max_size=20))
def test_scale_holds_all_values(values: list[float]) -> None:
    scale = scale_of(values)
    assert all(0 <= scale.at(value) <= 100 for value in values)


@given(st.integers(-(10**6), 10**6), st.integers(0, 10**6), st.integers(2, 30))
def test_round_step_leaves_few_parts(low: int, span: int, most: int) -> None:
    step = round_step(low, low + span, most)
    assert str(step).rstrip("0") in {"1", "2", "5"}
    assert (low + span) // step - low // step < most


@given(st.lists(st.tuples(st.floats(0, 10), FINITE), min_size=1, max_size=30), st.booleans())
def test_marks_stay_within_the_frame(points: list[tuple[float, float]], closed: bool) -> None:
    svg = str(draw(chart(ChartMark("line", [points, points[::-1]], closed=closed))))
    left, right, top, bottom = frame(svg)
    found = lines(svg, "line")
    assert all(1 <= len(line) <= len(points) + closed for line in found)
    assert len(found) == 2
    assert all(left <= x <= right and top <= y <= bottom for line in found for x, y in line)


def test_level_stretches_leave_out_the_points_they_pass() -> None:
    drawn = [(0.0, 5.0), (1.0, 5.0), (2.0, 5.0), (3.0, 6.0), (4.0, 6.0), (4.0, 7.0), (4.0, 9.0), (4.0, 8.0)]
    [line] = lines(str(draw(chart(ChartMark("line", [drawn])))), "line")
    corners = (0, 2, 3, 4, 6, 7)
    assert line == [lines(str(draw(chart(ChartMark("line", [[drawn[k]]])))), "line")[0][0] for k in corners]


def test_equal_charts_are_equal_bytes() -> None:
    first, second = (draw(chart(ChartMark("line", [[(0, 1 / 3), (1, 2 / 3)]]))) for _ in range(2))
    assert first == second


def test_colors_come_from_classes_alone() -> None:
    for _, attributes in parsed(str(draw(chart(ChartMark("line l-blue", [[(0, 1), (2, 3)]]))))).elements:
        assert not attributes.keys() & {"fill", "stroke", "style", "font-family"}


def test_words_are_escaped_and_read_aloud() -> None:
    svg = str(draw(chart(description='"><script>')))
    assert "<script" not in svg
    assert parsed(svg).elements[0][1]["aria-label"] == '"><script>'
    assert parsed(svg).elements[0][1]["role"] == "img"


@pytest.mark.parametrize(
    ("high", "label"), [(9000, "5,000"), (90_000, "50k"), (9e6, "5M"), (9e9, "5G"), (0.9, "0.5")]
)
def test_large_numbers_are_short(high: float, label: str) -> None:
    assert label in labels(str(draw(chart(high=high))), "y")


def test_negative_numbers_have_a_true_minus_sign() -> None:
    assert "\N{MINUS SIGN}10" in labels(str(draw(chart(low=-10))), "y")


def test_zero_has_a_line_of_its_own() -> None:
    svg = str(draw(chart(low=-10)))
    assert len(re.findall('class="zero"', svg)) == 1


@given(st.lists(FINITE, min_size=2, max_size=300), st.integers(6, 60))
def test_thinned_lines_keep_their_ends_and_peaks(values: list[float], most: int) -> None:
    points = [(float(k), value) for k, value in enumerate(values)]
    kept = thinned(points, most)
    assert len(kept) <= max(most, 2)
    assert set(kept) <= set(points)
    assert list(kept) == sorted(kept)
    assert (kept[0], kept[-1]) == (points[0], points[-1])
    assert {max(y for _, y in kept), min(y for _, y in kept)} == {max(values), min(values)}
