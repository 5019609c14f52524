"""Locks are their owner's: another account can neither hold one nor keep one from being held."""

import fcntl
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.accounts import AUTHOR, ORGANISER, become, give, needs_root, run_as
from tourney.bots.catalogue.tree import locked


def test_lock_is_private_whatever_the_mask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with locked(tmp_path / "lock"):
            assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o600
            with pytest.raises(BlockingIOError), locked(tmp_path / "lock", wait=False):
                pass
    finally:
        os.umask(before)


def test_link_is_no_lock(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic links"), locked(tmp_path / "lock"):
        pass
    assert not (tmp_path / "elsewhere").exists()


def held_by(user: int, path: Path, act: Callable[[], object], *, by_child: bool) -> None:
    """Do something while an account holds a lock; ``by_child``: what took the lock has ended."""
    taken, done = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            os.close(done[1])
            become(user)
            with path.open("rb") as opened:
                fcntl.flock(opened, fcntl.LOCK_EX)
                if not by_child or os.fork() == 0:
                    os.write(taken[1], b"1")
                    os.read(done[0], 1)
        os._exit(0)
    os.close(taken[1])
    if by_child:
        os.waitpid(child, 0)
    try:
        assert os.read(taken[0], 1) == b"1", "the lock could not be taken"
        act()
    finally:
        os.close(done[1])
        if not by_child:
            os.waitpid(child, 0)
        os.close(taken[0])
        os.close(done[0])


@needs_root
@pytest.mark.parametrize("user", [0, ORGANISER])
@pytest.mark.parametrize("wait", [True, False])
@pytest.mark.parametrize("by_child", [True, False])
def test_stranger_that_holds_an_old_lock_keeps_no_process_out(
    shared_path: Path, user: int, wait: bool, by_child: bool
) -> None:
    """Earlier versions made locks that everybody could read."""
    path = shared_path / "lock"
    path.touch()
    path.chmod(0o644)
    give(shared_path, user)

    def act() -> None:
        with locked(path, wait=wait):
            assert path.stat().st_mode & 0o777 == 0o600

    held_by(AUTHOR, path, lambda: run_as(user, act), by_child=by_child)


@needs_root
def test_process_of_the_owner_that_holds_an_old_lock_is_respected(shared_path: Path) -> None:
    path = shared_path / "lock"
    path.touch()
    path.chmod(0o644)
    give(shared_path, ORGANISER)

    def act() -> None:
        with pytest.raises(BlockingIOError), locked(path, wait=False):
            pass

    held_by(ORGANISER, path, lambda: run_as(ORGANISER, act), by_child=False)


def test_lock_that_others_have_open_is_replaced(tmp_path: Path) -> None:
    """They could hold it at any later time, although they cannot open it again."""
    path = tmp_path / "lock"
    path.touch()
    path.chmod(0o644)
    with path.open("rb") as opened:
        with locked(path):
            assert os.fstat(opened.fileno()).st_ino != path.stat().st_ino
        fcntl.flock(opened, fcntl.LOCK_EX)
        with locked(path, wait=False):
            pass


def test_lock_is_exclusive_while_it_is_replaced(tmp_path: Path) -> None:
    """Processes that wait for the file that goes must not believe that they hold the new one."""
    path, marks = tmp_path / "lock", tmp_path / "marks"
    path.touch()
    path.chmod(0o644)
    marks.mkdir()
    children = []
    for number in range(8):
        child = os.fork()
        if child == 0:
            status = 1
            with suppress(BaseException):
                for _ in range(20):
                    with locked(path):
                        (marks / "held").mkdir()
                        (marks / "held").rmdir()
                        if number == 0:
                            path.chmod(0o644)
                status = 0
            os._exit(status)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 8
