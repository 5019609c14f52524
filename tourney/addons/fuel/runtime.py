"""The runtime of modules: compiles them in the sandbox, and makes the commands that run them."""

import platform
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tourney.addons.fuel.meter import (
    FORM,
    MAX_MODULE,
    check_meter,
    meter_fault,
    wasmtime_version,
)
from tourney.addons.fuel.starter import MODULES, as_module, missing_tools
from tourney.bots.catalogue.build import host, keep_files, read_output
from tourney.bots.catalogue.command import PYTHON, PYTHON_FLAGS, command_of
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.bots.catalogue.tree import BUILT, SourceFile, copy_tree, locked, write_file_manifest
from tourney.bots.channel.interface import cut_line
from tourney.bots.metering import METER
from tourney.bots.modules import CODE, ModuleRuntime
from tourney.bots.sandbox.bot_processes import last_line
from tourney.bots.sandbox.sandbox import ResourceLimits, Sandbox
from tourney.errors import BotError, SandboxError, StoreError, UsageError
from tourney.held_folder import hold, remove_tree

COMPILE_SECONDS: Final = 120
COMPILE_MB: Final = 2_048
MAX_CODE: Final = 512 << 20  # bytes of the largest compiled module


class WasmtimeRuntime(ModuleRuntime):
    """Modules by wasmtime (the extra ``wasm``)."""

    languages = MODULES

    def compiled_folder(
        self,
        store: BotStore,
        bot: StoredBot,
        built: Path,
        sandbox: Sandbox,
        meter: str | None,
        seconds: float,
    ) -> Path:
        """The folder of a bot's compiled module and nothing else."""
        place = store.root / "modules" / host() / bot.digest
        kind = meter or "plain"

        def make(new: Path) -> None:
            (new / "made").mkdir()
            _compile(bot, built, new / "made" / CODE, kind, sandbox, min(seconds, COMPILE_SECONDS))
            with hold(new / "made") as held:
                code = [SourceFile(CODE, held, executable=False)]
                write_file_manifest(new, copy_tree(code, new / "files", BUILT))
            remove_tree(new / "made")

        try:
            folder = place / f"{kind}-{FORM}-{wasmtime_version()}-{platform.machine()}"
            place.mkdir(parents=True, exist_ok=True)
            with locked(place / "lock"):
                return keep_files(folder, place / "new", make)
        except OSError as error:
            raise StoreError(f"the module of {bot.label} cannot be compiled in {place}: {error}") from error

    def command_words(self, words: tuple[str, ...], *, metered: bool) -> tuple[str, ...]:
        """The command of a host process with a compiled module."""
        return host_words("fuel" if metered else "clock", CODE, *words)

    def check_meter(self, meter: str | None) -> None:
        """Raise UsageError if this machine's wasmtime is missing or counts otherwise."""
        check_meter(meter)

    def state(self) -> str:
        """Whether modules can play on this machine, and whether fuel is counted as records count it."""
        try:
            return meter_fault() or f"wasmtime {wasmtime_version()} counts as the meter {METER}"
        except UsageError as error:
            return str(error)

    def as_module(self, files: Mapping[str, str], language: str) -> Iterator[tuple[str, str]]:
        """Yield a template's files with the command and the build of a module."""
        return as_module(files, language)

    def missing_tools(self, language: str) -> str:
        """What this machine lacks to build a module from a language, or ""."""
        return missing_tools(language)


def host_words(*words: str) -> tuple[str, ...]:
    """The command of a host process of modules; see ``tourney.addons.fuel.host``."""
    return (PYTHON, *PYTHON_FLAGS, "-m", "tourney.addons.fuel.host", *words)


def _compile(bot: StoredBot, folder: Path, target: Path, kind: str, sandbox: Sandbox, seconds: float) -> None:
    """Write the compiled code of a module to a new file. Raises BotError, SandboxError and OSError."""
    module = str(bot.manifest.module)
    if not (folder / module).is_file():
        raise BotError(f"the module {module} is not among the files", bot.label)
    if (folder / module).stat().st_size > MAX_MODULE:  # before anything reads it
        raise BotError(f"the module {module} is larger than {MAX_MODULE >> 20} MiB", bot.label)
    # The compiler reads a hostile module, so it runs in the sandbox too.
    command = command_of(host_words("compile", module, kind), folder)
    try:
        group, pipes = sandbox.start(command, ResourceLimits(memory_mb=COMPILE_MB, hosted=True))
    except OSError as error:
        raise SandboxError(
            f"this machine cannot start the compilation of {bot.label}: {error.strerror}"
        ) from error
    why, size = f"it takes longer than {seconds:.0f} s to compile", 0
    try:
        with target.open("wb") as out:
            for part in read_output(pipes.stdout, seconds, seconds):
                size += out.write(part or b"")
                if part == b"" or size > MAX_CODE:
                    why = f"its code is larger than {MAX_CODE >> 20} MiB" if part else ""
                    break
        if not why:
            group.exited(round(seconds * 1000))
            last_words = cut_line(last_line(pipes.stderr))
            end = group.death()
    finally:
        group.end(pipes)
    if not why and group.returncode != 0:
        why = last_words if group.returncode == 1 and last_words else f"its compilation {end}"
    if why:
        raise BotError(f"the module {module} cannot be used: {why}", bot.label)
