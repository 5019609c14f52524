"""The drawings of the games' pieces, which ``piece_shapes.toml`` describes and holds."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

SIDE_BODIES: tuple[str, ...] = (
    '<circle r="43"/>',
    '<rect x="-39" y="-39" width="78" height="78" rx="13"/>',
    '<path d="M-22 -42H22L46 0L22 42H-22L-46 0Z"/>',
    '<path d="M-40 -38H40V4Q38 32 0 47Q-38 32 -40 4Z"/>',
)
"""The tokens of seats 1 to 4: circle, square, hexagon and shield."""

NEUTRAL_BODY = '<circle r="38"/><circle class="tb-ring" r="31"/>'
"""The body of a piece of no side and of unknown kind."""


@dataclass(frozen=True, slots=True)
class PieceShape:
    """The look of a kind of piece.

    ``figure`` is SVG in ink; class ``tb-pen`` makes a path a line, and ``tb-thin`` a thin one. ``body`` is
    the outline below it, or "" for the token of the side. ``name`` is for screen readers. ``letter`` is the y
    of the baseline of the letter that may replace the figure.
    """

    name: str
    figure: str
    body: str = ""
    letter: int = 15


_FILE = Path(__file__).with_suffix(".toml")
DRAWINGS = msgspec.toml.decode(_FILE.read_bytes(), type=dict[str, PieceShape])
"""By kind of piece, or kind and glyph."""


def drawing_of(kind: str, glyph: str) -> PieceShape | None:
    """The drawing of a kind of piece (the glyph tells whirlwinds apart), or None for unknown kinds."""
    return DRAWINGS.get(f"{kind}-{glyph}") or DRAWINGS.get(kind)
