"""Finds the core of a game: compiled if it was built, else plain Python.

The sources of a core are ``tourney/games/core_base.py``, which all cores share, and ``core*.py`` of its
package, each with the C types of its names in a ``.pxd`` file beside it. The core of an add-on
(``tourney/addons/GAME/core*.py``) stands alone: it has rules, and nothing for search. ``hatch_build.py``
joins the sources of a core and compiles them to one module of this folder, whose name ends in the digest of
them all. So an edited core does not find its old compiled form: it runs as plain Python until it is compiled
again (``make cores``).

Both forms give the same results. The environment variable ``TOURNEY_PLAIN=1`` chooses plain Python, for the
process and its workers, and when a wheel is built. Bots do not get the variable, since their environment is
fixed: call ``use_plain`` in a bot, or remove the compiled forms (``make plain``).

This module imports the standard library only: ``hatch_build.py`` loads it by its path.
"""

import os
from _thread import RLock  # ``threading`` takes longer to import
from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from types import FunctionType, ModuleType
from typing import TypeVar

try:
    from _blake2 import blake2b  # hashlib gives the same function, and loads OpenSSL for others
except ImportError:
    from hashlib import blake2b

PLAIN_VARIABLE = "TOURNEY_PLAIN"
BUILD = "4"
"""Part of every digest. Raise it when the way of compiling changes."""

# Paths are strings here: pathlib takes longer to import than all else that a bot needs.
_GAMES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - see above
_ADDONS = f"{os.path.dirname(_GAMES)}/addons"  # noqa: PTH120 - see above
_chosen: dict[str, bool] = {}

T = TypeVar("T")


def core_names() -> tuple[str, ...]:
    """Packages of ``tourney.games`` that have a core, sorted."""
    return _with_core(_GAMES)


def addon_names() -> tuple[str, ...]:
    """Packages of ``tourney.addons`` that have a core, sorted."""
    return _with_core(_ADDONS)


def all_names() -> tuple[str, ...]:
    """All packages that have a core."""
    return (*core_names(), *addon_names())


def _with_core(folder: str) -> tuple[str, ...]:
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []  # noqa: PTH112, PTH208 - see above
    return tuple(name for name in names if os.path.isfile(f"{folder}/{name}/core.pxd"))  # noqa: PTH113 - see above


def sources(package: str) -> tuple[str, ...]:
    """Paths of a core's sources without ``.py`` and ``.pxd``, each after those that it imports."""
    of_addon = package in addon_names()
    folder = f"{_ADDONS if of_addon else _GAMES}/{package}"
    names = [name for name in os.listdir(folder) if name.startswith("core_")]  # noqa: PTH208 - see above
    parts = sorted({name.partition(".")[0] for name in names})
    base = () if of_addon else (f"{_GAMES}/core_base",)
    return (*base, *(f"{folder}/{name}" for name in (*parts, "core")))


def compiled_name(package: str) -> str:
    """Name of a core's compiled module in this folder. Raises OSError without its sources."""
    digest = blake2b(BUILD.encode(), digest_size=8)
    for source in sources(package):
        for ending in (".py", ".pxd"):
            with open(source + ending, "rb") as file:  # noqa: PTH123 - see above
                content = file.read()
            digest.update(b"%d " % len(content) + content)
    return f"{package}_{digest.hexdigest()}"


def use_plain(plain: bool | None = True) -> None:
    """Choose plain Python, or with False compiled, for positions made from now on in this process.

    None leaves the choice to the environment again.
    """
    _chosen.clear()
    if plain is not None:
        _chosen["plain"] = plain


def wants_plain() -> bool:
    """Whether plain Python is chosen, by ``use_plain`` or the environment."""
    return _chosen.get("plain", os.environ.get(PLAIN_VARIABLE, "0") not in {"", "0"})


def core(package: str) -> ModuleType:
    """The core of a package: compiled if it can be, else plain Python."""
    module = None if wants_plain() else compiled_core(package)
    return _plain_core(package) if module is None else module


@cache
def _plain_core(package: str) -> ModuleType:
    """The plain core of a package, for one thread at a time.

    All cores share a workspace of module variables. Compiled, a call of a core keeps the interpreter to
    itself; plain, another thread could list its own actions between two lines of it.
    """
    where = "addons" if package in addon_names() else "games"
    module = import_module(f"tourney.{where}.{package}.core")
    classes = [cls for cls in vars(module).values() if isinstance(cls, type)]
    for kind in {base for cls in classes for base in cls.__mro__ if hasattr(base, "copy_from")}:
        for name, method in tuple(vars(kind).items()):
            if isinstance(method, FunctionType) and not name.startswith("_"):
                setattr(kind, name, _one_thread(method))
    return module


_workspace = RLock()


def _one_thread(method: Callable[..., T]) -> Callable[..., T]:
    """A method that holds the workspace while it runs; once wrapped, it stays as it is."""
    if hasattr(method, "__wrapped__"):
        return method

    @wraps(method)
    def call(*args: object) -> T:
        with _workspace:
            return method(*args)

    return call


@cache
def compiled_core(package: str) -> ModuleType | None:
    """The compiled core of a package, or None if there is none for its sources and this Python."""
    try:
        return import_module(f"{__name__}.{compiled_name(package)}")
    except (ImportError, OSError):
        return None


def summary() -> str:
    """Which form is in use: "compiled", "plain Python", or both with the names of the plain ones."""
    names = all_names()
    plain = [name for name in names if wants_plain() or compiled_core(name) is None]
    if not plain:
        return "compiled"
    if len(plain) == len(names):
        return "plain Python"
    return f"compiled, but plain Python for {', '.join(name.replace('_', '-') for name in plain)}"
