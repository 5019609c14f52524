"""The legal actions of a turn, and the position after each.

An action is illegal if it leaves the mover's own sage captured. Most placements cannot do so, because one of
the sage's steps stays open; only the others are tried out.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import compress
from math import comb

from tourney.games.element.board import (
    ACTIONS,
    COMPASS,
    DRAW_0,
    EARTH,
    ELEMENTS,
    EMPTY,
    END,
    FLOW_LETTER,
    FLOW_TO,
    HANDS,
    JUMP,
    MOST_DRAWN,
    NEIGHBOURS,
    ORTHOGONAL,
    PLACE,
    RIVER_LETTER,
    RIVER_TO,
    SAGE,
    SIZE,
    STEP,
    ElementAction,
    is_captured,
    is_range,
    jumps,
    named_square,
    placed_letter,
    steps,
)
from tourney.games.element.placing import (
    MAY_TAKE,
    Bag,
    fed_from,
    flow,
    flow_directions,
    forms_river,
    impossible_heads,
    moved_stones,
    open_directions,
    place,
)
from tourney.games.element.position import ACT, CHANCE, DRAW, FLOW, MOST_STEPS, RIVER, Position


def after(at: Position, action: int) -> Position:
    """Return the position after a legal action."""
    if action < DRAW_0:
        return _placed(at, placed_letter(action), named_square(action))
    if action < END:
        number = action - DRAW_0
        return at._replace(phase=CHANCE, drawn=number) if number else _acting(at, "")
    if action == END:
        return _ended(at)
    if action in FLOW_LETTER:
        return _flowed(at, FLOW_LETTER[action])
    if action in RIVER_LETTER:
        return at._replace(phase=FLOW, direction=RIVER_LETTER[action])
    if action in HANDS:
        return _acting(at, HANDS[action])
    square = named_square(action)
    if action >= STEP:
        return _moved(at, square, at.steps - 1, at.used)
    run = next(run for landing, run in jumps(at.board, at.own) if landing == square)
    return _moved(at, square, at.steps, at.used.union(run))


def _acting(at: Position, hand: str) -> Position:
    bag = moved_stones(at.bag, hand, -1)
    return at._replace(phase=ACT, hand=hand, steps=MOST_STEPS - len(hand), bag=bag, drawn=0)


def _ended(at: Position) -> Position:
    """Return the next seat's position: the hand goes back into the bag."""
    seat = at.seat % len(at.sages) + 1
    bag = moved_stones(at.bag, at.hand, 1)
    return Position(at.board, at.sages, seat, DRAW, "", 0, _NO_SQUARES, bag, at.turn + 1)


def _moved(at: Position, square: int, steps: int, used: frozenset[int]) -> Position:
    board = bytearray(at.board)
    board[at.own], board[square] = EMPTY, SAGE
    sages = tuple(square if sage == at.own else sage for sage in at.sages)
    return Position(bytes(board), sages, at.seat, ACT, at.hand, steps, used, at.bag, at.turn)


def _placed(at: Position, letter: str, square: int) -> Position:
    """Return the position after a placement; a river with one open direction takes it at once."""
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
    """Return the position after a step of a flow; the last one moves the river."""
    path = at._replace(path=at.path + letter)
    river, squares = path.river, path.path_squares
    if len(squares) < len(river):
        return path
    board, bag = flow(at.board, at.bag, river, squares)
    return at._replace(phase=ACT, board=board, bag=bag, head=0, direction="", path="")


_SQUARES = range(SIZE * SIZE)
_NO_SQUARES: frozenset[int] = frozenset()
_PLACEMENTS = {letter: tuple(ACTIONS[base + square] for square in _SQUARES) for letter, base in PLACE.items()}
_MAY_TAKE = {letter: bytes(code in codes for code in range(256)) for letter, codes in MAY_TAKE.items()}


@cache
def _hands_of(size: int) -> tuple[tuple[ElementAction, Bag], ...]:
    """Return the hands of a size, as outcomes and counts, in string order."""
    found = []
    for action, hand in sorted(HANDS.items()):
        if len(hand) == size:
            a, e, f, w = (hand.count(letter) for letter in ELEMENTS)
            found.append((ACTIONS[action], (a, e, f, w)))
    return tuple(found)


def chance_outcomes(position: Position) -> list[tuple[ElementAction, int]]:
    """Return the chance outcomes with the number of ways to draw each."""
    a, e, f, w = position.bag
    ways = (
        (action, comb(a, airs) * comb(e, earths) * comb(f, fires) * comb(w, waters))
        for action, (airs, earths, fires, waters) in _hands_of(position.drawn)
    )
    return [(action, weight) for action, weight in ways if weight]


def legal_actions(position: Position) -> list[ElementAction]:
    """Return the sorted legal actions or outcomes of a position that is not over."""
    phase = position.phase
    if phase == ACT:
        return _turn_actions(position)
    if phase == DRAW:
        return [ACTIONS[DRAW_0 + number] for number in range(min(MOST_DRAWN, sum(position.bag)) + 1)]
    if phase == CHANCE:
        return [action for action, _ in chance_outcomes(position)]
    board, own = position.board, position.own
    if phase == RIVER:
        return [ACTIONS[RIVER_TO[letter]] for letter in open_directions(board, own, position.head)]
    letters = flow_directions(board, own, position.river, position.path_squares)
    return [ACTIONS[FLOW_TO[letter]] for letter in letters]


def _turn_actions(position: Position) -> list[ElementAction]:
    """Return the placements, jumps and steps of the seat, or ``end``."""
    found: list[ElementAction] = []
    open_steps = steps(position.board, position.own)
    for letter in dict.fromkeys(position.hand):
        found += _placements(position, letter, open_steps)
    if not found:
        found.append(ACTIONS[END])
    found += [ACTIONS[JUMP + landing] for landing in sorted(landing for landing, _ in open_jumps(position))]
    if position.steps:
        # No step leaves the own sage captured, since it could step back.
        found += [ACTIONS[STEP + square] for square in sorted(open_steps)]
    return found


def open_jumps(position: Position) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the legal jumps: the landing square and the Winds jumped."""
    board, used, own = position.board, position.used, position.own
    for landing, run in jumps(board, own):
        if used.isdisjoint(run):
            after = bytearray(board)
            after[own], after[landing] = EMPTY, SAGE
            if not is_captured(after, landing):
                yield landing, run


def _placements(position: Position, letter: str, open_steps: list[int]) -> list[ElementAction]:
    """Return the sorted legal placements of a stone; ``open_steps`` are the own sage's."""
    board, own = position.board, position.own
    allowed = board.translate(_MAY_TAKE[letter])
    rivers: set[int] = set()
    illegal: list[int] = []
    if letter == "W":
        rivers, illegal = impossible_heads(board, own, open_steps)
    illegal += [
        square
        for square in _doubtful(board, own, letter, open_steps)
        if allowed[square] and square not in rivers and _captures_own(position, letter, square)
    ]
    if illegal:
        left = bytearray(allowed)
        for square in illegal:
            left[square] = False
        allowed = bytes(left)
    return list(compress(_PLACEMENTS[letter], allowed))


def _captures_own(position: Position, letter: str, square: int) -> bool:
    board, _, _ = place(position.board, position.bag, _NO_SQUARES, letter, square)
    return is_captured(board, position.own)


def _doubtful(board: bytes, own: int, letter: str, open_steps: list[int]) -> Iterable[int]:
    """Return the squares where a stone could leave the own sage captured, except by a river.

    Elsewhere one of its steps stays open: stones close steps only on their own squares and those of free
    Fires, except when a range grows, which closes no orthogonal step.
    """
    if not open_steps:
        return _SQUARES
    found = set(open_steps) if len(open_steps) == 1 else set()
    if letter == "F" and len(open_steps) <= 1 + len(COMPASS):
        found = set.intersection(*({step, *fed_from(board, step)} for step in open_steps))
    elif letter == "E":
        orthogonal = [square for square in ORTHOGONAL[own] if not board[square]]
        if not orthogonal:
            found.update(square for square in _SQUARES if _may_grow_range(board, square))
        elif len(orthogonal) == 1:
            found.update(orthogonal)
    return found


def _may_grow_range(board: bytes, square: int) -> bool:
    """Say whether an Earth on a square could enlarge a range: as a mountain, or linked to one."""
    return board[square] == EARTH or any(is_range(board[neighbour]) for neighbour in NEIGHBOURS[square])
