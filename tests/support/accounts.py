"""Code that runs as another account of this machine; only root can start it."""

import os
import select
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

AUTHOR = 2009
"""The account of a hostile author."""
ORGANISER = 2500
"""The account of an organiser who is not root."""

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as other accounts")


def run_as(user: int, act: Callable[[], object]) -> None:
    """Run something as an account in a child process; raise AssertionError with its traceback if it fails."""
    inlet, outlet = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(inlet)
        with os.fdopen(outlet, "w") as report:
            try:
                become(user)
                act()
            except BaseException:  # noqa: BLE001 - the parent raises it
                report.write(traceback.format_exc())
        os._exit(0)
    os.close(outlet)
    with os.fdopen(inlet) as report:
        failure = report.read()
    os.waitpid(child, 0)
    assert not failure, failure


@contextmanager
def meanwhile(user: int, step: Callable[[], object]) -> Iterator[None]:
    """Repeat a step as an account, from before the block begins until it ends."""
    started, stopped, first = os.pipe(), os.pipe(), True
    child = os.fork()
    if child == 0:
        try:
            os.close(stopped[1])
            os.close(started[0])
            become(user)
            while not select.select([stopped[0]], [], [], 0)[0]:
                step()
                with suppress(BrokenPipeError):
                    os.write(started[1], b"1" if first else b"")
                first = False
        finally:
            os._exit(0)
    os.close(stopped[0])
    os.close(started[1])
    try:
        assert os.read(started[0], 1) == b"1", "the other account failed in its first step"
        yield
    finally:
        os.close(stopped[1])
        os.close(started[0])
        os.waitpid(child, 0)


def become(user: int) -> None:
    """Make this process one of another account, for good."""
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
    os.umask(0o022)


def give(path: Path, user: int) -> Path:
    """Give a tree to an account."""
    for place in (path, *path.rglob("*")):
        os.chown(place, user, user, follow_symlinks=False)
    return path


@contextmanager
def accomplice(user: int, act: Callable[[], object]) -> Iterator[Callable[[], None]]:
    """Give a function that lets an account act once, and returns when it has; any account may call it."""
    asked, done = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(asked[1])
            os.close(done[0])
            become(user)
            if os.read(asked[0], 1):
                act()
                os.write(done[1], b"1")
        finally:
            os._exit(0)
    os.close(asked[0])
    os.close(done[1])

    def call() -> None:
        os.write(asked[1], b"1")
        assert os.read(done[0], 1) == b"1", "the other account failed"

    try:
        yield call
    finally:
        os.close(asked[1])
        os.close(done[0])
        os.waitpid(child, 0)
