"""Finds private files that a sandbox would show to bots, whatever links and mounts lead to them.

A path says little: ``/usr/local/share/cup`` may be a mount of the folder with the database, and the database
a hard link to a file below ``lib``. So places are compared as the device has them, and by their inodes.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tourney.files import Mount, mount_of, mounts


class Exposure(NamedTuple):
    """A private file or folder, in words and by its path, and the shown path by which bots see it."""

    what: str
    path: Path
    shown: Path


class _Shown(NamedTuple):
    """A shown path, and the visible place on a device with its inode."""

    path: Path
    place: tuple[str, Path] | None
    inode: tuple[int, int] | None


def find_exposed(private: Mapping[str, Path], shown: Iterable[Path]) -> Exposure | None:
    """The first private path (by description) that bots see below a shown one, or None.

    A private path need not exist yet.
    """
    listed = mounts()
    visible = list(_visible(shown, listed))
    for what, path in private.items():
        real = _real(path)
        place = _place(real, listed)
        inodes = {*map(_inode, (real, *real.parents))} - {None}
        for visible_path in visible:
            if visible_path.inode in inodes or (
                place and visible_path.place and _is_below(place, visible_path.place)
            ):
                return Exposure(what, path, visible_path.path)
        if linked := _hard_link(real, (_real(visible_path.path) for visible_path in visible)):
            return Exposure(what, path, linked)
    return None


def _visible(shown: Iterable[Path], listed: Sequence[Mount]) -> Iterator[_Shown]:
    """Yield the visible place of each shown path, and of each mount below it, which is shown too."""
    for path in shown:
        real = _real(path)
        yield _Shown(path, _place(real, listed), _inode(real))
        for mount in listed:
            if mount.place != real and mount.place.is_relative_to(real):
                yield _Shown(mount.place, (mount.device, mount.root), _inode(mount.place))


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))  # unlike Path.resolve, it raises nothing for links in a circle


def _place(real: Path, listed: Sequence[Mount]) -> tuple[str, Path] | None:
    """The device of a path, and the path in the device's own file system."""
    mount = mount_of(real, listed)
    return None if mount is None else (mount.device, mount.root / real.relative_to(mount.place))


def _is_below(place: tuple[str, Path], parent: tuple[str, Path]) -> bool:
    return place[0] == parent[0] and place[1].is_relative_to(parent[1])


def _inode(path: Path) -> tuple[int, int] | None:
    with suppress(OSError):
        status = path.stat()
        return status.st_dev, status.st_ino
    return None


def _hard_link(file: Path, folders: Iterable[Path]) -> Path | None:
    """Another name of a file below one of these folders; they are searched only if it has several names."""
    with suppress(OSError):
        status = file.stat()
        if stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
            for name in (name for folder in folders for name in _files(folder)):
                if name.inode() == status.st_ino and os.path.samestat(name.stat(), status):
                    return Path(name.path)
    return None


def _files(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yield the entries below a folder that are not folders; unreadable folders are left out."""
    pending = [str(folder)]
    while pending:
        with suppress(OSError), os.scandir(pending.pop()) as scan:
            for entry in scan:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                else:
                    yield entry
