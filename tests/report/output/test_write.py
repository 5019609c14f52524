"""Writing is atomic and replaces only reports."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.tournaments import refused
from tourney.errors import EnvironmentFailure, UsageError
from tourney.report.output import write as module
from tourney.report.output.inputs import PendingPage
from tourney.report.output.layout import File
from tourney.report.output.placement import (
    MANIFEST,
    ManifestEntry,
    PageInputs,
    content_hash,
    dump_manifest,
    manifest_bytes,
    parse_manifest,
)
from tourney.report.output.write import MARKER, Written, keep_state, kept, write


def made(word: str = "one") -> list[File]:
    return [File("index.html", word.encode()), File("matches/1.html", b"m"), File("data/x.csv", b"c")]


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_write_reports_its_files(tmp_path: Path) -> None:
    heard: list[str] = []
    written = write(made(), tmp_path / "a" / "b", heard.append)
    size = sum(map(len, tree(tmp_path / "a" / "b").values()))
    assert (written.pages, written.files, written.bytes) == (2, 5, size)
    assert written.index.read_bytes() == b"one"
    assert heard == ["index.html", "matches/1.html", "data/x.csv"]
    assert json.loads((tmp_path / "a" / "b" / MARKER).read_bytes())["pages"] == 2


@pytest.mark.parametrize("exchange", [True, False])
def test_report_is_replaced_atomically(
    tmp_path: Path, exchange: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not exchange:
        monkeypatch.setattr(module, "_exchange", lambda one, other: False)
    write([*made(), File("matches/2.html", b"old")], tmp_path / "out")
    write(made("two"), tmp_path / "out")
    assert set(tree(tmp_path / "out")) == {"index.html", "matches/1.html", "data/x.csv", MARKER, MANIFEST}
    assert (tmp_path / "out" / "index.html").read_bytes() == b"two"
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_report_after_power_failure_is_whole_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The marker is synced, so the folder is known as a report even where no page kept its content."""
    synced: list[int] = []
    sync = os.fsync

    def noted(fd: int) -> None:
        synced.append(os.fstat(fd).st_ino)
        sync(fd)

    monkeypatch.setattr(os, "fsync", noted)
    write(made(), tmp_path / "out")
    whole = tree(tmp_path / "out")
    for path in filter(Path.is_file, (tmp_path / "out").rglob("*")):
        if path.stat().st_ino not in synced:
            path.write_bytes(b"")
    assert tree(tmp_path / "out") != whole
    write(made(), tmp_path / "out")
    assert tree(tmp_path / "out") == whole


def test_empty_folder_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    write(made(), tmp_path / "out")
    assert (tmp_path / "out" / "index.html").exists()


@pytest.mark.parametrize("stranger", ["notes.txt", ".git", "index.html", "assets"])
def test_other_folders_are_not_replaced(tmp_path: Path, stranger: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / stranger).write_text("mine")
    with refused(UsageError, "out", stranger, "--out"):
        write(made(), tmp_path / "out")
    assert tree(tmp_path) == {f"out/{stranger}": b"mine"}


def test_report_with_foreign_files_is_not_replaced(tmp_path: Path) -> None:
    write(made(), tmp_path / "out")
    (tmp_path / "out" / "thesis.tex").write_text("mine")
    before = tree(tmp_path)
    with refused(UsageError, "thesis.tex"):
        write(made("two"), tmp_path / "out")
    assert tree(tmp_path) == before


@pytest.mark.parametrize("marker", ["", "[]", "{", '{"format": "other/1"}', "\xff"])
def test_foreign_marker_is_not_a_report(tmp_path: Path, marker: str) -> None:
    (tmp_path / MARKER).write_text(marker, encoding="latin-1")
    before = tree(tmp_path)
    with refused(UsageError, MARKER):
        write(made(), tmp_path)
    assert tree(tmp_path) == before


def test_failure_leaves_the_old_report(tmp_path: Path) -> None:
    write(made(), tmp_path / "out")
    before = tree(tmp_path)

    def failing() -> Iterator[File]:
        yield from made("two")
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        write(failing(), tmp_path / "out")
    assert tree(tmp_path) == before
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_full_disk_is_one_sentence(tmp_path: Path) -> None:
    def full() -> Iterator[File]:
        yield File("index.html", b"")
        raise OSError(28, "No space left on device")

    with refused(EnvironmentFailure, "out", "No space left", "free some space"):
        write(full(), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_failed_swap_restores_the_old_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(made(), tmp_path / "out")
    rename, calls = Path.rename, []

    def failing(self: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) == 2:
            raise OSError(5, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(module, "_exchange", lambda one, other: False)
    monkeypatch.setattr(Path, "rename", failing)
    with refused(EnvironmentFailure, "Input/output error"):
        write(made("two"), tmp_path / "out")
    assert (tmp_path / "out" / "index.html").read_bytes() == b"one"
    assert len(calls) == 3
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_leftovers_of_killed_processes_are_removed(tmp_path: Path) -> None:
    gone = 2**22 + 1
    with pytest.raises(ProcessLookupError):
        os.kill(gone, 0)
    for name in (
        f".out.partial-{gone}",
        f".out.partial-7-old-{gone}",
        # In a container each process has the same number.
        f".out.partial-{os.getpid()}",
        f".out.partial-{os.getppid()}",
        ".outer",
    ):
        (tmp_path / name).mkdir()
    write(made(), tmp_path / "out")
    assert sorted(p.name for p in tmp_path.iterdir()) == [f".out.partial-{os.getppid()}", ".outer", "out"]


def written_from(state: str, word: str, out: Path) -> Written:
    written = write(made(word), out)
    keep_state(out, written, state)
    return written


def test_state_of_an_overtaken_report_is_not_that_of_the_next(tmp_path: Path) -> None:
    """Another process replaced the report before this one could store what it was written from."""
    out = tmp_path / "out"
    overtaken = write(made("one"), out)
    written_from("two", "two", out)
    assert kept(out, "two") is not None
    keep_state(out, overtaken, "one")
    assert kept(out, "one") is None


def test_page_of_another_process_is_not_taken_for_an_earlier_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another report replaces the folder while this one reads its state."""
    out = tmp_path / "out"

    def page(word: str) -> Iterator[PendingPage]:
        yield PendingPage("index.html", word, lambda: [File("index.html", word.encode())])

    keep_state(out, write(page("one"), out), "one")
    read_state = module._read_state

    def overtaken(folder: Path, manifest: bytes) -> object:
        monkeypatch.setattr(module, "_read_state", read_state)
        state = read_state(folder, manifest)
        write(page("two"), out)
        return state

    monkeypatch.setattr(module, "_read_state", overtaken)
    monkeypatch.setattr(module, "_sibling", partial(sibling, module._sibling, []))
    write(page("one"), out)
    assert (out / "index.html").read_bytes() == b"one"


@contextmanager
def sibling(make: Callable[[Path], Any], begun: list[Path], folder: Path) -> Iterator[Path]:
    """A folder for each report, as other processes have it."""
    begun.append(folder)
    with make(folder) as partial_folder:
        own = partial_folder.with_name(f"{partial_folder.name}-{len(begun)}")
        partial_folder.rename(own)
        yield own


def test_state_is_not_written_through_a_link(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (tmp_path / "mine").write_text("mine")
    state = module._state_path(out)
    state.symlink_to(tmp_path / "mine")
    written_from("one", "one", out)
    assert (tmp_path / "mine").read_text() == "mine"
    assert not state.is_symlink()
    assert kept(out, "one") is not None


@pytest.mark.parametrize("name", ["../mine.html", "data/../../mine.html", "a\0b", "\ud800"])
def test_hostile_paths_beside_a_page_are_not_followed(name: str, tmp_path: Path) -> None:
    out = tmp_path / "site" / "out"
    written = write(made(), out)
    mine = tmp_path / "site" / "mine.html"
    mine.write_bytes(b"m")
    before = mine.stat().st_mtime_ns
    entries = {**parse_manifest(manifest_bytes(out)), name: ManifestEntry(content_hash(b"m"))}
    (out / MANIFEST).write_bytes(dump_manifest(entries))
    inputs = {"index.html": PageInputs("same", (name,)) if name.isascii() else PageInputs("other")}
    manifest = content_hash(manifest_bytes(out))
    keep_state(out, replace(written, inputs=inputs, manifest=manifest), "one")
    assert kept(out, "one") is None
    write([PendingPage("index.html", "same", lambda: [File("index.html", b"two")])], out)
    assert (out / "index.html").read_bytes() == b"two"
    assert (mine.read_bytes(), mine.stat().st_mtime_ns) == (b"m", before)
    assert sorted(path.name for path in (tmp_path / "site").iterdir()) == [
        ".out.report-state",
        "mine.html",
        "out",
    ]


@pytest.mark.parametrize("place", [MARKER, MANIFEST, "state"])
def test_pipe_in_place_of_a_file_does_not_hang(place: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    written_from("one", "one", out)
    path = module._state_path(out) if place == "state" else out / place
    path.unlink()
    os.mkfifo(path)
    if place == MARKER:
        with refused(UsageError, "out", "not part of a report"):
            kept(out, "one")
        return
    assert kept(out, "one") is None
    written_from("one", "one", out)
    assert kept(out, "one") is not None


def test_deeply_nested_state_is_unknown(tmp_path: Path) -> None:
    out = tmp_path / "out"
    written_from("one", "one", out)
    state = module._state_path(out)
    content = state.read_bytes().partition(b"\n")[2].strip()
    deep = content.replace(b'"values":{', b'"values":{"a":' + b"[" * 100_000 + b"]" * 100_000)
    state.write_bytes(content_hash(deep).encode() + b"\n" + deep + b"\n")
    assert kept(out, "one") is None


def test_link_that_somebody_added_makes_the_report_again(tmp_path: Path) -> None:
    out = tmp_path / "out"
    written_from("one", "one", out)
    (out / "data" / "outside").symlink_to(tmp_path)
    assert kept(out, "one") is None


def test_impossible_targets_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with refused(UsageError, "file", "not a folder"):
        write(made(), tmp_path / "file")
    with refused(EnvironmentFailure, "file"):
        write(made(), tmp_path / "file" / "under")
    with refused(UsageError, "/"):
        write(made(), Path("/"))


def test_symbolic_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write(made(), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "index.html").exists()
