"""Ratings by round: TrueSkill and Elo of all bots after the rounds, as charts and tables.

TrueSkill is updated match by match, so every round has it. Elo needs a new fit to all matches up to a round,
so at most ``FITS`` rounds have it, evenly spread, and fewer with many bots: a fit of 200 bots takes seconds.
Charts and tables show at most ``SHOWN`` rounds; the downloads have all.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, TypeVar

from markupsafe import Markup

from tourney.ratings.batch import Batch, rate
from tourney.ratings.counts import Clusters
from tourney.report.charts.chart import COLORS, REST, draw
from tourney.report.charts.kinds import Line, color_of, line_chart
from tourney.report.output.layout import File
from tourney.report.output.rendering import Renderer
from tourney.report.source import ReportSource
from tourney.results.ratings import unsure
from tourney.results.tables import DataTable

T = TypeVar("T")

FITS = 12
BOTS_AND_FITS = 600
"""Bots times fits of Elo."""
SHOWN = 60
"""Rounds of a chart, and of a bot's table."""
COLUMNS = 8
"""Rounds of the table of all bots."""
SIGMAS = 2
"""Standard deviations of TrueSkill on each side: about 95 %."""

Value = tuple[float, float, float]
"""A rating with the ends of its interval."""


History = Sequence[tuple[int, dict[int, Value]]]
"""The ratings of entrants by number after rounds."""


class Histories(NamedTuple):
    """The ratings after each round: TrueSkill from round 0 on, and Elo.

    ``unsure`` are the entrants whose Elo says nothing after a round; charts leave them out.
    """

    skill: History
    elo: History
    unsure: Mapping[int, frozenset[int]]

    @property
    def sure_elo(self) -> History:
        """The Elo that the results decide."""
        return [
            (round_, {n: value for n, value in values.items() if n not in self.unsure[round_]})
            for round_, values in self.elo
        ]


def histories(make: Renderer) -> Histories:
    """The ratings by round."""
    source = make.source
    start = source.settings
    width = SIGMAS * start.sigma
    begin = {entrant.number: (start.mu, start.mu - width, start.mu + width) for entrant in source.entrants}
    skill = [(0, begin)]
    for round_, pool in source.history:
        ends = {number: (rating.mu, SIGMAS * rating.sigma) for number, rating in pool.skills.items()}
        skill.append((round_, {number: (mu, mu - half, mu + half) for number, (mu, half) in ends.items()}))
    fits = dict(_fits(source))
    elo = [
        (round_, {line.entrant: (line.elo, line.low, line.high) for line in batch.ratings if line.games})
        for round_, batch in fits.items()
    ]
    return Histories(skill, elo, {round_: unsure(batch) for round_, batch in fits.items()})


def _fits(source: ReportSource) -> Iterator[tuple[int, Batch]]:
    """Yield the Elo of all entrants by the matches up to some rounds; the last round comes last."""
    numbers = [entrant.number for entrant in source.entrants]
    shared = source.tournament.plan.mirrored_dice
    most = min(FITS, max(1, BOTS_AND_FITS // max(1, len(numbers))))
    rounds = sampled([round_ for round_, _ in source.history], most)
    clusters = Clusters(shared_dice=shared)
    for round_, results in groupby(source.results, key=lambda result: result.key.round):
        clusters.take(results)
        # The clusters have taken its results; only its own fit is left out.
        if round_ not in rounds:
            continue
        # The last fit is the report's own. All have its kind of intervals, so that the page has one.
        batch = source.batch
        if round_ != rounds[-1]:
            counts = clusters.counts(numbers, source.tournament.seats)
            batch = rate(counts, pairs=False, best=False, model=source.model, look=source.look)
        yield round_, batch


def sampled(items: Sequence[T], most: int) -> tuple[T, ...]:
    """At most ``most`` items, evenly spread and with the last one."""
    if len(items) <= most:
        return tuple(items)
    return tuple(items[(k + 1) * len(items) // most - 1] for k in range(most))


def files(make: Renderer) -> Iterator[File]:
    """Yield the page and its downloads; a chart is None if it cannot be drawn."""
    source = make.source
    ratings = make.once(histories)
    order = [rating.entrant for rating in source.batch.ratings]
    colors = {number: color_of(place) for place, number in enumerate(order)}
    yield make.page(
        "history.html",
        "history.html",
        skill_chart=chart(ratings.skill, colors, "mu", "TrueSkill of all bots after each round"),
        elo_chart=chart(ratings.sure_elo, colors, "Elo", "Elo of all bots after some rounds"),
        colors=colors,
        order=order,
        legend=order[: len(COLORS)],
        rest=max(0, len(order) - len(COLORS)),
        skill=sampled(ratings.skill[1:], COLUMNS),
        elo=sampled(ratings.elo, COLUMNS),
        unsure=ratings.unsure,
    )
    rows = (
        (round_, source.entrants[number].name, *value)
        for round_, values in ratings.elo
        for number, value in sorted(values.items())
    )
    yield from make.tables("data/elo-history", DataTable.of("round entrant elo low high", rows))


def chart(history: History, colors: Mapping[int, str], title: str, description: str) -> Markup | None:
    """The lines of bots, with intervals for the bots that have their own color; None before two rounds."""
    shown = sampled(history, SHOWN)
    lines = []
    for number, color in colors.items():
        points = [(round_, values[number]) for round_, values in shown if number in values]
        # Grey intervals of many bots would lie over each other.
        if color == REST:
            points = [(round_, (value, value, value)) for round_, (value, _, _) in points]
        lines.append(Line(color, tuple((round_, *value) for round_, value in points)))
    if all(len(line.points) < 2 for line in lines):
        return None
    return draw(line_chart(description, lines, "Round", title, band=True))
