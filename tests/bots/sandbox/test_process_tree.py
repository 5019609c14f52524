"""Families of processes: looked at while they grow and die, and never for longer than is good."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tourney.bots.sandbox import process_tree
from tourney.bots.sandbox.process_group import ProcessGroup
from tourney.bots.sandbox.process_tree import (
    MEASURED,
    children_of,
    family_cpu_ns,
    family_of,
    family_waited_ns,
)

MANY = 3 * MEASURED
GONE = 2**22 + 1
"""Beyond the numbers that Linux gives."""


@pytest.fixture
def parent() -> Iterator[int]:
    """A process with many children, all of them up."""
    script = "import os, sys, time\nfor _ in range(MANY):\n    os.fork() or time.sleep(600)\n"
    script = script.replace("MANY", str(MANY)) + "print('up', flush=True)\nsys.stdin.read()"
    words = [sys.executable, "-I", "-S", "-c", script]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        yield process.pid
        group = ProcessGroup(process)
        group.kill()
        group.reap()


def test_all_are_found_or_as_many_as_are_wanted(parent: int) -> None:
    assert family_of(parent) == [parent, *children_of(parent)]
    assert len(family_of(parent)) == MANY + 1
    assert family_of(parent, most=0) == [parent]
    # A generation is not parted, but no further one is looked for.
    assert family_of(os.getpid(), most=1)[1:] == children_of(os.getpid())


def test_a_large_family_is_not_measured_for_ever(parent: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork bomb would keep the one who looks from the deadline; its time is that of the eldest."""
    asked: list[str] = []
    read = process_tree._read

    def count(path: str) -> bytes:
        asked.append(path)
        return read(path)

    monkeypatch.setattr(process_tree, "_read", count)
    assert family_waited_ns(parent) is None
    assert len(asked) <= 2
    asked.clear()
    assert (family_cpu_ns(parent) or 0) > 0
    assert len([path for path in asked if path.endswith("/stat")]) == MEASURED


def test_one_that_goes_while_one_looks_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a bot's processes do is never an error of ours."""
    monkeypatch.setattr(process_tree, "family_of", lambda _pid, _most: [os.getpid(), GONE])
    assert (family_cpu_ns(0) or 0) > 0
    assert family_waited_ns(0) is not None
    monkeypatch.setattr(process_tree, "family_of", lambda _pid, _most: [GONE])
    assert family_cpu_ns(0) is None
    assert family_waited_ns(0) is None
    assert children_of(GONE) == []
