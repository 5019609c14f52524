"""The terrain tiles, the blocks for them, and the terrain that they can produce.

A *pattern* is the four squares of a block, NW, NE, SW, SE, as ``.`` plain, ``M`` mountain, ``W`` water. So a
turned tile (180 degrees) has the reversed pattern.
"""

from typing import Literal, NamedTuple

from tourney.games.cyvasse.board import NUMBER, PLAIN, square, turned

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
    squares: tuple[int, int, int, int]


class Plan(NamedTuple):
    """The layout that a king tile determines: its king square, all its squares, and the eight blocks."""

    king: int
    covers: tuple[int, ...]
    blocks: tuple[Block, ...]


def _left(n: int, upper: int) -> Block:
    i = 2 * n - 1
    return Block(
        "L", (square(upper, i), square(upper, i + 1), square(upper - 1, i), square(upper - 1, i + 1))
    )


def _right(n: int, upper: int) -> Block:
    i = 2 * n + 2 + (upper == _D) * 2
    return Block(
        "R", (square(upper, i), square(upper, i + 1), square(upper - 1, i - 1), square(upper - 1, i))
    )


_D, _B = 3, 1
"""The upper rows of the upper and of the lower blocks."""


def _plan(king: str, covers: str, left: int) -> Plan:
    blocks = [
        block
        for upper in (_D, _B)
        for block in (
            *(_left(n, upper) for n in range(1, left + 1)),
            *(_right(n, upper) for n in range(left, 4)),
        )
    ]
    return Plan(NUMBER[king], tuple(NUMBER[name] for name in covers.split()), tuple(blocks))


def _turned_plan(plan: Plan) -> Plan:
    blocks = []
    for block in plan.blocks:
        nw, ne, sw, se = map(turned, block.squares)
        blocks.append(Block(block.shape, (nw, ne, sw, se)))
    return Plan(turned(plan.king), tuple(map(turned, plan.covers)), tuple(blocks))


_WHITE = (
    _plan("b3", "d3 d4 d5 c3 c4 b3", 1),
    _plan("b5", "d5 d6 d7 c5 c6 b5", 2),
    _plan("b7", "d7 d8 d9 c7 c8 b7", 3),
)
PLANS: dict[int, tuple[Plan, ...]] = {
    1: _WHITE,
    2: tuple(sorted(map(_turned_plan, _WHITE), key=lambda plan: plan.king)),
}
"""The three plans of each seat, in the order of their king squares."""


def offers(shape: Shape, tile: int) -> tuple[str, ...]:
    """Return the patterns of a tile on a block: unturned and, if different, turned."""
    face = FACES[shape][tile - 1]
    return (face,) if face == face[::-1] else (face, face[::-1])


def laid_tiles(plan: Plan, ground: str, blocks: int) -> frozenset[frozenset[int]]:
    """Return the sets of tiles that can produce the terrain of the first ``blocks`` blocks of a plan.

    The squares of the king tile are ignored.
    """
    sets = frozenset([frozenset[int]()])
    for block in plan.blocks[:blocks]:
        pattern = "".join(ground[s] for s in block.squares)
        fitting = [tile for tile in TILES if pattern in offers(block.shape, tile)]
        sets = frozenset(used | {tile} for used in sets for tile in fitting if tile not in used)
    return sets


def shows_king_tile(plan: Plan, ground: str) -> bool:
    """Say whether the terrain is plain under the king tile."""
    return all(ground[s] == PLAIN for s in plan.covers)


def can_be_laid(plan: Plan, ground: str) -> bool:
    """Say whether the nine tiles can produce the terrain with this plan."""
    return shows_king_tile(plan, ground) and bool(laid_tiles(plan, ground, len(plan.blocks)))


def side_can_be_laid(seat: int, ground: str) -> bool:
    """Say whether the nine tiles can produce the terrain of a seat's side with any plan."""
    return any(can_be_laid(plan, ground) for plan in PLANS[seat])
