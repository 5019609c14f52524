"""Settings of all tests: hypothesis uses the same examples in every run, without a time limit.

The end of a run lists the attacks that are not contained.
"""

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
