"""A program of this machine as a bot: the store gets a copy of its executable file, and a manifest."""

import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tourney.bots.catalogue.files import naming
from tourney.bots.catalogue.manifest import FILE_NAME, MODULE_SUFFIX, manifest_from_name
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.bots.catalogue.tree import remove_tree
from tourney.bots.protocols import Setting
from tourney.errors import BotError

PROGRAM_VERSION = "0"
"""The version of a program that comes without a manifest."""


def add_program(
    command: Sequence[str],
    store: BotStore,
    base: Path,
    *,
    protocol: str,
    options: Mapping[str, Setting],
    go: Mapping[str, int],
) -> StoredBot:
    """Put a program into the store, with its arguments and its protocol's settings, and return the bot.

    ``command[0]`` is a path relative to ``base`` if it contains ``/`` or is a ``*.wasm``, else a program on
    PATH. The digest
    covers the executable file and the manifest; libraries, data files and interpreters are the machine's.
    Raises BotError for a program that is missing, for one that needs files beside it (``python3``), and for
    settings that the protocol does not have; and StoreError.
    """
    word = command[0]
    found: str | Path | None
    if word.endswith(MODULE_SUFFIX):
        found = base / word if (base / word).is_file() else None
    else:
        found = shutil.which(base / word) if "/" in word else shutil.which(word, path=_search_path())
    if found is None and word.endswith(MODULE_SUFFIX):
        raise BotError(f"there is no WebAssembly module {base / word}; write its path in command")
    if found is None:
        where = f"no executable file {base / word}" if "/" in word else f"no program {word} on PATH"
        raise BotError(f"there is {where}; install it, or write the path of the program in command")
    if Path(word).name.rstrip("0123456789.") == "python":
        raise BotError(
            f"the command {' '.join(command[:3])} needs more files than a single program: make a folder"
            f" with {FILE_NAME}, as `tourney bots new` does, and name it by bot"
        )
    program = Path(found).resolve()
    folder = Path(tempfile.mkdtemp(prefix="tourney-program-"))
    try:
        with naming(program):
            name = manifest_from_name(Path(word).name, str(program)).name
            (folder / FILE_NAME).write_text(_manifest(name, command, protocol, options, go), encoding="utf-8")
            try:
                shutil.copyfile(program, folder / Path(word).name)
            except OSError as error:
                raise BotError(f"the program cannot be read: {error.strerror}") from error
            (folder / Path(word).name).chmod(0o755)
        return store.add(folder, origin="used")
    except BotError as error:
        raise BotError(str(error).replace(str(folder), " ".join(command)), error.bot) from error
    finally:
        remove_tree(folder)


def _search_path() -> str:
    """Return PATH with Debian's folders for games, which root's PATH lacks."""
    return ":".join((os.environ.get("PATH", os.defpath), "/usr/local/games", "/usr/games"))


def _manifest(
    name: str, command: Sequence[str], protocol: str, options: Mapping[str, Setting], go: Mapping[str, int]
) -> str:
    """Return a manifest as TOML: JSON's strings, numbers and booleans are TOML's."""
    words = [f"./{Path(command[0]).name}", *command[1:]]
    lines = [
        f"name = {_toml(name)}",
        f"version = {_toml(PROGRAM_VERSION)}",
        f"command = {_toml(words)}",
        f"protocol = {_toml(protocol)}",
    ]
    for title, table in (("options", options), ("go", go)):
        if table:
            lines += ["", f"[{title}]", *(f"{_toml(key)} = {_toml(table[key])}" for key in sorted(table))]
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
