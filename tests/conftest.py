"""What holds for all tests: hypothesis draws the same examples in every run, and no example is timed."""

from hypothesis import HealthCheck, settings

# The first example loads tables, which takes a busy machine seconds: no test may fail by speed.
settings.register_profile(
    "tourney",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("tourney")
