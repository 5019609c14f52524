"""The property of diagrams: every position and observation has a well-formed one."""

import re
from collections.abc import Iterator
from typing import get_args

from tourney.games.base import AnyGame
from tourney.games.check.case import Case
from tourney.games.diagram import Diagram, Shape
from tourney.games.svg_diagram import MARKS, svg_diagram
from tourney.games.text_diagram import text_diagram

_WORD = re.compile(r"[a-z][a-z0-9-]*", re.ASCII)
_MAX_GLYPH = 2
_MAX_LABEL = 4


def diagram(case: Case) -> Iterator[str]:
    """Check the diagrams of the position and of all observations, with and without the last action."""
    views = {"the position": case.state.position()}
    for seat in range(1, case.state.seats + 1):
        views.setdefault(f"the observation of seat {seat}", case.state.observation(seat))
    lasts = (None, case.history[-1]) if case.history else (None,)
    checked: set[tuple[str, str | None]] = set()
    for what, view in views.items():
        for last in lasts:
            if (view, last) not in checked:
                checked.add((view, last))
                for wrong in _errors(case.game, view, last):
                    yield f"the diagram of {what} {wrong}"
                    return


def _errors(game: AnyGame, view: str, last: str | None) -> Iterator[str]:
    made = game.diagram(view, last)
    if made != game.diagram(view, last):
        yield "differs from one call to the next"
    yield from _cells(made)
    yield from _pieces(made, len(game.seat_names))
    yield from _rest(made)
    if not text_diagram(made) or not svg_diagram(made):
        yield "is empty"


def _cells(made: Diagram) -> Iterator[str]:
    places = [(cell.x, cell.y) for cell in made.cells]
    if len(set(places)) != len(places):
        yield "has two cells at the same place"
    for cell in made.cells:
        if cell.shape not in get_args(Shape) or _WORD.fullmatch(cell.kind) is None:
            yield f"has a cell of shape {cell.shape!r} and kind {cell.kind!r}"


def _pieces(made: Diagram, seats: int) -> Iterator[str]:
    places = {(cell.x, cell.y) for cell in made.cells}
    for piece in made.pieces:
        if (piece.x, piece.y) not in places:
            yield f"has a piece at {piece.x},{piece.y}, where there is no cell"
        if not 1 <= len(piece.glyph) <= _MAX_GLYPH or not piece.glyph.isprintable():
            yield f"has a piece with the glyph {piece.glyph!r}; a glyph is one or two characters"
        if not 0 <= piece.side <= seats:
            yield f"has a piece of side {piece.side}; sides are 0 to {seats}"
        if _WORD.fullmatch(piece.kind) is None:
            yield f"has a piece of kind {piece.kind!r}, which is not of the form [a-z][a-z0-9-]*"


def _rest(made: Diagram) -> Iterator[str]:
    places = {(cell.x, cell.y) for cell in made.cells}
    for mark in made.marks:
        if (mark.x, mark.y) not in places or mark.kind not in MARKS:
            yield f"has a mark {mark.kind!r} at {mark.x},{mark.y}; the kinds are {', '.join(MARKS)}"
    for arrow in made.arrows:
        if not {(arrow.x1, arrow.y1), (arrow.x2, arrow.y2)} <= places:
            yield f"has an arrow from {arrow.x1},{arrow.y1} to {arrow.x2},{arrow.y2}, outside the cells"
    for label in made.labels:
        if not 1 <= len(label.text) <= _MAX_LABEL:
            yield f"has the label {label.text!r}; a label is 1 to {_MAX_LABEL} characters"
    for note in made.notes:
        if not note.isprintable():
            yield f"has the note {note!r}, which is not one printable line"
