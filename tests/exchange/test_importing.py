"""Importing records as a finished tournament."""

from typing import Any

import pytest
from msgspec import structs

from tests.support.tournaments import begin, digests, played, refused
from tourney.errors import GameError, OptionError, RecordError, UsageError
from tourney.exchange.results import import_records
from tourney.match.record import Record
from tourney.results.standings import compute_standings
from tourney.run.engine.recorder import spec_of
from tourney.schedule.format import find_format
from tourney.store.database import Database
from tourney.store.values import MatchResult


@pytest.fixture
def records(repository: Database) -> list[tuple[str, Record]]:
    """The records of a stored tournament of three with two mirrored groups per pair."""
    tournament = begin(repository, 3, games=4)
    entrants = repository.tournaments.entrants(tournament.id)
    finished = [
        MatchResult(number, played(spec_of(tournament, entrants, row)))
        for number, row in repository.schedules.pending(tournament.id)
    ]
    repository.matches.add(tournament.id, finished)
    return [(f"line {number}", record) for number, record in repository.records.all(tournament.id)]


def test_records_become_a_finished_tournament_with_the_same_results(
    repository: Database, records: list[tuple[str, Record]]
) -> None:
    made = import_records(repository, "again", lambda: records, "now", again=True)
    assert made.plan.format == "import"
    assert made.plan.ranking == find_format("import").new_rule(2)
    assert repository.tournaments.get("again").complete
    assert [record for _, record in repository.records.all(made.id)] == [record for _, record in records]
    assert digests(repository, made.id) == digests(repository, repository.tournaments.get("cup").id)
    points = [
        {
            line.name: (line.points, line.games)
            for line in compute_standings(repository, repository.tournaments.get(n).id)
        }
        for n in ("cup", "again")
    ]
    assert points[0] == points[1]


def test_mirrored_games_stay_one_group(repository: Database, records: list[tuple[str, Record]]) -> None:
    made = import_records(repository, "again", lambda: records, "now", again=True)
    keys = [result.key for result in repository.matches.results(made.id)]
    assert [(key.table, key.order) for key in keys] == [(1 + k // 2, 1 + k % 2) for k in range(12)]


def test_mirrored_games_are_grouped_in_any_record_order(
    repository: Database, records: list[tuple[str, Record]]
) -> None:
    """One game of each group comes first, then the others; each result keeps its record."""
    mixed = records[::2] + records[1::2][::-1]
    made = import_records(repository, "again", lambda: mixed, "now", again=True)
    results = list(repository.matches.results(made.id))
    assert [(result.key.table, result.key.order) for result in results] == [
        (1 + k // 2, 1 + k % 2) for k in range(12)
    ]
    kept = [record for _, record in repository.records.all(made.id)]
    assert kept == [record for _, record in records]
    for result, record in zip(results, kept, strict=True):
        assert result.ranks == record.outcome.ranks


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"game": "sages-tafl"}, "line 3: its game differs"),
        ({"rules": "2"}, "line 3: its rules differs"),
        ({"options": {"x": "y"}}, "line 3: its options differs"),
    ],
)
def test_records_of_different_tournaments_are_refused(
    repository: Database,
    records: list[tuple[str, Record]],
    change: dict[str, Any],
    sentence: str,
) -> None:
    changed = [*records]
    changed[2] = ("line 3", structs.replace(records[2][1], **change))
    with refused(RecordError, sentence):
        import_records(repository, "again", lambda: changed, "now", again=True)
    assert [tournament.name for tournament in repository.tournaments.all()] == ["cup"]


def test_ambiguous_empty_and_duplicate_imports_are_refused(
    repository: Database, records: list[tuple[str, Record]]
) -> None:
    last = records[11][1]
    other = structs.replace(last.seats[0], args=("--other",))
    changed = [*records[:11], ("line 12", structs.replace(last, seats=(other, last.seats[1])))]
    with refused(RecordError, "line 12: the entrant", "is another bot, or has other arguments"):
        import_records(repository, "again", lambda: changed, "now", again=True)
    with refused(RecordError, "there is no record to import"):
        import_records(repository, "again", list, "now", again=True)
    with refused(UsageError, "holds a tournament 'cup' already"):
        import_records(repository, "cup", lambda: records, "now", again=True)


def test_records_in_the_database_are_imported_only_on_request(
    repository: Database, records: list[tuple[str, Record]]
) -> None:
    with refused(RecordError, "line 1: match 1 of cup has this record already; to import it, add --again"):
        import_records(repository, "again", lambda: records, "now")
    assert [tournament.name for tournament in repository.tournaments.all()] == ["cup"]
    import_records(repository, "again", lambda: records, "now", again=True)


def test_repeated_record_is_refused(repository: Database, records: list[tuple[str, Record]]) -> None:
    twice = [*records, ("line 13", records[4][1])]
    with refused(RecordError, "line 13 has the record of line 5 again"):
        import_records(repository, "again", lambda: twice, "now", again=True)


@pytest.mark.parametrize(
    ("order", "where"),
    [(range(11), "the end of the file"), ([*range(12), 0], "line 1"), ([0, 2, 1, *range(3, 12)], "line 3")],
)
def test_records_that_change_while_they_are_read_are_refused(
    repository: Database, records: list[tuple[str, Record]], order: list[int], where: str
) -> None:
    given = iter((records, [records[k] for k in order]))
    with refused(RecordError, f"{where} was changed while the records were read"):
        import_records(repository, "again", lambda: next(given), "now", again=True)
    assert [tournament.name for tournament in repository.tournaments.all()] == ["cup"]


@pytest.mark.parametrize(
    ("change", "kind", "sentence"),
    [
        ({"game": "draughts"}, GameError, "line 1: there is no game 'draughts'"),
        ({"options": {"x": "y"}}, OptionError, "line 1: "),
        ({"name": "A b"}, RecordError, 'line 1: "A b" is not a name for an entrant ([a-z0-9]'),
        ({"name": None}, RecordError, "line 1: an entrant has two seats in this match"),
    ],
)
def test_impossible_records_are_refused(
    repository: Database,
    records: list[tuple[str, Record]],
    change: dict[str, Any],
    kind: type[Exception],
    sentence: str,
) -> None:
    one = records[0][1]
    if "name" in change:
        same = structs.replace(one.seats[1], name=change["name"] or one.seats[1].name)
        one = structs.replace(one, seats=(same, one.seats[1]))
    else:
        one = structs.replace(one, **change)
    changed = [("line 1", one), *records[1:]]
    with refused(kind, sentence):
        import_records(repository, "again", lambda: changed, "now", again=True)
