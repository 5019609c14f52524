"""Squares, pieces and actions as numbers, and the actions' strings.

A square is ``9 * file + rank`` with file and rank from 0, so 0 is a1 and 71 is h9, in the order of the
names. Two places more stand for the towers, which are no squares. A board is 74 bytes, one letter a
place: ``AFS`` Black's apprentice, skyship and sage, ``afs`` Red's, ``.`` nothing.

An action is ``source << 7 | target``. Sources and targets are numbered in the order of their names, so
actions as integers have the order of their strings.
"""

from tourney.errors import ActionError

FILES = "abcdefgh"
RANKS = "123456789"
HEIGHT = len(RANKS)
SQUARES = len(FILES) * HEIGHT
NAMES = tuple(file + rank for file in FILES for rank in RANKS)

BLACK_TOWER = SQUARES
RED_TOWER = SQUARES + 1
PLACES = SQUARES + 2

RIVER = 4
"""The river's rank, from 0; its banks are the ranks beside it."""
BANKS = (RIVER - 1, RIVER + 1)

EMPTY = ord(".")
APPRENTICES = (ord("A"), ord("a"))
SAGES = (ord("S"), ord("s"))
LETTERS = (b"AFS", b"afs")
"""Each side's pieces."""

SHIFT = 7
TARGET = (1 << SHIFT) - 1
"""``action & TARGET`` is where it goes, ``action >> SHIFT`` where from."""
OFF = SQUARES
"""The target of an escape."""
PASS = SQUARES << SHIFT
FROM_TOWER = SQUARES + 1
"""The source of a sage that comes down, of either side."""

START = "2aaaa2/f1aaaa1f/8/8/8/8/8/F1AAAA1F/2AAAA2 1 Tt 0:0 0 0"


def square(name: str) -> int:
    """Return the number of a square by its name, as "d2"."""
    return NAMES.index(name)


TOWER_SQUARES = (
    tuple(map(square, ("d1", "d2", "e1", "e2"))),
    tuple(map(square, ("d8", "d9", "e8", "e9"))),
)
"""The four squares at the foot of each side's tower, ascending."""


def _all_actions() -> dict[str, int]:
    found = {
        f"{NAMES[a]}-{NAMES[b]}": a << SHIFT | b for a in range(SQUARES) for b in range(SQUARES) if a != b
    }
    found.update({f"{NAMES[a]}-off": a << SHIFT | OFF for a in range(RIVER, SQUARES, HEIGHT)})
    found.update({f"tower-{NAMES[b]}": FROM_TOWER << SHIFT | b for foot in TOWER_SQUARES for b in foot})
    found["pass"] = PASS
    return found


_BY_NAME = _all_actions()
_NAME_OF = {action: name for name, action in _BY_NAME.items()}


def action_string(action: int) -> str:
    """Return an action's string."""
    return _NAME_OF[action]


def parse_action(text: str) -> int:
    """Return the action of a string, or raise ActionError; whether it is legal somewhere is not asked."""
    action = _BY_NAME.get(text)
    if action is None:
        raise ActionError(
            f"{text[:40]!r} is no action of sages-tafl: write FROM-TO as d2-d4, tower-d2, c5-off or pass"
        )
    return action
