"""Write a site to a folder, atomically."""

import ctypes
import errno
import glob
import json
import os
import shutil
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType

import msgspec
from msgspec import Struct

from tourney.errors import EnvironmentFailure, UsageError
from tourney.files import write_file
from tourney.parsing import parse_json
from tourney.prepared_types import prepared
from tourney.report.output.inputs import PendingPage, StoredValues
from tourney.report.output.layout import File
from tourney.report.output.placement import (
    MANIFEST,
    EarlierReport,
    Folders,
    PageInputs,
    PlacedFile,
    PlacedPage,
    content_hash,
    dump_manifest,
    manifest_bytes,
    parse_manifest,
    read_regular,
)
from tourney.report.site import Part
from tourney.spawning import Pool

MARKER = "tourney-report.json"
"""The file that marks a folder as a report, which a new report may replace."""
FORMAT = "tourney-report/1"

_AHEAD = 32
"""Tasks in flight for each process, so that it has work while this one makes the other pages."""
_PARTIAL = ".partial-"
_STATE = ".report-state"
"""End of the name of the file beside a report that holds what its pages were made from."""
_STATE_FORMAT = "tourney-report-state/1"
_EXCHANGE = 2
"""RENAME_EXCHANGE of renameat2(2)."""
_HERE = -100
"""AT_FDCWD of openat(2): relative paths start at the working directory."""


@dataclass(frozen=True, slots=True)
class Written:
    """The written report: its first page and size; ``damaged`` has the reasons for missing parts.

    ``unchanged``: the number of files that the old report had already. ``verdict``: the sentence on who won
    the tournament, or "". ``manifest``: the hash of its manifest. ``inputs``: what its pages were made from,
    by path.
    """

    index: Path
    pages: int
    files: int
    bytes: int
    unchanged: int = 0
    damaged: tuple[str, ...] = ()
    verdict: str = ""
    manifest: str = ""
    inputs: Mapping[str, PageInputs] = field(default_factory=dict, repr=False)


class _State(Struct, frozen=True):
    """The content of the file beside a report.

    ``state``: a digest of all that the report was written from, or "" for one that is never written from the
    same again. ``manifest``: the hash of its manifest. ``pages``: by path the fingerprint, then the paths of
    the files beside the page. ``values``: see ``StoredValues``.
    """

    format: str
    state: str
    manifest: str
    verdict: str
    pages: dict[str, tuple[str, ...]]
    values: dict[str, msgspec.Raw]


def write(
    parts: Iterable[Part],
    out: Path,
    progress: Callable[[str], None] | None = None,
    *,
    processes: int = 1,
    last: Callable[[Mapping[str, str]], File] | None = None,
    fresh: bool = False,
) -> Written:
    """Write a site to a sibling folder, which then replaces the target; call ``progress`` with each path.

    ``processes`` render the pages of matches. A page that was made from the same inputs is not made again,
    unless the report is to be ``fresh``, and a file that the old report has already is linked. ``last`` makes
    one more file from the hashes of all others, by path.

    Raises UsageError for a target that is neither empty nor a report, EnvironmentFailure if the machine
    fails, and WorkerError if a process was killed; the target is then unchanged.
    """
    folder = _target(out)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _sibling(folder) as partial, Pool(processes, "renders pages", _AHEAD) as pool:
            writer = _Writer(_earlier(Folders(partial, folder), fresh=fresh), progress)
            begun: list[Iterator[PlacedPage | File]] = []
            for part in parts:
                if isinstance(part, File):
                    writer.add(part)
                elif isinstance(part, PendingPage):
                    writer.make(part)
                else:  # other processes work at them meanwhile
                    writer.make_folders(part.paths)
                    begun.append(part.place(writer.earlier, pool))
            # Only now: until here other processes have rendered matches while this one made the other pages.
            for page in chain.from_iterable(begun):
                if isinstance(page, File):
                    writer.add(page)
                else:
                    writer.add_page(page)
            if last is not None:
                writer.add(last({path: file.entry.content for path, file in writer.placed.items()}))
            _finish(partial, writer.placed)
            written = _written(partial, folder, writer.placed.values(), writer.damaged, writer.inputs)
            # Last: until here the old report is whole, and a failure leaves it so.
            _swap(partial, folder)
    except OSError as error:
        raise _refusal(folder, error) from error
    return written


def kept(out: Path, state: str) -> Written | None:
    """The report in a folder, if it was written from this state and no file has changed since.

    Raises UsageError and EnvironmentFailure as ``write`` does.
    """
    folder = _target(out)
    manifest = manifest_bytes(folder)
    stored = _read_state(folder, manifest)
    if stored is None or not state or stored.state != state:
        return None
    try:
        # The manifest cannot tell of files and links that somebody added, so all are counted too.
        there = sum(path.is_symlink() or not path.is_dir() for path in folder.rglob("*"))
    except OSError:
        return None
    files = []
    entries = parse_manifest(manifest)
    if dump_manifest(entries) != manifest:
        return None
    for path, entry in entries.items():
        if (content := Folders(folder, folder).intact(path, entry)) is None:
            return None
        files.append(PlacedFile(path, entry, len(content), unchanged=True))
    written = replace(_written(folder, folder, files), verdict=stored.verdict)
    return written if written.files == there else None


def earlier_values(out: Path) -> StoredValues:
    """The values of the report in a folder, if there is one."""
    folder = out.resolve()
    stored = _read_state(folder, manifest_bytes(folder))
    return StoredValues({} if stored is None else stored.values)


def keep_state(out: Path, written: Written, state: str, values: StoredValues | None = None) -> None:
    """Store what a report was written from, its verdict, and its values, beside its folder.

    With ``state``, the same report is not written again (``kept``); in any case its pages are not made again
    from the same inputs. Raises EnvironmentFailure.
    """
    folder = out.resolve()
    pages = {path: (inputs.fingerprint, *inputs.beside) for path, inputs in sorted(written.inputs.items())}
    try:
        stored = _State(
            _STATE_FORMAT,
            # The reasons for missing parts are to be said again.
            "" if written.damaged else state,
            # Not that of the folder now: another process may have replaced the report meanwhile.
            written.manifest,
            written.verdict,
            pages,
            {} if values is None else values.used,
        )
        content = msgspec.json.encode(stored)
        path = _state_path(folder)
        with suppress(FileNotFoundError):
            # Somebody may have put a link there, whose target is not ours to write.
            if not stat.S_ISREG(path.lstat().st_mode):
                path.unlink()
        write_file(path, f"{content_hash(content)}\n".encode("ascii") + content + b"\n")
    except OSError as error:
        raise _refusal(folder, error) from error


def _read_state(folder: Path, manifest: bytes) -> _State | None:
    """What the report in a folder with this manifest was written from; None if that is not known."""
    try:
        mark, _, content = read_regular(_state_path(folder)).partition(b"\n")
        content = content.removesuffix(b"\n")
        # Hashed: a page must not be kept because of a damaged line.
        if mark.decode("ascii", "replace") != content_hash(content):
            return None
        stored = msgspec.json.decode(content, type=prepared(_State))
        # With the manifest's hash, as the folder may have been replaced.
        same = stored.format == _STATE_FORMAT and stored.manifest == content_hash(manifest)
    except (OSError, ValueError, RecursionError):
        return None
    return stored if same else None


def _earlier(folders: Folders, *, fresh: bool) -> EarlierReport:
    """The report that a new one replaces; without inputs of pages if these are to be made in any case."""
    # Read once: another process may replace the report, and its manifest does not belong to this state.
    manifest = manifest_bytes(folders.old)
    entries = parse_manifest(manifest)
    stored = None if fresh else _read_state(folders.old, manifest)
    pages = {} if stored is None else stored.pages
    inputs = {
        path: PageInputs(mark[0], mark[1:])
        for path, mark in pages.items()
        if mark and entries.keys() >= {path, *mark[1:]}
    }
    return EarlierReport(folders, entries, inputs)


def _state_path(folder: Path) -> Path:
    return folder.parent / f".{folder.name}{_STATE}"


class _Writer:
    """Fills a folder with a report; ``placed`` are its files so far, and ``inputs`` those of its pages."""

    def __init__(self, earlier: EarlierReport, progress: Callable[[str], None] | None) -> None:
        self.earlier = earlier
        self.placed: dict[str, PlacedFile] = {}
        self.inputs: dict[str, PageInputs] = {}
        self.damaged: list[str] = []
        self._progress = progress
        self._made: set[str] = set()

    def make(self, pending: PendingPage) -> None:
        """Keep a pending page, or make it."""
        self.make_folders(self.earlier.paths(pending.path))
        page = self.earlier.keep(pending.path, pending.fingerprint)
        self.add_page(page or PlacedPage(tuple(pending.files()), pending.fingerprint))

    def add_page(self, page: PlacedPage) -> None:
        """Register a page with the files beside it, and what it was made from."""
        for file in page.files:
            self.add(file)
        # A damaged page is made again each time, as the reasons are to be said again.
        if not any(isinstance(file, File) and file.damaged for file in page.files):
            first, *beside = (file.path for file in page.files)
            self.inputs[first] = PageInputs(page.fingerprint, tuple(beside))

    def add(self, file: File | PlacedFile) -> None:
        """Register a file that is in the folder; write or link another one."""
        if isinstance(file, File):
            self.make_folders([file.path])
            self.damaged += file.damaged
            file = self.earlier.folders.place(file.path, file.content, self.earlier.entries.get(file.path))
        self.placed[file.path] = file
        if self._progress is not None:
            self._progress(file.path)

    def make_folders(self, paths: Iterable[str]) -> None:
        """Make the folders of some files."""
        for parent in {path.rpartition("/")[0] for path in paths} - self._made:
            (self.earlier.folders.new / parent).mkdir(parents=True, exist_ok=True)
            self._made.add(parent)


def _finish(partial: Path, placed: Mapping[str, PlacedFile]) -> None:
    (partial / MANIFEST).write_bytes(dump_manifest({path: file.entry for path, file in placed.items()}))
    names = sorted({path.partition("/")[0] for path in placed})
    marker = {"format": FORMAT, "files": len(placed), "pages": _pages(placed), "names": names}
    # Synced: after a power failure the next report must know its own folder, whatever its pages hold.
    write_file(partial / MARKER, (json.dumps(marker) + "\n").encode("ascii"))


def _written(
    partial: Path,
    folder: Path,
    files: Collection[PlacedFile],
    damaged: Iterable[str] = (),
    inputs: Mapping[str, PageInputs] = MappingProxyType({}),
) -> Written:
    """The report of these files; ``partial`` is where it is before it replaces ``folder``."""
    # The manifest and the marker belong to the report too, but are not in the manifest.
    beside = [(partial / name).stat().st_size for name in (MANIFEST, MARKER)]
    return Written(
        folder / "index.html",
        _pages(file.path for file in files),
        len(files) + len(beside),
        sum(file.size for file in files) + sum(beside),
        sum(file.unchanged for file in files),
        tuple(damaged),
        manifest=content_hash(manifest_bytes(partial)),
        inputs=inputs,
    )


def _pages(paths: Iterable[str]) -> int:
    return sum(path.endswith(".html") for path in paths)


def _marker(folder: Path) -> dict[str, object] | None:
    """The content of a report's marker, or None if the folder is not a report."""
    try:
        marker = parse_json(read_regular(folder / MARKER))
    except (OSError, ValueError):
        return None
    if isinstance(marker, dict) and str(marker.get("format", "")).startswith("tourney-report/"):
        return marker
    return None


def _target(out: Path) -> Path:
    try:
        folder = out.resolve()
        if folder.is_dir():
            entries = sorted(entry.name for entry in folder.iterdir())
            marker = _marker(folder)
            listed = (marker or {}).get("names")
            names = {MARKER, MANIFEST, *map(str, listed if isinstance(listed, list) else ())}
            # With --out naming a home or a project by mistake, a report must not replace other files.
            strange = [name for name in entries if name not in names]
            if strange or (entries and marker is None):
                what = (strange or entries)[0]
                raise UsageError(
                    f"{out} holds {what!r}, which is not part of a report, so it is not replaced;"
                    " choose another folder with --out"
                )
        elif folder.exists():
            raise UsageError(f"{out} is not a folder; choose another place with --out")
    except OSError as error:
        raise _refusal(out, error) from error
    if folder == folder.parent:
        raise UsageError(f"{out} cannot be replaced by a report; choose another folder with --out")
    return folder


@contextmanager
def _sibling(folder: Path) -> Iterator[Path]:
    """Create a folder beside the target, and remove it at the end if it is still there.

    Also removes the folders of processes that were killed while writing.
    """
    for left in sorted(folder.parent.glob(f".{glob.escape(folder.name)}{_PARTIAL}*")):
        owner = left.name.rpartition("-")[2]
        # The folder of a living process is another report in the making. One of this process's number was
        # left by a killed one: in a container each has the same.
        if owner.isdigit() and (int(owner) == os.getpid() or not _alive(int(owner))):
            shutil.rmtree(left, ignore_errors=True)
    partial = folder.parent / f".{folder.name}{_PARTIAL}{os.getpid()}"
    partial.mkdir()
    try:
        yield partial
    finally:
        if partial.exists():
            shutil.rmtree(partial, ignore_errors=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError as error:
        return error.errno != errno.ESRCH  # another user's process may not be signalled, but is there
    return True


def _swap(partial: Path, folder: Path) -> None:
    """Replace the folder by the partial one, and leave the old one to be removed."""
    if not folder.exists():
        partial.rename(folder)
    elif not _exchange(partial, folder):
        # Without renameat2 (macOS, some network file systems) a reader may find no folder for a moment.
        old = partial.with_name(f"{partial.name}-old-{os.getpid()}")
        folder.rename(old)
        try:
            partial.rename(folder)
        except OSError:
            old.rename(folder)
            raise
        shutil.rmtree(old, ignore_errors=True)


def _exchange(first: Path, second: Path) -> bool:
    """Exchange two folders atomically, so that readers always see one; False if that is not possible."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    return rename is not None and rename(_HERE, bytes(first), _HERE, bytes(second), _EXCHANGE) == 0


def _refusal(folder: Path, error: OSError) -> EnvironmentFailure:
    what = error.strerror or str(error)
    advice = (
        "free some space"
        if error.errno in {errno.ENOSPC, errno.EDQUOT}
        else "choose another folder with --out"
    )
    return EnvironmentFailure(f"the report cannot be written to {folder}: {what}; {advice} and start again")
