"""Trees of a bot's files: walked, copied, hashed, and compared with their list.

A tree is hostile input, and its owner may change it meanwhile. It is read through a folder that is held open
(``tourney.held_folder``). Nothing recurses, because a tree may be deeper than any stack and any path. The
content digest is the SHA-256 of the RFC 8785 form of the sorted list of ``[path, executable, SHA-256]``. A
store keeps that form as ``files.json`` beside the files, so that a damaged file can be named.
"""

import fcntl
import hashlib
import os
import posixpath
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, NamedTuple

import rfc8785

from tourney.errors import BotError, UnsafeFileError
from tourney.files import sync_folder
from tourney.held_folder import FolderEntry, HeldFolder, hold
from tourney.parsing import parse_json
from tourney.schema import read

LEFT_OUT: Final = frozenset(
    {".git", "__pycache__", "__macosx", ".ds_store", "thumbs.db", "desktop.ini", "icon\r"}
)
"""Names in small letters, of git, Python and file managers, that are never a part of a bot."""
MAX_PATH: Final = 1_024  # bytes that a path below a bot's folder may have; so a folder is at most 512 deep
_MAX_SCANNED: Final = 1_000_000  # entries of one folder that are looked at, with those that are left out
_MAX_LINKS: Final = 8  # links that lead to a file one after the other
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Bounds:
    """The most files, as many folders again, and bytes that a tree may hold; ``whose`` is for errors."""

    files: int
    bytes: int
    whose: str

    def check(self, files: int, folders: int, size: int) -> None:
        """Raise BotError for a tree that holds more."""
        for number, what in ((files, "files"), (folders, "folders")):
            if number > self.files:
                raise BotError(f"it holds more than {self.files:,} {what}, the most for {self.whose}")
        if size > self.bytes:
            raise BotError(f"its files hold more than {self.bytes >> 20:,} MiB, the most for {self.whose}")


SUBMITTED: Final = Bounds(10_000, 512 * 1024 * 1024, "a bot")  # a bot as submitted
BUILT: Final = Bounds(20_000, 2 * 1024**3, "a build")  # a bot with the files that its build made


class SourceFile(NamedTuple):
    """A file below a held folder: its path, its executable bit, and its target if it is a link.

    ``place`` is where its content lies, "" for the path itself: a link within a bot stands for a copy.
    """

    path: str
    folder: HeldFolder
    executable: bool
    link: str | None = None
    place: str = ""


class FileEntry(NamedTuple):
    """A file in a bot's list: its path with ``/``, its executable bit, and its SHA-256 in hex."""

    path: str
    executable: bool
    sha256: str


@contextmanager
def naming(bot: object) -> Iterator[None]:
    """Give a BotError that names no bot this one's name or path, also for a file that is not safe to read."""
    try:
        yield
    except UnsafeFileError as error:
        raise BotError(str(error), bot) from error
    except BotError as error:
        error.bot = error.bot or str(bot)
        raise


@contextmanager
def _bot_errors() -> Iterator[None]:
    try:
        yield
    except UnsafeFileError as error:
        raise BotError(str(error)) from error


def check_path(path: str) -> None:
    """Raise BotError for a path that no bot may hold: not UTF-8, control characters, too long."""
    shown = path.encode("utf-8", "backslashreplace").decode("utf-8")
    if not path.isprintable():
        raise BotError(f"the file name {shown[-200:]!r} has unprintable characters; rename it")
    if len(path.encode("utf-8")) > MAX_PATH:
        raise BotError(f"the path {shown[:60]}... is longer than {MAX_PATH:,} bytes; shorten it")


def is_litter(name: str) -> bool:
    """Whether a file or folder of this name is never a part of a bot (``._NAME`` is macOS's)."""
    return name.lower() in LEFT_OUT or name.startswith("._")


def walk(
    folder: HeldFolder,
    leave_out: Iterable[str] = (),
    *,
    whole: bool = False,
    links: bool = False,
    bounds: Bounds = SUBMITTED,
) -> Iterator[SourceFile]:
    """Yield a folder's files, sorted within each folder, without following links.

    Litter is left out unless ``whole``; so is what matches a pattern of ``leave_out`` (a glob over the path
    below the folder, whose ``*`` crosses ``/``; one that ends in ``/`` names a folder). A link counts as a
    copy of its target, which must lie in the folder; if ``whole``, links are refused, unless ``links``, which
    yields them as they are. Raises BotError for these, for a device, a bad name, a file or folder that its
    owner may not read, and for more than the ``bounds``.
    """
    patterns = tuple(leave_out)
    files = folders = size = 0
    pending = [("", "")]
    while pending:
        prefix, real = pending.pop()
        inner = []
        for entry in _entries(folder, real):
            if is_litter(entry.name) and not whole:
                continue
            path = prefix + entry.name
            place = real + entry.name
            info = entry.info
            if stat.S_ISLNK(info.st_mode) and not whole and not links:
                place, info = _target_of(folder, path, place)
            is_folder = stat.S_ISDIR(info.st_mode)
            name = path + "/" if is_folder else path
            if any(fnmatchcase(name, pattern) for pattern in patterns):
                continue
            check_path(path)
            _check_readable(path, info.st_mode)
            if is_folder:
                folders += 1
                inner.append((name, place + "/"))
            else:
                files += 1
                size += info.st_size
            bounds.check(files, folders, size)
            if not is_folder:
                source = _source_file(path, folder, info.st_mode, links=links)
                yield source if place == path else source._replace(place=place)
        # The next folder is taken from the end; so folders come in the order of their names.
        pending.extend(reversed(inner))


def _target_of(folder: HeldFolder, path: str, place: str) -> tuple[str, os.stat_result]:
    """What a link leads to, by its path below the folder. Raises BotError unless it lies in there.

    The path is computed from the link's text, and what lies there is opened without following links: so a
    link that is exchanged meanwhile leads out of the folder no more than this one.
    """
    start = place
    for _ in range(_MAX_LINKS):
        above = posixpath.dirname(place)
        with _bot_errors():
            target = folder.read_link(place)
        place = posixpath.normpath(posixpath.join(above, target))
        if target.startswith("/") or place.split("/")[0] == "..":
            raise BotError(
                f"{path} is a link that leads out of the bot; replace it with a copy of its target"
            )
        if f"{start}/".startswith(f"{place}/") or place == ".":
            raise BotError(f"{path} is a link to itself or to a folder that it lies in; remove it")
        try:
            with _bot_errors():
                info = folder.info(place)
        except FileNotFoundError as error:
            raise BotError(f"{path} is a link to {place}, which is not there; remove it") from error
        if not stat.S_ISLNK(info.st_mode):
            return place, info
    raise BotError(f"{path} is a link that leads to itself; remove it")


def _entries(folder: HeldFolder, prefix: str) -> list[FolderEntry]:
    with _bot_errors():
        entries = folder.entries(prefix.rstrip("/"), _MAX_SCANNED + 1)
    if len(entries) > _MAX_SCANNED:
        raise BotError(f"a folder of it has more than {_MAX_SCANNED:,} entries; remove other files")
    return entries


def _check_readable(path: str, mode: int) -> None:
    """Raise BotError for what the owner may not read: root may, so the result would depend on the user."""
    needed = stat.S_IRUSR | stat.S_IXUSR if stat.S_ISDIR(mode) else stat.S_IRUSR
    if not stat.S_ISLNK(mode) and mode & needed != needed:
        raise BotError(f"{path} has permissions {stat.S_IMODE(mode):03o}; let its owner read it")


def _source_file(path: str, folder: HeldFolder, mode: int, *, links: bool) -> SourceFile:
    if stat.S_ISLNK(mode):
        if not links:
            raise BotError(f"{path} is a link; replace it with a copy of its target")
        with _bot_errors():
            return SourceFile(path, folder, executable=False, link=folder.read_link(path))
    if not stat.S_ISREG(mode):
        raise BotError(f"{path} is not a regular file; remove it")
    return SourceFile(path, folder, executable=bool(mode & stat.S_IXUSR))


def excess(folder: HeldFolder, bounds: Bounds) -> str:
    """The bound that a tree that is being written exceeds now, in words, or "".

    It looks at no more entries than the bounds allow. Bytes are those on disk; files that go meanwhile, and
    folders that become something else, do not count.
    """
    entries = size = 0
    pending = [""]
    while pending:
        prefix = pending.pop()
        listed: list[FolderEntry] = []
        with suppress(OSError, UnsafeFileError):
            listed = folder.entries(prefix.rstrip("/"), bounds.files + 1)
        for entry in listed:
            entries += 1
            path = prefix + entry.name
            if entries > bounds.files:
                return f"it made more than {bounds.files:,} files and folders"
            size += entry.info.st_blocks * 512
            if size > bounds.bytes:
                return f"it wrote more than {bounds.bytes >> 20:,} MiB of files"
            if entry.is_folder:
                if len(os.fsencode(path)) > MAX_PATH:
                    return f"it made a path of more than {MAX_PATH:,} bytes"
                pending.append(path + "/")
    return ""


def folders_of(folder: Path) -> Iterator[Path]:
    """Yield a folder and all folders below it, each after those within it, without following links."""
    folders = [folder]
    for place in folders:  # it grows while it is walked
        with os.scandir(place) as scan:
            folders.extend(Path(entry.path) for entry in scan if entry.is_dir(follow_symlinks=False))
    yield from reversed(folders)


def copy_file(
    found: SourceFile, target: Path | None, left: int, bounds: Bounds = SUBMITTED
) -> tuple[FileEntry, int]:
    """Hash a file and, unless ``target`` is None, copy it there, in one pass; return its entry and size.

    Raises BotError if it is larger than what is ``left`` of the ``bounds``, or if its owner exchanged it for
    what is not safe to read. The copy is on disk on return if the bounds are those of a submission: a build
    can be made again.
    """
    if found.link is not None:
        text = b"link:" + os.fsencode(found.link)
        if target is not None:
            target.symlink_to(found.link)
        return FileEntry(found.path, executable=False, sha256=hashlib.sha256(text).hexdigest()), len(text)
    with _bot_errors():
        source = found.folder.open_file(found.place or found.path)
    with ExitStack() as stack:
        stack.callback(os.close, source)
        mode = os.fstat(source).st_mode
        out = None
        if target is not None:
            written = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            out = stack.enter_context(os.fdopen(written, "wb"))
        size = 0
        sha = hashlib.sha256()
        while chunk := os.read(source, _CHUNK):
            size += len(chunk)
            # The bytes of earlier files and of this one: its size may have grown since it was found.
            bounds.check(0, 0, bounds.bytes - left + size)
            sha.update(chunk)
            if out is not None:
                out.write(chunk)
        executable = bool(mode & stat.S_IXUSR)
        if out is not None:
            out.flush()
            os.fchmod(out.fileno(), 0o555 if executable else 0o444)
            if bounds is SUBMITTED:
                try:
                    os.fsync(out.fileno())
                except OSError as error:
                    error.filename = str(target)  # the store's fault, not that of the bot's file
                    raise
    return FileEntry(found.path, executable, sha.hexdigest()), size


def copy_tree(found: Iterable[SourceFile], target: Path, bounds: Bounds = SUBMITTED) -> tuple[FileEntry, ...]:
    """Copy files into a new folder, read-only, and return their entries, sorted.

    Everything is found before anything is written. The folders stay writable until ``write_file_manifest``.
    Raises BotError for what may not be in the tree, and if the files are too large together.
    """
    files = tuple(found)
    target.mkdir()
    entries = []
    made = {""}
    left = bounds.bytes
    for file in files:
        make_folders(target, file.path.rpartition("/")[0], made)
        entry, size = copy_file(file, target / file.path, left, bounds)
        entries.append(entry)
        left -= size
    return tuple(sorted(entries))


def make_folders(target: Path, path: str, made: set[str]) -> None:
    """Make a folder below ``target`` and those above it, but for those already ``made``."""
    missing = []
    while path not in made:
        missing.append(path)
        made.add(path)
        path = path.rpartition("/")[0]
    for folder in reversed(missing):
        (target / folder).mkdir()


def hash_tree(folder: Path, *, links: bool = False, bounds: Bounds = SUBMITTED) -> tuple[FileEntry, ...]:
    """The entries of all files below a folder, sorted; nothing is left out."""
    with hold(folder) as held:
        files = walk(held, whole=True, links=links, bounds=bounds)
        return tuple(sorted(copy_file(file, None, bounds.bytes, bounds)[0] for file in files))


@contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold the lock of a file, which is made if needed. Raises BlockingIOError if it may not ``wait``.

    An account that can open a file can hold its lock, so only the owner of this one can open it. An earlier
    version made it readable for everybody: such a file is replaced.
    """
    while True:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            info = os.fstat(fd)
            open_to_others = info.st_mode & 0o077 and info.st_uid == os.geteuid()
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if open_to_others and _held_by_a_stranger(info):
                    if _is_at(path, info):
                        path.unlink(missing_ok=True)
                    continue
                if not wait:
                    raise
                fcntl.flock(fd, fcntl.LOCK_EX)
            if not _is_at(path, info):
                continue  # it was replaced while this process waited for it
            if not open_to_others:
                yield
                return
            path.unlink(missing_ok=True)
        finally:
            os.close(fd)


def _is_at(path: Path, info: os.stat_result) -> bool:
    """Whether a path leads to this file now."""
    with suppress(FileNotFoundError):
        return os.path.samestat(info, path.lstat())
    return False


def _held_by_a_stranger(info: os.stat_result) -> bool:
    """Whether the lock of a file is held, and by no process of this account or of root."""
    file = f"{os.major(info.st_dev):02x}:{os.minor(info.st_dev):02x}:{info.st_ino}"
    locks = Path("/proc/locks")
    lines = [line.split() for line in locks.read_text("ascii").splitlines()] if locks.exists() else []
    holders = {words[4] for words in lines if file in words and "->" not in words}  # "->": it waits
    for holder in holders:
        if holder == "0":
            return False  # of another process namespace
        # The process that took it may have ended, and left the lock to a child.
        with suppress(OSError):
            if Path("/proc", holder).stat().st_uid in (0, os.geteuid()):
                return False
    return bool(holders)


def encode_files(files: Iterable[FileEntry]) -> bytes:
    """The RFC 8785 form of a list of files, sorted by path (by code point)."""
    return rfc8785.dumps([*sorted(files)])


def decode_files(data: bytes) -> tuple[FileEntry, ...]:
    """The files that ``encode_files`` encoded. Raises BotError for anything else."""
    try:
        files = read(parse_json(data), tuple[FileEntry, ...])
        if encode_files(files) == data:
            return files
    except ValueError as error:
        raise BotError("files.json is damaged: it is not a list of files") from error
    raise BotError("files.json is damaged: it is not in RFC 8785 form")


def content_digest(files: Iterable[FileEntry]) -> str:
    """The digest of a bot that consists of these files, 64 hex digits."""
    return hashlib.sha256(encode_files(files)).hexdigest()


def write_file_manifest(folder: Path, files: tuple[FileEntry, ...]) -> None:
    """Write ``files.json`` beside the tree ``files``, make both read-only, and sync their folders to disk.

    The folder itself stays writable.
    """
    with (folder / "files.json").open("wb") as file:
        file.write(encode_files(files))
        file.flush()
        os.fsync(file.fileno())
    for place in folders_of(folder):
        for entry in os.scandir(place):
            if entry.is_file(follow_symlinks=False):
                mode = entry.stat(follow_symlinks=False).st_mode
                Path(entry.path).chmod(0o555 if mode & stat.S_IXUSR else 0o444)
        place.chmod(0o555)
        sync_folder(place)
    folder.chmod(0o755)  # until it is renamed to its place


def read_file_manifest(folder: Path) -> tuple[FileEntry, ...]:
    """The files that ``files.json`` lists. Raises BotError if it is damaged or missing."""
    try:
        return decode_files((folder / "files.json").read_bytes())
    except OSError as error:
        raise BotError(f"files.json cannot be read: {error.strerror}") from error


def find_difference(
    listed: tuple[FileEntry, ...], folder: Path, *, links: bool = False, bounds: Bounds = SUBMITTED
) -> str:
    """Difference between the files below a folder and their list, or ""."""
    try:
        present = {file.path: file for file in hash_tree(folder, links=links, bounds=bounds)}
    except (OSError, BotError, UnsafeFileError) as error:
        return str(error)
    for file in listed:
        there = present.pop(file.path, None)
        if there is None:
            return f"{file.path} is missing"
        if there.sha256 != file.sha256:
            return f"the content of {file.path} has changed"
        if there.executable != file.executable:
            return f"the executable bit of {file.path} has changed"
    return next((f"{path} does not belong there" for path in present), "")
