"""Places stones: the Rule of Replacement, the effect of each stone, and the paths that rivers can flow.

A path leaves the headwater square by square, over different squares that are empty or hold Fire. It is *full*
when it has as many squares as the river and leaves the mover's own sage a way out.

A depth-first search for the first full path is fast: on an open board its first try succeeds, and on a
crowded one there are few tries. A river has at most 11 stones, and the worst board found by annealing visits
some 500 squares. Pruning by reachable squares costs more than it saves.
"""

from itertools import compress

from tourney.games.element.board import (
    COMPASS,
    DISTANCE,
    EARTH,
    ELEMENTS,
    EMPTY,
    FIRE,
    ORTHOGONAL,
    RANGE_EARTH,
    RAYS,
    WATER,
    WHIRLWIND,
    Board,
    add_earth,
    ways_out,
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


Placed = tuple[bytes, Bag, frozenset[int]]
"""The board, the bag and the used squares after a placement."""


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
    return bytes(new), (a, e, f, w), used.difference(lost) if used and lost else used


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


def moved_stones(bag: Bag, hand: str, sign: int) -> Bag:
    """Return the bag with the stones of a hand added (``sign`` 1) or taken out (-1)."""
    a, e, f, w = (count + sign * hand.count(letter) for count, letter in zip(bag, ELEMENTS, strict=True))
    return a, e, f, w


_OPEN = bytes(code in (EMPTY, FIRE) for code in range(256))
_IS_WATER = bytes(code == WATER for code in range(256))
_BEYOND = tuple(
    tuple(
        (RAYS[square][(direction + 4) % 8][0], RAYS[square][direction])
        for direction in COMPASS.values()
        if RAYS[square][(direction + 4) % 8]
    )
    for square in range(len(RAYS))
)
"""By square: its orthogonal neighbours, each with the ray from there through the square and beyond."""


def river_lengths(board: Board, head: int) -> list[tuple[str, int]]:
    """Return the directions with Water next to a headwater, each with the number of stones of its river."""
    found = []
    for letter, direction in COMPASS.items():
        length = 1
        for square in RAYS[head][direction]:
            if board[square] != WATER:
                break
            length += 1
        if length > 1:
            found.append((letter, length))
    return found


def river_squares(board: Board, head: int, letter: str) -> tuple[int, ...]:
    """Return the squares of a river: the headwater and the unbroken Water in a direction."""
    length = dict(river_lengths(board, head)).get(letter, 1)
    return (head, *RAYS[head][COMPASS[letter]][: length - 1])


def open_directions(board: Board, sage: int, head: int) -> list[str]:
    """Return the sorted directions whose river has a full path; ``sage`` is the mover's own."""
    found = []
    for letter, length in river_lengths(board, head):
        river = river_squares(board, head, letter)
        if _flows(_open_squares(board), _ways_out_after(board, sage, river), head, length):
            found.append(letter)
    return found


def flow_directions(board: Board, sage: int, river: tuple[int, ...], path: tuple[int, ...]) -> list[str]:
    """Return the sorted directions in which a flow can continue to a full path."""
    left = len(river) - len(path) - 1
    tip = path[-1] if path else river[0]
    clear = _open_squares(board)
    for square in path:
        clear[square] = False
    outs = _ways_out_after(board, sage, river).difference(path)
    found = []
    for letter, direction in COMPASS.items():
        ray = RAYS[tip][direction]
        if ray and clear[ray[0]]:
            clear[ray[0]] = False
            if _flows(clear, outs - {ray[0]}, ray[0], left):
                found.append(letter)
            clear[ray[0]] = True
    return found


def path_squares(head: int, letters: str) -> tuple[int, ...] | None:
    """Return the squares of a path of letters, or None if it leaves the board."""
    path = []
    square = head
    for letter in letters:
        ray = RAYS[square][COMPASS[letter]]
        if not ray:
            return None
        square = ray[0]
        path.append(square)
    return tuple(path)


def is_path(board: Board, path: tuple[int, ...]) -> bool:
    """Say whether a river may flow over these squares: empty or Fire, without repetition."""
    return len(set(path)) == len(path) and all(_OPEN[board[square]] for square in path)


def impossible_heads(board: bytes, sage: int, open_steps: list[int]) -> tuple[set[int], list[int]]:
    """Return the open squares next to Water, and those of them where no river would have a full path.

    ``open_steps`` are the steps of the mover's sage.
    """
    shortest = _shortest_rivers(board)
    clear = _open_squares(board)
    impossible = []
    for head, length in shortest.items():
        near = DISTANCE[head]
        if len(open_steps) > length or any(not 0 < near[step] <= length for step in open_steps):
            # A step stays open: the path is too short to close all, or one is out of its reach, or one is the
            # headwater's square, which the river leaves. Longer rivers need longer paths, so the shortest
            # decides.
            clear[head] = False
            possible = _has_path(clear, head, length)
            clear[head] = True
        else:
            after = bytearray(board)
            after[head] = WATER
            possible = bool(open_directions(after, sage, head))
        if not possible:
            impossible.append(head)
    return set(shortest), impossible


def _shortest_rivers(board: bytes) -> dict[int, int]:
    """Return the open squares next to Water, with the number of stones of their shortest river."""
    shortest: dict[int, int] = {}
    for beyond in compress(_BEYOND, board.translate(_IS_WATER)):
        for head, ray in beyond:
            if _OPEN[board[head]]:
                length = 2
                for square in ray:
                    if board[square] != WATER:
                        break
                    length += 1
                if length < shortest.get(head, length + 1):
                    shortest[head] = length
    return shortest


def _open_squares(board: Board) -> bytearray:
    return bytearray(board.translate(_OPEN))


def _ways_out_after(board: Board, sage: int, river: tuple[int, ...]) -> set[int]:
    """Return the squares within one step or jump of a sage after the river has left."""
    lifted = bytearray(board)
    for square in river:
        lifted[square] = EMPTY
    return ways_out(lifted, sage)


def _flows(clear: bytearray, outs: set[int], tip: int, left: int) -> bool:
    """Say whether a path can continue for ``left`` clear squares without covering all of ``outs``."""
    if not outs:
        return False
    if len(outs) > left or not all(clear[square] for square in outs):
        return _has_path(clear, tip, left)
    for square in sorted(outs):
        clear[square] = False
        found = _has_path(clear, tip, left)
        clear[square] = True
        if found:
            return True
    return False


def _has_path(clear: bytearray, tip: int, left: int) -> bool:
    """Say whether ``left`` clear squares can follow ``tip``; ``clear`` is unchanged afterwards."""
    if left == 0:
        return True
    for square in ORTHOGONAL[tip]:
        if clear[square]:
            clear[square] = False
            found = _has_path(clear, square, left - 1)
            clear[square] = True
            if found:
                return True
    return False
