"""Unpacks a submitted tar archive, plain or compressed by gzip."""

import gzip
import os
import tarfile
import zlib
from pathlib import Path
from typing import BinaryIO, Final

from tourney.bots.catalogue.tree import MAX_PATH, SUBMITTED, check_path, make_folders
from tourney.errors import BotError

ENDINGS: Final = (".tar", ".tar.gz", ".tgz")
_MOST: Final = SUBMITTED.bytes + SUBMITTED.files * (2 * MAX_PATH + 2048)
"""Bytes that an archive within the bounds of a bot may unpack to, with its headers."""
_CHUNK: Final = 1 << 20
_MALFORMED: Final = (
    *(tarfile.TarError, zlib.error, gzip.BadGzipFile, EOFError, RecursionError),
    *(ValueError, OverflowError),
)


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
                if out.tell() + len(chunk) > _MOST:
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
        parts = name.split("/")
        if info.name.startswith("/") or "\\" in name or any(part in ("", ".", "..") for part in parts):
            raise BotError(
                f"the name {info.name!r} is not a plain path inside the bot's folder; pack it again"
            )
        check_path(name)
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
                _write(opened, info, target / name)
        except FileExistsError:
            raise BotError(f"it holds {name} both as a file and as a folder") from None


def _write(opened: tarfile.TarFile, info: tarfile.TarInfo, place: Path) -> None:
    mode = 0o755 if info.mode & 0o100 else 0o644
    out = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    with os.fdopen(out, "wb") as file:
        source = opened.extractfile(info)
        while source is not None and (chunk := source.read(_CHUNK)):
            file.write(chunk)
