"""The repository: tournaments, rows, matches and results."""

import sqlite3
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from tests.support.tournaments import LETTERS, begin, digests, entrant, played, refused
from tourney.check.database import check_database
from tourney.errors import StoreError, UsageError
from tourney.match.result import NOT_MEASURED
from tourney.match.spec import Limits
from tourney.results.standings import compute_standings
from tourney.run.engine.recorder import spec_of
from tourney.schedule.row import Row
from tourney.store.beacon import Beacon
from tourney.store.database import Database
from tourney.store.schedules import RowCounts
from tourney.store.values import RANDOM, MatchResult, Origin, Plan, StoredEntrant, StoredRun, Tournament


def play_all(repository: Database, tournament: Tournament, order: list[int] | None = None) -> None:
    """Store a made-up result for each pending row, one at a time, in the given order."""
    pending = dict(repository.schedules.pending(tournament.id))
    entrants = repository.tournaments.entrants(tournament.id)
    for number in order or list(pending):
        spec = spec_of(tournament, entrants, pending[number])
        repository.matches.add(tournament.id, [MatchResult(number, played(spec))])


def test_origin_of_seed_is_stored_and_checked(repository: Database, database: Path) -> None:
    origin = Origin(False, "0" * 32, Beacon("drand 7", "0123456789abcdef"))
    made = repository.tournaments.add(
        Plan("cup", "g", "1", (), "swiss", 2, 2),
        seed=1,
        origin=origin,
        run=StoredRun(),
        entrants=(),
        created="",
    )
    assert repository.tournaments.by_id(made.id).origin == origin
    for column, value in (("salt", "x"), ("beacon", "{}"), ("seed_chosen", 2)):
        with sqlite3.connect(database) as connection:
            (before,) = connection.execute(f"SELECT {column} FROM tournament").fetchone()  # noqa: S608 - our own names
            connection.execute(f"UPDATE tournament SET {column} = ?", (value,))  # noqa: S608 - likewise
        assert any(f"column {column} of table tournament" in one for one in check_database(str(database)))
        with sqlite3.connect(database) as connection:
            connection.execute(f"UPDATE tournament SET {column} = ?", (before,))  # noqa: S608 - likewise


def test_tournament_round_trip(repository: Database) -> None:
    plan = Plan(
        name="full",
        game="sages-tafl",
        rules="7",
        options=(("a", "1"), ("b", "x")),
        format="round-robin",
        seats=2,
        games_per_pairing=4,
        rounds=9,
        opening_plies=3,
        book=(("e4", "e5"), ("d4",)),
        limits=Limits(move_ms=None, clock_ms=60000, increment_ms=5, nodes=9, charge="cpu"),
        extra=(("heroes", 2), ("third-place", "yes")),
    )
    entrants = (
        StoredEntrant(0, entrant("a"), title="Ä <b>", author="me", joined=1, line='{"bot":"a"}'),
        StoredEntrant(1, entrant("b"), joined=2),
    )
    run = StoredRun(reuse=True, sandbox="strict")
    made = repository.tournaments.add(
        plan, seed=2**256 - 1, origin=RANDOM, run=run, entrants=entrants, created="now"
    )
    assert repository.tournaments.all() == (made,)
    assert made == Tournament(1, plan, 2**256 - 1, RANDOM, run, complete=False, created="now")
    assert repository.tournaments.entrants(made.id) == entrants
    assert repository.schedules.progress(made.id) == RowCounts(0, 0, 0, 0)


def test_tournament_is_found_by_name_or_as_last(repository: Database) -> None:
    with refused(UsageError, "holds no tournament yet", "tourney run"):
        repository.tournaments.get()
    begin(repository, name="one")
    begin(repository, name="two")
    assert repository.tournaments.get().name == "two"
    assert repository.tournaments.get("one").name == "one"
    with refused(UsageError, "no tournament 'three'", "there are: one, two"):
        repository.tournaments.get("three")
    with refused(UsageError, "holds a tournament 'one' already"):
        begin(repository, name="one")


def test_rows_are_numbered_once_in_schedule_order(repository: Database) -> None:
    tournament = begin(repository, 3, pair=False)
    rows = [Row(2, 1, 1, 1, (0, 1)), Row(1, 1, 1, 2, (2, 1)), Row(1, 1, 1, 1, (1, 2))]
    numbered = repository.schedules.add(tournament.id, rows, complete=False)
    assert numbered == tuple(enumerate(sorted(rows), 1))
    assert (
        tuple(repository.schedules.rows(tournament.id))
        == numbered
        == repository.schedules.pending(tournament.id)
    )
    with refused(StoreError, "(2, 1, 1, 1)", "drawn already"):
        repository.schedules.add(tournament.id, [Row(2, 1, 1, 1, (1, 2))], complete=False)
    with refused(StoreError, "(1, 9, 1, 1)"):
        repository.schedules.add(
            tournament.id, [Row(3, 1, 1, 1, (0, 1)), Row(1, 9, 1, 1, (0, 1))], complete=True
        )
    assert len(repository.schedules.pending(tournament.id)) == 3
    assert not repository.tournaments.get().complete
    assert repository.schedules.add(tournament.id, [Row(3, 1, 1, 1, (0, 1))], complete=True)[0][0] == 4
    assert repository.tournaments.get().complete


def test_stored_data_do_not_depend_on_completion_order(tmp_path: Path) -> None:
    seen = []
    for k in range(3):
        with Database.open(str(tmp_path / f"{k}.db"), create=True) as repository:
            tournament = begin(repository, 5, games=4)
            order = sorted(range(1, 41), key=lambda number: (number * (7, 11, 23)[k]) % 41)
            play_all(repository, tournament, order)
            seen.append(
                (
                    list(repository.matches.results(tournament.id)),
                    list(repository.matches.all(tournament.id)),
                    list(repository.records.all(tournament.id)),
                    compute_standings(repository, tournament.id),
                    repository.totals.standings(tournament.id),
                )
            )
    assert seen[0] == seen[1] == seen[2]
    assert [result.number for result in seen[0][0]] == list(range(1, 41))


def test_match_is_stored_completely_and_once(repository: Database) -> None:
    tournament = begin(repository)
    entrants = repository.tournaments.entrants(tournament.id)
    number, row = repository.schedules.pending(tournament.id)[1]
    first = played(spec_of(tournament, entrants, row), (2, 1), ((1, "timeout", 1),))
    repository.matches.add(tournament.id, [MatchResult(number, first)])
    other = played(spec_of(tournament, entrants, row), (1, 2))
    repository.matches.add(tournament.id, [MatchResult(number, other)])
    assert digests(repository, tournament.id) == {number: first.record.digest}
    assert repository.records.get(tournament.id, number) == first.record
    assert repository.records.log(tournament.id, number) == first.log
    assert repository.records.measured(tournament.id, number) == first.measured
    match = repository.matches.get(tournament.id, number)
    assert match.row == row
    assert match.result is not None
    assert (match.result.ranks, match.result.faults) == ((2, 1), ("timeout", None))
    assert (match.result.actions, match.result.reproducible, match.result.void) == (2, True, False)
    assert number not in dict(repository.schedules.pending(tournament.id))
    assert repository.totals.faults(tournament.id) == ((row.seats[0], "timeout", 1),)
    [result] = repository.matches.results(tournament.id)
    expected = row.result((2, 1), ("timeout", None))
    assert result == expected._replace(number=number, evidence=first.evidence)


def test_matches_share_dictionaries_of_their_tournament(repository: Database, database: Path) -> None:
    """Later batches use those of the first one; matches of older versions are read beside them."""
    one, two = begin(repository, 4, games=4, name="one"), begin(repository, 3, name="two")
    for tournament in (one, two):
        play_all(repository, tournament)
    records = list(repository.records.all(one.id))
    with sqlite3.connect(database) as connection:
        kept = connection.execute("SELECT tournament_id, name FROM dictionary ORDER BY 1, 2").fetchall()
        assert kept == [(id_, name) for id_ in (1, 2) for name in ("data", "lines", "record")]
        old = zlib.compress(records[2][1].encode(), 1)
        [(new,)] = connection.execute("SELECT record FROM match WHERE id = 3")
        connection.execute("UPDATE match SET record = ? WHERE id = 3", (old,))
    connection.close()
    assert 3 * len(new) < len(old)
    assert list(repository.records.all(one.id)) == records
    assert check_database(str(database)) == ()


def test_altered_dictionary_is_named_with_the_match(repository: Database, database: Path) -> None:
    tournament = begin(repository)
    play_all(repository, tournament)
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE dictionary SET data = 'x' WHERE name = 'record'")
    connection.close()
    with refused(StoreError, "column record of table match, row 2 (match 2 of cup)"):
        repository.records.get(tournament.id, 2)
    assert any("column data of table dictionary" in line for line in check_database(str(database)))
    assert repository.records.log(tournament.id, 2)


def test_digests_are_found_by_the_index_of_their_first_digits(repository: Database, database: Path) -> None:
    tournament = begin(repository)
    play_all(repository, tournament)
    wanted = digests(repository, tournament.id)
    near = wanted[1][:32] + "0" * 32
    found = dict(repository.matches.find_digests([*wanted.values(), near]))
    assert found == {digest: f"match {number} of cup" for number, digest in wanted.items()}
    with sqlite3.connect(database) as connection:
        query = "SELECT id FROM match WHERE substr(\"match\".digest, 1, 12) IN ('a', 'b')"
        plan = connection.execute(f"EXPLAIN QUERY PLAN {query}").fetchall()
    connection.close()
    assert "ix_match_digest_start" in plan[0][3]


def test_batch_is_stored_atomically(repository: Database) -> None:
    tournament = begin(repository)
    entrants = repository.tournaments.entrants(tournament.id)
    pending = repository.schedules.pending(tournament.id)
    good = MatchResult(1, played(spec_of(tournament, entrants, pending[0][1])))
    three = structs.replace(
        spec_of(tournament, entrants, pending[1][1]), seats=tuple(e.entrant for e in entrants)
    )
    with refused(StoreError, "match 2 was played with 3 seats, not 2"):
        repository.matches.add(tournament.id, [good, MatchResult(2, played(three))])
    assert repository.schedules.progress(tournament.id).done == 0
    assert repository.schedules.pending(tournament.id) == pending


def test_match_that_failed_to_run_is_void_and_named(repository: Database) -> None:
    tournament = begin(repository)
    play_all(repository, tournament, [2, 3, 4, 5, 6])
    before = compute_standings(repository, tournament.id)
    repository.matches.add(tournament.id, [MatchResult(1, None, "the worker died")])
    assert repository.schedules.progress(tournament.id) == RowCounts(6, 6, 1, 3)
    result = repository.matches.get(tournament.id, 1).result
    assert result is not None
    assert (result.void, result.note, result.digest, result.ranks) == (True, "the worker died", "", (1, 1))
    with refused(UsageError, "match 1 is void: the worker died"):
        repository.records.get(tournament.id, 1)
    assert repository.records.log(tournament.id, 1) == ()
    assert repository.records.measured(tournament.id, 1) == NOT_MEASURED
    assert [number for number, _ in repository.records.all(tournament.id)] == [2, 3, 4, 5, 6]
    assert compute_standings(repository, tournament.id) == before


def test_void_match_without_a_start_keeps_its_faults(repository: Database) -> None:
    tournament = begin(repository, 2)
    pending = dict(repository.schedules.pending(tournament.id))
    spec = spec_of(tournament, repository.tournaments.entrants(tournament.id), pending[1])
    both = played(spec, (1, 1), ((1, "startup", 0), (2, "startup", 0)))
    repository.matches.add(tournament.id, [MatchResult(1, both)])
    assert [line.games for line in compute_standings(repository, tournament.id)] == [0, 0]
    assert [line.fault_count for line in compute_standings(repository, tournament.id)] == [1, 1]
    assert repository.totals.standings(tournament.id).pairs == ()
    assert [result.void for result in repository.matches.results(tournament.id)] == [True]


def test_matches_are_found_by_number_name_and_entrant(repository: Database) -> None:
    one = begin(repository, 12, name="one")
    two = begin(repository, 2, name="two")
    assert repository.matches.find("2") == repository.matches.get(two.id, 2)
    assert repository.matches.find("one/7") == repository.matches.get(one.id, 7)
    assert repository.matches.find("7", "one") == repository.matches.get(one.id, 7)
    for text in ("", "x", "one/", "-1", "1.0", "99999999999", "²"):
        with refused(UsageError, "is not a match"):
            repository.matches.find(text)
    with refused(UsageError, "there is no match 3 in this tournament"):
        repository.matches.find("3")
    with refused(UsageError, "match 1 has not been played yet"):
        repository.records.get(one.id, 1)
    mine = list(repository.matches.all(one.id, entrant=1))
    assert len(mine) == 22
    assert all(1 in match.seats for match in mine)


def test_altered_record_is_detected(repository: Database, database: Path) -> None:
    tournament = begin(repository)
    play_all(repository, tournament)
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE match SET record = substr(record, 1, 40) WHERE id = 2")
    connection.close()
    where = "column record of table match, row 2 (match 2 of cup), holds 40 bytes and not a packed record"
    with refused(StoreError, str(database), where):
        repository.records.get(tournament.id, 2)
    assert repository.records.get(tournament.id, 1).game == "sage-stones"
    with refused(StoreError, where):
        list(repository.records.all(tournament.id))


def test_amending_changes_only_amendable_fields(repository: Database) -> None:
    tournament = begin(repository, 3)
    assert tournament.complete
    added = StoredEntrant(3, entrant("d"), joined=4)
    run = StoredRun(sandbox="off", breadth_first=True)
    repository.tournaments.amend(tournament.id, plan=tournament.plan, run=run, entrants=[added])
    changed = repository.tournaments.get()
    assert changed == replace(tournament, run=run, complete=False)
    assert repository.tournaments.entrants(tournament.id)[3] == added


def test_snapshot_is_consistent_while_a_run_writes(repository: Database, database: Path) -> None:
    tournament = begin(repository)
    with Database.open(str(database)) as reader, reader.snapshot() as moment:
        assert moment.schedules.progress(tournament.id).done == 0
        play_all(repository, tournament)
        assert moment.schedules.progress(tournament.id).done == 0
        assert compute_standings(moment, tournament.id)[0].games == 0
    assert repository.schedules.progress(tournament.id).done == 6


def test_thousands_of_rows_are_read_in_order(repository: Database) -> None:
    tournament = begin(repository, 26, games=4)
    entrants = repository.tournaments.entrants(tournament.id)
    finished = [
        MatchResult(number, played(spec_of(tournament, entrants, row)))
        for number, row in repository.schedules.pending(tournament.id)
    ]
    repository.matches.add(tournament.id, finished)
    assert len(finished) == 1300
    assert [match.number for match in repository.matches.all(tournament.id)] == list(range(1, 1301))
    assert {line.games for line in compute_standings(repository, tournament.id)} == {100}
    assert sum(line.points for line in compute_standings(repository, tournament.id)) == 1300
    assert sorted(line.name for line in compute_standings(repository, tournament.id)) == list(LETTERS)


def test_missing_tournament_id_is_an_error(repository: Database) -> None:
    with refused(UsageError, "no tournament with the id 9"):
        repository.tournaments.by_id(9)


@pytest.mark.parametrize(
    "statement",
    ["INSERT INTO match SELECT * FROM match LIMIT 1", "INSERT INTO seat SELECT * FROM seat LIMIT 1"],
)
def test_database_constraints_refuse_a_second_result(
    repository: Database, database: Path, statement: str
) -> None:
    tournament = begin(repository)
    play_all(repository, tournament)
    with sqlite3.connect(database) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(statement)
    connection.close()
