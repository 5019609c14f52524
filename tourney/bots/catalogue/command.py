"""What it takes to start a bot: words, folder, environment, and what a sandbox must let it read.

An SDK bot needs the interpreter that runs Tourney, with the SDK and the games importable, and no
PYTHONPATH may be set; so importing must work by the interpreter's own site-packages. That holds for a wheel
install (the package lies there), for an editable checkout (a .pth file there names it), and in a sandbox
that shows the same paths read-only: ``BotCommand.read_only`` lists them.
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
from tourney.games.registry import GAMES

PYTHON_FLAGS = ("-B", "-s")
"""No bytecode is written (a bot's folder is read-only), and no packages come from HOME, which is /tmp."""

MAX_ARGS = 100
MAX_ARG = 1_000


@dataclass(frozen=True, slots=True)
class BotCommand:
    """How a bot is started.

    ``argv`` is run with ``folder`` as the working directory; a program of the bot's own is named relative
    to it (``./program``), so the folder may be shown to the bot under another path. ``env`` is the whole
    environment. ``read_only`` holds the paths, besides ``folder`` and the system's own (``/usr``, ``/lib``,
    ``/bin``), that must be readable under the same names.
    """

    argv: tuple[str, ...]
    folder: Path
    env: tuple[tuple[str, str], ...]
    read_only: tuple[Path, ...] = ()

    @property
    def environ(self) -> dict[str, str]:
        """The environment as a mapping."""
        return dict(self.env)


def bot_command(bot: StoredBot, args: Sequence[str] = (), folder: Path | None = None) -> BotCommand:
    """Return the command that starts a stored bot with an entrant's arguments.

    ``folder`` is where its files lie if not in the store entry: what ``tourney.bots.catalogue.build``
    made of them.
    Raises BotError for a program that is not there, and for arguments that no command can have.
    """
    if len(args) > MAX_ARGS or any(len(arg) > MAX_ARG or "\0" in arg for arg in args):
        raise BotError(f"{bot.label}: more than {MAX_ARGS} arguments, or one that is too long or holds a NUL")
    return BotCommand(
        argv=(*own_words(bot.manifest.command, bot.label), *args),
        folder=bot.folder if folder is None else folder,
        env=environment(),
        read_only=interpreter_paths(),
    )


def own_words(words: Sequence[str], label: str) -> tuple[str, ...]:
    """Return a command with ``python3`` as this interpreter. Raises BotError for what is not on PATH."""
    program = words[0]
    if program == "python3":
        return (sys.executable, *PYTHON_FLAGS, *words[1:])
    if "/" not in program and shutil.which(program, path=search_path()) is None:
        raise BotError(
            f"{label}: there is no program {program} on PATH ({search_path()}); install it,"
            f" or write ./{program} for one of the bot's own"
        )
    return tuple(words)


def environment() -> tuple[tuple[str, str], ...]:
    """Return a bot's environment: these five and nothing else."""
    return (
        ("PATH", search_path()),
        ("LANG", "C.UTF-8"),
        ("TZ", "UTC"),
        ("HOME", "/tmp"),  # noqa: S108 - the sandbox gives each bot a /tmp of its own
        ("PYTHONHASHSEED", "0"),
    )


def search_path() -> str:
    """Return PATH: the interpreter's folder, so that ``env python3`` finds the SDK too, and the usual."""
    own = str(Path(sys.executable).parent)
    usual = ["/usr/local/bin", "/usr/bin", "/bin"]
    return ":".join(usual if own in usual or ":" in own else [own, *usual])


@cache
def interpreter_paths() -> tuple[Path, ...]:
    """Return what the interpreter, the SDK and all installed games are read from, without doubles, sorted.

    Paths below another one of the list, or that do not exist, are left out.
    """
    paths = {Path(sys.prefix), Path(sys.base_prefix), Path(tourney.__file__).parent}
    paths.add(Path(sys.executable).resolve().parent)
    for point in entry_points(group=GAMES.group):
        paths.update(_places(point.value.partition(":")[0].partition(".")[0]))
    both = paths | {path.resolve() for path in paths}
    present = sorted(path for path in both if path.exists())
    return tuple(path for path in present if not any(other in path.parents for other in present))


def _places(module: str) -> list[Path]:
    """Return where a top-level module lies, without running it."""
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        return []
    if spec is None:
        return []
    if spec.submodule_search_locations is not None:
        return [Path(place) for place in spec.submodule_search_locations]
    return [Path(spec.origin)] if spec.origin is not None and spec.has_location else []
