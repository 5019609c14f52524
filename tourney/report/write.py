"""Write a site to a folder, atomically."""

import ctypes
import errno
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tourney.errors import EnvironmentFailure, UsageError
from tourney.parsing import parse_json
from tourney.report.rendering import File

MARKER = "tourney-report.json"
"""The file that marks a folder as a report, which a new report may replace."""
FORMAT = "tourney-report/1"

_OURS = re.compile(
    r"assets|bots|data|matches|t\d+-[a-z0-9._-]*|(index|crosstable|matches(-\d+)?)\.html|" + re.escape(MARKER)
)
"""Names in a report's folder; a folder with any other is not replaced."""

_PARTIAL = ".partial-"
_EXCHANGE = 2
"""RENAME_EXCHANGE of renameat2(2)."""
_HERE = -100
"""AT_FDCWD of openat(2): relative paths start at the working directory."""


@dataclass(frozen=True, slots=True)
class Written:
    """The written report: its first page and size; ``damaged`` says why parts are missing."""

    index: Path
    pages: int
    files: int
    bytes: int
    damaged: tuple[str, ...] = ()


def write(files: Iterable[File], out: Path, progress: Callable[[File], None] | None = None) -> Written:
    """Write files to a sibling folder, which then replaces the target; call ``progress`` for each file.

    Replaces an existing folder only if it is empty or a report. Raises UsageError for any other, and
    EnvironmentFailure if the machine fails; the target is then unchanged.
    """
    folder = _target(out)
    pages = count = size = 0
    damaged: list[str] = []
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _sibling(folder) as partial:
            for file in files:
                path = partial / file.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.content)
                pages += file.is_page
                count += 1
                size += len(file.content)
                damaged += file.damaged
                if progress is not None:
                    progress(file)
            marker = {"format": FORMAT, "files": count, "pages": pages}
            (partial / MARKER).write_text(json.dumps(marker) + "\n", encoding="ascii")
            _swap(partial, folder)
    except OSError as error:
        raise _refusal(folder, error) from error
    return Written(folder / "index.html", pages, count + 1, size, tuple(damaged))


def is_report(folder: Path) -> bool:
    """Return whether a folder is a report of Tourney."""
    try:
        marker = parse_json((folder / MARKER).read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(marker, dict) and str(marker.get("format", "")).startswith("tourney-report/")


def _target(out: Path) -> Path:
    try:
        folder = out.resolve()
        if folder.is_dir():
            found = sorted(entry.name for entry in folder.iterdir())
            strange = [name for name in found if _OURS.fullmatch(name) is None]
            if strange or (found and not is_report(folder)):
                what = (strange or found)[0]
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
    """Create a folder beside the target and remove what is left of it at the end.

    Also removes the folders of processes that were killed while writing.
    """
    for left in sorted(folder.parent.glob(f".{_plain(folder.name)}{_PARTIAL}*")):
        owner = left.name.rpartition("-")[2]
        if owner.isdigit() and not _alive(int(owner)):
            shutil.rmtree(left, ignore_errors=True)
    partial = folder.parent / f".{folder.name}{_PARTIAL}{os.getpid()}"
    partial.mkdir()
    try:
        yield partial
    finally:
        if partial.exists():
            shutil.rmtree(partial, ignore_errors=True)


def _plain(name: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _swap(partial: Path, folder: Path) -> None:
    """Replace the folder by the partial one, and leave the old one to be removed."""
    if not folder.exists():
        partial.rename(folder)
    elif not _exchange(partial, folder):
        old = partial.with_name(f"{partial.name}-old-{os.getpid()}")
        folder.rename(old)
        try:
            partial.rename(folder)
        except OSError:
            old.rename(folder)
            raise
        shutil.rmtree(old, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders atomically, so that readers always find one; False if that is not possible."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    return rename is not None and rename(_HERE, bytes(one), _HERE, bytes(other), _EXCHANGE) == 0


def _refusal(folder: Path, error: OSError) -> EnvironmentFailure:
    what = error.strerror or str(error)
    advice = (
        "free some space"
        if error.errno in {errno.ENOSPC, errno.EDQUOT}
        else "choose another folder with --out"
    )
    return EnvironmentFailure(f"the report cannot be written to {folder}: {what}; {advice} and start again")
