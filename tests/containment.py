"""What tests of containment share: whether it can be had here."""

from functools import cache

import pytest

from tourney.bots.sandbox.base import open_sandbox
from tourney.bots.sandbox.bubblewrap import Bubblewrap
from tourney.errors import SandboxError


@cache
def bubblewrap_works() -> bool:
    """Say whether bots can be contained on this machine."""
    try:
        Bubblewrap.open("auto")
    except SandboxError:
        return False
    return True


@cache
def strict_works() -> bool:
    """Say whether all protections can be had on this machine."""
    try:
        open_sandbox("strict")
    except SandboxError:
        return False
    return True


contained = pytest.mark.skipif(not bubblewrap_works(), reason="bubblewrap does not work on this machine")
"""Marks a test that needs bubblewrap; it is skipped where that does not work, and says so."""
