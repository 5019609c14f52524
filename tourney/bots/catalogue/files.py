"""A bot's files: found, copied, hashed, listed under a content digest, and compared with their list.

A submitted folder is hostile input: nothing here follows a link or opens anything but a regular file. The
content digest is the SHA-256 of the RFC 8785 form of the sorted list of ``[path, executable, SHA-256]``. A
store keeps that form as ``files.json`` beside the files, so that a damaged file can be named.
"""

import fcntl
import hashlib
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import rfc8785

from tourney.errors import BotError
from tourney.parsing import parse_json

LEFT_OUT = frozenset({".git", "__pycache__"})
"""Names that are never a part of a bot, at any depth."""

MAX_FILES = 10_000
MAX_BYTES = 512 * 1024 * 1024
MAX_PATH = 1_024
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, order=True)
class FileEntry:
    """A file in a bot's list: its path with ``/``, its executable bit, and its SHA-256 in hex."""

    path: str
    executable: bool
    sha256: str


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file on disk: its path in the bot, its place, its executable bit, and its target if it is a link."""

    path: str
    place: Path
    executable: bool
    link: str | None = None


@contextmanager
def naming(bot: object) -> Iterator[None]:
    """Give a BotError that names no bot this one's name or path."""
    try:
        yield
    except BotError as error:
        error.bot = error.bot or str(bot)
        raise


def check_path(path: str) -> None:
    """Raise BotError for a path that no bot may hold: not UTF-8, control characters, too long."""
    shown = path.encode("utf-8", "backslashreplace").decode("utf-8")
    if not path.isprintable():
        raise BotError(f"the file name {shown!r} has unprintable characters; rename it")
    if len(path.encode("utf-8")) > MAX_PATH:
        raise BotError(f"the path {shown[:60]}... is longer than {MAX_PATH} bytes; shorten it")


def walk(
    folder: Path, leave_out: Iterable[str] = (), *, whole: bool = False, links: bool = False
) -> Iterator[SourceFile]:
    """Yield a folder's files, sorted within each folder, without following links.

    ``.git`` and ``__pycache__`` are left out unless ``whole``; so is what matches a pattern of ``leave_out``
    (a glob over the path below the folder, whose ``*`` crosses ``/``; one that ends in ``/`` names a folder).
    Raises BotError for a link unless ``links``, and for a device, a bad name, or too many files.
    """
    patterns = tuple(leave_out)
    count = 0
    pending = [("", folder)]
    while pending:
        prefix, place = pending.pop()
        folders = []
        with os.scandir(place) as scan:
            entries = sorted(scan, key=lambda entry: entry.name)
        for entry in entries:
            if entry.name in LEFT_OUT and not whole:
                continue
            path = prefix + entry.name
            mode = entry.stat(follow_symlinks=False).st_mode
            name = path + "/" if stat.S_ISDIR(mode) else path
            if any(fnmatchcase(name, pattern) for pattern in patterns):
                continue
            check_path(path)
            if stat.S_ISDIR(mode):
                folders.append((name, Path(entry.path)))
                continue
            count += 1
            if count > MAX_FILES:
                raise BotError(f"it holds more than {MAX_FILES:,} files, the most for a bot")
            yield _source_file(path, Path(entry.path), mode, links=links)
        pending.extend(reversed(folders))


def _source_file(path: str, place: Path, mode: int, *, links: bool) -> SourceFile:
    if stat.S_ISLNK(mode):
        if not links:
            raise BotError(f"{path} is a link; replace it with a copy of its target")
        return SourceFile(path, place, executable=False, link=str(place.readlink()))
    if not stat.S_ISREG(mode):
        raise BotError(f"{path} is no regular file; remove it")
    return SourceFile(path, place, executable=bool(mode & stat.S_IXUSR))


def copy_file(found: SourceFile, target: Path | None, allowance: int) -> tuple[FileEntry, int]:
    """Hash a file and, unless ``target`` is None, copy it there, in one pass; return its entry and size.

    Raises BotError if it is larger than ``allowance`` bytes or turns out to be no regular file.
    """
    if found.link is not None:
        text = b"link:" + os.fsencode(found.link)
        if target is not None:
            target.symlink_to(found.link)
        return FileEntry(found.path, executable=False, sha256=hashlib.sha256(text).hexdigest()), len(text)
    # O_NONBLOCK and O_NOFOLLOW: the folder's owner may swap the file for a pipe or a link meanwhile.
    source = os.open(found.place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    out = -1
    try:
        mode = os.fstat(source).st_mode
        if not stat.S_ISREG(mode):
            raise BotError(f"{found.path} is no regular file; remove it")
        if target is not None:
            out = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        size = 0
        sha = hashlib.sha256()
        while chunk := os.read(source, _CHUNK):
            size += len(chunk)
            if size > allowance:
                raise BotError(f"its files hold more than {MAX_BYTES >> 20} MiB, the most for a bot")
            sha.update(chunk)
            if out >= 0:
                _write_all(out, chunk)
        executable = bool(mode & stat.S_IXUSR)
        if out >= 0:
            os.fchmod(out, 0o555 if executable else 0o444)
            os.fsync(out)
    finally:
        os.close(source)
        if out >= 0:
            os.close(out)
    return FileEntry(found.path, executable, sha.hexdigest()), size


def _write_all(out: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(out, view) :]


def copy_tree(found: Iterable[SourceFile], target: Path) -> tuple[FileEntry, ...]:
    """Copy files into a new folder, read-only and synced, and return their entries, sorted.

    The folders stay writable until ``make_read_only``. Raises BotError if the files are too large together.
    """
    target.mkdir()
    entries = []
    left = MAX_BYTES
    for file in found:
        place = target / file.path
        place.parent.mkdir(parents=True, exist_ok=True)
        entry, size = copy_file(file, place, left)
        entries.append(entry)
        left -= size
    return tuple(sorted(entries))


def hash_tree(folder: Path, *, links: bool = False) -> tuple[FileEntry, ...]:
    """Return the entries of all files below a folder, sorted; nothing is left out."""
    return tuple(
        sorted(copy_file(file, None, MAX_BYTES)[0] for file in walk(folder, whole=True, links=links))
    )


def folders_of(folder: Path) -> Iterator[Path]:
    """Yield a folder and all folders below it, the deepest first, without following links."""
    for place, _, _ in os.walk(folder, topdown=False):
        yield Path(place)


def make_read_only(folder: Path) -> None:
    """Clear the write bits of a tree and sync its folders to disk."""
    for place in folders_of(folder):
        for entry in os.scandir(place):
            if entry.is_file(follow_symlinks=False):
                mode = entry.stat(follow_symlinks=False).st_mode
                Path(entry.path).chmod(0o555 if mode & stat.S_IXUSR else 0o444)
        place.chmod(0o555)
        sync_folder(place)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file, which is made if needed; wait for it."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def sync_folder(folder: Path) -> None:
    """Sync a folder's entries to disk, so that a rename or a new file in it survives a power cut."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def remove_tree(folder: Path) -> None:
    """Remove a tree, read-only or not."""
    pending = [folder]
    while pending:
        place = pending.pop()
        place.chmod(0o700)
        with os.scandir(place) as scan:
            pending.extend(Path(entry.path) for entry in scan if entry.is_dir(follow_symlinks=False))
    shutil.rmtree(folder)


def encode_files(files: Iterable[FileEntry]) -> bytes:
    """Return the RFC 8785 form of a list of files, sorted by path (by code point)."""
    return rfc8785.dumps([[file.path, file.executable, file.sha256] for file in sorted(files)])


def decode_files(data: bytes) -> tuple[FileEntry, ...]:
    """Return the files that ``encode_files`` encoded. Raises BotError for anything else."""
    try:
        files = tuple(FileEntry(path, executable, sha256) for path, executable, sha256 in parse_json(data))
        if encode_files(files) == data:
            return files
    except (ValueError, TypeError) as error:
        raise BotError("files.json is damaged: it is no list of files") from error
    raise BotError("files.json is damaged: it is not in RFC 8785 form")


def content_digest(files: Iterable[FileEntry]) -> str:
    """Return the digest of a bot that consists of these files, 64 hex digits."""
    return hashlib.sha256(encode_files(files)).hexdigest()


def write_file_manifest(folder: Path, files: tuple[FileEntry, ...]) -> None:
    """Write ``files.json`` beside the tree ``files`` and make both read-only; the folder stays writable."""
    with (folder / "files.json").open("wb") as file:
        file.write(encode_files(files))
        file.flush()
        os.fsync(file.fileno())
    make_read_only(folder)
    folder.chmod(0o755)  # until it is renamed to its place


def read_file_manifest(folder: Path) -> tuple[FileEntry, ...]:
    """Return the files that ``files.json`` lists. Raises BotError if it is damaged or missing."""
    try:
        data = (folder / "files.json").read_bytes()
    except OSError as error:
        raise BotError(f"files.json cannot be read: {error.strerror}") from error
    return decode_files(data)


def find_difference(listed: tuple[FileEntry, ...], folder: Path, *, links: bool = False) -> str:
    """Return how the files below a folder differ from their list, or ""."""
    try:
        present = {file.path: file for file in hash_tree(folder, links=links)}
    except (OSError, BotError) as error:
        return str(error)
    for file in listed:
        there = present.pop(file.path, None)
        if there is None:
            return f"{file.path} is missing"
        if there.sha256 != file.sha256:
            return f"the content of {file.path} has changed"
        if there.executable != file.executable:
            return f"the executable bit of {file.path} has changed"
    for path in present:
        return f"{path} does not belong there"
    return ""
