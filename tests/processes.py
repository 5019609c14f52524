"""What tests share that start processes: who is left of them."""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tourney.bots.sandbox.process import children_of

PATIENCE = 300.0
"""Seconds; only a failure lasts so long."""


def alive(pid: int) -> bool:
    """Say whether a process runs; one that has ended and whose heir has not asked for it does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


def wait_for(event: Callable[[], bool]) -> bool:
    """Look until something has happened; False if it never does."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if event():
            return True
        time.sleep(0.01)  # no test depends on its length: it only spares the processor
    return False


def workers_of(pid: int) -> list[int]:
    """Return the worker processes of a runner that live."""
    found = []
    for child in children_of(pid):
        with suppress(OSError):
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(child)
    return found


def leftovers(folder: Path) -> list[str]:
    """Return the commands of processes whose working directory is a folder."""
    return _left(lambda process: (process / "cwd").readlink() == folder)


def running(words: str) -> list[str]:
    """Return the commands of processes, in whatever namespace, that hold these words."""
    return _left(lambda process: words in _command(process))


def _left(fits: Callable[[Path], bool]) -> list[str]:
    """Return the commands of processes that stay; those that were killed have a minute to be gone."""
    until = time.monotonic() + 60
    while (found := _there(fits)) and time.monotonic() < until:
        time.sleep(0.001)  # spares the processor for those that go
    return found


def _there(fits: Callable[[Path], bool]) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if fits(process):
                found.append(_command(process))
    return found


def _command(process: Path) -> str:
    """Return a process's command; a zombie has none."""
    return (process / "cmdline").read_text("utf-8", "replace").replace("\0", " ")
