"""Importing records as a finished tournament."""

import copy
from typing import Any

import pytest

from tests.tournaments import begin, digests, played, refused
from tourney.errors import RecordError, UsageError
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
    made = import_records(repository, "again", lambda: records, "now")
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
    made = import_records(repository, "again", lambda: records, "now")
    keys = [result.key for result in repository.results(made.id)]
    assert [(key.table, key.order) for key in keys] == [(1 + k // 2, 1 + k % 2) for k in range(12)]


def test_mirrored_games_are_grouped_in_any_record_order(
    repository: Repository, records: list[tuple[str, dict[str, Any]]]
) -> None:
    """One game of each group comes first, then the others; each result keeps its record."""
    mixed = records[::2] + records[1::2][::-1]
    made = import_records(repository, "again", lambda: mixed, "now")
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
        import_records(repository, "again", lambda: changed, "now")
    assert [tournament.name for tournament in repository.tournaments()] == ["cup"]


def test_ambiguous_empty_and_duplicate_imports_are_refused(
    repository: Repository, records: list[tuple[str, dict[str, Any]]]
) -> None:
    changed = copy.deepcopy(records)
    changed[11][1]["seats"][0]["args"] = ["--other"]
    with refused(RecordError, "line 12: the entrant", "is another bot, or has other arguments"):
        import_records(repository, "again", lambda: changed, "now")
    with refused(RecordError, "there is no record to import"):
        import_records(repository, "again", list, "now")
    with refused(UsageError, "holds a tournament 'cup' already"):
        import_records(repository, "cup", lambda: records, "now")
