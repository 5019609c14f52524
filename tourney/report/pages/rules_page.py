"""A game's rules: in short, from its guide, and whole, rendered from Markdown.

A plugin's text is not trusted: raw HTML stays text, and links lead nowhere outside the page.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from tourney.errors import legible
from tourney.games.base import AnyGame
from tourney.games.diagrams import Piece, seat_colors
from tourney.games.game_tree import picture
from tourney.games.guide import Guide, draw_example
from tourney.games.registry import EXTERNAL, GAMES
from tourney.games.svg_diagram import inline_svg, piece_svg
from tourney.report import display
from tourney.report.source import ReportSource

_PREFIX = "r-"
"""Before the ids of headings, so that they differ from the ids of the page itself."""


class GuideView(NamedTuple):
    """The rules in short; ``figures`` are (drawing, name, text), ``boards`` (drawing, caption, notes)."""

    aim: str
    turn: tuple[str, ...]
    end: tuple[str, ...]
    figures: list[tuple[Markup, str, str]]
    boards: list[tuple[Markup, str, tuple[str, ...]]]


class RulesPage(NamedTuple):
    """The rules as HTML, without their first heading; ``sections`` are (id, title) of the main headings."""

    html: Markup
    sections: tuple[tuple[str, str], ...]


def guide_of(source: ReportSource) -> tuple[Guide | None, GuideView | None, str]:
    """The game's guide, the rules in short from it, and why they are missing ("" if they are there)."""
    if source.tournament.game == EXTERNAL:
        return None, None, "The rules are those of the outside referee: Tourney does not know them."
    if not source.tournament.recorded:
        why = "The results were imported, so the rules that they were played by are not known."
        return None, None, why
    if source.game is None:
        why = (
            "The game is not installed where this report was written, so its rules cannot be shown:"
            " see the documentation of the package that provides it."
        )
        return None, None, why
    guide: object = None
    try:
        guide = source.game.guide()
        if isinstance(guide, Guide):
            return guide, _drawn_guide(source.game, guide, source), ""
    except Exception as error:  # noqa: BLE001 - a plugin's guide that fails costs the rules, not the report
        why = f"The game's guide cannot be shown: {display.line(str(error)) or type(error).__name__}"
        return guide if isinstance(guide, Guide) else None, None, why
    why = (
        "This game comes from a plugin that offers no guide (Game.guide): see the documentation of the"
        " package that provides it."
    )
    return None, None, why


def _drawn_guide(game: AnyGame, guide: Guide, source: ReportSource) -> GuideView:
    seats, options = source.tournament.seats, dict(source.tournament.plan.options)
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
    turn, end = (tuple(map(display.line, lines)) for lines in (guide.turn, guide.end))
    return GuideView(display.line(guide.aim), turn, end, figures, boards)


def rules_page(text: str, board: Markup) -> RulesPage:
    """Render rules; ``board`` replaces their pictures, which are all drawings of a board."""
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
    """Wrap a table so that it can scroll by itself."""
    if token.type == "table_open":
        yield _raw('<div class="scroll" tabindex="0" role="region" aria-label="Table">\n')
    yield token
    if token.type == "table_close":
        yield _raw("</div>\n")


def _children(tokens: Sequence[Token], board: Markup) -> Iterator[Token]:
    """Yield inline tokens with pictures replaced, and without links to anything outside the page."""
    kept: list[bool] = []
    for token in tokens:
        if token.type == "image":
            yield _raw(board) if board else Token("text", "", 0, content=token.content)
        elif token.type == "link_open":
            target = str(token.attrGet("href") or "")
            kept.append(target.startswith("#"))
            if kept[-1]:
                token.attrs = {"href": f"#{_PREFIX}{target[1:]}"}
                yield token
        elif token.type == "link_close":
            if kept.pop():
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
    """The board that the rules of one of Tourney's own games show; other games have none."""
    if game.name not in GAMES.own:
        return Markup()
    said = f"A position of {game.title}"
    return Markup(inline_svg(picture(game), seat_colors(game.seat_names), said))  # noqa: S704 - all text is escaped
