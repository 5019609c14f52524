"""``tourney run``, ``status``, ``standings``, ``export``, ``import``, ``db`` and ``demo``."""

import csv
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from importlib.metadata import EntryPoint
from pathlib import Path

import pandas as pd
import pytest

from tests.command import installed, invoke, run
from tests.tournaments import write_file
from tourney.cli.demo import command as demo_command
from tourney.match.record import check_record
from tourney.schedule.format import FORMATS
from tourney.store.migrations import HEAD
from tourney.store.repository import Repository

FILE = """
name = "cup"
game = "sage-stones"
seed = 7
bots = ["pebble"]
games-per-pairing = 4
[[entrant]]
bot = "pebble"
name = "second"
[[entrant]]
bot = "pebble"
name = "third"
[limits]
move-ms = 600000
startup-ms = 600000
[run]
sandbox = "off"
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished tournament of three."""
    folder = tmp_path_factory.mktemp("cup")
    write_file(folder, FILE)
    done = run("run", "cup.toml", "--workers", "2", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines[0] == "the seed 7 was chosen by a person: a bot that knows it can compute the dice"
    assert lines[1].startswith("sandbox off: plain, ")
    assert lines[-2].startswith("cup: all played (12 of 12 matches, ")
    assert re.fullmatch("cup: root [0-9a-f]{64}", lines[-1])
    return folder


@pytest.fixture
def db(home: Path) -> str:
    return str(home / "tourney.db")


def test_finished_run_changes_nothing(home: Path, db: str) -> None:
    before = Path(db).read_bytes()
    result = invoke("run", str(home / "cup.toml"), "--db", db, "--bots", str(home / "tourney-bots"))
    assert result.exit_code == 0
    assert "cup: all played (12 of 12 matches, no faults)\ncup: root " in result.stderr
    assert Path(db).read_bytes() == before
    quiet = invoke("run", str(home / "cup.toml"), "--db", db, "--bots", str(home / "tourney-bots"), "-q")
    assert (quiet.stdout, quiet.stderr) == ("", "")


def test_status_shows_progress(db: str) -> None:
    [line] = json.loads(invoke("status", "--db", db, "--format", "json").stdout)["tournaments"]
    root = line.pop("root")
    assert re.fullmatch("[0-9a-f]{64}", root)
    assert f"cup root                {root}\n" in invoke("status", "--db", db).stdout
    assert line.pop("overload")["turns"] > 12
    assert line == {
        "tournament": "cup",
        "game": "sage-stones",
        "format": "round-robin",
        "state": "finished",
        "process": None,
        "done": 12,
        "rows": 12,
        "rounds": 3,
        "planned_rounds": 3,
        "until": None,
        "void": 0,
        "rate": None,
        "left": None,
        "faults": [],
        "benched": [],
        "broken": [],
        "void_matches": [],
        "playing": [],
        "paused": None,
        "archive": None,
        "set_aside": [],
        "withdrawn": None,
    }
    assert "cup" in invoke("status", "cup", "--db", db).stdout
    assert invoke("status", "cap", "--db", db).exit_code == 2


def test_standings_agree_in_every_format(db: str) -> None:
    lines = json.loads(invoke("standings", "--db", db, "--format", "json").stdout)["standings"]
    assert {line["name"] for line in lines} == {"pebble", "second", "third"}
    assert [line["games"] for line in lines] == [8, 8, 8]
    assert sum(line["points"] for line in lines) == 12
    assert [line["points"] for line in lines] == sorted((line["points"] for line in lines), reverse=True)
    for line in lines:
        assert line["mean"] == pytest.approx(line["points"] / 8)
        assert line["wins"] + line["draws"] + line["losses"] == 8
    rows = list(csv.DictReader(io.StringIO(invoke("standings", "cup", "--db", db, "--format", "csv").stdout)))
    assert [(row["rank"], row["name"], float(row["points"])) for row in rows] == [
        (str(line["rank"]), line["name"], line["points"]) for line in lines
    ]
    table = invoke("standings", "--db", db).stdout
    assert table.split()[:4] == ["rank", "name", "points", "games"]


def test_unknown_format_is_ranked_by_points_with_a_warning(db: str, tmp_path: Path) -> None:
    copy = str(tmp_path / "copy.db")
    shutil.copy(db, copy)
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute(
            "UPDATE tournament SET format = replace(format, 'round-robin', 'gone'),"
            " plan = replace(plan, 'round-robin', 'gone')"
        )
        connection.commit()
    warning = "warning: the format gone of cup is not installed: the standings are ranked by points\n"
    for command in (("standings", "--format", "csv"), ("export", "--what", "standings")):
        done = invoke(*command, "--db", copy)
        assert (done.exit_code, done.stderr) == (0, warning)
        assert done.stdout == invoke(*command, "--db", db).stdout
    done = invoke("report", "--db", copy, "--out", str(tmp_path / "report"), "-q")
    assert (done.exit_code, done.stderr) == (0, warning)
    point = EntryPoint("gone", "tests.nowhere:Gone", FORMATS.group)
    with installed(point):
        done = invoke("standings", "--db", copy)
    assert done.exit_code == 2
    assert done.stderr.startswith("error: the plugin of format gone (tests.nowhere:Gone) is broken: ")


def test_exported_records_import_as_the_same_tournament(db: str, tmp_path: Path) -> None:
    out = tmp_path / "records.jsonl"
    done = invoke("export", "cup", "--db", db, "--out", str(out))
    assert done.stderr == f"records of cup written to {out}\n"
    lines = out.read_text().splitlines()
    assert len(lines) == 12
    assert all(check_record(json.loads(line)) for line in lines)
    assert invoke("export", "--db", db).stdout == out.read_text()

    other = str(tmp_path / "other.db")
    done = invoke("import", str(out), "--name", "again", "--db", other)
    assert done.stderr == "12 matches imported as again\n"
    assert invoke("export", "--db", other).stdout == out.read_text()
    points = [
        {(line["name"], line["points"]) for line in json.loads(text)["standings"]}
        for text in (invoke("standings", "--db", each, "--format", "json").stdout for each in (db, other))
    ]
    assert points[0] == points[1]
    again = invoke("import", str(out), "--name", "again", "--db", other)
    assert (again.exit_code, again.stderr) == (2, "error: the database holds a tournament 'again' already\n")


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda line: line[:50], "line 3 is no JSON"),
        (lambda line: line.replace("sage-stones", "sages-tafl"), "line 3: the record's digest is"),
        (lambda line: "[]", "line 3: the record is [], but must be an object"),
        (lambda line: "[" * 100_000, "line 3 is no JSON: lists or objects are nested more than 32 deep\n"),
        (lambda line: "9" * 5000, "line 3 is no JSON: a number has more than 4,300 digits\n"),
        (lambda line: line.replace("{", '{"game":"x",', 1), "line 3 is no JSON: the key 'game' is there"),
    ],
)
def test_one_bad_record_stops_the_import(
    db: str, tmp_path: Path, damage: Callable[[str], str], sentence: str
) -> None:
    lines = invoke("export", "--db", db).stdout.splitlines()
    lines[2] = damage(lines[2])
    path = tmp_path / "records.jsonl"
    path.write_text("\n".join(lines))
    done = invoke("import", str(path), "--name", "again", "--db", str(tmp_path / "other.db"))
    assert done.exit_code == 2
    assert done.stderr.startswith(f"error: {path} {sentence}")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "other.db").exists()


TABLES = {"matches": 12, "seats": 24, "pairs": 6, "entrants": 3, "standings": 3}


@pytest.mark.parametrize(("what", "count"), TABLES.items())
def test_csv_and_parquet_exports_have_equal_rows(db: str, tmp_path: Path, what: str, count: int) -> None:
    rows = list(csv.DictReader(io.StringIO(invoke("export", "--what", what, "--db", db).stdout)))
    out = tmp_path / f"{what}.parquet"
    done = invoke("export", "--what", what, "--format", "parquet", "--out", str(out), "--db", db)
    assert done.exit_code == 0, done.stderr
    frame = pd.read_parquet(out)
    assert len(rows) == len(frame) == count
    assert list(rows[0]) == list(frame.columns)
    key = next(iter(rows[0]))
    assert [row[key] for row in rows] == [str(value) for value in frame[key]]
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_impossible_exports_are_refused(db: str, tmp_path: Path) -> None:
    for words, code, sentence in (
        (("--what", "seats", "--format", "jsonl"), 2, "--format jsonl does not go with --what seats"),
        (("--format", "csv"), 2, "--format csv does not go with --what records"),
        (("--what", "seats", "--format", "parquet"), 2, "--format parquet wants a file: --out FILE"),
        (
            ("--out", str(tmp_path / "x" / "y")),
            3,
            f"{tmp_path / 'x' / 'y'} cannot be written: there is no folder",
        ),
    ):
        done = invoke("export", "--db", db, *words)
        assert done.exit_code == code
        assert sentence in done.stderr
        assert done.stderr.count("\n") == 1


def test_db_checks_backs_up_copies_and_upgrades(db: str, tmp_path: Path) -> None:
    sound = f"{db} is sound; whether the records hold is for `tourney verify --all`\n"
    assert invoke("db", "check", "--db", db).stderr == sound
    backup, copy = str(tmp_path / "backup.db"), str(tmp_path / "copy.db")
    assert invoke("db", "backup", backup, "--db", db).stdout == f"{backup}\n"
    assert invoke("db", "copy", copy, "--db", db).exit_code == 0
    for each in (backup, copy):
        assert invoke("standings", "--db", each).stdout == invoke("standings", "--db", db).stdout
    assert invoke("db", "upgrade", "--db", copy).stderr == f"{copy} is up to date ({HEAD})\n"
    assert invoke("db", "backup", backup, "--db", db).exit_code == 2
    size = Path(backup).stat().st_size
    os.truncate(backup, size - 4096)
    damaged = invoke("db", "check", "--db", backup)
    assert damaged.exit_code in (1, 3)
    assert "damaged" in damaged.stderr


@pytest.mark.parametrize(
    "words", [("status",), ("standings",), ("export",), ("db", "check"), ("db", "upgrade")]
)
def test_missing_or_foreign_database_is_one_sentence(tmp_path: Path, words: tuple[str, ...]) -> None:
    path = tmp_path / "notes.txt"
    missing = invoke(*words, "--db", str(path))
    assert missing.exit_code == 3
    assert missing.stderr == f"error: there is no database {path}; `tourney run FILE.toml` makes one\n"
    path.write_text("hello\n" * 100)
    foreign = invoke(*words, "--db", str(path))
    assert foreign.exit_code == 3
    assert foreign.stderr == f"error: the file {path} is no SQLite database; name another one\n"
    assert path.read_text() == "hello\n" * 100


@pytest.mark.parametrize(
    ("change", "words", "code", "sentence"),
    [
        (('"sage-stones"', '"draughts"'), (), 2, "there is no game 'draughts'; the games are:"),
        (('["pebble"]', '["unknown"]'), (), 2, "there is no bot 'unknown'"),
        (("seed = 7", "sead = 7"), (), 2, 'unknown key "sead"; did you mean seed?'),
        (("pairing = 4", "pairing = 5"), (), 2, "games-per-pairing is 5, but must be a multiple of 2"),
        (("pairing = 4", "pairing = 1000000"), (), 2, "would have 3,000,000 matches"),
        (("", ""), ("--until", "noon"), 2, "--until 'noon' is no time of day"),
        (("", ""), ("--budget", "0h"), 2, "--budget '0h' leaves no time at all"),
        (
            ("", ""),
            ("--executor", "tcp://x"),
            2,
            "there is no executor 'tcp'; the executors are: dask, local",
        ),
        (("", ""), ("--workers", "0"), 2, "Invalid value for '--workers'"),
        (("", ""), ("--db", "/proc/t.db"), 3, "the database /proc/t.db cannot be made"),
        (("", ""), ("--bots", "/proc/bots"), 3, "the bot store /proc/bots cannot be written"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(
    tmp_path: Path, change: tuple[str, str], words: tuple[str, ...], code: int, sentence: str
) -> None:
    path = write_file(tmp_path, FILE.replace(*change, 1))
    places = ("--db", str(tmp_path / "t.db"), "--bots", str(tmp_path / "bots"))
    done = invoke("run", str(path), *places, *words)
    assert done.exit_code == code
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.rstrip("\n").count("\n") == 0
    assert not (tmp_path / "t.db").exists()


@pytest.mark.slow
def test_demo_plays_once_and_is_then_reused(tmp_path: Path) -> None:
    """The folder's name has spaces; the last line of standard output is the report's path."""
    folder = tmp_path / "an empty folder"
    folder.mkdir()
    first = run("demo", cwd=folder)
    assert first.returncode == 0, first.stderr
    index = folder / first.stdout.splitlines()[-1]
    assert index.is_file()
    assert "demo-tafl: all played (24 of 24 matches" in first.stderr
    assert "demo-stones: all played (24 of 24 matches" in first.stderr
    assert "Traceback" not in first.stderr
    with Repository.open(str(folder / "demo" / "tourney.db")) as repository:
        assert [(t.name, t.seats) for t in repository.tournaments()] == [("demo-tafl", 2), ("demo-stones", 4)]
        for tournament in repository.tournaments():
            assert repository.progress(tournament.id)[:3] == (24, 24, 0)
    before = index.read_bytes()
    second = run("demo", cwd=folder)
    assert (second.returncode, second.stdout) == (0, first.stdout)
    assert second.stderr == ""
    assert index.read_bytes() == before


def test_demo_without_a_writable_folder_is_refused() -> None:
    assert demo_command.name == "demo"
    done = invoke("demo", "--out", "/proc/demo")
    assert done.exit_code == 3
    assert "the demo cannot be written to /proc/demo" in done.stderr
    assert "--out" in done.stderr


def test_status_imports_neither_pandas_nor_charts() -> None:
    """The program starts without slow imports."""
    script = "import sys, tourney.cli.status, tourney.cli.run; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert {"pandas", "jinja2", "alembic"} & set(done.stdout.split()) == set()
