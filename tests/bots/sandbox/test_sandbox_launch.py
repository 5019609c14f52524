"""A launch that fails leaves nothing open, and a dead sandbox explains itself by its standard error."""

import os

import pytest

from tourney.bots.sandbox.bot_processes import last_line
from tourney.bots.sandbox.sandbox import Launch


def test_abandoned_launch_closes_its_descriptors_and_releases_once() -> None:
    read, written = os.pipe()
    released: list[bool] = []
    launch = Launch([], fds=[read], release=lambda: released.append(True), words_to=written)
    launch.abandon()
    assert released == [True]
    for fd in (read, written):
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(fd)


def test_words_to_a_dead_sandbox_are_dropped() -> None:
    read, written = os.pipe()
    os.close(read)
    launch = Launch([], words=["--ro-bind"], words_to=written)
    launch.send_words()
    launch.close_fds()


@pytest.mark.parametrize(("said", "line"), [(b"", ""), (b"one\ntwo\n\n", "two"), (b"x" * 500, "x" * 200)])
def test_last_line_is_bounded(said: bytes, line: str) -> None:
    read, written = os.pipe()
    os.set_blocking(read, False)
    os.write(written, said)
    assert last_line(read) == line
    os.close(read)
    os.close(written)
