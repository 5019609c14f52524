"""``tourney verify`` compares stored matches with their tournament's plan."""

import re
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.support import genuine
from tests.support.command import invoke
from tests.support.records import as_json, digested
from tourney.check import tournament as verification
from tourney.check.named_seeds import LIMITS
from tourney.check.tournament import TournamentVerifier
from tourney.match.record import Record, check_record, decode_record
from tourney.match.spec import MatchSpec, Opening
from tourney.spawning import Pool
from tourney.store.database import Database


@pytest.fixture
def database(tmp_path: Path) -> str:
    """Two finished tournaments with equal entrants and limits and different seeds."""
    path = str(tmp_path / "tourney.db")
    with Database.open(path, create=True) as repository:
        genuine.play_all(repository, genuine.begin(repository))
        genuine.play_all(repository, genuine.begin(repository, name="other", seed=8))
    return path


def record_of(database: str, number: int, name: str = "cup") -> Record:
    with Database.open(database) as repository:
        return repository.records.get(repository.tournaments.get(name).id, number)


def put(database: str, number: int, record: Record) -> None:
    """Replace a match of the first tournament by a record, with all columns derived from it."""
    ranks = record.outcome.ranks
    with sqlite3.connect(database) as connection:
        connection.execute(
            'UPDATE "match" SET record = ?, digest = ?, ranks = ?, reason = ?, actions = ? WHERE id = ?',
            (
                zlib.compress(record.encode()),
                record.digest,
                ",".join(map(str, ranks)),
                record.outcome.reason,
                len(record.actions),
                number,
            ),
        )
        for seat, rank in enumerate(ranks, start=1):
            connection.execute(
                "UPDATE seat SET rank = ? WHERE match_id = ? AND seat = ?", (rank, number, seat)
            )
    connection.close()


def verify(database: str, *words: str) -> tuple[int, str, str]:
    """The exit code, the output without the lines on seeds and roots, and the errors."""
    done = invoke("verify", *(words or ("--all",)), "--db", database)
    shown = re.sub(r"^\w+: (seed|root)[ :].*\n", "", done.stdout, flags=re.MULTILINE)
    return done.exit_code, shown, done.stderr


def test_match_played_as_planned_holds(database: str) -> None:
    whole = "cup is whole: 3 rounds, 6 matches\nother is whole: 3 rounds, 6 matches\n"
    assert verify(database) == (0, f"12 records hold\n{whole}", "")
    assert verify(database, "cup/3") == (0, "1 record holds\n", "")


def test_record_of_another_tournament_is_found(database: str) -> None:
    """The record and its columns are sound; only seed and schedule differ."""
    alien = record_of(database, 3, "other")
    put(database, 3, alien)
    code, out, err = verify(database)
    assert (code, err) == (1, "error: 1 of 12 records does not hold\n")
    assert out.startswith(
        f"match 3 of cup: its seed is {alien.seed}, but the tournament's seed and its place"
    )
    assert out.splitlines()[1:] == [
        "cup is whole: 3 rounds, 6 matches",
        "other is whole: 3 rounds, 6 matches",
    ]
    first = out.splitlines(keepends=True)[0]
    assert verify(database, "cup/3") == (1, first, "error: 1 of 1 record does not hold\n")
    assert verify(database, "cup/2")[0] == 0


CHANGES: dict[str, tuple[Callable[[MatchSpec], MatchSpec], str]] = {
    "seed": (lambda spec: replace(spec, seed=spec.seed + 1), "its seed is "),
    "limits": (
        lambda spec: replace(spec, limits=replace(spec.limits, move_ms=5)),
        "its limits: move-ms=5 margin-ms=50",
    ),
    "options": (
        lambda spec: replace(spec, options=(*spec.options[:-1], (spec.options[-1][0], "5"))),
        "its options: ",
    ),
    "opening": (
        lambda spec: replace(spec, opening=Opening(plies=3)),
        "its opening: plies=3, but plies=2 by the plan and the seed",
    ),
    "seat order": (lambda spec: replace(spec, seats=spec.seats[::-1]), "on its seat 1 is drawn-3 (drawn@1, "),
    "arguments": (
        lambda spec: replace(spec, seats=(replace(spec.seats[0], args=("-x",)), spec.seats[1])),
        "on its seat 1 is drawn-2 (drawn@1 -x, ",
    ),
    "digest": (
        lambda spec: replace(spec, seats=(spec.seats[0], replace(spec.seats[1], digest="0" * 64))),
        "on its seat 2 is drawn-3 (drawn@1, 000000000000), but drawn-3 (drawn@1, 99fa6de59312) in",
    ),
}


@pytest.mark.parametrize(("change", "says"), CHANGES.values(), ids=CHANGES)
def test_match_that_differs_from_the_plan_is_found(
    database: str, change: Callable[[MatchSpec], MatchSpec], says: str
) -> None:
    spec = record_of(database, 1).spec
    put(database, 1, genuine.play(change(spec)).record)
    code, out, _ = verify(database)
    assert code == 1
    assert out.startswith(f"match 1 of cup: {says}")
    assert out.count("\n") == 3


def test_match_of_other_rules_or_game_is_found(database: str) -> None:
    put(database, 2, check_record(digested(as_json(record_of(database, 2)) | {"rules": "0"})))
    code, out, _ = verify(database)
    assert code == 1
    assert "match 2 of cup: its version of the rules: 0, but 1 in the tournament's plan\n" in out
    other = genuine.play(MatchSpec("sages-tafl", (), record_of(database, 1).spec.seats, 1, LIMITS)).record
    put(database, 2, other)
    code, out, _ = verify(database)
    assert code == 1
    assert "match 2 of cup: its game: sages-tafl, but sage-stones in the tournament's plan\n" in out


def test_void_match_with_a_result_is_found(tmp_path: Path) -> None:
    path = str(tmp_path / "tourney.db")
    with Database.open(path, create=True) as repository:
        genuine.play_all(repository, genuine.begin(repository), void=(4,))
    whole = "cup is whole: 3 rounds, 6 matches\n"
    assert verify(path) == (0, f"5 records hold\n{whole}", "")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE \"match\" SET ranks = '1,2', void_reason = NULL WHERE id = 4")
    connection.close()
    code, out, err = verify(path)
    assert (code, err) == (1, "error: 1 of 6 records does not hold\n")
    finding = "match 4 of cup: ranks is 1 2 in the database, but 1 1 follows from the record\n"
    assert out == finding + whole


def test_imported_records_are_compared_with_each_other(database: str, tmp_path: Path) -> None:
    """Their seeds are their own; entrants, limits and each group's seed must agree."""
    file = tmp_path / "records.jsonl"
    assert invoke("export", "cup", "--db", database, "--out", str(file)).exit_code == 0
    other = str(tmp_path / "imported.db")
    assert invoke("import", str(file), "--name", "cup", "--db", other).exit_code == 0
    code, out, err = verify(other)
    assert (code, out) == (0, "6 records hold\ncup is whole: 1 round, 6 matches\n")
    assert err.startswith("cup was imported from records alone, which brought their own seeds and openings; ")
    records = [decode_record(line) for line in file.read_bytes().splitlines()]
    # Change the seed of one game of a mirrored pair and the entrants of another.
    put(other, 2, genuine.play(replace(records[1].spec, seed=5)).record)
    put(other, 4, records[5])
    code, out, _ = verify(other)
    assert code == 1
    first, second, last = out.splitlines()
    assert last.startswith("cup: it ended with the root ")
    assert first == (
        f"match 2 of cup: its seed is 5, but match 1 of the same mirrored group has {records[0].seed}"
    )
    assert second.startswith("match 4 of cup: on its seat ")


@pytest.mark.slow
def test_processes_and_chunks_change_no_finding(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mirrored groups of imported matches are compared across chunks, and findings come in order."""
    file = tmp_path / "records.jsonl"
    assert invoke("export", "cup", "--db", database, "--out", str(file)).exit_code == 0
    other = str(tmp_path / "imported.db")
    assert invoke("import", str(file), "--name", "cup", "--db", other).exit_code == 0
    records = [decode_record(line) for line in file.read_bytes().splitlines()]
    put(other, 2, genuine.play(replace(records[1].spec, seed=5)).record)
    put(other, 4, records[5])
    with sqlite3.connect(other) as connection:
        connection.execute("UPDATE \"match\" SET reason = 'altered' WHERE id = 5")
        connection.execute("UPDATE \"match\" SET record = x'00ff' WHERE id = 6")
    connection.close()
    wanted = verify(other)
    assert wanted[1].count("\nmatch ") == 3
    assert verify(other, "--all", "--processes", "2") == wanted
    found = []
    with Database.open(other) as repository:
        for processes, chunk in ((1, 200), (1, 1), (2, 1)):
            monkeypatch.setattr(verification, "CHUNK", chunk)
            with Pool(processes, "verifies matches", 1) as pool:
                verifier = TournamentVerifier(repository, repository.tournaments.get())
                found.append(list(verifier.matches(pool)))
    assert found[0] == found[1] == found[2]
    assert [number for number, findings in found[0] if findings] == [2, 4, 5, 6]


def test_processes_are_for_all_matches(database: str) -> None:
    code, _, err = verify(database, "cup/3", "--processes", "2")
    assert (code, err) == (2, "error: --processes goes with --all or a TOURNAMENT\n")
