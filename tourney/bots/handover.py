"""A folder for another user to write in, and back again: builds, where the referee is root.

What a build leaves is hostile: links are never followed, and nothing of it runs any more when it is taken.
"""

import os
import stat
from pathlib import Path


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
