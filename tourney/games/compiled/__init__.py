"""Finds the core of a game, the module with its ``Scratch``: compiled if it was built, else plain Python.

A core is ``tourney/games/GAME/core.py`` with the C types of its names in ``core.pxd``. ``hatch_build.py``
compiles it to a module of this folder whose name ends in the digest of both files. So an edited core does not
find its old compiled form: it runs as plain Python until it is compiled again (``make cores``).

Both forms give the same results. The environment variable ``TOURNEY_PLAIN=1`` chooses plain Python, for the
process and its workers, and when a wheel is built. Bots do not get the variable, since their environment is
fixed: call ``use_plain`` in a bot, or remove the compiled forms (``make plain``).

This module imports the standard library only, and nothing that does not search imports it.
"""

import hashlib
import os
from functools import cache
from importlib import import_module
from types import ModuleType

PLAIN_VARIABLE = "TOURNEY_PLAIN"
BUILD = "2"
"""Part of every digest. Raise it when the way of compiling changes."""

# Paths are strings here: pathlib takes longer to import than all else that a bot that searches needs.
_GAMES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - see above
_chosen: dict[str, bool] = {}


def _source(package: str, name: str) -> str:
    return f"{_GAMES}/{package}/{name}"


def core_names() -> tuple[str, ...]:
    """Return the packages of ``tourney.games`` that have a core, sorted."""
    names = sorted(os.listdir(_GAMES))  # noqa: PTH208 - see above
    return tuple(name for name in names if os.path.isfile(_source(name, "core.pxd")))  # noqa: PTH113 - see above


def compiled_name(package: str) -> str:
    """Return the name of a core's compiled module in this folder. Raises OSError without its sources."""
    digest = hashlib.blake2b(BUILD.encode(), digest_size=8)
    for name in ("core.py", "core.pxd"):
        with open(_source(package, name), "rb") as file:  # noqa: PTH123 - see above
            content = file.read()
        digest.update(b"%d " % len(content) + content)
    return f"{package}_{digest.hexdigest()}"


def use_plain(plain: bool | None = True) -> None:
    """Choose plain Python, or with False compiled, for scratches made from now on in this process.

    None leaves the choice to the environment again.
    """
    _chosen.clear()
    if plain is not None:
        _chosen["plain"] = plain


def wants_plain() -> bool:
    """Say whether plain Python is chosen, by ``use_plain`` or the environment."""
    return _chosen.get("plain", os.environ.get(PLAIN_VARIABLE, "0") not in {"", "0"})


def core(package: str) -> ModuleType:
    """Return the core of a package of ``tourney.games``: compiled if it can be, else plain Python."""
    found = None if wants_plain() else compiled_core(package)
    return import_module(f"tourney.games.{package}.core") if found is None else found


@cache
def compiled_core(package: str) -> ModuleType | None:
    """Return the compiled core of a package, or None if there is none for its sources and this Python."""
    try:
        return import_module(f"{__name__}.{compiled_name(package)}")
    except (ImportError, OSError):
        return None


def summary() -> str:
    """Return which form is in use: "compiled", "plain Python", or both with the names of the plain ones."""
    plain = [name for name in core_names() if wants_plain() or compiled_core(name) is None]
    if not plain:
        return "compiled"
    if len(plain) == len(core_names()):
        return "plain Python"
    return f"compiled, but plain Python for {', '.join(name.replace('_', '-') for name in plain)}"
