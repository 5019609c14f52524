"""A game's heuristics for a search, the core that a search plays in, and a search's result.

All values are integers, so that a search decides the same on every machine. The shipped games' heuristics are
in their cores: ``tourney/games/GAME/core.py`` says what a core values and why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from tourney.games.base import CHANCE, OVER, AnyAction, AnyState
from tourney.games.core_base import WIN, Core, results, squash
from tourney.games.core_game import CoreState
from tourney.games.registry import find_game
from tourney.games.tree import choose
from tourney.seeds import U64

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from tourney.bot.turn import Turn
    from tourney.games.base import AnyGame
    from tourney.games.core_base import Values
    from tourney.seeds import RandBelow

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

    def candidates(self, state: S) -> Sequence[AnyAction]:
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
    """Heuristics of states from their cores: the same values as in a search on the core."""

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
    heuristics = _CLASSES[game]()
    heuristics.game = find_game(game)
    return heuristics


MOST_ACTIONS = (1 << 31) - 1
"""The length of a playout that goes on to the end."""


def core_of(state: AnyState, heuristics: AnyHeuristics) -> Core:
    """A new core that holds a state: the game's if it has these heuristics, else one of states."""
    core = None if heuristics.game is None else heuristics.game.scratch(state)
    return StateCore(state, heuristics) if core is None else core


def playout(
    state: AnyState, randbelow: RandBelow, heuristics: AnyHeuristics, plies: int | None = None
) -> Values:
    """Play at random and return the values of the last state: uniformly, and chance by its weights.

    After ``plies`` actions (None: at the end of the game) the state is valued as it stands.
    """
    core = core_of(state, heuristics)
    core.playout(randbelow(U64), MOST_ACTIONS if plies is None else plies)
    return core.values()


class StateCore(Core):
    """A core made of states and heuristics; an action is its own code, whatever its type."""

    def __init__(self, state: AnyState, heuristics: AnyHeuristics) -> None:
        super().__init__()
        self._state = state
        self._heuristics = heuristics
        self.seats = state.seats
        self._over = int(state.actor == OVER)

    def copy(self) -> StateCore:
        """A new core with the same state."""
        return StateCore(self._state, self._heuristics)

    def copy_from(self, other: Core) -> None:
        """Take over the state of another."""
        assert isinstance(other, StateCore)  # noqa: S101 - of the same class
        self._state = other._state  # noqa: SLF001 - likewise
        self._over = other._over  # noqa: SLF001 - likewise

    def actor(self) -> int:
        """The seat to act, CHANCE or OVER."""
        return self._state.actor

    def actions(self) -> list[AnyAction]:
        """Legal actions."""
        return list(self._state.legal_actions())

    def candidates(self) -> list[AnyAction]:
        """Actions worth a search."""
        return list(self._heuristics.candidates(self._state))

    def weights(self) -> list[int]:
        """Weights of chance's outcomes; empty for a seat."""
        return list(self._state.chance_weights()) if self._state.actor == CHANCE else []

    def ranks(self) -> tuple[int, ...] | None:
        """Each seat's rank, or None while not over."""
        return self._state.ranks()

    def decode(self, code: AnyAction) -> AnyAction:
        """The action."""
        return code

    def key(self) -> Hashable:
        """The heuristics' key."""
        return self._heuristics.key(self._state)

    def values(self) -> Values:
        """The heuristics' values."""
        return self._heuristics.values(self._state)

    def play(self, code: AnyAction) -> None:
        """Play an action."""
        self._state = self._state.play(code)
        self._over = int(self._state.actor == OVER)

    _play = play

    def _choose(self) -> AnyAction:
        return choose(self._state, self._draw)


_REPORTED = 10
_REPORTED_CHARACTERS = 400


class Found(NamedTuple):
    """The result of a search."""

    action: AnyAction
    """The best action found; always legal."""
    value: int
    """Its value for the seat to act, from -WIN to WIN."""
    depth: int
    """The depth searched in full (alpha-beta), or the length of ``line`` (MCTS)."""
    nodes: int
    """The nodes (alpha-beta) or playouts (MCTS) used."""
    line: Sequence[AnyAction]
    """The expected actions, this one first; chance outcomes are left out."""


def report(turn: Turn, found: Found) -> None:
    """Write ``info score= depth= nodes= pv=`` to the match log.

    The score is the value in units of a win, from -1.00 to 1.00. The line is cut after some actions.
    """
    words = list(map(turn.game.action_string, found.line[:_REPORTED]))
    while len(",".join(words)) >= _REPORTED_CHARACTERS:
        words.pop()
    hundredths = abs(found.value) * 100 // WIN
    sign = "-" if found.value < 0 and hundredths else ""
    score = f"{sign}{hundredths // 100}.{hundredths % 100:02}"
    extra = {"pv": ",".join(words)} if words else {}
    turn.info(score=score, depth=found.depth, nodes=found.nodes, **extra)
