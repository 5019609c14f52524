"""The content digest of a bot: what names it for good.

SHA-256 of the RFC 8785 form of the sorted list of ``[path, executable, SHA-256]`` of its files. The list's
RFC 8785 form is kept beside the files of a store entry, so the list proves itself against the digest and a
damaged file can be named.
"""

import hashlib
import os
import re
from collections.abc import Iterable
from pathlib import Path

import rfc8785

from tourney.bots.catalogue.file_tree import FileEntry, hash_tree, make_read_only
from tourney.errors import BotError
from tourney.parsing import parse_json

DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


def listing(files: Iterable[FileEntry]) -> bytes:
    """Return the RFC 8785 form of the list of files, sorted by path (by code point)."""
    return rfc8785.dumps([[file.path, file.executable, file.sha256] for file in sorted(files)])


def content_digest(files: Iterable[FileEntry]) -> str:
    """Return the digest of a bot that consists of these files, 64 hex digits."""
    return hashlib.sha256(listing(files)).hexdigest()


def read_listing(data: bytes, where: str) -> tuple[FileEntry, ...]:
    """Return the files that ``listing`` wrote down. Raises BotError that names ``where``."""
    try:
        rows = parse_json(data)
        files = tuple(FileEntry(path, executable, sha256) for path, executable, sha256 in rows)
    except (ValueError, TypeError) as error:
        raise BotError(f"{where} is damaged: it is no list of files") from error
    if listing(files) != data:
        raise BotError(f"{where} is damaged: it is not in the one form")
    return files


def seal(folder: Path, files: tuple[FileEntry, ...]) -> None:
    """Write ``files.json`` beside a tree ``files`` and make both read-only; the folder stays writable."""
    with (folder / "files.json").open("wb") as file:
        file.write(listing(files))
        file.flush()
        os.fsync(file.fileno())
    make_read_only(folder)
    folder.chmod(0o755)  # until it is renamed to its place


def read_seal(folder: Path) -> tuple[FileEntry, ...]:
    """Return the list of files that ``seal`` wrote. Raises BotError if it is damaged or missing."""
    try:
        data = (folder / "files.json").read_bytes()
    except OSError as error:
        raise BotError(f"the store entry {folder} is damaged: files.json: {error.strerror}") from error
    return read_listing(data, f"{folder / 'files.json'}")


def compare(listed: tuple[FileEntry, ...], folder: Path, *, links: bool = False) -> str:
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
