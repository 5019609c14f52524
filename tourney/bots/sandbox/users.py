"""Users without a name, one for each bot that runs at the same time: where the referee is root.

Limits on processes count per user, and processes of one user may signal each other; so no two bots share
one. The numbers lie where no distribution puts users, and follow from this process's own, so that workers
need not agree on anything.
"""

import os
import stat
from pathlib import Path
from typing import Final

PER_PROCESS: Final = 32
"""How many users a process hands out; with more bots at a time than that they share."""
_RANGES: Final = ((1_879_048_192, 268_304_384), (61_184, 4_336), (10_000, 50_000), (1, 65_533))
"""First user and how many, the best range first: a container's own namespace may lack the high ones."""


class Users:
    """Hands out users. ``range`` is the first and how many; None where this process has no choice."""

    def __init__(self, range_: tuple[int, int] | None, process: int | None = None) -> None:
        self.range = range_
        self._process = os.getpid() if process is None else process
        self._taken: dict[int, int] = {}

    @classmethod
    def of_this_host(cls) -> "Users":
        """Return those that this process may become: none unless it is root."""
        if os.geteuid() != 0:
            return cls(None)
        return cls(find_range(Path("/proc/self/uid_map").read_text("ascii")))

    def take(self) -> int | None:
        """Return a user that no bot of this process has, or the one that the fewest have."""
        if self.range is None:
            return None
        first, count = self.range
        own = (first + (self._process * PER_PROCESS + k) % count for k in range(PER_PROCESS))
        user = min(own, key=lambda user: self._taken.get(user, 0))
        self._taken[user] = self._taken.get(user, 0) + 1
        return user

    def give_back(self, user: int | None) -> None:
        """Take back a user whose bot is gone."""
        if user is not None:
            self._taken[user] -= 1


def find_range(uid_map: str) -> tuple[int, int] | None:
    """Return the best range that the namespace of a ``/proc/PID/uid_map`` holds whole, if there is one."""
    held = [(int(inside), int(count)) for inside, _, count in (line.split() for line in uid_map.splitlines())]
    for first, count in _RANGES:
        if any(start <= first and first + count <= start + size for start, size in held):
            return first, count
    return None


def hand_over(folder: Path, user: int) -> None:
    """Give a folder and all in it to a user. Raises OSError."""
    _own(folder, user, readable=False)


def hand_back(folder: Path) -> None:
    """Take a folder and all in it back, readable by all. Raises OSError."""
    _own(folder, os.geteuid(), readable=True)


def _own(folder: Path, user: int, *, readable: bool) -> None:
    group = os.getegid() if user == os.geteuid() else user
    os.chown(folder, user, group, follow_symlinks=False)
    for _, folders, files, at in os.fwalk(folder, topdown=True, follow_symlinks=False):
        for name in (*folders, *files):
            os.chown(name, user, group, dir_fd=at, follow_symlinks=False)
            mode = os.stat(name, dir_fd=at, follow_symlinks=False).st_mode
            if readable and not stat.S_ISLNK(mode):
                more = 0o555 if stat.S_ISDIR(mode) or mode & stat.S_IXUSR else 0o444
                os.chmod(name, stat.S_IMODE(mode) & 0o777 | more, dir_fd=at)
