"""A game's whole rules, rendered from Markdown.

A plugin's text is not trusted: raw HTML stays text, and links lead nowhere outside the page.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from tourney.games.base import AnyGame
from tourney.games.guide import Guide
from tourney.games.registry import GAMES
from tourney.resources import rules_dir

_PREFIX = "r-"
"""Before the ids of headings, so that they differ from the ids of the page itself."""


@dataclass(frozen=True, slots=True)
class RulesPage:
    """The rules as HTML, without their first heading; ``sections`` are (id, title) of the main headings."""

    html: Markup
    sections: tuple[tuple[str, str], ...]


def rules_text(game: AnyGame, guide: Guide | None) -> str:
    """Return a game's rules as Markdown, the plugin's own or those of ``docs/rules``, or "" without any."""
    if guide is not None and guide.rules:
        return guide.rules
    if game.name not in GAMES.own:
        return ""
    path = rules_dir() / f"{game.name}.md"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


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
            words = _plain(tokens[place + 1])
            token.attrSet("id", slug := _unique(_slug(words), slugs))
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
    return "\n".join(
        "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line) for line in lines
    )


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
            yield _raw(board) if board else _text(token.content)
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


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _plain(inline: Token) -> str:
    return "".join(token.content for token in inline.children or ())


def _slug(words: str) -> str:
    """Return the anchor of a heading as GitHub makes it: letters, digits and hyphens."""
    return re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")


def _unique(slug: str, seen: dict[str, int]) -> str:
    number = seen[slug] = seen.get(slug, -1) + 1
    return f"{_PREFIX}{slug}" + (f"-{number}" if number else "")
