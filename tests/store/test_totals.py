import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path

import pytest

from tests.store.test_postgres import empty_database, needs_server
from tests.support.tournaments import begin, played, refused
from tourney.errors import StoreDamaged
from tourney.match.result import Measurements, PlayedMatch, SeatMeasurements
from tourney.run.engine.recorder import spec_of
from tourney.schedule.row import score_units
from tourney.store.database import Database
from tourney.store.totals import OverloadTotals, ResultSums, ScoreTotals
from tourney.store.values import MatchResult

PLACES = ["file", pytest.param("server", marks=needs_server)]


@pytest.fixture(params=PLACES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    server = request.param == "server"
    with empty_database() if server else nullcontext(str(tmp_path / "t.db")) as made:
        yield made


def fill(url: str, seats: int = 2) -> int:
    """Store a tournament with a fault in every third match and a void one; return its id."""
    with Database.open(url, create=True) as repository:
        tournament = begin(repository, 4, seats=seats, games=6 if seats == 3 else 2)
        entrants = repository.tournaments.entrants(tournament.id)
        for number, row in repository.schedules.pending(tournament.id):
            first = number % seats
            ranks = tuple(
                1 if seat in (first, number % 2) else 2 + (first == number % 2) for seat in range(seats)
            )
            ranks = tuple(1 + sum(other < rank for other in ranks) for rank in ranks)
            made = played(
                spec_of(tournament, entrants, row), ranks, ((1, "crash", 1),) if number % 3 == 0 else ()
            )
            load = tuple(
                SeatMeasurements(turns=10 * seat, overloaded_turns=int(number == 5), wall_ms=5, waited_ms=1)
                for seat in range(1, seats + 1)
            )
            measured = Measurements(reproducible=True, wall_ms=5, seats=load)
            result = PlayedMatch(made.record, made.log, measured)
            repository.matches.add(tournament.id, [MatchResult(number, None if number == 4 else result)])
        return tournament.id


@pytest.mark.parametrize("seats", [2, 3])
def test_counts_agree_with_the_results_one_by_one(url: str, seats: int) -> None:
    tournament = fill(url, seats)
    with Database.open(url) as repository:
        results = list(repository.matches.results(tournament))
        totals = repository.totals.standings(tournament)
        sums = ResultSums()
        for one in results:
            sums.add(one.entrants, one.ranks, one.faults, void=one.void)
        assert totals == sums.totals()
        counted = [one for one in results if not one.void]
        assert len(counted) == len(results) - 1
        for entrant, score in totals.scores.items():
            mine = [(one, one.entrants.index(entrant)) for one in counted if entrant in one.entrants]
            firsts = [one for one, seat in mine if one.ranks[seat] == 1]
            alone = [one for one in firsts if one.ranks.count(1) == 1]
            assert score == ScoreTotals(
                len(mine),
                sum(score_units(one.ranks)[seat] for one, seat in mine),
                len(alone),
                len(firsts) - len(alone),
                sum(one.faults[seat] is not None for one, seat in mine),
            )
        for pair in totals.pairs:
            met = [one for one in counted if {pair.entrant, pair.opponent} <= set(one.entrants)]
            places = [
                [one.ranks[one.entrants.index(k)] for k in (pair.entrant, pair.opponent)] for one in met
            ]
            assert pair.games == len(met)
            assert pair.half_points == sum((a < b) + (a <= b) for a, b in places)
        assert repository.totals.faults(tournament) == totals.faults
        progress = repository.schedules.progress(tournament)
        assert (progress.done, progress.void) == (len(results), 1)


def test_overload_counts_turns_and_matches(url: str) -> None:
    tournament = fill(url)
    with Database.open(url) as repository:
        whole, by_entrant = repository.totals.overload(tournament)
        played_matches = [one for one in repository.matches.results(tournament) if not one.void]
        turns = sum(10 * (1 + one.entrants.index(0)) for one in played_matches if 0 in one.entrants)
        assert by_entrant[0].turns == turns
        assert whole == OverloadTotals(30 * len(played_matches), 2, 1)
        assert sum(one.overloaded for one in by_entrant.values()) == 2
        assert sorted(one.matches for one in by_entrant.values()) == [0, 0, 1, 1]
        assert [one.number for one in repository.totals.overloaded(tournament)] == [5]


def test_two_writers_store_each_match_once(url: str) -> None:
    with Database.open(url, create=True) as repository:
        tournament = begin(repository, 4, games=8)
        entrants = repository.tournaments.entrants(tournament.id)
        rows = repository.schedules.pending(tournament.id)
    results = [MatchResult(number, played(spec_of(tournament, entrants, row))) for number, row in rows]
    both = threading.Barrier(2)
    errors = []

    def write(mine: list[MatchResult]) -> None:
        with Database.open(url) as repository:
            both.wait()
            try:
                for result in mine:
                    repository.matches.add(tournament.id, [result])
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
    with Database.open(url) as repository:
        assert repository.schedules.progress(tournament.id).done == len(rows) == 48
        scores = repository.totals.standings(tournament.id).scores
        assert sum(score.games for score in scores.values()) == 96


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        (
            "UPDATE match SET ranks = '1,x' WHERE id = 3",
            "column ranks of table match, row 3 (match 3 of cup)",
        ),
        ("UPDATE match SET faults = 'flu,' WHERE id = 3", "column faults of table match, row 3"),
        ("UPDATE schedule SET seating = '9,0' WHERE id = 3", "column seating of table schedule, row 3"),
    ],
)
def test_bad_column_gives_no_standings(tmp_path: Path, statement: str, finding: str) -> None:
    database = tmp_path / "t.db"
    tournament = fill(str(database))
    with closing(sqlite3.connect(database)) as connection, connection:
        assert connection.execute(statement).rowcount == 1
    with Database.open(str(database)) as repository, refused(StoreDamaged, finding):
        repository.totals.standings(tournament)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE seat SET entrant = 9 WHERE match_id = 3",
        "UPDATE seat SET turns = 'many' WHERE match_id = 3",
    ],
)
def test_bad_seat_gives_no_overload(tmp_path: Path, statement: str) -> None:
    database = tmp_path / "t.db"
    tournament = fill(str(database))
    with closing(sqlite3.connect(database)) as connection, connection:
        assert connection.execute(statement).rowcount == 2
    with Database.open(str(database)) as repository, refused(StoreDamaged, "of table seat, row 3,1"):
        repository.totals.overload(tournament)


def test_luck_adds_up_by_entrant(tmp_path: Path) -> None:
    """Void matches and those without known luck count for nothing; a damaged value is named."""
    url = str(tmp_path / "t.db")
    tournament = fill(url)
    with Database.open(url) as repository:
        assert repository.totals.luck(tournament) == {}
        first, *_ = repository.matches.results(tournament)
        seats = first.entrants
    text = f" {'a' * 12} 1:30,-20"
    with closing(sqlite3.connect(url)) as database, database:
        query = "UPDATE match SET evidence = ? WHERE id = (SELECT id FROM schedule WHERE number = ?)"
        database.execute(query, (text, 1))
        database.execute(query, (text, 4))
    with Database.open(url) as repository:
        assert repository.totals.luck(tournament) == {seats[0]: (30, 1), seats[1]: (-20, 1)}
    with closing(sqlite3.connect(url)) as database, database:
        database.execute(query, (f"{text},1", 1))
    with Database.open(url) as repository, pytest.raises(StoreDamaged, match="evidence"):
        repository.totals.luck(tournament)
