"""Actions as ints that print as their strings."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from tourney.errors import ActionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


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
    known = {name: actions[code] for code, name in names.items()}

    @lru_cache(8192)  # quicker than a call of Python and a look-up
    def parse_action(text: str) -> K:
        action = known.get(text)
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
        found = super().__getitem__(k)
        return list(map(self.kind, found)) if isinstance(k, slice) else self.kind(found)

    def __iter__(self) -> Iterator[IntAction]:
        return map(self.kind, super().__iter__())

    def __reversed__(self) -> Iterator[IntAction]:
        return map(self.kind, super().__reversed__())

    def __repr__(self) -> str:
        return repr(list(self))
