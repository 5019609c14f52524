"""Cached pages are counted without reading them, and dropped where the file system allows that."""

import mmap
import sys
from pathlib import Path

import pytest

from tourney.bots.sandbox.canary_tools import CACHED_BYTES, cached_pages, drop_pages, shared_library


@pytest.mark.skipif(sys.platform != "linux", reason="needs mincore and posix_fadvise")
def test_pages_of_a_file_are_counted_and_dropped() -> None:
    with shared_library() as folder:
        path = Path(folder) / "kept"
        path.read_bytes()
        assert cached_pages(path) == CACHED_BYTES // mmap.PAGESIZE
        if drop_pages(path):  # not on a file system in memory
            assert cached_pages(path) == 0
            path.read_bytes()
        assert cached_pages(path) == CACHED_BYTES // mmap.PAGESIZE
