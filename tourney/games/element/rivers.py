"""Rivers: which squares one is, and the paths that it can flow.

A path leaves the headwater square by square, over squares that are wholly empty or hold Fire, none twice.
It is *full* when it has as many squares as the river and its end leaves the mover's own sage a way out.
Whether there is one is found by a search that gives a direction up as soon as too few squares are in
reach; paths are never listed.
"""

from tourney.games.element.board import COMPASS, EMPTY, FIRE, ORTHOGONAL, RAYS, WATER
from tourney.games.element.movement import Board, ways_out

_OPEN = bytes(code in (EMPTY, FIRE) for code in range(256))


def river_lengths(board: Board, head: int) -> list[tuple[str, int]]:
    """Return the directions in which Water lies beside a headwater, and the river's stones with it."""
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
    """Return a river's squares: the headwater's and the unbroken run of Water in a direction."""
    length = dict(river_lengths(board, head)).get(letter, 1)
    return (head, *RAYS[head][COMPASS[letter]][: length - 1])


def open_directions(board: Board, sage: int, head: int) -> list[str]:
    """Return the directions, sorted, whose river has a full path; the headwater lies on the board.

    ``sage`` is the mover's own sage.
    """
    found = []
    for letter, length in river_lengths(board, head):
        river = river_squares(board, head, letter)
        if _flows(_open_squares(board), _ways_out_after(board, sage, river), head, length):
            found.append(letter)
    return found


def flow_directions(board: Board, sage: int, river: tuple[int, ...], path: tuple[int, ...]) -> list[str]:
    """Return the directions, sorted, in which a flow may go on: a way to complete the path is left."""
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
            beyond = bytearray(clear)
            beyond[ray[0]] = False
            if _flows(beyond, outs - {ray[0]}, ray[0], left):
                found.append(letter)
    return found


def path_squares(head: int, letters: str) -> tuple[int, ...] | None:
    """Return the squares of a path given as letters, or None if it leaves the board."""
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
    """Say whether a river may flow over these squares: each wholly empty or Fire, and none twice."""
    return len(set(path)) == len(path) and all(_OPEN[board[square]] for square in path)


def can_form(board: bytes, sage: int, outs: set[int], head: int) -> bool:
    """Say whether Water may be placed on an open square that has Water beside it: a full path exists.

    ``outs`` holds squares to which the mover's sage could step or jump on the board as it stands.
    """
    length = min(length for _, length in river_lengths(board, head))
    if len(outs) > length or head in outs:
        # No path closes all the ways out: the headwater's square is free again once the river has left it,
        # and a longer river needs a longer path.
        clear = _open_squares(board)
        clear[head] = False
        return _has_path(clear, head, length)
    after = bytearray(board)
    after[head] = WATER
    return bool(open_directions(after, sage, head))


def _open_squares(board: Board) -> bytearray:
    return bytearray(board.translate(_OPEN))


def _ways_out_after(board: Board, sage: int, river: tuple[int, ...]) -> set[int]:
    """Return where a sage could go by one step or jump, once the river has left its squares."""
    lifted = bytearray(board)
    for square in river:
        lifted[square] = EMPTY
    return ways_out(lifted, sage)


def _flows(clear: bytearray, outs: set[int], tip: int, left: int) -> bool:
    """Say whether a path can go on for ``left`` clear squares without covering all of ``outs``."""
    if not outs:
        return False
    if len(outs) > left or not all(clear[square] for square in outs):
        return _has_path(bytearray(clear), tip, left)
    for square in sorted(outs):
        around = bytearray(clear)
        around[square] = False
        if _has_path(around, tip, left):
            return True
    return False


def _has_path(clear: bytearray, tip: int, left: int) -> bool:
    """Say whether a path of ``left`` clear squares goes on from ``tip``; uses ``clear`` up."""
    if left == 0:
        return True
    failed = False
    for square in ORTHOGONAL[tip]:
        if clear[square]:
            if failed and not _has_room(clear, tip, left):
                return False
            clear[square] = False
            if _has_path(clear, square, left - 1):
                return True
            clear[square] = True
            failed = True
    return False


def _has_room(clear: bytearray, tip: int, left: int) -> bool:
    """Say whether enough clear squares are in reach of ``tip``: of both colours, as a path alternates."""
    wanted = [left // 2, (left + 1) // 2]
    seen = {tip}
    level = [tip]
    colour = 0
    while level:
        colour ^= 1
        next_level = []
        for square in level:
            for neighbour in ORTHOGONAL[square]:
                if clear[neighbour] and neighbour not in seen:
                    seen.add(neighbour)
                    next_level.append(neighbour)
        level = next_level
        wanted[colour] -= len(level)
        if wanted[0] <= 0 and wanted[1] <= 0:
            return True
    return False
