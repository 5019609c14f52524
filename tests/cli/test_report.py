"""``tourney report``: writes a report of a database into a folder."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.report import world
from tests.support import genuine
from tests.support.command import invoke
from tourney.cli import report as module
from tourney.report.output.placement import MANIFEST
from tourney.report.output.write import Written
from tourney.store.database import Database
from tourney.store.presentation import Presentation


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("reports") / "t.db"
    with Database.open(str(path), create=True) as repository:
        for name in ("first", "../second cup"):
            world.play_all(repository, world.begin(repository, "ab", name=name))
    return str(path)


def test_report_prints_path_and_page_count(database: str, tmp_path: Path) -> None:
    shown = invoke("report", "first", "--db", database, "--out", str(tmp_path / "out"))
    assert shown.exit_code == 0
    assert shown.stdout == f"{tmp_path}/out/index.html\n"
    pages = len(list((tmp_path / "out").rglob("*.html")))
    *_, size, verdict = shown.stderr.splitlines()
    assert size.startswith(f"{pages} pages, ")
    first = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert f'<p class="verdict"><bdi>{verdict}</bdi></p>' in first


def test_unchanged_report_says_its_verdict_again(database: str, tmp_path: Path) -> None:
    words = ("report", "first", "--db", database, "--out", str(tmp_path / "out"))
    first, again = (invoke(*words).stderr.splitlines()[-1] for _ in range(2))
    assert first == again
    assert first.endswith(".")


def test_default_folder_has_the_tournaments_name(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = invoke("report", "--db", database, "--quiet")
    assert (shown.exit_code, shown.stderr) == (0, "")
    names = sorted(p.name for p in (tmp_path / "reports").iterdir())
    assert names == [".second-cup.report-state", "second-cup"]
    assert Path(shown.stdout.strip()).is_file()


def test_all_tournaments_share_one_report(database: str, tmp_path: Path) -> None:
    shown = invoke("report", "--all", "--db", database, "--out", str(tmp_path / "out"))
    assert shown.exit_code == 0
    text = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert 'href="t1-first/index.html"' in text
    assert 'href="t2-second-cup/index.html"' in text


def test_unchanged_report_is_kept_without_rendering(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each change, of the report's files, options or database, leads to what a report from nothing has."""
    place, rendered = tmp_path / "t.db", list[Path]()
    shutil.copy(database, place)
    write = module.write_report

    def counted(*words: Any, **named: Any) -> Written:
        rendered.append(words[2])
        return write(*words, **named)

    monkeypatch.setattr(module, "write_report", counted)

    def report(out: str, *words: str) -> dict[str, bytes]:
        done = invoke("report", "first", "--db", str(place), "--out", str(tmp_path / out), *words)
        assert done.exit_code == 0, done.output
        return {str(p.relative_to(tmp_path / out)): p.read_bytes() for p in (tmp_path / out).rglob("*.*")}

    whole = report("out")
    assert (report("out"), len(rendered)) == (whole, 1)
    assert (report("out", "--fresh"), len(rendered)) == (whole, 2)
    for damage in (
        lambda page: page.write_text("other"),
        lambda page: page.unlink(),
        lambda page: page.with_name("more.html").write_text("more"),
        lambda page: (tmp_path / ".out.report-state").write_text("x"),
        lambda page: (tmp_path / "out" / MANIFEST).write_text("{}"),
    ):
        damage(tmp_path / "out" / "matches" / "1.html")
        before = len(rendered)
        assert (report("out"), len(rendered)) == (whole, before + 1)
        assert (report("out"), len(rendered)) == (whole, before + 1)
    bare = report("out", "--no-measured")
    assert bare == report("bare", "--no-measured") != whole
    with Database.open(str(place), write=True) as opened:
        first = opened.tournaments.get("first")
        opened.tournaments.keep_presentation(first.id, Presentation(title="Another title"))
    assert report("out") == report("new") != whole


def test_repaired_luck_gives_the_pages_of_a_new_report(tmp_path: Path) -> None:
    place = tmp_path / "t.db"
    with Database.open(str(place), create=True) as opened:
        genuine.play_all(opened, genuine.begin(opened, games=2), most=2)

    def report(*alter: str) -> bytes:
        with closing(sqlite3.connect(place)) as connection, connection:
            for statement in alter:
                connection.execute(statement)
        words = ("--db", str(place), "--out", str(tmp_path / "out"), "--match-pages", "0")
        assert invoke("report", *words).exit_code == 0
        return (tmp_path / "out" / "index.html").read_bytes()

    whole = report()
    folder = (tmp_path / "out").stat().st_ino
    assert report() == whole
    assert (tmp_path / "out").stat().st_ino == folder  # nothing was written
    assert report("UPDATE luck SET units = '600000,-600000' WHERE match_id = 1") != whole
    assert report("DELETE FROM luck") == whole


def test_measurements_can_be_omitted(database: str, tmp_path: Path) -> None:
    found = {}
    for name, words in (("logs", ("--with-logs",)), ("default", ()), ("bare", ("--no-measured",))):
        out = tmp_path / name
        assert invoke("report", "first", "--db", database, "--out", str(out), *words).exit_code == 0
        text = "".join(p.read_text("utf-8", "replace") for p in out.rglob("*") if p.is_file())
        found[name] = ("workbench" in text, "2026-11-20" in text)
    assert found == {"logs": (True, True), "default": (False, True), "bare": (False, False)}


def test_match_pages_are_limited(database: str, tmp_path: Path) -> None:
    invoke("report", "first", "--db", database, "--out", str(tmp_path / "out"), "--match-pages", "0")
    assert not (tmp_path / "out" / "matches").exists()


def test_wrong_use_is_one_sentence_and_writes_nothing(database: str, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    (tmp_path / "file").write_text("x")
    cases = {
        ("unknown", "--out", str(tmp_path / "out")): ("there is no tournament 'unknown'", 2),
        ("first", "--out", str(tmp_path / "mine")): ("notes.txt", 2),
        ("first", "--no-measured", "--with-logs"): ("--no-measured omits all logs", 2),
        ("first", "--all", "--out", str(tmp_path / "out")): ("--all writes all tournaments", 2),
        ("first", "--out", str(tmp_path / "file" / "x")): ("cannot be written", 3),
    }
    for words, (said, code) in cases.items():
        shown = invoke("report", *words, "--db", database)
        assert shown.exit_code == code
        assert said in shown.stderr
        assert shown.stderr.count("\n") == 1
        assert shown.stdout == ""
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "mine"]
