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
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Final

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
from tourney.errors import BotError

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
    try:
        with naming(source):
            if stat.S_ISDIR(mode):
                return _copy_folder(source, target)
            if not stat.S_ISREG(mode):
                raise BotError("it is not a bot; a bot is an executable file, a folder, or a .zip or .tar.gz")
            if source.suffix.lower() == ".zip":
                unpack(source, scratch / "zip")
                return _copy_folder(_bot_folder(scratch / "zip"), target)
            if tar_ending(source.name) is not None:
                unpack_tar(source, scratch / "tar", scratch)
                return _copy_folder(_bot_folder(scratch / "tar"), target)
            return _copy_program(source, target, executable=bool(mode & stat.S_IXUSR))
    except OSError as error:
        if error.errno in _STORES_FAULT or _is_below(error.filename, target.parent):
            raise
        raise BotError(f"it cannot be read: {error}", source) from error


def _is_below(name: object, folder: Path) -> bool:
    return isinstance(name, (str, bytes)) and Path(os.fsdecode(name)).is_relative_to(folder)


def digest_of_folder(folder: Path) -> tuple[str, Manifest]:
    """The digest that a bot's folder would have in a store, and its manifest; nothing is copied."""
    with naming(folder):
        manifest = _read_manifest(folder)
        found = walk(folder, manifest.build_output)
        return content_digest(copy_file(file, None, SUBMITTED.bytes)[0] for file in found), manifest


def digest_of_bot(source: Path) -> str:
    """The digest that a submitted bot would have in a store. Raises BotError."""
    with tempfile.TemporaryDirectory(prefix="tourney-") as folder:
        _, files = copy_submission(source, Path(folder) / "files", Path(folder))
    return content_digest(files)


def manifest_of(folder: Path, files: Sequence[FileEntry]) -> Manifest:
    """The manifest of a bot in a folder: ``bot.toml``, or one made from its only file's name."""
    if len(files) == 1 and files[0].path != FILE_NAME:
        return manifest_from_name(files[0].path, files[0].path)
    return _read_manifest(folder)


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
    name = source.name
    check_path(name)
    # A link on the command line stands for its target; links inside a folder are refused.
    files = copy_tree([SourceFile(name, source.resolve(), executable=True)], target)
    return manifest_of(target, files), files


def _copy_folder(folder: Path, target: Path) -> tuple[Manifest, tuple[FileEntry, ...]]:
    manifest = _read_manifest(folder)
    files = copy_tree(walk(folder, manifest.build_output), target)
    if all(file.path != FILE_NAME for file in files):
        raise BotError(f"build-output leaves out {FILE_NAME} itself")
    if _read_manifest(target) != manifest:
        raise BotError(f"{FILE_NAME} changed while it was read; add the bot again")
    check_command(manifest, files)
    return manifest, files


def _bot_folder(folder: Path) -> Path:
    """The bot's folder in an unpacked archive: the top, or the only folder there."""
    within = [place for place in folder.iterdir() if place.name != "__MACOSX"]
    inner = len(within) == 1 and within[0].is_dir() and not (folder / FILE_NAME).exists()
    return within[0] if inner else folder


def _read_manifest(folder: Path) -> Manifest:
    try:
        fd = os.open(folder / FILE_NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError as error:
        raise BotError(f"there is no {FILE_NAME}; `tourney bots new NAME` writes a bot with one") from error
    except OSError as error:
        raise BotError(f"{FILE_NAME} cannot be read: {error.strerror}") from error
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise BotError(f"{FILE_NAME} is not a regular file")
        data = file.read(MAX_TEXT + 1)
    if len(data) > MAX_TEXT:
        raise BotError(f"{FILE_NAME} is longer than {MAX_TEXT >> 10} KiB; shorten it")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BotError(f"{FILE_NAME} is not UTF-8: {error.reason} at byte {error.start}") from error
    return read_manifest(text, FILE_NAME)


MAX_DIRECTORY = 16 * 1024 * 1024  # bytes of a zip's central directory: room for 10,000 long names

_END = b"PK\x05\x06"
_END_SIZE = 22
_ZIP64_LOCATOR = b"PK\x06\x07"
_CHUNK = 1 << 20
_MALFORMED = (
    *(zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile, zlib.error, struct.error),
    *(EOFError, NotImplementedError, RecursionError, ValueError, OverflowError),
)
"""What the standard library raises for malformed archives; ValueError for names that are not UTF-8."""


def unpack(archive: Path, target: Path) -> None:
    """Unpack an archive into a new folder. Raises BotError, with the entry, for anything unsafe.

    Refused: absolute names, ``..``, backslashes, links and devices, duplicate names, encryption, compression
    other than deflate, ZIP64, and more than the bounds of a bot. Files get 0755 or 0644 by their
    owner's executable bit; the archive's other attributes are ignored.
    """
    _check_directory(archive)
    try:
        with zipfile.ZipFile(archive) as opened:
            infos = _checked(opened.infolist())
            target.mkdir()
            made = {""}
            for info in infos:
                make_folders(target, info.filename.rpartition("/")[0], made)
                _write(opened, info, target / info.filename)
    except _MALFORMED as error:
        raise BotError(f"it is not a valid zip file: {error}; pack it again") from error
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        raise BotError("it is not a valid zip file: an offset is outside of it; pack it again") from error


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


def _checked(infos: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """The files of an archive. Raises BotError for any entry that a bot may not have."""
    total = 0
    files: dict[str, zipfile.ZipInfo] = {}
    folders: set[str] = set()  # those with a file somewhere below; the others are not made
    named: set[str] = set()
    for info in infos:
        _check_name(info.filename)
        kind = stat.S_IFMT(_mode(info))
        if kind == stat.S_IFLNK:
            raise BotError(f"{info.filename} is a link; replace it with a copy of its target")
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise BotError(f"{info.filename} is not a regular file; remove it")
        if info.is_dir():
            named.add(info.filename.rstrip("/"))
            continue
        if info.filename in files:
            raise BotError(f"it holds {info.filename} twice")
        if info.flag_bits & 1:
            raise BotError(f"{info.filename} is encrypted; pack it without a password")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BotError(f"{info.filename} is not packed by deflate; pack it so")
        files[info.filename] = info
        above = info.filename.rpartition("/")[0]
        while above and above not in folders:
            folders.add(above)
            above = above.rpartition("/")[0]
        total += info.file_size
        SUBMITTED.check(len(files), len(folders), total)
    for name in files:
        if name in folders or name in named:
            raise BotError(f"it holds {name} both as a file and as a folder")
    return list(files.values())


def _mode(info: zipfile.ZipInfo) -> int:
    """An entry's file mode, or 0 if it was not packed on Unix."""
    return info.external_attr >> 16 if info.create_system == 3 else 0


def _check_name(name: str) -> None:
    parts = name.rstrip("/").split("/")
    if not name or name.startswith("/") or "\\" in name or any(part in ("", ".", "..") for part in parts):
        raise BotError(f"the name {name!r} is not a plain path inside the bot's folder; pack it again")
    check_path(name.rstrip("/"))


def _write(opened: zipfile.ZipFile, info: zipfile.ZipInfo, place: Path) -> None:
    left = info.file_size
    mode = 0o755 if _mode(info) & stat.S_IXUSR else 0o644
    out = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    # The file comes first: it closes ``out`` also where the entry cannot be opened.
    with os.fdopen(out, "wb") as file, opened.open(info) as packed:
        while chunk := packed.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                raise BotError(f"{info.filename} unpacks to more than it says")
            file.write(chunk)


ENDINGS: Final = (".tar", ".tar.gz", ".tgz")
_MOST_UNPACKED: Final = SUBMITTED.bytes + SUBMITTED.files * (2 * MAX_PATH + 2048)
"""Bytes that an archive within the bounds of a bot may unpack to, with its headers."""


def tar_ending(name: str) -> str | None:
    """The ending of a tar archive's name, or None."""
    return next((ending for ending in ENDINGS if name.lower().endswith(ending)), None)


def unpack_tar(archive: Path, target: Path, scratch: Path) -> None:
    """Unpack a tar archive into a new folder. Raises BotError, with the entry, for anything unsafe.

    Refused: absolute names, ``..``, links, devices, FIFOs, sparse files, duplicate names, and more than the
    bounds of a bot. It is decompressed into ``scratch`` first, within a bound, so that nothing can grow
    while it is read.
    """
    plain = scratch / "plain.tar"
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
            _extract(tarfile.TarFile(fileobj=_Bounded(file), mode="r"), target)  # type: ignore[arg-type]  # reads as a file
    except _MALFORMED as error:
        raise BotError(f"it is not a valid tar file: {error}; pack it again") from error
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


def _extract(opened: tarfile.TarFile, target: Path) -> None:
    target.mkdir()
    made, seen, size = {""}, set[str](), 0
    while (info := opened.next()) is not None:
        name = info.name.removeprefix("./").rstrip("/")
        if info.isdir() and name in ("", "."):
            continue
        _check_name(name)
        if info.issym() or info.islnk():
            raise BotError(f"{name} is a link; replace it with a copy of its target")
        if not (info.isdir() or (info.isreg() and not info.issparse())):
            raise BotError(f"{name} is not a regular file; remove it")
        if name in seen:
            raise BotError(f"it holds {name} twice")
        seen.add(name)
        size += info.size
        SUBMITTED.check(len(seen), len(made), size)
        try:
            make_folders(target, name if info.isdir() else name.rpartition("/")[0], made)
            if not info.isdir():
                _write_member(opened, info, target / name)
        except FileExistsError:
            raise BotError(f"it holds {name} both as a file and as a folder") from None


def _write_member(opened: tarfile.TarFile, info: tarfile.TarInfo, place: Path) -> None:
    mode = 0o755 if info.mode & 0o100 else 0o644
    out = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    with os.fdopen(out, "wb") as file:
        source = opened.extractfile(info)
        while source is not None and (chunk := source.read(_CHUNK)):
            file.write(chunk)
