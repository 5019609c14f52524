"""Unpacks a submitted .zip; every name, kind and size is checked before a byte is written."""

import errno
import os
import stat
import struct
import zipfile
import zlib
from pathlib import Path

from tourney.bots.catalogue.files import MAX_BYTES, MAX_FILES, check_path
from tourney.errors import BotError

MAX_DIRECTORY = 16 * 1024 * 1024
"""Bytes that a zip's central directory may have: room for 10,000 long names."""

_END = b"PK\x05\x06"
_END_SIZE = 22
_ZIP64_LOCATOR = b"PK\x06\x07"
_CHUNK = 1 << 20
_MALFORMED = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError),
    *(ValueError, OverflowError),
)
"""What the standard library raises for malformed archives; ValueError for names that are not UTF-8."""


def unpack(archive: Path, target: Path) -> None:
    """Unpack an archive into a new folder. Raises BotError, with the entry, for anything unsafe.

    Refused: absolute names, ``..``, backslashes, links and devices, duplicate names, encryption, compression
    other than deflate, ZIP64, more than 10,000 files or 512 MiB unpacked. Files get 0755 or 0644 by their
    owner's executable bit; the archive's other attributes are ignored.
    """
    _check_directory(archive)
    try:
        with zipfile.ZipFile(archive) as opened:
            infos = _checked(opened.infolist())
            target.mkdir()
            for info in infos:
                _write(opened, info, target / info.filename)
    except _MALFORMED as error:
        raise BotError(f"it is no valid zip file: {error}; pack it again") from error
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        raise BotError("it is no valid zip file: an offset lies outside the file; pack it again") from error


def _check_directory(archive: Path) -> None:
    """Check the central directory's size before the standard library reads it into memory."""
    with archive.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        start = file.seek(max(0, size - _END_SIZE - 0xFFFF - len(_ZIP64_LOCATOR) - 16))
        tail = file.read(size - start)
    plain = len(tail) - _END_SIZE
    if plain >= 0 and tail[plain:].startswith(_END) and tail.endswith(b"\0\0"):
        at = plain
    else:
        at = tail.rfind(_END)
    if at < 0 or at + _END_SIZE > len(tail):
        raise BotError("it is no zip file")
    if tail[max(0, at - 20) : at].startswith(_ZIP64_LOCATOR):
        raise BotError("it is a ZIP64 file, which no bot needs; pack it as a plain zip, or add the folder")
    if int.from_bytes(tail[at + 12 : at + 16], "little") > MAX_DIRECTORY:
        raise BotError("it has more names than a bot may have")


def _checked(infos: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """Return the files of an archive. Raises BotError for any entry that a bot may not have."""
    total = 0
    files: dict[str, zipfile.ZipInfo] = {}
    folders: set[str] = set()
    for info in infos:
        _check_name(info.filename)
        kind = stat.S_IFMT(_mode(info))
        if kind == stat.S_IFLNK:
            raise BotError(f"{info.filename} is a link; replace it with a copy of its target")
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise BotError(f"{info.filename} is no regular file; remove it")
        if info.is_dir():
            folders.add(info.filename.rstrip("/"))
            continue
        if info.filename in files:
            raise BotError(f"it holds {info.filename} twice")
        if info.flag_bits & 1:
            raise BotError(f"{info.filename} is encrypted; pack it without a password")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BotError(f"{info.filename} is not packed by deflate; pack it so")
        files[info.filename] = info
        parts = info.filename.split("/")[:-1]
        folders.update("/".join(parts[: k + 1]) for k in range(len(parts)))
        total += info.file_size
        if len(files) > MAX_FILES:
            raise BotError(f"it holds more than {MAX_FILES:,} files, the most for a bot")
        if total > MAX_BYTES:
            raise BotError(f"it unpacks to more than {MAX_BYTES >> 20} MiB, the most for a bot")
    for name in files:
        if name in folders:
            raise BotError(f"it holds {name} both as a file and as a folder")
    return list(files.values())


def _mode(info: zipfile.ZipInfo) -> int:
    """Return an entry's file mode, or 0 if it was not packed on Unix."""
    return info.external_attr >> 16 if info.create_system == 3 else 0


def _check_name(name: str) -> None:
    parts = name.rstrip("/").split("/")
    if not name or name.startswith("/") or "\\" in name or any(part in ("", ".", "..") for part in parts):
        raise BotError(f"the name {name!r} is no plain path inside the bot's folder; pack it again")
    check_path(name.rstrip("/"))


def _write(opened: zipfile.ZipFile, info: zipfile.ZipInfo, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    left = info.file_size
    mode = 0o755 if _mode(info) & stat.S_IXUSR else 0o644
    out = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    with opened.open(info) as packed, os.fdopen(out, "wb") as file:
        while chunk := packed.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                raise BotError(f"{info.filename} unpacks to more than it says")
            file.write(chunk)
