"""Unpack a submitted .zip: every name, kind and size is checked before a byte is written."""

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
_UNSOUND = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    ValueError,
    OverflowError,
)
"""What the standard library raises for malformed archives; ValueError for names that are no UTF-8."""


def unpack(archive: Path, target: Path) -> None:
    """Unpack an archive into a new folder. Raises BotError, naming the entry, for whatever is unsafe.

    Refused: absolute names, ``..``, backslashes, links and devices, names that come twice, encryption,
    compression other than deflate, ZIP64, more than 10,000 files or 512 MiB unpacked. Files get 0755 or
    0644 by their owner's x bit, and nothing else of what the archive says about them.
    """
    _check_directory(archive)
    try:
        with zipfile.ZipFile(archive) as opened:
            infos = _checked(opened.infolist(), archive)
            target.mkdir()
            for info, executable in infos:
                _write(opened, info, target / info.filename, archive, executable=executable)
    except _UNSOUND as error:
        raise BotError(f"{archive} is no sound zip file: {error}") from error
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        raise BotError(f"{archive} is no sound zip file: it points outside of itself") from error


def _check_directory(archive: Path) -> None:
    """Bound the central directory before it is read into memory as a whole."""
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
        raise BotError(f"{archive} is no zip file")
    if tail[max(0, at - 20) : at].startswith(_ZIP64_LOCATOR):
        raise BotError(
            f"{archive} is a ZIP64 file, which no bot needs; pack it as a plain zip, or add the folder"
        )
    if int.from_bytes(tail[at + 12 : at + 16], "little") > MAX_DIRECTORY:
        raise BotError(f"{archive} has more names than a bot may have")


def _checked(infos: list[zipfile.ZipInfo], archive: Path) -> list[tuple[zipfile.ZipInfo, bool]]:
    total = 0
    files: dict[str, bool] = {}
    folders: set[str] = set()
    kept = []
    for info in infos:
        _check_name(info, archive)
        mode = info.external_attr >> 16 if info.create_system == 3 else 0
        kind = stat.S_IFMT(mode)
        if kind == stat.S_IFLNK:
            raise BotError(f"{archive}: {info.filename} is a link; a bot holds its files themselves")
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise BotError(f"{archive}: {info.filename} is no regular file; take it out")
        if info.is_dir():
            folders.add(info.filename.rstrip("/"))
            continue
        if info.filename in files:
            raise BotError(f"{archive} holds {info.filename} twice")
        if info.flag_bits & 1:
            raise BotError(f"{archive}: {info.filename} is encrypted; pack it without a password")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BotError(f"{archive}: {info.filename} is not packed by deflate; pack it so")
        files[info.filename] = True
        folders.update(_parents(info.filename))
        total += info.file_size
        if len(files) > MAX_FILES:
            raise BotError(f"{archive} holds more than {MAX_FILES:,} files, too many for a bot")
        if total > MAX_BYTES:
            raise BotError(f"{archive} unpacks to more than {MAX_BYTES >> 20} MiB, too much for a bot")
        kept.append((info, bool(mode & stat.S_IXUSR)))
    for name in files:
        if name in folders:
            raise BotError(f"{archive} holds {name} both as a file and as a folder")
    return kept


def _check_name(info: zipfile.ZipInfo, archive: Path) -> None:
    name = info.filename
    parts = name.rstrip("/").split("/")
    if not name or name.startswith("/") or "\\" in name or any(part in ("", ".", "..") for part in parts):
        raise BotError(
            f"{archive}: the name {name!r} leads out of the bot's folder or is not plain; pack it anew"
        )
    check_path(name.rstrip("/"), str(archive))


def _parents(name: str) -> list[str]:
    parts = name.split("/")[:-1]
    return ["/".join(parts[: k + 1]) for k in range(len(parts))]


def _write(
    opened: zipfile.ZipFile, info: zipfile.ZipInfo, place: Path, archive: Path, *, executable: bool
) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    left = info.file_size
    out = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o755 if executable else 0o644)
    with opened.open(info) as packed, os.fdopen(out, "wb") as file:
        while chunk := packed.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                raise BotError(f"{archive}: {info.filename} unpacks to more than it says")
            file.write(chunk)
