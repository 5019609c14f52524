"""The page of the tournament's game: its rules in short, and what the matches say about it."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup

from tourney.games.guide import Guide
from tourney.games.registry import GAMES
from tourney.match.record import FAULT_KINDS
from tourney.report import display
from tourney.report.charts.chart import draw, interval, interval_axis, scale_of
from tourney.report.charts.kinds import bins_of, histogram
from tourney.report.compact_matches import LazySequence, places_where, same
from tourney.report.display import Fact
from tourney.report.output.layout import File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.opening_tables import OpeningLine, OpeningTables
from tourney.report.pages.overview_page import SeatScore, seat_lines
from tourney.report.pages.rules_page import (
    GuideView,
    example_board,
    guide_of,
    rules_page,
    rules_text,
    short_rules,
)
from tourney.report.source import ReportSource
from tourney.results.tables import DataTable
from tourney.store.values import TournamentMatch


@dataclass(frozen=True, slots=True)
class Advantage:
    """A seat's score, and its effect in Elo relative to the mean of all seats with a 95 % interval."""

    line: SeatScore
    elo: str
    low: str
    high: str
    whisker: Markup


@dataclass(frozen=True, slots=True)
class EndLengths:
    """Matches that ended for one reason, and how many actions they had; ``reason`` is "" for all matches."""

    reason: str
    matches: int
    share: str
    shortest: int
    median: str
    mean: str
    longest: int


@dataclass(frozen=True, slots=True)
class GamePage:
    """The template's context. ``guide`` is None where the game offers none; ``missing`` says why.

    ``sampled`` is the number of records that the openings come from, if not all matches are among them.
    """

    title: str
    facts: tuple[Fact, ...]
    guide: GuideView | None
    missing: str
    whole_rules: bool
    seats: tuple[Advantage, ...]
    axis: Markup
    endings: tuple[EndLengths, ...]
    bins: tuple[tuple[int, int, int], ...]
    chart: Markup | None
    openings: tuple[OpeningLine, ...]
    other_openings: Mapping[int, int]
    book: tuple[OpeningLine, ...]
    sampled: int
    faults: tuple[tuple[str, str, int, str], ...]
    games: int
    recorded: bool
    shared_dice: bool
    downloads: dict[str, DataTable]


def files(make: Renderer) -> Iterator[File]:
    """Yield the page of the game, its whole rules if there are any, and its tables."""
    source = make.source
    guide, missing = guide_of(source)
    rules = rules_text(source.game, guide) if source.game else ""
    page = game_page(source, guide, missing, whole_rules=bool(rules))
    yield make.page("game.html", "game.html", game=page)
    if rules and source.game:
        shown = rules_page(rules, example_board(source.game))
        yield make.page("rules.html", "rules.html", game=page, rules=shown)
    for name, table in page.downloads.items():
        yield from make.tables(f"data/{name}", table)


def game_page(source: ReportSource, guide: Guide | None, missing: str, *, whole_rules: bool) -> GamePage:
    """The template's context; ``missing`` says why there is no guide."""
    game = source.game
    counted = LazySequence(source.matches, same, places_where(source.matches, lambda result: not result.void))
    short, failure = short_rules(source, guide)
    seats, axis = _advantages(source)
    # Without records the lengths are not known.
    bins = bins_of(array("L", (m.result.actions for m in counted if m.result and source.tournament.recorded)))
    said = f"Histogram of the lengths of {display.count(len(counted), 'match', 'matches')}, in actions"
    lengths = [{"from": low, "to": high - 1, "matches": count} for low, high, count in bins]
    begun = OpeningTables.of(source, counted)
    return GamePage(
        title=display.label(game.title if game else source.tournament.game),
        facts=tuple(_facts(source)),
        guide=short,
        missing="" if short else failure or missing,
        whole_rules=whole_rules,
        seats=seats,
        axis=axis,
        endings=tuple(_endings(counted)),
        bins=tuple(bins),
        chart=draw(histogram(said, bins, "actions", "matches")) if bins else None,
        openings=begun.first,
        other_openings=begun.others,
        book=begun.book,
        sampled=begun.read_records if begun.read_records < len(counted) else 0,
        faults=tuple(_faults(source)),
        games=len(counted),
        recorded=source.tournament.recorded,
        shared_dice=source.tournament.plan.mirrored_dice,
        downloads={
            "lengths": DataTable(("from", "to", "matches"), lengths),
            "openings": begun.download,
        },
    )


def _facts(source: ReportSource) -> Iterator[Fact]:
    plan, game = source.tournament.plan, source.game
    rules = f", rules version {display.label(plan.rules)}" if source.tournament.recorded else ""
    yield Fact("Game", f"{display.label(plan.game)}{rules}")
    if game is not None:
        yield Fact("Seats", f"{plan.seats} at a table, of {', '.join(map(str, game.seat_counts))} allowed")
        yield Fact("Chance", "yes, drawn by the referee from the seed" if game.has_chance else "none")
        yield Fact("Hidden actions", "yes" if game.has_hidden_actions else "none")
    for name, value in plan.options:
        known = {option.name: option.help for option in game.options} if game else {}
        about = f" ({display.line(known[name])})" if known.get(name) else ""
        yield Fact(f"Option {display.label(name)}", f"{display.label(value)}{about}")
    if game is not None and game.name in GAMES.own:
        yield Fact("On your machine", f"tourney play {game.name}", code=True)


def _advantages(source: ReportSource) -> tuple[tuple[Advantage, ...], Markup]:
    """The seats with the effects of the ratings' fit, whose intervals respect mirrored groups."""
    lines = seat_lines(source)
    effects = {effect.seat: effect for effect in source.batch.pool.seats}
    scale = scale_of([0.0, *(x for e in effects.values() for x in (e.low, e.high))])
    found = []
    for line in lines:
        effect = effects[line.seat.number]
        found.append(
            Advantage(
                line,
                display.number(effect.elo, 1),
                display.number(effect.low, 1),
                display.number(effect.high, 1),
                interval(scale, effect.elo, effect.low, effect.high, source.intervals),
            )
        )
    return tuple(found), interval_axis(scale)


def _endings(matches: Sequence[TournamentMatch]) -> Iterator[EndLengths]:
    """Yield all matches, then each reason, the most frequent first."""
    by_reason: defaultdict[str, array[int]] = defaultdict(lambda: array("L"))
    for match in matches:
        if match.result is not None:
            by_reason[match.result.reason].append(match.result.actions)
    ordered = sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0]))
    everything = array("L", (length for _, lengths in ordered for length in lengths))
    if everything:
        yield _ending("", everything, len(everything))
    for reason, lengths in ordered:
        yield _ending(display.reason(reason), lengths, len(everything))


def _ending(reason: str, unordered: Sequence[int], total: int) -> EndLengths:
    lengths = sorted(unordered)
    count = len(lengths)
    median = Fraction(lengths[(count - 1) // 2] + lengths[count // 2], 2)
    return EndLengths(
        reason,
        count,
        display.percent(Fraction(count, total)),
        lengths[0],
        display.decimal(median, 1),
        display.decimal(Fraction(sum(lengths), count), 1),
        lengths[-1],
    )


def _faults(source: ReportSource) -> Iterator[tuple[str, str, int, str]]:
    """Yield each kind of fault: kind, words, number, and share of all seats' games in percent."""
    kinds = Counter(
        kind for match in source.matches if match.result is not None for kind in match.result.faults if kind
    )
    played = sum(len(match.seats) for match in source.matches if match.result is not None)
    for kind in FAULT_KINDS:
        if kinds[kind]:
            yield kind, display.fault(kind), kinds[kind], display.percent(Fraction(kinds[kind], played))
