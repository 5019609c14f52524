"""Read charts back from their SVG."""

import re

from tests.report.html_pages import Page

Point = tuple[float, float]


def parsed(svg: str) -> Page:
    """The elements of a chart, which must be well-formed."""
    page = Page(svg)
    assert page.problems == []
    return page


def lines(svg: str, style: str) -> list[list[Point]]:
    """The lines of all paths with a class, in units of the chart."""
    found: list[list[Point]] = []
    for tag, attributes in parsed(svg).elements:
        if tag != "path" or style not in attributes["class"].split():
            continue
        start = at = (0.0, 0.0)
        for command, numbers in re.findall(r"([mlhvz])([-\d ]*)", attributes["d"]):
            values = [float(number) for number in re.findall(r"-?\d+", numbers)]
            if command == "v":
                values = [value for down in values for value in (0, down)]
            if command == "h":
                values = [value for along in values for value in (along, 0)]
            for k in range(0, len(values), 2):
                at = at[0] + values[k], at[1] + values[k + 1]
                if k == 0 and command == "m":
                    start = at
                    found.append([])
                found[-1].append(at)
            if command == "z":
                found[-1].append(start)
                at = start
    return found


def frame(svg: str) -> tuple[float, ...]:
    """The edges of the plotting area: left, right, top, bottom."""
    return tuple(map(float, parsed(svg).elements[0][1]["data-frame"].split()[:4]))


def labels(svg: str, axis: str) -> list[str]:
    """The texts beside an axis (x or y), its title included."""
    inside = svg.partition(f'<g class="{axis}"')[2].partition("</g>")[0]
    return re.findall(r"<text[^>]*>([^<]*)</text>", inside)
