"""The stored totals: after any sequence of writes they are what a count of all seats gives."""

import importlib
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.command import invoke
from tests.store.test_postgres import empty_database, needs_server
from tests.tournaments import begin, played, refused, stored
from tourney.errors import StoreDamaged
from tourney.match.record import FaultKind
from tourney.match.result import PlayedMatch
from tourney.parsing import parse_json
from tourney.results.standings import compute_standings
from tourney.run.engine.recorder import spec_of
from tourney.schedule.row import Row
from tourney.seeds import derive, uniform
from tourney.store.archiving import archive_tournament, restore_tournament
from tourney.store.engine import open_engine, transaction
from tourney.store.exchange import export_lines
from tourney.store.importing import import_tournament
from tourney.store.maintenance import check_database, copy_database
from tourney.store.merging import merge_databases
from tourney.store.repository import Repository
from tourney.store.stored_totals import TABLES
from tourney.store.values import RESULTS, MatchResult, Outcome, Plan, RunSettings, Tournament

PLACES = ["file", pytest.param("server", marks=needs_server)]
STEPS = 14
FILL = importlib.import_module("tourney.store.migrations.versions.0014_totals").FILL
"""What fills the tables from the rows of seats, when a database is upgraded: another way to count."""


@pytest.fixture
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    server = request.param == "server"
    with empty_database() if server else nullcontext(str(tmp_path / "t.db")) as made:
        yield made


def rows_of(connection: sa.Connection) -> dict[str, list[tuple[object, ...]]]:
    """Return the totals of all tournaments, without rows of zeros."""
    found = {}
    for table in TABLES:
        sums = [column for column in table.c if not column.primary_key]
        query = sa.select(table).where(sa.or_(*(column != 0 for column in sums)))
        found[table.name] = sorted(map(tuple, connection.execute(query.order_by(*table.primary_key))))
    return found


def check(url: str) -> None:
    """Hold the stored totals to those that the upgrade of an older database computes, and to a recount."""
    engine = open_engine(url)
    with transaction(engine) as connection:
        kept = rows_of(connection)
    with engine.connect() as connection:
        for table in TABLES:
            connection.execute(sa.delete(table))
        for statement in FILL:
            connection.execute(sa.text(statement))
        counted = rows_of(connection)
        connection.rollback()
    engine.dispose()
    assert kept == counted
    with Repository.open(url) as repository:
        for tournament in repository.tournaments():
            counted_anew, different = repository.recount(tournament.id)
            assert different == ()
            assert counted_anew == repository.standings_totals(tournament.id)
            results = list(repository.results(tournament.id))
            progress = repository.progress(tournament.id)
            assert (progress.done, progress.void) == (len(results), sum(one.void for one in results))


class Walk:
    """A sequence of writes that a seed draws; most of them to one tournament."""

    def __init__(self, url: str, folder: Path, seed: int, seats: int) -> None:
        self._url, self._folder, self._seed, self._drawn = url, folder, seed, 0
        with Repository.open(url, create=True) as repository:
            self._begun = begin(repository, 4, seats=seats, games=6 if seats == 3 else 2)

    def draw(self, total: int) -> int:
        """Return a number below ``total``."""
        self._drawn += 1
        return uniform(derive(self._seed, "walk", self._drawn), total)

    def result(self, repository: Repository, tournament: Tournament, number: int, row: Row) -> MatchResult:
        """Return a drawn result: a match with faults and measurements or none, or a void one."""
        kind = self.draw(8)
        if kind == 0:
            return MatchResult(number, None, "no sandbox")
        if kind == 1:
            return MatchResult(number, None, "benched", row.seats[self.draw(len(row.seats))])
        if kind == 2:
            return MatchResult(number, None, "overload", overloaded=True)
        spec = spec_of(tournament, repository.entrants(tournament.id), row)
        seats = range(1, len(row.seats) + 1)
        faults: tuple[tuple[int, FaultKind, int], ...] = ()
        if kind == 3:
            made = played(spec, (1,) * len(seats), tuple((seat, "startup", 0) for seat in seats))
        else:
            if kind == 4:
                faults = ((1 + self.draw(len(seats)), ("crash", "timeout")[self.draw(2)], 1),)
            places = [self.draw(len(seats)) for _ in seats]
            ranks = tuple(1 + sum(other < place for other in places) for place in places)
            made = played(spec, ranks, faults)
        load = [
            {"turns": self.draw(9), "overloaded-turns": self.draw(3) // 2, "wall-ms": 5, "waited-ms": 1}
            for _ in seats
        ]
        measured = {"reproducible": True, "wall-ms": 5} | ({"seats": load} if self.draw(2) else {})
        return MatchResult(number, PlayedMatch(made.record, made.log, measured))

    def play(self, repository: Repository, most: int = 4) -> None:
        """Store some results, and again one that is stored: that one stays as it is."""
        tournament = self._begun
        rows = list(repository.rows(tournament.id))
        chosen = list(repository.pending(tournament.id))[: 1 + self.draw(most)]
        done = repository.finished_numbers(tournament.id)
        chosen += [rows[number - 1] for number in done[:1]]
        results = [self.result(repository, tournament, number, row) for number, row in chosen]
        repository.record_results(tournament.id, results)

    def take_back(self, repository: Repository) -> None:
        """Remove some results, and ask for one that is not there."""
        numbers = [number for number, _ in repository.rows(self._begun.id) if self.draw(4) == 0]
        repository.take_back(self._begun.id, numbers)

    def settle(self, repository: Repository) -> None:
        """Remove the last rounds with their results, and draw them again."""
        rounds = 1 + self.draw(repository.progress(self._begun.id).rounds)
        later = [row for _, row in repository.rows(self._begun.id) if row.round > rounds]
        repository.settle(self._begun.id, rounds)
        repository.add_rows(self._begun.id, later, complete=True)

    def outcomes(self, repository: Repository) -> None:
        """Store results without records."""
        name = f"results-{self._drawn}"
        plan = Plan(name, "sage-stones", "1", (), RESULTS, 2, 2)
        made = repository.begin(
            plan, seed=1, seed_chosen=True, run=RunSettings(), entrants=stored(3), created="today"
        )
        for round_ in (1, 2):
            pairs = ((0, 1), (1, 2), (2, 0))
            ranks = ((1, 2), (2, 1), (1, 1))
            found = [
                Outcome(Row(round_, table, 1, 1, pair), ranks[self.draw(3)], (None, "crash"), "points")
                for table, pair in enumerate(pairs, 1)
            ]
            with repository.transaction() as writer:
                writer.add_outcomes(made.id, found)

    def bring_in(self, repository: Repository) -> None:
        """Import the tournament as it is, under another name."""
        lines = list(export_lines(repository, self._begun, measured=True))
        values = [(f"line {number}", parse_json(line)) for number, line in enumerate(lines)]
        name = f"import-{self._drawn}"
        import_tournament(repository, lambda: values, "today", name=name, again=True)

    def merge(self, repository: Repository) -> None:
        """Merge a copy in which further matches were played."""
        other = str(self._folder / f"other-{self._drawn}.db")
        copy_database(self._url, other)
        with Repository.open(other) as there:
            self.play(there)
            merge_databases(repository, there, other, "today")
        check(other)

    def archive(self, repository: Repository) -> None:
        """Play to the end, move the records out, and bring them back."""
        while repository.pending(self._begun.id):
            self.play(repository, 9)
        out = self._folder / f"{self._drawn}.jsonl.gz"
        archive_tournament(repository, self._begun.name, out, "today")
        check(self._url)
        restore_tournament(repository, out)

    def step(self, number: int) -> None:
        """Play on in every other step; in those between, do each of the other things in turn."""
        others = (self.take_back, self.settle, self.outcomes, self.bring_in, self.merge, self.archive)
        with Repository.open(self._url, write=True) as repository:
            if number % 2:
                others[(self._seed + number // 2) % len(others)](repository)
            else:
                self.play(repository)


@pytest.mark.parametrize(("seed", "seats"), [(1, 2), (2, 3)])
@pytest.mark.parametrize("url", PLACES, indirect=True)
def test_totals_equal_a_recount_after_any_writes(url: str, tmp_path: Path, seed: int, seats: int) -> None:
    walk = Walk(url, tmp_path, seed, seats)
    for number in range(STEPS):
        walk.step(number)
        check(url)
    assert check_database(url) == ()


@pytest.mark.parametrize("url", PLACES, indirect=True)
def test_two_writers_lose_no_update(url: str) -> None:
    with Repository.open(url, create=True) as repository:
        tournament = begin(repository, 4, games=8)
        entrants = repository.entrants(tournament.id)
        rows = repository.pending(tournament.id)
    results = [MatchResult(number, played(spec_of(tournament, entrants, row))) for number, row in rows]
    both = threading.Barrier(2)
    errors = []

    def write(mine: list[MatchResult]) -> None:
        with Repository.open(url) as repository:
            both.wait()
            try:
                for result in mine:
                    repository.record_results(tournament.id, [result])
            except Exception as error:  # noqa: BLE001 - shown by the assertion below
                errors.append(error)

    # Some matches by both, in opposite orders.
    parts = (results[:30], results[::-1][:30])
    threads = [threading.Thread(target=write, args=(part,)) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    check(url)
    with Repository.open(url) as repository:
        assert repository.progress(tournament.id).done == len(rows) == 48


@pytest.fixture
def cup(database: Path) -> Path:
    """A finished round-robin with a fault and a void match."""
    with Repository.open(str(database), create=True) as repository:
        tournament = begin(repository)
        entrants = repository.entrants(tournament.id)
        for number, row in repository.pending(tournament.id):
            made = played(spec_of(tournament, entrants, row), (2, 1), ((1, "crash", 1),))
            repository.record_results(tournament.id, [MatchResult(number, None if number == 4 else made)])
    return database


def alter(database: Path, statement: str) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        assert connection.execute(statement).rowcount > 0


@pytest.mark.parametrize(
    "statement",
    [
        *(
            f"UPDATE {table.name} SET {column.name} = {column.name} + 1 WHERE rowid = 1"  # noqa: S608 - our own names
            for table in TABLES
            for column in table.c
            if column.name in ("games", "units", "half_points", "done", "void")
        ),
        *(f"DELETE FROM {table.name} WHERE rowid = 1" for table in TABLES),  # noqa: S608 - likewise
        "UPDATE score_total SET games = 'x' WHERE rowid = 2",
        "UPDATE fault_total SET kind = 'flu' WHERE rowid = 1",
        "UPDATE pair_total SET opponent = 9 WHERE rowid = 1",
        "UPDATE score_total SET wins = 2, draws = 9 WHERE rowid = 1",
    ],
)
def test_an_altered_total_gives_no_standings_and_is_counted_anew(cup: Path, statement: str) -> None:
    with Repository.open(str(cup)) as repository:
        before = compute_standings(repository, 1)
    alter(cup, statement)
    with Repository.open(str(cup)) as repository, refused(StoreDamaged, "`tourney db recount`"):
        compute_standings(repository, 1)
    assert len(check_database(str(cup))) == 1
    assert invoke("db", "recount", "--db", str(cup)).exit_code == 0
    assert check_database(str(cup)) == ()
    with Repository.open(str(cup)) as repository:
        assert compute_standings(repository, 1) == before


def test_recount_names_an_altered_match_and_prints_what_it_counts(cup: Path) -> None:
    sound = invoke("standings", "--format", "csv", "--db", str(cup))
    assert invoke("standings", "--recount", "--format", "csv", "--db", str(cup)).stdout == sound.stdout
    alter(cup, "UPDATE match SET ranks = '1,2' WHERE id = 3")
    assert invoke("standings", "--format", "csv", "--db", str(cup)).stdout == sound.stdout
    done = invoke("standings", "--recount", "--format", "csv", "--db", str(cup))
    assert done.exit_code == 1
    assert done.stdout != sound.stdout
    assert "the stored totals of cup differ from its results: " in done.stderr
    assert "stored, " in done.stderr
    assert "`tourney verify --all`" in done.stderr
    [found] = check_database(str(cup))
    assert found in done.stderr
    verified = invoke("verify", "--all", "--db", str(cup))
    assert verified.exit_code == 1
    assert found in verified.stdout
    again = invoke("db", "recount", "--db", str(cup))
    assert found in again.stdout
    assert "the totals of cup are counted anew" in again.stderr
    assert invoke("db", "recount", "cup", "--db", str(cup)).stdout == ""
