"""What the suite finds: a property that fails, and where."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tourney.errors import OptionError
from tourney.games.base import CHANCE, AnyGame, AnyState
from tourney.seeds import Draw


@dataclass(frozen=True, slots=True)
class Setting:
    """A number of seats and a value for every option: what a game is begun with."""

    seats: int
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return " ".join([f"seats={self.seats}", *(f"{name}={value}" for name, value in self.options)])


@dataclass(frozen=True, slots=True)
class Finding:
    """A property that does not hold, in one sentence, and the actions that lead to where it shows.

    ``name`` is the property's, one of ``PROPERTIES``. ``setting`` is None where it is about the game as such.
    ``position`` is set where the state was read from that string; the history is empty then.
    """

    name: str
    what: str
    setting: Setting | None = None
    history: tuple[str, ...] = ()
    position: str | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        """Lines for ``tourney rules`` that lead to the state; none if it is about no state."""
        if self.setting is None:
            return ()
        start = (f"new {self.setting}",)
        if self.position is not None:
            return (*start, f"set {self.position}")
        return (*start, *(f"play {action}" for action in self.history))


def settings_of(game: AnyGame) -> tuple[Setting, ...]:
    """Return the settings to try: every number of seats with the defaults, then with other options.

    One option at a time is changed. Settings that the game refuses as not going together are left out.
    """
    found: dict[Setting, None] = {}
    changes: list[dict[str, str]] = [{}]
    changes += [{o.name: value} for o in game.options for value in o.values if value != o.default]
    for change in changes:
        for seats in game.seat_counts:
            options = {o.name: change.get(o.name, o.default) for o in game.options}
            if _go_together(game, seats, options):
                found[Setting(seats, tuple(options.items()))] = None
    return tuple(found)


def _go_together(game: AnyGame, seats: int, options: dict[str, str]) -> bool:
    try:
        game.settings(seats, options)
    except OptionError:
        return False
    return True


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


_TEMPTING = "0123456789abcdxXAFSW.-?/,:+#'"


def mutants(text: str, count: int, draw: Draw) -> Iterator[str]:
    """Yield ``count`` strings that differ from ``text`` by one small change each."""
    for _ in range(count):
        yield mutant(text, draw)


def mutant(text: str, draw: Draw) -> str:
    """Return a string that differs from ``text``, which is not empty, by one small change."""
    at = draw(len(text))
    before, here, after = text[:at], text[at], text[at + 1 :]
    kind = draw(8)
    if kind == 0:
        changed = before + after
    elif kind == 1:
        changed = before + here + here + after
    elif kind == 2 and after:
        changed = before + after[0] + here + after[1:]
    elif kind == 3:
        changed = before + here.swapcase() + after
    elif kind == 4:
        changed = before + _TEMPTING[draw(len(_TEMPTING))] + here + after
    elif kind == 5 and here.isdecimal():
        changed = before + str((int(here) + 1) % 10) + after
    elif kind == 6:
        changed = before + text[draw(len(text))] + after
    else:
        changed = before + _TEMPTING[draw(len(_TEMPTING))] + after
    return changed if changed != text else text + ("0" if draw(2) else " ")


def spliced(text: str, other: str, draw: Draw) -> str:
    """Return ``text`` with one of its fields, which blanks part, taken from another such string."""
    fields, others = text.split(" "), other.split(" ")
    k = draw(len(fields))
    if k < len(others):
        fields[k] = others[k]
    return " ".join(fields)


def around(text: str) -> tuple[str, ...]:
    """Return strings that a lenient reader would take for ``text``."""
    return (
        f" {text}",
        f"{text} ",
        f"{text}\n",
        f"\ufeff{text}",
        text.upper() if text.upper() != text else text.lower(),
        text.translate(str.maketrans("123", "\u0661\u0662\u0663")),
        text.replace("-", "\u2212"),
    )
