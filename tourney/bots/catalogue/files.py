"""Folders of bots: walked in one order, copied and hashed in one go, made read-only, removed.

Nothing here follows a link, and nothing opens what is no regular file: a submitted folder is hostile input.
"""

import hashlib
import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator
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
    """One file of a bot: its path below the bot's folder (``/`` parts it), its x bit, its SHA-256 in hex."""

    path: str
    executable: bool
    sha256: str


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of a folder: its path below it, where it is, and its x bit; ``link`` holds a link's target."""

    path: str
    place: Path
    executable: bool
    link: str | None = None


def check_path(path: str, where: str) -> None:
    """Raise BotError for a path that no bot may hold: not UTF-8, control characters, too long."""
    shown = path.encode("utf-8", "backslashreplace").decode("utf-8")
    if not path.isprintable():
        raise BotError(f"{where}: the file name {shown!r} has characters that cannot be shown; rename it")
    if len(path.encode("utf-8")) > MAX_PATH:
        raise BotError(f"{where}: the path {shown[:60]}... is longer than {MAX_PATH} bytes")


def walk(
    folder: Path, leave_out: Iterable[str] = (), *, whole: bool = False, links: bool = False
) -> Iterator[SourceFile]:
    """Yield a folder's files, sorted within each folder, without following links.

    ``.git`` and ``__pycache__`` are left out unless ``whole``; so is what matches a pattern of ``leave_out``
    (a glob over the path below the folder, whose ``*`` crosses ``/``; one that ends in ``/`` names a folder).
    A link is refused unless ``links``. Raises BotError for a link, a device, a bad name, or too many files.
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
            if _matches(path + "/" if stat.S_ISDIR(mode) else path, patterns):
                continue
            check_path(path, str(folder))
            if stat.S_ISDIR(mode):
                folders.append((path + "/", Path(entry.path)))
                continue
            count += 1
            if count > MAX_FILES:
                raise BotError(f"{folder} holds more than {MAX_FILES:,} files, too many for a bot")
            yield _found(folder, path, Path(entry.path), mode, links=links)
        pending.extend(reversed(folders))


def _found(folder: Path, path: str, place: Path, mode: int, *, links: bool) -> SourceFile:
    if stat.S_ISLNK(mode):
        if not links:
            raise BotError(f"{folder}: {path} is a link; a bot holds its files themselves, so copy it there")
        return SourceFile(path, place, executable=False, link=str(place.readlink()))
    if not stat.S_ISREG(mode):
        raise BotError(f"{folder}: {path} is no regular file; take it out")
    return SourceFile(path, place, executable=bool(mode & stat.S_IXUSR))


def _matches(path: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in patterns)


def copy_file(found: SourceFile, target: Path | None, allowance: int) -> tuple[FileEntry, int]:
    """Hash a file and, unless ``target`` is None, copy it there, in one reading.

    Returns its entry and its size. Raises BotError where it is larger than ``allowance`` bytes or turns out
    to be no regular file.
    """
    if found.link is not None:
        text = b"link:" + os.fsencode(found.link)
        if target is not None:
            target.symlink_to(found.link)
        return FileEntry(found.path, executable=False, sha256=hashlib.sha256(text).hexdigest()), len(text)
    # O_NONBLOCK and O_NOFOLLOW: whoever owns the folder may swap the file for a pipe or a link meanwhile.
    source = os.open(found.place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    out = -1
    try:
        mode = os.fstat(source).st_mode
        if not stat.S_ISREG(mode):
            raise BotError(f"{found.place} is no regular file; take it out")
        if target is not None:
            out = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        size = 0
        sha = hashlib.sha256()
        while chunk := os.read(source, _CHUNK):
            size += len(chunk)
            if size > allowance:
                raise BotError(f"{found.place}: the bot's files hold more than {MAX_BYTES >> 20} MiB")
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

    The folders stay writable until ``make_read_only``. Raises BotError beyond the bounds on size.
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
    """Return the entries of all the files below a folder, sorted; nothing is left out."""
    return tuple(
        sorted(copy_file(file, None, MAX_BYTES)[0] for file in walk(folder, whole=True, links=links))
    )


def folders_of(folder: Path) -> Iterator[Path]:
    """Yield a folder and all folders below it, the deepest first, without following links."""
    for place, _, _ in os.walk(folder, topdown=False):
        yield Path(place)


def make_read_only(folder: Path) -> None:
    """Take the write bits off a tree and sync its folders to disk."""
    for place in folders_of(folder):
        for entry in os.scandir(place):
            if entry.is_file(follow_symlinks=False):
                mode = entry.stat(follow_symlinks=False).st_mode
                Path(entry.path).chmod(0o555 if mode & stat.S_IXUSR else 0o444)
        place.chmod(0o555)
        sync_folder(place)


def sync_folder(folder: Path) -> None:
    """Sync a folder's list of names to disk, so that a rename or a new file in it outlives a power cut."""
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


DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


def encode_files(files: Iterable[FileEntry]) -> bytes:
    """Return the RFC 8785 form of the list of files, sorted by path (by code point)."""
    return rfc8785.dumps([[file.path, file.executable, file.sha256] for file in sorted(files)])


def content_digest(files: Iterable[FileEntry]) -> str:
    """Return the digest of a bot that consists of these files, 64 hex digits."""
    return hashlib.sha256(encode_files(files)).hexdigest()


def decode_files(data: bytes, where: str) -> tuple[FileEntry, ...]:
    """Return the files that ``encode_files`` wrote down. Raises BotError that names ``where``."""
    try:
        rows = parse_json(data)
        files = tuple(FileEntry(path, executable, sha256) for path, executable, sha256 in rows)
    except (ValueError, TypeError) as error:
        raise BotError(f"{where} is damaged: it is no list of files") from error
    if encode_files(files) != data:
        raise BotError(f"{where} is damaged: it is not in the one form")
    return files


def write_file_manifest(folder: Path, files: tuple[FileEntry, ...]) -> None:
    """Write ``files.json`` beside a tree ``files`` and make both read-only; the folder stays writable."""
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
        raise BotError(f"the store entry {folder} is damaged: files.json: {error.strerror}") from error
    return decode_files(data, f"{folder / 'files.json'}")


def find_difference(listed: tuple[FileEntry, ...], folder: Path, *, links: bool = False) -> str:
    """Say how the files below a folder differ from their list; "" if they do not."""
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
