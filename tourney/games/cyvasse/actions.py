"""Actions as ints that sort like their strings within every list of legal actions.

In play an action is ``prefix << 14 | rank of the next square << 7 | (0 or 1 + rank of the last square)``. The
prefixes (``a1-``, ``a1x``, ..., ``done``) are numbered in the order of their strings. The set-up's actions
are greater than all of these.
"""

from tourney.errors import ActionError
from tourney.games.actions import IntAction, IntActions
from tourney.games.cyvasse.board import BY_RANK, NAMES, NUMBER, PLANS, RANK, SIZE, SQUARES, TILES

_PREFIXES = sorted([*(f"{name}-" for name in NUMBER), *(f"{name}x" for name in NUMBER), "done"])
_PREFIX = {text: k << 14 for k, text in enumerate(_PREFIXES)}

DONE = _PREFIX["done"]
MOVES_FROM = tuple(_PREFIX[f"{name}-"] if name else 0 for name in NAMES)
"""The prefix of normal moves, by square."""
CAPTURES_FROM = tuple(_PREFIX[f"{name}x"] if name else 0 for name in NAMES)
"""The prefix of captures, by square."""
TO = tuple(RANK[s] << 7 if s in SQUARES else 0 for s in range(SIZE))
"""The summand for the target or the captured square, by square."""
RIDE_TO = tuple(RANK[s] + 1 if s in SQUARES else 0 for s in range(SIZE))
"""The summand for the square that a horse rides on to, by square."""

_SQUARE_OF = (0, *BY_RANK)
_ORIGIN = tuple((NUMBER.get(text[:-1], 0), text.endswith("x")) for text in _PREFIXES)

_SET_UP = 1 << 24
_LAY_KING, _LAY_TILE, _PUT = _SET_UP, _SET_UP + 256, _SET_UP + 512
_KING_SQUARES = sorted((plan.king for plans in PLANS.values() for plan in plans), key=lambda s: NAMES[s])


def origin(action: int) -> tuple[int, bool]:
    """Return the origin of a move or a capture, and whether it is a capture."""
    return _ORIGIN[action >> 14]


def target(action: int) -> int:
    """Return the target of a move, or the captured square."""
    return BY_RANK[action >> 7 & 127]


def ride_to(action: int) -> int:
    """Return the square that a horse rides on to after its capture, or 0."""
    return _SQUARE_OF[action & 127]


def lay_king(s: int) -> int:
    """Return the action that lays the king tile with the King on ``s``."""
    return _LAY_KING + _KING_SQUARES.index(s)


def king_square(action: int) -> int:
    """Return the King's square of an action that lays the king tile."""
    return _KING_SQUARES[action - _LAY_KING]


def lay_tile(tile: int, is_turned: bool) -> int:
    """Return the action that lays a tile."""
    return _LAY_TILE + 2 * tile + is_turned


def tile(action: int) -> tuple[int, bool]:
    """Return the tile that an action lays, and whether it is turned."""
    return (action - _LAY_TILE) // 2, bool((action - _LAY_TILE) % 2)


def put(s: int) -> int:
    """Return the action that places the next piece on a square."""
    return _PUT + RANK[s]


def put_square(action: int) -> int:
    """Return the square of an action that places a piece."""
    return BY_RANK[action - _PUT]


_SET_UP_STRINGS = {
    **{lay_king(s): f"king-{NAMES[s]}" for s in _KING_SQUARES},
    **{lay_tile(k, False): f"tile-{k}" for k in TILES},
    **{lay_tile(k, True): f"tile-{k}t" for k in TILES},
    **{put(s): f"put-{NAMES[s]}" for s in BY_RANK},
}
_SET_UP_ACTIONS = {text: action for action, text in _SET_UP_STRINGS.items()}


def action_string(action: int) -> str:
    """Return the string of an action."""
    if action >= _SET_UP:
        return _SET_UP_STRINGS[action]
    if action == DONE:
        return "done"
    text = _PREFIXES[action >> 14] + NAMES[target(action)]
    beyond = ride_to(action)
    return f"{text}-{NAMES[beyond]}" if beyond else text


class CyvasseAction(IntAction):
    """An action; ``str`` gives its string."""

    __slots__ = ()

    def __str__(self) -> str:
        return action_string(self)


class CyvasseActions(IntActions):
    """A list of actions."""

    __slots__ = ()
    kind = CyvasseAction


def parse_action(text: str) -> CyvasseAction:
    """Return the action of a string. Raises ActionError."""
    return CyvasseAction(_parsed(text))


def _parsed(text: str) -> int:
    if text in _SET_UP_ACTIONS:
        return _SET_UP_ACTIONS[text]
    if text == "done":
        return DONE
    start, capture, end = text.partition("x")
    if capture:
        victim, ride, beyond = end.partition("-")
        if start in NUMBER and victim in NUMBER and (beyond in NUMBER if ride else not beyond):
            return (
                CAPTURES_FROM[NUMBER[start]] + TO[NUMBER[victim]] + (RIDE_TO[NUMBER[beyond]] if ride else 0)
            )
    else:
        start, _, end = text.partition("-")
        if start in NUMBER and end in NUMBER:
            return MOVES_FROM[NUMBER[start]] + TO[NUMBER[end]]
    raise ActionError(
        f"{text!r} is no action of cyvasse; write FROM-TO, FROMxSQUARE, FROMxSQUARE-TO or done,"
        " in the set-up king-SQUARE, tile-K, tile-Kt or put-SQUARE"
    )
