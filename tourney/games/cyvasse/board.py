"""The hex board of 88 squares in nine rows, its terrain, tiles and pieces, and actions as ints.

A square is a *number*: 13 times its row (a is 0) plus its *column*, 1 to 12. Columns run north-west, so each
of the six directions is a constant difference of numbers. Rotation of the board by 180 degrees maps s to
``117 - s``. Terrain is a character and pieces are a byte per square number.

A *pattern* is the four squares of a block, NW, NE, SW, SE, as ``.`` plain, ``M`` mountain, ``W`` water. So a
turned tile (180 degrees) has the reversed pattern.

Actions as ints sort like their strings within every list of legal actions. In play an action is
``prefix << 14 | rank of the next square << 7 | (0 or 1 + rank of the last square)``. The prefixes (``a1-``,
``a1x``, ..., ``done``) are numbered in the order of their strings. The set-up's actions are greater than all
of these.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from tourney.errors import ActionError
from tourney.games.core_game import IntAction

ROWS = "abcdefghi"
LENGTHS = (8, 9, 10, 11, 12, 11, 10, 9, 8)
STRIDE = 13
SIZE = STRIDE * len(ROWS)
"""One more than the largest number: the length of tables by square, which include unused numbers."""

WEST, EAST = -1, 1
NORTH_WEST, SOUTH_EAST = STRIDE, -STRIDE
NORTH_EAST, SOUTH_WEST = STRIDE + 1, -STRIDE - 1
DIRECTIONS = (WEST, EAST, NORTH_WEST, SOUTH_EAST, NORTH_EAST, SOUTH_WEST)
"""In pairs of opposites: the opposite of the k-th is at ``k ^ 1``."""


def square(row: int, i: int) -> int:
    """The number of square ``i`` (from 1 at the west) of row ``row`` (a is 0)."""
    return STRIDE * row + i + max(0, row - 4)


def turned(s: int) -> int:
    """The image of ``s`` when the board is rotated by 180 degrees."""
    return SIZE - s


NUMBER = {f"{ROWS[row]}{i}": square(row, i) for row in range(9) for i in range(1, LENGTHS[row] + 1)}
"""The squares by name, from a1 east and north."""
SQUARES = tuple(NUMBER.values())  # all squares, ascending
NAMES = tuple(map({s: name for name, s in NUMBER.items()}.get, range(SIZE), [""] * SIZE))
"""The squares' names; "" for a number that is not a square."""
BY_RANK = tuple(NUMBER[name] for name in sorted(NUMBER))  # the squares in the order of their names
RANK = tuple(BY_RANK.index(s) if NAMES[s] else -1 for s in range(SIZE))

ROW_SLICES = tuple(slice(square(row, 1), square(row, LENGTHS[row]) + 1) for row in reversed(range(9)))
"""The slices of rows i to a in a sequence by square number."""

SIDE = {
    1: tuple(s for s in SQUARES if s < square(4, 1)),
    2: tuple(s for s in SQUARES if s >= square(5, 1)),
}
"""Each seat's own side."""

GROUNDS = PLAIN, MOUNTAIN, WATER, UNLAID = ".MW?"

BARE = "".join(
    PLAIN if square(4, 1) <= s <= square(4, 12) else UNLAID if NAMES[s] else " " for s in range(SIZE)
)
"""The terrain at the start, a character per square number: only row e is known."""

SEAT_NAMES = ("White", "Black")


class PieceKind(NamedTuple):
    """A kind of piece, as in the table of the rules page."""

    code: str
    name: str
    number: int
    armour: int  # the number of engaging enemy pieces that a capture needs
    move: int
    engages: tuple[int, ...]  # the distances at which it engages


_NONE, _LIGHT, _HEAVY = 0, 1, 2

KINDS = (
    PieceKind("R", "Rabble", 6, _LIGHT, 1, (1,)),
    PieceKind("S", "Spears", 3, _LIGHT, 1, (1,)),
    PieceKind("L", "Light Horse", 3, _LIGHT, 3, (1,)),
    PieceKind("H", "Heavy Horse", 2, _HEAVY, 2, (1,)),
    PieceKind("E", "Elephant", 2, _HEAVY, 1, (1, 2)),
    PieceKind("C", "Crossbows", 2, _NONE, 2, (1, 2, 3)),
    PieceKind("T", "Trebuchet", 1, _NONE, 1, (2, 3, 4)),
    PieceKind("D", "Dragon", 1, _HEAVY, 4, (1, 2)),
    PieceKind("W", "Tower", 2, _HEAVY, 0, (1,)),
    PieceKind("K", "King", 1, _LIGHT, 1, (1,)),
)
NAME_OF = {kind.code: kind.name for kind in KINDS}
CODES = "".join(kind.code for kind in KINDS)
PUT_ORDER = "".join(kind.code * kind.number for kind in KINDS if kind.code != "K")
"""The pieces in the order of their placement, after the King."""

STEPS = 1 + 8 + len(PUT_ORDER)
"""The number of actions in a seat's set-up: the king tile, eight more tiles, and the pieces but the King."""

PIECES = "." + CODES + CODES.lower()
"""Characters of a square in a position string."""
EMPTY = ord(".")
NO_PIECES = bytes(EMPTY if NAMES[s] else ord(" ") for s in range(SIZE))


def own_code(seat: int, code: str) -> str:
    """A seat's code of a kind: a capital for White, a small letter for Black."""
    return code if seat == 1 else code.lower()


Shape = Literal["L", "R"]

TILES = (1, 2, 3, 4, 5, 6, 7, 8)
FACES: dict[Shape, tuple[str, ...]] = {
    "L": ("M..M", "WW..", "M...", ".W..", "M...", ".W..", "....", "...."),
    "R": (".M..", "W...", "W...", ".M..", "....", "....", "....", "...."),
}
"""The patterns of tiles 1 to 8, by the shape of the block."""


class Block(NamedTuple):
    """The place of a tile: its shape and its squares NW, NE, SW, SE from the seat's own view."""

    shape: Shape
    squares: tuple[int, ...]


class KingPlan(NamedTuple):
    """The layout that a king tile determines: its king square, all its squares, and the eight blocks."""

    king: int
    covers: tuple[int, ...]
    blocks: tuple[Block, ...]


# Each block has two rows; these are the upper ones.
_UPPER_BLOCKS_ROW = 3
_LOWER_BLOCKS_ROW = 1


def _block(shape: Shape, upper: int, i: int) -> Block:
    """The block whose NW square is number ``i`` of a row; the lower row of shape R is shifted to the west."""
    low = i - (shape == "R")
    corners = (upper, i), (upper, i + 1), (upper - 1, low), (upper - 1, low + 1)
    return Block(shape, tuple(square(*corner) for corner in corners))


def _plan(king: str, covers: str, left: int) -> KingPlan:
    """The plan of a king tile with ``left`` blocks of shape L on its left in each pair of rows."""
    blocks: list[Block] = []
    for upper in (_UPPER_BLOCKS_ROW, _LOWER_BLOCKS_ROW):
        blocks += [_block("L", upper, 2 * n - 1) for n in range(1, left + 1)]
        blocks += [
            _block("R", upper, 2 * n + (4 if upper == _UPPER_BLOCKS_ROW else 2)) for n in range(left, 4)
        ]
    return KingPlan(NUMBER[king], tuple(NUMBER[name] for name in covers.split()), tuple(blocks))


def _turned_plan(plan: KingPlan) -> KingPlan:
    blocks = tuple(Block(block.shape, tuple(map(turned, block.squares))) for block in plan.blocks)
    return KingPlan(turned(plan.king), tuple(map(turned, plan.covers)), blocks)


_WHITE = (
    _plan("b3", "d3 d4 d5 c3 c4 b3", 1),
    _plan("b5", "d5 d6 d7 c5 c6 b5", 2),
    _plan("b7", "d7 d8 d9 c7 c8 b7", 3),
)
PLANS: dict[int, tuple[KingPlan, ...]] = {
    1: _WHITE,
    2: tuple(sorted(map(_turned_plan, _WHITE), key=lambda plan: plan.king)),
}
"""The three plans of each seat, in the order of their king squares."""


def offers(shape: Shape, tile: int) -> tuple[str, ...]:
    """The patterns of a tile on a block: unturned and, if different, turned."""
    face = FACES[shape][tile - 1]
    return (face,) if face == face[::-1] else (face, face[::-1])


def laid_tiles(plan: KingPlan, ground: str, blocks: int) -> frozenset[frozenset[int]]:
    """The sets of tiles that can produce the terrain of the first ``blocks`` blocks of a plan.

    The squares of the king tile are ignored.
    """
    sets = frozenset([frozenset[int]()])
    for block in plan.blocks[:blocks]:
        pattern = "".join(ground[s] for s in block.squares)
        fitting = [tile for tile in TILES if pattern in offers(block.shape, tile)]
        sets = frozenset(used | {tile} for used in sets for tile in fitting if tile not in used)
    return sets


def shows_king_tile(plan: KingPlan, ground: str) -> bool:
    """Whether the terrain is plain under the king tile."""
    return all(ground[s] == PLAIN for s in plan.covers)


def can_be_laid(plan: KingPlan, ground: str) -> bool:
    """Whether the nine tiles can produce the terrain with this plan."""
    return shows_king_tile(plan, ground) and bool(laid_tiles(plan, ground, len(plan.blocks)))


PREFIXES = sorted([*(f"{name}-" for name in NUMBER), *(f"{name}x" for name in NUMBER), "done"])
"""Beginnings of the actions in play. A code holds its index here, shifted by 14 bits."""
_PREFIX = {text: k << 14 for k, text in enumerate(PREFIXES)}

DONE = _PREFIX["done"]
MOVES_FROM = tuple(_PREFIX[f"{name}-"] if name else 0 for name in NAMES)
"""The prefix of normal moves, by square."""
CAPTURES_FROM = tuple(_PREFIX[f"{name}x"] if name else 0 for name in NAMES)
"""The prefix of captures, by square."""
TO = tuple(RANK[s] << 7 if s in SQUARES else 0 for s in range(SIZE))
"""The summand for the target or the captured square, by square."""
RIDE_TO = tuple(RANK[s] + 1 if s in SQUARES else 0 for s in range(SIZE))
"""The summand for the square that a horse rides on to, by square."""

_SET_UP = 1 << 24
LAY_KING = _SET_UP
LAY_TILE = _SET_UP + 256
PUT = _SET_UP + 512
KING_SQUARES = sorted((plan.king for plans in PLANS.values() for plan in plans), key=NAMES.__getitem__)


def lay_king(s: int) -> int:
    """The action that lays the king tile with the King on ``s``."""
    return LAY_KING + KING_SQUARES.index(s)


_SET_UP_STRINGS = {
    **{lay_king(s): f"king-{NAMES[s]}" for s in KING_SQUARES},
    **{LAY_TILE + 2 * k: f"tile-{k}" for k in TILES},
    **{LAY_TILE + 2 * k + 1: f"tile-{k}t" for k in TILES},
    **{PUT + RANK[s]: f"put-{NAMES[s]}" for s in BY_RANK},
}
_SET_UP_ACTIONS = {text: action for action, text in _SET_UP_STRINGS.items()}


@lru_cache(16384)
def action_string(action: int) -> str:
    """The string of an action."""
    if action >= _SET_UP:
        return _SET_UP_STRINGS[action]
    if action == DONE:
        return "done"
    text = PREFIXES[action >> 14] + NAMES[BY_RANK[action >> 7 & 127]]
    return f"{text}-{NAMES[BY_RANK[(action & 127) - 1]]}" if action & 127 else text


class CyvasseAction(IntAction, text=action_string):
    """An action."""

    __slots__ = ()


@lru_cache(16384)
def parse_action(text: str) -> CyvasseAction:
    """The action of a string, legal or not. Raises ActionError."""
    return CyvasseAction(_parsed(text))


def _parsed(text: str) -> int:
    if text in _SET_UP_ACTIONS:
        return _SET_UP_ACTIONS[text]
    if text == "done":
        return DONE
    start, capture, end = text.partition("x")
    if capture:
        victim, ride, beyond = end.partition("-")
        if start in NUMBER and victim in NUMBER and (beyond in NUMBER if ride else not beyond):
            return (
                CAPTURES_FROM[NUMBER[start]] + TO[NUMBER[victim]] + (RIDE_TO[NUMBER[beyond]] if ride else 0)
            )
    else:
        start, _, end = text.partition("-")
        if start in NUMBER and end in NUMBER:
            return MOVES_FROM[NUMBER[start]] + TO[NUMBER[end]]
    raise ActionError(
        f"{text!r} is not an action of cyvasse; write FROM-TO, FROMxSQUARE, FROMxSQUARE-TO or done,"
        " in the set-up king-SQUARE, tile-K, tile-Kt or put-SQUARE"
    )


def behind(start: int, target: int) -> int:
    """The neighbour of a square away from a target on a line, or the square itself."""
    for direction in DIRECTIONS:
        s = start + direction
        while 0 < s < len(NAMES) and NAMES[s]:
            if s == target:
                return start - direction if NAMES[start - direction] else start
            s += direction
    return start


def written(actions: Sequence[str]) -> Iterator[str]:
    """Yield the actions of a game as people write them: in play with the code of the piece that moves."""
    code_at: dict[str, str] = {}
    put = 0
    for text in actions:
        word, *squares = re.split("[-x]", text)
        if word == "king":
            code_at[squares[0]] = "K"
            put = 0
            yield f"King\u00a0{squares[0]}"
        elif word == "put":
            code_at[squares[0]] = code = PUT_ORDER[put]
            put += 1
            yield f"{NAME_OF[code]} {squares[0]}".replace(" ", "\u00a0")
        elif word in {"tile", "done"}:
            yield text.replace("-", "\u00a0").removesuffix("t") + "\u00a0turned" * text.endswith("t")
        else:
            code = code_at.pop(word, "")
            end = squares[-1]
            if "x" in text:
                code_at.pop(squares[0], None)
                end = NAMES[behind(NUMBER[word], NUMBER[end])] if code == "T" else end
            code_at[end] = code
            yield code + text


QUIET_LIMIT = 100  # consecutive turns without a capture that end the game in a draw
TURN_LIMIT = 400  # turns after the set-up that end the game in a draw
REPETITIONS = 3  # occurrences of the same position at the start of a turn that end the game in a draw


class Phase(NamedTuple):
    """The next step: ``word`` is king, tile, put, play, rabble, or hidden in an observation."""

    word: str
    left: tuple[int, ...] = ()  # for the word tile: the tiles left
    placed: int = 0  # for the word put: the number of pieces placed, of 22
    rabble: int = 0  # for the word rabble: the square of the Rabble that moved first


class CyvassePosition(NamedTuple):
    """The six fields of a position string; ground and board are by square number."""

    ground: str
    board: bytes
    seat: int
    phase: Phase
    quiet: int
    turn: int

    @property
    def in_play(self) -> bool:
        """Whether the set-up is over."""
        return self.phase.word in {"play", "rabble"}


START = CyvassePosition(BARE, NO_PIECES, 1, Phase("king"), 0, 0)
