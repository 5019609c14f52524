"""Rivers and the paths that they can flow.

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
    EMPTY,
    FIRE,
    ORTHOGONAL,
    RAYS,
    WATER,
    Board,
    ways_out,
)

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
