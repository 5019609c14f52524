"""A bot's files: copied, hashed, listed under a content digest, and compared with their list.

A submitted folder is hostile input: nothing here follows a link or opens anything but a regular file. The
content digest is the SHA-256 of the RFC 8785 form of the sorted list of ``[path, executable, SHA-256]``. A
store keeps that form as ``files.json`` beside the files, so that a damaged file can be named.
"""

import fcntl
import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import rfc8785

from tourney.bots.catalogue.tree import BUILT, SUBMITTED, Bounds, SourceFile, folders_of, remove_tree, walk
from tourney.errors import BotError
from tourney.parsing import parse_json
from tourney.schema import read

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, order=True)
class FileEntry:
    """A file in a bot's list: its path with ``/``, its executable bit, and its SHA-256 in hex."""

    path: str
    executable: bool
    sha256: str


@contextmanager
def naming(bot: object) -> Iterator[None]:
    """Give a BotError that names no bot this one's name or path."""
    try:
        yield
    except BotError as error:
        error.bot = error.bot or str(bot)
        raise


def copy_file(
    found: SourceFile, target: Path | None, allowance: int, bounds: Bounds = SUBMITTED
) -> tuple[FileEntry, int]:
    """Hash a file and, unless ``target`` is None, copy it there, in one pass; return its entry and size.

    Raises BotError if it is larger than ``allowance``, what is left of the ``bounds``, or turns out not to be
    a regular file. The copy is on disk on return if the bounds are those of a submission: a build can be made
    again.
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
            raise BotError(f"{found.path} is not a regular file; remove it")
        if target is not None:
            out = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        size = 0
        sha = hashlib.sha256()
        while chunk := os.read(source, _CHUNK):
            size += len(chunk)
            if size > allowance:
                raise BotError(bounds.too_large)
            sha.update(chunk)
            if out >= 0:
                _write_all(out, chunk)
        executable = bool(mode & stat.S_IXUSR)
        if out >= 0:
            os.fchmod(out, 0o555 if executable else 0o444)
            if bounds is SUBMITTED:
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


def copy_tree(found: Iterable[SourceFile], target: Path, bounds: Bounds = SUBMITTED) -> tuple[FileEntry, ...]:
    """Copy files into a new folder, read-only, and return their entries, sorted.

    Everything is found before anything is written. The folders stay writable until ``make_read_only``. Raises
    BotError for what may not be in the tree, and if the files are too large together.
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
    found = walk(folder, whole=True, links=links, bounds=bounds)
    return tuple(sorted(copy_file(file, None, bounds.bytes, bounds)[0] for file in found))


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
def locked(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold the lock of a file, which is made if needed. Raises BlockingIOError if it may not ``wait``."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
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


def encode_files(files: Iterable[FileEntry]) -> bytes:
    """The RFC 8785 form of a list of files, sorted by path (by code point)."""
    return rfc8785.dumps([[file.path, file.executable, file.sha256] for file in sorted(files)])


def decode_files(data: bytes) -> tuple[FileEntry, ...]:
    """The files that ``encode_files`` encoded. Raises BotError for anything else."""
    try:
        found = read(parse_json(data), list[tuple[str, bool, str]])
        files = tuple(FileEntry(path, executable, sha256) for path, executable, sha256 in found)
        if encode_files(files) == data:
            return files
    except ValueError as error:
        raise BotError("files.json is damaged: it is not a list of files") from error
    raise BotError("files.json is damaged: it is not in RFC 8785 form")


def content_digest(files: Iterable[FileEntry]) -> str:
    """The digest of a bot that consists of these files, 64 hex digits."""
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
    """The files that ``files.json`` lists. Raises BotError if it is damaged or missing."""
    try:
        data = (folder / "files.json").read_bytes()
    except OSError as error:
        raise BotError(f"files.json cannot be read: {error.strerror}") from error
    return decode_files(data)


def find_difference(
    listed: tuple[FileEntry, ...], folder: Path, *, links: bool = False, bounds: Bounds = SUBMITTED
) -> str:
    """Difference between the files below a folder and their list, or ""."""
    try:
        present = {file.path: file for file in hash_tree(folder, links=links, bounds=bounds)}
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


def kept_damage(folder: Path) -> str:
    """What differs between a folder of ``kept_files`` and its list of files, or ""."""
    try:
        return find_difference(read_file_manifest(folder), folder / "files", links=True, bounds=BUILT)
    except BotError as error:
        return str(error)


def kept_files(place: Path, new: Path, make: Callable[[Path], None]) -> Path:
    """The folder ``files`` of ``place``; made again if that is missing or damaged.

    ``make`` fills the empty folder ``new`` with ``files`` and their list. The caller holds a lock. A crash
    leaves ``new`` behind and never a part of ``place``. Raises what ``make`` raises, and OSError.
    """
    if place.exists():
        if not kept_damage(place):
            return place / "files"
        remove_tree(place)
    if new.exists():
        remove_tree(new)
    new.mkdir()
    try:
        make(new)
        new.rename(place)
        place.chmod(0o555)
        sync_folder(place.parent)
    finally:
        if new.exists():
            remove_tree(new)
    return place / "files"
