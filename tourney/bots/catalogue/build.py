"""Builds bots: once per host, in a sandbox, bounded in time, output, processes, memory and disk."""

import os
import platform
import re
import selectors
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tourney.bots.catalogue.command import BotCommand, environment, interpreter_paths, own_words
from tourney.bots.catalogue.files import (
    FileEntry,
    copy_tree,
    find_difference,
    hash_tree,
    locked,
    naming,
    read_file_manifest,
    remove_tree,
    sync_folder,
    walk,
    write_file_manifest,
)
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.bots.catalogue.submission import check_command
from tourney.bots.sandbox.base import ResourceLimits, Sandbox
from tourney.bots.sandbox.process import BotProcesses
from tourney.errors import BotError, StoreError

BUILD_LIMITS: Final = ResourceLimits(memory_mb=4096, file_mb=512)
_TAIL = 16 * 1024
_SHOWN_LINES = 15
_LOOK_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class BuildJob:
    """A build: its command, its writable folder, and its limits.

    ``max_output`` and ``max_disk`` are bytes; the folder's size is checked from time to time.
    """

    argv: tuple[str, ...]
    folder: Path
    seconds: int = 600
    max_output: int = 4 * 1024 * 1024
    max_disk: int = 2 * 1024**3


@dataclass(frozen=True, slots=True)
class BuildResult:
    """The end of a build: its exit code (negative: a signal; None: stopped, with ``why``) and last output."""

    code: int | None
    output: bytes
    why: str = ""


def runnable_folder(store: BotStore, bot: StoredBot, sandbox: Sandbox) -> Path:
    """Return the folder to start a bot in: its files in the store, or with a build, the result of that.

    The build runs at the first call on a host; concurrent callers wait for it. Raises BotError, with the
    last lines as a note, for a failed build, and StoreError if the store cannot be written.
    """
    if not bot.manifest.build:
        return bot.folder
    place = build_folder(store, bot)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with locked(place.with_name(f"{bot.digest}.lock")):
            if place.exists():
                if not build_damage(place):
                    return place / "files"
                remove_tree(place)
            new = place.with_name(f"{bot.digest}.new")
            if new.exists():
                remove_tree(new)
            try:
                _build(bot, new, sandbox)
                new.rename(place)
                place.chmod(0o555)
                sync_folder(place.parent)
            finally:
                if new.exists():
                    remove_tree(new)
            return place / "files"
    except OSError as error:
        raise StoreError(f"the bot {bot.label} cannot be built in {place.parent}: {error}") from error


def build_folder(store: BotStore, bot: StoredBot) -> Path:
    """Return the folder that keeps a bot's build on this host; it may not exist yet."""
    return store.root / "builds" / host() / bot.digest


def build_damage(folder: Path) -> str:
    """Return what is wrong with a build that is kept, or ""."""
    try:
        return find_difference(read_file_manifest(folder), folder / "files", links=True)
    except BotError as error:
        return str(error)


def host() -> str:
    """Return this host's name and architecture as the name of a folder."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", f"{platform.node() or 'host'}-{platform.machine()}").lstrip(".")


def _build(bot: StoredBot, new: Path, sandbox: Sandbox) -> None:
    new.mkdir()
    folder = new / "files"
    copy_tree(walk(bot.folder, whole=True), folder)
    for file in walk(folder, whole=True):
        file.place.chmod(0o755 if file.executable else 0o644)
    result = run_build(BuildJob(own_words(bot.manifest.build, bot.label), folder), sandbox)
    try:
        write_file_manifest(new, _built_files(bot, folder, result))
    except BotError as error:
        # The output is the author's text: show its last lines without control characters.
        lines = [
            "".join(c if c.isprintable() else " " for c in line)[:200]
            for line in result.output.decode("utf-8", "replace").splitlines()
            if line.strip()
        ]
        if lines:
            error.add_note("the last lines of the build:\n" + "\n".join(lines[-_SHOWN_LINES:]))
        raise


def _built_files(bot: StoredBot, folder: Path, result: BuildResult) -> tuple[FileEntry, ...]:
    """Return the files after a build. Raises BotError if it failed or made no program to start."""
    if result.code != 0:
        how = result.why or f"it ended with exit code {result.code}"
        raise BotError(f"the build of {bot.label} ({' '.join(bot.manifest.build)}) failed: {how}")
    files = hash_tree(folder, links=True)
    with naming(f"the build of {bot.label}"):
        check_command(bot.manifest, files, built=True)
    return files


def run_build(job: BuildJob, sandbox: Sandbox) -> BuildResult:
    """Run a build to its end in a sandbox, and leave no process of it behind.

    Raises nothing for what the build does, and SandboxError if the machine cannot start it.
    """
    command = BotCommand(job.argv, job.folder, environment(), interpreter_paths())
    try:
        process, pipes, group = sandbox.start(command, BUILD_LIMITS, writable=True, merged=True)
    except OSError as error:
        return BuildResult(None, b"", f"it could not be started: {error.strerror}")
    os.close(pipes.stdin)
    try:
        tail, why = _follow(job, pipes.stdout, group)
        os.close(pipes.stdout)
    finally:
        group.kill()
        group.reap()
    return BuildResult(None if why else process.returncode, tail, why)


def _follow(job: BuildJob, fd: int, group: BotProcesses) -> tuple[bytes, str]:
    """Read a build's output until it ends; return the last of it, and why the build must stop, or ""."""
    deadline = time.monotonic() + job.seconds
    late = f"it took longer than {job.seconds} s"
    large = f"it wrote more than {job.max_disk >> 20} MiB of files"
    tail, size = b"", 0
    look = time.monotonic() + _LOOK_SECONDS
    with selectors.DefaultSelector() as selector:
        selector.register(fd, selectors.EVENT_READ)
        while True:
            chunk = None
            if selector.select(min(0.2, max(0.0, deadline - time.monotonic()))):
                with suppress(BlockingIOError):
                    chunk = os.read(fd, 65_536)
            if chunk:
                size += len(chunk)
                tail = (tail + chunk)[-_TAIL:]
            if size > job.max_output:
                return tail, f"it wrote more than {job.max_output >> 20} MiB of output"
            if time.monotonic() >= look:
                if _disk_usage(job.folder) > job.max_disk:
                    return tail, large
                look = time.monotonic() + _LOOK_SECONDS
            if chunk == b"" or (chunk is None and group.exited(0)):
                break  # its output ended, or it exited and only a child of its own still holds the pipe
            if time.monotonic() >= deadline:
                return tail, late
    if not group.exited(max(0, int((deadline - time.monotonic()) * 1000))):
        return tail, late
    return tail, large if _disk_usage(job.folder) > job.max_disk else ""


def _disk_usage(folder: Path) -> int:
    """Return the bytes that a folder takes on disk; files that go meanwhile do not count."""
    total = 0
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                total += entry.stat(follow_symlinks=False).st_blocks * 512
                if entry.is_dir(follow_symlinks=False):
                    total += _disk_usage(Path(entry.path))
    return total
