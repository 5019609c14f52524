"""Actions of Element as ints whose order is the order of their strings."""

from collections.abc import Iterator

from tourney.errors import ActionError
from tourney.games.element.board import COMPASS, SQUARES

ELEMENTS = "AEFW"
"""Air (wind), Earth, Fire and Water, in the order of hands and bags."""
MOST_DRAWN = 4

_BLOCK = 128
PLACE: dict[str, int] = {letter: k * _BLOCK for k, letter in enumerate(ELEMENTS)}
"""By letter: the placement's int, to which the square is added."""
DRAW_0 = 4 * _BLOCK
"""The int of ``draw-0``, to which the number is added."""
END = DRAW_0 + MOST_DRAWN + 1
FLOW: dict[str, int] = {letter: END + 1 + k for k, letter in enumerate(COMPASS)}
JUMP = 5 * _BLOCK
"""To which the landing square is added."""
RIVER: dict[str, int] = {letter: 6 * _BLOCK + k for k, letter in enumerate(COMPASS)}
STEP = 7 * _BLOCK
"""To which the square is added."""
_STONES = 8 * _BLOCK


def _hands(size: int, letters: str = ELEMENTS) -> Iterator[str]:
    """Yield the hands of a size, each sorted, in string order."""
    if size == 0:
        yield ""
        return
    for k, letter in enumerate(letters):
        for rest in _hands(size - 1, letters[k:]):
            yield letter + rest


STONES: dict[str, int] = {
    hand: _STONES + k
    for k, hand in enumerate(sorted(hand for size in range(1, MOST_DRAWN + 1) for hand in _hands(size)))
}
"""By hand, sorted ``A E F W``: the int of its being drawn."""
HANDS: dict[int, str] = {action: hand for hand, action in STONES.items()}
"""The hands that chance gives, by int."""

FLOW_LETTER: dict[int, str] = {action: letter for letter, action in FLOW.items()}
RIVER_LETTER: dict[int, str] = {action: letter for letter, action in RIVER.items()}


def _all_strings() -> Iterator[tuple[int, str]]:
    for square, name in enumerate(SQUARES):
        for letter, base in PLACE.items():
            yield base + square, f"{letter}-{name}"
        yield JUMP + square, f"jump-{name}"
        yield STEP + square, f"step-{name}"
    for number in range(MOST_DRAWN + 1):
        yield DRAW_0 + number, f"draw-{number}"
    yield END, "end"
    for letter in COMPASS:
        yield FLOW[letter], f"flow-{letter}"
        yield RIVER[letter], f"river-{letter}"
    for hand, action in STONES.items():
        yield action, f"stones-{hand}"


_STRINGS = dict(_all_strings())
_ACTIONS = {text: action for action, text in _STRINGS.items()}


def action_string(action: int) -> str:
    """Return an action's string."""
    return _STRINGS[action]


def parse_action(text: str) -> int:
    """Return the action that a string names. Raises ActionError; whether it is legal is not asked."""
    action = _ACTIONS.get(text)
    if action is None:
        raise ActionError(
            f"{text!r} is no action of element; one is draw-N, stones-XXXX (sorted A E F W), X-SQUARE with X"
            " in A E F W, step-SQUARE, jump-SQUARE, river-D, flow-D with D in e n s w, or end"
        )
    return action


def placed_letter(action: int) -> str:
    """Return the letter of the stone that a placement's int places."""
    return ELEMENTS[action // _BLOCK]


def named_square(action: int) -> int:
    """Return the square that a placement, a step or a jump names."""
    return action % _BLOCK
