"""The picture of a tournament for links in social networks: its title and the first of its standings, as PNG.

Most services take no SVG. The library that draws the charts turns one into PNG with a font of its own, so the
card shows only characters of that font: the same database gives the same bytes on every machine.
"""

from collections.abc import Iterator
from xml.sax.saxutils import escape

from tourney.report import text
from tourney.report.charts import vega
from tourney.report.output.look import CARD, File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.overview import standing_cells
from tourney.report.pages.tournament_facts import state
from tourney.results.columns import page_columns

WIDTH, HEIGHT = 1200, 630
"""Pixels; the size that Open Graph recommends."""
LINES = 5
"""Lines of the standings."""

_FONT = "Liberation Sans"
_INK, _HUSH, _LINE, _PAGE, _BLUE = "#1d1b18", "#655f56", "#ded8cd", "#fbfaf7", "#005a8f"
_OTHER = "\N{WHITE SQUARE}"
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[]-1/ "), frozenset("mwMWG@OQ%\N{EM DASH}")


def files(make: Renderer) -> Iterator[File]:
    """Yield the card, if the report has an address and the library is installed."""
    if make.look.card:
        picture = vega.picture(card(make))
        if picture is not None:
            yield make.file(CARD, picture)


def card(make: Renderer) -> str:
    """Return the card as SVG."""
    source, site = make.source, dict(make.look.site)
    lines = source.standings[:LINES]
    first = next(c for c in page_columns(source.format, source.tournament.seats) if c.criterion == 1)
    ratings = {line.entrant: line for line in source.batch.ratings}
    about = f"{site['game']} \N{MIDDLE DOT} {text.count(len(source.entrants), 'bot')}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{_PAGE}"/>',
        f'<rect width="16" height="{HEIGHT}" fill="{_BLUE}"/>',
        _text(80, 125, 68, site["title"], 1040, weight=700),
        _text(80, 185, 34, f"{about} \N{MIDDLE DOT} {state(source)}", 1040, color=_HUSH),
    ]
    for place, line in enumerate(lines):
        y = 280 + 62 * place
        rating = ratings[line.number]
        spread = f"{text.number(rating.low, 0)} to {text.number(rating.high, 0)}"
        parts += [
            f'<line x1="80" x2="1120" y1="{y - 44}" y2="{y - 44}" stroke="{_LINE}" stroke-width="2"/>',
            _text(120, y, 34, str(line.rank), 60, color=_HUSH, anchor="end"),
            _text(150, y, 34, source.labels[line.number].name, 500, weight=700),
            _text(800, y, 34, standing_cells((first,), line)[0], 160, anchor="end"),
            _text(930, y, 34, text.number(rating.elo, 0), 160, weight=700, anchor="end"),
            _text(1120, y, 26, spread, 300, color=_HUSH, anchor="end"),
        ]
    if lines:
        heads = ((800, first.heading), (930, "Elo"), (1120, source.intervals))
        parts += [_text(x, 226, 22, head, 300, color=_HUSH, anchor="end") for x, head in heads]
    return "".join(parts) + "</svg>"


def _text(
    x: int,
    y: int,
    size: int,
    words: str,
    room: int,
    *,
    color: str = _INK,
    weight: int = 400,
    anchor: str = "start",
) -> str:
    return (
        f'<text x="{x}" y="{y}" font-family="{_FONT}" font-size="{size}" font-weight="{weight}"'
        f' fill="{color}" text-anchor="{anchor}">{escape(fitted(words, size, room))}</text>'
    )


def fitted(words: str, size: int, room: int) -> str:
    """Return a text of characters of the font, cut where it could be wider than ``room`` pixels."""
    kept, width = "", 0.0
    for character in words:
        shown = character if _has(character) else _OTHER
        width += size * (0.34 if shown in _NARROW else 1.02 if shown in _WIDE else 0.74)
        if width > room - size:
            return kept.rstrip() + "\N{HORIZONTAL ELLIPSIS}"
        kept += shown
    return kept


def _has(character: str) -> bool:
    """Return whether the font has a character (Latin, Greek, Cyrillic, and common marks)."""
    point = ord(character)
    return (
        0x20 <= point < 0x7F
        or 0xA0 <= point < 0x180
        or 0x391 <= point <= 0x3CE
        or 0x400 <= point < 0x460
        or character in "\N{EN DASH}\N{EM DASH}\N{HORIZONTAL ELLIPSIS}\N{MINUS SIGN}\N{BULLET}"
    )
