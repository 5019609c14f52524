"""States and games whose rules are a core, and actions as ints that print as their strings."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from tourney.errors import ActionError, PositionError
from tourney.games.base import CHANCE, Game, State
from tourney.games.compiled import core

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
    from types import ModuleType

    from tourney.games.core_base import Core
    from tourney.games.diagrams import Diagram
    from tourney.games.view import AnyView
    from tourney.seeds import RandBelow


class IntAction(int):
    """An action that prints as its string, also in lists and in f-strings; else it is an int.

    A game derives a class from it, with the function that makes the string as ``text``.
    """

    __slots__ = ()

    text: ClassVar[Callable[[int], str]]

    def __init_subclass__(cls, text: Callable[[int], str]) -> None:
        cls.text = staticmethod(text)

    def __str__(self) -> str:
        return type(self).text(self)

    def __repr__(self) -> str:
        return str(self)


K = TypeVar("K", bound=IntAction)


def action_tables(
    kind: type[K], names: Mapping[int, str], forms: str
) -> tuple[list[str], list[K], Callable[[str], K]]:
    """By code the strings and the actions of a game with few codes, and the parser of its strings.

    A number that is not an action has the string "", and the action of the least code. The parser raises
    ActionError for other strings; ``forms`` ends its sentence: the game, and how actions are written.
    """
    strings = [names.get(code, "") for code in range(max(names) + 1)]
    least = kind(min(names))
    actions = [kind(code) if name else least for code, name in enumerate(strings)]
    by_name = {name: actions[code] for code, name in names.items()}

    @lru_cache(8192)  # quicker than a call of Python and a look-up; hostile texts do not stay for ever
    def parse_action(text: str) -> K:
        action = by_name.get(text)
        if action is None:
            raise ActionError(f"{text[:40]!r} is not an action of {forms}")
        return action

    return strings, actions, parse_action


class IntActions(list[int]):
    """A long list of actions, kept as ints; its items are actions of the class ``kind``.

    Objects are made when items are read: most callers read one action, or the length only.
    """

    __slots__ = ("kind",)

    def __init__(self, kind: type[IntAction], actions: Iterable[int]) -> None:
        super().__init__(actions)
        self.kind = kind

    def __getitem__(self, k: Any) -> Any:
        codes = super().__getitem__(k)
        return list(map(self.kind, codes)) if isinstance(k, slice) else self.kind(codes)

    def __iter__(self) -> Iterator[IntAction]:
        return map(self.kind, super().__iter__())

    def __reversed__(self) -> Iterator[IntAction]:
        return map(self.kind, super().__reversed__())

    def __repr__(self) -> str:
        return repr(list(self))


class CoreState(State[int]):
    """A position that a core holds, with the history that its rules need.

    The core belongs to the state: play in a copy of it. ``Core.state`` makes states.
    """

    __slots__ = ("_legal", "actor", "core")

    game: CoreGame[Any]
    actor: int
    core: Core
    _legal: Sequence[int]

    @property
    def seats(self) -> int:
        return self.core.seats

    def legal_actions(self) -> Sequence[int]:
        try:
            return self._legal
        except AttributeError:  # nothing sets it before: most states are passed through and never asked
            table = self.game.actions
            self._legal = (
                self.core.texts(table)  # type: ignore[arg-type,assignment] # a table of actions serves too
                if table
                else IntActions(self.game.action, self.core.actions())
            )
            return self._legal

    def is_legal(self, action: int) -> bool:
        return self.core.is_legal(action)

    def chance_weights(self) -> Sequence[int]:
        return self.core.weights() if self.actor == CHANCE else super().chance_weights()

    def outcome(self, u: int) -> int:
        return self.core.outcome(u) if self.actor == CHANCE else super().outcome(u)

    def play(self, action: int) -> Self:
        after: Self = self.core.state_after(type(self), action)
        return after

    def ranks(self) -> tuple[int, ...] | None:
        return self.core.ranks()

    def reason(self) -> str:
        return self.core.reason()

    def position(self) -> str:
        return self.core.position()


A = TypeVar("A", bound="Hashable")
P = TypeVar("P")
"""A game's parsed position."""


class DrawnGame(Game[A]):
    """A game drawn by the module ``diagram`` of its package.

    The module is loaded when it is first used: bots start often and draw nothing.
    """

    package: ClassVar[str]
    """The package's full name."""

    @cached_property
    def drawing(self) -> ModuleType:
        """The module, with ``diagram_of`` and maybe ``view_of``, ``parts_of`` and ``part_of``."""
        return import_module(f"{self.package}.diagram")

    def view(self, text: str) -> AnyView:
        view_of = getattr(self.drawing, "view_of", None)
        return super().view(text) if view_of is None else view_of(self, text)

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        diagram: Diagram = self.drawing.diagram_of(view, last)
        return diagram

    def diagram_parts(self, view: str, last: str | None = None) -> tuple[Hashable, ...]:
        parts_of = getattr(self.drawing, "parts_of", super().diagram_parts)
        parts: tuple[Hashable, ...] = parts_of(view, last)
        return parts

    def diagram_part(self, index: int, part: Any) -> Diagram:
        part_of = getattr(self.drawing, "part_of", super().diagram_part)
        diagram: Diagram = part_of(index, part)
        return diagram


class CoreGame(DrawnGame[int], Generic[P]):
    """A game of Tourney's own: its actions are codes of the core, which is in its package's ``core``."""

    core_class: ClassVar[str]
    """The name of the core's class."""
    start: P
    """Where every game begins, unless the game defines ``initial``."""
    state: ClassVar[type[CoreState]] = CoreState
    """The class of its states; a game may name the class from which its own is derived."""
    action: ClassVar[type[IntAction]]
    actions: ClassVar[Sequence[IntAction]] = ()
    """By code, the action, if codes are few enough for a table; ``strings`` has its string."""
    strings: ClassVar[list[str]] = []
    value_version = 1

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # A state has its game by its class: a field would have to be set in each of thousands of states.
        attributes = {"__slots__": (), "__doc__": f"A state of {cls.title}.", "game": cls()}
        cls.state = type(f"{cls.__name__}State", (cls.state,), attributes)

    @abstractmethod
    def read(self, text: str) -> P:
        """Parse a position string by the seats and options in it. Raises PositionError."""

    def initial(self, seats: int, options: Mapping[str, str]) -> CoreState:  # noqa: ARG002 - for games with several
        return self.state_at(self.start)

    def state_at(self, at: P) -> CoreState:
        """The state of a parsed position, without history."""
        # Looked up at each call, not once: ``use_plain`` may choose the other form in between.
        made = getattr(core(self.package.rpartition(".")[2]), self.core_class)()
        made.load(at)
        state: CoreState = made.state(self.state)
        return state

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> CoreState:  # noqa: ARG002 - for games with several
        state = self.state_at(self.read(text))
        if state.seats != seats:
            raise PositionError(f"the position is of a game with {state.seats} seats, not {seats}")
        return state

    def sample(self, observation: str, seat: int, randbelow: RandBelow) -> CoreState:  # noqa: ARG002 - nothing is hidden
        return self.state_at(self.read(observation))

    def legal_texts(self, state: State[int]) -> tuple[str, ...]:
        core: Core = state.core  # type: ignore[attr-defined] # a CoreState
        # In one call of the core: calling a function for each action takes longer than listing them.
        if self.strings:
            return core.texts(self.strings)
        return tuple(map(self.action_string, core.actions()))

    def play_text(self, state: State[int], text: str) -> CoreState:
        core: Core = state.core  # type: ignore[attr-defined] # a CoreState
        after: CoreState | None = core.state_if_legal(self.state, self.parse_action(text))
        if after is None:
            raise ActionError(f"action {text} is not legal here")
        return after

    def play_outcome(self, state: State[int], u: int) -> tuple[str, CoreState]:
        core: Core = state.core  # type: ignore[attr-defined] # a CoreState
        code, after = core.state_by_chance(self.state, u)
        return self.action_string(code), after

    def values(self, state: State[int]) -> Sequence[int]:
        values: Sequence[int] = state.core.values()  # type: ignore[attr-defined] # a CoreState
        return values

    def outlook(self, state: State[int]) -> Sequence[Sequence[int]]:
        core: Core = state.core  # type: ignore[attr-defined] # a CoreState
        return core.outlook(core.actions())

    def scratch(self, state: State[int]) -> Core:
        return state.core.copy()  # type: ignore[attr-defined,no-any-return] # a CoreState
