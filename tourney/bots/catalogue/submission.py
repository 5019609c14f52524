"""Copies a submitted bot - an executable file, a folder or an archive - and checks it."""

import errno
import gzip
import os
import stat
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO, BinaryIO, Final, NamedTuple

from tourney.bots.catalogue.manifest import (
    FILE_NAME,
    MAX_TEXT,
    MODULE_SUFFIX,
    Manifest,
    manifest_from_name,
    read_manifest,
)
from tourney.bots.catalogue.tree import (
    MAX_PATH,
    SUBMITTED,
    FileEntry,
    SourceFile,
    check_path,
    content_digest,
    copy_file,
    copy_tree,
    make_folders,
    naming,
    walk,
)
from tourney.errors import BotError, UnsafeFileError
from tourney.held_folder import HeldFolder, copy_named, hold

_STORES_FAULT = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO})
"""Errors of the machine, not of the bot: from writing, which names no file, or from a broken device."""


def copy_submission(source: Path, target: Path, scratch: Path) -> tuple[Manifest, tuple[FileEntry, ...]]:
    """Copy a submitted bot into the new folder ``target``, and return its manifest and files.

    ``scratch`` is an empty folder for an archive. Raises BotError, with the path, if it is not a bot or holds
    what a bot may not hold.
    """
    try:
        mode = source.stat().st_mode
    except OSError as error:
        raise BotError(f"there is no bot {source}: {error.strerror}") from error
    with reading(source, target.parent):
        if stat.S_ISDIR(mode):
            with hold(source) as folder:
                return copy_folder(folder, target)
        if not stat.S_ISREG(mode):
            raise BotError("it is not a bot; a bot is an executable file, a folder, or a .zip or .tar.gz")
        # A private copy first: its owner could write to it while it is read in several places.
        copy = scratch / "named" / source.name
        copy.parent.mkdir()
        copy_named(source, copy, _MOST_UNPACKED)
        if source.suffix.lower() == ".zip" or tar_ending(source.name) is not None:
            unpack(copy, scratch / "unpacked")
            with hold(_bot_folder(scratch / "unpacked")) as folder:
                return copy_folder(folder, target)
        return _copy_program(copy, target, executable=bool(mode & stat.S_IXUSR))


@contextmanager
def reading(source: object, target: Path) -> Iterator[None]:
    """Turn what is wrong with a source that is copied below ``target`` into a BotError that names it.

    An OSError of the target, or of the machine, passes through.
    """
    try:
        with naming(source):
            yield
    except OSError as error:
        if error.errno in _STORES_FAULT or _is_below(error.filename, target):
            raise
        raise BotError(f"it cannot be read: {error}", source) from error


def _is_below(name: object, folder: Path) -> bool:
    return isinstance(name, (str, bytes)) and Path(os.fsdecode(name)).is_relative_to(folder)


def digest_of_folder(folder: Path) -> tuple[str, Manifest]:
    """The digest that a bot's folder would have in a store, and its manifest; nothing is copied."""
    with naming(folder), hold(folder) as held:
        manifest = _read_manifest(held)
        files = walk(held, manifest.build_output)
        return content_digest(copy_file(file, None, SUBMITTED.bytes)[0] for file in files), manifest


def digest_of_bot(source: Path) -> str:
    """The digest that a submitted bot would have in a store. Raises BotError."""
    with tempfile.TemporaryDirectory(prefix="tourney-") as folder:
        _, files = copy_submission(source, Path(folder) / "files", Path(folder))
    return content_digest(files)


def manifest_of(folder: Path, files: Sequence[FileEntry]) -> Manifest:
    """The manifest of a bot in a folder: ``bot.toml``, or one made from its only file's name."""
    if len(files) == 1 and files[0].path != FILE_NAME:
        return manifest_from_name(files[0].path, files[0].path)
    with hold(folder) as held:
        return _read_manifest(held)


def check_command(manifest: Manifest, files: Sequence[FileEntry], *, built: bool = False) -> None:
    """Raise BotError if the command's program is not among the bot's files, or not executable.

    A bot with a build is checked only once it is ``built``, because the build may make its program.
    """
    if manifest.build and not built:
        return
    held = {file.path: file for file in files}
    program, *words = manifest.command
    own: str | None
    if manifest.module is not None:
        if manifest.module not in held:
            raise BotError(f"the command's module {program} is not among the bot's files")
        own = None
    elif program == "python3":
        # A word after an option may be its value, so only a plain first word is known to be a file.
        own = words[0] if words and not words[0].startswith(("-", "/")) else None
    elif program in held:
        raise BotError(f"{program} in the command is looked up on PATH; write ./{program}")
    else:
        own = program if "/" in program and not program.startswith("/") else None
    if own is None:
        return
    file = held.get(os.path.normpath(own))
    if file is None:
        raise BotError(f"the command's program {own} is not among the bot's files")
    if own == program and not file.executable:
        raise BotError(f"the command's program {own} is not executable; run chmod +x on it")


def _copy_program(source: Path, target: Path, *, executable: bool) -> tuple[Manifest, tuple[FileEntry, ...]]:
    if not executable and source.suffix != MODULE_SUFFIX:
        raise BotError("it is not executable; run chmod +x if it is a program, or add a folder")
    check_path(source.name)
    with hold(source.parent) as folder:
        files = copy_tree([SourceFile(source.name, folder, executable=True)], target)
    return manifest_of(target, files), files


def copy_folder(
    folder: HeldFolder, target: Path, leave_out: Iterable[str] = ()
) -> tuple[Manifest, tuple[FileEntry, ...]]:
    """Copy the bot in a folder to the new folder ``target``; return its manifest and files.

    What ``build-output`` or ``leave_out`` names is left out. Raises BotError, UnsafeFileError and OSError.
    """
    manifest = _read_manifest(folder)
    files = copy_tree(walk(folder, (*manifest.build_output, *leave_out)), target)
    if all(file.path != FILE_NAME for file in files):
        raise BotError(f"build-output leaves out {FILE_NAME} itself")
    with hold(target) as copy:
        if _read_manifest(copy) != manifest:
            raise BotError(f"{FILE_NAME} changed while it was read; add the bot again")
    check_command(manifest, files)
    return manifest, files


def _bot_folder(folder: Path) -> Path:
    """The bot's folder in an unpacked archive: the top, or the only folder there."""
    within = [place for place in folder.iterdir() if place.name != "__MACOSX"]
    inner = len(within) == 1 and within[0].is_dir() and not (folder / FILE_NAME).exists()
    return within[0] if inner else folder


def _read_manifest(folder: HeldFolder) -> Manifest:
    try:
        data = folder.read(FILE_NAME, MAX_TEXT)
    except FileNotFoundError as error:
        raise BotError(f"there is no {FILE_NAME}; `tourney bots new NAME` writes a bot with one") from error
    except UnsafeFileError as error:
        raise BotError(str(error)) from error
    except OSError as error:
        raise BotError(f"{FILE_NAME} cannot be read: {error.strerror}") from error
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BotError(f"{FILE_NAME} is not UTF-8: {error.reason} at byte {error.start}") from error
    return read_manifest(text, FILE_NAME)


MAX_DIRECTORY: Final = 16 * 1024 * 1024  # bytes of a zip's central directory: room for 10,000 long names
ENDINGS: Final = (".tar", ".tar.gz", ".tgz")
_MOST_UNPACKED: Final = SUBMITTED.bytes + SUBMITTED.files * (2 * MAX_PATH + 2048)
"""Bytes that an archive within the bounds of a bot may unpack to, with its headers."""
_END = b"PK\x05\x06"
_END_SIZE = 22
_ZIP64_LOCATOR = b"PK\x06\x07"
_CHUNK = 1 << 20
_MALFORMED = (
    *(zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile, zlib.error, struct.error),
    *(EOFError, NotImplementedError, RecursionError, ValueError, OverflowError),
)
"""What the standard library raises for malformed archives; ValueError for names that are not UTF-8."""


class _PackedFile(NamedTuple):
    """An entry of an archive: its checked name, its type as of ``stat.S_IFMT``, and how to read it."""

    name: str
    kind: int
    executable: bool
    size: int
    read: Callable[[], IO[bytes] | None]


def tar_ending(name: str) -> str | None:
    """The ending of a tar archive's name, or None."""
    return next((ending for ending in ENDINGS if name.lower().endswith(ending)), None)


def unpack(archive: Path, target: Path) -> None:
    """Unpack a zip or tar archive into a new folder. Raises BotError, with the entry, for anything unsafe.

    Refused, before a file is written: absolute names, ``..``, backslashes, links, devices, sparse files,
    duplicate names, encryption, compression other than deflate, ZIP64, and more than the bounds of a bot.
    Files get 0755 or 0644 by their owner's executable bit; the archive's other attributes are ignored. A tar
    archive is decompressed beside ``target`` first.
    """
    kind = "zip" if tar_ending(archive.name) is None else "tar"
    try:
        with _zip_entries(archive) if kind == "zip" else _tar_entries(archive, target) as entries:
            files = _checked(entries)
            target.mkdir()
            made = {""}
            for file in files:
                make_folders(target, file.name.rpartition("/")[0], made)
                _write(file, target / file.name)
    except _MALFORMED as error:
        raise BotError(f"it is not a valid {kind} file: {error}; pack it again") from error
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        raise BotError(f"it is not a valid {kind} file: an offset is outside of it; pack it again") from error


def _checked(entries: Iterable[_PackedFile]) -> list[_PackedFile]:
    """The files of an archive. Raises BotError for any entry that a bot may not have."""
    total = 0
    files: dict[str, _PackedFile] = {}
    folders: set[str] = set()
    for number, entry in enumerate(entries):
        # The names of folders may recur, so the bounds of files and folders do not bound the entries.
        if number > 2 * SUBMITTED.files:
            raise BotError("it has more names than a bot may have")
        name = entry.name.rstrip("/")
        if entry.kind == stat.S_IFLNK:
            raise BotError(f"{name} is a link; replace it with a copy of its target")
        if entry.kind not in (stat.S_IFREG, stat.S_IFDIR):
            raise BotError(f"{name} is not a regular file; remove it")
        above = name
        if entry.kind == stat.S_IFREG:
            if name in files:
                raise BotError(f"it holds {name} twice")
            files[name] = entry
            above = name.rpartition("/")[0]
        while above and above not in folders:
            folders.add(above)
            above = above.rpartition("/")[0]
        total += entry.size
        SUBMITTED.check(len(files), len(folders), total)
    if both := files.keys() & folders:
        raise BotError(f"it holds {min(both)} both as a file and as a folder")
    return list(files.values())


def _check_name(name: str) -> None:
    parts = name.rstrip("/").split("/")
    if not name or name.startswith("/") or "\\" in name or any(part in ("", ".", "..") for part in parts):
        raise BotError(f"the name {name!r} is not a plain path inside the bot's folder; pack it again")
    check_path(name.rstrip("/"))


def _write(entry: _PackedFile, place: Path) -> None:
    left = entry.size
    mode = 0o755 if entry.executable else 0o644
    out = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    # The file comes first: it closes ``out`` also where the entry cannot be opened.
    with os.fdopen(out, "wb") as file, entry.read() or BytesIO() as packed:
        while chunk := packed.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                raise BotError(f"{entry.name} unpacks to more than it says")
            file.write(chunk)


@contextmanager
def _zip_entries(archive: Path) -> Iterator[Iterable[_PackedFile]]:
    _check_directory(archive)
    with zipfile.ZipFile(archive) as opened:
        yield (_zip_entry(opened, info) for info in opened.infolist())


def _check_directory(archive: Path) -> None:
    """Check the central directory's size before the standard library reads it into memory."""
    with archive.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        start = file.seek(max(0, size - _END_SIZE - 0xFFFF - len(_ZIP64_LOCATOR) - 16))
        tail = file.read(size - start)
    at = len(tail) - _END_SIZE
    if not (at >= 0 and tail[at:].startswith(_END) and tail.endswith(b"\0\0")):
        at = tail.rfind(_END)
    if at < 0 or at + _END_SIZE > len(tail):
        raise BotError("it is not a zip file")
    if tail[max(0, at - 20) : at].startswith(_ZIP64_LOCATOR):
        raise BotError("it is a ZIP64 file, which no bot needs; pack it as a plain zip, or add the folder")
    if int.from_bytes(tail[at + 12 : at + 16], "little") > MAX_DIRECTORY:
        raise BotError("it has more names than a bot may have")


def _zip_entry(opened: zipfile.ZipFile, info: zipfile.ZipInfo) -> _PackedFile:
    _check_name(info.filename)
    if info.flag_bits & 1:
        raise BotError(f"{info.filename} is encrypted; pack it without a password")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BotError(f"{info.filename} is not packed by deflate; pack it so")
    # Only an archive that was packed on Unix has modes.
    mode = info.external_attr >> 16 if info.create_system == 3 else 0
    kind = stat.S_IFMT(mode)
    if kind in (0, stat.S_IFREG, stat.S_IFDIR):
        kind = stat.S_IFDIR if info.is_dir() else stat.S_IFREG
    executable = bool(mode & stat.S_IXUSR)
    return _PackedFile(info.filename, kind, executable, info.file_size, partial(opened.open, info))


@contextmanager
def _tar_entries(archive: Path, target: Path) -> Iterator[Iterable[_PackedFile]]:
    """Decompress the archive within a bound, so that nothing can grow while it is read."""
    plain = target.with_name("plain.tar")
    try:
        opened = archive.open("rb") if archive.name.lower().endswith(".tar") else gzip.GzipFile(archive)
        with opened as packed, plain.open("wb") as out:
            while chunk := packed.read(_CHUNK):
                if out.tell() + len(chunk) > _MOST_UNPACKED:
                    raise BotError(
                        f"it unpacks to more than {SUBMITTED.bytes >> 20:,} MiB, the most for a bot"
                    )
                out.write(chunk)
        with plain.open("rb") as file:
            tar = tarfile.TarFile(fileobj=_Bounded(file), mode="r")  # type: ignore[arg-type]  # reads as a file
            yield (_tar_entry(tar, info) for info in iter(tar.next, None))
    finally:
        plain.unlink(missing_ok=True)


class _Bounded:
    """A file that is read in small pieces only: a header that claims to be longer is an attack."""

    def __init__(self, file: BinaryIO) -> None:
        self.seek, self.tell, self._read = file.seek, file.tell, file.read

    def read(self, size: int) -> bytes:
        if not 0 <= size <= 2 * _CHUNK:
            raise BotError("one of its headers is longer than a bot needs; pack it again")
        return self._read(size)


def _tar_entry(tar: tarfile.TarFile, info: tarfile.TarInfo) -> _PackedFile:
    name = info.name.removeprefix("./").rstrip("/")
    if info.isdir() and name in ("", "."):
        name = ""  # the bot's folder itself
    else:
        _check_name(name)
    if info.size < 0:  # the next entry would be one that was read before
        raise ValueError(f"the size of {name} is negative")
    link = info.issym() or info.islnk()
    regular = info.isreg() and not info.issparse()
    kind = stat.S_IFLNK if link else stat.S_IFDIR if info.isdir() else stat.S_IFREG if regular else 0
    return _PackedFile(name, kind, bool(info.mode & stat.S_IXUSR), info.size, partial(tar.extractfile, info))
