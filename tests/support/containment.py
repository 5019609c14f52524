"""Checks that containment works on this machine."""

from functools import cache

import pytest

from tourney.bots.sandbox.bubblewrap import Bubblewrap
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.errors import SandboxError


@cache
def bubblewrap_works() -> bool:
    """Return whether bubblewrap works on this machine."""
    try:
        Bubblewrap.open("auto")
    except SandboxError:
        return False
    return True


@cache
def strict_works() -> bool:
    """Return whether this machine enforces all protections."""
    try:
        open_sandbox("strict")
    except SandboxError:
        return False
    return True


contained = pytest.mark.skipif(not bubblewrap_works(), reason="bubblewrap does not work on this machine")
"""Marks a test that needs bubblewrap; without it the test is skipped with a reason."""
