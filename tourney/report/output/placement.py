"""The files of a report in a new folder: linked from the old report if they are the same, else written.

The manifest holds the hash of each file. Like all files of the report, it is the same for the same database.
"""

import errno
import hashlib
import json
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

import tourney
from tourney.games.base import AnyGame
from tourney.parsing import parse_json
from tourney.plugins import installed, others
from tourney.report.output.layout import File

MANIFEST = "tourney-manifest.json"
"""The file in a report's folder."""
_FORMAT = "tourney-manifest/1"
LIBRARIES = (
    *("jinja2", "markupsafe", "msgspec", "numpy", "pandas", "rfc8785", "trueskill"),
    # Those of games: they write moves, and name openings.
    *("chess", "open_spiel", "pyffish"),
)
"""The libraries whose version may change a page; some may not be installed."""

_PACKAGE = Path(tourney.__file__).resolve().parent
# Somebody may have put a link or a pipe into the old report: neither is followed, and no open blocks.
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def content_hash(content: bytes) -> str:
    """The hash of a file's content: 128 bits are enough, because it guards no secret."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """A file: the hash of its content."""

    content: str


def dump_manifest(entries: Mapping[str, ManifestEntry]) -> bytes:
    """The manifest of files by path, in the order of paths."""
    lines = ",\n".join(
        f"{json.dumps(path)}:{json.dumps([entry.content])}" for path, entry in sorted(entries.items())
    )
    return f'{{"format":"{_FORMAT}","files":{{\n{lines}\n}}}}\n'.encode("ascii")


def read_regular(path: Path | str) -> bytes:
    """The content of a file. Raises OSError, also for a link, a pipe and a device."""
    descriptor = os.open(path, _FLAGS)
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        return file.read()


def manifest_bytes(folder: Path) -> bytes:
    """The manifest of a report's folder; empty if it is missing."""
    try:
        return read_regular(folder / MANIFEST)
    except OSError:
        return b""


def parse_manifest(content: bytes) -> dict[str, ManifestEntry]:
    """The files of a report's folder by its manifest; none if that is damaged."""
    try:
        data = parse_json(content)
    except ValueError:
        return {}
    files = data.get("files") if isinstance(data, dict) and data.get("format") == _FORMAT else None
    entries = files if isinstance(files, dict) else {}
    # Manifests of older versions hold a second word, a fingerprint of the inputs.
    return {path: ManifestEntry(entry[0]) for path, entry in entries.items() if _fits(path, entry)}


def _fits(path: str, entry: object) -> bool:
    # Somebody may have written a path into it that leads out of the folder, or that no file can have.
    inside = path.isprintable() and not {"", ".", ".."}.intersection(path.split("/"))
    words = entry if isinstance(entry, list) else []
    return inside and len(words) in (1, 2) and all(isinstance(word, str) for word in words)


def code_digest(game: AnyGame | None, templates: Iterable[Path]) -> str:
    """A digest of all programs that a page may come from.

    These are Tourney's, those of add-ons and of a game, the folders of templates, Python and ``LIBRARIES``.
    """
    digest = hashlib.sha256()
    for folder in (_PACKAGE, *_addons(), *_plugin(game)):
        digest.update(_program_digest(folder))
    for folder in templates:
        # Not cached: somebody may edit them while `--watch` writes one report after another.
        digest.update(_folder_digest(folder))
    # Their versions decide how numbers round, how templates render and which letters are known.
    digest.update(f"python {sys.version}\n".encode())
    for name in LIBRARIES:
        with suppress(PackageNotFoundError):
            digest.update(f"{name} {version(name)}\n".encode())
    return digest.hexdigest()


def _addons() -> Iterator[Path]:
    """Yield the files or folders of the add-ons of other packages: they may bring pages, and write games."""
    others()  # loads them, so that their modules are there
    for point in installed():
        # The whole package: an add-on may be a small module of it, which names all others.
        yield from _program(point.module)
        # Single modules lie among those of other distributions.
        files = (point.dist.files if point.dist is not None else None) or ()
        yield from (Path(file.locate()) for file in files if file.suffix == ".py" and len(file.parts) == 1)


def _plugin(game: AnyGame | None) -> Iterator[Path]:
    """Yield the files or folders of a plugin's game, and of what it inherits from."""
    if game is not None:
        for kind in type(game).__mro__:
            yield from _program(kind.__module__)


def _program(name: str) -> Iterator[Path]:
    """Yield the files or folders of a module that is not Tourney's, and of its package as a whole."""
    top = name.partition(".")[0]
    names = () if top in sys.stdlib_module_names else (top, name)
    for module in names:
        file = getattr(sys.modules.get(module), "__file__", None)
        if file is None or Path(file).resolve().is_relative_to(_PACKAGE):
            continue
        # A plugin's game decides boards and notation, so its code counts like Tourney's.
        path = Path(file).resolve()
        if (path.parent / "__init__.py").exists():
            yield path.parent
        else:
            # A module may import those beside it; those of an installed one are listed by its distribution.
            installed_apart = path.parent.name in {"site-packages", "dist-packages"}
            yield from [path] if installed_apart else sorted(path.parent.glob("*.py"))


@cache
def _program_digest(folder: Path) -> bytes:
    """The digest of a folder whose programs this process has loaded already."""
    return _folder_digest(folder)


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

    def keep(self, path: str, old_entry: ManifestEntry) -> PlacedFile | None:
        """Link or copy a file of the old report; None if it has changed since. Raises OSError."""
        content = self.intact(path, old_entry)
        return None if content is None else self.take_over(path, old_entry, content)

    def take_over(self, path: str, old_entry: ManifestEntry, content: bytes) -> PlacedFile:
        """Link or copy a file of the old report that is intact. Raises OSError."""
        if not self._link(path):
            self._write(path, content)
        return PlacedFile(path, old_entry, len(content), unchanged=True)

    def place(self, path: str, content: bytes, old_entry: ManifestEntry | None) -> PlacedFile:
        """Write a file, or link the old report's file if it is the same. Raises OSError."""
        entry = ManifestEntry(content_hash(content))
        # A file with the same content is linked: web servers and backups see no change.
        same = old_entry is not None and old_entry.content == entry.content
        if old_entry is not None and same and (linked := self.keep(path, old_entry)) is not None:
            return linked
        self._write(path, content)
        return PlacedFile(path, entry, len(content), unchanged=False)

    def intact(self, path: str, old_entry: ManifestEntry) -> bytes | None:
        """The content of a file of the old report, or None if it has changed since."""
        try:
            content = read_regular(f"{self.old}/{path}")
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


class PageInputs(NamedTuple):
    """What a page of a report was made from; ``beside`` are the paths of the files that were made with it."""

    fingerprint: str
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlacedPage:
    """A page and the files beside it, the page first; a file with damaged parts is there as its content."""

    files: tuple[PlacedFile | File, ...]
    fingerprint: str


@dataclass(frozen=True, slots=True)
class EarlierReport:
    """The report that a new one replaces: its manifest's entries, and the inputs of its pages by path."""

    folders: Folders
    entries: Mapping[str, ManifestEntry]
    inputs: Mapping[str, PageInputs]

    def paths(self, path: str) -> tuple[str, ...]:
        """The paths of a page and of the files that were made with it."""
        return path, *(self.inputs[path].beside if path in self.inputs else ())

    def keep(self, path: str, fingerprint: str) -> PlacedPage | None:
        """Keep a page and the files beside it, if it was made from the same and nothing has changed since.

        Raises OSError.
        """
        made_from = self.inputs.get(path)
        if made_from is None or made_from.fingerprint != fingerprint:
            return None
        intact = []
        for each in self.paths(path):
            entry = self.entries.get(each)
            content = None if entry is None else self.folders.intact(each, entry)
            if entry is None or content is None:
                return None
            intact.append((each, entry, content))
        # Only now: a file that is written over a link would change the old report.
        return PlacedPage(tuple(self.folders.take_over(*file) for file in intact), fingerprint)
