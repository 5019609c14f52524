"""Processes start with their own pipes and session, on the processors that they are given."""

import os
import select
import sys
from pathlib import Path

import pytest

from tourney.bots.sandbox.processes import (
    free_processors,
    high,
    seat_processors,
    start_process,
    started_on,
    tree_memory_kib,
)


@pytest.mark.parametrize(
    ("given", "seats", "each"),
    [
        ((0, 1, 2, 3), 2, ((0, 1), (2, 3))),
        ((4, 7, 9), 2, ((4,), (7,))),
        ((0,), 2, ((), ())),
        ((), 3, ((),) * 3),
    ],
)
def test_seats_get_equally_many_processors_or_none(
    given: tuple[int, ...], seats: int, each: tuple[tuple[int, ...], ...]
) -> None:
    assert seat_processors(given, seats) == each


@pytest.mark.skipif(sys.platform != "linux", reason="needs affinities")
def test_processors_are_restored_after_the_start() -> None:
    before = free_processors()
    with started_on(before[:1]):
        assert free_processors() == before[:1]
    assert free_processors() == before
    with started_on(()):
        assert free_processors() == before


def test_descriptor_moves_above_the_digits() -> None:
    read, written = os.pipe()
    moved = high(os.dup(read))
    try:
        assert moved >= 10
        assert high(moved) == moved
    finally:
        for fd in (read, written, moved):
            os.close(fd)


@pytest.mark.parametrize(("merged", "output"), [(False, b"out\n"), (True, b"out\nerr\n")])
def test_process_has_a_session_and_streams_of_its_own(merged: bool, output: bytes) -> None:
    words = ["/bin/sh", "-c", "read -r line; echo $line; echo err >&2"]
    process, pipes = start_process(words, cwd=Path("/"), env={}, merged=merged)
    assert os.getsid(process.pid) == process.pid
    os.write(pipes.stdin, b"out\n")
    assert process.wait() == 0
    assert os.read(pipes.stdout, 100) == output
    assert (pipes.stderr < 0) == merged
    for fd in pipes:
        if fd >= 0:
            os.close(fd)


def test_memory_of_a_tree_counts_what_is_shared_once(tmp_path: Path) -> None:
    """Children share the memory of their parent until they write to it."""
    program = (
        "import os\n"
        "filled = b'x' * (64 << 20)\n"
        "children = [os.fork() for _ in range(2)]\n"
        "os.write(1, b'x')\n"
        "os.read(0, 1)\n"
    )
    process, pipes = start_process([sys.executable, "-c", program], cwd=tmp_path, env={})
    try:
        said = b""
        while len(said) < 4:
            select.select([pipes.stdout], [], [], 60)
            said += os.read(pipes.stdout, 4)
        assert 64 << 10 <= tree_memory_kib(process.pid) < 128 << 10
        assert tree_memory_kib(process.pid, 1 << 30) == 1 << 30
    finally:
        pipes.close()
        process.wait(60)
