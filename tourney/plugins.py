"""A registry of things that come in kinds: Tourney's own by name, others by an entry-point group.

Tourney's own are loaded without reading the installed packages, which would double a bot's start-up time. A
plugin that is broken, or that offers a name already taken, raises an error when it is requested or listed.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from tourney.errors import TourneyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from importlib.metadata import EntryPoint

T = TypeVar("T")

OWN = "tourney"
"""The name of Tourney's own package."""
_NAME = re.compile(r"[a-z][a-z0-9-]*", re.ASCII)


def installed(group: str) -> Iterable[EntryPoint]:
    """The entry points of a group that other packages offer, in any order.

    Tourney's own are left out: the tables of the registries equal them, while the metadata of an editable
    installation are as old as the installation.
    """
    return _offered(group, tuple(sys.path))


@cache
def _offered(group: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:  # noqa: ARG001 - other paths, other packages
    """What ``installed`` returns: to read it takes tens of milliseconds."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow to import; bots do without

    found = entry_points(group=group)
    return tuple(point for point in found if point.dist is None or point.dist.name != OWN)


class Registry(Generic[T]):
    """All things of one kind, by name.

    ``noun`` ("game") names the kind in errors, ``plural`` several of them (default: ``noun`` + "s"). ``own``
    maps a name to ``module:attribute``, equal to the entry points of ``group`` in pyproject.toml. An entry is
    a subclass of ``base``, or a function that returns an instance of it, and its ``name`` equals the entry's.
    Every method raises ``error``.
    """

    def __init__(
        self,
        noun: str,
        group: str,
        base: type,
        own: Mapping[str, str],
        error: type[TourneyError],
        plural: str | None = None,
    ) -> None:
        self.noun = noun
        self.plural = plural or noun + "s"
        self.group = group
        self.own = own
        self._base = base
        self._error = error
        self._found: dict[str, T] = {}

    def find(self, name: str) -> T:
        """The thing of that name, made once. Raise ``error`` for an unknown name or a broken plugin.

        One of Tourney's own wins over every plugin of its name; ``clashes`` reports the plugin.
        """
        if name not in self._found:
            self._found[name] = self._make(name, self._target(name))
        return self._found[name]

    def find_class(self, name: str) -> type[T]:
        """The class of that name, for kinds made with arguments. Raise ``error`` as ``find`` does."""
        target = self._target(name)
        found = self._load(name, target)
        if not (isinstance(found, type) and issubclass(found, self._base)):
            raise self._error(f"{self._plugin(name, target)} is not a subclass of {self._base_name}")
        self._check_name(name, target, found)
        return cast("type[T]", found)

    def names(self) -> tuple[str, ...]:
        """All names, sorted; those of broken plugins too."""
        return tuple(sorted(self._offers()))

    def knows(self, name: str) -> bool:
        """Whether anything is offered under that name, broken or not."""
        return name in self.own or name in self._offers()

    def all(self) -> tuple[T, ...]:
        """Everything offered, sorted by name. Raise ``error`` for the first one broken or offered twice."""
        found, broken = self.working()
        for sentence in broken.values():
            raise self._error(sentence)
        return found

    def working(self) -> tuple[tuple[T, ...], dict[str, str]]:
        """The working ones, sorted by name, and a sentence for each name that is broken or offered twice."""
        found, broken = [], self.clashes()
        for name in self.names():
            try:
                found.append(self.find(name))
            except TourneyError as error:
                broken[name] = str(error)
        return tuple(found), broken

    def clashes(self) -> dict[str, str]:
        """The names offered more than once, each with a sentence that names the offering packages."""
        return {
            name: self._clash(name, targets)
            for name, targets in sorted(self._offers().items())
            if len(targets) > 1
        }

    def clear(self) -> None:
        """Forget everything loaded so far."""
        self._found.clear()

    @property
    def _base_name(self) -> str:
        return f"{self._base.__module__}.{self._base.__qualname__}"

    def _plugin(self, name: str, target: str) -> str:
        return f"the plugin of {self.noun} {name} ({target})"

    def _offers(self) -> dict[str, list[str]]:
        """Each name's targets: Tourney's own first, then the others sorted."""
        offers = {name: [target] for name, target in self.own.items()}
        for name, target in sorted((point.name, point.value) for point in installed(self.group)):
            same = offers.setdefault(name, [])
            if target not in same:
                same.append(target)
        return offers

    def _clash(self, name: str, targets: list[str]) -> str:
        if name in self.own:
            others = " and ".join(targets[1:])
            return (
                f"the {self.noun} {name} of Tourney's own is offered by {others} as well;"
                " uninstall that package"
            )
        by = " and ".join(targets)
        return f"the {self.noun} {name} is offered twice, by {by}; uninstall one of the packages"

    def _target(self, name: str) -> str:
        if name in self.own:
            return self.own[name]
        offers = self._offers()
        if name not in offers:
            known = ", ".join(sorted(offers)) or "none"
            raise self._error(f"there is no {self.noun} {name[:60]!r}; the {self.plural} are: {known}")
        if len(offers[name]) > 1:
            raise self._error(self._clash(name, offers[name]))
        return offers[name][0]

    def _load(self, name: str, target: str) -> object:
        try:
            if name in self.own:
                module, _, attribute = target.partition(":")
                return getattr(import_module(module), attribute)
            from importlib.metadata import EntryPoint  # noqa: PLC0415 - as in installed

            return EntryPoint(name, target, self.group).load()
        except Exception as error:
            raise self._broken(name, target, error) from error

    def _make(self, name: str, target: str) -> T:
        factory = cast("Callable[[], T]", self._load(name, target))
        try:
            made = factory()
        except Exception as error:
            raise self._broken(name, target, error) from error
        if not isinstance(made, self._base):
            raise self._error(f"{self._plugin(name, target)} gives no {self._base_name}")
        self._check_name(name, target, made)
        return made

    def _broken(self, name: str, target: str, error: Exception) -> TourneyError:
        return self._error(f"{self._plugin(name, target)} is broken: {type(error).__name__}: {error}")

    def _check_name(self, name: str, target: str, found: object) -> None:
        own_name = getattr(found, "name", None)
        if own_name != name or _NAME.fullmatch(name) is None:
            raise self._error(
                f"{self._plugin(name, target)} calls itself {own_name!r};"
                " the names must be equal, of the form [a-z][a-z0-9-]*"
            )
