"""Actions as ints that print as their strings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


class IntAction(int):
    """An action that prints as its string, also in lists and in f-strings; else it is an int.

    A game derives a class with ``__str__`` from it.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


K = TypeVar("K", bound=IntAction)


def action_tables(kind: type[K], names: Mapping[int, str]) -> tuple[list[str], list[K], dict[str, K]]:
    """By code the strings and the actions of a game with few codes, and its actions by their strings.

    A number that is not an action has the string "", and the action of the least code.
    """
    strings = [names.get(code, "") for code in range(max(names) + 1)]
    least = kind(min(names))
    actions = [kind(code) if name else least for code, name in enumerate(strings)]
    return strings, actions, {name: actions[code] for code, name in names.items()}


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
