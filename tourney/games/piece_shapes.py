"""The drawings of the games' pieces: a body in the colour of the side, and a figure in ink on it.

All paths are drawn for Tourney, around the origin, in a square of about 90 units (a cell is 104 wide), with
integer coordinates. A piece of a side stands on that side's token: the four tokens differ in their outline,
so sides differ without colour. A neutral piece has an outline of its own.
"""

from dataclasses import dataclass

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


def drawing_of(kind: str, glyph: str) -> PieceShape | None:
    """The drawing of a kind of piece (the glyph tells whirlwinds apart), or None for unknown kinds."""
    return DRAWINGS.get(f"{kind}-{glyph}") or DRAWINGS.get(kind)


def _fill(path: str) -> str:
    return f'<path d="{path}"/>'


def _pen(path: str, style: str = "tb-pen") -> str:
    return f'<path class="{style}" d="{path}"/>'


_FUNNEL = "M-46 -42H46Q40 -12 16 4Q10 28 -6 46Q-8 24 -20 6Q-44 -14 -46 -42Z"
_BARS = ("M-30 -28H30", "M-20 -13H22", "M-10 2H12", "M-5 16H5")


def _whirlwind(winds: int) -> PieceShape:
    """A funnel with a bar for each Wind."""
    return PieceShape(f"whirlwind of {winds}", _pen("".join(_BARS[:winds])), _fill(_FUNNEL), letter=5)


_PIPS = {1: (4,), 2: (2, 6), 3: (2, 4, 6), 4: (0, 2, 6, 8), 5: (0, 2, 4, 6, 8), 6: (0, 2, 3, 5, 6, 8)}
"""The pips of a die's face, by their places in a square of nine."""


def _die(face: int) -> PieceShape:
    """A die with a face up."""
    pips = "".join(
        f'<circle cx="{20 * (place % 3 - 1)}" cy="{20 * (place // 3 - 1)}" r="8"/>' for place in _PIPS[face]
    )
    return PieceShape(f"die {face}", pips, '<rect x="-36" y="-36" width="72" height="72" rx="15"/>')


DRAWINGS: dict[str, PieceShape] = {
    # Sages Tafl, The Seven Sages and Element
    "sage": PieceShape(
        "sage",
        _fill(
            "M-4 -37L12 -12H-20ZM-25 -10H17V-4H-25ZM-15 -1H7Q6 15 -4 23Q-14 15 -15 -1Z"
            "M-19 5Q-26 18 -28 33H20Q18 18 11 5Q8 22 -4 31Q-16 22 -19 5Z"
        )
        + _pen("M28 -16V33")
        + '<circle cx="28" cy="-23" r="7"/>',
    ),
    "apprentice": PieceShape(
        "apprentice",
        '<circle cy="-18" r="13"/>' + _fill("M-27 33Q-27 -2 0 -2Q27 -2 27 33ZM-12 13V24L0 28L12 24V13L0 17Z"),
    ),
    "skyship": PieceShape(
        "skyship",
        _fill("M-41 -14Q-32 -33 -8 -33Q12 -33 24 -20L40 -33V5L24 -8Q12 5 -8 5Q-32 5 -41 -14Z")
        + _fill("M-30 16H18Q14 32 2 32H-14Q-26 32 -30 16Z")
        + _pen("M-22 1V18M10 1V18", "tb-pen tb-thin"),
    ),
    "fool": PieceShape(
        "fool",
        _pen("M-26 25H26")
        + '<circle cx="-10" cy="2" r="4"/><circle cx="10" cy="2" r="4"/>'
        + _pen("M-9 11Q0 18 9 11", "tb-pen tb-thin"),
        _fill(
            "M-29 38V15C-32 3 -33 -2 -39 -2A7 7 0 1 1 -37 -16C-28 -19 -18 -17 -13 -6C-13 -19 -10 -26 -4 -30"
            "A7 7 0 1 1 4 -30C10 -26 13 -19 13 -6C18 -17 28 -19 37 -16A7 7 0 1 1 39 -2C33 -2 32 3 29 15V38Z"
        ),
        letter=28,
    ),
    # Sage Stones
    "stone": PieceShape("stone", _pen("M-24 -7Q-20 -23 -4 -25M12 23Q22 18 25 7")),
    "second-stone": PieceShape("second stone", '<circle class="tb-pen" r="21"/><circle r="6"/>'),
    # Element
    "fire": PieceShape(
        "fire",
        _fill("M3 2C5 10 15 15 15 26A15 12 0 0 1 -15 26C-15 18 -9 16 -7 9C-3 11 -2 13 -1 16C2 12 4 7 3 2Z"),
        _fill(
            "M4 -47C9 -28 37 -16 37 13A37 31 0 0 1 -37 13C-37 -6 -25 -11 -23 -29C-13 -24 -9 -17 -7 -9"
            "C2 -19 7 -32 4 -47Z"
        ),
        letter=26,
    ),
    "water": PieceShape(
        "water",
        _pen("M-22 7q11 -12 22 0t22 0M-17 24q8 -9 17 0t17 0"),
        _fill("M0 -47Q41 2 36 16A36 31 0 0 1 -36 16Q-41 2 0 -47Z"),
        letter=24,
    ),
    "earth": PieceShape(
        "earth",
        _pen("M-24 -14H-2L6 -4H25M-25 16H-8L0 6L10 16H25"),
        _fill("M-28 -38H22L40 -24V26L30 38H-24L-40 28V-22Z"),
    ),
    "range": PieceShape(
        "earth of a range",
        _fill("M-34 28L-14 -6L-2 12L12 -14L34 28Z"),
        _fill("M-42 38V-4L-22 -36H24L42 -8V38Z"),
        letter=20,
    ),
    "mountain": PieceShape(
        "mountain",
        _fill("M-10 -38L-29 -5L-18 -12L-10 2L-2 -11L7 -3L2 -13ZM16 -15L7 -2L15 1L20 8L28 3Z"),
        _fill("M-48 39L-10 -45L8 -10L16 -24L48 39Z"),
        letter=32,
    ),
    "wind": PieceShape(
        "wind",
        _pen("M-28 -8H9A10 10 0 1 0 0 -21M-20 7H20A9 9 0 1 1 12 20M-14 21H-3"),
        _fill("M0 -45Q32 -34 45 0Q32 34 0 45Q-32 34 -45 0Q-32 -34 0 -45Z"),
    ),
    **{f"die-{face}": _die(face) for face in range(1, 7)},
    **{f"whirlwind-{winds}": _whirlwind(winds) for winds in (2, 3, 4)},
    # Nine-Tile Cyvasse
    "king": PieceShape(
        "king",
        _fill("M-27 20L-34 -15L-15 0L0 -26L15 0L34 -15L27 20ZM-27 25H27V33H-27Z")
        + '<circle cx="-34" cy="-19" r="5"/><circle cy="-31" r="5"/><circle cx="34" cy="-19" r="5"/>',
    ),
    "rabble": PieceShape(
        "rabble",
        '<circle cx="-11" cy="-15" r="11"/>'
        + _fill("M-33 33Q-33 0 -11 0Q11 0 11 33Z")
        + _pen("M25 33V-8M14 -30V-17Q14 -8 25 -8Q36 -8 36 -17V-30M25 -8V-30", "tb-pen tb-thin"),
    ),
    "spears": PieceShape(
        "spears",
        _fill("M0 -39L9 -20L0 -14L-9 -20ZM-24 -30L-15 -12L-24 -6L-33 -12ZM24 -30L33 -12L24 -6L15 -12Z")
        + _pen("M0 -14V35M-24 -8V30M24 -8V30"),
    ),
    "light-horse": PieceShape(
        "light horse",
        _pen("M-13 33Q-14 20 -4 6Q-12 12 -18 11L-27 15L-32 6L-15 -19L-12 -32L-2 -23Q25 -19 24 33Z")
        + '<circle cx="-9" cy="-9" r="3"/>',
    ),
    "heavy-horse": PieceShape(
        "heavy horse",
        _fill(
            "M-18 36Q-18 22 -8 9Q-14 15 -21 14L-30 18L-37 8L-21 -16L-34 -36L-11 -27Q4 -42 22 -34"
            "Q16 -30 17 -25Q36 -10 33 36ZM-12 -14L-8 -7L-1 -12ZM9 -16Q26 -2 24 27H18Q20 2 5 -11Z"
        ),
    ),
    "elephant": PieceShape(
        "elephant",
        _fill(
            "M-12 -26Q6 -34 22 -24Q38 -14 37 8V32H23V13H9V32H-5V12Q-14 12 -19 6V20Q-19 33 -34 33"
            "V25Q-28 26 -28 18V-6Q-28 -20 -12 -26ZM-10 -15Q4 -17 3 -3Q0 5 -7 2Q-12 -4 -10 -15Z"
        ),
    ),
    "crossbows": PieceShape(
        "crossbows",
        _pen("M-34 -2Q-26 -22 0 -22Q26 -22 34 -2M0 -22V35")
        + _pen("M-34 -2L0 14L34 -2", "tb-pen tb-thin")
        + _fill("M0 -41L10 -25H-10Z"),
    ),
    "trebuchet": PieceShape(
        "trebuchet",
        _pen("M5 -7L-10 33M5 -7L23 33M-34 34H36M-22 11L32 -33")
        + _fill("M-38 4H-13V26H-38Z")
        + _pen("M32 -33Q42 -20 36 -8", "tb-pen tb-thin")
        + '<circle cx="34" cy="-3" r="7"/>',
    ),
    "dragon": PieceShape(
        "dragon",
        _fill(
            "M-3 2C-8 -18 -22 -28 -42 -27C-36 -18 -38 -6 -40 8C-32 2 -26 4 -23 12C-18 6 -12 7 -9 14"
            "C-10 24 -2 31 12 30L12 38L28 27L12 17L12 23C6 24 2 21 4 14C8 7 16 6 21 12C24 4 30 2 38 8"
            "C36 -6 34 -18 40 -27C24 -28 12 -20 7 -6C7 -14 13 -18 12 -28C11 -37 2 -41 -5 -39L-1 -34"
            "L-20 -29L-18 -23L-5 -24C1 -24 -3 -14 -3 2Z"
        ),
    ),
    "tower": PieceShape(
        "tower",
        _fill(
            "M-28 34V24H-20V-10L-28 -16V-33H-16V-24H-6V-33H6V-24H16V-33H28V-16L20 -10V24H28V34Z"
            "M-6 24H6V10Q6 4 0 4Q-6 4 -6 10Z"
        ),
    ),
    # Chess: the pieces' own outlines, without tokens
    "chess-pawn": PieceShape(
        "pawn",
        _pen("M-17 25H17", "tb-pen tb-thin"),
        _fill(
            "M0 -35Q15 -35 15 -21Q15 -14 10 -9Q18 -3 12 5Q13 17 25 28V37H-25V28Q-13 17 -12 5"
            "Q-18 -3 -10 -9Q-15 -14 -15 -21Q-15 -35 0 -35Z"
        ),
    ),
    "chess-knight": PieceShape(
        "knight",
        '<circle cx="-12" cy="-17" r="4"/>' + _pen("M20 27Q22 -6 6 -22", "tb-pen tb-thin"),
        _fill(
            "M-6 -42L4 -33Q34 -27 33 12V37H-24Q-24 20 -6 8Q-1 2 -3 -5Q-12 4 -20 4L-25 13L-35 8"
            "Q-39 -2 -28 -14Q-24 -26 -13 -32Z"
        ),
    ),
    "chess-bishop": PieceShape(
        "bishop",
        _pen("M0 -17V1M-9 -8H9M-13 17H13", "tb-pen tb-thin"),
        _fill(
            "M0 -44Q8 -44 7 -36Q7 -32 4 -30Q22 -15 20 1Q17 10 11 13L14 22Q29 24 35 37H-35"
            "Q-29 24 -14 22L-11 13Q-17 10 -20 1Q-22 -15 -4 -30Q-7 -32 -7 -36Q-8 -44 0 -44Z"
        ),
    ),
    "chess-rook": PieceShape(
        "rook",
        _pen("M-18 -14H18M-21 20H21", "tb-pen tb-thin"),
        _fill(
            "M-28 -37H-16V-27H-7V-37H7V-27H16V-37H28V-19L20 -11L23 20L31 28V37H-31V28L-23 20L-20 -11L-28 -19Z"
        ),
    ),
    "chess-queen": PieceShape(
        "queen",
        _pen("M-24 13Q0 4 24 13M-23 26Q0 20 23 26", "tb-pen tb-thin"),
        _fill(
            "M-37 -27L-23 -4L-18 -35L-7 -7L0 -42L7 -7L18 -35L23 -4L37 -27L29 13Q25 21 28 28V37"
            "H-28V28Q-25 21 -29 13Z"
        ),
    ),
    "chess-king": PieceShape(
        "king",
        _pen("M-24 12Q0 3 24 12M-23 26Q0 20 23 26", "tb-pen tb-thin"),
        _fill(
            "M-5 -46H5V-39H12V-30H5V-22Q15 -31 27 -25Q40 -15 28 5L24 17L28 28V37H-28V28L-24 17"
            "L-28 5Q-40 -15 -27 -25Q-15 -31 -5 -22V-30H-12V-39H-5Z"
        ),
    ),
}
"""By kind of piece, or kind and glyph."""
