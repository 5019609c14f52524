"""Charts of data: the same bytes each time, colors of the page, and no name or noise in them."""

import json
import multiprocessing
import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.errors import EnvironmentFailure
from tourney.report.charts import vega

LINES = [vega.Line(vega.color_of(k), ((0, 25, 17, 33), (1, 26.25 + k, 22, 29))) for k in range(8)]
SPECS = {
    "lines": vega.line_chart(LINES, "Round", "mu", band=True),
    "bars": vega.histogram([(0, 10, 3), (10, 20, 5)], "Actions", "Matches"),
    "cells": vega.heatmap([(1, 2, 1), (2, 1, 7)], 2, "Opponent", "Bot"),
    "boxes": vega.box_chart([(0.5, 1, 2, 4, 80), (1, 1, 1, 1, 1)], "ms", "Bot"),
    "nothing": vega.line_chart([], "Round", "mu", band=True),
}


@pytest.mark.parametrize("name", SPECS)
def test_charts_are_drawn_the_same_each_time(name: str) -> None:
    first = vega.draw(SPECS[name], "What it shows")
    vega.close()  # the next one comes from another process
    assert first is not None
    assert vega.draw(SPECS[name], "What it shows") == first
    assert ET.fromstring(first).attrib["aria-label"] == "What it shows"  # noqa: S314 - made here


def test_charts_take_all_colors_from_the_page() -> None:
    for spec in SPECS.values():
        drawn = vega.draw(spec, "")
        assert drawn is not None
        colors = set(re.findall(r' (?:fill|stroke)="([^"]*)"', drawn))
        assert all(c == "none" or "var(--" in c for c in colors), colors


def test_charts_have_a_bar_for_each_bin() -> None:
    drawn = vega.draw(SPECS["bars"], "")
    assert drawn is not None
    assert len(re.findall(r'<path [^>]*fill="var\(--plot-blue\)"', drawn)) == 2


@pytest.mark.parametrize(("first", "last"), [(1, 3), (1, 2), (0, 3), (4, 9), (1, 300)])
def test_rounds_are_labelled_once_each(first: int, last: int) -> None:
    line = vega.Line("blue", tuple((k, k, k, k) for k in range(first, last + 1)))
    drawn = vega.draw(vega.line_chart([line], "Round", "Elo", band=True), "")
    assert drawn is not None
    labels = re.findall(r">(\d+)</text>", drawn.partition(">Round<")[0])
    assert 2 <= len(labels) <= 12
    assert labels == sorted(set(labels), key=int)


def test_chart_text_is_escaped() -> None:
    drawn = vega.draw(SPECS["bars"], '"><script>')
    assert drawn is not None
    assert "<script" not in drawn


def test_charts_are_left_out_without_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vega, "find_spec", lambda _: None)
    assert vega.draw(SPECS["bars"], "") is None


def test_bad_specification_is_an_error_and_no_crash() -> None:
    with pytest.raises(EnvironmentFailure, match="cannot be drawn"):
        vega.draw({"mark": 7}, "")
    assert vega.draw(SPECS["bars"], "") is not None


def test_process_that_ends_while_it_draws_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    vega.draw(SPECS["bars"], "")
    process = vega._painter._process
    assert process is not None
    process.kill()
    process.wait()
    monkeypatch.setattr(process, "poll", lambda: None)  # it seemed to be there before the request
    with pytest.raises(EnvironmentFailure, match="ended too early"):
        vega.draw(SPECS["bars"], "")
    assert vega.draw(SPECS["bars"], "") is not None


def test_process_that_was_ended_between_charts_is_started_again() -> None:
    """A run in this process ends every process that it does not know."""
    before = vega.draw(SPECS["bars"], "")
    painter = vega._painter._process
    assert painter is not None
    painter.kill()
    painter.wait()
    assert vega.draw(SPECS["bars"], "") == before


def test_drawing_loads_no_engine_into_this_process() -> None:
    code = (
        "import sys, json; from tourney.report.charts import vega;"
        f"vega.draw(json.loads({json.dumps(json.dumps(SPECS['bars']))}), '');"
        "print('vl_convert' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    assert done.stderr == ""


def _draw_bars(_: int) -> str:
    return str(vega.draw(SPECS["bars"], ""))


def test_forked_processes_draw_for_themselves() -> None:
    mine = str(vega.draw(SPECS["bars"], ""))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(_draw_bars, range(4)) == [mine] * 4


@given(st.lists(st.integers(0, 10**6), max_size=50))
def test_bins_hold_every_value_once(values: list[int]) -> None:
    bins = vega.bins_of(values)
    assert sum(count for _, _, count in bins) == len(values)
    assert len(bins) <= 24
    for low, high, count in bins:
        assert count == sum(low <= value < high for value in values)
