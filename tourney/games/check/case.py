"""The values of the property suite: settings, findings, cases, and the strings that a case tries."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from tourney.errors import OptionError
from tourney.games.base import CHANCE, AnyGame, AnyState
from tourney.seeds import RandBelow


@dataclass(frozen=True, slots=True)
class TableSetting:
    """A number of seats and a value for every option."""

    seats: int
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return " ".join([f"seats={self.seats}", *(f"{name}={value}" for name, value in self.options)])


@dataclass(frozen=True, slots=True)
class PropertyFailure:
    """A failed property, one of ``PROPERTIES``, and the shortest known history that shows it.

    ``what`` is one sentence. ``setting`` is None for a property of the game class itself.
    """

    name: str
    what: str
    setting: TableSetting | None = None
    history: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines for ``tourney rules`` that reproduce the state; none without a setting."""
        if self.setting is None:
            return ()
        return (f"new {self.setting}", *(f"play {action}" for action in self.history))


def settings_of(game: AnyGame) -> tuple[TableSetting, ...]:
    """The settings to try: every number of seats with the defaults, then with one option changed.

    Combinations that the game refuses are left out.
    """
    settings: dict[TableSetting, None] = {}
    changes: list[dict[str, str]] = [{}]
    changes += [{o.name: value} for o in game.options for value in o.values if value != o.default]
    for change in changes:
        for seats in game.seat_counts:
            with suppress(OptionError):
                _, options = game.settings(seats, change)
                settings[TableSetting(seats, tuple(options.items()))] = None
    return tuple(settings)


T = TypeVar("T")

Fingerprint = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class StringPool:
    """The latest action and position strings of the games played so far."""

    actions: deque[str] = field(default_factory=lambda: deque(maxlen=400))
    positions: deque[str] = field(default_factory=lambda: deque(maxlen=400))


@dataclass(frozen=True, slots=True)
class Case:
    """A state under test, the actions that led to it, and a random stream for the trials."""

    game: AnyGame
    setting: TableSetting
    state: AnyState
    history: tuple[str, ...]
    randbelow: RandBelow
    pool: StringPool

    @property
    def options(self) -> dict[str, str]:
        """The options as a dict, as the game's methods take them."""
        return dict(self.setting.options)

    @property
    def names(self) -> list[str]:
        """The legal actions' strings."""
        return names_of(self.game, self.state)

    def read(self, text: str) -> AnyState:
        """Read a position string with this game's setting."""
        return self.game.parse_position(text, self.setting.seats, self.options)


Property = Callable[[Case], Iterator[str]]
"""Yields a sentence for a way in which a case breaks the property; the first one ends the trial."""


def names_of(game: AnyGame, state: AnyState) -> list[str]:
    """The strings of a state's legal actions."""
    return [game.action_string(action) for action in state.legal_actions()]


def fingerprint(game: AnyGame, state: AnyState) -> Fingerprint:
    """Everything observable of a state."""
    actor = state.actor
    return (
        actor,
        state.position(),
        tuple(names_of(game, state)),
        tuple(state.chance_weights()) if actor == CHANCE else (),
        state.ranks(),
        state.reason(),
        tuple(state.observation(seat) for seat in range(1, state.seats + 1)),
        state.revealed(),
    )


def subset(items: Sequence[T], count: int, randbelow: RandBelow) -> list[T]:
    """Up to ``count`` random items, without repetition and in their order."""
    if len(items) <= count:
        return list(items)
    chosen: set[int] = set()
    while len(chosen) < count:
        chosen.add(randbelow(len(items)))
    return [items[k] for k in sorted(chosen)]


def describe(error: Exception) -> str:
    """An unexpected exception as the end of a sentence."""
    return f"raises {type(error).__name__}: {error}"


_TEMPTING = "0123456789abcdxXAFSW.-?/,:+#'"


def mutants(text: str, count: int, randbelow: RandBelow) -> Iterator[str]:
    """Yield strings that differ from a non-empty ``text`` by one small change each."""
    return (_mutant(text, randbelow) for _ in range(count))


def _mutant(text: str, randbelow: RandBelow) -> str:
    at = randbelow(len(text))
    before = text[:at]
    here = text[at]
    after = text[at + 1 :]
    kind = randbelow(8)
    if kind == 0:
        changed = before + after
    elif kind == 1:
        changed = before + here + here + after
    elif kind == 2 and after:
        changed = before + after[0] + here + after[1:]
    elif kind == 3:
        changed = before + here.swapcase() + after
    elif kind == 4:
        changed = before + _TEMPTING[randbelow(len(_TEMPTING))] + here + after
    elif kind == 5 and here.isdecimal():
        changed = before + str((int(here) + 1) % 10) + after
    elif kind == 6:
        changed = before + text[randbelow(len(text))] + after
    else:
        changed = before + _TEMPTING[randbelow(len(_TEMPTING))] + after
    return changed if changed != text else text + ("0" if randbelow(2) else " ")


def spliced(text: str, other: str, randbelow: RandBelow) -> str:
    """``text`` with one of its blank-separated fields taken from ``other``."""
    fields = text.split(" ")
    others = other.split(" ")
    k = randbelow(len(fields))
    if k < len(others):
        fields[k] = others[k]
    return " ".join(fields)


def around(text: str) -> tuple[str, ...]:
    """Strings that a lenient parser would accept as ``text``."""
    return (
        f" {text}",
        f"{text} ",
        f"{text}\n",
        f"\ufeff{text}",
        text.upper() if text.upper() != text else text.lower(),
        text.translate(str.maketrans("123", "\u0661\u0662\u0663")),
        text.replace("-", "\u2212"),
    )
