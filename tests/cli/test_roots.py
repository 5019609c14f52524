"""A tournament's root at the command line: shown, compared, proved, and equal however the run went."""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support import genuine
from tests.support.command import invoke
from tourney.check.root import compute_root
from tourney.store.database import Database


@pytest.fixture
def database(tmp_path: Path) -> str:
    path = str(tmp_path / "tourney.db")
    with Database.open(path, create=True) as repository:
        genuine.play_all(repository, genuine.begin(repository), void=(4,))
    return path


@pytest.fixture
def root(database: str) -> str:
    with Database.open(database) as repository:
        found = compute_root(repository, repository.tournaments.get())
    assert found is not None
    return found


def verify(*words: str) -> tuple[int, str, str]:
    done = invoke("verify", *words)
    return done.exit_code, done.stdout, done.stderr


def test_database_is_compared_with_a_root(database: str, root: str) -> None:
    assert verify("--root", root, "--db", database) == (0, "cup has this root: 6 matches\n", "")
    assert verify("--root", root, "cup", "--db", database)[0] == 0
    code, out, err = verify("--root", "0" * 64, "--db", database)
    assert (code, out) == (1, "")
    assert err == f"error: no tournament here has the root {'0' * 64}; cup has the root {root}\n"
    both = verify("--all", "--root", root, "--db", database)
    assert both[0] == 0
    lines = both[1].splitlines()
    assert lines[:2] == ["5 records hold", "cup is whole: 3 rounds, 6 matches"]
    assert lines[2].startswith("cup: seed: chosen by a person")
    assert lines[-1] == "cup has this root: 6 matches"
    for words in (["--root", "12"], ["--root", root, "other"], ["--root", root, "--manifest", database]):
        assert verify(*words, "--db", database)[0] == 2


def test_root_comes_from_the_records_themselves(database: str, root: str) -> None:
    """An altered record beside its old digest does not pass."""
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(
            'UPDATE "match" SET record = (SELECT record FROM "match" WHERE id = 2) WHERE id = 1'
        )
    assert verify("--root", root, "--db", database)[0] == 1


def test_unfinished_tournament_does_not_have_the_root(database: str, root: str) -> None:
    with Database.open(database) as repository:
        repository.matches.take_back(1, [3])
    code, _, err = verify("--root", root, "--db", database)
    assert code == 1
    assert "cup has no root yet: match 3 is not played" in err


def test_proof_holds_without_the_database(database: str, root: str, tmp_path: Path) -> None:
    proof, record = tmp_path / "proof.json", tmp_path / "record.json"
    assert invoke("export", "--proof", "3", "--db", database, "--out", str(proof)).exit_code == 0
    assert invoke("export", "--proof", "cup/3", "--db", database).stdout == proof.read_text()
    lines = invoke("export", "--db", database).stdout.splitlines(keepends=True)
    record.write_text(lines[2])
    Path(database).unlink()
    code, out, _ = verify("--root", root, "--proof", str(proof))
    assert (code, json.loads(proof.read_text())["index"]) == (0, 3)
    assert out.endswith("belongs to this root: round 2, table 1, repeat 1, order 1, entry 3 of 7\n")
    assert verify(str(record), "--root", root, "--proof", str(proof))[0] == 0
    record.write_text(lines[1])
    assert verify(str(record), "--root", root, "--proof", str(proof))[0] == 1
    assert verify("--root", "0" * 64, "--proof", str(proof))[0] == 1
    for words in (["--proof", str(proof)], ["--root", root, "--all", "--proof", str(proof)]):
        assert verify(*words)[0] == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--proof", "3", "--what", "matches"], "--what does not go with --proof"),
        (["--proof", "3", "--what", "records"], "--what does not go with --proof"),
        (["--proof", "3", "--format", "jsonl"], "--format does not go with --proof"),
        (["--proof", "3", "--private"], "--private does not go with --proof"),
        (["other", "--proof", "cup/3"], "--proof cup/3 is not a match of other"),
        (
            ["--proof", "third"],
            "'third' is not a match: name one by its number",
        ),
    ],
)
def test_proof_with_words_that_do_not_go_with_it_is_refused(
    database: str, words: list[str], said: str
) -> None:
    done = invoke("export", *words, "--db", database)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr


def test_plan_and_void_matches_have_proofs(database: str, root: str, tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    for match, says in (
        ("plan", f"the plan in {proof} belongs to this root, which has 6 matches\n"),
        ("4", "a void match belongs to this root: round 2, table 1, repeat 1, order 2, entry 4 of 7\n"),
    ):
        proof.write_text(invoke("export", "cup", "--proof", match, "--db", database).stdout)
        assert verify("--root", root, "--proof", str(proof)) == (0, says, "")


def test_exported_tournament_is_compared_with_a_root(database: str, root: str, tmp_path: Path) -> None:
    file = tmp_path / "cup.jsonl"
    assert invoke("export", "--what", "tournament", "--db", database, "--out", str(file)).exit_code == 0
    code, out, err = verify(str(file), "--root", root)
    assert "not under a root: titles" in err
    assert (code, out.splitlines()[-2:]) == (0, [f"cup: root {root}", "cup has this root: 6 matches"])
    assert verify(str(file))[0] == 0
    lines = file.read_text().splitlines(keepends=True)
    other = lines[0].replace('"seed":"7"', '"seed":"8"')
    for altered, says in (
        ([other, *lines[1:]], "its record has another seed than the tournament has for this match"),
        ([lines[0], lines[2], lines[1], *lines[3:]], "does not come after"),
        (lines[:-1], "the file has 5 matches, but its first line says 6"),
    ):
        file.write_text("".join(altered))
        for words in ([], ["--root", root]):
            code, _, err = verify(str(file), *words)
            assert (code, says in err) == (1, True), err
    file.write_text(invoke("export", "--db", database).stdout)
    code, _, err = verify(str(file), "--root", root)
    assert (code, "does not begin with a tournament" in err) == (2, True)


def test_damaged_proof_is_refused(database: str, root: str, tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    text = invoke("export", "--proof", "3", "--db", database).stdout
    for damaged in ("", "[]", "{}", text.replace('"tree-size":7', '"tree-size":"7"')):
        proof.write_text(damaged)
        code, out, err = verify("--root", root, "--proof", str(proof))
        assert (code, out) == (2, "")
        assert re.fullmatch("error: .*\n", err)
    assert invoke("export", "--proof", "9", "--db", database).exit_code == 2
