"""Importing records as a finished tournament."""

import copy
from typing import Any

import pytest

from tests.tournaments import begin, digests, played, refused
from tourney.errors import GameError, OptionError, RecordError, UsageError
from tourney.results.standings import compute_standings
from tourney.run.engine.recorder import spec_of
from tourney.store.importing import import_records
from tourney.store.repository import Repository
from tourney.store.values import MatchResult


@pytest.fixture
def records(repository: Repository) -> list[tuple[str, dict[str, Any]]]:
    """The records of a stored tournament of three with two mirrored groups per pair."""
    tournament = begin(repository, 3, games=4)
    entrants = repository.entrants(tournament.id)
    finished = [
        MatchResult(number, played(spec_of(tournament, entrants, row)))
        for number, row in repository.pending(tournament.id)
    ]
    repository.record_results(tournament.id, finished)
    return [(f"line {number}", record) for number, record in repository.records(tournament.id)]


def test_records_become_a_finished_tournament_with_the_same_results(
    repository: Repository, records: list[tuple[str, dict[str, Any]]]
) -> None:
    made = import_records(repository, "again", lambda: records, "now", again=True)
    assert made.plan.format == "import"
    assert repository.tournament("again").complete
    assert [record for _, record in repository.records(made.id)] == [record for _, record in records]
    assert digests(repository, made.id) == digests(repository, repository.tournament("cup").id)
    points = [
        {
            line.name: (line.points, line.games)
            for line in compute_standings(repository, repository.tournament(n).id)
        }
        for n in ("cup", "again")
    ]
    assert points[0] == points[1]


def test_mirrored_games_stay_one_group(
    repository: Repository, records: list[tuple[str, dict[str, Any]]]
) -> None:
    made = import_records(repository, "again", lambda: records, "now", again=True)
    keys = [result.key for result in repository.results(made.id)]
    assert [(key.table, key.order) for key in keys] == [(1 + k // 2, 1 + k % 2) for k in range(12)]


def test_mirrored_games_are_grouped_in_any_record_order(
    repository: Repository, records: list[tuple[str, dict[str, Any]]]
) -> None:
    """One game of each group comes first, then the others; each result keeps its record."""
    mixed = records[::2] + records[1::2][::-1]
    made = import_records(repository, "again", lambda: mixed, "now", again=True)
    results = list(repository.results(made.id))
    assert [(result.key.table, result.key.order) for result in results] == [
        (1 + k // 2, 1 + k % 2) for k in range(12)
    ]
    kept = [record for _, record in repository.records(made.id)]
    assert kept == [record for _, record in records]
    for result, record in zip(results, kept, strict=True):
        assert list(result.ranks) == record["outcome"]["ranks"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"game": "sages-tafl"}, "line 3: its game differs"),
        ({"rules": "2"}, "line 3: its rules differs"),
        ({"options": {"x": "y"}}, "line 3: its options differs"),
    ],
)
def test_records_of_different_tournaments_are_refused(
    repository: Repository,
    records: list[tuple[str, dict[str, Any]]],
    change: dict[str, Any],
    sentence: str,
) -> None:
    changed = copy.deepcopy(records)
    changed[2][1].update(change)
    with refused(RecordError, sentence):
        import_records(repository, "again", lambda: changed, "now", again=True)
    assert [tournament.name for tournament in repository.tournaments()] == ["cup"]


def test_ambiguous_empty_and_duplicate_imports_are_refused(
    repository: Repository, records: list[tuple[str, dict[str, Any]]]
) -> None:
    changed = copy.deepcopy(records)
    changed[11][1]["seats"][0]["args"] = ["--other"]
    with refused(RecordError, "line 12: the entrant", "is another bot, or has other arguments"):
        import_records(repository, "again", lambda: changed, "now", again=True)
    with refused(RecordError, "there is no record to import"):
        import_records(repository, "again", list, "now", again=True)
    with refused(UsageError, "holds a tournament 'cup' already"):
        import_records(repository, "cup", lambda: records, "now", again=True)


def test_records_in_the_database_are_imported_only_on_request(
    repository: Repository, records: list[tuple[str, dict[str, Any]]]
) -> None:
    with refused(RecordError, "line 1: match 1 of cup has this record already; to import it, add --again"):
        import_records(repository, "again", lambda: records, "now")
    assert [tournament.name for tournament in repository.tournaments()] == ["cup"]
    import_records(repository, "again", lambda: records, "now", again=True)


def test_repeated_record_is_refused(
    repository: Repository, records: list[tuple[str, dict[str, Any]]]
) -> None:
    twice = [*records, ("line 13", records[4][1])]
    with refused(RecordError, "line 13 has the record of line 5 again"):
        import_records(repository, "again", lambda: twice, "now", again=True)


@pytest.mark.parametrize(
    ("order", "where"),
    [(range(11), "the end of the file"), ([*range(12), 0], "line 1"), ([0, 2, 1, *range(3, 12)], "line 3")],
)
def test_records_that_change_while_they_are_read_are_refused(
    repository: Repository, records: list[tuple[str, dict[str, Any]]], order: list[int], where: str
) -> None:
    given = iter((records, [records[k] for k in order]))
    with refused(RecordError, f"{where} was changed while the records were read"):
        import_records(repository, "again", lambda: next(given), "now", again=True)
    assert [tournament.name for tournament in repository.tournaments()] == ["cup"]


@pytest.mark.parametrize(
    ("change", "kind", "sentence"),
    [
        ({"game": "draughts"}, GameError, "line 1: there is no game 'draughts'"),
        ({"options": {"x": "y"}}, OptionError, "line 1: "),
        ({"name": "A b"}, RecordError, 'line 1: "A b" is no name of an entrant ([a-z0-9]'),
        ({"name": None}, RecordError, "line 1: an entrant has two seats in this match"),
    ],
)
def test_impossible_records_are_refused(
    repository: Repository,
    records: list[tuple[str, dict[str, Any]]],
    change: dict[str, Any],
    kind: type[Exception],
    sentence: str,
) -> None:
    changed = copy.deepcopy(records)
    seats = changed[0][1]["seats"]
    if "name" in change:
        seats[0] = {**seats[1], "entrant": change["name"] or seats[1]["entrant"]}
    else:
        changed[0][1].update(change)
    with refused(kind, sentence):
        import_records(repository, "again", lambda: changed, "now", again=True)
