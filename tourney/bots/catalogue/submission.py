"""Copies a submitted bot - an executable file, a folder or a .zip - and checks it."""

import errno
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tourney.bots.catalogue.files import (
    MAX_BYTES,
    FileEntry,
    SourceFile,
    check_path,
    content_digest,
    copy_file,
    copy_tree,
    naming,
    walk,
)
from tourney.bots.catalogue.manifest import FILE_NAME, MAX_TEXT, Manifest, manifest_from_name, read_manifest
from tourney.bots.catalogue.zip_archive import unpack
from tourney.errors import BotError

_STORES_FAULT = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})
"""Errors that only writing raises, without the name of a file."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A submitted bot: its manifest, and its files, which lie in ``folder``."""

    manifest: Manifest
    files: tuple[FileEntry, ...]
    folder: Path


def copy_submission(source: Path, target: Path, scratch: Path) -> Submission:
    """Copy a submitted bot into the new folder ``target``; ``scratch`` is an empty folder for an archive.

    Raises BotError, with the path, if it is no bot or holds what a bot may not hold.
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
                raise BotError("it is no bot; a bot is an executable file, a folder or a .zip")
            if source.suffix.lower() == ".zip":
                unpack(source, scratch / "zip")
                return _copy_folder(_bot_folder(scratch / "zip"), target)
            return _copy_program(source, target, executable=bool(mode & stat.S_IXUSR))
    except OSError as error:
        if error.errno in _STORES_FAULT or _is_below(error.filename, target.parent):
            raise
        raise BotError(f"it cannot be read: {error}", source) from error


def _is_below(name: object, folder: Path) -> bool:
    return isinstance(name, (str, bytes)) and Path(os.fsdecode(name)).is_relative_to(folder)


def digest_of_folder(folder: Path) -> tuple[str, Manifest]:
    """Return the digest that a bot's folder would have in a store, and its manifest; nothing is copied."""
    with naming(folder):
        manifest = _read_manifest(folder)
        found = walk(folder, manifest.build_output)
        return content_digest(copy_file(file, None, MAX_BYTES)[0] for file in found), manifest


def manifest_of(folder: Path, files: Sequence[FileEntry]) -> Manifest:
    """Return the manifest of a bot in a folder: ``bot.toml``, or one made from its only file's name."""
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
    if program == "python3":
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


def _copy_program(source: Path, target: Path, *, executable: bool) -> Submission:
    if not executable:
        raise BotError("it is not executable; run chmod +x if it is a program, or add a folder")
    name = source.name
    check_path(name)
    # A link on the command line stands for its target; links inside a folder are refused.
    files = copy_tree([SourceFile(name, source.resolve(), executable=True)], target)
    return Submission(manifest_of(target, files), files, target)


def _copy_folder(folder: Path, target: Path) -> Submission:
    manifest = _read_manifest(folder)
    files = copy_tree(walk(folder, manifest.build_output), target)
    if all(file.path != FILE_NAME for file in files):
        raise BotError(f"build-output leaves out {FILE_NAME} itself")
    if _read_manifest(target) != manifest:
        raise BotError(f"{FILE_NAME} changed while it was read; add the bot again")
    check_command(manifest, files)
    return Submission(manifest, files, target)


def _bot_folder(folder: Path) -> Path:
    """Return the bot's folder in an unpacked archive: the top, or the only folder there."""
    if (folder / FILE_NAME).exists():
        return folder
    within = [place for place in sorted(folder.iterdir()) if place.name != "__MACOSX"]
    if len(within) == 1 and within[0].is_dir():
        return within[0]
    return folder


def _read_manifest(folder: Path) -> Manifest:
    try:
        fd = os.open(folder / FILE_NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError as error:
        raise BotError(f"there is no {FILE_NAME}; `tourney bots new NAME` writes a bot with one") from error
    except OSError as error:
        raise BotError(f"{FILE_NAME} cannot be read: {error.strerror}") from error
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise BotError(f"{FILE_NAME} is no regular file")
        data = file.read(MAX_TEXT + 1)
    if len(data) > MAX_TEXT:
        raise BotError(f"{FILE_NAME} is longer than {MAX_TEXT >> 10} KiB; shorten it")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BotError(f"{FILE_NAME} is not UTF-8: {error.reason} at byte {error.start}") from error
    return read_manifest(text, FILE_NAME)
