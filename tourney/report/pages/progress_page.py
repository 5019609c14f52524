"""The page of a tournament whose format draws its progress: a chart for each, and its last values."""

from collections.abc import Iterator

from tourney.report import display
from tourney.report.charts.chart import draw
from tourney.report.charts.kinds import Line, color_of, line_chart
from tourney.report.output.layout import File
from tourney.report.output.rendering import Renderer
from tourney.report.source import ReportSource
from tourney.schedule.format import Format, FormatChart, History


def draws_progress(source: ReportSource) -> bool:
    """Whether the format draws charts, and a match has ended."""
    return type(source.format).charts is not Format.charts and source.progress.done > 0


def files(make: Renderer) -> Iterator[File]:
    """Yield the page."""
    source = make.source
    # Results of a round count once it is whole, as for the format.
    open_ = {row.round for _, row in source.pending}
    results = [result for result in source.results if result.key.round not in open_]
    charts = source.format.charts(source.setup, History((result.row for result in results), results))
    drawn = []
    for chart in charts:
        lines = [Line(color_of(place), points) for place, (_, points) in enumerate(chart.lines)]
        said = f"{chart.title}; the table holds the last values"
        drawing = draw(line_chart(said, lines, chart.x, chart.y, band=chart.band))
        drawn.append((chart, drawing, list(_lines(chart))))
    yield make.page("progress.html", "progress.html", charts=drawn)


def _lines(chart: FormatChart) -> Iterator[tuple[str, str, str, str]]:
    """Yield the name of each line, its color, its last value, and its interval if there is one."""
    for place, (name, points) in enumerate(chart.lines):
        _, value, low, high = points[-1]
        ends = f"{display.number(low, 1)} to {display.number(high, 1)}" if chart.band else ""
        yield display.label(name), color_of(place), display.number(value, 1), ends
