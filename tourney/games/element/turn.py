"""A turn, action by action: what each legal action makes of a position."""

from tourney.games.element.actions import (
    DRAW_0,
    END,
    FLOW_LETTER,
    HANDS,
    RIVER_LETTER,
    STEP,
    named_square,
    placed_letter,
)
from tourney.games.element.board import EMPTY, SAGE
from tourney.games.element.movement import jumps
from tourney.games.element.placing import flow, forms_river, place, returned, taken
from tourney.games.element.positions import ACT, CHANCE, DRAW, FLOW, MOST_STEPS, RIVER, Position
from tourney.games.element.rivers import open_directions

_NO_SQUARES: frozenset[int] = frozenset()


def after(at: Position, action: int) -> Position:
    """Return the position after a legal action."""
    if action < DRAW_0:
        return _placed(at, placed_letter(action), named_square(action))
    if action < END:
        return _drawing(at, action - DRAW_0)
    if action == END:
        return _ended(at)
    if action in FLOW_LETTER:
        return _flowed(at, FLOW_LETTER[action])
    if action in RIVER_LETTER:
        return at._replace(phase=FLOW, direction=RIVER_LETTER[action])
    if action in HANDS:
        hand = HANDS[action]
        return _acting(at, hand)
    square = named_square(action)
    if action >= STEP:
        return _moved(at, square, at.steps - 1, at.used)
    run = next(run for landing, run in jumps(at.board, at.own) if landing == square)
    return _moved(at, square, at.steps, at.used.union(run))


def _drawing(at: Position, number: int) -> Position:
    """Return the position once the seat has said how many stones it draws."""
    return at._replace(phase=CHANCE, drawn=number) if number else _acting(at, "")


def _acting(at: Position, hand: str) -> Position:
    return at._replace(phase=ACT, hand=hand, steps=MOST_STEPS - len(hand), bag=taken(at.bag, hand), drawn=0)


def _ended(at: Position) -> Position:
    """Return the next seat's position: stones in hand go back into the bag, steps are lost."""
    seat = at.seat % len(at.sages) + 1
    bag = returned(at.bag, at.hand)
    return Position(at.board, at.sages, seat, DRAW, "", 0, _NO_SQUARES, bag, at.turn + 1)


def _moved(at: Position, square: int, steps: int, used: frozenset[int]) -> Position:
    board = bytearray(at.board)
    board[at.own], board[square] = EMPTY, SAGE
    sages = tuple(square if sage == at.own else sage for sage in at.sages)
    return Position(bytes(board), sages, at.seat, ACT, at.hand, steps, used, at.bag, at.turn)


def _placed(at: Position, letter: str, square: int) -> Position:
    """Return the position after a placement: a river's direction is chosen at once if only one is open."""
    board, bag, used = place(at.board, at.bag, at.used, letter, square)
    hand = at.hand.replace(letter, "", 1)
    placed = Position(board, at.sages, at.seat, ACT, hand, at.steps, used, bag, at.turn)
    if letter != "W" or not forms_river(board, square):
        return placed
    directions = open_directions(board, at.own, square)
    if len(directions) > 1:
        return placed._replace(phase=RIVER, head=square)
    return placed._replace(phase=FLOW, head=square, direction=directions[0])


def _flowed(at: Position, letter: str) -> Position:
    """Return the position after a step of a flow: its last one moves the river."""
    path = at._replace(path=at.path + letter)
    river, squares = path.river, path.path_squares
    if len(squares) < len(river):
        return path
    board, bag = flow(at.board, at.bag, river, squares)
    return at._replace(phase=ACT, board=board, bag=bag, head=0, direction="", path="")
