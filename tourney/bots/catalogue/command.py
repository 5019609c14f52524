"""The command of a bot: its words, folder, environment, and the paths that a sandbox must let it read.

An SDK bot imports the SDK and the games without a PYTHONPATH, from the site-packages of the interpreter that
runs Tourney. That works for a wheel, for an editable checkout (through its .pth file), and in a sandbox that
shows the paths of ``BotCommand.read_only``.
"""

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import tourney
from tourney.bots.catalogue.store import StoredBot
from tourney.errors import BotError
from tourney.games.family import FAMILIES
from tourney.games.registry import GAMES
from tourney.schema import MAX_ARGUMENT, MAX_ARGUMENTS

PYTHON_FLAGS = ("-B", "-s")
"""Write no bytecode (the folder is read-only), and load no packages from HOME, which is /tmp."""


CODE = "module.bin"
"""The file of a compiled module."""


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
    env: tuple[tuple[str, str], ...]
    read_only: tuple[Path, ...] = ()
    hosted: bool = False

    @property
    def environ(self) -> dict[str, str]:
        """The environment as a mapping."""
        return dict(self.env)


def bot_command(
    bot: StoredBot, args: Sequence[str] = (), folder: Path | None = None, *, metered: bool = False
) -> BotCommand:
    """Return the command that starts a stored bot with an entrant's arguments.

    ``folder`` is the one of ``runnable_folder`` (default: its files in the store). The command of a module is
    that of its host process, which counts fuel if ``metered``. Raises BotError for a missing program and for
    bad arguments.
    """
    if len(args) > MAX_ARGUMENTS or any(len(arg) > MAX_ARGUMENT or "\0" in arg for arg in args):
        raise BotError(
            f"give at most {MAX_ARGUMENTS} arguments of at most {MAX_ARGUMENT} characters each, without NUL",
            bot.label,
        )
    words = bot.manifest.command
    hosted = bot.manifest.module is not None
    return BotCommand(
        argv=(
            *(
                host_words("fuel" if metered else "clock", CODE, *words)
                if hosted
                else own_words(words, bot.label)
            ),
            *args,
        ),
        folder=bot.folder if folder is None else folder,
        env=environment(),
        read_only=interpreter_paths(),
        hosted=hosted,
    )


def host_words(*words: str) -> tuple[str, ...]:
    """Return the command of a host process of modules; see ``tourney.bots.wasm.host``."""
    return (sys.executable, *PYTHON_FLAGS, "-m", "tourney.bots.wasm.host", *words)


def own_words(words: Sequence[str], label: str) -> tuple[str, ...]:
    """Return a command with ``python3`` as this interpreter. Raises BotError if it is not on PATH."""
    program = words[0]
    if program == "python3":
        return (sys.executable, *PYTHON_FLAGS, *words[1:])
    if "/" not in program and shutil.which(program, path=search_path()) is None:
        raise BotError(
            f"there is no program {program} on PATH ({search_path()}); install it,"
            f" or write ./{program} for one of the bot's own",
            label,
        )
    return tuple(words)


def environment() -> tuple[tuple[str, str], ...]:
    """Return a bot's whole environment."""
    return (
        ("PATH", search_path()),
        ("LANG", "C.UTF-8"),
        ("TZ", "UTC"),
        ("HOME", "/tmp"),  # noqa: S108 - the sandbox gives each bot a /tmp of its own
        ("PYTHONHASHSEED", "0"),
    )


def search_path() -> str:
    """Return PATH: the usual folders, and first the interpreter's, so that ``env python3`` finds the SDK."""
    own = str(Path(sys.executable).parent)
    usual = ["/usr/local/bin", "/usr/bin", "/bin"]
    return ":".join(usual if own in usual or ":" in own else [own, *usual])


@cache
def interpreter_paths() -> tuple[Path, ...]:
    """Return the paths of the interpreter, the SDK and all installed games, sorted.

    Paths that do not exist, or lie below another one of the list, are left out.
    """
    paths = {Path(sys.prefix), Path(sys.base_prefix), Path(tourney.__file__).parent}
    paths.add(Path(sys.executable).resolve().parent)
    for group in (GAMES.group, FAMILIES.group):
        for point in entry_points(group=group):
            paths.update(_places(point.value.partition(":")[0].partition(".")[0]))
    both = paths | {path.resolve() for path in paths}
    present = sorted(path for path in both if path.exists())
    return tuple(path for path in present if not any(other in path.parents for other in present))


def _places(module: str) -> list[Path]:
    """Return the paths of a top-level module, without running it."""
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        return []
    if spec is None:
        return []
    if spec.submodule_search_locations is not None:
        return [Path(place) for place in spec.submodule_search_locations]
    return [Path(spec.origin)] if spec.origin is not None and spec.has_location else []
