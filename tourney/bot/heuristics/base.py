"""What a search knows of a game besides its rules: values of positions, keys, candidates.

All values are integers, so that a search decides the same on every machine.
"""

from collections.abc import Hashable, Sequence
from typing import Any, Generic, TypeVar

from tourney.games.base import OVER, AnyGame, AnyState
from tourney.games.values import LIMIT, SCALE, WIN, Values, results, squash

__all__ = ["LIMIT", "SCALE", "WIN", "AnyHeuristics", "Heuristics", "Values", "results", "squash"]

S = TypeVar("S", bound=AnyState)
"""A game's states."""


class Heuristics(Generic[S]):
    """The default knows nothing: only results count. Subclass it for a game; it keeps no state.

    ``informed`` says whether ``advantages`` tells positions apart. If so, ``Mcts`` values new actions by it,
    and otherwise by playouts.
    """

    informed: bool = False
    game: AnyGame | None = None
    """The game whose core values positions as these heuristics do; ``heuristics_of`` sets it."""
    gain: int = 0
    """The advantage from which an action that wins it is forcing: alpha-beta looks at these beyond its depth.
    0: at none."""

    def advantages(self, state: S) -> Sequence[int]:
        """Return each seat's advantage in a state that is not over, also at chance.

        0 is an even game, SCALE is clearly better, and there is no bound.
        """
        return (0,) * state.seats

    def key(self, state: S) -> Hashable:
        """Return a key for a transposition table: equal only where the game goes on alike.

        Histories and counters that seldom matter may be left out.
        """
        return state.position()

    def candidates(self, state: S) -> Sequence[Any]:
        """List the legal actions worth a search in their order, at least one; the default is all.

        ``Mcts`` considers only these. ``alpha_beta`` considers all.
        """
        return state.legal_actions()

    def values(self, state: S) -> Values:
        """Return the value of a state for each seat: its result if it is over, else by ``advantages``."""
        if state.actor == OVER:
            ranks = state.ranks()
            assert ranks is not None  # noqa: S101 - the game is over
            return results(ranks)
        return tuple(map(squash, self.advantages(state)))


AnyHeuristics = Heuristics[Any]
