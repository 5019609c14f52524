"""What a search knows of a game besides its rules: values of positions, keys, forcing actions, candidates.

All values are integers, so that a search decides the same on every machine.
"""

from collections.abc import Hashable, Sequence
from typing import Any, Generic, TypeVar

from tourney.games.base import OVER, AnyState

S = TypeVar("S", bound=AnyState)
"""A game's states."""

WIN = 600_000
"""The value of a win against all others. Divisible by 2 and 3, so that shares of several seats are whole."""
LIMIT = 500_000
"""A position that is not over has a value between -LIMIT and LIMIT."""
SCALE = 1_000
"""The advantage that is worth half of LIMIT: "clearly better"."""

Values = tuple[int, ...]
"""A value per seat, in seat order."""


def squash(advantage: int) -> int:
    """Map an advantage of any size to a value: ``LIMIT * x / (|x| + SCALE)``, rounded towards 0."""
    if advantage < 0:
        return -(LIMIT * -advantage // (SCALE - advantage))
    return LIMIT * advantage // (SCALE + advantage)


def results(ranks: Sequence[int]) -> Values:
    """Return the values of a finished game: ``WIN * (seats worse - seats better) / (seats - 1)``."""
    others = max(len(ranks) - 1, 1)
    return tuple(
        WIN * (sum(rank > mine for rank in ranks) - sum(rank < mine for rank in ranks)) // others
        for mine in ranks
    )


class Heuristics(Generic[S]):
    """The default knows nothing: only results count. Subclass it for a game; it keeps no state.

    ``informed`` says whether ``advantages`` tells positions apart. If so, ``Mcts`` values new actions by it,
    and otherwise by playouts.
    """

    informed: bool = False

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

    def forcing(self, state: S) -> Sequence[Any]:  # noqa: ARG002 - for subclasses
        """List the legal actions that change the balance at once, best first, for quiescence and ordering."""
        return ()

    def candidates(self, state: S) -> Sequence[Any]:
        """List the legal actions worth a search, at least one; the default is all.

        ``Mcts`` considers only these. ``AlphaBeta`` considers all.
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
