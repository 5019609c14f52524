"""Touches files below folders that other accounts may write: by descriptors, and never by paths.

The owner of a folder may exchange anything in it at any moment: a folder for a link to the reader's home, a
file for a FIFO that blocks the reader, or for a second name of a file that only the reader may read. A path
that was checked says nothing about the file that the next call opens. So a folder is held open, and what lies
below it is opened relative to it, without following a link, leaving the folder or entering another mount.
Owner and type are those of the open file.

Linux resolves a whole relative path in this way by itself (``openat2``). The flags of ``openat`` do not
replace that: to open the mount of a FUSE server that never answers blocks, and ``RESOLVE_NO_XDEV`` refuses it
before the server is asked. Systems without the call (macOS, Linux before 5.6, some containers) open one
component after the other by ``O_NOFOLLOW``, and see another file system only after they opened it.
"""

import ctypes
import errno
import os
import pwd
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from io import FileIO
from itertools import count, islice
from pathlib import Path
from typing import Final, NamedTuple, Self

from tourney.errors import UnsafeFileError
from tourney.texts import legible

_OPENAT2: Final = 437  # the same number on every processor that this runs on
_BELOW: Final = 0x01 | 0x02 | 0x04 | 0x08  # RESOLVE_NO_XDEV, _NO_MAGICLINKS, _NO_SYMLINKS, _BENEATH
_HAS_HANDLES: Final = hasattr(os, "O_PATH")
_HANDLE: Final = os.O_DIRECTORY | getattr(os, "O_PATH", os.O_RDONLY)
"""Opens a folder that may be searched but not listed, such as the home of another account."""
_LIST: Final = os.O_DIRECTORY | os.O_RDONLY
_NO_WAIT: Final = os.O_NONBLOCK | os.O_NOCTTY
"""A FIFO would wait for its writer, and a file with a lease up to 45 seconds for its owner."""
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_MAX_LINKS: Final = 40  # symbolic links that Linux follows in one path
_MOST_ENTRIES: Final = 1_000_000  # of one folder
_MOST_REMOVED: Final = 20_000_000
"""Folders that one removal removes: an owner who goes on making new ones must not keep it busy for ever."""
_CHUNK: Final = 1 << 20
_NOT_A_FOLDER: Final = frozenset({errno.ELOOP, errno.ENOTDIR})
_TAKEN: Final = frozenset({errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR})


class _How(ctypes.Structure):
    """``struct open_how`` of Linux."""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def _openat2(fd: int, path: str, flags: int) -> int:
    """Open a path below a folder as the kernel resolves it with ``_BELOW``. Raises OSError."""
    call = _system_call()
    how = _How(flags, 0, _BELOW)
    while True:
        opened = call(_OPENAT2, fd, os.fsencode(path), ctypes.byref(how), ctypes.sizeof(how))
        if opened >= 0:
            return int(opened)
        number = ctypes.get_errno()
        if number != errno.EINTR:
            raise OSError(number, os.strerror(number), path)


@cache
def _system_call() -> Callable[..., int]:
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    call.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)
    return call


@cache
def kernel_resolves() -> bool:
    """Whether ``openat2`` works here; a container's filter may refuse it as if it were not permitted."""
    if not _HAS_HANDLES:
        return False
    root = os.open("/", _HANDLE)
    try:
        os.close(_openat2(root, ".", _HANDLE))
    except OSError:
        return False
    finally:
        os.close(root)
    return True


def _open_below(fd: int, path: str, flags: int) -> int:
    """Open a relative path below a folder, on its file system, without following any link.

    Raises OSError: ELOOP or ENOTDIR for a link, EXDEV for another mount or a path that leads out.
    """
    if kernel_resolves():
        return _openat2(fd, path or ".", _guarded(flags))
    *folders, last = (path or ".").split("/")
    if ".." in (*folders, last) or path.startswith("/"):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), path)
    device = os.fstat(fd).st_dev
    at = os.dup(fd)
    for name, how in (*((name, _HANDLE) for name in folders), (last, flags)):
        try:
            opened = os.open(name, _guarded(how), dir_fd=at)
        finally:
            os.close(at)
        at = opened
        info = os.fstat(at)
        # Not of files: an overlay, as of a container, shows them with the device of the layer below it.
        if stat.S_ISDIR(info.st_mode) and info.st_dev != device:
            os.close(at)
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), path)
    return at


def _guarded(flags: int) -> int:
    """Flags that follow no link and never wait; ``openat2`` refuses the latter for mere handles."""
    waiting = 0 if _HAS_HANDLES and flags & os.O_PATH else _NO_WAIT
    return flags | os.O_NOFOLLOW | os.O_CLOEXEC | waiting


@cache
def account_name(user: int) -> str:
    """The name of an account, or its number if it has none."""
    with suppress(KeyError):
        return pwd.getpwuid(user).pw_name
    return str(user)


def account_number(name: str) -> int | None:
    """The number of an account that ``account_name`` named, or None if there is no such account now."""
    with suppress(KeyError):
        return pwd.getpwnam(name).pw_uid
    return int(name) if name.isascii() and name.isdigit() else None


_REFUSALS: Final = {
    errno.ELOOP: "is a link, or lies below one; replace it with a copy of its target",
    errno.ENOTDIR: "is not a folder; put a folder there",
    errno.EXDEV: "lies on a mount of its own, or outside; put a copy there",
    errno.EAGAIN: "is held by a lease of a program; end that program",
    errno.ENXIO: "is not a regular file; remove it",
}
"""Errors of opening that concern the file, and not this machine."""


class FolderEntry(NamedTuple):
    """A name in a folder, with its metadata at the time of listing."""

    name: str
    info: os.stat_result

    @property
    def is_folder(self) -> bool:
        """Whether it was a folder, and not a link to one."""
        return stat.S_ISDIR(self.info.st_mode)


@dataclass(frozen=True, slots=True)
class HeldFolder:
    """A folder that is held open, with the account that the files below it belong to (None: to any).

    It closes at the end of a ``with`` block. All paths are relative to it. ``place`` is for sentences.

    Every method raises UnsafeFileError, in a sentence that begins with the path, for a link, for another
    mount, and for what is not the file or folder that it should be; and OSError for other failures.
    """

    fd: int
    place: Path
    owner: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)

    def hold(self, path: str) -> "HeldFolder":
        """Hold a folder below, of any account: from there on, files are those of its owner."""
        fd = self._open(path, _LIST)
        return HeldFolder(fd, self.place / path, os.fstat(fd).st_uid)

    def entries(self, path: str = "", most: int = _MOST_ENTRIES) -> list[FolderEntry]:
        """List at most ``most`` entries of a folder below, sorted by name, without following links.

        Entries that go meanwhile are left out.
        """
        fd = self._open(path, _LIST)
        try:
            self._check(path, os.fstat(fd), stat.S_IFDIR)
            with os.scandir(fd) as scan:
                names = sorted(entry.name for entry in islice(scan, most))
            listed = []
            for name in names:
                with suppress(FileNotFoundError):
                    info = os.stat(name, dir_fd=fd, follow_symlinks=False)
                    listed.append(FolderEntry(name, info))
            return listed
        finally:
            os.close(fd)

    def open_file(self, path: str) -> int:
        """Open a regular file of the owner's for reading, and return its descriptor.

        A file of another account is opened only if everybody may read it and it has no second name: as a hard
        link it could be a file that its owner put out of everybody's reach. Nor is one of the owner's opened
        that has a second name, and lies where everybody could have linked it.
        """
        fd = self._open(path, os.O_RDONLY)
        try:
            info = os.fstat(fd)
            self._check(path, info, stat.S_IFREG)
            if info.st_nlink > 1 and self.owner is not None:
                self._check_folder_of(path)
        except BaseException:
            os.close(fd)
            raise
        return fd

    def read(self, path: str, most: int) -> bytes:
        """The content of a file. Raises UnsafeFileError if it is longer than ``most`` bytes."""
        with os.fdopen(self.open_file(path), "rb") as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise UnsafeFileError(f"{_shown(path)} is longer than {most >> 10:,} KiB; shorten it")
        return data

    def copy_file(self, path: str, target: "HeldFolder", name: str, most: int, *, mode: int = 0o600) -> None:
        """Copy a file to a new file of a folder, executable for its owner as the original.

        The bound holds for what is read, since the file may grow meanwhile or consist of holes; a copy that
        exceeds it is removed. Raises UnsafeFileError for one of more than ``most`` bytes.
        """
        with os.fdopen(self.open_file(path), "rb", buffering=0) as source:
            complete = _copy(source, target, name, most, mode)
        if not complete:
            raise UnsafeFileError(f"{_shown(path)} is larger than {most >> 20:,} MiB; make it smaller")

    def read_link(self, path: str) -> str:
        """The target of a symbolic link, which is not followed."""
        folder, _, name = path.rpartition("/")
        fd = self._open(folder, _HANDLE)
        try:
            return os.readlink(name, dir_fd=fd)
        finally:
            os.close(fd)

    def info(self, path: str) -> os.stat_result:
        """What the system says about a file, folder or link, which is not followed."""
        folder, _, name = path.rpartition("/")
        fd = self._open(folder, _HANDLE)
        try:
            return os.stat(name, dir_fd=fd, follow_symlinks=False)
        finally:
            os.close(fd)

    def make_folder(self, name: str, mode: int) -> "HeldFolder":
        """Hold a folder of this one, which is made with exactly this mode if it is missing."""
        try:
            os.mkdir(name, 0o700, dir_fd=self.fd)
        except FileExistsError:
            return self.hold(name)
        made = self.hold(name)
        if made.owner == os.geteuid():  # else it was exchanged meanwhile
            os.fchmod(made.fd, mode)
        return made

    def write(self, name: str, data: bytes, *, mode: int = 0o600, owner: int = -1) -> None:
        """Replace a file of this folder in one step, and give it to an account, if that is allowed.

        A link or a second name of another file is replaced, and nothing is written to what it leads to.
        """
        temporary = f".{name}.new"
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=self.fd)  # of a process that was killed
        fd = os.open(temporary, _NEW, 0o600, dir_fd=self.fd)
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(data)
                file.flush()
                os.fchmod(fd, mode)
                with suppress(PermissionError):  # only root may give files away
                    os.fchown(fd, owner, -1)
                os.fsync(fd)
            os.rename(temporary, name, src_dir_fd=self.fd, dst_dir_fd=self.fd)
            with suppress(OSError):  # some file systems refuse that
                os.fsync(self.fd)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=self.fd)
            raise

    def move(self, name: str, target: "HeldFolder", new: str) -> None:
        """Rename an entry of this folder into a folder; a link is moved itself."""
        os.rename(name, new, src_dir_fd=self.fd, dst_dir_fd=target.fd)

    def remove(self, name: str, most: int = _MOST_REMOVED) -> None:
        """Remove an entry of this folder, with everything below it, read-only or not and of any depth.

        A folder within another is moved to the top before it is emptied, so that paths stay short. Links are
        removed themselves. A folder of another account is not emptied: the owner of the one above it could
        have moved it there. Raises OSError: EPERM for such a folder, EBUSY after ``most`` folders, or for one
        of more than a million entries.
        """
        fd = _open_to_empty(self.fd, name, self.owner)
        if fd is None:
            os.unlink(name, dir_fd=self.fd)
            return
        numbers = count()
        left = most
        try:
            # No recursion: folders may be deeper than Python's stack, and longer than any path may be.
            while inner := _empty(fd):
                for folder in inner:
                    left -= 1 + _flatten(fd, folder, numbers, self.owner)
                    if left < 0:
                        raise OSError(errno.EBUSY, "it grows while it is removed", name)
        finally:
            os.close(fd)
        os.rmdir(name, dir_fd=self.fd)

    def _open(self, path: str, flags: int) -> int:
        try:
            return _open_below(self.fd, path, flags)
        except OSError as error:
            number = error.errno or 0
            if number == errno.ENOTDIR and (not flags & os.O_DIRECTORY or self._is_link(path)):
                number = errno.ELOOP
            if (why := _REFUSALS.get(number)) is None:
                raise
            raise UnsafeFileError(f"{_shown(path) or self.place} {why}") from error

    def _is_link(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        try:
            fd = _open_below(self.fd, folder, _HANDLE)
        except OSError:
            return True  # or below one
        try:
            return stat.S_ISLNK(os.stat(name or ".", dir_fd=fd, follow_symlinks=False).st_mode)
        finally:
            os.close(fd)

    def _check(self, path: str, info: os.stat_result, kind: int) -> None:
        """Raise UnsafeFileError for another kind of file, and for what the owner could not read alone."""
        shown = _shown(path) or self.place
        if stat.S_IFMT(info.st_mode) != kind:
            raise UnsafeFileError(f"{shown} is not a regular file; remove it")
        if self.owner in (None, info.st_uid):
            return
        public = stat.S_IROTH | (stat.S_IXOTH if kind == stat.S_IFDIR else 0)
        if info.st_mode & public != public or (info.st_nlink > 1 and kind == stat.S_IFREG):
            raise UnsafeFileError(
                f"{shown} belongs to {account_name(info.st_uid)}, and the folder to"
                f" {account_name(self.owner or 0)}; replace it with a copy of your own"
            )

    def _check_folder_of(self, path: str) -> None:
        fd = self._open(path.rpartition("/")[0], _HANDLE)
        try:
            if os.fstat(fd).st_mode & stat.S_IWOTH:
                raise UnsafeFileError(f"{_shown(path)} is a second name of a file, {_LINKED_BY_ANYONE}")
        finally:
            os.close(fd)


_LINKED_BY_ANYONE: Final = "in a folder that everybody may write to; replace it with a copy"


def _copy(source: FileIO, target: HeldFolder, name: str, most: int, mode: int) -> bool:
    """Copy an open file to a new one; False, and no file, if it holds more than ``most`` bytes."""
    mode |= os.fstat(source.fileno()).st_mode & stat.S_IXUSR
    left = most
    complete = False
    try:
        with os.fdopen(os.open(name, _NEW, mode, dir_fd=target.fd), "wb") as copy:
            while left >= 0 and (chunk := source.read(_CHUNK)):
                left -= copy.write(chunk)
        complete = left >= 0
    finally:
        if not complete:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=target.fd)
    return complete


def _shown(path: str) -> str:
    return legible(path.encode("utf-8", "backslashreplace").decode("utf-8"))


def _open_to_empty(parent: int, name: str, owner: int | None) -> int | None:
    """Open a folder of an account (None: of any), made writable for its owner.

    None for anything else, which is removed unopened. Raises OSError.
    """
    if not _HAS_HANDLES:
        # Elsewhere an unreadable folder cannot be held; at least this follows no link.
        with suppress(OSError):
            os.chmod(name, stat.S_IRWXU, dir_fd=parent, follow_symlinks=False)
    try:
        handle = _open_below(parent, name, _HANDLE)
    except OSError as error:
        if error.errno in _NOT_A_FOLDER:
            return None
        raise
    try:
        info = os.fstat(handle)
        if owner not in (None, info.st_uid):
            raise PermissionError(errno.EPERM, f"it belongs to {account_name(info.st_uid)}", name)
        # Only of this account's own: root needs no permission, and must not change what belongs to others.
        if _HAS_HANDLES and info.st_uid == os.geteuid() and info.st_mode & stat.S_IRWXU != stat.S_IRWXU:
            os.chmod(f"/proc/self/fd/{handle}", stat.S_IRWXU)  # noqa: PTH101 - the folder that is held
        return _open_below(handle, "", _LIST)
    finally:
        os.close(handle)


def _empty(fd: int) -> list[str]:
    """Remove the files and links of a folder; return the names of the folders in it."""
    folders = []
    with os.scandir(fd) as scan:
        # The bound ends a listing that grows as fast as it is read.
        listed = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in islice(scan, _MOST_ENTRIES)]
        if len(listed) == _MOST_ENTRIES:
            raise OSError(errno.EBUSY, f"a folder has {_MOST_ENTRIES:,} entries or more")
    for name, is_folder in listed:
        if is_folder:
            folders.append(name)
            continue
        try:
            os.unlink(name, dir_fd=fd)
        except IsADirectoryError:  # exchanged meanwhile
            folders.append(name)
    return folders


def _flatten(top: int, name: str, numbers: Iterator[int], owner: int | None) -> int:
    """Remove a folder of ``top`` after moving the folders in it to ``top``; return their number."""
    fd = _open_to_empty(top, name, owner)
    if fd is None:  # exchanged meanwhile for a file or a link
        os.unlink(name, dir_fd=top)
        return 0
    moved = 0
    try:
        for inner in _empty(fd):
            # A folder that moves to another parent must be writable itself.
            within = _open_to_empty(fd, inner, owner)
            if within is not None:
                os.close(within)
            _move(fd, inner, top, numbers)
            moved += 1
    finally:
        os.close(fd)
    os.rmdir(name, dir_fd=top)
    return moved


def _move(fd: int, name: str, top: int, numbers: Iterator[int]) -> None:
    """Move a folder to ``top``, under the next number that is not taken."""
    for number in numbers:
        try:
            os.rename(name, str(number), src_dir_fd=fd, dst_dir_fd=top)
        except OSError as error:
            if error.errno not in _TAKEN:
                raise
        else:
            return


@contextmanager
def hold(path: Path) -> Iterator[HeldFolder]:
    """Hold the folder of a path that the user of this program named.

    Links in the path are followed if they are the user's own, or root's, or if they belong to the owner of
    the folder that they lead to: an account must not choose by a link which folder of another one is read.
    Raises UnsafeFileError for other links, and OSError.
    """
    fd, _ = _open_named(path, _LIST)
    with HeldFolder(fd, path, os.fstat(fd).st_uid) as folder:
        yield folder


def copy_named(path: Path, target: Path, most: int) -> None:
    """Copy a file that the user of this program named to a new private file, within a bound.

    Links are followed as by ``hold``. A file with several names must belong to the owner of its folder, and
    not everybody may write to that. Raises UnsafeFileError, and OSError, whose file name is that of the
    target if writing fails.
    """
    fd, folder_info = _open_named(path, os.O_RDONLY)
    with os.fdopen(fd, "rb", buffering=0) as source, hold(target.parent) as folder:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise UnsafeFileError(f"{path} is not a regular file")
        if info.st_nlink > 1 and info.st_uid != folder_info.st_uid:
            raise UnsafeFileError(
                f"{path} is a second name of a file of {account_name(info.st_uid)}; name that file itself"
            )
        if info.st_nlink > 1 and folder_info.st_mode & stat.S_IWOTH:
            raise UnsafeFileError(f"{path} is a second name of a file, {_LINKED_BY_ANYONE}")
        try:
            complete = _copy(source, folder, target.name, most, 0o600)
        except OSError as error:
            error.filename = str(target)
            raise
    if not complete:
        raise UnsafeFileError(f"{path} is larger than {most >> 20:,} MiB; make it smaller")


def remove_tree(path: Path) -> None:
    """Remove a tree as ``HeldFolder.remove`` does. Raises OSError."""
    fd, _ = _open_named(path.parent, _HANDLE)
    with HeldFolder(fd, path.parent) as folder:
        folder.remove(path.name)


def _open_named(path: Path, flags: int) -> tuple[int, os.stat_result]:
    """Open a path that the user named; return it and what is known of the folder that it is in."""
    parent, name = _follow(path)
    try:
        return os.open(name, _guarded(flags), dir_fd=parent), os.fstat(parent)
    except OSError as error:
        error.filename = str(path)
        raise
    finally:
        os.close(parent)


def _follow(path: Path) -> tuple[int, str]:
    """A handle of the last folder of a path, and the name in it, which was not that of a link.

    Raises UnsafeFileError for links of others that ``hold`` does not follow, and OSError.
    """
    pending = list(reversed(path.parts[path.is_absolute() :] or ["."]))
    fd = os.open("/" if path.is_absolute() else ".", _HANDLE | os.O_CLOEXEC)
    owners_of_links: list[int] = []
    try:
        while True:
            name = pending.pop()
            info = os.stat(name, dir_fd=fd, follow_symlinks=False)
            opened = None
            if stat.S_ISLNK(info.st_mode):
                owners_of_links.append(info.st_uid)
                target = Path(os.readlink(name, dir_fd=fd))
                pending += reversed(target.parts[target.is_absolute() :] or ["."])
                if target.is_absolute():
                    opened = os.open("/", _HANDLE | os.O_CLOEXEC)
            elif pending:
                opened = os.open(name, _guarded(_HANDLE), dir_fd=fd)
            if opened is not None:
                os.close(fd)
                fd = opened
            _check_links(path, owners_of_links, info.st_uid, done=not pending)
            if not pending:
                return fd, name
    except BaseException as error:
        os.close(fd)
        if isinstance(error, OSError):
            error.filename = str(path)
        raise


def _check_links(path: Path, owners: list[int], owner: int, *, done: bool) -> None:
    """Raise OSError for too many links, and UnsafeFileError for those of strangers to the last owner."""
    if len(owners) > _MAX_LINKS:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if done and (strangers := set(owners) - {0, os.geteuid(), owner}):
        raise UnsafeFileError(
            f"{path} leads over a link of {account_name(min(strangers))} to files of {account_name(owner)};"
            " name the place itself"
        )
