"""The command of a bot: its words, folder, environment, and the paths that a sandbox must let it read.

An SDK bot imports the SDK and the games without a PYTHONPATH, from the site-packages of the interpreter that
runs Tourney. That works for a wheel, for an editable checkout (through its .pth file), and in a sandbox that
shows the paths of ``BotCommand.read_only``. A program of this machine becomes a bot by ``add_program``.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Final

import tourney
from tourney.bots.catalogue.manifest import FILE_NAME, MODULE_SUFFIX, manifest_from_name
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.bots.catalogue.tree import SUBMITTED, naming
from tourney.bots.modules import find_runtime
from tourney.bots.protocols import Setting
from tourney.errors import BotError
from tourney.held_folder import copy_named, remove_tree
from tourney.plugins import installed, others
from tourney.schema import MAX_ARGUMENT, MAX_ARGUMENTS

PYTHON: Final = os.path.abspath(sys.executable)  # noqa: PTH100 - a link stays what it is
"""The interpreter that runs Tourney. A sandbox does not show what lies before a ``..`` of its path."""
PYTHON_FLAGS = ("-B", "-s")
"""Write no bytecode (the folder is read-only), and load no packages from HOME, which is /tmp."""
GAME_FOLDERS = ("/usr/local/games", "/usr/games")  # where Debian has its engines
PROGRAM_VERSION = "0"  # the version of a program that comes without a manifest
_MAX_LINKS: Final = 40


@dataclass(frozen=True, slots=True)
class BotCommand:
    """The command that starts a bot.

    ``argv`` runs in ``folder``; it names the bot's own program relative to it (``./program``), because the
    sandbox may show the folder under another path. ``env`` is the whole environment. ``read_only`` holds the
    paths, besides ``folder`` and the system's (``/usr``, ``/lib``, ``/bin``), that must be readable.
    ``hosted``: the program is the host process of a module.
    """

    argv: tuple[str, ...]
    folder: Path
    env: Mapping[str, str]
    read_only: tuple[Path, ...] = ()
    hosted: bool = False


def command_of(words: Sequence[str], folder: Path, *shown: Path) -> BotCommand:
    """A command in a bot's environment, which may read the interpreter, the SDK, and the paths ``shown``."""
    return BotCommand(tuple(words), folder, environment(), (*interpreter_paths(), *shown))


def bot_command(
    bot: StoredBot, args: Sequence[str] = (), folder: Path | None = None, *, metered: bool = False
) -> BotCommand:
    """The command that starts a stored bot with an entrant's arguments.

    ``folder`` is the one of ``runnable_folder`` (default: its files in the store). The command of a module is
    that of its host process, which counts fuel if ``metered``. Raises BotError for a missing program and for
    bad arguments.
    """
    if len(args) > MAX_ARGUMENTS or any(len(arg) > MAX_ARGUMENT or "\0" in arg for arg in args):
        raise BotError(
            f"give at most {MAX_ARGUMENTS} arguments of at most {MAX_ARGUMENT} characters each, without NUL",
            bot.label,
        )
    words, args = bot.manifest.command, bot.manifest.started(args)[1]
    hosted = bot.manifest.module is not None
    words = find_runtime().command_words(words, metered=metered) if hosted else own_words(words, bot.label)
    return replace(command_of((*words, *args), folder or bot.folder), hosted=hosted)


def own_words(words: Sequence[str], label: str) -> tuple[str, ...]:
    """A command with ``python3`` as this interpreter. Raises BotError if it is not on PATH."""
    program = words[0]
    if program == "python3":
        return (PYTHON, *PYTHON_FLAGS, *words[1:])
    if "/" not in program and shutil.which(program, path=search_path()) is None:
        raise BotError(
            f"there is no program {program} on PATH ({search_path()}); install it,"
            f" or write ./{program} for one of the bot's own",
            label,
        )
    return tuple(words)


def environment() -> dict[str, str]:
    """A bot's whole environment."""
    return {
        "PATH": search_path(),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "HOME": "/tmp",  # noqa: S108 - the sandbox gives each bot a /tmp of its own
        "PYTHONHASHSEED": "0",
    }


def search_path() -> str:
    """PATH: the usual folders, and first the interpreter's, so that ``env python3`` finds the SDK.

    Debian's folders of games, which hold its engines, come last.
    """
    interpreter_folder = str(Path(PYTHON).parent)
    usual = ["/usr/local/bin", "/usr/bin", "/bin", *GAME_FOLDERS]
    # PATH cannot name a folder whose name has a colon.
    return ":".join(
        usual if interpreter_folder in usual or ":" in interpreter_folder else [interpreter_folder, *usual]
    )


_OF_PREFIX: Final = tuple(dict.fromkeys(("bin", "include", "lib", sys.platlibdir, "pyvenv.cfg")))
"""What an interpreter needs of its prefix, which may hold other things: a project's folder with its database,
or a home."""
_FIND: Final = """\
import json, sys
from importlib.util import find_spec
paths = []
for name in sys.argv[1:]:
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        continue
    if spec is not None:
        paths += spec.submodule_search_locations or ([spec.origin] if spec.has_location else [])
print(json.dumps(paths))
"""
"""Prints the paths of modules, without running them."""


@cache
def interpreter_paths() -> tuple[Path, ...]:
    """The paths of the interpreter, the SDK and all installed games, sorted.

    Paths that do not exist, are empty folders, or lie below another one of the list, are left out.
    """
    prefixes = dict.fromkeys((sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix))
    paths = {Path(prefix) / name for prefix in prefixes for name in _OF_PREFIX}
    paths |= {*_links(Path(PYTHON)), _place(Path(os.__file__).parent), Path(tourney.__file__).parent}
    if library := sysconfig.get_config_var("INSTSONAME"):
        paths.add(Path(sysconfig.get_config_var("LIBDIR") or "/") / library)
    targets = [point.value for point in installed()]  # the packages of other games
    for addon in others()[0].values():
        targets += [*addon.games.values(), *addon.game_families.values()]
    modules = {target.partition(":")[0].partition(".")[0] for target in targets}
    paths |= _module_paths(modules - {tourney.__name__})
    # A link is of no use in the sandbox unless its target is there too.
    both = {Path(os.path.normpath(path)) for path in paths} | {path.resolve() for path in paths}
    present = sorted(path for path in both if path.is_file() or (path.is_dir() and any(path.iterdir())))
    return tuple(path for path in present if not any(other in path.parents for other in present))


def _links(program: Path) -> list[Path]:
    """A program and, if it is a link, all that it leads to, one after the other."""
    chain = [program]
    while chain[-1].is_symlink() and len(chain) < _MAX_LINKS:
        chain.append(chain[-1].parent / chain[-1].readlink())
    return chain


def _place(folder: Path) -> Path:
    """A folder of modules, or the archive that it lies in."""
    return next((path for path in (folder, *folder.parents) if path.exists()), folder)


def _module_paths(modules: Collection[str]) -> set[Path]:
    """The paths of top-level modules.

    The interpreter is asked as bots start it: then it does not search PYTHONPATH and the current folder,
    which may have other folders of the same names.
    """
    if not modules:
        return set()
    words = (PYTHON, *PYTHON_FLAGS, "-c", _FIND, *sorted(modules))
    done = subprocess.run(words, cwd="/", env=environment(), capture_output=True, check=False)  # noqa: S603 - the interpreter itself
    return set(map(Path, json.loads(done.stdout))) if done.returncode == 0 else set()


def program_path(word: str, base: Path) -> Path:
    """The file of a program: a path relative to ``base``, or one on PATH. Raises BotError if missing."""
    if word.endswith(MODULE_SUFFIX):
        if not (base / word).is_file():
            raise BotError(f"there is no WebAssembly module {base / word}; write its path in command")
        return base / word
    if "/" in word:
        path = shutil.which((base / word).absolute())  # a path without a slash would be looked up on PATH
    else:  # these are not on root's PATH
        folders = (os.environ.get("PATH", os.defpath), *GAME_FOLDERS)
        path = shutil.which(word, path=":".join(folders))
    if path is None:
        where = f"no executable file {base / word}" if "/" in word else f"no program {word} on PATH"
        raise BotError(f"there is {where}; install it, or write the path of the program in command")
    return Path(path)


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
    PATH. The digest covers the executable file and the manifest; libraries, data files and interpreters are
    the machine's. Raises BotError for a program that is missing, for one that needs files beside it
    (``python3``), and for settings that the protocol does not have; and StoreError.
    """
    word = command[0]
    named_program = program_path(word, base)
    if Path(word).name.rstrip("0123456789.") == "python":
        raise BotError(
            f"the command {' '.join(command[:3])} needs more files than a single program: make a folder"
            f" with {FILE_NAME}, as `tourney bots new` does, and name it by bot"
        )
    program = named_program.resolve()
    folder = Path(tempfile.mkdtemp(prefix="tourney-program-"))
    try:
        with naming(program):
            name = manifest_from_name(Path(word).name, str(program)).name
            (folder / FILE_NAME).write_text(_manifest(name, command, protocol, options, go), encoding="utf-8")
            try:
                copy_named(named_program, folder / Path(word).name, SUBMITTED.bytes)
            except OSError as error:
                raise BotError(f"the program cannot be read: {error.strerror}") from error
            (folder / Path(word).name).chmod(0o755)
        return store.add(folder, origin="used")
    except BotError as error:
        words = " ".join(command)
        sentence = str(error.args[0]).replace(str(folder), words)
        raise BotError(sentence, error.bot.replace(str(folder), words)) from error
    finally:
        remove_tree(folder)


def _manifest(
    name: str, command: Sequence[str], protocol: str, options: Mapping[str, Setting], go: Mapping[str, int]
) -> str:
    """A manifest as TOML: JSON's strings, numbers and booleans are TOML's."""
    toml = partial(json.dumps, ensure_ascii=False)
    words = [f"./{Path(command[0]).name}", *command[1:]]
    about = {"name": name, "version": PROGRAM_VERSION, "command": words, "protocol": protocol}
    lines = [f"{key} = {toml(value)}" for key, value in about.items()]
    for title, table in (("options", options), ("go", go)):
        if table:
            lines += ["", f"[{title}]", *(f"{toml(key)} = {toml(table[key])}" for key in sorted(table))]
    return "\n".join(lines) + "\n"
