"""The add-ons of the checkout, and what tests do about the absent ones.

Any folder of ``tourney/addons`` may be deleted together with its tests, ``tests/addons/NAME``; the other
tests pass then (``python -m scripts.try_without_addons``). A test outside of ``tests/addons`` that uses an
add-on has the mark ``addon("NAME")``, and is skipped where the add-on is absent. Where a test tries all there
is of a kind, such as all parsers, an add-on lists its own in a module of its tests (``parts``).
"""

import json
import re
from importlib import import_module
from types import ModuleType
from typing import Any, Final

import pytest

from tests.support.command import ROOT

NAMES: Final = ("chess", "cluster", "course", "fuel", "go", "lab", "league", "openspiel")
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


def needing(addon: str, *values: object, name: str | None = None) -> object:
    """Values of a parametrized test that is skipped with them where the add-on is absent."""
    return pytest.param(*values, marks=pytest.mark.addon(addon), id=name)


def assert_committed(generated: str, committed: str) -> None:
    """Check that a generated page or schema is the committed one.

    Without an add-on less is generated; then all that is generated has to be on the committed page.
    """
    if not ABSENT:
        assert committed == generated
    elif committed.startswith("{"):
        assert _is_part(json.loads(generated), json.loads(committed))
    else:
        # Tables that list names, and blanks that align columns, differ.
        texts = {_squeezed(text) for line in generated.splitlines() for text in re.split(r"[|,]", line)}
        whole = _squeezed(committed)
        assert [text for text in texts if text not in whole] == []


def _squeezed(text: str) -> str:
    return " ".join(text.replace("-|", "").split())


def _is_part(part: Any, whole: Any) -> bool:
    """Whether a JSON value is one that lacks keys of objects and elements of lists."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and _is_part(value, whole[key]) for key, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return all(any(_is_part(value, candidate) for candidate in whole) for value in part)
    return bool(part == whole)
