"""Settings of all tests: hypothesis uses the same examples in every run, without a time limit.

The end of a run lists the attacks that are not contained.
"""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.attacks.summary import pytest_terminal_summary  # noqa: F401 - a hook, found by its name
from tests.support.addons import ABSENT
from tests.support.programs import depends_on_programs

# The first example loads tables, which takes seconds on a busy machine; no test may fail because of speed.
settings.register_profile(
    "tourney",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("tourney")

KINDS = ("benchmark", "browser", "cluster", "compiler", "containment", "engine", "kill", "postgres")
"""Marks of what takes long or needs more than Python: each implies the mark ``slow``."""

LONGEST = (
    "tests/test_house.py",
    "tests/report/test_formats.py",
    "tests/report/test_site.py",
    "tests/run/engine/test_readiness.py",
    "tests/games/test_differential.py",
    "tests/cli/test_ratings.py",
    "tests/scripts/test_try_without_addons.py",
)
"""Files that take long although none of their tests is slow, and the longest of the slow ones."""


@pytest.hookimpl(tryfirst=True)  # before pytest selects by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Add the marks ``slow`` and ``programs``, skip what needs an absent add-on, and run long files first.

    So no process waits for another at the end.
    """
    for item in items:
        if any(item.get_closest_marker(kind) for kind in KINDS):
            item.add_marker("slow")
        if depends_on_programs(item.path):
            item.add_marker("programs")
        for name in (name for mark in item.iter_markers("addon") for name in mark.args):
            if name in ABSENT:
                item.add_marker(pytest.mark.skip(reason=f"the add-on {name} is not in this checkout"))
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (not str(item.path).endswith(LONGEST), item.path not in slow))


@pytest.fixture
def answers_no_greeting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the greetings of four engine protocols have 20 ms each for an answer, and not 3 s.

    For tests of bots that do not start: they are asked whether they are engines, and none ever answers.
    """
    monkeypatch.setattr("tourney.run.entrant_reference.MAX_WAIT_MS", 20)


@pytest.fixture
def shared_path() -> Iterator[Path]:
    """A folder as ``tmp_path`` that every account can reach: pytest keeps its own to one account."""
    folder = Path(tempfile.mkdtemp(prefix="tourney-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)
