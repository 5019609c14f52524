"""Standings: scores, ranks and tie-breaks."""

from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.tournaments import LETTERS, begin, stored
from tourney.match.evidence import POINT
from tourney.results.standings import Standing, planned_matches, rank_totals, setup_of, standings_of
from tourney.schedule.format import Participant
from tourney.schedule.round_robin import RoundRobin
from tourney.schedule.row import BY_WIN, score_units, units_of_win
from tourney.store.database import Database
from tourney.store.totals import FaultCount, PairTotal, ResultSums, ScoreTotals, StandingsTotals
from tourney.store.values import Plan


@pytest.mark.parametrize(
    ("ranks", "points"),
    [
        ((1, 2), ("1", "0")),
        ((1, 1), ("1/2", "1/2")),
        ((3, 1, 2), ("0", "1", "1/2")),
        ((1, 1, 3), ("3/4", "3/4", "0")),
        ((1, 2, 3, 4), ("1", "2/3", "1/3", "0")),
        ((1, 2, 2, 4), ("1", "1/2", "1/2", "0")),
        ((1, 1, 1, 1), ("1/2",) * 4),
        ((2, 1, 2, 2), ("1/3", "1", "1/3", "1/3")),
    ],
)
def test_shared_rank_scores_the_mean_of_its_places(ranks: tuple[int, ...], points: tuple[str, ...]) -> None:
    unit = 2 * (len(ranks) - 1)
    assert [Fraction(units, unit) for units in score_units(ranks)] == [Fraction(p) for p in points]


@pytest.mark.parametrize(
    ("ranks", "points"),
    [
        ((1, 1), ("1/2", "1/2")),
        ((3, 1, 2), ("0", "1", "0")),
        ((1, 1, 3), ("1/2", "1/2", "0")),
        ((1, 2, 2, 4), ("1", "0", "0", "0")),
        ((1, 4, 1, 1), ("1/3", "0", "1/3", "1/3")),
    ],
)
def test_score_by_wins_is_shared_by_ties_for_first(ranks: tuple[int, ...], points: tuple[str, ...]) -> None:
    unit = units_of_win(len(ranks), BY_WIN)
    assert [Fraction(units, unit) for units in score_units(ranks, BY_WIN)] == [Fraction(p) for p in points]


def test_rule_by_wins_ranks_a_winner_above_who_is_always_second() -> None:
    sums = ResultSums(BY_WIN)
    for ranks, times in (((1, 2, 3), 2), ((3, 2, 1), 3)):
        sums.add((0, 1, 2), ranks, (), times=times)
    plan = Plan("cup", "race", "1", (), "round-robin", 3, 6, ranking=RoundRobin().rule_by_wins(3))
    setup = replace(setup_of(plan, 1, ()), participants=tuple(map(Participant, range(3))))
    lines = rank_totals(RoundRobin(), setup, sums.totals())
    assert [(line.number, int(line.points)) for line in lines] == [(2, 3), (0, 2), (1, 0)]


@given(st.lists(st.integers(0, 5), min_size=2, max_size=4))
def test_scores_of_a_match_sum_to_half_its_seats(strengths: list[int]) -> None:
    ranks = [1 + sum(other > mine for other in strengths) for mine in strengths]
    assert sum(score_units(ranks)) == len(ranks) * (len(ranks) - 1)


def table(results: dict[tuple[int, int], int], count: int) -> tuple[Standing, ...]:
    """Return the standings of single two-seat games: ``(a, b)`` maps to a's half-points."""
    tallies = {}
    for number in range(count):
        mine = [h for (a, _), h in results.items() if a == number]
        mine += [2 - h for (_, b), h in results.items() if b == number]
        tallies[number] = ScoreTotals(len(mine), sum(mine), mine.count(2), mine.count(1))
    pairs = [PairTotal(a, b, 1, h) for (a, b), h in results.items()]
    pairs += [PairTotal(b, a, 1, 2 - h) for (a, b), h in results.items()]
    by_seat = {(number, 1): total for number, total in tallies.items()}
    return rank_standings(count, StandingsTotals(by_seat, tuple(sorted(pairs)), ()))


def rank_standings(count: int, sums: StandingsTotals) -> tuple[Standing, ...]:
    """Return the standings of a round-robin for two seats."""
    setup = setup_of(Plan("cup", "sage-stones", "1", (), "round-robin", 2, 2), 1, stored(count))
    return standings_of(rank_totals(RoundRobin(), setup, sums), stored(count), sums)


def test_points_come_first_then_direct_encounter() -> None:
    # b and c have 2 points each, and c beat b.
    lines = table({(0, 1): 0, (0, 2): 2, (0, 3): 0, (1, 2): 0, (1, 3): 2, (2, 3): 2}, 4)
    assert [(line.rank, line.name, str(line.points)) for line in lines] == [
        (1, "c", "2"),
        (2, "b", "2"),
        (3, "d", "1"),
        (4, "a", "1"),
    ]


def test_equal_entrants_share_a_rank_in_file_order() -> None:
    lines = table({(0, 1): 1, (0, 2): 1, (1, 2): 1}, 3)
    assert [(line.rank, line.name) for line in lines] == [(1, "a"), (1, "b"), (1, "c")]


def test_circle_of_wins_stays_tied() -> None:
    lines = table({(0, 1): 2, (1, 2): 2, (0, 2): 0}, 3)
    assert [line.rank for line in lines] == [1, 1, 1]


def test_sonneborn_berger_weighs_opponents_points_by_result() -> None:
    lines = table({(0, 1): 2, (0, 2): 1, (1, 2): 2}, 3)
    found = {line.name: dict(line.tie_breaks)["sonneborn-berger"] for line in lines}
    points = {line.name: line.points for line in lines}
    assert found["a"] == points["b"] + points["c"] / 2
    assert found["c"] == points["a"] / 2


def test_without_games_all_share_rank_1() -> None:
    lines = rank_standings(
        2, StandingsTotals({}, (), (FaultCount(1, "crash", 3), FaultCount(1, "timeout", 1)))
    )
    assert [(line.rank, line.games, str(line.points), line.mean) for line in lines] == [(1, 0, "0", None)] * 2
    assert lines[1].faults == (("crash", 3), ("timeout", 1))
    assert lines[1].fault_count == 4


def test_standings_do_not_depend_on_aggregate_order() -> None:
    results = dict(zip([(0, 1), (0, 2), (1, 2)], (2, 0, 1), strict=True))
    expected = table(results, 3)
    for order in permutations(results):
        assert table({pair: results[pair] for pair in order}, 3) == expected


def test_more_points_always_give_a_better_rank() -> None:
    for outcome in product((0, 1, 2), repeat=3):
        lines = table(dict(zip([(0, 1), (0, 2), (1, 2)], outcome, strict=True)), 3)
        points = [line.points for line in lines]
        assert points == sorted(points, reverse=True)
        assert {line.name for line in lines} == set(LETTERS[:3])


def test_luck_is_taken_off_points_per_match() -> None:
    """Of matches whose luck is known, in points; the others count as if they had none."""
    by_seat = {(0, 1): ScoreTotals(4, 6, 3, 0), (1, 2): ScoreTotals(4, 2, 1, 0)}
    first, second = rank_standings(2, StandingsTotals(by_seat, (), (), {0: (POINT, 2)}))
    assert (first.luck, first.mean_without_luck) == (Fraction(1, 2), Fraction(1, 4))
    assert (second.luck, second.mean_without_luck) == (None, None)


def test_planned_matches_are_those_of_the_whole_schedule(tmp_path: Path) -> None:
    with Database.open(str(tmp_path / "tourney.db"), create=True) as repository:
        swiss = begin(repository, 4, format_="swiss", rounds=3)
        at_once = begin(repository, 3, name="second")
    assert planned_matches(swiss, stored(4), 4) == 12
    gone = (*stored(3), replace(stored(4)[3], left=2))
    assert planned_matches(swiss, gone, 4) == 4
    assert planned_matches(at_once, stored(3), 6) == 6
    assert planned_matches(replace(at_once, complete=False), stored(4), 6) == 12
