"""A report that is written over an older one has the bytes of one that is written to an empty folder."""

import multiprocessing
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pytest

from tests.report import world
from tests.report.output.test_write import tree
from tests.support.sites import site
from tests.support.tournaments import refused
from tourney.errors import EnvironmentFailure, WorkerError
from tourney.report.output import placement, rendering
from tourney.report.output.inputs import StoredValues
from tourney.report.output.layout import File, Layout, Options
from tourney.report.output.placement import (
    MANIFEST,
    ManifestEntry,
    code_digest,
    content_hash,
    dump_manifest,
    manifest_bytes,
    parse_manifest,
)
from tourney.report.output.write import MARKER, Written, earlier_values, keep_state, write
from tourney.report.pages import match_files
from tourney.report.site import site_parts
from tourney.report.source import load
from tourney.store.database import Database


class Cup:
    """A tournament of six matches whose report goes to ``out``."""

    def __init__(self, repository: Database, folder: Path) -> None:
        self.repository = repository
        self.out = folder / "out"
        self.tournament = world.begin(repository, "abc")

    def play(self, most: int | None = None) -> None:
        world.play_all(self.repository, self.tournament, most=most)

    def write(self, options: Options | None = None, *, processes: int = 1, fresh: bool = False) -> Written:
        values = StoredValues() if fresh else earlier_values(self.out)
        parts = site_parts(load(self.repository, self.tournament), options, values)
        written = write(parts, self.out, processes=processes, fresh=fresh)
        keep_state(self.out, written, "", values)
        return written

    def written_again(self, options: Options | None = None) -> dict[str, bytes]:
        """Return what a report would be if there were none."""
        folder = self.out.with_name("again")
        write(site_parts(load(self.repository, self.tournament), options), folder)
        found = tree(folder)
        for path in sorted(folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        folder.rmdir()
        return found

    def inode(self, number: int) -> int:
        return self.page(number).stat().st_ino

    def page(self, number: int) -> Path:
        return self.out / "matches" / f"{number}.html"


def count_pages(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The templates of the pages that are rendered from now on."""
    rendered: list[str] = []
    page = Layout.page

    def counted(self: Layout, path: str, template: str, **context: object) -> File:
        rendered.append(template)
        return page(self, path, template, **context)

    monkeypatch.setattr(Layout, "page", counted)
    return rendered


@pytest.fixture
def cup(repository: Database, tmp_path: Path) -> Cup:
    return Cup(repository, tmp_path)


def test_unchanged_report_is_linked_whole(cup: Cup) -> None:
    cup.play()
    first = cup.write()
    before, inodes = tree(cup.out), [cup.inode(n) for n in range(1, 7)]
    again = cup.write()
    assert (first.unchanged, again.unchanged) == (0, again.files - 2)
    assert tree(cup.out) == before
    assert [cup.inode(n) for n in range(1, 7)] == inodes


def test_written_files_are_those_rendered_one_by_one(cup: Cup) -> None:
    """Pages are written from packed parts, and rendered here from what is read of each match."""
    cup.play()
    cup.write()
    found = {path: content for path, content in tree(cup.out).items() if path not in {MARKER, MANIFEST}}
    assert found == {file.path: file.content for file in site(load(cup.repository, cup.tournament))}


def test_only_pages_that_show_new_matches_are_rendered(cup: Cup, monkeypatch: pytest.MonkeyPatch) -> None:
    cup.play(most=4)
    cup.write()
    inodes = [cup.inode(n) for n in range(1, 5)]
    cup.play()
    rendered = count_pages(monkeypatch)
    cup.write()
    assert tree(cup.out) == cup.written_again()
    same = [old == cup.inode(n) for n, old in enumerate(inodes, 1)]
    # The fourth page now links to the fifth.
    assert same == [True, True, True, False]
    # Once with the old report, and once for the one from nothing. The first match is no longer worth seeing:
    # its files are made again, without a picture.
    assert rendered.count("match.html") == 4 + 6


def test_files_changed_by_others_are_written_again(cup: Cup, tmp_path: Path) -> None:
    cup.play()
    cup.write()
    cup.page(1).write_text("edited by hand")
    cup.page(2).unlink()
    cup.page(3).unlink()
    cup.page(3).symlink_to(tmp_path)
    cup.page(4).write_bytes(b"")
    (cup.out / "index.html").unlink()
    cup.write()
    assert tree(cup.out) == cup.written_again()
    assert not cup.page(3).is_symlink()


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"format": "other"}', "\xff"])
def test_damaged_manifest_is_read_as_empty(tmp_path: Path, damage: str) -> None:
    (tmp_path / MANIFEST).write_text(damage, encoding="latin-1")
    assert parse_manifest(manifest_bytes(tmp_path)) == {}


@pytest.mark.parametrize("damage", ["{", "lie"])
def test_damaged_manifest_costs_only_time(cup: Cup, damage: str) -> None:
    cup.play()
    cup.write()
    inode = cup.inode(1)
    if damage == "lie":
        cup.page(1).write_text("forged")
        entries = parse_manifest(manifest_bytes(cup.out))
        entries["matches/1.html"] = ManifestEntry(content_hash(b"forged"))
        (cup.out / MANIFEST).write_bytes(dump_manifest(entries))
    else:
        (cup.out / MANIFEST).write_text(damage, encoding="latin-1")
    cup.write()
    assert tree(cup.out) == cup.written_again()
    assert cup.inode(1) != inode


@pytest.mark.slow
def test_other_options_render_again(cup: Cup) -> None:
    cup.play()
    cup.write()
    for options in (
        Options(measured=False),
        Options(logs=True),
        Options(match_pages=3),
        Options(),
    ):
        cup.write(options)
        assert tree(cup.out) == cup.written_again(options)


def test_changed_programs_render_again(cup: Cup, monkeypatch: pytest.MonkeyPatch) -> None:
    cup.play()
    cup.write()
    inodes = [cup.inode(n) for n in range(1, 7)]
    rendered = count_pages(monkeypatch)
    cup.write()
    assert not {"match.html", "pair.html", "matches.html", "positions.html"} & {*rendered}
    monkeypatch.setattr(rendering, "code_digest", lambda *_: "other")
    rendered.clear()
    cup.write()
    assert [rendered.count(name) for name in ("match.html", "pair.html", "positions.html")] == [6, 3, 3]
    # The same bytes came out, so the files stayed.
    assert [cup.inode(n) for n in range(1, 7)] == inodes


def test_measurements_matter_only_where_they_are_shown(repository: Database, tmp_path: Path) -> None:
    made = []
    for host in ("alpha", "beta"):
        with Database.open(str(tmp_path / f"{host}.db"), create=True) as opened:
            cup = Cup(opened, tmp_path / host)
            world.play_all(opened, cup.tournament, host=host)
            cup.write(Options(measured=False))
            made.append(tree(cup.out))
            # A host's name is private, and neither is a hash of it published.
            cup.write()
            made.append({MANIFEST: (cup.out / MANIFEST).read_bytes()})
    assert made[0] == made[2]
    assert made[1] == made[3]


def test_files_are_copied_where_links_fail(cup: Cup, monkeypatch: pytest.MonkeyPatch) -> None:
    cup.play()
    cup.write()
    before, inode = tree(cup.out), cup.inode(1)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    assert cup.write().unchanged > 6
    assert tree(cup.out) == before
    assert cup.inode(1) != inode


@contextmanager
def always_in_processes() -> Iterator[None]:
    """Let also a few pages be rendered in processes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(match_files, "FEW", 0)
        patch.setattr(match_files, "BATCH", 2)
        yield


@pytest.mark.slow
def test_several_processes_give_the_same_bytes(cup: Cup) -> None:
    cup.play()
    with always_in_processes():
        cup.write(processes=2)
        assert tree(cup.out) == cup.written_again()
        cup.page(5).unlink()
        assert cup.write(processes=2).unchanged > 5
    found = tree(cup.out)
    assert found == cup.written_again()
    serial = {file.path: file.content for file in site(load(cup.repository, cup.tournament))}
    assert {path: found[path] for path in found if path not in {MARKER, MANIFEST}} == serial


def killed(task: object) -> object:
    """Die as by the kernel's lack of memory, in a process that renders."""
    os.kill(os.getpid(), 9)
    return task


@pytest.mark.kill
def test_killed_process_leaves_the_old_report(cup: Cup, monkeypatch: pytest.MonkeyPatch) -> None:
    cup.play(most=3)
    cup.write()
    before = tree(cup.out)
    cup.play()
    monkeypatch.setattr(match_files, "replies_to", killed)
    with always_in_processes(), refused(WorkerError, "killed", "--processes 1"):
        cup.write(processes=2)
    assert tree(cup.out) == before
    assert [path.name for path in cup.out.parent.iterdir() if "partial" in path.name] == []


@pytest.mark.slow
@pytest.mark.parametrize("failure", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_interrupted_report_leaves_the_old_one(cup: Cup, failure: BaseException) -> None:
    cup.play(most=3)
    cup.write()
    before = tree(cup.out)
    cup.play()
    heard: list[str] = []

    def fail(path: str) -> None:
        heard.append(path)
        if path == "matches/5.html":
            raise failure

    parts = site_parts(load(cup.repository, cup.tournament))
    wanted = KeyboardInterrupt if isinstance(failure, KeyboardInterrupt) else EnvironmentFailure
    with always_in_processes(), pytest.raises(wanted):
        write(parts, cup.out, fail, processes=2)
    assert heard[-1] == "matches/5.html"
    assert tree(cup.out) == before
    assert [path.name for path in cup.out.parent.iterdir() if "partial" in path.name] == []
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize(
    ("name", "changed"),
    [("clubgames.chess.game", "clubgames/common.py"), ("lonegame", "lonerules.py"), ("lonegame", "club.py")],
)
def test_module_that_a_game_may_import_changes_the_code(
    name: str, changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package as a whole, and modules beside one that is in no package; also those of a base class."""
    files = {
        "clubgames/__init__.py": "",
        "clubgames/common.py": "",
        "clubgames/chess/__init__.py": "",
        "clubgames/chess/game.py": "class Club: pass",
        "lone/lonegame.py": "from club import Base\nclass Club(Base): pass",
        "lone/lonerules.py": "",
        "base/club.py": "class Base: pass",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    for folder in (tmp_path, tmp_path / "lone", tmp_path / "base"):
        monkeypatch.syspath_prepend(folder)
    game = import_module(name).Club()
    before = code_digest(game, ())
    (where,) = (tmp_path / path for path in files if path.endswith(changed))
    where.write_text("changed = 1")
    placement._program_digest.cache_clear()
    assert code_digest(game, ()) != before
    for module in ("clubgames", "clubgames.chess", "clubgames.chess.game", "lonegame", "club"):
        sys.modules.pop(module, None)
