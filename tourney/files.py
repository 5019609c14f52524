"""Write the files that users name: regular files are replaced whole, other places are written to directly.

A regular file gets its new content in one step: the content is written to a temporary file in the same
folder, synced to disk, and renamed over the old file. Until then, and after any failure, the old file is
unchanged. The new file has the old one's permissions, owner and extended attributes, as far as the system
allows. If the old file has more hard links, the other names keep the old content. A symbolic link stays, and
its target is replaced. Devices, FIFOs and descriptors (``/dev/stdout``, ``/dev/fd/3``, ``/proc/self/fd/3``)
are written to as they are; what they received before a failure cannot be taken back.
"""

import errno
import fcntl
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from tourney.errors import EnvironmentFailure, UsageError

DEFAULT_DB: Final = "tourney.db"
"""The database in the current folder."""
DEFAULT_BOTS: Final = "tourney-bots"
"""The bot store in the current folder."""

_MAX_LINKS: Final = 40
"""Symbolic links that Linux follows in one path."""
_DESCRIPTOR: Final = re.compile(
    r"/(?:dev/fd|proc/(self|thread-self|[0-9]+)(?:/task/[0-9]+)?/fd)/([0-9]{1,9})", re.ASCII
)


@contextmanager
def writing(path: Path, *, new: bool = False) -> Iterator[BinaryIO]:
    """Give a binary file whose content becomes that of ``path`` when the block ends without an exception.

    With ``new`` a regular file must not exist yet. Raises UsageError for a place that is not for a file (a
    folder, a socket, a link to nothing, a read-only file), EnvironmentFailure where writing fails. OSErrors
    of the block count as failures to write; that of a closed descriptor's pipe passes through.
    """
    with _errors(path):
        target = _target(path, new=new)
        if isinstance(target, int):
            with os.fdopen(target, "wb") as stream:
                yield stream
            return
        with _replacing(target, path, new=new) as temporary, temporary.open("wb") as file:
            yield file


@contextmanager
def writing_by_path(path: Path, *, new: bool = False) -> Iterator[Path]:
    """Do as ``writing`` for a library that writes to a path by itself: give the path of an empty file."""
    with writing(path, new=new) as file:
        if isinstance(file.name, str):  # else the number of a descriptor
            yield Path(file.name)
            return
        with tempfile.TemporaryDirectory(prefix="tourney-") as folder:
            temporary = Path(folder) / "file"
            temporary.touch()
            yield temporary
            with temporary.open("rb") as written:
                shutil.copyfileobj(written, file)


def write_file(path: Path, data: bytes) -> None:
    """Write a whole file at once. Raises as ``writing`` does."""
    with writing(path) as file:
        file.write(data)


def write_folder(
    folder: Path, files: Mapping[str, str], error: Callable[[str], Exception]
) -> tuple[Path, ...]:
    """Write a new folder with these files, whose names are relative to it; return their paths, sorted.

    Raises ``error`` with a sentence if the folder exists, or if there is no folder to make it in.
    """
    if folder.exists() or folder.is_symlink():
        raise error(f"{folder} exists already; choose another name")
    if not folder.parent.is_dir():
        raise error(f"there is no folder {folder.parent} for {folder.name}; make it first")
    # Written under another name and renamed, so that a failure leaves no half of it.
    temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        temporary.chmod(0o755)
        for name, text in files.items():
            (temporary / name).parent.mkdir(parents=True, exist_ok=True)
            (temporary / name).write_text(text, "utf-8")
        temporary.rename(folder)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    return tuple(folder / name for name in sorted(files))


_OF_TOURNEY: Final = ".written-by-tourney"
"""The file that marks a folder which ``replaced_folder`` wrote, and may replace."""


@contextmanager
def replaced_folder(folder: Path) -> Iterator[Path]:
    """Give an empty private folder that takes the place of ``folder`` if the block ends without an exception.

    Raises UsageError for a file, and for a folder that holds anything and was not written by this, so that a
    mistyped name deletes nothing; EnvironmentFailure if the folder cannot be written.
    """
    folder = folder.absolute()
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UsageError(f"{folder} is not a folder: choose another one")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / _OF_TOURNEY).is_file():
        raise UsageError(f"{folder} holds other files: choose a new folder")
    temporary = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        (temporary / _OF_TOURNEY).touch()
        yield temporary
        if folder.exists():
            # No folder can be renamed over one that holds files, so the old one steps aside first.
            aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
            folder.rename(aside / "old")
            temporary.rename(folder)
            shutil.rmtree(aside)
        else:
            temporary.rename(folder)
    except OSError as error:
        raise EnvironmentFailure(f"{folder} cannot be written: {error.strerror}") from error
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


def check_writable(path: Path, *, new: bool = False) -> None:
    """Raise the errors of ``writing`` at once, before long work whose result goes to ``path``.

    Leaves nothing behind, and does not touch an existing file.
    """
    with _errors(path):
        if (descriptor := descriptor_of(path)) is not None:
            os.fstat(descriptor)
            return
        real, regular = _resolve(path, new=new)
        if regular:
            temporary, descriptor = _open_temporary(real.parent, path, 0o600)
            temporary.unlink()
            os.close(descriptor)


def _target(path: Path, *, new: bool) -> int | Path:
    """An open descriptor to write to, or the real path of a regular file to replace or make."""
    if (descriptor := descriptor_of(path)) is not None:
        return os.dup(descriptor)
    real, regular = _resolve(path, new=new)
    return real if regular else os.open(real, os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC)


def descriptor_of(path: Path) -> int | None:
    """The descriptor of this process that a path names, also by way of links; else None.

    Opening such a path again would begin a regular file from its start, and fail for a socket.
    """
    at = os.path.abspath(path)  # noqa: PTH100 - resolve() would follow the links of /proc into the file
    for _ in range(_MAX_LINKS):
        folder, name = os.path.split(at)
        folder = os.path.realpath(folder)
        matched = _DESCRIPTOR.fullmatch(f"{folder}/{name}")
        if matched is not None and matched[1] in (None, "self", "thread-self", str(os.getpid())):
            return int(matched[2])
        try:
            at = os.path.join(folder, os.readlink(at))  # noqa: PTH115, PTH118 - texts
        except OSError:
            return None
    return None


def _resolve(path: Path, *, new: bool) -> tuple[Path, bool]:
    """The path without links, and whether it names a regular file, or no file yet.

    Raises UsageError, or EnvironmentFailure without a folder, for a place where no file can be written.
    """
    real = Path(os.path.realpath(path))
    try:
        status = path.stat()
    except FileNotFoundError:
        if path.is_symlink():
            raise UsageError(
                f"{path} is a symbolic link to {real}, which does not exist: name the file itself,"
                " or remove the link"
            ) from None
        if not real.parent.is_dir():
            raise EnvironmentFailure(f"{path} cannot be written: there is no folder {path.parent}") from None
        return real, True
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise UsageError(f"{path} is a symbolic link that leads back to itself: remove the link") from None
    if stat.S_ISDIR(status.st_mode):
        raise UsageError(f"{path} is a folder: name a file")
    if stat.S_ISSOCK(status.st_mode):
        raise UsageError(f"{path} is a socket: name a file, a FIFO or a device")
    regular = stat.S_ISREG(status.st_mode)
    if regular and new:
        raise UsageError(f"{path} is there already; name another file")
    # The superuser may write to any file; one without any write permission is still meant to stay.
    if regular and not (status.st_mode & 0o222 and os.access(real, os.W_OK, effective_ids=True)):
        raise UsageError(f"{path} is read-only: make it writable, or name another file")
    return real, regular


@contextmanager
def _replacing(real: Path, path: Path, *, new: bool) -> Iterator[Path]:
    """Give an empty temporary file that is renamed to ``real`` once the block has ended."""
    # Others may not read the new content before it has the permissions of the old.
    temporary, descriptor = _open_temporary(real.parent, path, 0o600 if real.exists() else 0o666)
    try:
        yield temporary
        with suppress(FileNotFoundError):
            _keep_attributes(real, descriptor)
        # Before the rename: after a power cut the name could otherwise lead to an empty file.
        os.fsync(descriptor)
        if new:
            _link(temporary, real, path)
        else:
            temporary.replace(real)
        with suppress(OSError):  # some file systems refuse that
            sync_folder(real.parent)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        os.close(descriptor)


def _open_temporary(folder: Path, path: Path, mode: int) -> tuple[Path, int]:
    """Make an empty file in a folder, for ``path``; return it and a descriptor of it."""
    sweep(folder, ".tourney-*.new", ("-journal", "-wal", "-shm"))
    number = 0
    while True:
        temporary = folder / f".tourney-{os.getpid()}-{number}.new"
        try:
            return temporary, make_temporary(temporary, mode)
        except FileExistsError:  # of another thread, or left by a killed process of this number
            number += 1
        except PermissionError as error:
            raise EnvironmentFailure(
                f"{path} cannot be written: {folder} cannot be written to ({error.strerror}), and a"
                " temporary file goes there first; make the folder writable, or choose another one"
            ) from error


def make_temporary(path: Path, mode: int) -> int:
    """Make a file and return a descriptor; while that is open, ``sweep`` spares the file."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with suppress(OSError):  # some file systems have no locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return descriptor
        os.close(descriptor)  # swept before it was locked


def sweep(folder: Path, pattern: str, beside: Sequence[str] = ()) -> None:
    """Remove temporary files of killed processes; ``beside`` are the ends of names of files with them."""
    for path in folder.glob(pattern):
        with suppress(OSError):
            # One with a second name may be a database in use, whose locks closing it here would drop.
            if not stat.S_ISREG(path.lstat().st_mode) or path.lstat().st_nlink > 1:
                continue
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                for end in beside:
                    path.with_name(path.name + end).unlink(missing_ok=True)
                path.unlink()
            finally:
                os.close(descriptor)


def _keep_attributes(old: Path, new: int) -> None:
    """Give a new file the owner, permissions and extended attributes of an old one, where that is allowed."""
    was = old.stat()
    # Apart, because a user may often set the group of a file where only root may set its owner.
    for owner, group in ((was.st_uid, -1), (-1, was.st_gid)):
        with suppress(OSError):
            os.fchown(new, owner, group)
    # After the owner, whose change clears the set-user-ID bits.
    os.fchmod(new, stat.S_IMODE(was.st_mode))
    if hasattr(os, "listxattr"):
        with suppress(OSError):
            for name in os.listxattr(old):
                with suppress(OSError):
                    os.setxattr(new, name, os.getxattr(old, name))


def _link(temporary: Path, real: Path, path: Path) -> None:
    """Give a file a second name that must not exist."""
    try:
        os.link(temporary, real)
    except FileExistsError:
        raise UsageError(f"{path} is there already; name another file") from None
    except OSError as error:
        # Some file systems know no hard links; then another program could still take the name in between.
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK) or real.exists():
            raise
        temporary.replace(real)


def sync_folder(folder: Path) -> None:
    """Sync a folder's entries to disk, so that a rename or a new file in it survives a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


_ADVICE: Final = {
    errno.ENOSPC: "; free some space, and start again",
    errno.EDQUOT: "; free some space, and start again",
    errno.EROFS: "; choose a writable place",
    errno.EBUSY: "; it is a mount point: choose another file",
    errno.EBADF: "; that descriptor is not open for writing",
}


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    """Turn failures to write into one sentence."""
    try:
        yield
    except OSError as error:
        if isinstance(error, BrokenPipeError) and descriptor_of(path) is not None:
            raise  # of standard output, as a rule: its reader has seen enough
        why = error.strerror or str(error)
        raise EnvironmentFailure(
            f"{path} cannot be written: {why}{_ADVICE.get(error.errno or 0, '')}"
        ) from error


# What Linux says about mounts; nothing on other systems.

_MOUNTS: Final = Path("/proc/self/mountinfo")
_ESCAPE: Final = re.compile(rb"\\([0-7]{3})")
_NETWORK: Final = re.compile(
    "9p|afs|beegfs|ceph|cifs|fuse.(ceph|glusterfs|s3fs|sshfs)|gfs2|glusterfs|lustre|nfs4?|ocfs2|smb3|smbfs"
)
"""File systems that several machines may use at the same time."""


class Mount(NamedTuple):
    """A mount: its place, its kind, its device, and the path in the device's file system that is shown there.

    Device and path are the same for one folder however often it is mounted.
    """

    place: Path
    kind: str
    device: str
    root: Path


def network_file_system(path: Path) -> str | None:
    """The kind of network file system ("nfs4") of an absolute path without links, or None."""
    mount = mount_of(path, mounts())
    return mount.kind if mount is not None and _NETWORK.fullmatch(mount.kind) else None


def is_mount_point(path: Path) -> bool:
    """Whether an absolute path without links is a mount by itself, as of a file in a container."""
    return any(mount.place == path for mount in mounts())


def mount_of(path: Path, listed: Sequence[Mount]) -> Mount | None:
    """The innermost of the mounts listed that an absolute path without links lies in."""
    places = {mount.place: mount for mount in listed}
    return next((places[folder] for folder in (path, *path.parents) if folder in places), None)


def mounts() -> list[Mount]:
    """All mounts; a later one hides an earlier one of the same place."""
    try:
        lines = _MOUNTS.read_bytes().splitlines()
    except OSError:
        return []
    listed = []
    for line in lines:
        before, _, after = line.partition(b" - ")
        fields = before.split(b" ")
        rest = after.split(b" ")
        if len(fields) > 4 and rest[0]:
            root, place = (
                Path(
                    _ESCAPE.sub(lambda match: bytes([int(match[1], 8)]), field).decode(
                        "utf-8", "surrogateescape"
                    )
                )
                for field in fields[3:5]
            )
            kind = rest[0].decode("ascii", "replace")
            device = fields[2].decode("ascii", "replace")
            listed.append(Mount(place, kind, device, root))
    return listed
