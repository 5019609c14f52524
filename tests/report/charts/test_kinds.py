"""The kinds of charts: every value is drawn, and labels name it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.charts.svg import frame, labels, lines
from tourney.report.charts.chart import draw
from tourney.report.charts.kinds import (
    MOST_BARS,
    MOST_DOTS,
    MOST_POINTS,
    Line,
    bins_of,
    box_plot,
    color_of,
    heat_map,
    histogram,
    line_chart,
    match_plot,
)


def drawn_lines(count: int, rounds: int = 3, *, band: bool = True) -> str:
    some = [
        Line(color_of(k), tuple((n, 25 + k, 17 + k, 33 + k) for n in range(rounds))) for k in range(count)
    ]
    return str(draw(line_chart("Ratings", some, "Round", "mu", band=band)))


def test_each_line_has_its_color_and_further_ones_are_grey() -> None:
    svg = drawn_lines(8)
    assert len(lines(svg, "line")) == 8
    assert len(lines(svg, "l-rest")) == 2
    assert len(lines(svg, "band")) == 6
    assert not lines(drawn_lines(8, band=False), "band")


def test_dashed_lines_lie_on_the_whole_one_and_grey_ones_below() -> None:
    """Of equal lines the dashes of one show the other between them."""
    svg = drawn_lines(8)
    assert svg.index("line l-rest") < svg.index("line l-blue") < svg.index("line l-green")


def test_no_line_is_a_chart_too() -> None:
    assert lines(drawn_lines(0), "line") == []


@pytest.mark.parametrize(("first", "last"), [(1, 3), (1, 2), (0, 3), (4, 9), (1, 300)])
def test_rounds_are_labelled_once_each(first: int, last: int) -> None:
    line = Line("blue", tuple((k, k, k, k) for k in range(first, last + 1)))
    found = labels(str(draw(line_chart("", [line], "Round", "Elo", band=True))), "x")
    assert found.pop() == "Round"
    assert 2 <= len(found) <= 12
    assert found == sorted(set(found), key=int)


def test_histogram_has_a_bar_for_each_bin() -> None:
    svg = str(draw(histogram("", [(0, 10, 3), (10, 20, 6)], "Actions", "Matches")))
    low, high = (bottom - top for (_, top), _, (_, bottom), *_ in lines(svg, "bars"))
    assert abs(high) == pytest.approx(2 * abs(low), abs=2)


@given(st.lists(st.integers(0, 10**6), max_size=50))
def test_bins_hold_every_value_once(values: list[int]) -> None:
    bins = bins_of(values)
    assert sum(count for _, _, count in bins) == len(values)
    assert len(bins) <= 24
    for low, high, count in bins:
        assert count == sum(low <= value < high for value in values)


def test_heat_map_has_a_cell_for_each_pair_by_its_step() -> None:
    svg = str(draw(heat_map("", [(1, 2, 1), (2, 1, 7), (1, 3, 7)], 3, "Opponent", "Bot")))
    assert len(lines(svg, "h1")) == 1
    assert len(lines(svg, "h7")) == 2
    [(left, top), *_], [(first, below), *_] = lines(svg, "h1")[0], lines(svg, "h7")[0]
    assert left > first  # column 2 is right of column 1
    assert top < below  # row 1 is above row 2
    assert labels(svg, "x") == ["1", "2", "3", "Opponent"]


def test_boxes_have_their_quartiles_in_order() -> None:
    svg = str(draw(box_plot("", [(0.5, 1, 2, 4, 80), (1, 1, 1, 1, 1)], "ms", "Bot")))
    reach, box, middle = (lines(svg, style)[0] for style in ("reach", "box", "middle"))
    assert reach[0][0] < box[0][0] < middle[0][0] < box[1][0] < reach[1][0]
    assert labels(svg, "x") == ["0.1", "1", "10", "100", "ms"]


def test_equal_times_are_boxes_too() -> None:
    assert labels(str(draw(box_plot("", [(1, 1, 1, 1, 1)], "ms", "Bot"))), "x") == ["1", "10", "ms"]


@pytest.mark.parametrize("count", [2, 3, MOST_DOTS, MOST_DOTS + 1, MOST_POINTS, MOST_POINTS + 1, 1400])
def test_scores_are_lines_of_few_points(count: int) -> None:
    points = [(ply, (ply * 7919 % 101 - 50) / 3) for ply in range(1, count + 1)]
    svg = str(draw(match_plot("", [("black", points)], count, cut=True)))
    left, right, top, bottom = frame(svg)
    [line] = lines(svg, "line")
    assert len(line) == count if count <= MOST_POINTS else MOST_POINTS - 3 <= len(line) <= MOST_POINTS
    assert all(left <= x <= right and top <= y <= bottom for x, y in line)
    assert line[-1][0] == right
    assert len(lines(svg, "dots")) == (count if count <= MOST_DOTS else 0)


def test_outlier_does_not_flatten_the_other_scores() -> None:
    points = [(k, 100.0 + 10 * (-1) ** k) for k in range(1, 21)] + [(21, 1e9)]
    [line] = lines(str(draw(match_plot("", [("black", points)], 21, cut=True))), "line")
    heights = [y for _, y in line]
    assert max(heights[:-1]) - min(heights[:-1]) > 10
    assert heights[-1] == min(heights)
    [whole] = lines(str(draw(match_plot("", [("black", points)], 21))), "line")
    assert len({y for _, y in whole[:-1]}) == 1


@pytest.mark.parametrize("values", [[0.0, 0.0], [5.0, 0.0, 1e6], [1.0] * MOST_BARS, [1.0] * (MOST_BARS + 1)])
def test_times_are_bars_if_there_are_few(values: list[float]) -> None:
    points = [(ply, value) for ply, value in enumerate(values, 1)]
    svg = str(draw(match_plot("", [("red", points)], len(values), bars=True)))
    bars = lines(svg, "bar")
    assert len(bars) == (len(values) if len(values) <= MOST_BARS else 0)
    assert all(frame(svg)[3] in {start[1], end[1]} and start[0] == end[0] for start, end in bars)


def test_plots_of_long_matches_take_few_bytes() -> None:
    points = [(ply, ply % 7 + 0.5) for ply in range(1, 1500)]
    assert len(draw(match_plot("", [("red", points), ("black", points)], 1500, bars=True))) < 3000


def test_four_seats_share_the_points_of_a_plot() -> None:
    points = [(ply, ply % 7 + 0.5) for ply in range(1, 400)]
    colors = ("blue", "orange", "green", "purple")
    svg = str(draw(match_plot("", [(color, points) for color in colors], 400)))
    assert all(37 <= len(line) <= 40 for line in lines(svg, "line"))
