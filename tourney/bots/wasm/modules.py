"""Modules compiled for this host: once, in a sandbox, bounded in time and memory, and kept beside builds.

Only what the host process wrote into its pipe is kept, with its digest, so no file of a bot is ever taken for
compiled code.
"""

import os
import platform
import select
import time
from pathlib import Path
from typing import Final

from tourney.bots.catalogue.command import CODE, BotCommand, environment, host_words, interpreter_paths
from tourney.bots.catalogue.file_list import (
    copy_tree,
    kept_files,
    locked,
    write_file_manifest,
)
from tourney.bots.catalogue.tree import BUILT, SourceFile, remove_tree
from tourney.bots.channel.interface import printable
from tourney.bots.sandbox.launch import last_line
from tourney.bots.sandbox.sandbox import ResourceLimits, Sandbox
from tourney.bots.wasm.fuel import FORM, MAX_MODULE, wasmtime_version
from tourney.errors import BotError, SandboxError

COMPILE_SECONDS: Final = 120
COMPILE_MB: Final = 2_048
"""Bounds of a compilation."""
MAX_CODE: Final = 512 << 20
"""Bytes of the largest compiled module."""
_CHUNK: Final = 1 << 20


def compiled_folder(
    place: Path, folder: Path, module: str, label: str, sandbox: Sandbox, meter: str | None
) -> Path:
    """The folder that holds a bot's compiled module and nothing else.

    ``place`` is the folder of its compiled modules, which is made; ``folder`` holds the bot's files and
    ``module`` is one of them; its code counts by ``meter``, or not at all. The first call on a host compiles;
    concurrent callers wait. Raises BotError for a file that is not a runnable module, UsageError without
    wasmtime, SandboxError, and OSError.
    """
    kind = meter or "plain"
    kept = place / f"{kind}-{FORM}-{wasmtime_version()}-{platform.machine()}"
    place.mkdir(parents=True, exist_ok=True)

    def make(new: Path) -> None:
        (new / "made").mkdir()
        _check_file(folder / module, module, label)
        _compile(folder, module, label, sandbox, new / "made" / CODE, kind)
        made = [SourceFile(CODE, new / "made" / CODE, executable=False)]
        write_file_manifest(new, copy_tree(made, new / "files", BUILT))
        remove_tree(new / "made")

    with locked(place / "lock"):
        return kept_files(kept, place / "new", make)


def _check_file(file: Path, module: str, label: str) -> None:
    """Refuse a file that is too large before anything reads it. Raises BotError."""
    if not file.is_file():
        raise BotError(f"the module {module} is not among the files", label)
    if file.stat().st_size > MAX_MODULE:
        raise BotError(f"the module {module} is larger than {MAX_MODULE >> 20} MiB", label)


def _compile(folder: Path, module: str, label: str, sandbox: Sandbox, target: Path, kind: str) -> None:
    """Write a compiled module to a new file."""
    command = BotCommand(host_words("compile", module, kind), folder, environment(), interpreter_paths())
    limits = ResourceLimits(memory_mb=COMPILE_MB, hosted=True)
    try:
        process, pipes, group = sandbox.start(command, limits)
    except OSError as error:
        raise SandboxError(
            f"this machine cannot start the compilation of {label}: {error.strerror}"
        ) from error
    why = said = ""
    try:
        with target.open("wb") as out:
            why = _follow(pipes.stdout, out.fileno())
        if not why:
            group.exited(COMPILE_SECONDS * 1000)
            said = printable(last_line(pipes.stderr))
            end = group.death()
    finally:
        group.kill()
        group.reap()
        for fd in pipes:
            os.close(fd)
    if not why and process.returncode != 0:
        why = said if process.returncode == 1 and said else f"its compilation {end}"
    if why:
        raise BotError(f"the module {module} cannot be used: {why}", label)


def _follow(source: int, target: int) -> str:
    """Copy a pipe to its end; return why the compilation must stop before, or ""."""
    deadline = time.monotonic() + COMPILE_SECONDS
    poll = select.poll()
    poll.register(source, select.POLLIN)
    size = 0
    while (left := deadline - time.monotonic()) > 0:
        if not poll.poll(left * 1000):
            continue
        part = os.read(source, _CHUNK)
        if not part:
            return ""
        size += len(part)
        if size > MAX_CODE:
            return f"its code is larger than {MAX_CODE >> 20} MiB"
        while part:
            part = part[os.write(target, part) :]
    return f"it takes longer than {COMPILE_SECONDS} s to compile"
