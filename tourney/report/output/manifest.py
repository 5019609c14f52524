"""The manifest of a report: what its files contain and were made from, so that unchanged ones can stay.

It is a part of the report and, as all its files, the same for the same database.
"""

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path

from tourney.games.base import AnyGame
from tourney.parsing import parse_json

NAME = "tourney-manifest.json"
"""The file in a report's folder."""
FORMAT = "tourney-manifest/1"
LIBRARIES = ("jinja2", "markupsafe", "rfc8785")
"""The libraries whose version may change a match's page."""

_PACKAGE = Path(__file__).resolve().parent.parent


def content_hash(content: bytes) -> str:
    """Return the hash of a file's content: 128 bits, as they tell files apart and guard no secret."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Entry:
    """A file: the hash of its content, and the fingerprint of all that it was made from ("": not known)."""

    content: str
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files of a report by path."""

    files: Mapping[str, Entry] = field(default_factory=dict)

    def dump(self) -> bytes:
        """Return the manifest as a file, in the order of paths."""
        files = {
            path: [entry.content, entry.fingerprint] if entry.fingerprint else [entry.content]
            for path, entry in sorted(self.files.items())
        }
        lines = ",\n".join(f"{json.dumps(path)}:{json.dumps(entry)}" for path, entry in files.items())
        return f'{{"format":"{FORMAT}","files":{{\n{lines}\n}}}}\n'.encode("ascii")


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a report's folder, or an empty one where it is missing or damaged."""
    try:
        data = parse_json((folder / NAME).read_bytes())
    except (OSError, ValueError):
        return Manifest()
    files = data.get("files") if isinstance(data, dict) and data.get("format") == FORMAT else None
    if not isinstance(files, dict):
        return Manifest()
    return Manifest({path: Entry(*entry) for path, entry in files.items() if _fits(entry)})


def _fits(entry: object) -> bool:
    return isinstance(entry, list) and len(entry) in (1, 2) and all(isinstance(word, str) for word in entry)


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
