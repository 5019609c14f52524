"""Actions as ints that print as their strings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class IntAction(int):
    """An action that prints as its string, also in lists and in f-strings; else it is an int.

    A game derives a class with ``__str__`` from it.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


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
