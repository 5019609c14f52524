"""Writes the package of a new game: rules, diagram, guide, rules page and tests, which pass unchanged."""

import keyword
import sys
from pathlib import Path
from typing import Final

from tourney.errors import GameError
from tourney.files import write_folder
from tourney.games.base import GAME_PATTERN
from tourney.games.registry import FAMILIES, GAMES

_FILES: Final = Path(__file__).parent / "new_game_files"
_PLACES: Final = {
    "pyproject.toml": "pyproject.toml",
    "game.py": "{package}/__init__.py",
    "guide.toml": "{package}/guide.toml",
    "rules.md": "{package}/rules.md",
    "test.py": "tests/test_{package}.py",
}


def new_game(folder: Path) -> tuple[Path, ...]:
    """Write a package into a new folder, whose name is the game's; return its files.

    Raises GameError for a name that no game can have, or that a game or module has, and for a folder that
    exists.
    """
    name = folder.name
    package = name.replace("-", "_")
    if GAME_PATTERN.fullmatch(name) is None or ":" in name or name.endswith("-"):
        raise GameError(
            f"{name!r} is not a name for a game: use small letters, digits and '-', a letter first"
        )
    if GAMES.knows(name) or FAMILIES.knows(name):
        raise GameError(f"there is a game {name} already; choose another name")
    # The package would hide a module of that name from everything that imports it.
    if keyword.iskeyword(package) or package in sys.stdlib_module_names or package == "tourney":
        raise GameError(f"{package} is the name of a module of Python or Tourney; choose another name")
    words = {
        "@NAME@": name,
        "@PACKAGE@": package,
        "@CLASS@": "".join(part.capitalize() for part in name.split("-")),
        "@TITLE@": name.replace("-", " ").title(),
    }
    files = {}
    for source, place in _PLACES.items():
        text = (_FILES / f"{source}.in").read_text("utf-8")
        for mark, word in words.items():
            text = text.replace(mark, word)
        files[place.format(package=package)] = text
    return write_folder(folder, files, GameError)
