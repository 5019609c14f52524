"""A game as a film: its pictures in a compact form that a page swaps without knowing how to draw.

Whatever lies on the board is a sprite, drawn once; a frame says which sprites lie where. A page puts the
sprites into ``<defs>`` (``sprites_svg``), draws the ground once, and fills a group with one ``<use>`` each.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tourney.games.drawing import Drawing
from tourney.games.palette import SEAT_COLORS
from tourney.games.svg_board import Triple, ground_svg, placed, view_box


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture: the number of its ground, its sprites, lowest first, and its lines of text."""

    ground: int
    things: tuple[Triple, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Film:
    """The pictures of a game. ``box`` holds them all: left, top, width, height."""

    box: tuple[int, int, int, int]
    grounds: tuple[str, ...]
    sprites: tuple[str, ...]
    frames: tuple[Frame, ...]

    def sprites_svg(self, prefix: str = "tb") -> str:
        """Return the sprites as groups with the ids PREFIX0, PREFIX1, ..., for a ``<defs>`` element."""
        return "\n".join(f'<g id="{prefix}{k}">{look}</g>' for k, look in enumerate(self.sprites))

    def frame_svg(self, k: int, prefix: str = "tb") -> str:
        """Return what lies on the board in the k-th frame, as ``<use>`` elements of the sprites."""
        return "".join(f'<use href="#{prefix}{n}" x="{x}" y="{y}"/>' for n, x, y in self.frames[k].things)

    def as_json(self) -> dict[str, Any]:
        """Return the frames as JSON data: ``{"frames": [[GROUND, [SPRITE, X, Y, ...], [NOTE, ...]], ...]}``.

        The numbers of a frame's sprites lie flat in one list, three each. Grounds and sprites are not in it:
        they stand in the page.
        """
        return {
            "frames": [
                [frame.ground, [n for triple in frame.things for n in triple], list(frame.notes)]
                for frame in self.frames
            ]
        }


def film(drawings: Iterable[Drawing], colors: Sequence[str] = SEAT_COLORS) -> Film:
    """Return the film of drawings, in their order; ``colors`` are the seats' (``palette.seat_colors``)."""
    grounds: dict[str, int] = {}
    sprites: dict[str, int] = {}
    frames: list[Frame] = []
    boxes: set[tuple[int, int, int, int]] = set()
    for drawing in drawings:
        boxes.add(view_box(drawing))
        ground = grounds.setdefault(ground_svg(drawing, colors), len(grounds))
        things = tuple(
            (sprites.setdefault(look, len(sprites)), x, y) for look, _, x, y in placed(drawing, colors)
        )
        frames.append(Frame(ground, things, drawing.notes))
    return Film(_around(boxes), tuple(grounds), tuple(sprites), tuple(frames))


def _around(boxes: Iterable[tuple[int, int, int, int]]) -> tuple[int, int, int, int]:
    real = [box for box in boxes if box[2]]
    if not real:
        return 0, 0, 0, 0
    left, top = min(b[0] for b in real), min(b[1] for b in real)
    return left, top, max(b[0] + b[2] for b in real) - left, max(b[1] + b[3] for b in real) - top
