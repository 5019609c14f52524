"""The audit: what it names, and that it names nothing in fair pools."""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from tests.support.even_pools import EvenPool, even_pools, not_finite
from tests.support.tournaments import begin, played
from tourney.ratings.counts import Clusters, Counts
from tourney.ratings.superiority import normals, uniforms
from tourney.results.audit import audit, find_alike, find_dumping, find_slower
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


@settings(max_examples=60)
@given(pool=even_pools())
def test_even_pools_have_finite_findings(pool: EvenPool) -> None:
    clusters = Clusters()
    clusters.take(pool.results)
    found = find_dumping(clusters.counts(range(pool.entrants), pool.seats))
    assert list(not_finite(found)) == []
    assert not found or any(set(result.ranks) != {1} for result in pool.results)


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


def answers(skill: Sequence[float], positions: int, copied: float | None = None) -> list[dict[int, str]]:
    """Answers of bots that find the best of twenty actions so often; the second may copy the first."""
    bots = len(skill)
    found, other, same = uniforms(3 * bots * positions, "audit", "answers").reshape(3, positions, bots)
    actions = np.where(found < np.array(skill), 0, 1 + np.floor(19 * other)).astype(int)
    if copied is not None:
        actions[:, 1] = np.where(same[:, 1] < copied, actions[:, 0], actions[:, 1])
    return [{bot: f"{action}" for bot, action in enumerate(line)} for line in actions.tolist()]


def test_good_bots_that_agree_are_not_one_program() -> None:
    """Two that nearly always find the best action answer alike; a copy of a middling one is found."""
    skill = (0.99, 0.99, 0.5, 0.4, 0.6, 0.5)
    assert [pair for pair, _, _ in find_alike(answers(skill, 300))] == []
    skill = (0.5, 0.4, 0.99, 0.99, 0.6, 0.5)
    assert [pair for pair, _, _ in find_alike(answers(skill, 300, 0.98))] == [(0, 1)]
    assert [pair for pair, _, _ in find_alike(answers(skill[:3], 300, 0.98))] == []


def test_bots_slower_against_one_rival_are_found() -> None:
    spent = np.exp(0.5 * normals(4 * 4 * 20, "audit", "times")).reshape(4, 4, 20)
    times = {a: {b: spent[a, b].tolist() for b in range(4) if b != a} for a in range(4)}
    assert list(find_slower(times)) == []
    times[2][0] = [4 * one for one in times[2][0]]
    assert [found[:2] for found in find_slower(times)] == [(2, 0)]


def test_equal_times_show_none() -> None:
    """Also where only the smallest and the largest time differ: the others have one rank."""
    equal = {bot: {other: [1.0] * 20 for other in range(4) if other != bot} for bot in range(4)}
    assert list(find_slower(equal)) == []
    equal[0][1], equal[0][2] = [1.0] * 19 + [9.0], [0.1] + [1.0] * 19
    assert list(find_slower(equal)) == []


def test_equal_answers_of_all_are_not_one_program() -> None:
    assert list(find_alike([dict.fromkeys(range(5), "pass")] * 100)) == []
