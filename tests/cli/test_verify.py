"""``tourney verify``: files, stored matches, and altered databases."""

import json
import sqlite3
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from tests.support.command import invoke
from tests.support.records import as_json, digested, play_random
from tourney.check.named_seeds import NamedSeed, play_named
from tourney.match.record import Record
from tourney.store.column_reading import pack
from tourney.store.database import Database


def stored(database: str, number: int) -> Record:
    """Return the stored record of a match."""
    with Database.open(database) as repository:
        return repository.records.get(repository.tournaments.get("cup").id, number)


def test_verify_checks_a_file_of_records(tmp_path: Path, record: Record) -> None:
    """A file has one record or many; each failure is printed with its line, and the exit code is 1."""
    path = tmp_path / "records.jsonl"
    path.write_bytes(b"".join(play_random(seed).record.encode() + b"\n" for seed in (1, 2, 3)))
    done = invoke("verify", str(path))
    assert (done.exit_code, done.stdout) == (0, "3 records hold\n")
    wrong = as_json(record)
    wrong["actions"][8][1] = "roll-111" if record.actions[8][1] != "roll-111" else "roll-222"
    with path.open("a", encoding="utf-8") as out:
        out.write(json.dumps(digested(wrong)) + "\n")
    done = invoke("verify", str(path))
    assert done.exit_code == 1
    assert done.stdout.startswith(f"{path} line 4: action 9: ")
    assert done.stderr == "error: 1 of 4 records does not hold\n"


def test_verify_all_passes_a_sound_database(database: str) -> None:
    """Every played match holds; a void match has no record to verify."""
    done = invoke("verify", "--all", "--db", database)
    whole = "cup is whole: 3 rounds, 6 matches\n"
    assert (done.exit_code, done.stdout.startswith(f"5 records hold\n{whole}")) == (0, True)


def altered(database: str, sql: str, *values: object) -> None:
    connection = sqlite3.connect(database)
    with connection:
        connection.execute(sql, values)
    connection.close()


def test_verify_all_finds_one_altered_byte(database: str) -> None:
    """An action is changed, with and without a new digest; other bytes do not unpack."""
    record = as_json(stored(database, 3))
    action = record["actions"][-1]
    action[1] = action[1][0] + ("a" if action[1][1] != "a" else "b")
    for blob, says in (
        (pack(record), "match 3 of cup: its content has the digest"),
        (pack(digested(record)), "match 3 of cup: "),
        (b"nonsense", f"match 3 of cup: the database {database} was altered: column record of table match, "),
    ):
        altered(database, 'UPDATE "match" SET record = ? WHERE id = 3', blob)
        done = invoke("verify", "--all", "--db", database)
        assert done.exit_code == 1
        assert done.stdout.startswith(says)
        assert done.stderr.startswith("error: 1 of 5 records does not hold")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("\"match\" SET ranks = CASE ranks WHEN '1,2' THEN '2,1' ELSE '1,2' END WHERE id = 3", "ranks is "),
        ('"match" SET digest = "ab" WHERE id = 3', "digest is ab in the database, but "),
        ("\"match\" SET void_reason = 'benched' WHERE id = 3", "void_reason is benched in the database, but"),
        ("seat SET rank = 3 - rank WHERE match_id = 3", "rank of seat 1 is "),
        ("seat SET entrant = 2 WHERE match_id = 3", "entrant of seat 1 is 2 in the database"),
        ("seat SET fault = 'crash' WHERE match_id = 3", "fault of seat 1 is crash in the database"),
        ('"match" SET record = NULL WHERE id = 3', "holds nothing and not the record of the digest"),
        ('"match" SET record = "text" WHERE id = 3', "holds 'text' and not a packed record"),
    ],
)
def test_verify_all_compares_columns_with_records(database: str, change: str, says: str) -> None:
    """Standings and ratings use columns beside the record, so a result changed there is found too."""
    altered(database, f"UPDATE {change}")
    done = invoke("verify", "--all", "--db", database)
    assert done.exit_code == 1
    assert done.stdout.startswith("match 3 of cup: ")
    assert says in done.stdout
    assert done.stderr.startswith("error: 1 of 5 records does not hold")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "row", "holds"),
    [
        ("tournament SET \"plan\" = '{'", "1 (cup)", "'{' and not JSON"),
        ("tournament SET run = ''", "1 (cup)", "'' and not JSON"),
        ("tournament SET seed = 'x'", "1 (cup)", "'x' and not a number of at most 256 bits"),
        ("tournament SET seats = 3", "1 (cup)", "3 and not 2 as the column plan has it"),
        ("entrant SET args = 'x'", "1,0 (entrant drawn-1)", "'x' and not JSON"),
        ("entrant SET args = '[1]'", "1,0 (entrant drawn-1)", "'[1]' and not a JSON list of texts"),
        ("entrant SET digest = 5", "1,0 (entrant drawn-1)", "'5' and not a digest"),
        ("schedule SET seating = '0 1' WHERE id = 3", "3 (match 3 of cup)", "'0 1' and not the numbers"),
        ("schedule SET seating = '0,7' WHERE id = 3", "3 (match 3 of cup)", "'0,7' and not the numbers"),
        ("schedule SET order_no = 'x' WHERE id = 3", "3 (match 3 of cup)", "'x' and not an integer"),
        ("\"match\" SET ranks = '' WHERE id = 3", "3 (match 3 of cup)", "'' and not the ranks of 2 seats"),
        ("\"match\" SET ranks = '2,2' WHERE id = 3", "3 (match 3 of cup)", "'2,2' and not the ranks"),
        ("\"match\" SET faults = 'flu,' WHERE id = 3", "3 (match 3 of cup)", "'flu,' and not a fault's kind"),
        ("seat SET entrant = 9 WHERE match_id = 3 AND seat = 2", "3,2 (", "9 and not an integer from 0 to 2"),
        ("seat SET rank = 'x' WHERE match_id = 3 AND seat = 2", "3,2 (", "'x' and not an integer"),
        ("seat SET fault = 'flu' WHERE match_id = 3 AND seat = 2", "3,2 (", "'flu' and not one of startup"),
    ],
)
def test_malformed_columns_are_reported_with_their_place(
    database: str, change: str, row: str, holds: str
) -> None:
    """Every command that reads the column names database, table, row and column."""
    altered(database, f"UPDATE {change}")
    table, _, column = change.replace('"', "").split()[:3]
    says = f"the database {database} was altered: column {column} of table {table}, row {row}"
    silent = set()
    for words in (
        ("report", "--out", str(Path(database).parent / "report")),
        ("standings",),
        ("ratings",),
        ("ratings", "--method", "trueskill"),
        ("status",),
        ("export", "--what", "seats"),
        ("show", "3"),
        ("verify", "3"),
        ("verify", "--all"),
        ("db", "check"),
    ):
        done = invoke(*words, "--db", database)
        assert done.exception is None or isinstance(done.exception, SystemExit)
        if words[0] in {"verify", "db"}:
            assert done.exit_code in {1, 3}
            assert says in done.stdout + done.stderr or "seat" in change
        elif done.exit_code:
            assert done.exit_code == 3
            assert done.stderr.startswith(f"error: {says}")
            assert f"holds {holds}" in done.stderr
            assert done.stderr.count("\n") == 1
        else:
            silent.add(words[0])  # it does not read this column
    assert says in invoke("db", "check", "--db", database).stdout
    # Of the rows of seats, a report reads entrants and overloaded turns.
    unread = change.startswith(("seat SET rank", "seat SET fault"))
    assert ("report" in silent) == unread
    assert (Path(database).parent / "report").exists() == unread


def test_verify_requires_one_target(file: Path) -> None:
    """Without a match, --all or --manifest, or with two of them, the use is wrong."""
    for words in ([], [str(file), "--all"]):
        done = invoke("verify", *words)
        assert done.exit_code == 2
        assert "give one of MATCH, --all" in done.stderr


def test_verify_names_what_is_neither_match_nor_tournament(database: str) -> None:
    done = invoke("verify", "no-cup", "--db", database)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "'no-cup' is not a match, a tournament or a file" in done.stderr


def test_verify_checks_a_manifest(tmp_path: Path) -> None:
    """Named seeds give records with the listed digests; another digest is a named failure."""
    bad = NamedSeed(name="bad", game="sage-stones", seats=2, seed="9", digest="0" * 64)
    digest = play_named(bad).record.digest
    good = structs.replace(bad, name="nine", digest=digest)
    path = tmp_path / "manifest.jsonl"
    path.write_bytes(msgspec.json.encode(good))
    done = invoke("verify", "--manifest", str(path))
    assert (done.exit_code, done.stdout) == (0, "1 record holds\n")
    path.write_bytes(msgspec.json.encode(bad))
    done = invoke("verify", "--manifest", str(path))
    assert done.exit_code == 1
    assert done.stdout == (
        f"bad (sage-stones): its record has the digest {digest}, not {'0' * 64} as the manifest says\n"
    )
