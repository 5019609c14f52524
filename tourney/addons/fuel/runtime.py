"""The runtime of modules: compiles them in the sandbox, and makes the commands and hosts that run them."""

import platform
import sys
from collections.abc import Hashable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from tourney.addons.fuel.channel import FuelChannel, Host, Hosts
from tourney.addons.fuel.meter import (
    FORM,
    MAX_MODULE,
    HostOrder,
    check_meter,
    meter_fault,
    refuse_unknown,
    wasmtime_version,
)
from tourney.addons.fuel.starter import MODULES, as_module, missing_tools
from tourney.bots.catalogue.build import host, keep_files, read_output
from tourney.bots.catalogue.command import PYTHON_FLAGS, BotCommand, command_of
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.bots.catalogue.tree import BUILT, SourceFile, copy_tree, locked, remove_tree, write_file_manifest
from tourney.bots.channel.interface import Channel, cut_line
from tourney.bots.metering import METER
from tourney.bots.modules import CODE, ModuleHosts, ModuleRuntime, ModuleTerms, VirtualClock
from tourney.bots.sandbox.bot_processes import last_line
from tourney.bots.sandbox.sandbox import ResourceLimits, Sandbox
from tourney.errors import BotError, SandboxError, StoreError, UsageError

COMPILE_SECONDS: Final = 120
COMPILE_MB: Final = 2_048
MAX_CODE: Final = 512 << 20  # bytes of the largest compiled module


class FuelHosts(ModuleHosts):
    """Host processes in a sandbox."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._hosts = Hosts()

    def channel(self, key: Hashable, command: BotCommand, terms: ModuleTerms, clock: VirtualClock) -> Channel:
        """The channel to a new instance of a module, in a host that is kept or new."""
        host_process = self._hosts.take(key, lambda: Host.start(command, terms.memory_mb, self._sandbox))
        order = HostOrder(b"N", terms.seed, terms.fuel_per_ms, terms.memory_mb << 20)
        back = partial(self._hosts.give_back, key)
        return FuelChannel(host_process, clock, terms.fuel_per_ms, order, back)

    def close(self) -> None:
        """End the hosts that are kept for later matches."""
        self._hosts.close()


class WasmtimeRuntime(ModuleRuntime):
    """Modules by wasmtime (the extra ``wasm``)."""

    languages = MODULES

    def compiled_folder(
        self, store: BotStore, bot: StoredBot, built: Path, sandbox: Sandbox, meter: str | None
    ) -> Path:
        """The folder of a bot's compiled module and nothing else."""
        place = store.root / "modules" / host() / bot.digest
        kind = meter or "plain"

        def make(new: Path) -> None:
            (new / "made").mkdir()
            _compile(bot, built, new / "made" / CODE, kind, sandbox)
            code = [SourceFile(CODE, new / "made" / CODE, executable=False)]
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

    def refuse_unknown(self, meter: str | None) -> None:
        """Raise UsageError for a meter that this version does not have."""
        refuse_unknown(meter)

    def check_meter(self, meter: str | None) -> None:
        """Raise UsageError if this machine's wasmtime is missing or counts otherwise."""
        check_meter(meter)

    def state(self) -> str:
        """Whether modules can play on this machine, and whether fuel is counted as records count it."""
        try:
            return meter_fault() or f"wasmtime {wasmtime_version()} counts as the meter {METER}"
        except UsageError as error:
            return str(error)

    def open_hosts(self, sandbox: Sandbox) -> ModuleHosts:
        """Host processes in a sandbox."""
        return FuelHosts(sandbox)

    def as_module(self, files: Mapping[str, str], language: str) -> Iterator[tuple[str, str]]:
        """Yield a template's files with the command and the build of a module."""
        return as_module(files, language)

    def missing_tools(self, language: str) -> str:
        """The tools that this machine lacks to build a module from a language, or ""."""
        return missing_tools(language)


def host_words(*words: str) -> tuple[str, ...]:
    """The command of a host process of modules; see ``tourney.addons.fuel.host``."""
    return (sys.executable, *PYTHON_FLAGS, "-m", "tourney.addons.fuel.host", *words)


def _compile(bot: StoredBot, folder: Path, target: Path, kind: str, sandbox: Sandbox) -> None:
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
    why = f"it takes longer than {COMPILE_SECONDS} s to compile"
    size = 0
    try:
        with target.open("wb") as out:
            for part in read_output(pipes.stdout, COMPILE_SECONDS, COMPILE_SECONDS):
                size += out.write(part or b"")
                if part == b"" or size > MAX_CODE:
                    why = f"its code is larger than {MAX_CODE >> 20} MiB" if part else ""
                    break
        if not why:
            group.exited(COMPILE_SECONDS * 1000)
            complaint = cut_line(last_line(pipes.stderr))
            end = group.death()
    finally:
        group.end(pipes)
    if not why and group.returncode != 0:
        why = complaint if group.returncode == 1 and complaint else f"its compilation {end}"
    if why:
        raise BotError(f"the module {module} cannot be used: {why}", bot.label)
