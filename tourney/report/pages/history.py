"""Ratings by round: TrueSkill and Elo of all bots after the rounds, as charts and tables.

TrueSkill is updated match by match, so every round has it. Elo needs a new fit to all matches up to a round,
so at most ``FITS`` rounds have it, evenly spread, and fewer with many bots: a fit of 200 bots takes seconds.
Charts and tables show at most ``SHOWN`` rounds; the downloads have all.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, TypeVar

from markupsafe import Markup
from msgspec import msgpack

from tourney.ratings.batch import Batch, rate
from tourney.ratings.counts import Clusters
from tourney.report.charts.chart import COLORS, REST, draw
from tourney.report.charts.kinds import Line, color_of, line_chart
from tourney.report.output.layout import File
from tourney.report.output.rendering import Renderer
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


class RoundFit(NamedTuple):
    """The fit to the matches up to a round: Elo, and the numbers of the entrants of whom it says nothing."""

    elo: dict[int, Value]
    unsure: tuple[int, ...]

    @classmethod
    def of(cls, batch: Batch) -> "RoundFit":
        """The parts of a fit that this page shows."""
        elo = {line.entrant: (line.elo, line.low, line.high) for line in batch.ratings if line.games}
        return cls(elo, tuple(sorted(unsure(batch))))


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
    fits = dict(_fits(make))
    elo = [(round_, fit.elo) for round_, fit in fits.items()]
    return Histories(skill, elo, {round_: frozenset(fit.unsure) for round_, fit in fits.items()})


def _fits(make: Renderer) -> Iterator[tuple[int, RoundFit]]:
    """Yield the Elo of all entrants by the matches up to some rounds; the last round comes last."""
    source = make.source
    numbers = [entrant.number for entrant in source.entrants]
    shared = source.tournament.plan.mirrored_dice
    most = min(FITS, max(1, BOTS_AND_FITS // max(1, len(numbers))))
    rounds = sampled([round_ for round_, _ in source.history], most)
    if not rounds:  # void matches only
        return
    clusters = Clusters(shared_dice=shared, joined=source.joined, luck=source.luck)
    so_far = hashlib.blake2b(digest_size=16)

    def fit() -> RoundFit:
        counts = clusters.counts(numbers, source.tournament.seats)
        return RoundFit.of(rate(counts, pairs=False, best=False, model=source.model, look=source.look))

    for round_, results_of_round in groupby(source.results, key=lambda result: result.key.round):
        results = tuple(results_of_round)
        clusters.take(results)
        so_far.update(msgpack.encode(results))
        # The last fit is the report's own. All have its kind of intervals, so that the page has one.
        if round_ == rounds[-1]:
            yield round_, RoundFit.of(source.batch)
        # The clusters have taken the results of the others; only their own fit is left out.
        elif round_ in rounds:
            # A fit to the matches up to a round stays the same, so that a later report need not repeat it.
            model = f"{source.model.__module__}.{source.model.__qualname__}"
            setting = (shared, source.joined, source.luck, source.tournament.seats)
            inputs = (so_far.digest(), numbers, *setting, model, source.look)
            yield round_, make.maker.value("elo after a round", inputs, RoundFit, fit)


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
