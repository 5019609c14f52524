"""The page of the tournament's game: its rules in short, and what the matches say about it.

How matches began: the set openings, and each seat's first action of its own.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from statistics import median
from typing import NamedTuple

from tourney.errors import StoreDamaged
from tourney.games.registry import GAMES
from tourney.match.record import FAULT_KINDS, Record
from tourney.report import display
from tourney.report.charts.chart import draw, scale_of
from tourney.report.charts.kinds import bins_of, histogram
from tourney.report.compact_matches import LazySequence, places_where, same
from tourney.report.display import Fact, SeatLabel
from tourney.report.output.layout import File
from tourney.report.output.rendering import Context, Renderer
from tourney.report.pages.overview_page import seat_lines
from tourney.report.pages.rules_page import example_board, guide_of, rules_page
from tourney.report.source import ReportSource
from tourney.resources import rules_text
from tourney.results.tables import DataTable
from tourney.schedule.row import score_units, units_of_win
from tourney.store.column_reading import MatchParts, unpack_parts
from tourney.store.values import TournamentMatch

OPENING_RECORDS = 1_000
"""Most records to read for the table of openings; each costs some tenths of a millisecond."""
_CHUNK = 200
FIRST_ACTIONS = 12
"""Most lines of the table of openings for each seat."""
BOOK_LINES = 40
"""Most lines of the table of set openings."""


class EndLengths(NamedTuple):
    """Matches that ended for one reason, and how many actions they had; ``reason`` is "" for all matches."""

    reason: str
    matches: int
    share: str
    shortest: int
    median: Fraction
    mean: Fraction
    longest: int


class OpeningLine(NamedTuple):
    """An action or a line of actions with which matches began; ``score`` is that of ``seat``, in percent."""

    seat: SeatLabel
    actions: str
    matches: int
    share: str
    score: str


def files(make: Renderer) -> Iterator[File]:
    """Yield the page of the game, its whole rules if there are any, and its tables."""
    source = make.source
    guide, view, missing = guide_of(source)
    rules = rules_text(source.game, guide) if source.game else ""
    page = game_page(source) | {"guide": view, "missing": missing, "whole_rules": bool(rules)}
    yield make.page("game.html", "game.html", game=page)
    if rules and source.game:
        shown = rules_page(rules, example_board(source.game))
        yield make.page("rules.html", "rules.html", game=page, rules=shown)
    lengths = ((low, high - 1, count) for low, high, count in page["bins"])
    yield from make.tables("data/lengths", DataTable.of("from to matches", lengths))
    openings = (
        (x.seat.number, x.actions, x.matches, float(x.score)) for x in (*page["book"], *page["openings"])
    )
    yield from make.tables("data/openings", DataTable.of("seat actions matches score_percent", openings))


def game_page(source: ReportSource) -> Context:
    """What the matches say about the game.

    ``sampled`` is the number of records that the openings come from, if not all matches are among them.
    ``seats`` are the scores with the effects of the ratings' fit, whose intervals respect mirrored groups.
    """
    counted = LazySequence(source.matches, same, places_where(source.matches, lambda result: not result.void))
    effects = {effect.seat: effect for effect in source.batch.pool.seats}
    recorded = source.tournament.recorded
    # Without records the lengths are not known.
    bins = bins_of(array("L", (m.result.actions for m in counted if m.result and recorded)))
    said = f"Histogram of the lengths of {display.count(len(counted), 'match', 'matches')}, in actions"
    openings = openings_of(source, counted)
    return {
        "title": source.game_title,
        "facts": tuple(_facts(source)),
        "seats": [(line, effects[line.seat.number]) for line in seat_lines(source)],
        "scale": scale_of([0.0, *(x for e in effects.values() for x in (e.low, e.high))]),
        "endings": tuple(_endings(source, counted)),
        "bins": bins,
        "chart": draw(histogram(said, bins, "actions", "matches")) if bins else None,
        **openings,
        "sampled": openings["read"] if openings["read"] < len(counted) else 0,
        "faults": tuple(_faults(source)),
        "games": len(counted),
        "recorded": recorded,
        "shared_dice": source.tournament.plan.mirrored_dice,
    }


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


def _endings(source: ReportSource, matches: Sequence[TournamentMatch]) -> Iterator[EndLengths]:
    """Yield all matches, then each reason, the most frequent first."""
    by_reason: defaultdict[str, array[int]] = defaultdict(lambda: array("L"))
    for match in matches:
        if match.result is not None:
            by_reason[match.result.reason].append(match.result.actions)
    ordered = sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0]))
    everything = array("L", (length for _, lengths in ordered for length in lengths))
    named = [(source.reason(reason), lengths) for reason, lengths in ordered]
    for reason, lengths in [("", everything), *named] if everything else []:
        count, middle = len(lengths), Fraction(median(lengths))
        part, mean = display.share(count, len(everything)), Fraction(sum(lengths), count)
        yield EndLengths(reason, count, part, min(lengths), middle, mean, max(lengths))


def _faults(source: ReportSource) -> Iterator[tuple[str, int, str]]:
    """Yield each kind of fault with its number, and its share of all seats' games in percent."""
    results = [match.result for match in source.matches if match.result is not None]
    kinds = Counter(kind for result in results for kind in result.faults if kind)
    played = sum(len(result.faults) for result in results)
    for kind in FAULT_KINDS:
        if kinds[kind]:
            yield kind, kinds[kind], display.share(kinds[kind], played)


def openings_of(source: ReportSource, matches: Sequence[TournamentMatch]) -> Context:
    """The openings of matches, from the records of the first of them that can be read.

    ``book`` are set openings, ``openings`` each seat's first actions, ``other_openings`` how many rarer ones
    a seat had, and ``read`` the number of records.
    """
    seats, whole = source.seats, units_of_win(source.tournament.seats)
    first: list[defaultdict[str, list[int]]] = [defaultdict(list) for _ in seats]
    book: defaultdict[str, list[int]] = defaultdict(list)
    read = 0
    for match, record in _records(source, matches[:OPENING_RECORDS]):
        if match.result is None:
            continue
        read += 1
        units = score_units(match.result.ranks)
        given, actions = record.opening.length, record.actions
        own = _split(actions, given)
        if given:
            book[display.line(" ".join(action for _, action in actions[:own]))].append(units[0])
        for seat, action in _first(actions[own:], len(seats)):
            first[seat - 1][display.label(action, 200)].append(units[seat - 1])
    by_seat = list(zip(seats, first, strict=True))
    return {
        "book": _lines(seats[0], book, whole, BOOK_LINES),
        "openings": [line for seat, found in by_seat for line in _lines(seat, found, whole, FIRST_ACTIONS)],
        "other_openings": {
            seat.number: len(found) - FIRST_ACTIONS for seat, found in by_seat if len(found) > FIRST_ACTIONS
        },
        "read": read,
    }


def _records(
    source: ReportSource, matches: Sequence[TournamentMatch]
) -> Iterator[tuple[TournamentMatch, Record]]:
    """Yield matches with their records, in chunks; leave out damaged ones, which their own pages name."""
    for start in range(0, len(matches), _CHUNK):
        chosen = matches[start : start + _CHUNK]
        packed = source.parts([match.number for match in chosen])
        for match in chosen:
            parts = packed.get(match.number, MatchParts())._replace(log=None, measured=None)
            try:
                record = unpack_parts(parts, len(match.seats))[0]
            except StoreDamaged:
                continue
            if record is not None:
                yield match, record


def _split(actions: Sequence[tuple[int, str]], given: int) -> int:
    """The index after the opening: ``given`` actions of seats, chance not counted."""
    seen = 0
    for index, (actor, _) in enumerate(actions):
        if seen == given:
            return index
        seen += actor != 0
    return len(actions)


def _first(actions: Iterable[tuple[int, str]], seats: int) -> Iterator[tuple[int, str]]:
    """Yield each seat's first action."""
    missing = set(range(1, seats + 1))
    for actor, action in actions:
        if actor in missing:
            missing.remove(actor)
            yield actor, action
        if not missing:
            return


def _lines(seat: SeatLabel, found: Mapping[str, list[int]], whole: int, most: int) -> list[OpeningLine]:
    total = sum(map(len, found.values()))
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))[:most]
    return [
        OpeningLine(
            *(seat, actions, len(units), display.share(len(units), total)),
            display.share(sum(units), whole * len(units)),
        )
        for actions, units in ordered
    ]
