"""Shows what lies below the host's /tmp elsewhere, because a bot's own /tmp is empty at its start.

That matters where the environment that runs Tourney lies there. Its files that name paths (``pyvenv.cfg`` and
the ``.pth`` files of packages) are shown with the new ones.
"""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from tourney.bots.catalogue.command import BotCommand

PRIVATE: Final = (Path("/tmp"), Path("/dev/shm"))  # noqa: S108 - what belongs to the bot inside
NEW_ROOT: Final = Path("/environment")
_NAMED = re.compile(r"""(^|[\s='"])(/tmp/|/dev/shm/)""", re.MULTILINE)


def is_private(path: Path) -> bool:
    """Return whether a path lies where a bot has files of its own."""
    return any(path.is_relative_to(private) for private in PRIVATE)


def new_place(path: Path) -> Path:
    """Return the path under which a bot sees a path of the host."""
    return NEW_ROOT / path.relative_to("/") if is_private(path) else path


def moved(command: BotCommand) -> BotCommand:
    """Return a command whose program, interpreter and PATH are those that the bot sees."""
    own = (command.argv[0], sys.executable)
    words = (str(new_place(Path(word))) if word in own and word[:1] == "/" else word for word in command.argv)
    env = tuple((name, _moved_paths(value) if name == "PATH" else value) for name, value in command.env)
    return replace(command, argv=tuple(words), env=env)


def _moved_paths(value: str) -> str:
    return ":".join(str(new_place(Path(part))) for part in value.split(":"))


@cache
def changed_files(shown: Sequence[Path]) -> tuple[tuple[Path, bytes], ...]:
    """Return the files below moved paths that name moved paths: each with its content for the bots."""
    found = []
    for file in _naming_files([path for path in shown if is_private(path)]):
        try:
            text = file.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        new = _NAMED.sub(rf"\1{NEW_ROOT}\2", text)
        if new != text:
            found.append((file, new.encode()))
    return tuple(found)


def _naming_files(shown: Sequence[Path]) -> Iterator[Path]:
    for path in shown:
        if (path / "pyvenv.cfg").is_file():
            yield path / "pyvenv.cfg"
        yield from sorted(path.glob("lib/python*/site-packages/*.pth"))


def can_move(program: str) -> bool:
    """Return whether a program would be found: none of its links names a path that is moved."""
    path = Path(program)
    for _ in range(40):
        if not path.is_symlink():
            return True
        target = Path(os.readlink(path))  # noqa: PTH115 - as it is written
        if target.is_absolute() and is_private(target):
            return False
        path = path.parent / target
    return False
