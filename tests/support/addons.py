"""The add-ons of the checkout, and what tests do about the absent ones.

Any folder of ``tourney/addons`` may be deleted together with its tests, ``tests/addons/NAME``; the other
tests pass then (``python -m scripts.try_without_addons``). A test outside of ``tests/addons`` that uses an
add-on has the mark ``addon("NAME")``, and is skipped where the add-on is absent. Where a test tries all there
is of a kind, such as all parsers, an add-on lists its own in a module of its tests (``parts``).
"""

from importlib import import_module
from types import ModuleType
from typing import Final

from tests.support.command import ROOT

NAMES: Final = ("chess", "cluster", "fuel", "go", "lab", "league", "openspiel")
"""The add-ons that ship."""
PRESENT: Final = tuple(name for name in NAMES if (ROOT / "tourney" / "addons" / name).is_dir())
"""Those in this checkout."""
ABSENT: Final = tuple(name for name in NAMES if name not in PRESENT)


def parts(module: str) -> list[ModuleType]:
    """The modules of this name in the tests of the add-ons in this checkout: ``tests/addons/*/MODULE.py``."""
    folder = ROOT / "tests" / "addons"
    return [
        import_module(f"tests.addons.{name}.{module}")
        for name in PRESENT
        if (folder / name / f"{module}.py").is_file()
    ]
