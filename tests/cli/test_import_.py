"""``tourney import``: from files, standard input and FIFOs; a tournament that is not finished goes on."""

import json
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import to_builtins

from tests.support.addons import needing
from tests.support.command import invoke, run
from tests.support.tournaments import write_file
from tourney.schedule.format import find_format
from tourney.store.database import Database, remove_empty

FILE = """
name = "cup"
game = "sage-stones"
format = "swiss"
seed = 7
rounds = 3
bots = ["pebble", "random"]
[[entrant]]
bot = "pebble"
name = "second"
[options]
stones = 3
[limits]
move-ms = 600000
startup-ms = 600000
[run]
sandbox = "off"
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished Swiss of shipped bots, and its exports."""
    folder = tmp_path_factory.mktemp("cup")
    write_file(folder, FILE)
    done = run("run", "cup.toml", "--workers", "1", cwd=folder)
    assert done.returncode == 0, done.stderr
    for what in ("tournament", "records"):
        done = run("export", "--what", what, "--out", f"{what}.jsonl", cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_compressed_export_is_smaller_and_imported(home: Path, tmp_path: Path, ending: str) -> None:
    plain, file = home / "tournament.jsonl", tmp_path / f"cup.jsonl.{ending}"
    db, again = str(tmp_path / "other.db"), tmp_path / "again.jsonl"
    done = invoke("export", "--what", "tournament", "--out", str(file), "--db", str(home / "tourney.db"))
    assert done.exit_code == 0
    assert 3 * file.stat().st_size < plain.stat().st_size
    assert invoke("import", str(file), "--db", db).exit_code == 0
    assert invoke("export", "--what", "tournament", "--out", str(again), "--db", db).exit_code == 0
    assert again.read_bytes() == plain.read_bytes()
    file.write_bytes(file.read_bytes()[:-9])
    done = invoke("import", str(file), "--name", "half", "--db", db)
    assert (done.exit_code, f"{file} is damaged" in done.stderr) == (2, True)


def shown(db: str) -> list[str]:
    """Return standings, both ratings and the status as printed; overload is measured, not exported."""
    commands = (("standings",), ("ratings",), ("ratings", "--method", "trueskill"), ("status",))
    texts = [invoke(*words, "--db", db, "--format", "json").stdout for words in commands]
    return [re.sub(r'\n *"overload": (\{[^}]*\}|null)', "", text) for text in texts]


@pytest.mark.parametrize("source", ["file", "stdin", "fifo"])
def test_imported_tournament_shows_the_same(home: Path, tmp_path: Path, source: str) -> None:
    data = (home / "tournament.jsonl").read_bytes()
    db = str(tmp_path / "other.db")
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writer = threading.Thread(target=fifo.write_bytes, args=(data,))
    if source == "fifo":
        writer.start()
    name = {"file": str(home / "tournament.jsonl"), "stdin": "-", "fifo": str(fifo)}[source]
    done = invoke("import", name, "--db", db, given=data)
    assert (done.exit_code, done.stderr) == (0, "6 matches imported as cup\n")
    assert shown(db) == shown(str(home / "tourney.db"))
    assert invoke("verify", "--all", "--db", db).exit_code == 0
    if writer.ident is not None:
        writer.join(600)


@pytest.mark.slow
def test_unfinished_tournament_continues_with_its_file(home: Path, tmp_path: Path) -> None:
    """The last match and its round are replayed after the import, to the same root."""
    lines = (home / "tournament.jsonl").read_text().splitlines()
    head, last = json.loads(lines[0]), json.loads(lines[4])
    root = head.pop("root")
    head |= {"complete": False, "matches": 4}
    del last["record"]
    part = tmp_path / "part.jsonl"
    part.write_text("\n".join([json.dumps(head), *lines[1:4], json.dumps(last)]))
    db = str(tmp_path / "tourney.db")
    done = invoke("import", str(part), "--db", db)
    assert done.stderr == "3 matches imported as cup, 1 of its matches is not played yet\n"
    write_file(tmp_path, FILE)
    resumed = run("run", "cup.toml", "--workers", "1", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert root in resumed.stderr
    assert shown(db) == shown(str(home / "tourney.db"))
    with Database.open(db) as repository:
        assert repository.tournaments.get().root == root


def test_impossible_imports_leave_no_database(home: Path, tmp_path: Path) -> None:
    db = tmp_path / "new.db"
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    mixed = tmp_path / "mixed.jsonl"
    records, tournament = ((home / f"{name}.jsonl").read_text() for name in ("records", "tournament"))
    mixed.write_text(records + tournament)
    cut = tmp_path / "cut.jsonl"
    cut.write_text("".join(tournament.splitlines(keepends=True)[:-1]))
    for words, sentence in (
        ((str(home / "records.jsonl"),), "--name NAME is missing"),
        ((str(home / "records.jsonl"), "--name", "A b"), "--name 'A b' must match"),
        ((str(home / "tournament.jsonl"), "--name", "A b"), "--name 'A b' must match"),
        ((str(empty), "--name", "x"), "there is no record to import"),
        ((str(cut),), "but its first line says"),
        ((str(mixed), "--name", "x"), f"{mixed} line 7: a tournament begins here"),
        (
            ("-", "--name", "x"),
            "standard input line 1 was read as CSV, but 'x' is not a header of a table of results",
        ),
        ((str(tmp_path / "none"), "--name", "x"), "none cannot be read: No such file or directory"),
        ((str(tmp_path), "--name", "x"), "is a directory"),
    ):
        done = invoke("import", *words, "--db", str(db), given="x")
        assert done.exit_code == 2
        assert sentence in done.stderr
        assert done.stderr.count("\n") == 1
        assert not list(tmp_path.glob("*new.db*"))
    with Database.open(str(db), create=True) as repository:
        remove_empty(str(db))
        assert repository.tournaments.all() == ()
    assert invoke("import", str(cut), "--db", str(db)).exit_code == 2
    assert db.exists()


def test_same_matches_are_imported_again_only_on_request(home: Path, tmp_path: Path) -> None:
    db = str(tmp_path / "other.db")
    records = str(home / "records.jsonl")
    assert invoke("import", records, "--name", "one", "--db", db).exit_code == 0
    done = invoke("import", records, "--name", "two", "--db", db)
    assert done.exit_code == 2
    assert f"{records} line 1: match 1 of one has this record already; to import it, add" in done.stderr
    assert invoke("import", records, "--name", "two", "--again", "--db", db).exit_code == 0
    twice = tmp_path / "twice.jsonl"
    twice.write_text(Path(records).read_text() * 2)
    done = invoke("import", str(twice), "--name", "three", "--again", "--db", db)
    assert done.stderr == f"error: {twice} line 7 has the record of {twice} line 1 again\n"


def test_measurements_go_with_tournaments_only(home: Path, tmp_path: Path) -> None:
    source, db = str(home / "tourney.db"), str(tmp_path / "other.db")
    done = invoke("export", "--measured", "--db", source)
    assert (done.exit_code, "--measured does not go with --what records" in done.stderr) == (2, True)
    out = str(tmp_path / "measured.jsonl")
    words = ("export", "--what", "tournament", "--measured")
    assert invoke(*words, "--out", out, "--db", source).exit_code == 0
    assert invoke("import", out, "--db", db).exit_code == 0
    assert invoke(*words, "--db", db).stdout == Path(out).read_text()


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("extra", {"seeding": 5}, "seeding is 5, but must be a text"),
        ("extra", {"seeding": "x"}, "seeding is 'x', but must be one of file, rating"),
        ("extra", {"budget": 5}, "a swiss has no setting 'budget'"),
        ("format", "knockout", ""),
        needing("lab", "format", "compare", "the settings of the comparison cannot be read"),
        ("games-per-pairing", 3, "games-per-pairing is 3, no multiple of 2"),
        ("rounds", 2**53 - 1, "rounds is 9007199254740991, but"),
    ],
)
def test_plan_must_be_one_that_its_format_takes(
    home: Path, tmp_path: Path, key: str, value: object, sentence: str
) -> None:
    head, *rest = (home / "tournament.jsonl").read_text().splitlines()
    data = json.loads(head)
    data["tournament"]["plan"][key] = value
    if key == "format":  # a plan is ranked as its format can be
        data["tournament"]["plan"]["ranking"] = to_builtins(find_format(str(value)).new_rule(2))
    del data["root"]
    path, db = tmp_path / "changed.jsonl", tmp_path / "new.db"
    path.write_text("\n".join([json.dumps(data), *rest]))
    done = invoke("import", str(path), "--db", str(db))
    if not sentence:
        assert done.exit_code == 0
        return
    assert done.exit_code == 2
    assert f"error: {path} line 1: {sentence}" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not db.exists()


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda line: line[:50], "line 3 is not JSON"),
        (lambda line: line.replace("sage-stones", "sages-tafl"), "line 3: the record's digest is"),
        (lambda line: "[]", "line 3: the record is [], but must be an object"),
        (lambda line: "[" * 100_000, "line 3 is not JSON: lists or objects are nested more than 32 deep\n"),
        (lambda line: "9" * 5000, "line 3 is not JSON: a number has more than 4,300 digits\n"),
        (lambda line: line.replace("{", '{"game":"x",', 1), "line 3 is not JSON: the key 'game' is there"),
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
