"""One build, run to its end in a sandbox: bounded in time, output, processes, memory and disk."""

import fcntl
import os
import platform
import re
import selectors
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tourney.bots.catalogue.command import BotCommand, environment, interpreter_paths, own_words
from tourney.bots.catalogue.files import (
    FileEntry,
    copy_tree,
    find_difference,
    folders_of,
    hash_tree,
    read_file_manifest,
    remove_tree,
    sync_folder,
    walk,
    write_file_manifest,
)
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.bots.catalogue.submission import check_command
from tourney.bots.sandbox.base import ResourceLimits, Sandbox
from tourney.bots.sandbox.plain import PlainSandbox
from tourney.bots.sandbox.process import BotProcesses
from tourney.errors import BotError, StoreError

BUILD_SECONDS: Final = 600
BUILD_OUTPUT: Final = 4 * 1024 * 1024
BUILD_DISK: Final = 2 * 1024**3
BUILD_BOUNDS: Final = ResourceLimits(memory_mb=4096, file_mb=512)
_TAIL = 16 * 1024
_LOOK_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class BuildJob:
    """A build to be run: the command, the folder (writable, and the only one), and its bounds.

    ``env`` is the whole environment; ``read_only`` as in ``BotCommand``; no network is promised to it.
    ``max_disk`` is what the folder may come to hold, in bytes: it is looked at from time to time.
    """

    argv: tuple[str, ...]
    folder: Path
    env: tuple[tuple[str, str], ...]
    read_only: tuple[Path, ...]
    seconds: int = BUILD_SECONDS
    max_output: int = BUILD_OUTPUT
    max_disk: int = BUILD_DISK


@dataclass(frozen=True, slots=True)
class BuildResult:
    """How a build ended: exit code (negative: a signal), None if stopped, with ``why``; its last output."""

    code: int | None
    output: bytes
    why: str = ""


BuildRunner = Callable[[BuildJob], BuildResult]
"""Runs a build to its end, and leaves no process of it behind. Raises nothing for what the build does."""


def run_in(sandbox: Sandbox) -> BuildRunner:
    """Return what runs builds in a sandbox. It raises SandboxError where the machine cannot start one."""

    def run(job: BuildJob) -> BuildResult:
        command = BotCommand(job.argv, job.folder, job.env, job.read_only)
        try:
            process, pipes, group = sandbox.start(command, BUILD_BOUNDS, writable=True, merged=True)
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

    return run


run_plainly: Final[BuildRunner] = run_in(PlainSandbox("off"))
"""Runs a build without containment, within its time, output and disk."""


def _follow(job: BuildJob, fd: int, group: BotProcesses) -> tuple[bytes, str]:
    """Read a build's output until it has ended; return the last of it, and why it is to be stopped, or ""."""
    deadline = time.monotonic() + job.seconds
    tail, size = b"", 0
    look = time.monotonic() + _LOOK_SECONDS
    with selectors.DefaultSelector() as selector:
        selector.register(fd, selectors.EVENT_READ)
        while True:
            ready = selector.select(min(0.2, max(0.0, deadline - time.monotonic())))
            chunk = _read(fd) if ready else None
            if chunk:
                size += len(chunk)
                tail = (tail + chunk)[-_TAIL:]
            if size > job.max_output:
                return tail, f"it wrote more than {job.max_output >> 20} MiB of output"
            if time.monotonic() >= look:
                if _weight(job.folder) > job.max_disk:
                    return tail, f"it wrote more than {job.max_disk >> 20} MiB of files"
                look = time.monotonic() + _LOOK_SECONDS
            if chunk == b"" or (chunk is None and group.exited(0)):
                break  # its output ended, or it did and only a child of its own still holds the pipe
            if time.monotonic() >= deadline:
                return tail, f"it took longer than {job.seconds} s"
    if not group.exited(max(0, int((deadline - time.monotonic()) * 1000))):
        return tail, f"it took longer than {job.seconds} s"
    if _weight(job.folder) > job.max_disk:
        return tail, f"it wrote more than {job.max_disk >> 20} MiB of files"
    return tail, ""


def _weight(folder: Path) -> int:
    """Return what a folder takes of the disk, in bytes, as far as it stands still."""
    return sum(_blocks(entry) * 512 for entry in _entries(folder))


def _entries(folder: Path) -> Iterator["os.DirEntry[str]"]:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            yield entry
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    yield from _entries(Path(entry.path))


def _blocks(entry: "os.DirEntry[str]") -> int:
    with suppress(OSError):
        return entry.stat(follow_symlinks=False).st_blocks
    return 0


def _read(fd: int) -> bytes | None:
    try:
        return os.read(fd, 65_536)
    except BlockingIOError:
        return None


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
        return find_difference(read_file_manifest(place), place / "files", links=True)
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
        write_file_manifest(new, _left(bot, folder, result))
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
