"""A scene: a state in a game that is being checked, with what a property needs to try it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tourney.games.base import CHANCE, AnyGame, AnyState
from tourney.games.check.finding import Setting
from tourney.seeds import Draw

Fingerprint = tuple[object, ...]


@dataclass(slots=True)
class Pool:
    """Strings seen in other states of the same games: bounded, the oldest go first."""

    limit: int = 400
    actions: list[str] = field(default_factory=list)
    positions: list[str] = field(default_factory=list)

    def add_action(self, text: str) -> None:
        """Keep an action string."""
        self._add(self.actions, text)

    def add_position(self, text: str) -> None:
        """Keep a position string."""
        self._add(self.positions, text)

    def _add(self, strings: list[str], text: str) -> None:
        strings.append(text)
        if len(strings) > self.limit:
            del strings[0]


@dataclass(frozen=True, slots=True)
class Scene:
    """A state, how it was reached, and a stream of draws for what is tried at random."""

    game: AnyGame
    setting: Setting
    state: AnyState
    history: tuple[str, ...]
    draw: Draw
    pool: Pool

    @property
    def options(self) -> dict[str, str]:
        """The options as the game's methods take them."""
        return dict(self.setting.options)

    @property
    def names(self) -> list[str]:
        """The legal actions' strings."""
        return [self.game.action_string(action) for action in self.state.legal_actions()]

    def read(self, text: str) -> AnyState:
        """Read a position string with this game's setting."""
        return self.game.parse_position(text, self.setting.seats, self.options)


Property = Callable[[Scene], Iterator[str]]
"""Yields a sentence for each way in which a scene does not hold to something."""


def fingerprint(game: AnyGame, state: AnyState) -> Fingerprint:
    """Return all that a state shows of itself."""
    actor = state.actor
    return (
        actor,
        state.position(),
        tuple(game.action_string(action) for action in state.legal_actions()),
        tuple(state.chance_weights()) if actor == CHANCE else (),
        state.ranks(),
        state.reason(),
        tuple(state.observation(seat) for seat in range(1, state.seats + 1)),
        state.revealed(),
    )


def some(items: list[Any], count: int, draw: Draw) -> list[Any]:
    """Return up to ``count`` of the items, drawn without repetition, in their order."""
    if len(items) <= count:
        return items
    chosen: set[int] = set()
    while len(chosen) < count:
        chosen.add(draw(len(items)))
    return [items[k] for k in sorted(chosen)]


def said(error: Exception) -> str:
    """Return an unexpected exception as words."""
    return f"raises {type(error).__name__}: {error}"
