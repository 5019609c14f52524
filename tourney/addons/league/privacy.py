"""Keeps the records of a league, submissions and receipts from other accounts.

Other accounts of the machine are rivals. The records hold the seed of the night and every bot's program, and
an account that can open a lock for reading can hold it.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tourney.errors import UnsafeFileError
from tourney.held_folder import hold
from tourney.texts import counted, legible

_PUBLIC: Final = 0o077
_OTHERS: Final = 0o007
_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_SHOWN_TO_BOTS: Final = frozenset({"entries", "removed", "builds", "modules"})
"""Folders of the bot store. Bots run as users of their own and read their files, which are below closed
folders."""


@contextmanager
def masked(mask: int) -> Iterator[None]:
    """Make files and folders without these bits of permission while the block runs."""
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def close_records(records: Path, log: Path) -> Iterator[str]:
    """Close the records and the log to other accounts; yield a sentence if something was open.

    Locks are left to ``locked``, which replaces one that others can have open.
    """
    with hold(records) as folder:
        closed = int(_close(folder.fd)) + _close_below(folder.fd, records.name)
    if log.exists():
        with hold(log.parent) as folder:
            closed += _close_named(log.name, folder.fd)
    if closed:
        what = counted(closed, "file or folder", "files and folders")
        yield f"other accounts could read {what} of the records: they are private now"


def _close_below(folder: int, name: str) -> int:
    """Close what is in a folder of this name; return the number of files and folders that were open."""
    closed = 0
    with os.scandir(folder) as scan:
        for entry in scan:
            if entry.name.endswith("lock") or (name == "bots" and entry.name in _SHOWN_TO_BOTS):
                continue
            closed += _close_named(entry.name, folder)
            # ``taken`` holds authors' trees.
            if entry.is_dir(follow_symlinks=False) and name != "taken":
                inner = os.open(entry.name, _FLAGS | os.O_DIRECTORY, dir_fd=folder)
                try:
                    closed += _close_below(inner, entry.name)
                finally:
                    os.close(inner)
    return closed


def _close_named(name: str, folder: int) -> bool:
    """Close a file or folder; whether it was open.

    By its descriptor: another account that may write to an open folder could put a link in place of the name.
    """
    mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    if not mode & _PUBLIC or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        return False
    try:
        descriptor = os.open(name, _FLAGS, dir_fd=folder)
    except PermissionError:  # a file that root made, below a folder that is closed
        return False
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOENT):  # no more the file that it was
            return False
        raise
    try:
        return _close(descriptor)
    finally:
        os.close(descriptor)


def _close(descriptor: int) -> bool:
    mode = stat.S_IMODE(os.fstat(descriptor).st_mode)
    if not mode & _PUBLIC:
        return False
    try:
        os.fchmod(descriptor, mode & ~_PUBLIC)
    except PermissionError:
        return False
    return True


def close_inbox(inbox: Path) -> Iterator[str]:
    """Close the authors' folders to other accounts; yield a sentence about folders that were open.

    Only root may close the folders of others; the folders that stay open are named. A night that is not
    root's reads them as their group.
    """
    closed = list[str]()
    open_still = list[str]()
    # Not root: the night itself reads the folders of authors as their group.
    bits = _OTHERS if os.geteuid() else _PUBLIC
    with hold(inbox) as folders, os.scandir(folders.fd) as scan:
        for entry in scan:
            with suppress(OSError, UnsafeFileError):
                if entry.is_dir(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_mode & bits:
                    open_still.append(entry.name)
                    with folders.hold(entry.name) as folder:
                        os.fchmod(folder.fd, 0o700)
                    closed.append(open_still.pop())
        inbox_mode = os.fstat(folders.fd).st_mode
    # As in /tmp: without the sticky bit anyone who may write to a folder may rename what others put there.
    if inbox_mode & stat.S_IWOTH and not inbox_mode & stat.S_ISVTX:
        yield f"every account can rename the folders of others in {inbox}: chmod +t {inbox}"
    if closed:
        yield f"other accounts could read these folders of {inbox}, which are private now: {_shown(closed)}"
    if open_still:
        yield (
            f"other accounts can read these folders of {inbox}, and copy what waits there:"
            f" {_shown(open_still)}; docs/how-to/league.md says how to close them"
        )


def _shown(names: list[str]) -> str:
    return ", ".join(map(legible, sorted(names)[:5])) + (" ..." if len(names) > 5 else "")
