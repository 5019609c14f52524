"""The kernel's cache of a file's pages, in which one match could leave a trace for another."""

import ctypes
import mmap
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

CACHED_BYTES: Final = 256 * 1024
"""Size of each file of ``shared_library``."""
_LOOKS: Final = 10


@contextmanager
def shared_library() -> Iterator[str]:
    """Make a folder with two files of CACHED_BYTES, on a disk if the machine has one."""
    place = "/var/tmp" if os.access("/var/tmp", os.W_OK) else None  # noqa: S108 - a folder of its own below it
    with tempfile.TemporaryDirectory(prefix="tourney-doctor-library-", dir=place) as name:
        Path(name).chmod(0o755)
        for file in ("kept", "dropped"):
            with (Path(name) / file).open("wb") as written:
                written.write(b"1" * CACHED_BYTES)
                written.flush()
                os.fsync(written.fileno())
        yield name


def cached_pages(path: Path) -> int:
    """Number of cached pages of a file, without changing that. Raises OSError."""
    size = path.stat().st_size
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long)
    libc.mincore.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p)
    libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    pages = ctypes.create_string_buffer(-(-size // mmap.PAGESIZE))
    fd = os.open(path, os.O_RDONLY)
    try:
        place = libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, fd, 0)
        if place == ctypes.c_void_p(-1).value or libc.mincore(place, size, pages):
            raise OSError(ctypes.get_errno(), f"cannot find out what is cached of {path}")
        libc.munmap(place, size)
    finally:
        os.close(fd)
    return sum(page & 1 for page in pages.raw)


def drop_pages(path: Path) -> bool:
    """Drop a file from the kernel's cache; say whether that is possible where it lies."""
    fd = os.open(path, os.O_RDONLY)
    try:
        for _ in range(_LOOKS):
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            if not cached_pages(path):
                return True
    finally:
        os.close(fd)
    return False
