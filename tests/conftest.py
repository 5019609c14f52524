"""What holds for all tests: hypothesis draws the same examples in every run, and no example is timed.

At the end of a run it is said which attacks are not contained.
"""

from hypothesis import HealthCheck, settings

from tests.attacks.summary import pytest_terminal_summary  # noqa: F401 - a hook, found by its name

# The first example loads tables, which takes a busy machine seconds: no test may fail by speed.
settings.register_profile(
    "tourney",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("tourney")
