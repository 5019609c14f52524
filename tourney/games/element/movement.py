"""Steps and jumps of a sage, and capture: to have neither."""

from collections.abc import Iterator

from tourney.games.element.board import DIAGONAL, EMPTY, JUMPS, ORTHOGONAL, WHIRLWIND
from tourney.games.element.ranges import is_range

Board = bytes | bytearray


def steps(board: Board, sage: int) -> list[int]:
    """Return the squares to which a sage can step."""
    found = [square for square in ORTHOGONAL[sage] if not board[square]]
    for square, one, two in DIAGONAL[sage]:
        if not board[square] and not (is_range(board[one]) and is_range(board[two])):
            found.append(square)
    return found


def jumps(board: Board, sage: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield a sage's jumps as the landing square and the run of Wind jumped, used Wind or not."""
    for ray, flanks in JUMPS[sage]:
        if not EMPTY < board[ray[0]] <= WHIRLWIND:
            continue
        if flanks and is_range(board[flanks[0]]) and is_range(board[flanks[1]]):
            continue
        winds = 0
        for length, square in enumerate(ray):
            code = board[square]
            if not EMPTY < code <= WHIRLWIND:
                if winds < len(ray) and not board[ray[winds]]:
                    yield ray[winds], ray[:length]
                break
            winds += code


def is_captured(board: Board, sage: int) -> bool:
    """Say whether a sage could make no step and no jump, whatever steps are left and Wind is used."""
    for square in ORTHOGONAL[sage]:
        if not board[square]:
            return False
    for square, one, two in DIAGONAL[sage]:
        if not board[square] and not (is_range(board[one]) and is_range(board[two])):
            return False
    return next(jumps(board, sage), None) is None


def ways_out(board: Board, sage: int) -> set[int]:
    """Return the squares that a sage could reach by one step or one jump, used Wind or not."""
    return {*steps(board, sage), *(landing for landing, _ in jumps(board, sage))}
