"""The content digest of a bot: what names it for good.

SHA-256 of the RFC 8785 form of the sorted list of ``[path, executable, SHA-256]`` of its files. The list's
RFC 8785 form is kept beside the files of a store entry, so the list proves itself against the digest and a
damaged file can be named.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

import rfc8785

from tourney import json_text
from tourney.errors import BotError

DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


@dataclass(frozen=True, slots=True, order=True)
class FileEntry:
    """One file of a bot: its path below the bot's folder (``/`` parts it), its x bit, its SHA-256 in hex."""

    path: str
    executable: bool
    sha256: str


def listing(files: Iterable[FileEntry]) -> bytes:
    """Return the RFC 8785 form of the list of files, sorted by path (by code point)."""
    return rfc8785.dumps([[file.path, file.executable, file.sha256] for file in sorted(files)])


def content_digest(files: Iterable[FileEntry]) -> str:
    """Return the digest of a bot that consists of these files, 64 hex digits."""
    return hashlib.sha256(listing(files)).hexdigest()


def read_listing(data: bytes, where: str) -> tuple[FileEntry, ...]:
    """Return the files that ``listing`` wrote down. Raises BotError that names ``where``."""
    try:
        rows = json_text.loads(data)
        files = tuple(FileEntry(path, executable, sha256) for path, executable, sha256 in rows)
    except (ValueError, TypeError) as error:
        raise BotError(f"{where} is damaged: it is no list of files") from error
    if listing(files) != data:
        raise BotError(f"{where} is damaged: it is not in the one form")
    return files
