"""Moves of chess as small integers, and their strings of UCI. Needs no package."""

from functools import cache

from tourney.games.actions import IntAction

SQUARES: tuple[str, ...] = tuple(file + rank for rank in "12345678" for file in "abcdefgh")
"""The names of the squares by number: a1 is 0, b1 is 1, h8 is 63."""
PROMOTIONS = " nbrq"
"""The letter of an action's promotion, by its code from 1; code 0 stands for no promotion."""
STARTS = 1 << 20
"""The action of chance that chooses the k-th starting position of Chess960 is ``STARTS + k``."""

Move = int | str
"""A move by its code; the draw of a start; or the set-up of an opening, as its string."""


@cache
def move_codes() -> dict[str, int]:
    """All UCI moves with their codes: from + 64 * to + 4096 * promotion."""
    codes: dict[str, int] = {}
    for origin, start in enumerate(SQUARES):
        for target, end in enumerate(SQUARES):
            code = origin | target << 6
            if origin != target:
                codes[start + end] = code
                last = (origin >> 3, target >> 3) in {(6, 7), (1, 0)}
                if last and abs((origin & 7) - (target & 7)) <= 1:
                    codes |= {start + end + PROMOTIONS[kind]: code | kind << 12 for kind in (1, 2, 3, 4)}
    return codes


@cache
def move_strings() -> dict[int, str]:
    """The UCI moves by their codes."""
    return {code: text for text, code in move_codes().items()}


class ChessAction(IntAction):
    """A move; ``str`` gives it as UCI does."""

    __slots__ = ()

    def __str__(self) -> str:
        return move_strings()[self]
