"""What a search knows of a game besides its rules: values of positions, keys, candidates.

All values are integers, so that a search decides the same on every machine. The shipped games' heuristics are
in their cores: ``tourney/games/GAME/core.py`` says what a core values and why.
"""

from collections.abc import Hashable, Sequence
from typing import Any, Generic, TypeVar

from tourney.games.base import OVER, AnyGame, AnyState
from tourney.games.core_base import Values, results, squash
from tourney.games.core_game import CoreState
from tourney.games.registry import find_game

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
        """Each seat's advantage in a state that is not over, also at chance.

        0 is an even game, SCALE is clearly better, and there is no bound.
        """
        return (0,) * state.seats

    def key(self, state: S) -> Hashable:
        """A key for a transposition table: equal only where the game goes on alike.

        Histories and counters that seldom matter may be left out.
        """
        return state.position()

    def candidates(self, state: S) -> Sequence[Any]:
        """List the legal actions worth a search in their order, at least one; the default is all.

        ``Mcts`` considers only these. ``alpha_beta`` considers all.
        """
        return state.legal_actions()

    def values(self, state: S) -> Values:
        """The value of a state for each seat: its result if it is over, else by ``advantages``."""
        if state.actor == OVER:
            ranks = state.ranks()
            assert ranks is not None  # noqa: S101 - the game is over
            return results(ranks)
        return tuple(map(squash, self.advantages(state)))


class CoreHeuristics(Heuristics[CoreState]):
    """What a game's core knows, for states: the same as a search in the core has."""

    informed = True

    def advantages(self, state: CoreState) -> Sequence[int]:
        """Each seat's advantage."""
        return state.core.advantages()

    def key(self, state: CoreState) -> Hashable:
        """The core's key: histories, and counters that seldom matter, are left out."""
        return state.core.key()

    def candidates(self, state: CoreState) -> Sequence[int]:
        """Legal actions worth a search."""
        return list(map(state.game.action, state.core.candidates()))


class CyvasseHeuristics(CoreHeuristics):
    """Values pieces, those near the enemy's King more; in the set-up, ranks by kind."""

    gain = 100


class ElementHeuristics(CoreHeuristics):
    """Values the freedom of each sage, and whether the stones at hand can take it away."""


class StonesHeuristics(CoreHeuristics):
    """Values the chance to win, or with play-on to be the next that is done; there are no advantages."""

    def values(self, state: CoreState) -> Values:
        """The expected result, if each seat wins with its colours' share of the strengths."""
        return state.core.values()


class TaflHeuristics(CoreHeuristics):
    """Values points, pieces, and how near apprentices and sages are to leaving the board."""

    gain = 300


class SevenSagesHeuristics(CoreHeuristics):
    """Values points, a score in reach, and the fool's place; a point wins more than the gain."""

    gain = 150


AnyHeuristics = Heuristics[Any]

_CLASSES: dict[str, type[CoreHeuristics]] = {
    "cyvasse": CyvasseHeuristics,
    "element": ElementHeuristics,
    "sage-stones": StonesHeuristics,
    "sages-tafl": TaflHeuristics,
    "seven-sages": SevenSagesHeuristics,
}


def heuristics_of(game: str) -> AnyHeuristics:
    """The heuristics of a game by its name, or ones that know only results."""
    if game not in _CLASSES:
        return Heuristics()
    found = _CLASSES[game]()
    found.game = find_game(game)
    return found
