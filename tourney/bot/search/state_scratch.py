"""The scratch of a search: a game's core, or one made of states and an author's heuristics; and playouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tourney.games.base import CHANCE, OVER
from tourney.games.scratch import Scratch, Stream
from tourney.seeds import U64

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from tourney.bot.heuristics.base import AnyHeuristics, Values
    from tourney.games.base import AnyState
    from tourney.seeds import RandBelow

MOST_ACTIONS = (1 << 31) - 1
"""The length of a playout that goes on to the end."""


def scratch_of(state: AnyState, heuristics: AnyHeuristics) -> Scratch:
    """Return a scratch that holds a state: of the game's core if it has these heuristics, else of states."""
    found = None if heuristics.game is None else heuristics.game.scratch(state)
    return StateScratch(state, heuristics) if found is None else found


def playout(
    state: AnyState, randbelow: RandBelow, heuristics: AnyHeuristics, plies: int | None = None
) -> Values:
    """Play at random and return the values of the last state: uniformly, and chance by its weights.

    After ``plies`` actions (None: at the end of the game) the state is valued as it stands.
    """
    scratch = scratch_of(state, heuristics)
    scratch.playout(randbelow(U64), MOST_ACTIONS if plies is None else plies)
    return scratch.values()


def draw_outcome(weights: Sequence[int], draw: RandBelow) -> int:
    """Return the index of a chance outcome, drawn by the integer weights."""
    rest = draw(sum(weights))
    for index, weight in enumerate(weights):
        rest -= weight
        if rest < 0:
            return index
    raise ValueError("the weights of the outcomes are not positive")


class StateScratch(Scratch):
    """Does what ``Scratch`` promises by states; an action is its own code, whatever its type."""

    __slots__ = ("_heuristics", "_state", "seats")

    def __init__(self, state: AnyState, heuristics: AnyHeuristics) -> None:
        self._state = state
        self._heuristics = heuristics
        self.seats = state.seats

    def load(self, state: AnyState) -> None:
        """Take over a state."""
        self._state = state
        self.seats = state.seats

    def copy(self) -> StateScratch:
        """Return a new scratch with the same state."""
        return StateScratch(self._state, self._heuristics)

    def copy_from(self, other: StateScratch) -> None:
        """Take over the state of another."""
        self._state = other._state

    def actor(self) -> int:
        """Return the seat to act, CHANCE or OVER."""
        return self._state.actor

    def actions(self) -> list[Any]:
        """List the legal actions."""
        return list(self._state.legal_actions())

    def candidates(self) -> list[Any]:
        """List the actions worth a search."""
        return list(self._heuristics.candidates(self._state))

    def weights(self) -> list[int]:
        """Return the weights of chance's outcomes; empty for a seat."""
        return list(self._state.chance_weights()) if self._state.actor == CHANCE else []

    def play(self, code: Any) -> None:
        """Play an action."""
        self._state = self._state.play(code)

    def ranks(self) -> tuple[int, ...] | None:
        """Return each seat's rank, or None while not over."""
        return self._state.ranks()

    def encode(self, action: Any) -> Any:
        """Return the action."""
        return action

    def decode(self, code: Any) -> Any:
        """Return the action."""
        return code

    def key(self) -> Hashable:
        """Return the heuristics' key."""
        return self._heuristics.key(self._state)

    def values(self) -> Values:
        """Return the heuristics' values."""
        return self._heuristics.values(self._state)

    def outlook(self, codes: list[Any]) -> list[Values]:
        """Return the values after each action."""
        play, values = self._state.play, self._heuristics.values
        return [values(play(code)) for code in codes]

    def playout(self, seed: int, most: int) -> int:
        """Play at random, and return how many actions."""
        return len(self.trace(seed, most))

    def trace(self, seed: int, most: int) -> list[Any]:
        """Play at random, and return the actions."""
        draw = Stream(seed).draw
        state = self._state
        played: list[Any] = []
        while len(played) < most and state.actor != OVER:
            actions = state.legal_actions()
            if state.actor == CHANCE:
                action = actions[draw_outcome(state.chance_weights(), draw)]
            else:
                action = actions[draw(len(actions))]
            state = state.play(action)
            played.append(action)
        self._state = state
        return played
