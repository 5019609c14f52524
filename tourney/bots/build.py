"""A bot's build: once per host, into a writable copy that is kept beside the store's entries.

The entry stays as submitted, so its digest never depends on a compiler; what the build left is sealed in
``builds/HOST/DIGEST`` and built again when it is damaged or missing.
"""

import fcntl
import os
import platform
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tourney.bots.build_job import BuildJob, BuildResult, BuildRunner
from tourney.bots.command import environment, interpreter_paths, own_words
from tourney.bots.digest import FileEntry
from tourney.bots.seal import compare, read_seal, seal
from tourney.bots.store import BotStore, StoredBot
from tourney.bots.submission import check_command
from tourney.bots.tree import copy_tree, folders_of, hash_tree, remove_tree, sync_folder, walk
from tourney.errors import BotError, StoreError

SHOWN_LINES = 15


def runnable_folder(store: BotStore, bot: StoredBot, runner: BuildRunner) -> Path:
    """Return the folder to start a bot in: its entry's files or, with a build, what that made of them.

    The build runs at the first call on a host; concurrent callers wait for it. Raises BotError, with the
    last lines as a note, for a build that failed, and StoreError where the store cannot be written.
    """
    if not bot.manifest.build:
        return bot.folder
    place = place_of_build(store, bot)
    try:
        with _locked(place.with_name(f"{bot.digest}.lock")):
            if place.exists():
                if not damage_of_build(place):
                    return place / "files"
                remove_tree(place)
            new = place.with_name(f"{bot.digest}.new")
            if new.exists():
                remove_tree(new)
            try:
                _build(bot, new, runner)
                new.rename(place)
                place.chmod(0o555)
                sync_folder(place.parent)
            finally:
                if new.exists():
                    remove_tree(new)
            return place / "files"
    except OSError as error:
        raise StoreError(f"the bot {bot.label} cannot be built in {place.parent}: {error}") from error


def place_of_build(store: BotStore, bot: StoredBot) -> Path:
    """Return where a bot's build is, or would be, kept on this host."""
    return store.root / "builds" / host() / bot.digest


def damage_of_build(place: Path) -> str:
    """Say what is wrong with a sealed build; "" if nothing is."""
    try:
        return compare(read_seal(place), place / "files", links=True)
    except BotError as error:
        return str(error)


def host() -> str:
    """Return a folder's name for this host: its name and kind of machine."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", f"{platform.node() or 'host'}-{platform.machine()}").lstrip(".")


def _build(bot: StoredBot, new: Path, runner: BuildRunner) -> None:
    new.mkdir()
    folder = new / "files"
    copy_tree(walk(bot.folder, whole=True), folder)
    for place in folders_of(folder):
        for entry in os.scandir(place):
            if entry.is_file(follow_symlinks=False):
                Path(entry.path).chmod(entry.stat().st_mode | 0o200)
    result = runner(
        BuildJob(
            argv=own_words(bot.manifest.build, bot.label),
            folder=folder,
            env=environment(),
            read_only=interpreter_paths(),
        )
    )
    try:
        seal(new, _left(bot, folder, result))
    except BotError as error:
        _add_last_lines(error, result.output)
        raise


def _left(bot: StoredBot, folder: Path, result: BuildResult) -> tuple[FileEntry, ...]:
    """Return the files that a build left. Raises BotError if it failed or left nothing to start."""
    if result.code != 0:
        how = result.why or f"it ended with exit code {result.code}"
        raise BotError(f"the build of {bot.label} ({' '.join(bot.manifest.build)}) failed: {how}")
    files = hash_tree(folder, links=True)
    check_command(bot.manifest, files, f"the build of {bot.label}", built=True)
    return files


def _add_last_lines(error: BotError, output: bytes) -> None:
    """Give an error the last lines of a build as a note, fit to be shown: they are the author's text."""
    lines = [
        "".join(c if c.isprintable() else " " for c in line)[:200]
        for line in output.decode("utf-8", "replace").splitlines()
        if line.strip()
    ]
    if lines:
        error.add_note("the last lines of the build:\n" + "\n".join(lines[-SHOWN_LINES:]))


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)
