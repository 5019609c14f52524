"""The page of an adaptive tournament: how the intervals narrowed, and who was paired how often and why."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from markupsafe import Markup

from tourney.ratings.sequential import QUANTILE
from tourney.report import display
from tourney.report.charts.chart import draw
from tourney.report.charts.kinds import Line, color_of, line_chart
from tourney.report.display import EntrantLabel
from tourney.report.output.layout import File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.rounds_page import RoundLine, round_lines, round_pages, round_path, rounds
from tourney.report.source import ReportSource
from tourney.results.rounds import Round
from tourney.results.tables import DataTable
from tourney.schedule.adaptive import Adaptive, PairTally, Strengths, participants_of

PATH = "adaptive.html"

_MOST: Final = 100
"""Most batches after which the ratings are estimated; of more, evenly spread ones."""
_WORK: Final = 400_000_000
"""About the most multiplications of all estimates together."""
_SHOWN: Final = 8
"""Columns of the table of intervals; the download has all."""
_CLOSE: Final = 15_000
"""A difference up to which two bots count as close, in hundredths of Elo."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The ratings as known after a batch (0: before the first)."""

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


@dataclass(frozen=True, slots=True)
class NarrowLine:
    """A bot's rating, its matches and pairings, and half of its 95 % interval after each batch shown."""

    entrant: EntrantLabel
    color: str
    rating: str
    matches: int
    pairings: int
    widths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PairedBots:
    """Two bots that were paired: how often, in which batches, and why in words."""

    one: EntrantLabel
    two: EntrantLabel
    pairings: int
    batches: str
    apart: str
    why: str


@dataclass(frozen=True, slots=True)
class AdaptivePage:
    """The page's template context; ``marks`` are the batches whose intervals the table has.

    ``rule`` says in sentences how pairings are chosen, and when the tournament ends.
    """

    batches: tuple[RoundLine, ...]
    marks: tuple[int, ...]
    lines: tuple[NarrowLine, ...]
    chart: Markup | None
    pairs: tuple[PairedBots, ...]
    rule: tuple[str, ...]
    downloads: dict[str, DataTable]


def is_adaptive(source: ReportSource) -> bool:
    """Whether a tournament is adaptive and has been paired."""
    return source.tournament.plan.format == Adaptive.name and source.progress.rows > 0


def page_of(make: Renderer) -> AdaptivePage:
    """The page of the renderer's tournament."""
    return adaptive_page(make.source, make.once(rounds).rounds)


def files(make: Renderer) -> Iterator[File]:
    """Yield the page, its tables, and the pages of the batches."""
    page = make.once(page_of)
    yield make.page(PATH, "adaptive.html", adaptive=page)
    for name, table in page.downloads.items():
        yield from make.tables(f"data/{name}", table)
    for batch in round_pages(make.source, make.once(rounds), make.line_of):
        yield make.page(round_path(batch.number), "round.html", round=batch)


def estimates(source: ReportSource, batches: Sequence[Round]) -> tuple[Estimate, ...]:
    """The ratings before the first batch and after batches, evenly spread if there are many.

    Each is the estimate by which the format pairs and ranks, from all results up to the batch.
    """
    count = len(source.entrants)
    most = max(2, min(_MOST, _WORK // max(1, 20 * count**3)))
    total = len(batches)
    step = max(1, -(-total // most))
    # The start and the last batch are always among them: the table compares the two.
    kept = sorted({0, total, *range(step, total, step)})
    participants = participants_of(source.setup)
    evidence = PairTally(count, source.tournament.seats)
    results = iter(source.results)
    waiting = next(results, None)
    found, matches = [], 0
    for at in kept:
        last = batches[at - 1].number if at else 0
        own = []
        while waiting is not None and waiting.key.round <= last:
            own.append(waiting)
            matches += not waiting.void
            waiting = next(results, None)
        evidence.add(own)
        found.append(Estimate(last, matches, evidence.strengths(participants)))
    return tuple(found)


NARROWING = ("batch", "matches", "name", "rating", "sigma", "low", "high")
PAIRINGS = ("one", "two", "pairings", "first", "last", "apart")
"""Columns of the downloads."""


def adaptive_page(source: ReportSource, batches: Sequence[Round]) -> AdaptivePage:
    """The page of a tournament in batches."""
    known = estimates(source, batches)
    step = max(1, -(-(len(known) - 1) // (_SHOWN - 1)))
    shown = [*known[:-1:step], known[-1]]
    pairings = Counter(
        number for round_ in batches for pairing in round_.pairings for number in pairing.entrants
    )
    met = _meetings(batches)
    return AdaptivePage(
        batches=round_lines(batches),
        marks=tuple(one.batch for one in shown),
        lines=tuple(
            NarrowLine(
                source.labels[standing.number],
                color_of(place),
                display.number(known[-1].rating(standing.number), 1),
                standing.games,
                pairings[standing.number],
                tuple(display.number(one.half(standing.number), 1) for one in shown),
            )
            for place, standing in enumerate(source.standings)
        ),
        chart=_chart(source, known) if len(known) > 1 else None,
        pairs=tuple(_paired(source, pair, when, known) for pair, when in met),
        rule=tuple(_rule(source)),
        downloads={
            "narrowing": DataTable(NARROWING, list(_narrowing_rows(source, known))),
            "pairings": DataTable(PAIRINGS, [_pair_row(source, pair, when, known) for pair, when in met]),
        },
    )


def _chart(source: ReportSource, known: Sequence[Estimate]) -> Markup:
    lines = []
    for place, standing in enumerate(source.standings):
        halves = [(float(one.batch), one.half(standing.number)) for one in known]
        lines.append(Line(color_of(place), tuple((at, half, 0.0, half) for at, half in halves)))
    said = "Half of each bot's 95 % interval after each batch, in Elo; the table holds the numbers"
    return draw(line_chart(said, lines, "Batch", "Half of the 95 % interval, Elo", band=False))


def _narrowing_rows(source: ReportSource, known: Sequence[Estimate]) -> Iterator[dict[str, object]]:
    for standing in source.standings:
        for one in known:
            rating, half = one.rating(standing.number), one.half(standing.number)
            yield {
                "batch": one.batch,
                "matches": one.matches,
                "name": standing.name,
                "rating": rating,
                "sigma": one.sigma(standing.number),
                "low": round(rating - half, 2),
                "high": round(rating + half, 2),
            }


def _meetings(batches: Sequence[Round]) -> list[tuple[tuple[int, int], list[int]]]:
    """The pairs that met, the most frequent first, each with the batches in which it did."""
    met: dict[tuple[int, int], list[int]] = defaultdict(list)
    for round_ in batches:
        for pairing in round_.pairings:
            for a, b in combinations(sorted(pairing.entrants), 2):
                met[a, b].append(round_.number)
    return sorted(met.items(), key=lambda item: (-len(item[1]), item[0]))


def _paired(
    source: ReportSource, pair: tuple[int, int], when: Sequence[int], known: Sequence[Estimate]
) -> PairedBots:
    a, b = pair
    before, after = (_seen(known, batch).apart(a, b) for batch in (when[0], when[-1]))
    apart = known[-1].apart(pair)
    return PairedBots(
        source.labels[a],
        source.labels[b],
        len(when),
        display.span(when[0], when[-1]),
        display.number(apart / 100, 0),
        _why(apart, before, after, len(when)),
    )


def _pair_row(
    source: ReportSource, pair: tuple[int, int], when: Sequence[int], known: Sequence[Estimate]
) -> dict[str, object]:
    return {
        "one": source.entrants[pair[0]].name,
        "two": source.entrants[pair[1]].name,
        "pairings": len(when),
        "first": when[0],
        "last": when[-1],
        "apart": known[-1].apart(pair) / 100,
    }


def _seen(known: Sequence[Estimate], batch: int) -> Strengths:
    """The latest estimate of those kept that the pairing of a batch could see.

    A batch is paired when the one before the last is finished.
    """
    return [one for one in known if one.batch <= max(0, batch - 1 - Adaptive.lag)][-1].strengths


def _why(apart: int, before: int, after: int, times: int) -> str:
    """Why two bots were paired, from what was known of them; all in hundredths of Elo."""
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
    budget, target = setup.setting("budget"), setup.setting("target-sigma")
    ends = []
    if budget is not None:
        ends.append(f"after {int(budget):,} matches")
    if target is not None:
        ends.append(f"when every rating has a standard deviation of at most {target} Elo")
    if ends:
        yield f"The tournament ends {' or '.join(ends)}."
    if source.tournament.seats > 2:
        yield "At a table with more than two seats, every two of its bots count as paired."
