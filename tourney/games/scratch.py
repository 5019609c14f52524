"""The seam of cores: one mutable position that search and playouts play in, made of machine words.

A game offers one by ``Game.scratch(state)``. It follows the same rules as the game's ``State``, which stays
the reference: tests play the same actions in both. Actions are *codes*, ints from 0 to 2**62; what a code
means is the game's own affair, and does not depend on the position.

A core (``tourney/games/GAME/core.py``) imports nothing but constants and tables, because its source is also
compiled: see ``tourney.games.compiled``. Its C types stand in ``core.pxd``, and the source is plain Python.

Randomness is SplitMix64 (Steele, Lea and Flood 2014), compiled or plain the same. A playout starts with
``x = seed``, from 0 to 2**64 - 1. A draw below ``total`` (at most 2**32) is::

    x = x + 0x9E3779B97F4A7C15
    z = x;  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;  z = (z ^ z >> 27) * 0x94D049BB133111EB
    draw = ((z ^ z >> 31) >> 32) * total >> 32

all modulo 2**64, as ``Stream`` computes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tourney.games.base import AnyState
    from tourney.games.values import Values

_MASK = (1 << 64) - 1


class Stream:
    """The generator of playouts, as a random stream: ``draw(total)`` is uniform in ``range(total)``."""

    __slots__ = ("_x",)

    def __init__(self, seed: int) -> None:
        self._x = seed & _MASK

    def draw(self, total: int) -> int:
        """Return the next integer below ``total``, which is at most 2**32."""
        self._x = z = self._x + 0x9E3779B97F4A7C15 & _MASK
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK
        return ((z ^ z >> 31) >> 32) * total >> 32


class Scratch(Protocol):
    """One mutable position. Its class is made without arguments; ``load`` fills it.

    A scratch keeps what its game's rules need of the history (counters, repetitions); ``load`` takes it from
    the state. Legality is not checked, but no code crashes the process: one out of range raises ValueError,
    another illegal one gives a position without meaning.
    """

    seats: int

    def load(self, state: AnyState) -> None:
        """Take over a state of the game."""

    def copy(self) -> Scratch:
        """Return a new scratch with the same position."""

    def copy_from(self, other: Any) -> None:
        """Take over the position of another scratch of the same class; quicker than ``load``."""

    def actor(self) -> int:
        """Return the seat to act, CHANCE or OVER, as ``State.actor``."""

    def actions(self) -> list[int]:
        """List the codes of the legal actions, or of chance's outcomes, in the order of ``legal_actions``."""

    def candidates(self) -> list[int]:
        """List the codes of ``Heuristics.candidates``, in the order of ``actions``: by default all."""

    def weights(self) -> list[int]:
        """Return the weights of chance's outcomes in the order of ``actions``; empty for a seat."""

    def play(self, code: int) -> None:
        """Play a legal action. Raises ValueError for a code out of range."""

    def ranks(self) -> tuple[int, ...] | None:
        """Return each seat's rank, or None while not over, as ``State.ranks``."""

    def encode(self, action: Any) -> int:
        """Return the code of one of the game's actions."""

    def decode(self, code: int) -> Any:
        """Return the game's action of a code. Raises ValueError for a code out of range."""

    def key(self) -> Hashable:
        """Return a small key for a transposition table, equal only where ``Heuristics.key`` is equal."""

    def values(self) -> Values:
        """Return the values of the position, as ``Heuristics.values`` of the game's heuristics."""

    def outlook(self, codes: list[int]) -> list[Values]:
        """Return for each legal code the values of the position after it; the position stays as it is."""

    def playout(self, seed: int, most: int) -> int:
        """Play random actions until the game is over or ``most`` are played; return how many.

        Uniform over the legal actions of a seat, and by weight over chance's outcomes. ``most`` is from 0 to
        2**31 - 1. The same seed gives the same actions everywhere.
        """

    def trace(self, seed: int, most: int) -> list[int]:
        """Play as ``playout`` does, and return the codes."""
