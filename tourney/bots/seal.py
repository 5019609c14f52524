"""A sealed folder: ``files/``, read-only, and ``files.json``, the list that its content is held against."""

import os
from pathlib import Path

from tourney.bots.digest import FileEntry, listing, read_listing
from tourney.bots.tree import hash_tree, make_read_only
from tourney.errors import BotError


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
