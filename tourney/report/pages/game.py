"""The page of the tournament's game: its rules, and statistics of its matches.

Openings are the set ones and each seat's first free action. The rules are shown in short, from the game's
guide, and whole, rendered from Markdown. A plugin's text is not trusted: raw HTML stays text, and links lead
nowhere outside the page.
"""

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from statistics import median
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from tourney.bots.catalogue.shipped import rules_text
from tourney.games.base import AnyGame
from tourney.games.diagrams import Piece, seat_colors
from tourney.games.guide import Guide, draw_example
from tourney.games.notation import notation_of
from tourney.games.registry import EXTERNAL, GAMES
from tourney.games.svg_diagram import inline_svg, piece_svg
from tourney.games.tree import picture
from tourney.match.record import FAULT_KINDS, opening_end
from tourney.report import display
from tourney.report.charts.chart import draw, scale_of
from tourney.report.charts.kinds import bins_of, histogram
from tourney.report.compact_matches import FinishedMatch, matches_where
from tourney.report.display import Fact, SeatLabel
from tourney.report.output.layout import Context, File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.overview import seat_lines
from tourney.report.source import ReportSource
from tourney.results.tables import DataTable
from tourney.schedule.row import score_units, units_of_win
from tourney.texts import counted, legible

OPENING_RECORDS = 1_000
"""Most records to read for the table of openings; each costs some tenths of a millisecond."""
FIRST_ACTIONS = 12
"""Most lines of the table of openings for each seat."""
NAMED_LINES = 60
"""Most lines of the table of openings by name."""
NAMED_GAMES = 4
"""Games of an opening that the table leads to."""
BOOK_LINES = 40
"""Most lines of the table of set openings."""


def files(make: Renderer) -> Iterator[File]:
    """Yield the page of the game, its whole rules if there are any, and its tables."""
    source = make.source
    guide, view, missing = guide_of(source)
    rules = rules_text(source.game, guide) if source.game else ""
    page = (
        game_page(make)
        | {"line_of": make.line_of}
        | {"guide": view, "missing": missing, "whole_rules": bool(rules)}
    )
    yield make.page("game.html", "game.html", game=page)
    if rules and source.game:
        shown = rules_page(rules, example_board(source.game))
        yield make.page("rules.html", "rules.html", game=page, rules=shown)
    lengths = ((low, high - 1, count) for low, high, count in page["bins"])
    yield from make.tables("data/lengths", DataTable.of("from to matches", lengths))
    openings = (
        (line["seat"].number, line["actions"], line["matches"], float(line["score"]))
        for line in (*page["book"], *page["openings"])
    )
    yield from make.tables("data/openings", DataTable.of("seat actions matches score_percent", openings))
    if page["named"]:
        keys = ["name", "matches", "first", "drawn", "second", "score"]
        named = (tuple(line[key] for key in keys) for line in page["named"])
        columns = "opening matches white_won drawn black_won white_score_percent"
        yield from make.tables("data/named-openings", DataTable.of(columns, named))


def game_page(make: Renderer) -> Context:
    """The statistics of the game's matches.

    ``sampled``: the number of records that the openings come from, or 0 if they come from all matches.
    ``seats``: the scores with the seats' effects in the fit of the ratings, whose intervals respect mirrored
    groups.
    """
    source = make.source
    those = matches_where(source.matches, lambda result: not result.void)
    effects = {effect.seat: effect for effect in source.batch.pool.seats}
    recorded = source.tournament.recorded
    # Without records the lengths are not known.
    bins = bins_of(array("L", (match.result.actions for match in those if recorded)))
    description = f"Histogram of the lengths of {counted(len(those), 'match')}, in actions"
    openings = openings_of(make, those)
    return {
        "title": source.game_title,
        "facts": tuple(_facts(source)),
        "seats": [(line, effects[line.seat.number]) for line in seat_lines(source)],
        "scale": scale_of([0.0, *(x for e in effects.values() for x in (e.low, e.high))]),
        "endings": tuple(_endings(source, those)),
        "bins": bins,
        "chart": draw(histogram(description, bins, "actions", "matches")) if bins else None,
        **openings,
        "sampled": openings["read"] if openings["read"] < len(those) else 0,
        "faults": tuple(_faults(source)),
        "games": len(those),
        "recorded": recorded,
        "shared_dice": source.tournament.plan.mirrored_dice,
    }


def _facts(source: ReportSource) -> Iterator[Fact]:
    plan = source.tournament.plan
    game = source.game
    rules = f", rules version {display.label(plan.rules)}" if source.tournament.recorded else ""
    yield Fact("Game", f"{display.label(plan.game)}{rules}")
    if game is not None:
        yield Fact("Seats", f"{plan.seats} at a table, of {', '.join(map(str, game.seat_counts))} allowed")
        yield Fact("Chance", "yes, drawn by the referee from the seed" if game.has_chance else "none")
        yield Fact("Hidden actions", "yes" if game.has_hidden_actions else "none")
    for name, value in plan.options:
        option_helps = {option.name: option.help for option in game.options} if game else {}
        about = f" ({display.line(option_helps[name])})" if option_helps.get(name) else ""
        yield Fact(f"Option {display.label(name)}", f"{display.label(value)}{about}")
    if game is not None and game.name in GAMES.own:
        yield Fact("On your machine", f"tourney play {game.name}", code=True)


def _endings(source: ReportSource, matches: Sequence[FinishedMatch]) -> Iterator[Context]:
    """Yield the lengths of all matches ("" for a reason), then of each reason, the most frequent first."""
    by_reason: defaultdict[str, array[int]] = defaultdict(lambda: array("L"))
    for match in matches:
        by_reason[match.result.reason].append(match.result.actions)
    ordered = sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0]))
    everything = array("L", (length for _, lengths in ordered for length in lengths))
    named = [(source.reason(reason), lengths) for reason, lengths in ordered]
    for reason, lengths in [("", everything), *named] if everything else []:
        yield {
            "reason": reason,
            "matches": len(lengths),
            "share": display.share(len(lengths), len(everything)),
            "shortest": min(lengths),
            "median": Fraction(median(lengths)),
            "mean": Fraction(sum(lengths), len(lengths)),
            "longest": max(lengths),
        }


def _faults(source: ReportSource) -> Iterator[tuple[str, int, str]]:
    """Yield each kind of fault with its number, and its share of all seats' games in percent."""
    results = [match.result for match in source.matches]
    kinds = Counter(kind for result in results for kind in result.faults if kind)
    played = sum(len(result.faults) for result in results)
    for kind in FAULT_KINDS:
        if kinds[kind]:
            yield kind, kinds[kind], display.share(kinds[kind], played)


def openings_of(make: Renderer, matches: Sequence[FinishedMatch]) -> Context:
    """The openings of the first matches whose records can be read.

    ``named``: openings by name, for games that name them, and ``other_names`` the number of further ones.
    ``book``: set openings. ``openings``: each seat's first actions. ``other_openings``: the number of rarer
    ones of each seat. ``read``: the number of records.
    """
    source = make.source
    seats = source.seats
    whole = units_of_win(source.tournament.seats, source.setup.score)
    earliest = matches[:OPENING_RECORDS]
    units = {match.number: score_units(match.result.ranks, source.setup.score) for match in earliest}
    # The first matches decide, so a new one seldom changes it.
    read, first, book, named = make.maker.value(
        "openings", units, _Openings, lambda: _read_openings(source, earliest, units), list(units)
    )
    by_seat = list(zip(seats, first, strict=True))
    ordered = sorted(named.items(), key=lambda item: (-len(item[1]), item[0]))
    return {
        "named": [_named(name, games, whole) for name, games in ordered[:NAMED_LINES]],
        "other_names": max(0, len(ordered) - NAMED_LINES),
        "book": _lines(seats[0], book, whole, BOOK_LINES),
        "openings": [
            line for seat, by_actions in by_seat for line in _lines(seat, by_actions, whole, FIRST_ACTIONS)
        ],
        "other_openings": {
            seat.number: len(by_actions) - FIRST_ACTIONS
            for seat, by_actions in by_seat
            if len(by_actions) > FIRST_ACTIONS
        },
        "read": read,
    }


class _Openings(NamedTuple):
    """Units of the score by opening: of each seat's ``first`` actions, and of the first seat in the ``book``.

    ``named`` has the numbers of the matches besides; ``read`` is the number of records.
    """

    read: int
    first: list[dict[str, list[int]]]
    book: dict[str, list[int]]
    named: dict[str, list[tuple[int, int]]]


def _read_openings(
    source: ReportSource, matches: Iterable[FinishedMatch], units_of: Mapping[int, Sequence[int]]
) -> _Openings:
    seats = source.tournament.seats
    first: list[dict[str, list[int]]] = [{} for _ in range(seats)]
    book: dict[str, list[int]] = {}
    named: dict[str, list[tuple[int, int]]] = {}
    read = 0
    game = source.game
    options = dict(source.tournament.plan.options)
    for match, record in source.records(matches):
        read += 1
        units = units_of[match.number]
        actions = [action for _, action in record.actions]
        begin = opening_end(record)
        # Each seat's first action follows soon; the notation of a whole game costs milliseconds.
        notation = notation_of(game, actions[: begin + 4 * seats], seats, options)
        if begin:
            book.setdefault(display.action(notation.line(0, begin)), []).append(units[0])
        for seat, ply in _first(record.actions, begin, seats):
            numbered = notation.numbers and ply < len(notation.numbers)
            shown = display.action(notation.numbered(ply) if numbered else actions[ply])
            first[seat - 1].setdefault(shown, []).append(units[seat - 1])
        if game is not None and (name := game.opening_name(actions)):
            named.setdefault(display.label(name), []).append((match.number, units[0]))
    return _Openings(read, first, book, named)


def _named(name: str, games: Sequence[tuple[int, int]], whole: int) -> Context:
    """A line of the openings by name; ``units`` in ``games`` are those of the first seat of two."""
    units = [unit for _, unit in games]
    return {
        "name": name,
        "matches": len(units),
        "first": sum(2 * unit > whole for unit in units),
        "drawn": sum(2 * unit == whole for unit in units),
        "second": sum(2 * unit < whole for unit in units),
        "score": display.share(sum(units), whole * len(units)),
        "games": [number for number, _ in games[:NAMED_GAMES]],
    }


def _first(actions: Sequence[tuple[int, str]], begin: int, seats: int) -> Iterator[tuple[int, int]]:
    """Yield each seat's first action behind an opening: the seat and the actions before it."""
    missing = set(range(1, seats + 1))
    for ply in range(begin, len(actions)):
        actor = actions[ply][0]
        if actor in missing:
            missing.remove(actor)
            yield actor, ply
        if not missing:
            return


def _lines(seat: SeatLabel, by_actions: Mapping[str, list[int]], whole: int, most: int) -> list[Context]:
    """The most frequent first actions; ``score``: of ``seat``, in percent."""
    total = sum(map(len, by_actions.values()))
    ordered = sorted(by_actions.items(), key=lambda item: (-len(item[1]), item[0]))[:most]
    return [
        {
            "seat": seat,
            "actions": actions,
            "matches": len(units),
            "share": display.share(len(units), total),
            "score": display.share(sum(units), whole * len(units)),
        }
        for actions, units in ordered
    ]


_PREFIX = "r-"
"""Before the ids of headings, so that they differ from the ids of the page itself."""


class RulesPage(NamedTuple):
    """The rules as HTML, without their first heading; ``sections`` are (id, title) of the main headings."""

    html: Markup
    sections: tuple[tuple[str, str], ...]


class ShownGuide(NamedTuple):
    """The game's guide, the short rules drawn from it, and the reason that they are ``missing``, or ""."""

    guide: Guide | None
    view: Context | None
    missing: str


def guide_of(source: ReportSource) -> ShownGuide:
    """The guide of a tournament's game, as far as it can be shown."""
    if source.tournament.game == EXTERNAL:
        missing = "The rules are those of the outside referee: Tourney does not know them."
        return ShownGuide(None, None, missing)
    if not source.tournament.recorded:
        why = "The results were imported, so the rules that they were played by are not known."
        return ShownGuide(None, None, why)
    if source.game is None:
        why = (
            "The game is not installed where this report was written, so its rules cannot be shown:"
            " see the documentation of the package that provides it."
        )
        return ShownGuide(None, None, why)
    guide: object = None
    try:
        guide = source.game.guide()
        if isinstance(guide, Guide):
            return ShownGuide(guide, _drawn_guide(source.game, guide, source), "")
        why = (
            "This game comes from a plugin that offers no guide (Game.guide): see the documentation of the"
            " package that provides it."
        )
    except Exception as error:  # noqa: BLE001 - a plugin's guide that fails costs the rules, not the report
        why = f"The game's guide cannot be shown: {display.line(str(error)) or type(error).__name__}"
    return ShownGuide(guide if isinstance(guide, Guide) else None, None, why)


def _drawn_guide(game: AnyGame, guide: Guide, source: ReportSource) -> Context:
    """The rules in short; ``figures`` are (drawing, name, text), ``boards`` (drawing, caption, notes)."""
    seats = source.tournament.seats
    options = dict(source.tournament.plan.options)
    boards = []
    for example in guide.examples:
        diagram = draw_example(game, example, seats, options)
        count = example.seats or (game.seat_counts[0] if example.position or example.actions else seats)
        colors = seat_colors(game.seat_names[:count])
        caption = display.line(example.caption)
        svg = Markup(inline_svg(diagram, colors, caption))  # noqa: S704 - the drawing escapes all text
        boards.append((svg, caption, tuple(map(display.line, diagram.notes))))
    colors = tuple(seat.color for seat in source.seats)
    figures = []
    for figure in guide.figures:
        piece = piece_svg(Piece(0, 0, figure.glyph, figure.side, figure.kind), colors)
        svg = Markup(  # noqa: S704 - the drawing escapes all text
            f'<svg class="tb" aria-hidden="true" viewBox="-50 -50 100 100">{piece}</svg>'
        )
        figures.append((svg, display.label(figure.name), display.line(figure.text)))
    return {
        "aim": display.line(guide.aim),
        "turn": tuple(map(display.line, guide.turn)),
        "end": tuple(map(display.line, guide.end)),
        "figures": figures,
        "boards": boards,
    }


def rules_page(text: str, board: Markup) -> RulesPage:
    """Render rules; ``board`` replaces their pictures, which are all drawings of a board."""
    # Rules of plugins are not trusted: with "html" off, their raw HTML stays text.
    parser = MarkdownIt("commonmark", {"html": False, "xhtmlOut": False}).enable("table")
    tokens = parser.parse(_printable(text))
    slugs: dict[str, int] = {}
    sections: list[tuple[str, str]] = []
    shown: list[Token] = []
    title = True
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            words = "".join(child.content for child in tokens[place + 1].children or ())
            token.attrSet("id", slug := _slug(words, slugs))
            if token.tag == "h2":
                sections.append((slug, words))
        if token.type == "inline":
            token.children = list(_children(token.children or (), board))
        token.attrs.pop("style", None)  # of cells; a style attribute would need a looser policy
        # The page has a heading of its own, so the text's first one is left out.
        if title and token.tag == "h1":
            title = token.type != "heading_close"
            continue
        if title and token.type == "inline" and place and tokens[place - 1].tag == "h1":
            continue
        shown += _framed(token)
    # Wide examples scroll, so the keyboard must reach them.
    html = parser.renderer.render(shown, parser.options, {}).replace("<pre>", '<pre tabindex="0">')
    return RulesPage(
        Markup(html),  # noqa: S704 - the renderer escapes all text
        tuple(sections),
    )


def _printable(text: str) -> str:
    """Replace control and format characters, such as marks of direction, except ends of lines."""
    lines = text.expandtabs(4).splitlines()
    return "\n".join(legible(line) for line in lines)


def _framed(token: Token) -> Iterator[Token]:
    if token.type == "table_open":
        yield _raw('<div class="scroll" tabindex="0" role="region" aria-label="Table">\n')
    yield token
    if token.type == "table_close":
        yield _raw("</div>\n")


def _children(tokens: Sequence[Token], board: Markup) -> Iterator[Token]:
    """Yield inline tokens with pictures replaced, and without links to anything outside the page."""
    links_kept: list[bool] = []
    for token in tokens:
        # An address of a plugin's text could load a page or a picture from outside.
        if token.type == "image":
            yield _raw(board) if board else Token("text", "", 0, content=token.content)
        elif token.type == "link_open":
            target = str(token.attrGet("href") or "")
            links_kept.append(target.startswith("#"))
            if links_kept[-1]:
                token.attrs = {"href": f"#{_PREFIX}{target[1:]}"}
                yield token
        elif token.type == "link_close":
            if links_kept.pop():
                yield token
        else:
            yield token


def _raw(html: str) -> Token:
    return Token("html_block", "", 0, content=str(html))


def _slug(words: str, seen: dict[str, int]) -> str:
    """The anchor of a heading as GitHub makes it: letters, digits and hyphens, unique by a number."""
    slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
    number = seen[slug] = seen.get(slug, -1) + 1
    return f"{_PREFIX}{slug}" + (f"-{number}" if number else "")


def example_board(game: AnyGame) -> Markup:
    """The example board in the rules of one of Tourney's own games; other games have none."""
    if game.name not in GAMES.own:
        return Markup()
    description = f"A position of {game.title}"
    return Markup(inline_svg(picture(game), seat_colors(game.seat_names), description))  # noqa: S704 - all text is escaped
