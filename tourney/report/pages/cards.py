"""Pictures of a bot and of a match for social networks, as PNG: most services take no SVG."""

from typing import Final

from tourney.report import display
from tourney.report.charts.canvas import Canvas, Lettering, fitted
from tourney.report.pages.match_lines import ListedMatch

WIDTH: Final = 1200
HEIGHT: Final = 630
"""Pixels; the size that Open Graph recommends (1.91:1)."""
_ROOM: Final = 1040
_MOST_LINES: Final = 5

_PAGE = (0xFB, 0xFA, 0xF7)
_BLUE = (0x00, 0x5A, 0x8F)
_LINE = (0xDE, 0xD8, 0xCD)
_INK = (0x1D, 0x1B, 0x18)
_HUSH = (0x65, 0x5F, 0x56)
_TITLE = Lettering(64, _INK, bold=True)
_LEAD = Lettering(32, _HUSH)
_NAME = Lettering(40, _INK)
_VALUE = Lettering(40, _INK, bold=True)


def card_of(title: str, lead: str, lines: list[tuple[str, str]]) -> bytes:
    """A picture with a title, a line below it, and at most five lines of a name and a value."""
    canvas = Canvas(WIDTH, HEIGHT, _PAGE)
    canvas.rectangle(0, 0, 16, HEIGHT, _BLUE)
    canvas.text(80, 125, fitted(title, _TITLE, _ROOM), _TITLE)
    canvas.text(80, 185, fitted(lead, _LEAD, _ROOM), _LEAD)
    for y, (name, value) in zip(range(290, HEIGHT, 72), lines[:_MOST_LINES], strict=False):
        canvas.rectangle(80, y - 52, _ROOM, 2, _LINE)
        canvas.text(80, y, fitted(name, _NAME, 640), _NAME)
        canvas.text(80 + _ROOM, y, fitted(value, _VALUE, 380), _VALUE, end=True)
    return canvas.png()


def match_card(tournament: str, line: ListedMatch) -> bytes:
    """The picture of a match: its seats with their results, and how it ended."""
    end = "void" if line.void else line.reason
    about = (tournament, f"match {line.number}", end)
    return card_of(
        " \N{EN DASH} ".join(seated.entrant.name for seated in line.seats),
        " \N{MIDDLE DOT} ".join(about),
        [
            (f"{seated.entrant.name} ({seated.seat.name})", display.MISSING if line.void else seated.result)
            for seated in line.seats
        ],
    )
