"""Actions of the Seven Sages as ints whose order is the order of their strings.

An action is written ``FROM-`` or ``FROMx``, then for a plain move ``TO``, for an oust ``F>`` and ``REST``. No
such beginning is the beginning of another one, so an int put together of their places in string order,
a byte for each square behind the first, is ordered as the strings are.
"""

import re
from typing import Final

from tourney.errors import ActionError
from tourney.games.seven_sages.board import SQUARE, SQUARES

_HEADS = sorted(name + sign for name in SQUARES for sign in "-x")
_HEAD = {head: place for place, head in enumerate(_HEADS)}
_LEAVING = tuple(SQUARE[head[:-1]] for head in _HEADS)
_OUSTS = tuple(head[-1] == "x" for head in _HEADS)
_FOOLS = sorted(name + ">" for name in SQUARES)
_FOOL = {SQUARE[text[:-1]]: place for place, text in enumerate(_FOOLS)}
_FOOL_SQUARE = tuple(SQUARE[text[:-1]] for text in _FOOLS)
_NAMES = sorted(SQUARES)
_SQUARE = tuple(SQUARE[name] for name in _NAMES)

PLACE: tuple[int, ...] = tuple(_NAMES.index(name) for name in SQUARES)
"""By square: its place in the string order of names, which ends an oust's int."""
MOVE_TO: tuple[int, ...] = tuple(place << 8 for place in PLACE)
"""By square: what a plain move that ends there adds to ``MOVE_FROM``."""
MOVE_FROM: tuple[int, ...] = tuple(_HEAD[name + "-"] << 16 for name in SQUARES)
"""By square: what a plain move from there begins with."""
_OUST_FROM = tuple(_HEAD[name + "x"] << 16 for name in SQUARES)
PASS = len(_HEADS) << 16
PASS_STRING: Final = "pass"  # noqa: S105 - no password, an action

_FORM = re.compile(r"([a-o][0-9]{1,2})(?:-([a-o][0-9]{1,2})|x([a-o][0-9]{1,2})>([a-o][0-9]{1,2}))")


def oust(leaving: int, fool: int) -> int:
    """Return an oust's int without the rest square, whose ``PLACE`` is added."""
    return _OUST_FROM[leaving] | _FOOL[fool] << 8


def leaving_square(action: int) -> int:
    """Return the square that the sage of a plain move or an oust comes from."""
    return _LEAVING[action >> 16]


def is_oust(action: int) -> bool:
    """Say whether an action, which is no pass, is an oust."""
    return _OUSTS[action >> 16]


def plain_target(action: int) -> int:
    """Return the square where a plain move ends."""
    return _SQUARE[action >> 8 & 255]


def oust_square(action: int) -> int:
    """Return the square that an oust drives the fool from."""
    return _FOOL_SQUARE[action >> 8 & 255]


def rest_square(action: int) -> int:
    """Return the square where an oust brings the fool."""
    return _SQUARE[action & 255]


def action_string(action: int) -> str:
    """Return an action's string."""
    if action == PASS:
        return PASS_STRING
    head = _HEADS[action >> 16]
    if is_oust(action):
        return head + _FOOLS[action >> 8 & 255] + _NAMES[action & 255]
    return head + _NAMES[action >> 8 & 255]


def parse_action(text: str) -> int:
    """Return the action that a string names. Raises ActionError; whether it is legal is not asked."""
    if text == PASS_STRING:
        return PASS
    match = _FORM.fullmatch(text)
    if match is None:
        raise ActionError(f"{text!r} is no action of seven-sages; it has the form c5-c9, h3xh8>e11 or pass")
    for name in match.groups():
        if name is not None and name not in SQUARE:
            raise ActionError(f"{text!r} names {name}, which is not on the board of a1 to o15")
    leaving, target, fool, rest = match.groups()
    if target is not None:
        return MOVE_FROM[SQUARE[leaving]] | MOVE_TO[SQUARE[target]]
    return oust(SQUARE[leaving], SQUARE[fool]) | PLACE[SQUARE[rest]]
