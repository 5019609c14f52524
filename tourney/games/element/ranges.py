"""Ranges: Earth squares that are linked to a mountain, neighbour by neighbour.

Range squares are never replaced, so a range only grows; the board keeps them under codes of their own.
"""

from tourney.games.element.board import EARTH, MOUNTAIN, NEIGHBOURS, RANGE_EARTH


def is_range(code: int) -> bool:
    """Say whether a square of that code is range."""
    return code in (RANGE_EARTH, MOUNTAIN)


def spread_range(board: bytearray, square: int) -> None:
    """Make range of all Earth that is linked to a range square."""
    open_ = [square]
    while open_:
        for neighbour in NEIGHBOURS[open_.pop()]:
            if board[neighbour] == EARTH:
                board[neighbour] = RANGE_EARTH
                open_.append(neighbour)


def add_earth(board: bytearray, square: int) -> None:
    """Put an Earth on a square: a mountain if one lies there already. Carry out what becomes range."""
    if board[square] in (EARTH, RANGE_EARTH):
        board[square] = MOUNTAIN
    elif any(is_range(board[neighbour]) for neighbour in NEIGHBOURS[square]):
        board[square] = RANGE_EARTH
    else:
        board[square] = EARTH
        return
    spread_range(board, square)
