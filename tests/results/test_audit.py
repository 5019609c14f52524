"""The audit: what it names, and that it names nothing in fair pools."""

from itertools import combinations
from pathlib import Path

import pytest

from tests.support.tournaments import begin, played
from tourney.ratings.counts import Counts
from tourney.ratings.superiority import uniforms
from tourney.results.audit import audit, find_dumping
from tourney.run.engine.recorder import spec_of
from tourney.schedule.row import MatchKey, ResultRow
from tourney.store.database import Database
from tourney.store.values import MatchResult


def pool(bots: int, games: int, seed: int, given: tuple[int, int] | None = None) -> Counts:
    """Games of equal bots; the first of ``given`` loses all its games against the second."""
    rows = []
    for table, (a, b) in enumerate(combinations(range(bots), 2), 1):
        drawn = uniforms(games, "audit", seed, a, b)
        for game in range(games):
            won = drawn[game] < 0.5 if (a, b) != given else False
            key = MatchKey(1, table, game // 2 + 1, game % 2 + 1)
            rows.append(ResultRow(key, (a, b), (1, 2) if won else (2, 1)))
    return Counts.of_results(rows, range(bots), 2)


def test_games_given_away_are_found() -> None:
    [found] = find_dumping(pool(8, 40, 1, (2, 5)))
    assert (found.a, found.b, found.points, found.games) == (2, 5, 0, 40)
    assert found.expected == pytest.approx(20, abs=5)
    assert found.z < -3.7


def test_fair_pools_and_small_ones_show_none() -> None:
    assert [find_dumping(pool(8, 40, seed)) for seed in range(20, 36)] == [[]] * 16
    assert find_dumping(pool(3, 40, 1, (0, 1))) == []


def test_repeats_and_files_are_named(tmp_path: Path) -> None:
    with Database.open(str(tmp_path / "a.db"), create=True) as repository:
        cup = begin(repository, 3, games=8)
        entrants = repository.tournaments.entrants(cup.id)
        rows = repository.schedules.pending(cup.id)
        matches = [MatchResult(number, played(spec_of(cup, entrants, row), (1, 2))) for number, row in rows]
        repository.matches.add(cup.id, matches)
        found = list(audit(repository, cup))
    repeats = [one for one in found if one.kind == "repeats"]
    assert [one.bots for one in repeats] == [("a", "b"), ("b", "c")]
    assert all(one.text.startswith("6 distinct of 8 games") for one in repeats)
    same = {one.bots for one in found if one.kind == "same program"}
    assert same == {
        (a.name, b.name) for a, b in combinations(entrants, 2) if a.entrant.digest == b.entrant.digest
    }
