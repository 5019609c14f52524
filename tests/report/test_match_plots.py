"""Plots of a match for readers without scripts: well-formed, within their frame, in few bytes."""

import re
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from tourney.report.charts.match_plots import HEIGHT, MOST_BARS, MOST_POINTS, WIDTH, scores, times
from tourney.report.pages.info import Info, SeatInfo
from tourney.report.setting import SeatLabel

SEATS = (SeatLabel(1, "Black", "black"), SeatLabel(2, "Red", "red"))
FINITE = st.floats(-1e6, 1e6)


def places(svg: str, kind: str) -> list[list[tuple[float, float]]]:
    """Return the corners of each path of a class, from its relative commands."""
    assert ET.fromstring(svg).tag == "svg"  # noqa: S314 - made by the function under test
    found = []
    for path in re.findall(rf'class="{kind} [^>]* d="([^"]*)"', svg):
        x = y = 0.0
        corners = []
        for command, numbers in re.findall(r"([mlv])([-\d .]*)", path):
            step = [float(n) for n in re.findall(r"-?[\d.]+", numbers)]
            x, y = (x, y + step[0]) if command == "v" else (x + step[0], y + step[1])
            corners.append((x, y))
            if command == "v":
                # The next bar is relative to the upper end of this one.
                assert y <= corners[-2][1]
        found.append(corners)
    return found


def reported(points: dict[int, float]) -> Info:
    return Info({1: SeatInfo(tuple(sorted(points)), {"score": tuple(points[k] for k in sorted(points))})})


@given(st.dictionaries(st.integers(1, 400), FINITE, min_size=2, max_size=MOST_POINTS))
def test_scores_stay_within_their_frame(points: dict[int, float]) -> None:
    svg = scores(reported(points), SEATS, 400)
    assert svg is not None
    (corners,) = places(svg, "line")
    assert len(corners) == len(points) <= MOST_POINTS
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in corners)
    assert [x for x, _ in corners] == sorted(x for x, _ in corners)


def test_outlier_does_not_flatten_the_other_scores() -> None:
    points = {k: 100.0 + 10 * (-1) ** k for k in range(1, 21)} | {21: 1e9}
    svg = scores(reported(points), SEATS, 21)
    assert svg is not None
    (corners,) = places(svg, "line")
    heights = [y for _, y in corners]
    assert max(heights[:-1]) - min(heights[:-1]) > 10
    assert heights[-1] == min(heights)


def test_one_score_is_no_plot() -> None:
    assert scores(reported({4: 1.0}), SEATS, 9) is None
    assert scores(Info({}), SEATS, 9) is None


@given(st.lists(st.one_of(st.none(), st.floats(0, 1e6)), min_size=2, max_size=200))
def test_times_stay_within_their_frame(measured: list[float | None]) -> None:
    svg = times(measured, [SEATS[k % 2] for k in range(len(measured))], len(measured))
    count = sum(time is not None for time in measured)
    assert (svg is None) == (count < 2)
    if svg is not None:
        paths = places(svg, "line" if count > MOST_BARS else "bar")
        assert sum(map(len, paths)) <= (2 * (MOST_POINTS + 1) if count > MOST_BARS else 2 * count)
        assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for corners in paths for x, y in corners)


def test_long_plots_take_few_bytes() -> None:
    svg = times([k % 7 + 0.5 for k in range(400)], [SEATS[k % 2] for k in range(400)], 400)
    assert svg is not None
    assert len(svg) < 1000 + 6 * 2 * MOST_POINTS


def test_long_lines_keep_their_ends() -> None:
    svg = scores(reported({ply: float(ply) for ply in range(1, 401)}), SEATS, 400)
    assert svg is not None
    (corners,) = places(svg, "line")
    whole = [x for x, _ in corners]
    assert len(whole) <= MOST_POINTS + 1
    assert whole[-1] == 512
    assert whole[0] < 60


def test_large_numbers_are_abbreviated() -> None:
    svg = scores(reported({1: -2e6, 2: 3e6}), SEATS, 2)
    assert svg is not None
    assert ">2M<" in svg
    assert "000000" not in svg
