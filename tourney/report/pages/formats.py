"""The pages of gauntlets, of adaptive tournaments, and of formats that draw their progress.

A gauntlet's page shows each challenger against the field. An adaptive tournament's page shows the narrowing
of the intervals, and the pairs of bots with the number and the reasons of their pairings. A format's own
charts have their last values in a table.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final, NamedTuple

from markupsafe import Markup

from tourney.ratings.batch import differences
from tourney.ratings.sequential import QUANTILE
from tourney.report import display
from tourney.report.charts.chart import draw, scale_of
from tourney.report.charts.kinds import Line, color_of, line_chart
from tourney.report.output.layout import Context, File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.rounds import round_files, rounds
from tourney.report.source import ReportSource
from tourney.results.rounds import Round
from tourney.results.tables import DataTable
from tourney.schedule.adaptive import Adaptive, PairTally, Strengths, participants_of
from tourney.schedule.format import Format, FormatChart, History
from tourney.schedule.round_robin import challengers_of
from tourney.store.totals import PairTotal


class AgainstLine(NamedTuple):
    """A bot's score against other bots; ``elo`` is its strength less their mean, with its interval.

    ``shown`` is the bot that heads the line: itself, or its one opponent.
    """

    shown: int
    number: int
    against: tuple[int, ...]
    games: int
    points: Fraction
    elo: float
    low: float
    high: float


def is_gauntlet(source: ReportSource) -> bool:
    """Whether a tournament is a gauntlet."""
    return source.format.has_challengers and bool(source.entrants)


def gauntlet_files(make: Renderer) -> Iterator[File]:
    """Yield the page and its table."""
    page = make.once(gauntlet)
    yield make.page("gauntlet.html", "gauntlet.html", gauntlet=page)
    yield from make.tables("data/gauntlet", page["download"])


def gauntlet(make: Renderer) -> Context:
    """The page's context; all lines are in the order of the standings.

    ``challengers``: each with its total and its lines against each bot of the field; ``field``: its totals.
    """
    source = make.source
    challengers = set(challengers_of(source.setup))
    order = [line.number for line in source.standings]
    first = [number for number in order if number in challengers]
    field = tuple(number for number in order if number not in challengers)
    # (heads the line, whose score, against whom): totals of challengers, then each pair, then the field's.
    wanted = [(challenger, challenger, field) for challenger in first]
    wanted += [(member, challenger, (member,)) for challenger in first for member in field]
    wanted += [(member, member, tuple(first)) for member in field]
    contrasts = [
        {number: 1.0, **dict.fromkeys(opponents, -1.0 / len(opponents))} if opponents else {}
        for _, number, opponents in wanted
    ]
    pairs = {(pair.entrant, pair.opponent): pair for pair in source.pairs}
    lines = []
    # One call for all contrasts: each call fits all matches again.
    elos = differences(source.counts, contrasts, look=source.look, model=source.model)
    for (shown, number, opponents), elo in zip(wanted, elos, strict=True):
        met = [pairs.get((number, opponent), PairTotal(number, opponent, 0, 0)) for opponent in opponents]
        points = Fraction(sum(pair.half_points for pair in met), 2)
        games = sum(pair.games for pair in met)
        lines.append(AgainstLine(shown, number, opponents, games, points, *elo))
    count = len(first)
    each = len(field)
    single = lines[count : count + count * each]
    names = [entrant.name for entrant in source.entrants]
    rows = (
        (names[challenger], names[member], games, float(points), elo, low, high)
        for member, challenger, _, games, points, elo, low, high in single
    )
    return {
        "challengers": [(lines[at], single[at * each : (at + 1) * each]) for at in range(count)],
        "field": lines[count + count * each :],
        "scale": scale_of([value for line in lines for value in (line.low, line.high)]),
        "download": DataTable.of("challenger opponent games points elo_difference low high", rows),
    }


_MOST: Final = 100
"""Most batches after which the ratings are estimated; more batches are sampled evenly."""
_WORK: Final = 400_000_000
"""About the most multiplications of all estimates together."""
_SHOWN: Final = 8
"""Columns of the table of intervals; the download has all."""
_CLOSE: Final = 15_000
"""A difference up to which two bots count as close, in hundredths of Elo."""


class BatchEstimate(NamedTuple):
    """The estimated ratings after a batch (0: before the first)."""

    batch: int
    matches: int
    strengths: Strengths

    def rating(self, number: int) -> float:
        """A bot's rating in Elo; the format reckons in hundredths."""
        return self.strengths.rating[number] / 100

    def sigma(self, number: int) -> float:
        """The standard deviation of a bot's rating in Elo."""
        return self.strengths.deviation[number] / 100

    def half(self, number: int) -> float:
        """Half of a bot's 95 % interval in Elo."""
        return QUANTILE * self.sigma(number)

    def apart(self, pair: tuple[int, int]) -> int:
        """The difference of two ratings, in hundredths of Elo."""
        return abs(self.strengths.rating[pair[0]] - self.strengths.rating[pair[1]])


def is_adaptive(source: ReportSource) -> bool:
    """Whether a tournament is adaptive and has been paired."""
    return source.format.narrows_intervals and source.progress.rows > 0


def adaptive_files(make: Renderer) -> Iterator[File]:
    """Yield the page, its tables, and the pages of the batches."""
    source = make.source
    page = make.once(adaptive)
    yield make.page("adaptive.html", "adaptive.html", adaptive=page)
    narrowing = []
    for standing in source.standings:
        for estimate in page["known"]:
            rating = estimate.rating(standing.number)
            half = estimate.half(standing.number)
            ends = (round(rating - half, 2), round(rating + half, 2))
            sigma = estimate.sigma(standing.number)
            narrowing.append((estimate.batch, estimate.matches, standing.name, rating, sigma, *ends))
    table = DataTable.of("batch matches name rating sigma low high", narrowing)
    yield from make.tables("data/narrowing", table)
    pairs = (
        (
            *(source.entrants[number].name for number in pair),
            *(len(when), when[0], when[-1], page["known"][-1].apart(pair) / 100),
        )
        for pair, when, _, _ in page["pairs"]
    )
    yield from make.tables("data/pairings", DataTable.of("one two pairings first last apart", pairs))
    yield from round_files(make)


def estimates(source: ReportSource, batches: Sequence[Round]) -> tuple[BatchEstimate, ...]:
    """The ratings before the first batch and after batches, evenly spread if there are many.

    Each is the estimate by which the format pairs and ranks, from all results up to the batch.
    """
    count = len(source.entrants)
    most = max(2, min(_MOST, _WORK // max(1, 20 * count**3)))
    total = len(batches)
    step = max(1, -(-total // most))
    # The start and the last batch are always among them: the table compares the two.
    ends = sorted({0, total, *range(step, total, step)})
    # Results are added up once, from estimate to estimate.
    participants = participants_of(source.setup)
    evidence = PairTally(count, source.tournament.seats)
    batch_estimates: list[BatchEstimate] = []
    taken = matches = 0
    for at in ends:
        last = batches[at - 1].number if at else 0
        end = bisect_right(source.results, last, taken, key=lambda result: result.key.round)
        batch_results = source.results[taken:end]
        taken = end
        matches = matches + sum(not result.void for result in batch_results)
        evidence.take(batch_results)
        batch_estimates.append(BatchEstimate(last, matches, evidence.strengths(participants)))
    return tuple(batch_estimates)


def adaptive(make: Renderer) -> Context:
    """The page's context.

    ``known`` are the estimates, and ``shown`` the ones in the table. ``pairs``: two bots that were paired,
    the batches, their present difference, and the reason. ``rule``: sentences on the choice of pairings and
    the end of the tournament.
    """
    source = make.source
    batches = make.once(rounds).rounds
    history = estimates(source, batches)
    # Evenly spread columns; the last estimate has a column of its own.
    step = max(1, -(-(len(history) - 1) // (_SHOWN - 1)))
    pairs = []
    for pair, when in _meetings(batches):
        before, after = (_seen(history, batch).apart(*pair) for batch in (when[0], when[-1]))
        apart = history[-1].apart(pair)
        pairs.append((pair, when, display.number(apart / 100, 0), _why(apart, before, after, len(when))))
    return {
        "batches": batches,
        "known": history,
        "shown": [*history[:-1:step], history[-1]],
        "pairings": Counter(
            number for round_ in batches for pairing in round_.pairings for number in pairing.entrants
        ),
        "color": color_of,
        "chart": _chart(source, history) if len(history) > 1 else None,
        "pairs": pairs,
        "rule": tuple(_rule(source)),
    }


def _chart(source: ReportSource, history: Sequence[BatchEstimate]) -> Markup:
    lines = []
    for place, standing in enumerate(source.standings):
        halves = [(float(estimate.batch), estimate.half(standing.number)) for estimate in history]
        lines.append(Line(color_of(place), tuple((at, half, 0.0, half) for at, half in halves)))
    description = "Half of each bot's 95 % interval after each batch, in Elo; the table holds the numbers"
    return draw(line_chart(description, lines, "Batch", "Half of the 95 % interval, Elo", band=False))


def _meetings(batches: Sequence[Round]) -> list[tuple[tuple[int, int], list[int]]]:
    """The pairs that met, the most frequent first, each with the batches in which it did."""
    met: dict[tuple[int, int], list[int]] = defaultdict(list)
    for round_ in batches:
        for pairing in round_.pairings:
            for a, b in combinations(sorted(pairing.entrants), 2):
                met[a, b].append(round_.number)
    return sorted(met.items(), key=lambda item: (-len(item[1]), item[0]))


def _seen(history: Sequence[BatchEstimate], batch: int) -> Strengths:
    """The latest of the estimates that the pairing of a batch could use.

    A batch is paired once the batch two before it is finished.
    """
    return [estimate for estimate in history if estimate.batch <= max(0, batch - 1 - Adaptive.lag)][
        -1
    ].strengths


def _why(apart: int, before: int, after: int, times: int) -> str:
    """The reason that two bots were paired, from the estimates of their strengths, in hundredths of Elo."""
    strength = "close in strength, so a result tells most" if apart <= _CLOSE else "unequal in strength"
    first = display.number(before * QUANTILE / 100, 0)
    if times == 1:
        return f"{strength}; their difference was known to \u00b1{first} Elo"
    last = display.number(after * QUANTILE / 100, 0)
    if before == after:
        return f"{strength}; their difference was known to \u00b1{first} Elo each time"
    return (
        f"{strength}; their difference was known to \u00b1{first} Elo at the first pairing, to \u00b1{last}"
        " at the last"
    )


def _rule(source: ReportSource) -> Iterator[str]:
    setup = source.setup
    yield (
        "Each pairing is the one expected to tell most about the bots' strengths. A pairing tells more if"
        " little is known of the difference between two bots, and if they are close. Bots whose strength is"
        " known well, or that are far from all others, therefore play less."
    )
    budget = setup.setting("budget")
    target = setup.setting("target-sigma")
    ends = []
    if budget is not None:
        ends.append(f"after {int(budget):,} matches")
    if target is not None:
        ends.append(f"when every rating has a standard deviation of at most {target} Elo")
    if ends:
        yield f"The tournament ends {' or '.join(ends)}."
    if source.tournament.seats > 2:
        yield "At a table with more than two seats, every two of its bots count as paired."


def draws_progress(source: ReportSource) -> bool:
    """Whether the format has charts and a match has ended."""
    return type(source.format).charts is not Format.charts and source.progress.done > 0


def progress_files(make: Renderer) -> Iterator[File]:
    """Yield the page of a format that draws its progress."""
    source = make.source
    # Results of a round count once it is whole, as for the format.
    open_ = {row.round for _, row in source.pending}
    results = [result for result in source.results if result.key.round not in open_]
    charts = source.format.charts(source.setup, History((result.row for result in results), results))
    drawn = []
    for chart in charts:
        lines = [Line(color_of(place), points) for place, (_, points) in enumerate(chart.lines)]
        description = f"{chart.title}; the table holds the last values"
        drawing = draw(line_chart(description, lines, chart.x, chart.y, band=chart.band))
        drawn.append((chart, drawing, list(_last_values(chart))))
    yield make.page("progress.html", "progress.html", charts=drawn)


def _last_values(chart: FormatChart) -> Iterator[tuple[str, str, str, str]]:
    """Yield the name of each line, its color, its last value, and its interval if there is one."""
    for place, (name, points) in enumerate(chart.lines):
        _, value, low, high = points[-1]
        ends = f"{display.number(low, 1)} to {display.number(high, 1)}" if chart.band else ""
        yield display.label(name), color_of(place), display.number(value, 1), ends
