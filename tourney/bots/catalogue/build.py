"""Builds bots and compiles modules: once per host, in a sandbox, kept beside the entries of the store.

Where the sandbox can, a build works in a folder in memory of its own. The kernel bounds its bytes, and its
files are counted without a look at any. Tourney holds the folder open, so the folder outlives the build's
processes: nothing can change the files while they are copied, and all that is not copied is gone.

Of a compilation only what the host process wrote into its pipe is kept, with its digest, so no file of a bot
is ever taken for compiled code.
"""

import math
import os
import platform
import re
import select
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tourney.bots.catalogue.command import (
    BotCommand,
    bot_command,
    command_of,
    own_words,
)
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.bots.catalogue.submission import check_command
from tourney.bots.catalogue.tree import (
    BUILT,
    Bounds,
    FileEntry,
    copy_tree,
    excess,
    find_difference,
    locked,
    naming,
    read_file_manifest,
    walk,
    write_file_manifest,
)
from tourney.bots.channel.interface import cut_line
from tourney.bots.modules import find_runtime
from tourney.bots.sandbox.bot_processes import BotProcesses
from tourney.bots.sandbox.processes import process_tree
from tourney.bots.sandbox.sandbox import ResourceLimits, Sandbox
from tourney.errors import BotError, SandboxError, StoreError
from tourney.files import sync_folder
from tourney.held_folder import HeldFolder, hold, remove_tree
from tourney.texts import legible

BUILD_LIMITS: Final = ResourceLimits(memory_mb=4096, file_mb=512)
MOST_PROCESSES: Final = BUILD_LIMITS.processes * 3 // 4  # at once: more end a build, as a fork bomb does
_TAIL: Final = 16 * 1024
_LOOK_SECONDS: Final = 0.25
_COPY_SECONDS: Final = 600
_CHUNK: Final = 1 << 20
_NEW: Final = ".new"  # the suffix of a build's folder until it is whole
_SHOWN_LINES: Final = 15
_COPY_THEN_BUILD: Final = (
    'cp -R "$1"/. . || exit; chmod -R u+w . 2>/dev/null; shift; echo; read -r _; exec "$@" </dev/null'
)
"""Copies the files in the sandbox, so that the memory they take is the build's, then says so and waits."""


@dataclass(frozen=True, slots=True)
class BuildJob:
    """A build: its command, the bot's files, the new folder for the result, and its limits.

    ``seconds`` and ``max_output`` (bytes) bound the run; ``bounds`` what it writes, while it runs and after.
    """

    argv: tuple[str, ...]
    source: Path
    target: Path
    seconds: float = 600
    max_output: int = 4 * 1024 * 1024
    bounds: Bounds = BUILT


@dataclass(frozen=True, slots=True)
class BuildResult:
    """The end of a build: its last output, and why it failed or (``why`` "") the files in its target."""

    output: bytes
    why: str = ""
    files: tuple[FileEntry, ...] = ()


def run_build(job: BuildJob, sandbox: Sandbox) -> BuildResult:
    """Run a build to its end, leave no process of it behind, and copy what it made to ``job.target``.

    Raises nothing for what the build does, SandboxError if the machine cannot start it, and OSError if the
    result cannot be written.
    """
    if sandbox.source_folder:
        words = ("/bin/sh", "-c", _COPY_THEN_BUILD, "sh", sandbox.source_folder, *job.argv)
        return _run(job, words, job.source, sandbox)
    work = job.target.with_name("work")
    try:
        with hold(job.source) as source:
            copy_tree(walk(source, whole=True), work)
        # Before the build begins nothing else writes there.
        with hold(work) as folder:
            for file in walk(folder, whole=True):
                (work / file.path).chmod(0o755 if file.executable else 0o644)
        return _run(job, job.argv, work, sandbox)
    finally:
        if work.exists():
            remove_tree(work)


@dataclass(frozen=True, slots=True)
class _WorkFolder:
    """The folder in which a build works, held open: on disk, or in memory with a file system of its own."""

    folder: HeldFolder
    bounds: Bounds
    in_memory: bool

    def excess(self) -> str:
        """The bound that is exceeded now, in words, or ""."""
        if not self.in_memory:
            return excess(self.folder, self.bounds)
        state = os.fstatvfs(self.folder.fd)
        if state.f_files - state.f_ffree - 1 > self.bounds.files:
            return f"it made more than {self.bounds.files:,} files and folders"
        if not state.f_bfree:
            return f"it wrote more than {state.f_blocks * state.f_frsize >> 20:,} MiB of files"
        return ""


def _run(job: BuildJob, argv: tuple[str, ...], folder: Path, sandbox: Sandbox) -> BuildResult:
    command = command_of(argv, folder)
    limits = replace(BUILD_LIMITS, folder_mb=_folder_mb(job.bounds))
    try:
        group, pipes = sandbox.start(command, limits, writable=True, merged=True)
    except OSError as error:
        return BuildResult(b"", f"it could not be started: {error.strerror}")
    try:
        with ExitStack() as stack:
            try:
                if sandbox.source_folder:
                    held = stack.enter_context(_folder_in_memory(group.pid, pipes.stdout))
                    os.write(pipes.stdin, b"\n")
                else:
                    held = stack.enter_context(hold(folder))
                # Owners do not matter: files in memory can only be the build's, on disk this account's.
                work = _WorkFolder(replace(held, owner=None), job.bounds, bool(sandbox.source_folder))
                os.close(pipes.stdin)
                pipes = pipes._replace(stdin=-1)
                tail, why = _follow(job, pipes.stdout, group, work)
                end = "" if why else group.death()
            finally:
                group.end(pipes)
            if not why and group.returncode != 0:
                why = f"it was {end}" if end.startswith("killed") else f"it {end}"
            if why:
                return BuildResult(tail, why)
            files = walk(work.folder, whole=True, links=True, bounds=job.bounds)
            return BuildResult(tail, files=copy_tree(files, job.target, job.bounds))
    except BotError as error:
        return BuildResult(tail, str(error))


def _folder_mb(bounds: Bounds) -> int:
    """The size of a build's folder in memory: at most half of this machine's."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(bounds.bytes, memory // 2) >> 20)


def _folder_in_memory(pid: int, stdout: int) -> HeldFolder:
    """Hold the folder of a build that waits, once the bot's files are in it. Raises SandboxError."""
    answer = next(read_output(stdout, _COPY_SECONDS, _COPY_SECONDS), None) or b""
    if answer != b"\n":
        why = cut_line(answer.decode("utf-8", "replace").strip()) or "it does not start"
        raise SandboxError(f"the bot's files cannot be copied into the sandbox of its build: {why}")
    try:  # no code of the bot's runs yet: the youngest process is the shell that waits
        place = Path(f"/proc/{process_tree(pid)[-1]}/cwd")
        fd = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise SandboxError(f"the folder of a build cannot be opened: {error}") from error
    return HeldFolder(fd, place)


def read_output(fd: int, seconds: float, tick: float) -> Iterator[bytes | None]:
    """Yield what a program writes, b"" at the end, for some seconds; None after each ``tick`` without any."""
    deadline = time.monotonic() + seconds
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    while (left := deadline - time.monotonic()) > 0:
        chunk = None
        if poll.poll(1000 * min(tick, left)):
            with suppress(BlockingIOError):
                chunk = os.read(fd, _CHUNK)
        yield chunk


def _follow(job: BuildJob, fd: int, group: BotProcesses, work: _WorkFolder) -> tuple[bytes, str]:
    """Read a build's output until it ends; return the last of it, and why the build must stop, or ""."""
    tail, size, look, deadline = b"", 0, 0.0, time.monotonic() + job.seconds
    for chunk in read_output(fd, job.seconds, _LOOK_SECONDS):
        size += len(chunk or b"")
        tail = (tail + (chunk or b""))[-_TAIL:]
        if size > job.max_output:
            return tail, f"it wrote more than {job.max_output >> 20} MiB of output"
        if time.monotonic() >= look:
            if why := work.excess():
                return tail, why
            if len(process_tree(group.pid)) > MOST_PROCESSES:
                return tail, f"it ran more than {MOST_PROCESSES} processes at once"
            look = time.monotonic() + _LOOK_SECONDS
        if chunk == b"" or (chunk is None and group.exited(0)):
            break  # its output ended, or it exited and only a child of its own still holds the pipe
    if not group.exited(max(0, int((deadline - time.monotonic()) * 1000))):
        return tail, f"it took longer than {job.seconds:.0f} s"
    return tail, work.excess()


def built_command(
    store: BotStore, digest: str, sandbox: Sandbox, args: Sequence[str] = (), *, meter: str | None = None
) -> BotCommand:
    """The command of a stored bot, after it is fetched and built. Raises as ``runnable_folder`` does."""
    bot = store.fetch(digest)
    folder = runnable_folder(store, bot, sandbox, meter)
    return bot_command(bot, args, folder, metered=meter is not None)


def runnable_folder(
    store: BotStore,
    bot: StoredBot,
    sandbox: Sandbox,
    meter: str | None = None,
    *,
    seconds: float = math.inf,
) -> Path:
    """The folder to start a bot in: its files in the store, or with a build, the result of that.

    For a module it is the folder of its compiled code and nothing else, which counts fuel by ``meter``; only
    modules can. Build and compilation run at the first call on a host; concurrent callers wait for them. Each
    ends after ``seconds``, or its own limit.
    Raises BotError, with the last lines as a note, for a failed build and for what cannot be run so,
    UsageError for a module without wasmtime, and StoreError if the store cannot be written.
    """
    module = bot.manifest.module
    if meter is not None and module is None:
        raise BotError(
            f'the bot {bot.label} is not a WebAssembly module, and charge = "fuel" counts the work of modules'
            ' only; use charge = "wall" or "cpu", or modules alone',
            bot.label,
        )
    folder = _built_folder(store, bot, sandbox, seconds)
    if module is None:
        return folder
    return find_runtime().compiled_folder(store, bot, folder, sandbox, meter, seconds)


def _built_folder(store: BotStore, bot: StoredBot, sandbox: Sandbox, seconds: float) -> Path:
    if not bot.manifest.build:
        return bot.folder
    place = build_folder(store, bot)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with locked(place.with_name(f"{bot.digest}.lock")):
            _sweep(place.parent)
            new = place.with_name(f"{bot.digest}{_NEW}")
            return keep_files(place, new, lambda new: _build(bot, new, sandbox, seconds))
    except OSError as error:
        raise StoreError(f"the bot {bot.label} cannot be built in {place.parent}: {error}") from error


def kept_damage(folder: Path) -> str:
    """What differs between a folder of ``keep_files`` and its list of files, or ""."""
    try:
        return find_difference(read_file_manifest(folder), folder / "files", links=True, bounds=BUILT)
    except BotError as error:
        return str(error)


def keep_files(place: Path, new: Path, make: Callable[[Path], None]) -> Path:
    """The folder ``files`` of ``place``; made again if that is missing or damaged.

    ``make`` fills the empty folder ``new`` with ``files`` and their list. The caller holds a lock. A crash
    leaves ``new`` behind and never a part of ``place``. Raises what ``make`` raises, and OSError.
    """
    if place.exists():
        if not kept_damage(place):
            return place / "files"
        remove_tree(place)
    if new.exists():
        remove_tree(new)
    new.mkdir()
    try:
        make(new)
        new.rename(place)  # the last step: ``place`` is whole or missing
        place.chmod(0o555)
        sync_folder(place.parent)
    finally:
        if new.exists():
            remove_tree(new)
    return place / "files"


def build_folder(store: BotStore, bot: StoredBot) -> Path:
    """The folder that keeps a bot's build on this host; it may not exist yet."""
    return store.root / "builds" / host() / bot.digest


def remove_builds(store: BotStore, digest: str) -> None:
    """Remove a bot's builds and compiled modules, of all hosts that use the store; its next use makes them.

    Raises StoreError if the store cannot be written.
    """
    for place in [*store.root.glob(f"builds/*/{digest}"), *store.root.glob(f"modules/*/{digest}")]:
        try:
            remove_tree(place)
        except OSError as error:
            raise StoreError(f"{place} cannot be removed: {error.strerror or error}") from error


def host() -> str:
    """This host's name and architecture as the name of a folder."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", f"{platform.node() or 'host'}-{platform.machine()}").lstrip(".")


def _sweep(builds: Path) -> None:
    """Remove what builds of other bots left that were killed: the lock of such a bot is free."""
    for new in builds.glob(f"*{_NEW}"):
        with suppress(BlockingIOError), locked(new.with_suffix(".lock"), wait=False):
            if new.exists():
                remove_tree(new)


def _build(bot: StoredBot, new: Path, sandbox: Sandbox, seconds: float) -> None:
    """Build a bot in the new folder ``new``. Raises BotError, with the last lines as a note, and OSError."""
    job = BuildJob(own_words(bot.manifest.build, bot.label), bot.folder, new / "files")
    job = replace(job, seconds=min(job.seconds, seconds))
    result = run_build(job, sandbox)
    try:
        _check(bot, result)
    except BotError as error:
        # The output is the author's text: show its last lines without control characters.
        output = result.output.decode("utf-8", "replace").splitlines()
        lines = [legible(line, " ")[:200] for line in output if line.strip()]
        if lines:
            error.add_note("the last lines of the build:\n" + "\n".join(lines[-_SHOWN_LINES:]))
        raise
    write_file_manifest(new, result.files)


def _check(bot: StoredBot, result: BuildResult) -> None:
    if result.why:
        raise BotError(f"the build of {bot.label} ({' '.join(bot.manifest.build)}) failed: {result.why}")
    with naming(f"the build of {bot.label}"):
        check_command(bot.manifest, result.files, built=True)
