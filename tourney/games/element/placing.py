"""Places stones: the Rule of Replacement and the effect of each stone (for rivers see ``rivers``)."""

from typing import NamedTuple

from tourney.games.element.board import (
    COMPASS,
    EARTH,
    ELEMENTS,
    EMPTY,
    FIRE,
    ORTHOGONAL,
    RANGE_EARTH,
    RAYS,
    WATER,
    WHIRLWIND,
    add_earth,
)

Bag = tuple[int, int, int, int]
"""Counts of stones, in the order of ``ELEMENTS``."""

AIRS, EARTHS, FIRES, WATERS = range(4)

MAY_TAKE: dict[str, tuple[int, ...]] = {
    "A": (EMPTY, EARTH, *range(1, WHIRLWIND)),
    "E": (EMPTY, WATER, EARTH, RANGE_EARTH),
    "F": (EMPTY, *range(1, WHIRLWIND + 1)),
    "W": (EMPTY, FIRE),
}
"""By letter: the codes of squares where the stone may be placed."""

_FREE_FIRE_ORDER = tuple(COMPASS[letter] for letter in "nesw")


class Placed(NamedTuple):
    """The board, the bag and the used squares after a placement."""

    board: bytes
    bag: Bag
    used: frozenset[int]


def place(board: bytes, bag: Bag, used: frozenset[int], letter: str, square: int) -> Placed:
    """Place a stone of the hand and carry out its effect.

    Of a river only the headwater is placed; it flows in later actions.
    """
    new = bytearray(board)
    counts = list(bag)
    lost = []
    if letter == "A":
        if board[square] == EARTH:
            counts[EARTHS] += 1
            new[square] = 1
        else:
            new[square] += 1
    elif letter == "E":
        if board[square] == WATER:
            counts[WATERS] += 1
            new[square] = EMPTY
        add_earth(new, square)
    elif letter == "F":
        lost.append(square)
        counts[AIRS] += board[square]
        new[square] = FIRE
        for target in free_fires(new, square)[: counts[FIRES]]:
            lost.append(target)
            counts[AIRS] += board[target]
            counts[FIRES] -= 1
            new[target] = FIRE
    else:
        if board[square] == FIRE:
            counts[FIRES] += 1
        new[square] = WATER
    a, e, f, w = counts
    return Placed(bytes(new), (a, e, f, w), used.difference(lost) if used and lost else used)


def free_fires(board: bytes | bytearray, square: int) -> list[int]:
    """Return the squares of free Fires for a Fire on a square: north, east, south, west. Ignores the bag."""
    found = []
    rays = RAYS[square]
    for direction in _FREE_FIRE_ORDER:
        for k, target in enumerate(rays[direction]):
            code = board[target]
            if code != FIRE:
                if k and code <= WHIRLWIND:
                    found.append(target)
                break
    return found


def fed_from(board: bytes, target: int) -> list[int]:
    """Return the squares from which a placed Fire would send a free Fire to an empty square."""
    found = []
    for direction in _FREE_FIRE_ORDER:
        for k, square in enumerate(RAYS[target][direction]):
            if board[square] != FIRE:
                if k:
                    found.append(square)
                break
    return found


def forms_river(board: bytes | bytearray, square: int) -> bool:
    """Say whether a Water on a square is next to Water, so that a river forms and flows."""
    return any(board[neighbour] == WATER for neighbour in ORTHOGONAL[square])


def flow(board: bytes, bag: Bag, river: tuple[int, ...], path: tuple[int, ...]) -> tuple[bytes, Bag]:
    """Return the board and the bag after a river has moved from its squares to the path."""
    new = bytearray(board)
    a, e, f, w = bag
    for square in river:
        new[square] = EMPTY
    for square in path:
        f += board[square] == FIRE
        new[square] = WATER
    return bytes(new), (a, e, f, w)


def returned(bag: Bag, hand: str) -> Bag:
    """Return the bag with the stones of a hand added."""
    a, e, f, w = (count + hand.count(letter) for count, letter in zip(bag, ELEMENTS, strict=True))
    return a, e, f, w


def taken(bag: Bag, hand: str) -> Bag:
    """Return the bag without the stones of a hand."""
    a, e, f, w = (count - hand.count(letter) for count, letter in zip(bag, ELEMENTS, strict=True))
    return a, e, f, w
