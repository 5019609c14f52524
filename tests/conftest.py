"""Settings of all tests: hypothesis uses the same examples in every run, without a time limit.

The end of a run lists the attacks that are not contained.
"""

import pytest
from hypothesis import HealthCheck, settings

from tests.attacks.summary import pytest_terminal_summary  # noqa: F401 - a hook, found by its name

# The first example loads tables, which takes seconds on a busy machine; no test may fail because of speed.
settings.register_profile(
    "tourney",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("tourney")

LONGEST = (
    "tests/run/test_unattended_runs.py",
    "tests/run/test_processes.py",
    "tests/run/test_same_results.py",
    "tests/games/test_differential.py",
    "tests/test_house.py",
)
"""Files that take long beside those with slow tests."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run long files first, so that no process waits for another at the end."""
    marks = ("slow", "attack", "browser")
    slow = {item.path for item in items if any(item.get_closest_marker(mark) for mark in marks)}
    items.sort(key=lambda item: item.path not in slow and not str(item.path).endswith(LONGEST))
