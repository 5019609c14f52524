"""Modules of the standard library that libraries import for cases of their own, loaded on their first use."""

import importlib
import sys
from _thread import RLock  # ``threading`` takes longer to import
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from types import ModuleType

NAMES = ("asyncio", "importlib.metadata")
"""SQLAlchemy imports both, for drivers that await and for dialects of other packages.

With the sockets, TLS and mail that they import they took a tenth of the time of a short command."""
PARTS = {("asyncio", "iscoroutine"): "asyncio.coroutines"}
"""The names that SQLAlchemy asks for at once, each with the only part of its package that it needs."""

_LOCK = RLock()
_STARTED: set[str] = set()


class _Postponed(ModuleType):
    """A module whose code runs when a name in it is asked for, or a module inside it imported.

    ``importlib.util.LazyLoader`` does the same, but a second ``import`` of the module asks for its
    ``__spec__`` and so loads it, and two threads may run its code twice.
    """

    __spec__: ModuleSpec

    def __getattr__(self, name: str) -> object:
        with _LOCK:  # other threads wait until the module is complete
            if type(self) is _Postponed:
                if self.__name__ in _STARTED:  # the module asks itself while it loads
                    raise AttributeError(f"{self.__name__} has no attribute {name!r}", name=name, obj=self)
                if part := PARTS.get((self.__name__, name)):
                    return self._of_part(part, name)
                _STARTED.add(self.__name__)
                self._load()
        return getattr(self, name)

    def _load(self) -> None:
        loader, path = self.__spec__.loader, self.__spec__.submodule_search_locations
        if path is not None:
            self.__path__ = path
        if loader is not None:
            loader.exec_module(self)
        self.__class__ = ModuleType  # type: ignore[assignment]  # a module may change to any class of modules

    def _of_part(self, part: str, name: str) -> object:
        """A name of a part of the package, for which the package itself is not loaded."""
        self.__path__ = self.__spec__.submodule_search_locations or []
        try:
            return getattr(importlib.import_module(part), name)
        finally:
            del self.__path__


def postpone() -> None:
    """Let the modules be loaded on their first use, where nothing has imported them yet."""
    for name in NAMES:
        if name in sys.modules or (spec := find_spec(name)) is None:
            continue
        module = module_from_spec(spec)
        # Without a path, the import of a module inside asks for it, and so loads the package first.
        vars(module).pop("__path__", None)
        module.__class__ = _Postponed
        sys.modules[name] = module
        package, _, last = name.rpartition(".")
        if package:
            setattr(importlib.import_module(package), last, module)
