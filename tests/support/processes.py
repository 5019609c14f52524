"""Helpers that find living and remaining processes."""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tourney.bots.sandbox.processes import children_of

PATIENCE = 300.0
"""Seconds; only a failing test waits this long."""


def alive(pid: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


def wait_for(event: Callable[[], bool]) -> bool:
    """Wait until an event has happened; return False if it never does."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if event():
            return True
        time.sleep(0.01)  # saves processor time
    return False


def workers_of(pid: int) -> list[int]:
    """Return the living worker processes of a run."""
    found = []
    for child in children_of(pid):
        with suppress(OSError):
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(child)
    return found


def leftovers(folder: Path) -> list[str]:
    """Return the commands of processes whose working directory is this folder."""
    return _left(lambda process: (process / "cwd").readlink() == folder)


def running(words: str) -> list[str]:
    """Return the commands of processes, in any namespace, that contain these words."""
    return _left(lambda process: words in _command(process))


def _left(fits: Callable[[Path], bool]) -> list[str]:
    """Return the commands of remaining processes; killed ones have a minute to end."""
    until = time.monotonic() + 60
    while (found := _there(fits)) and time.monotonic() < until:
        time.sleep(0.001)  # saves processor time
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
