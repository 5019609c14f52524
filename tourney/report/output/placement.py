"""The files of a report in a new folder: linked from the old report if they are the same, else written.

The manifest holds the hash of each file and the fingerprint of its inputs. Like all files of the report, it
is the same for the same database.
"""

import errno
import hashlib
import json
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

import tourney
from tourney.games.base import AnyGame
from tourney.parsing import parse_json

MANIFEST = "tourney-manifest.json"
"""The file in a report's folder."""
_FORMAT = "tourney-manifest/1"
LIBRARIES = ("jinja2", "markupsafe", "numpy", "pandas", "rfc8785", "trueskill")
"""The libraries whose version may change a page."""

_PACKAGE = Path(tourney.__file__).resolve().parent
# Somebody may have put a link or a pipe into the old report: neither is followed, and no open blocks.
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def content_hash(content: bytes) -> str:
    """The hash of a file's content: 128 bits are enough, because it guards no secret."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """A file: the hash of its content, and the fingerprint of its inputs ("": not known)."""

    content: str
    fingerprint: str = ""


def dump_manifest(entries: Mapping[str, ManifestEntry]) -> bytes:
    """The manifest of files by path, in the order of paths."""
    files = {
        path: [entry.content, entry.fingerprint] if entry.fingerprint else [entry.content]
        for path, entry in sorted(entries.items())
    }
    lines = ",\n".join(f"{json.dumps(path)}:{json.dumps(entry)}" for path, entry in files.items())
    return f'{{"format":"{_FORMAT}","files":{{\n{lines}\n}}}}\n'.encode("ascii")


def read_manifest(folder: Path) -> dict[str, ManifestEntry]:
    """The files of a report's folder by its manifest; none if that is missing or damaged."""
    try:
        data = parse_json((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return {}
    files = data.get("files") if isinstance(data, dict) and data.get("format") == _FORMAT else None
    entries = files if isinstance(files, dict) else {}
    return {path: ManifestEntry(*entry) for path, entry in entries.items() if _fits(entry)}


def _fits(entry: object) -> bool:
    return isinstance(entry, list) and len(entry) in (1, 2) and all(isinstance(word, str) for word in entry)


def code_digest(game: AnyGame | None, templates: Iterable[Path]) -> str:
    """A digest of Tourney's programs, a game's program, the folders of templates, and ``LIBRARIES``."""
    digest = hashlib.sha256()
    for folder in (_PACKAGE, *_plugin(game), *templates):
        digest.update(_folder_digest(folder))
    # Their versions decide how numbers round and how templates render.
    for name in LIBRARIES:
        digest.update(f"{name} {version(name)}\n".encode())
    return digest.hexdigest()


def _plugin(game: AnyGame | None) -> Iterator[Path]:
    """Yield the file or folder of a plugin's game."""
    if game is None:
        return
    module = sys.modules.get(type(game).__module__)
    file = getattr(module, "__file__", None)
    if file is None or Path(file).resolve().is_relative_to(_PACKAGE):
        return
    # A plugin's game decides boards and notation, so its code counts like our own.
    path = Path(file).resolve()
    yield path.parent if (path.parent / "__init__.py").exists() else path


@cache
def _folder_digest(folder: Path) -> bytes:
    """A digest of a file, or of the names and contents of a folder's files."""
    digest = hashlib.sha256()
    # Sorted: the order of a folder's entries differs between file systems.
    files = sorted(folder.rglob("*")) if folder.is_dir() else [folder]
    for path in files:
        # Compiled files hold times, and change without a change of the program.
        if path.is_file() and path.suffix != ".pyc":
            content = path.read_bytes()
            digest.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode())
            digest.update(content)
    return digest.digest()


@dataclass(frozen=True, slots=True)
class PlacedFile:
    """A file in the new folder: its entry in the manifest, its bytes, and whether the old report had it."""

    path: str
    entry: ManifestEntry
    size: int
    unchanged: bool


@dataclass(frozen=True, slots=True)
class Folders:
    """The folder to fill, whose subfolders exist already, and the old report's folder; picklable.

    ``old_entry`` in the methods is the file's entry in the old report's manifest.
    """

    new: Path
    old: Path

    def keep(self, path: str, old_entry: ManifestEntry, fingerprint: str = "") -> PlacedFile | None:
        """Link or copy a file of the old report; None if it has changed since. Raises OSError."""
        content = self.intact(path, old_entry)
        if content is None:
            return None
        if not self._link(path):
            self._write(path, content)
        return PlacedFile(path, ManifestEntry(old_entry.content, fingerprint), len(content), unchanged=True)

    def place(
        self, path: str, content: bytes, old_entry: ManifestEntry | None, fingerprint: str = ""
    ) -> PlacedFile:
        """Write a file, or link the old report's file if it is the same. Raises OSError."""
        entry = ManifestEntry(content_hash(content), fingerprint)
        # A file with the same content is linked: web servers and backups see no change.
        same = old_entry is not None and old_entry.content == entry.content
        if old_entry is not None and same and (linked := self.keep(path, old_entry, fingerprint)) is not None:
            return linked
        self._write(path, content)
        return PlacedFile(path, entry, len(content), unchanged=False)

    def intact(self, path: str, old_entry: ManifestEntry) -> bytes | None:
        """The content of a file of the old report, or None if it has changed since."""
        try:
            descriptor = os.open(f"{self.old}/{path}", _FLAGS)
            with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    return None
                content = file.read()
        except OSError:
            return None
        return content if content_hash(content) == old_entry.content else None

    def _link(self, path: str) -> bool:
        """Link a file of the old report; False if this file system or these rights do not allow it."""
        # A symbolic link that somebody put into the old report could lead outside of it.
        try:
            os.link(f"{self.old}/{path}", f"{self.new}/{path}", follow_symlinks=False)
        except OSError as error:
            # A full disk would fail the copy too; other errors only mean that this place has no links.
            if error.errno == errno.ENOSPC:
                raise
            return False
        return True

    def _write(self, path: str, content: bytes) -> None:
        with open(f"{self.new}/{path}", "wb") as file:  # noqa: PTH123 - thousands of files
            file.write(content)
