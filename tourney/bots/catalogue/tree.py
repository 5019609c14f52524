"""Trees of files: walked, measured and removed, whatever their depth, width and size.

A tree is hostile input. Nothing here follows a link, and nothing recurses, because a tree may be deeper than
any stack and any path.
"""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import count, islice
from pathlib import Path
from typing import Final

from tourney.errors import BotError

LEFT_OUT: Final = frozenset({".git", "__pycache__"})
"""Names that are never a part of a bot, at any depth."""
MAX_PATH: Final = 1_024
"""Bytes that a path below a bot's folder may have; so a folder is at most 512 deep."""
_MAX_SCANNED: Final = 1_000_000
"""Entries of one folder that are looked at, those that are left out among them."""
_TAKEN: Final = frozenset({errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR})


@dataclass(frozen=True, slots=True)
class Bounds:
    """The most files, as many folders again, and bytes that a tree may hold; ``whose`` is for errors."""

    files: int
    bytes: int
    whose: str

    @property
    def too_many(self) -> str:
        """The words for too many files."""
        return f"it holds more than {self.files:,} files, the most for {self.whose}"

    @property
    def too_many_folders(self) -> str:
        """The words for too many folders."""
        return f"it holds more than {self.files:,} folders, the most for {self.whose}"

    @property
    def too_large(self) -> str:
        """The words for too many bytes."""
        return f"its files hold more than {self.bytes >> 20:,} MiB, the most for {self.whose}"


SUBMITTED: Final = Bounds(10_000, 512 * 1024 * 1024, "a bot")
"""A bot as submitted."""
BUILT: Final = Bounds(20_000, 2 * 1024**3, "a build")
"""A bot with the files that its build made."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file on disk: its path in the bot, its place, its executable bit, and its target if it is a link."""

    path: str
    place: Path
    executable: bool
    link: str | None = None


def check_path(path: str) -> None:
    """Raise BotError for a path that no bot may hold: not UTF-8, control characters, too long."""
    shown = path.encode("utf-8", "backslashreplace").decode("utf-8")
    if not path.isprintable():
        raise BotError(f"the file name {shown[-200:]!r} has unprintable characters; rename it")
    if len(path.encode("utf-8")) > MAX_PATH:
        raise BotError(f"the path {shown[:60]}... is longer than {MAX_PATH:,} bytes; shorten it")


def walk(
    folder: Path,
    leave_out: Iterable[str] = (),
    *,
    whole: bool = False,
    links: bool = False,
    bounds: Bounds = SUBMITTED,
) -> Iterator[SourceFile]:
    """Yield a folder's files, sorted within each folder, without following links.

    ``.git`` and ``__pycache__`` are left out unless ``whole``; so is what matches a pattern of ``leave_out``
    (a glob over the path below the folder, whose ``*`` crosses ``/``; one that ends in ``/`` names a folder).
    Raises BotError for a link unless ``links``, for a device, a bad name, a file or folder that its owner may
    not read, and for more than the ``bounds``.
    """
    patterns = tuple(leave_out)
    files = folders = size = 0
    pending = [("", folder)]
    while pending:
        prefix, place = pending.pop()
        found = []
        for entry in _entries(place):
            if entry.name in LEFT_OUT and not whole:
                continue
            path = prefix + entry.name
            info = entry.stat(follow_symlinks=False)
            name = path + "/" if stat.S_ISDIR(info.st_mode) else path
            if any(fnmatchcase(name, pattern) for pattern in patterns):
                continue
            check_path(path)
            _check_readable(path, info.st_mode)
            if stat.S_ISDIR(info.st_mode):
                folders += 1
                if folders > bounds.files:
                    raise BotError(bounds.too_many_folders)
                found.append((name, Path(entry.path)))
                continue
            files += 1
            size += info.st_size
            if files > bounds.files:
                raise BotError(bounds.too_many)
            if size > bounds.bytes:
                raise BotError(bounds.too_large)
            yield _source_file(path, Path(entry.path), info.st_mode, links=links)
        # The next folder is taken from the end; so folders come in the order of their names.
        pending.extend(reversed(found))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as scan:
        entries = sorted(islice(scan, _MAX_SCANNED + 1), key=lambda entry: entry.name)
    if len(entries) > _MAX_SCANNED:
        raise BotError(f"a folder of it has more than {_MAX_SCANNED:,} entries; remove other files")
    return entries


def _check_readable(path: str, mode: int) -> None:
    """Raise BotError for what the owner may not read: root may, so the result would depend on the user."""
    needed = stat.S_IRUSR | stat.S_IXUSR if stat.S_ISDIR(mode) else stat.S_IRUSR
    if not stat.S_ISLNK(mode) and mode & needed != needed:
        raise BotError(f"{path} has permissions {stat.S_IMODE(mode):03o}; let its owner read it")


def _source_file(path: str, place: Path, mode: int, *, links: bool) -> SourceFile:
    if stat.S_ISLNK(mode):
        if not links:
            raise BotError(f"{path} is a link; replace it with a copy of its target")
        return SourceFile(path, place, executable=False, link=str(place.readlink()))
    if not stat.S_ISREG(mode):
        raise BotError(f"{path} is not a regular file; remove it")
    return SourceFile(path, place, executable=bool(mode & stat.S_IXUSR))


def excess(folder: Path, bounds: Bounds) -> str:
    """The bound that a tree that is being written exceeds now, in words, or "".

    It looks at no more entries than the bounds allow. Bytes are those on disk; files that go meanwhile do not
    count.
    """
    found = size = 0
    pending = [("", folder)]
    while pending:
        prefix, place = pending.pop()
        with suppress(OSError), os.scandir(place) as scan:
            for entry in scan:
                found += 1
                path = prefix + entry.name
                if found > bounds.files:
                    return f"it made more than {bounds.files:,} files and folders"
                with suppress(OSError):
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                    if size > bounds.bytes:
                        return f"it wrote more than {bounds.bytes >> 20:,} MiB of files"
                    if entry.is_dir(follow_symlinks=False):
                        if len(os.fsencode(path)) > MAX_PATH:
                            return f"it made a path of more than {MAX_PATH:,} bytes"
                        pending.append((path + "/", Path(entry.path)))
    return ""


def folders_of(folder: Path) -> Iterator[Path]:
    """Yield a folder and all folders below it, each after those within it, without following links."""
    found = [folder]
    for place in found:  # it grows while it is walked
        with os.scandir(place) as scan:
            found.extend(Path(entry.path) for entry in scan if entry.is_dir(follow_symlinks=False))
    yield from reversed(found)


def remove_tree(folder: Path) -> None:
    """Remove a tree, read-only or not, of any depth.

    A folder within another is moved to the top before it is emptied, so that paths stay short. Raises
    OSError.
    """
    names = count()
    folder.chmod(0o700)
    while inner := _empty(folder):
        for place in inner:
            for within in _empty(place):
                _move(within, folder, names)
            place.rmdir()
    folder.rmdir()


def _empty(folder: Path) -> list[Path]:
    """Remove the files of a folder; return the folders in it, which are made writable."""
    with os.scandir(folder) as scan:
        entries = list(scan)
    folders = [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
    for place in folders:
        place.chmod(0o700)
    for entry in entries:
        if not entry.is_dir(follow_symlinks=False):
            os.unlink(entry.path)  # noqa: PTH108 - called for each file
    return folders


def _move(place: Path, top: Path, names: Iterator[int]) -> None:
    """Move a folder to ``top``, under the next number that is not taken."""
    while True:
        try:
            place.rename(top / str(next(names)))
        except OSError as error:
            if error.errno not in _TAKEN:
                raise
        else:
            return
