"""One build, run to its end in a sandbox: bounded in time, output, processes, memory and disk."""

import os
import selectors
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tourney.bots.command import BotCommand
from tourney.bots.group import ProcessGroup
from tourney.bots.sandbox import Bounds, PlainSandbox, Sandbox

BUILD_SECONDS: Final = 600
BUILD_OUTPUT: Final = 4 * 1024 * 1024
BUILD_DISK: Final = 2 * 1024**3
BUILD_BOUNDS: Final = Bounds(memory_mb=4096, file_mb=512)
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
            process, pipes, group = sandbox.run(command, BUILD_BOUNDS, writable=True, merged=True)
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


def _follow(job: BuildJob, fd: int, group: ProcessGroup) -> tuple[bytes, str]:
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
