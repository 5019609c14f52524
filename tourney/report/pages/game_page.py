"""The page of the tournament's game: its rules in short, and what the matches say about it.

It is long because each section of the page stands beside the counts that it shows.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup

from tourney.errors import StoreDamaged
from tourney.games.base import AnyGame
from tourney.games.diagram import Diagram, Piece
from tourney.games.guide import Guide
from tourney.games.registry import EXTERNAL, GAMES
from tourney.games.render import picture
from tourney.games.svg_diagram import inline_svg, piece_svg, seat_colors
from tourney.match.record import FAULT_KINDS, Record
from tourney.report import text
from tourney.report.charts import plots, vega
from tourney.report.matches import View, places_where, same
from tourney.report.output.look import File
from tourney.report.output.rendering import Renderer
from tourney.report.pages import rules_page
from tourney.report.pages.facts import Fact
from tourney.report.pages.overview import SeatLine, seat_lines
from tourney.report.setting import SeatLabel
from tourney.report.source import Source
from tourney.results.tables import DataTable
from tourney.schedule.row import score_units, units_of_win
from tourney.store.parts import unpack_parts
from tourney.store.values import Match, MatchParts

OPENING_RECORDS = 1_000
"""Most records to read for the table of openings; each costs some tenths of a millisecond."""
_CHUNK = 200
FIRST_ACTIONS = 12
"""Most lines of the table of openings for each seat."""
BOOK_LINES = 40
"""Most lines of the table of set openings."""


@dataclass(frozen=True, slots=True)
class Board:
    """A drawn position with its caption; ``notes`` are the lines of text below."""

    svg: Markup
    caption: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GuideView:
    """The rules in short; ``figures`` are (drawing, name, text)."""

    aim: str
    turn: tuple[str, ...]
    end: tuple[str, ...]
    figures: tuple[tuple[Markup, str, str], ...]
    boards: tuple[Board, ...]


@dataclass(frozen=True, slots=True)
class Advantage:
    """A seat's score, and its effect in Elo relative to the mean of all seats with a 95 % interval."""

    line: SeatLine
    elo: str
    low: str
    high: str
    whisker: Markup


@dataclass(frozen=True, slots=True)
class Ending:
    """Matches that ended for one reason, and how many actions they had; ``reason`` is "" for all matches."""

    reason: str
    matches: int
    share: str
    shortest: int
    median: str
    mean: str
    longest: int


@dataclass(frozen=True, slots=True)
class OpeningLine:
    """An action or a line of actions with which matches began; ``score`` is that of ``seat``, in percent."""

    seat: SeatLabel
    actions: str
    matches: int
    share: str
    score: str


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
    endings: tuple[Ending, ...]
    bins: tuple[tuple[int, int, int], ...]
    chart: Markup | None
    chart_note: str
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
    guide, missing = _guide(source)
    rules = rules_page.rules_text(source.game, guide) if source.game else ""
    page = game_page(source, guide, missing, whole_rules=bool(rules))
    yield make.page("game.html", "game.html", game=page)
    if rules and source.game:
        board = _picture(source.game) if source.game.name in GAMES.own else Markup()
        yield make.page("rules.html", "rules.html", game=page, rules=rules_page.rules_page(rules, board))
    for name, table in page.downloads.items():
        yield from make.tables(f"data/{name}", table)


def _picture(game: AnyGame) -> Markup:
    """Return the board that the rules page of one of Tourney's own games has as a file."""
    said = f"A position of {game.title}"
    return Markup(inline_svg(picture(game), seat_colors(game.seat_names), said))  # noqa: S704 - all text is escaped


def _guide(source: Source) -> tuple[Guide | None, str]:
    """Return the game's guide, or why there is none."""
    if source.tournament.game == EXTERNAL:
        return None, "The rules are those of the outside referee: Tourney does not know them."
    if not source.tournament.recorded:
        return None, "The results were imported: nothing is known of the rules by which they came about."
    if source.game is None:
        return None, (
            "The game is not installed where this report was written, so its rules cannot be shown:"
            " see the documentation of the package that provides it."
        )
    try:
        guide = source.game.guide()
    except Exception as error:  # noqa: BLE001 - a plugin's guide that fails costs the rules, not the report
        return None, f"The game's guide cannot be shown: {text.line(str(error)) or type(error).__name__}"
    if isinstance(guide, Guide):
        return guide, ""
    return None, (
        "This game comes from a plugin that offers no guide (Game.guide): see the documentation of the"
        " package that provides it."
    )


def game_page(source: Source, guide: Guide | None, missing: str, *, whole_rules: bool) -> GamePage:
    """Return the context of the game's page."""
    game = source.game
    counted = View(source.matches, same, places_where(source.matches, lambda result: not result.void))
    view = None
    if game is not None and guide is not None:
        try:
            view = _view(game, guide, source)
        except Exception as error:  # noqa: BLE001 - likewise
            missing = f"The game's guide cannot be shown: {text.line(str(error)) or type(error).__name__}"
    seats, axis = _advantages(source)
    endings = tuple(_endings(counted))
    # Without records the lengths are not known.
    lengths = array("L", (m.result.actions for m in counted if m.result and source.tournament.recorded))
    bins = vega.bins_of(lengths)
    said = f"Histogram of the lengths of {text.count(len(counted), 'match', 'matches')}, in actions"
    chart = vega.draw(vega.histogram(bins, "actions", "matches"), said) if bins else None
    begun = _Openings.read(source, counted)
    faults = tuple(_faults(source))
    return GamePage(
        title=text.display(game.title if game else source.tournament.game),
        facts=tuple(_facts(source)),
        guide=view,
        missing="" if view else missing,
        whole_rules=whole_rules,
        seats=seats,
        axis=axis,
        endings=endings,
        bins=tuple(bins),
        chart=chart,
        chart_note="" if chart or not bins else vega.ABSENT,
        openings=begun.first,
        other_openings=begun.others,
        book=begun.book,
        sampled=begun.read_records if begun.read_records < len(counted) else 0,
        faults=faults,
        games=len(counted),
        recorded=source.tournament.recorded,
        shared_dice=source.tournament.plan.mirrored_dice,
        downloads={
            "lengths": DataTable(
                ("from", "to", "matches"),
                [{"from": low, "to": high - 1, "matches": count} for low, high, count in bins],
            ),
            "openings": DataTable(
                ("seat", "actions", "matches", "score_percent"),
                [
                    {
                        "seat": line.seat.number,
                        "actions": line.actions,
                        "matches": line.matches,
                        "score_percent": float(line.score),
                    }
                    for line in (*begun.book, *begun.first)
                ],
            ),
        },
    )


def _facts(source: Source) -> Iterator[Fact]:
    plan, game = source.tournament.plan, source.game
    rules = f", rules version {text.display(plan.rules)}" if source.tournament.recorded else ""
    yield Fact("Game", f"{text.display(plan.game)}{rules}")
    if game is not None:
        yield Fact("Seats", f"{plan.seats} at a table, of {', '.join(map(str, game.seat_counts))} allowed")
        yield Fact("Chance", "yes, drawn by the referee from the seed" if game.has_chance else "none")
        yield Fact("Hidden actions", "yes" if game.has_hidden_actions else "none")
    for name, value in plan.options:
        known = {option.name: option.help for option in game.options} if game else {}
        about = f" ({text.line(known[name])})" if known.get(name) else ""
        yield Fact(f"Option {text.display(name)}", f"{text.display(value)}{about}")
    if game is not None and game.name in GAMES.own:
        yield Fact("On your machine", f"tourney play {game.name}", code=True)


def _view(game: AnyGame, guide: Guide, source: Source) -> GuideView:
    seats, options = source.tournament.seats, dict(source.tournament.plan.options)
    boards = []
    for example in guide.examples:
        diagram = example.diagram(game, seats, options)
        count = example.seats or (game.seat_counts[0] if example.position or example.actions else seats)
        colors = seat_colors(game.seat_names[:count])
        caption = text.line(example.caption)
        svg = Markup(inline_svg(diagram, colors, caption))  # noqa: S704 - the drawing escapes all text
        boards.append(Board(svg, caption, _notes(diagram)))
    colors = tuple(seat.color for seat in source.seats)
    figures = tuple(
        (
            Markup(piece_svg(Piece(0, 0, figure.glyph, figure.side, figure.kind), colors)),  # noqa: S704 - likewise
            text.display(figure.name),
            text.line(figure.text),
        )
        for figure in guide.figures
    )
    return GuideView(
        text.line(guide.aim),
        tuple(map(text.line, guide.turn)),
        tuple(map(text.line, guide.end)),
        figures,
        tuple(boards),
    )


def _notes(diagram: Diagram) -> tuple[str, ...]:
    return tuple(text.line(note) for note in diagram.notes)


def _advantages(source: Source) -> tuple[tuple[Advantage, ...], Markup]:
    """Return the seats with the effects of the ratings' fit, whose intervals respect mirrored groups."""
    lines = seat_lines(source)
    effects = {effect.seat: effect for effect in source.batch.pool.seats}
    scale = plots.axis_of([0.0, *(x for e in effects.values() for x in (e.low, e.high))])
    found = []
    for line in lines:
        effect = effects[line.seat.number]
        found.append(
            Advantage(
                line,
                text.number(effect.elo, 1),
                text.number(effect.low, 1),
                text.number(effect.high, 1),
                plots.interval(scale, effect.elo, effect.low, effect.high, source.intervals),
            )
        )
    return tuple(found), plots.whisker_axis(scale)


def _endings(matches: Sequence[Match]) -> Iterator[Ending]:
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
        yield _ending(text.words(reason), lengths, len(everything))


def _ending(reason: str, unordered: Sequence[int], total: int) -> Ending:
    lengths = sorted(unordered)
    count = len(lengths)
    median = Fraction(lengths[(count - 1) // 2] + lengths[count // 2], 2)
    return Ending(
        reason,
        count,
        text.percent(Fraction(count, total)),
        lengths[0],
        text.decimal(median, 1),
        text.decimal(Fraction(sum(lengths), count), 1),
        lengths[-1],
    )


def _faults(source: Source) -> Iterator[tuple[str, str, int, str]]:
    """Yield each kind of fault: kind, words, number, and share of all seats' games in percent."""
    kinds = Counter(
        kind for match in source.matches if match.result is not None for kind in match.result.faults if kind
    )
    played = sum(len(match.seats) for match in source.matches if match.result is not None)
    for kind in FAULT_KINDS:
        if kinds[kind]:
            yield kind, text.fault(kind), kinds[kind], text.percent(Fraction(kinds[kind], played))


@dataclass(frozen=True, slots=True)
class _Openings:
    """How matches began: set openings, each seat's first action, and how many rarer ones a seat had."""

    book: tuple[OpeningLine, ...]
    first: tuple[OpeningLine, ...]
    others: dict[int, int]
    read_records: int

    @classmethod
    def read(cls, source: Source, matches: Sequence[Match]) -> "_Openings":
        seats, whole = source.seats, units_of_win(source.tournament.seats)
        first: list[defaultdict[str, list[int]]] = [defaultdict(list) for _ in seats]
        book: defaultdict[str, list[int]] = defaultdict(list)
        read = 0
        for match, record in _records(source, matches[:OPENING_RECORDS]):
            if match.result is None:
                continue
            read += 1
            units = score_units(match.result.ranks)
            opening = record["opening"]
            given = opening["plies"] if "plies" in opening else len(opening["actions"])
            actions = record["actions"]
            own = _split(actions, given)
            if given:
                book[text.line(" ".join(action for _, action in actions[:own]))].append(units[0])
            for seat, action in _first(actions[own:], len(seats)):
                first[seat - 1][text.display(action, 200)].append(units[seat - 1])
        lines = [
            line
            for seat, found in zip(seats, first, strict=True)
            for line in _lines(seat, found, whole, FIRST_ACTIONS)
        ]
        others = {
            seat.number: len(found) - FIRST_ACTIONS
            for seat, found in zip(seats, first, strict=True)
            if len(found) > FIRST_ACTIONS
        }
        return cls(tuple(_lines(seats[0], book, whole, BOOK_LINES)), tuple(lines), others, read)


def _records(source: Source, matches: Sequence[Match]) -> Iterator[tuple[Match, Record]]:
    """Yield matches with their records, in chunks; leave out damaged ones, which their own pages name."""
    for start in range(0, len(matches), _CHUNK):
        chosen = matches[start : start + _CHUNK]
        packed = source.parts([match.number for match in chosen])
        for match in chosen:
            record = _record(packed.get(match.number, MatchParts()), len(match.seats))
            if record is not None:
                yield match, record


def _record(parts: MatchParts, seats: int) -> Record | None:
    """Return the record alone, or None if there is none or it is damaged."""
    try:
        return unpack_parts(parts._replace(log=None, measured=None), seats)[0]
    except StoreDamaged:
        return None


def _split(actions: Sequence[Sequence[object]], given: int) -> int:
    """Return the index after the opening: ``given`` actions of seats, chance not counted."""
    seen = 0
    for index, (actor, _) in enumerate(actions):
        if seen == given:
            return index
        seen += actor != 0
    return len(actions)


def _first(actions: Iterable[Sequence[object]], seats: int) -> Iterator[tuple[int, str]]:
    """Yield each seat's first action."""
    missing = set(range(1, seats + 1))
    for actor, action in actions:
        if actor in missing:
            missing.remove(int(str(actor)))
            yield int(str(actor)), str(action)
        if not missing:
            return


def _lines(seat: SeatLabel, found: Mapping[str, list[int]], whole: int, most: int) -> Iterator[OpeningLine]:
    total = sum(map(len, found.values()))
    for actions, units in sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))[:most]:
        yield OpeningLine(
            seat,
            actions,
            len(units),
            text.percent(Fraction(len(units), total)),
            text.percent(Fraction(sum(units), whole * len(units))),
        )
