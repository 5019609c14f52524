"""States that fit what a seat saw: a search through histories, in random order.

The seat's own actions are known, and its trail says after each action whether a history fits. Other
actions, and chance, are tried in random order (by their weights), and the search goes back where no action
fits. It gives up after ``MOST`` tries: a card that was dealt long before it matters is hard to find this way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tourney.errors import PositionError
from tourney.games.base import CHANCE
from tourney.games.openspiel.state import VIEW

if TYPE_CHECKING:
    from tourney.games.openspiel.state import OpenSpielState
    from tourney.seeds import RandBelow

MOST: Final = 1_000
"""The most actions tried, beside 10 for each action of the history."""
RESTART: Final = 8
"""The search restarts each time it has tried a multiple of this many actions per action of the history."""


def sample_state(start: OpenSpielState, observation: str, seat: int, randbelow: RandBelow) -> OpenSpielState:
    """A random state after ``start`` with a seat's observation. Raises PositionError if none is found."""
    own, marks = _read(observation)
    left = MOST + 10 * len(marks)
    while left > 0:
        tries = min(left, RESTART * (len(marks) + 4))
        left -= tries
        found = _search(start, own, marks, seat, randbelow, tries)
        if found is not None and found.observation(seat) == observation:
            return found
    raise PositionError(f"no state of {start.game.name} was found that fits the observation of seat {seat}")


def _read(observation: str) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The seat's own actions and its marks. Raises PositionError."""
    words = observation.split(" ")
    if len(words) != 4 or words[0] != VIEW:
        raise PositionError(
            "this is not an observation: it has other than four words, or does not begin with view"
        )
    own, trail = ("" if word == "-" else word for word in words[2:])
    numbers = own.split(",") if own else []
    if len(trail) % 4 or not all(number.isdecimal() and len(number) < 10 for number in numbers):
        raise PositionError("this is not an observation: its actions or its trail are malformed")
    return tuple(map(int, numbers)), tuple(trail[k : k + 4] for k in range(0, len(trail), 4))


def _search(
    start: OpenSpielState,
    own: tuple[int, ...],
    marks: tuple[str, ...],
    seat: int,
    randbelow: RandBelow,
    tries: int,
) -> OpenSpielState | None:
    """A state after as many actions as there are marks, all of which it has; None if none is found."""
    stack = [(start, 0)]
    open_ = [_order(*stack[0], own, seat, randbelow)]
    while stack and tries > 0:
        state, mine = stack[-1]
        if len(stack) == len(marks) + 1:
            return state if mine == len(own) else None
        if not open_[-1]:
            stack.pop()
            open_.pop()
            continue
        tries -= 1
        after = state.play(open_[-1].pop())
        if after.mark(seat) == marks[len(stack) - 1]:
            stack.append((after, mine + (state.actor == seat)))
            open_.append(_order(*stack[-1], own, seat, randbelow))
    return None


def _order(
    state: OpenSpielState, mine: int, own: tuple[int, ...], seat: int, randbelow: RandBelow
) -> list[str]:
    """The actions to try from a state, the first one last."""
    if state.actor == seat:
        wanted = own[mine] if mine < len(own) else -1
        return [action for action, code in state.codes.items() if code == wanted]
    actions = list(state.codes)
    weights = list(state.chance_weights()) if state.actor == CHANCE else [1] * len(actions)
    found = []
    while actions:
        at = randbelow(sum(weights))
        k = 0
        while at >= weights[k]:
            at -= weights[k]
            k += 1
        found.append(actions.pop(k))
        weights.pop(k)
    return found[::-1]
