"""Luck is computed for those who ask, the same by whatever way, and kept beside the matches."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from tests.support import genuine
from tests.support.command import invoke
from tests.support.coordination import run
from tourney.check.database import check_database
from tourney.check.schedule import StoredSchedule, check_schedule
from tourney.errors import StoreDamaged, StoreError, WorkerError
from tourney.match.evidence import Evidence
from tourney.results import luck
from tourney.results.luck import compute_luck, needs_luck, results_with_luck
from tourney.results.ratings import rate_batch
from tourney.results.standings import compute_standings, load_setup
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.spawning import Pool
from tourney.store import migrations
from tourney.store.database import Database, upgrade_database
from tourney.store.derived import Lucks
from tourney.store.tables import LUCK, MATCH
from tourney.store.values import Tournament

VOID = 6


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A database with a cup of twelve matches, of which one is void."""
    path = tmp_path / "tourney.db"
    with Database.open(str(path), create=True) as database:
        cup = genuine.begin(database, games=4)
        genuine.play_all(database, cup, void=(VOID,))
    return path


@pytest.fixture
def database(place: Path) -> Iterator[Database]:
    with Database.open(str(place)) as database:
        yield database


@pytest.fixture
def cup(database: Database) -> Tournament:
    return database.tournaments.get()


def expected(database: Database, cup: Tournament) -> Mapping[int, Evidence]:
    """The evidence of all recorded matches, by number, as workers of older versions computed it."""
    return {number: Evidence.of(record) for number, record in database.records.all(cup.id)}


def computed(database: Database, cup: Tournament) -> Mapping[int, Evidence]:
    rows = results_with_luck(database, cup)
    return {row.number: row.evidence for row in rows if not row.void}


def rows_of(place: Path, query: str = "SELECT * FROM luck ORDER BY match_id", *values: object) -> list[Any]:
    with closing(sqlite3.connect(place)) as connection, connection:
        return connection.execute(query, values).fetchall()


def forbid_computing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(luck, "lucks_of")


def test_matches_are_played_and_stored_without_luck(database: Database, place: Path, cup: Tournament) -> None:
    assert len(expected(database, cup)) == 11
    assert all(row.evidence.luck == () for row in database.matches.results(cup.id, luck=True))
    assert not any(":" in text for (text,) in rows_of(place, "SELECT evidence FROM match"))
    assert rows_of(place) == []
    assert all(line.luck is None for line in compute_standings(database, cup.id))
    assert rows_of(place) == []


def test_luck_is_that_of_each_record_and_computed_once(
    database: Database, place: Path, cup: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = expected(database, cup)
    assert computed(database, cup) == wanted
    assert all(evidence.luck for evidence in wanted.values())
    assert len(rows_of(place)) == 12  # the void one too, so that it is not looked at again
    forbid_computing(monkeypatch)
    assert computed(database, cup) == wanted
    matches = database.matches.all(cup.id, luck=True)
    assert {
        match.number: match.result.evidence for match in matches if match.result and match.number != VOID
    } == wanted
    with database.snapshot() as moment:
        assert computed(moment, cup) == wanted


def test_standings_and_ratings_have_the_luck_of_records(database: Database, cup: Tournament) -> None:
    entrants = {match.number: match.seats for match in database.matches.all(cup.id)}
    sums = dict.fromkeys(range(3), 0)
    for number, evidence in expected(database, cup).items():
        for entrant, units in zip(entrants[number], evidence.luck, strict=True):
            sums[entrant] += units
    assert {entrant: units for entrant, (units, _) in database.totals.luck(cup.id).items()} == {}
    lines = compute_standings(database, cup.id, luck=True)
    assert {entrant: units for entrant, (units, _) in database.totals.luck(cup.id).items()} == sums
    assert all(line.luck is not None for line in lines)
    assert rate_batch(database, cup, "loss").luck
    assert not rate_batch(database, cup, "loss", luck=False).luck


def test_kill_in_the_middle_loses_one_chunk(
    database: Database, place: Path, cup: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(luck, "_CHUNK", 5)
    done: list[tuple[int, int]] = []

    def kill(count: int, total: int) -> None:
        done.append((count, total))
        if len(done) == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compute_luck(database, cup, step=kill)
    assert len(rows_of(place)) == 5
    compute_luck(database, cup, step=kill)
    assert done == [(5, 12), (5, 7), (7, 7)]
    assert computed(database, cup) == expected(database, cup)


def test_rest_is_computed_here_when_a_process_is_killed(
    database: Database, place: Path, cup: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(luck, "_CHUNK", 5)
    asked = []

    def run_one(pool: Pool, function: Any, tasks: Any) -> Iterator[Any]:
        asked.append(pool.processes)
        key, task = next(iter(tasks))
        yield key, function(task)
        raise WorkerError("killed")

    monkeypatch.setattr(Pool, "run", run_one)
    done: list[tuple[int, int]] = []
    compute_luck(database, cup, processes=2, step=lambda count, total: done.append((count, total)))
    assert asked == [2]
    assert done == [(5, 12), (10, 12), (12, 12)]
    forbid_computing(monkeypatch)
    assert computed(database, cup) == expected(database, cup)


def test_several_processes_compute_the_same(
    database: Database, place: Path, cup: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(luck, "_CHUNK", 5)
    compute_luck(database, cup, processes=1)
    here = rows_of(place)
    rows_of(place, "DELETE FROM luck")
    monkeypatch.setattr(luck, "_stored", lambda *_: pytest.fail("this process computes too"))
    compute_luck(database, cup, processes=2)
    assert rows_of(place) == here


def test_dropped_rows_are_filled_again(database: Database, place: Path, cup: Tournament) -> None:
    compute_luck(database, cup)
    before = rows_of(place)
    rows_of(place, "DELETE FROM luck WHERE match_id % 2 = 0")
    assert computed(database, cup) == expected(database, cup)
    rows_of(place, "DELETE FROM luck")
    assert computed(database, cup) == expected(database, cup)
    assert rows_of(place) == before


def make_old(place: Path) -> None:
    """Let a database be one of revision v3, whose first match has a luck that no record gives."""
    rows_of(place, "DROP TABLE luck")
    rows_of(place, "UPDATE alembic_version SET version_num = 'v3'")
    rows_of(place, "UPDATE match SET evidence = evidence || '1:30,-30' WHERE id = 1")


def test_old_database_keeps_and_uses_its_luck(place: Path, tmp_path: Path) -> None:
    make_old(place)
    with pytest.raises(StoreError, match="older Tourney"):
        Database.open(str(place))
    assert upgrade_database(str(place)) == ("v3", migrations.newest())
    with Database.open(str(place)) as database:
        cup = database.tournaments.get()
        matches, distinct = database.totals.distinct(cup.id)
        old = Evidence.of(database.records.get(cup.id, 1))._replace(luck=(30, -30))
        first, *_ = database.matches.results(cup.id)
        assert (first.evidence, matches, distinct) == (old, 11, 11)
        for _ in range(2):
            assert computed(database, cup) == {**expected(database, cup), 1: old}
            rows_of(place, "DELETE FROM luck")
        records = database.records
        database.lucks.keep({})
        assert "evidence is" in str(records.stored_match(cup.id, 1).disagreement(records.get(cup.id, 1)))
        assert records.stored_match(cup.id, 2).disagreement(records.get(cup.id, 2)) is None


def test_equal_plays_of_old_and_new_matches_are_not_distinct(
    database: Database, place: Path, cup: Tournament
) -> None:
    rows_of(place, "UPDATE schedule SET seating = '0,1'")
    for line in ("", "0" * 12):
        hashes = f"{line} 0123456789ab "
        rows_of(place, "UPDATE match SET evidence = ? WHERE evidence <> ''", hashes)
        rows_of(place, "UPDATE match SET evidence = ? WHERE id = 1", f"{hashes}1:30,-30")
        rows_of(place, "UPDATE match SET evidence = ? WHERE id = 2", f"{line} abcdef012345 1:30,-30")
        assert database.totals.distinct(cup.id) == (11, 2)


def test_luck_that_cannot_be_kept_is_used_and_said_once(
    database: Database, place: Path, cup: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_lucks: Lucks, _computed: object) -> None:
        raise StoreError("the database is read-only")

    monkeypatch.setattr(Lucks, "keep", refuse)
    monkeypatch.setattr(luck, "_CHUNK", 5)
    said: list[str] = []
    compute_luck(database, cup, say=said.append)
    assert said == [
        "the luck of the dice is not kept, so the next command computes it again: the database is read-only"
    ]
    assert rows_of(place) == []
    wanted = expected(database, cup)
    forbid_computing(monkeypatch)
    assert computed(database, cup) == wanted
    with database.snapshot() as moment:
        assert all(line.luck is not None for line in compute_standings(moment, cup.id, luck=True))


def test_moment_before_luck_is_kept_has_it_too(database: Database, place: Path, cup: Tournament) -> None:
    with database.snapshot() as moment:
        assert computed(moment, cup) == expected(database, cup)
        assert len(rows_of(place)) == 12
        assert len(moment.totals.luck(cup.id)) == 3


def test_luck_of_a_result_taken_back_is_gone(database: Database, place: Path, cup: Tournament) -> None:
    task = luck._task(database, cup, database.lucks.missing(cup.id))
    late = luck.lucks_of(task)
    digests = {id_: item.digest for id_, item in late.items()}
    compute_luck(database, cup)
    database.matches.take_back(cup.id, [3])
    assert len(rows_of(place)) == 11
    rows_of(place, "DELETE FROM luck")
    database.lucks.keep({**late, 4: late[4]._replace(digest="0" * 64)})
    kept = {id_ for id_, *_ in rows_of(place)}
    assert kept == set(digests) - {3, 4}  # one has no result now, the other another one
    database.lucks.keep(late)  # those that are kept already do no harm
    assert {id_ for id_, *_ in rows_of(place)} == set(digests) - {3}


@pytest.mark.parametrize("units", ["5,-5", ""])
def test_altered_luck_is_found(database: Database, place: Path, cup: Tournament, units: str) -> None:
    compute_luck(database, cup)
    record = database.records.get(cup.id, 2)
    assert database.records.stored_match(cup.id, 2).disagreement(record) is None
    rows_of(place, "UPDATE luck SET units = ? WHERE match_id = 2", units)
    assert str(database.records.stored_match(cup.id, 2).disagreement(record)).startswith("evidence is")


def test_luck_of_another_version_is_named_as_unchecked(
    database: Database, place: Path, cup: Tournament
) -> None:
    """A person who alters luck could name any version, and no check can compare it."""
    compute_luck(database, cup)
    rows_of(place, "UPDATE luck SET value_version = 9, units = '5,-5' WHERE match_id = 2")
    verified = invoke("verify", "--all", "--db", str(place))
    assert verified.exit_code == 0
    assert "by version 9 of the value function of sage-stones is not checked" in verified.stderr
    rows_of(place, "DELETE FROM luck WHERE match_id = 2")
    assert "value function" not in invoke("verify", "--all", "--db", str(place)).stderr


@pytest.mark.parametrize(("version", "units"), [(1, "5"), (1, "x,y"), (-1, "5,-5")])
def test_damaged_luck_is_named(
    database: Database, place: Path, cup: Tournament, version: int, units: str
) -> None:
    compute_luck(database, cup)
    rows_of(place, "UPDATE luck SET value_version = ?, units = ? WHERE match_id = 2", version, units)
    for read in (
        lambda: list(results_with_luck(database, cup)),
        lambda: list(database.matches.all(cup.id, luck=True)),
        lambda: database.totals.luck(cup.id),
        lambda: database.records.stored_match(cup.id, 2).disagreement(database.records.get(cup.id, 2)),
    ):
        with pytest.raises(StoreDamaged, match=r"of table luck, row 2 \(match 2 of cup\)"):
            read()
    assert [problem for problem in check_database(str(place)) if "table luck, row 2" in problem]


def test_match_of_other_rules_or_a_lost_record_stays_unknown(
    database: Database, place: Path, cup: Tournament
) -> None:
    rows_of(place, "UPDATE match SET record = x'00' WHERE id = 1")
    rows_of(place, "UPDATE match SET record = NULL WHERE id = 2")
    assert sorted(luck.lucks_of(luck._task(database, cup, [1, 2, 3]))) == [3]
    compute_luck(database, cup)
    assert list(database.lucks.missing(cup.id)) == [1, 2]


def test_game_without_values_has_no_luck_to_compute(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = genuine.begin(database, name="other", game="sages-tafl")
    genuine.play_all(database, cup, most=1)
    forbid_computing(monkeypatch)
    compute_luck(database, cup)
    assert not any(row.evidence.luck for row in results_with_luck(database, cup))


def test_luck_is_no_part_of_a_database_digest(database: Database, place: Path, cup: Tournament) -> None:
    before = database.content_digest(cup.id)
    compute_luck(database, cup)
    assert database.content_digest(cup.id) == before
    rows_of(place, "UPDATE match SET note = 'x' WHERE id = 1")
    assert database.content_digest(cup.id) != before


@pytest.mark.parametrize("worker_computes", [True, False])
def test_run_that_ends_by_luck_computes_it_as_it_plays(
    tmp_path: Path, worker_computes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    def play(task: MatchTask) -> WorkerReply:
        match = genuine.play(task.spec)
        asked.append(task.luck)
        if task.luck and worker_computes:
            match.find_luck()
        return WorkerReply(task.number, match)

    with Database.open(str(tmp_path / "t.db"), create=True) as database:
        extra = (("until-games", 8), ("until-order", 1))
        cup = genuine.begin(database, ("drawn-1", "drawn-2"), games=4, extra=extra)
        assert needs_luck(cup, load_setup(database, cup.id))
        run(database, play)
        assert asked == [True] * 4
        with database._access.read() as connection:
            rows = connection.execute(sa.select(LUCK.c.units).join_from(LUCK, MATCH)).scalars().all()
        assert len(rows) == 4
        assert all(rows)
        wanted = expected(database, cup)
        forbid_computing(monkeypatch)
        assert computed(database, cup) == wanted
        assert check_schedule(StoredSchedule.of(database, database.tournaments.get())).findings == ()


@pytest.mark.parametrize(
    ("extra", "needs"),
    [
        ((), False),
        ((("until-games", 8),), False),
        ((("until-width", 30),), True),
        ((("until-best", 9500),), True),
    ],
)
def test_only_formats_that_count_luck_need_it(
    database: Database, extra: tuple[tuple[str, int], ...], needs: bool
) -> None:
    cup = genuine.begin(database, name="other", games=4, extra=extra)
    assert needs_luck(cup, load_setup(database, cup.id)) == needs
