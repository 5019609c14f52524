"""What an author hands in - an executable file, a folder or a .zip - copied as submitted."""

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
    walk,
)
from tourney.bots.catalogue.manifest import FILE_NAME, MAX_TEXT, Manifest, manifest_from_name, read_manifest
from tourney.bots.catalogue.zip_archive import unpack
from tourney.errors import BotError

_STORES_FAULT = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})
"""What can only come of writing, and names no file when it does."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A bot as it was handed in: its manifest, and its files, which lie in ``folder``."""

    manifest: Manifest
    files: tuple[FileEntry, ...]
    folder: Path


def copy_submission(source: Path, target: Path, scratch: Path) -> Submission:
    """Copy a submitted bot into the new folder ``target``; ``scratch`` is an empty folder for an archive.

    Raises BotError where it is none, or holds what a bot may not hold.
    """
    try:
        mode = source.stat().st_mode
    except OSError as error:
        raise BotError(f"there is no bot {source}: {error.strerror}") from error
    try:
        if stat.S_ISDIR(mode):
            return _copy_folder(source, target, str(source))
        if not stat.S_ISREG(mode):
            raise BotError(
                f"{source} is neither a file nor a folder; a bot is an executable file, a folder or a .zip"
            )
        if source.suffix.lower() == ".zip":
            unpack(source, scratch / "zip")
            return _copy_folder(_inside(scratch / "zip"), target, str(source))
        return _copy_program(source, target, executable=bool(mode & stat.S_IXUSR))
    except OSError as error:
        if error.errno in _STORES_FAULT or _names(error, target.parent):
            raise
        raise BotError(f"{source} cannot be read: {error}") from error


def _names(error: OSError, folder: Path) -> bool:
    name = error.filename
    return isinstance(name, (str, bytes)) and Path(os.fsdecode(name)).is_relative_to(folder)


def digest_of_folder(folder: Path) -> tuple[str, Manifest]:
    """Return the digest that a bot's folder would have in a store, and its manifest; nothing is copied."""
    manifest = _read_manifest(folder, str(folder))
    found = walk(folder, manifest.build_output)
    return content_digest(copy_file(file, None, MAX_BYTES)[0] for file in found), manifest


def manifest_of(folder: Path, files: Sequence[FileEntry], where: str) -> Manifest:
    """Return the manifest of a bot that lies in a folder: ``bot.toml``, or made from its only file's name."""
    if len(files) == 1 and files[0].path != FILE_NAME:
        return manifest_from_name(files[0].path, where)
    return _read_manifest(folder, where)


def _copy_program(source: Path, target: Path, *, executable: bool) -> Submission:
    if not executable:
        raise BotError(f"{source} is not executable; say chmod +x if it is a program; else hand in a folder")
    name = source.name
    check_path(name, str(source.parent))
    manifest = manifest_from_name(name, str(source))
    # A link given on the command line names the program it leads to; links inside of a folder are refused.
    files = copy_tree([SourceFile(name, source.resolve(), executable=True)], target)
    return Submission(manifest, files, target)


def _copy_folder(folder: Path, target: Path, where: str) -> Submission:
    manifest = _read_manifest(folder, where)
    files = copy_tree(walk(folder, manifest.build_output), target)
    if all(file.path != FILE_NAME for file in files):
        raise BotError(f"{where}: build-output leaves out {FILE_NAME} itself")
    if _read_manifest(target, where) != manifest:
        raise BotError(f"{where}: {FILE_NAME} changed while it was read; add the bot again")
    check_command(manifest, files, where)
    return Submission(manifest, files, target)


def check_command(manifest: Manifest, files: Sequence[FileEntry], where: str, *, built: bool = False) -> None:
    """Raise BotError where a command names a file that the bot does not hold, or that cannot be executed.

    Of a bot with a build nothing is asked until it is ``built``, as its program may come of it.
    """
    if manifest.build and not built:
        return
    held = {file.path: file for file in files}
    program, *words = manifest.command
    if program == "python3":
        # What follows an option may be its value, so only a plain first word is known to be a file.
        own = words[0] if words and not words[0].startswith(("-", "/")) else None
    elif program in held:
        raise BotError(f"{where}: {program} in the command is looked for on PATH; write ./{program}")
    else:
        own = program if "/" in program and not program.startswith("/") else None
    if own is None:
        return
    file = held.get(os.path.normpath(own))
    if file is None:
        raise BotError(f"{where}: the command's program {own} is not among the bot's files")
    if own == program and not file.executable:
        raise BotError(f"{where}: the command's program {own} is not executable; say chmod +x")


def _inside(folder: Path) -> Path:
    """Return where an unpacked bot is: at the top, or in the only folder there (archivers pack either)."""
    if (folder / FILE_NAME).exists():
        return folder
    within = [place for place in sorted(folder.iterdir()) if place.name != "__MACOSX"]
    if len(within) == 1 and within[0].is_dir():
        return within[0]
    return folder


def _read_manifest(folder: Path, where: str) -> Manifest:
    name = f"{where}/{FILE_NAME}"
    try:
        fd = os.open(folder / FILE_NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError as error:
        raise BotError(
            f"{where} has no {FILE_NAME}; `tourney bots new NAME` writes a bot to begin from"
        ) from error
    except OSError as error:
        raise BotError(f"{name} cannot be read: {error.strerror}") from error
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise BotError(f"{name} is no regular file")
        data = file.read(MAX_TEXT + 1)
    if len(data) > MAX_TEXT:
        raise BotError(f"{name} is longer than {MAX_TEXT >> 10} KiB, too long for a manifest")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BotError(f"{name} is not UTF-8: {error.reason} at byte {error.start}") from error
    return read_manifest(text, name)
