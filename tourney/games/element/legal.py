"""The legal actions of a seat: what may be drawn, placed, jumped, stepped, chosen and flowed.

An action is illegal if it leaves the mover's own sage captured. Most placements cannot: the sage keeps a
step that no effect reaches. Only the others are carried out and looked at.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import compress
from math import comb

from tourney.games.element.actions import (
    DRAW_0,
    ELEMENTS,
    END,
    FLOW,
    HANDS,
    JUMP,
    MOST_DRAWN,
    PLACE,
    RIVER,
    STEP,
)
from tourney.games.element.board import COMPASS, EARTH, EMPTY, NEIGHBOURS, ORTHOGONAL, SAGE, SIZE
from tourney.games.element.movement import is_captured, jumps, steps
from tourney.games.element.placing import MAY_TAKE, Bag, fed_from, place
from tourney.games.element.positions import Position
from tourney.games.element.ranges import is_range
from tourney.games.element.rivers import flow_directions, impossible_heads, open_directions

_SQUARES = range(SIZE * SIZE)
_NO_SQUARES: frozenset[int] = frozenset()
_PLACEMENTS = {letter: tuple(base + square for square in _SQUARES) for letter, base in PLACE.items()}
_MAY_TAKE = {letter: bytes(code in codes for code in range(256)) for letter, codes in MAY_TAKE.items()}


def draws(position: Position) -> list[int]:
    """Return the numbers of stones that the seat may draw."""
    return [DRAW_0 + number for number in range(min(MOST_DRAWN, sum(position.bag)) + 1)]


@cache
def _hands_of(size: int) -> tuple[tuple[int, Bag], ...]:
    """Return the hands of a size that a full bag gives, as their ints and counts, in string order."""
    found = []
    for action, hand in sorted(HANDS.items()):
        if len(hand) == size:
            a, e, f, w = (hand.count(letter) for letter in ELEMENTS)
            found.append((action, (a, e, f, w)))
    return tuple(found)


def outcomes(position: Position) -> list[tuple[int, int]]:
    """Return what chance may give, with the number of ways to draw it."""
    a, e, f, w = position.bag
    ways = (
        (action, comb(a, airs) * comb(e, earths) * comb(f, fires) * comb(w, waters))
        for action, (airs, earths, fires, waters) in _hands_of(position.drawn)
    )
    return [(action, weight) for action, weight in ways if weight]


def river_choices(position: Position) -> list[int]:
    """Return the directions of which the mover must choose one."""
    return [RIVER[letter] for letter in open_directions(position.board, position.own, position.head)]


def flow_choices(position: Position) -> list[int]:
    """Return the directions in which the river may flow on."""
    river, path = position.river, position.path_squares
    return [FLOW[letter] for letter in flow_directions(position.board, position.own, river, path)]


def acts(position: Position) -> list[int]:
    """Return what the seat may do with its hand and its sage."""
    found: list[int] = []
    open_steps = steps(position.board, position.own)
    for letter in dict.fromkeys(position.hand):
        found += _placements(position, letter, open_steps)
    if not found:
        found.append(END)
    found += sorted(JUMP + landing for landing, _ in open_jumps(position))
    if position.steps:
        # No step leaves the own sage captured: it could step back.
        found += sorted([STEP + square for square in open_steps])
    return found


def open_jumps(position: Position) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the legal jumps as the landing square and the run of Wind jumped."""
    board, used, own = position.board, position.used, position.own
    for landing, run in jumps(board, own):
        if used.isdisjoint(run):
            after = bytearray(board)
            after[own], after[landing] = EMPTY, SAGE
            if not is_captured(after, landing):
                yield landing, run


def _placements(position: Position, letter: str, open_steps: list[int]) -> list[int]:
    """Return the legal placements of a stone, sorted; ``open_steps`` are the own sage's."""
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
    after = place(position.board, position.bag, _NO_SQUARES, letter, square)
    return is_captured(after.board, position.own)


def _doubtful(board: bytes, own: int, letter: str, open_steps: list[int]) -> Iterable[int]:
    """Return the squares where a stone could leave the own sage captured, rivers left out.

    On any other square one of its open steps stays open: stones close no step but on their own squares and
    those of free Fires, unless a range grows, and even that bars no orthogonal step.
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
    """Say whether an Earth on a square could make new range: as a mountain, or linked to one."""
    return board[square] == EARTH or any(is_range(board[neighbour]) for neighbour in NEIGHBOURS[square])
