"""Process trees: searched and measured while they grow and die, in bounded time."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tourney.bots.sandbox import processes as module
from tourney.bots.sandbox.bot_processes import BotProcesses
from tourney.bots.sandbox.processes import (
    MEASURED,
    children_of,
    process_tree,
    tree_cpu_ns,
    tree_run_delay_ns,
)

MANY = 3 * MEASURED
GONE = 2**22 + 1
"""Beyond the numbers that Linux gives."""


@pytest.fixture
def parent() -> Iterator[int]:
    """Yield a process whose many children all run."""
    script = "import os, sys, time\nfor _ in range(MANY):\n    os.fork() or time.sleep(600)\n"
    script = script.replace("MANY", str(MANY)) + "print('up', flush=True)\nsys.stdin.read()"
    words = [sys.executable, "-I", "-S", "-c", script]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        yield process.pid
        group = BotProcesses(process)
        group.kill()
        group.reap()


def test_process_tree_stops_at_the_given_size(parent: int) -> None:
    assert process_tree(parent) == [parent, *children_of(parent)]
    assert len(process_tree(parent)) == MANY + 1
    assert process_tree(parent, most=0) == [parent]
    # The search finishes a generation, but starts no further one.
    assert process_tree(os.getpid(), most=1)[1:] == children_of(os.getpid())


def test_large_tree_is_measured_in_bounded_time(parent: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork bomb must not keep the referee from its deadline; the oldest processes are measured."""
    asked: list[str] = []
    read = module.read_proc

    def count(path: str) -> bytes:
        asked.append(path)
        return read(path)

    monkeypatch.setattr(module, "read_proc", count)
    assert tree_run_delay_ns(parent) is None
    assert len(asked) <= 2
    asked.clear()
    assert (tree_cpu_ns(parent) or 0) > 0
    assert len([path for path in asked if path.endswith("/stat")]) == MEASURED


def test_process_that_exits_during_the_search_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot's processes never cause an error of Tourney."""
    monkeypatch.setattr(module, "process_tree", lambda _pid, _most: [os.getpid(), GONE])
    assert (tree_cpu_ns(0) or 0) > 0
    assert tree_run_delay_ns(0) is not None
    monkeypatch.setattr(module, "process_tree", lambda _pid, _most: [GONE])
    assert tree_cpu_ns(0) is None
    assert tree_run_delay_ns(0) is None
    assert children_of(GONE) == []
