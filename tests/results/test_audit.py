"""The audit: what it names, and that it names nothing in fair pools."""

from collections.abc import Callable, Container, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from tests.support.even_pools import EvenPool, even_pools, not_finite
from tests.support.tournaments import begin, played
from tourney.match.record import FaultKind, Outcome, make_record
from tourney.match.result import Measurements, PlayedMatch
from tourney.ratings.counts import Clusters, Counts
from tourney.ratings.superiority import normals, uniforms
from tourney.results.audit import (
    LostGame,
    audit,
    find_alike,
    find_dumping,
    find_giving_up,
    find_slower,
)
from tourney.run.engine.recorder import spec_of
from tourney.schedule.row import MatchKey, ResultRow
from tourney.store.database import Database
from tourney.store.values import MatchResult

CRASH: FaultKind = "crash"


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


def lost_games(
    bots: int, games: int, seed: int, share: Callable[[int, int], float], given: Container[int] = ()
) -> list[LostGame]:
    """The lost games of equal bots; a bot gives up a ``share`` of those lost to a rival.

    The bots ``given`` give up all their games to bot 0.
    """
    lost = []
    for a, b in combinations(range(bots), 2):
        won, gave = uniforms(2 * games, "giving-up", seed, a, b).reshape(2, games)
        for game in range(games):
            winner, loser = (a, b) if won[game] < 0.5 or (a == 0 and b in given) else (b, a)
            all_given = winner == 0 and loser in given
            lost.append(LostGame(loser, (winner,), all_given or bool(gave[game] < share(loser, winner))))
    return lost


def test_bots_that_resign_to_their_author_are_found() -> None:
    """Five of nine bots give up to one, and each alone has too few games to be named."""
    found = [find_giving_up(lost_games(9, 4, seed, lambda *_: 0.05, range(4, 9))) for seed in range(8)]
    named = [one for giving in found for one in giving]
    assert len(named) >= 5
    for one in named:
        assert one.rival == 0
        assert set(one.bots) <= set(range(4, 9))
        assert one.give_ups == one.games
        assert one.other_give_ups < one.other_games / 2


def test_one_bot_that_resigns_to_one_rival_is_found() -> None:
    ((found,),) = [find_giving_up(lost_games(6, 20, 1, lambda *_: 0.1, {3}))]
    assert (found.rival, found.bots, found.give_ups, found.games) == (0, (3,), 20, 20)


def honest_share(loser: int, _: int) -> float:
    """Some bots never resign, some often, one always."""
    return (0.0, 0.3, 0.9, 1.0)[loser % 4]


def slow_rival(_: int, winner: int) -> float:
    """A rival against which others lose three of ten lost games on time."""
    return 0.3 if winner == 0 else 0.02


@pytest.mark.parametrize("share", [honest_share, slow_rival])
def test_honest_bots_that_give_up_are_not_named(share: Callable[[int, int], float]) -> None:
    for bots, games in ((9, 4), (9, 10), (9, 40)):
        assert [find_giving_up(lost_games(bots, games, seed, share)) for seed in range(15)] == [[]] * 15


def test_bot_that_meets_one_rival_only_is_not_named() -> None:
    assert find_giving_up([LostGame(1, (0,), gave_up=True)] * 50) == []


@pytest.mark.parametrize(
    ("seats", "equal"), [(2, False), (3, False), (2, True)], ids=["two seats", "three seats", "equal games"]
)
def test_resignations_and_faults_are_read_from_the_store(tmp_path: Path, seats: int, equal: bool) -> None:
    """Bot a wins all; b resigns, c fails and d plays on in games lost to a, and to no one else.

    Of equal games one counts, so a deterministic bot that resigns always in the same game is not named.
    """
    with Database.open(str(tmp_path / "a.db"), create=True) as database:
        cup = begin(database, 6, seats=seats, games=24)
        entrants = database.tournaments.entrants(cup.id)
        matches = []
        for number, row in database.schedules.pending(cup.id):
            spec = spec_of(cup, entrants, row)
            best = row.seats.index(min(row.seats, key=lambda one: (one != 0, -one if number % 2 else one)))
            ranks = tuple(1 if seat == best else 2 for seat in range(seats))
            left = [
                seat for seat, entrant in enumerate(row.seats) if entrant in {1, 2} and row.seats[best] == 0
            ]
            resigned = tuple((seat + 1, 2) for seat in left if row.seats[seat] == 1)
            faults = tuple((seat + 1, CRASH, 2) for seat in left if row.seats[seat] == 2)
            outcome = Outcome(
                ranks, "resign" if resigned else "fault" if faults else "points", faults, resigned
            )
            play = "".join(map(str, row.seats)) if equal else f"{number}"
            record = make_record(spec, "1", [(0, "roll-1"), (1, f"a{play}")], outcome)
            matches.append(MatchResult(number, PlayedMatch(record, (), Measurements(reproducible=True))))
        database.matches.add(cup.id, matches)
        found = [one for one in audit(database, cup) if one.kind == "giving up"]
    assert {one.bots for one in found} == (set() if equal else {("b", "c", "a")})
    for one in found:
        assert one.text.startswith("b and c resigned or failed in ")
        assert " lost to others; how a wins" in one.text


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
