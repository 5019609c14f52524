"""When Python's collector looks for cycles of unused objects: seldom, as Tourney leaves hardly any."""

import gc
from typing import Final

NEW: Final = 20_000
"""New objects between two searches."""


def collect_seldom() -> None:
    """Search for cycles from now on, but never in what was made so far, such as modules and classes.

    Those live as long as the process, and each search would visit them.
    """
    gc.freeze()
    gc.set_threshold(NEW)
    gc.enable()
