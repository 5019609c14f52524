"""A digest of everything besides the data that decides a page's bytes: programs, templates and libraries."""

import hashlib
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path

from tourney.games.base import AnyGame

LIBRARIES = ("jinja2", "markupsafe", "rfc8785")
"""The libraries whose version may change a match's page."""

_PACKAGE = Path(__file__).resolve().parent.parent


def code_digest(game: AnyGame | None, templates: Iterable[Path]) -> str:
    """Return a digest of Tourney's programs, a game's program, the folders of templates, and LIBRARIES."""
    found = hashlib.sha256()
    for folder in (_PACKAGE, *_plugin(game), *templates):
        found.update(_folder_digest(folder))
    for name in LIBRARIES:
        found.update(f"{name} {version(name)}\n".encode())
    return found.hexdigest()


def _plugin(game: AnyGame | None) -> Iterator[Path]:
    """Yield the file or folder of a game that is no part of Tourney."""
    if game is None:
        return
    module = sys.modules.get(type(game).__module__)
    file = getattr(module, "__file__", None)
    if file is None or Path(file).resolve().is_relative_to(_PACKAGE):
        return
    path = Path(file).resolve()
    yield path.parent if (path.parent / "__init__.py").exists() else path


@cache
def _folder_digest(folder: Path) -> bytes:
    """Return a digest of a file, or of the names and contents of a folder's files."""
    found = hashlib.sha256()
    files = sorted(folder.rglob("*")) if folder.is_dir() else [folder]
    for path in files:
        if path.is_file() and path.suffix != ".pyc":
            content = path.read_bytes()
            found.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode())
            found.update(content)
    return found.digest()
