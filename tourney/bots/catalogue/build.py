"""Builds bots: once per host, kept beside the entries of the store."""

import platform
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from tourney.bots.catalogue.build_process import BuildJob, BuildResult, run_build
from tourney.bots.catalogue.command import own_words
from tourney.bots.catalogue.files import (
    find_difference,
    locked,
    naming,
    read_file_manifest,
    sync_folder,
    write_file_manifest,
)
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.bots.catalogue.submission import check_command
from tourney.bots.catalogue.tree import BUILT, remove_tree
from tourney.bots.sandbox.base import Sandbox
from tourney.bots.wasm.modules import compiled_folder
from tourney.errors import BotError, StoreError

_NEW: Final = ".new"
"""The suffix of a build's folder until it is whole."""
_SHOWN_LINES: Final = 15


def runnable_folder(store: BotStore, bot: StoredBot, sandbox: Sandbox, *, metered: bool = False) -> Path:
    """Return the folder to start a bot in: its files in the store, or with a build, the result of that.

    For a module it is the folder of its compiled code, which counts fuel if ``metered``; only modules can.
    Build and compilation run at the first call on a host; concurrent callers wait for them. Raises BotError,
    with the last lines as a note, for a failed build and for what cannot be run so, UsageError for a module
    without wasmtime, and StoreError if the store cannot be written.
    """
    module = bot.manifest.module
    if metered and module is None:
        raise BotError(
            f'the bot {bot.label} is no WebAssembly module, and charge = "fuel" counts the work of modules'
            ' only; use charge = "wall" or "cpu", or modules alone',
            bot.label,
        )
    folder = _built_folder(store, bot, sandbox)
    if module is None:
        return folder
    place = store.root / "modules" / host() / bot.digest
    try:
        return compiled_folder(place, folder, module, bot.label, sandbox, metered=metered)
    except OSError as error:
        raise StoreError(f"the module of {bot.label} cannot be compiled in {place}: {error}") from error


def _built_folder(store: BotStore, bot: StoredBot, sandbox: Sandbox) -> Path:
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
            new = place.with_name(f"{bot.digest}{_NEW}")
            if new.exists():
                remove_tree(new)
            _sweep(place.parent)
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


def remove_builds(store: BotStore, digest: str) -> None:
    """Remove a bot's builds and compiled modules, of all hosts that use the store; its next use makes them.

    Raises StoreError if the store cannot be written.
    """
    for kind in ("builds", "modules"):
        for place in sorted(store.root.glob(f"{kind}/*/{digest}")):
            try:
                remove_tree(place)
            except OSError as error:
                raise StoreError(f"{place} cannot be removed: {error.strerror or error}") from error


def build_damage(folder: Path) -> str:
    """Return what is wrong with a build that is kept, or ""."""
    try:
        return find_difference(read_file_manifest(folder), folder / "files", links=True, bounds=BUILT)
    except BotError as error:
        return str(error)


def host() -> str:
    """Return this host's name and architecture as the name of a folder."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", f"{platform.node() or 'host'}-{platform.machine()}").lstrip(".")


def _sweep(builds: Path) -> None:
    """Remove what builds of other bots left that were killed: the lock of such a bot is free."""
    for new in builds.glob(f"*{_NEW}"):
        with suppress(BlockingIOError), locked(new.with_suffix(".lock"), wait=False):
            if new.exists():
                remove_tree(new)


def _build(bot: StoredBot, new: Path, sandbox: Sandbox) -> None:
    """Build a bot in the new folder ``new``. Raises BotError, with the last lines as a note, and OSError."""
    new.mkdir()
    job = BuildJob(own_words(bot.manifest.build, bot.label), bot.folder, new / "files")
    result = run_build(job, sandbox)
    try:
        _check(bot, result)
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
    write_file_manifest(new, result.files)


def _check(bot: StoredBot, result: BuildResult) -> None:
    """Raise BotError if a build failed or made no program to start."""
    if result.why:
        raise BotError(f"the build of {bot.label} ({' '.join(bot.manifest.build)}) failed: {result.why}")
    with naming(f"the build of {bot.label}"):
        check_command(bot.manifest, result.files, built=True)
