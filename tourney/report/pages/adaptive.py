"""The page of an adaptive tournament: how the intervals narrowed, and who was paired how often and why."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from markupsafe import Markup

from tourney.ratings.batch import QUANTILE
from tourney.report import text
from tourney.report.charts import vega
from tourney.report.output.look import File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.rounds import RoundLine, round_pages, round_path, rounds
from tourney.report.setting import EntrantLabel
from tourney.report.source import Source
from tourney.results.rounds import Round
from tourney.results.tables import DataTable
from tourney.schedule.adaptive import Adaptive, Evidence, Strengths, participants_of

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
class PairLine:
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
    no_chart: str
    pairs: tuple[PairLine, ...]
    rule: tuple[str, ...]
    downloads: dict[str, DataTable]


def is_adaptive(source: Source) -> bool:
    """Return whether a tournament is adaptive and has been paired."""
    return source.tournament.plan.format == Adaptive.name and source.progress.rows > 0


def page_of(make: Renderer) -> AdaptivePage:
    """Return the page of the renderer's tournament."""
    return adaptive_page(make.source, make.once(rounds).rounds)


def files(make: Renderer) -> Iterator[File]:
    """Yield the page, its tables, and the pages of the batches."""
    page = make.once(page_of)
    yield make.page(PATH, "adaptive.html", adaptive=page)
    for name, table in page.downloads.items():
        yield from make.tables(f"data/{name}", table)
    for batch in round_pages(make.source, make.once(rounds), make.line_of):
        yield make.page(round_path(batch.number), "round.html", round=batch)


def estimates(source: Source, batches: Sequence[Round]) -> tuple[Estimate, ...]:
    """Return the ratings before the first batch and after batches, evenly spread if there are many.

    Each is the estimate by which the format pairs and ranks, from all results up to the batch.
    """
    count = len(source.entrants)
    most = max(2, min(_MOST, _WORK // max(1, 20 * count**3)))
    total = len(batches)
    step = max(1, -(-total // most))
    kept = sorted({0, total, *range(step, total, step)})
    participants = participants_of(source.setup)
    evidence = Evidence(count, source.tournament.seats)
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


def adaptive_page(source: Source, batches: Sequence[Round]) -> AdaptivePage:
    """Return the page of a tournament in batches."""
    known = estimates(source, batches)
    step = max(1, -(-(len(known) - 1) // (_SHOWN - 1)))
    shown = [*known[:-1:step], known[-1]]
    pairings: dict[int, int] = defaultdict(int)
    for round_ in batches:
        for pairing in round_.pairings:
            for number in pairing.entrants:
                pairings[number] += 1
    lines, rows, drawn = [], [], []
    for place, standing in enumerate(source.standings):
        number = standing.number
        color = vega.color_of(place)
        points, widths = [], []
        for one in known:
            rating, sigma = one.strengths.rating[number] / 100, one.strengths.deviation[number] / 100
            half = QUANTILE * sigma
            points.append(rating)
            widths.append((float(one.batch), half, 0.0, half))
            rows.append(
                {
                    "batch": one.batch,
                    "matches": one.matches,
                    "name": standing.name,
                    "rating": rating,
                    "sigma": sigma,
                    "low": round(rating - half, 2),
                    "high": round(rating + half, 2),
                }
            )
        drawn.append(vega.Line(color, tuple(widths)))
        lines.append(
            NarrowLine(
                source.labels[number],
                color,
                text.number(points[-1], 1),
                standing.games,
                pairings[number],
                tuple(text.number(QUANTILE * one.strengths.deviation[number] / 100, 1) for one in shown),
            )
        )
    pairs, pair_rows = _pairs(source, batches, known)
    chart = None
    if len(known) > 1:
        said = "Half of each bot's 95 % interval after each batch, in Elo; the table holds the numbers"
        chart = vega.draw(vega.line_chart(drawn, "Batch", "Half of the 95 % interval, Elo", band=False), said)
    columns = ("batch", "matches", "name", "rating", "sigma", "low", "high")
    return AdaptivePage(
        batches=tuple(RoundLine(r.number, len(r.pairings), r.games, r.left) for r in batches),
        marks=tuple(one.batch for one in shown),
        lines=tuple(lines),
        chart=chart,
        no_chart="" if chart is not None or len(known) < 2 else vega.ABSENT,
        pairs=pairs,
        rule=tuple(_rule(source)),
        downloads={
            "narrowing": DataTable(columns, rows),
            "pairings": DataTable(("one", "two", "pairings", "first", "last", "apart"), pair_rows),
        },
    )


def _pairs(
    source: Source, batches: Sequence[Round], known: Sequence[Estimate]
) -> tuple[tuple[PairLine, ...], list[dict[str, object]]]:
    """Return the pairs that met, the most frequent first, with what was known when they were paired."""
    met: dict[tuple[int, int], list[int]] = defaultdict(list)
    for round_ in batches:
        for pairing in round_.pairings:
            for pair in combinations(sorted(pairing.entrants), 2):
                met[pair].append(round_.number)
    lines: list[PairLine] = []
    rows: list[dict[str, object]] = []
    last = known[-1].strengths
    for (a, b), when in sorted(met.items(), key=lambda item: (-len(item[1]), item[0])):
        before, after = (_seen(known, batch).apart(a, b) for batch in (when[0], when[-1]))
        apart = abs(last.rating[a] - last.rating[b])
        lines.append(
            PairLine(
                source.labels[a],
                source.labels[b],
                len(when),
                text.span(when[0], when[-1]),
                text.number(apart / 100, 0),
                _why(apart, before, after, len(when)),
            )
        )
        rows.append(
            {
                "one": source.entrants[a].name,
                "two": source.entrants[b].name,
                "pairings": len(when),
                "first": when[0],
                "last": when[-1],
                "apart": apart / 100,
            }
        )
    return tuple(lines), rows


def _seen(known: Sequence[Estimate], batch: int) -> Strengths:
    """Return the latest estimate of those kept that the pairing of a batch could see.

    A batch is paired when the one before the last is finished.
    """
    return [one for one in known if one.batch <= max(0, batch - 1 - Adaptive.lag)][-1].strengths


def _why(apart: int, before: int, after: int, times: int) -> str:
    """Return why two bots were paired, from what was known of them; all in hundredths of Elo."""
    strength = "close in strength, so a result tells most" if apart <= _CLOSE else "unequal in strength"
    first = text.number(before * QUANTILE / 100, 0)
    if times == 1:
        return f"{strength}; their difference was known to \u00b1{first} Elo"
    last = text.number(after * QUANTILE / 100, 0)
    if before == after:
        return f"{strength}; their difference was known to \u00b1{first} Elo each time"
    return (
        f"{strength}; their difference was known to \u00b1{first} Elo at the first pairing, to \u00b1{last}"
        " at the last"
    )


def _rule(source: Source) -> Iterator[str]:
    setup = source.setup
    yield (
        "Each pairing is the one expected to tell most about the strengths: it gains the more, the less is"
        " known of the difference of two bots, and the closer they are. Bots of which enough is known, or"
        " that are far from all others, therefore play less."
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
        yield "At a table with more than two seats, each two bots count as paired."
