"""What both searches use: the core that they play in, random playouts, and what they found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tourney.games.base import CHANCE, OVER
from tourney.games.core_base import WIN, Core
from tourney.games.game_tree import choose
from tourney.seeds import U64

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from tourney.bot.heuristics import AnyHeuristics
    from tourney.bot.turn import Turn
    from tourney.games.base import AnyState
    from tourney.games.core_base import Values
    from tourney.seeds import RandBelow

MOST_ACTIONS = (1 << 31) - 1
"""The length of a playout that goes on to the end."""


def core_of(state: AnyState, heuristics: AnyHeuristics) -> Core:
    """A new core that holds a state: the game's if it has these heuristics, else one of states."""
    found = None if heuristics.game is None else heuristics.game.scratch(state)
    return StateCore(state, heuristics) if found is None else found


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
        self._state, self._over = other._state, other._over  # noqa: SLF001 - likewise

    def actor(self) -> int:
        """The seat to act, CHANCE or OVER."""
        return self._state.actor

    def actions(self) -> list[Any]:
        """Legal actions."""
        return list(self._state.legal_actions())

    def candidates(self) -> list[Any]:
        """Actions worth a search."""
        return list(self._heuristics.candidates(self._state))

    def weights(self) -> list[int]:
        """Weights of chance's outcomes; empty for a seat."""
        return list(self._state.chance_weights()) if self._state.actor == CHANCE else []

    def ranks(self) -> tuple[int, ...] | None:
        """Each seat's rank, or None while not over."""
        return self._state.ranks()

    def decode(self, code: Any) -> Any:
        """The action."""
        return code

    def key(self) -> Hashable:
        """The heuristics' key."""
        return self._heuristics.key(self._state)

    def values(self) -> Values:
        """The heuristics' values."""
        return self._heuristics.values(self._state)

    def play(self, code: Any) -> None:
        """Play an action."""
        self._state = self._state.play(code)
        self._over = int(self._state.actor == OVER)

    _play = play

    def _choose(self) -> Any:
        return choose(self._state, self._draw)


_REPORTED = 10
_REPORTED_CHARACTERS = 400


class Found(NamedTuple):
    """The result of a search."""

    action: Any
    """The best action found; always legal."""
    value: int
    """Its value for the seat to act, from -WIN to WIN."""
    depth: int
    """The depth searched in full (alpha-beta), or the length of ``line`` (MCTS)."""
    nodes: int
    """The nodes (alpha-beta) or playouts (MCTS) used."""
    line: Sequence[Any]
    """The expected actions, this one first; chance outcomes are left out."""


def report(turn: Turn, found: Found) -> None:
    """Write ``info score= depth= nodes= pv=`` to the match log.

    The score is the value in units of a win, from -1.00 to 1.00. The line is cut after some actions.
    """
    text = turn.game.action_string
    words: list[str] = []
    room = _REPORTED_CHARACTERS
    for action in found.line[:_REPORTED]:
        words.append(text(action))
        room -= len(words[-1]) + 1
        if room < 0:
            words.pop()
            break
    hundredths = abs(found.value) * 100 // WIN
    sign = "-" if found.value < 0 and hundredths else ""
    score = f"{sign}{hundredths // 100}.{hundredths % 100:02}"
    extra = {"pv": ",".join(words)} if words else {}
    turn.info(score=score, depth=found.depth, nodes=found.nodes, **extra)
