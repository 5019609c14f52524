"""A drawing of a position of any variant, from its FEN alone."""

import re
from collections.abc import Iterator

from tourney.games.chess.diagram import KINDS
from tourney.games.diagrams import Arrow, Cell, Diagram, Label, Mark, Piece, plain_diagram

_TOKEN = re.compile(r"([0-9]+)|(\+?)([A-Za-z])(~?)|(\*)")
_MOVE = re.compile(r"(?:[A-Za-z]@|\+?([a-z])([0-9]+))([a-z])([0-9]+)")
_SIDES = ("White", "Black")


def diagram_of(view: str, last: str | None, start: str) -> Diagram:
    """The diagram of a FEN, with the last move marked. Figures are drawn for chess's own letters."""
    board, turn, *rest = view.split(" ")
    placed, _, hand = board.partition("[")
    ranks = placed.split("/")
    figures = set(re.findall("[A-Z]", start.partition("[")[0].split(" ")[0].upper())) <= set(KINDS)
    rows = [list(_row(rank)) for rank in ranks]
    width, height = max(map(len, rows)), len(rows)
    if not 1 <= width <= 26 or any(len(row) != width for row in rows):
        return plain_diagram(view, last)

    def xy(file: int, rank: int) -> tuple[int, int]:
        return 2 * file, 2 * (height - 1 - rank)

    cells, pieces = [], []
    for index, row in enumerate(rows):
        rank = height - 1 - index
        for file, letter in enumerate(row):
            name = f"{chr(ord('a') + file)}{rank + 1}"
            kind = "mountain" if letter == "*" else "light" if (file + rank) % 2 else "dark"
            cells.append(Cell(*xy(file, rank), kind, name))
            if letter not in ("", "*"):
                pieces.append(_piece(letter, *xy(file, rank), name, figures=figures))
    labels = [Label(2 * file, 2 * height, chr(ord("a") + file)) for file in range(width)]
    labels += [Label(-2, 2 * (height - 1 - rank), str(rank + 1)) for rank in range(height)]
    notes = [f"{_SIDES[turn == 'b']} to move", *(f"hand: {hand.rstrip(']') or '-'}" for _ in "1" if hand)]
    notes += [f"FEN: {' '.join(rest)}"] if rest else []
    marks: list[Mark] = []
    arrows: list[Arrow] = []
    names = {cell.name: (cell.x, cell.y) for cell in cells}
    if last:
        notes.append(f"last: {last}")
        found = _MOVE.match(last)
        origin = names.get(f"{found[1]}{found[2]}") if found and found[1] else None
        target = names.get(f"{found[3]}{found[4]}") if found else None
        marks += [Mark(*place, kind) for place, kind in ((origin, "from"), (target, "to")) if place]
        if origin and target:
            arrows.append(Arrow(*origin, *target))
    return Diagram(tuple(cells), tuple(pieces), tuple(marks), tuple(arrows), tuple(labels), tuple(notes))


def _row(rank: str) -> Iterator[str]:
    """Yield the places of a rank: "" for an empty one, ``*`` for a wall, a piece with ``+`` if promoted."""
    for number, plus, letter, _, wall in _TOKEN.findall(rank):
        if number:
            yield from [""] * min(int(number), 30)
        else:
            yield wall or plus + letter


def _piece(text: str, x: int, y: int, name: str, *, figures: bool) -> Piece:
    letter = text[-1]
    side = 1 if letter.isupper() else 2
    kind = KINDS.get(letter.upper(), "token") if figures and len(text) == 1 else "token"
    said = kind.removeprefix("chess-") if kind != "token" else text.upper()
    return Piece(x, y, text, side, kind, f"{_SIDES[side - 1]} {said} {name}")
