"""Ratings of whole pools: independent of order, sensible for little data, close to known strengths."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from msgspec.structs import astuple

from benchmarks.ratings import World, simulate
from tests.ratings.pools import results_of, shuffled
from tests.support.even_pools import EvenPool, even_pools, not_finite
from tourney.errors import UsageError
from tourney.ratings.batch import Batch, differences, rate, rate_clusters, strengths
from tourney.ratings.counts import Clusters, Counts
from tourney.ratings.likelihood import MODELS
from tourney.ratings.sequential import PlannedGames
from tourney.ratings.superiority import uniforms
from tourney.schedule.row import MatchKey, ResultRow


def rated(results: list[ResultRow], entrants: int, seats: int) -> Batch:
    return rate(Counts.of_results(results, range(entrants), seats))


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_order_of_storage_does_not_matter(seats: int) -> None:
    results = results_of(seats, 7, 84)
    table = rated(results, 7, seats)
    for seed in range(3):
        assert repr(rated(shuffled(results, seed), 7, seats)) == repr(table)
    renumbered = [
        ResultRow(MatchKey(9, 1000 - result.key[1], 2, result.key[3]), *result[1:])
        for result in reversed(results)
    ]
    assert repr(rated(renumbered, 7, seats)) == repr(table)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_stronger_entrants_are_rated_higher(seats: int) -> None:
    batch = rated(results_of(seats, 6, 600), 6, seats)
    assert [line.entrant for line in batch.ratings] == [5, 4, 3, 2, 1, 0]
    assert [line.rank for line in batch.ratings] == [1, 2, 3, 4, 5, 6]
    assert sum(line.elo for line in batch.ratings) == pytest.approx(0, abs=0.3)
    for line in batch.ratings:
        assert line.low < line.elo < line.high
        assert line.best_rank <= line.rank <= line.worst_rank
    assert sum(line.p_best for line in batch.ratings) == pytest.approx(1, abs=0.03)
    assert sum(line.games for line in batch.ratings) == 600 * seats
    assert sum((line.score or 0) * line.games for line in batch.ratings) == pytest.approx(
        300 * seats, abs=0.2
    )
    assert len(batch.pairs) == 15
    order = [line.entrant for line in batch.ratings]
    for pair in batch.pairs:
        assert order.index(pair.a) < order.index(pair.b)
        assert pair.los > 0.5
        assert pair.residual == pytest.approx(pair.points - pair.expected, abs=0.006)
    assert batch.pool.matches == 600
    assert batch.pool.clusters == 600 // seats
    assert batch.pool.parts == (tuple(order),)
    assert batch.pool.steps == ((tuple(order),),)


def test_order_and_probabilities_agree_where_games_are_unequal() -> None:
    """Bot 0 won most of its few games, bot 1 some more than half of many: both numbers put bot 1 ahead."""
    results = []
    for table, (a, b) in enumerate(combinations(range(8), 2), 1):
        games = 2 if 0 in (a, b) else 60
        for game in range(games):
            won = (a, b) in ((0, 2), (0, 3)) or game % 20 < (13 if a == 1 else 10)
            ranks = (1, 2) if won and not (a == 0 and game and b > 3) else (2, 1)
            results.append(ResultRow(MatchKey(1, table, game + 1, 1), (a, b), ranks))
    batch = rated(results, 8, 2)
    assert strengths(Counts.of_results(results, range(8), 2), flat=True)[0].argmax() == 0
    assert [line.entrant for line in batch.ratings[:2]] == [1, 0]
    assert min(pair.los for pair in batch.pairs) >= 0.5
    assert [line.p_best for line in batch.ratings[:2]] == sorted(
        (line.p_best for line in batch.ratings), reverse=True
    )[:2]


def test_renumbered_entrants_get_the_same_ratings() -> None:
    results = results_of(2, 5, 100)
    turned = [result._replace(entrants=tuple(4 - number for number in result.entrants)) for result in results]
    one, other = rated(results, 5, 2), rated(turned, 5, 2)
    assert [(line.elo, 4 - line.entrant) for line in one.ratings] == [
        (line.elo, line.entrant) for line in other.ratings
    ]
    assert one.pool.seats == other.pool.seats
    assert one.pool.goodness == other.pool.goodness


def test_first_seat_wins_count_as_seat_effect() -> None:
    results = [
        ResultRow(MatchKey(1, k, 1, order), ((0, 1), (1, 0))[order - 1], (1, 2) if k % 4 else (2, 1))
        for k in range(1, 81)
        for order in (1, 2)
    ]
    batch = rated(results, 2, 2)
    assert [line.elo for line in batch.ratings] == [0.0, 0.0]
    first, second = batch.pool.seats
    assert first.low > 0 > second.high
    assert first.elo == -second.elo
    assert 0.2 < batch.pool.dispersion < 0.6, (
        "opposite results of mirrored games vary less than independent ones"
    )


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("entrants", [0, 1, 5])
def test_pool_without_matches_shows_the_prior(seats: int, entrants: int) -> None:
    batch = rated([], entrants, seats)
    assert [(line.rank, line.elo, line.games, line.score) for line in batch.ratings] == [
        (1, 0.0, 0, None)
    ] * entrants
    assert all(pair.los == 0.5 and pair.z is None for pair in batch.pairs)
    assert batch.pool.goodness.p_value is None
    assert batch.pool.draw_rate is None
    assert len(batch.pool.parts) == entrants
    if entrants == 5:
        assert {(line.best_rank, line.worst_rank) for line in batch.ratings} == {(1, 5)}
        # Each bot is a group by itself, so its level is as open as the spread; 600 is the level's alone.
        assert 1.96 * 600 * 0.8**0.5 < batch.ratings[0].high < 2000


def test_one_match_changes_ratings_little() -> None:
    batch = rated([ResultRow(MatchKey(1, 1, 1, 1), (1, 0), (1, 2))], 2, 2)
    winner, loser = batch.ratings
    assert (winner.entrant, winner.elo) == (1, -loser.elo)
    assert winner.low < loser.elo < winner.elo < loser.high
    assert (winner.best_rank, winner.worst_rank) == (1, 2)
    assert 0.6 < batch.pairs[0].los < 0.9
    assert batch.pool.steps == (((1,), (0,)),)


def test_more_wins_give_a_higher_finite_rating() -> None:
    last = 0.0
    for games in (1, 10, 100, 1000):
        results = [
            ResultRow(
                MatchKey(1, k, 1, order), ((0, 1 + k % 3), (1 + k % 3, 0))[order], ((1, 2), (2, 1))[order]
            )
            for k in range(games)
            for order in (0, 1)
        ]
        batch = rated(results, 4, 2)
        top = batch.ratings[0]
        assert top.entrant == 0
        assert last < top.elo < 2500
        assert top.high - top.low > 300, "an entrant without losses has an uncertain rating"
        last = top.elo
    assert batch.pool.steps[0][0] == (0,)


def test_all_draws_give_equal_ratings() -> None:
    for seats in (2, 4):
        order = [(*range(turn, seats), *range(turn)) for turn in range(seats)]
        results = [ResultRow(MatchKey(1, k, 1, 1), order[k % seats], (1,) * seats) for k in range(1, 33)]
        batch = rated(results, seats, seats)
        assert {line.elo for line in batch.ratings} == {0.0}
        assert batch.pool.draw_rate == 1.0
        # Thirty draws show that the two are close, and no more than that.
        assert 20 < batch.ratings[0].high < 80


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=150)
@given(pool=even_pools())
def test_even_pools_have_finite_numbers(model: str, pool: EvenPool) -> None:
    clusters = Clusters()
    clusters.take(pool.results)
    for look in (None, PlannedGames(10, pool.seats)):
        try:
            batch = rate_clusters(clusters, range(pool.entrants), pool.seats, model=MODELS[model], look=look)
        except UsageError:
            assert model != "tourney", "the own model rates every pool"
            continue
        assert list(not_finite(batch)) == []
        # BayesElo takes white for 32.8 Elo stronger, so to draw with it is not to be equal.
        level = all(result.void or set(result.ranks) == {1} for result in pool.results)
        if level and model != "bayeselo":
            assert {(line.rank, line.elo) for line in batch.ratings} == {(1, 0.0)}


def test_unconnected_parts_of_a_pool_are_listed() -> None:
    results = [
        ResultRow(MatchKey(1, k, 1, 1), pair, (1, 2))
        for k, pair in enumerate([(0, 1), (1, 0), (2, 3), (3, 2)], 1)
    ]
    batch = rated(results, 5, 2)
    assert sorted(map(sorted, batch.pool.parts)) == [[0, 1], [2, 3], [4]]
    assert all(len(steps) == 1 for steps in batch.pool.steps)
    within = next(pair for pair in batch.pairs if {pair.a, pair.b} == {0, 1})
    assert within.games == 2
    (top, *_) = batch.ratings
    assert top.high - top.low > 1000


def test_intransitive_results_show_in_goodness_and_residuals() -> None:
    results = []
    for k in range(60):
        a, b = ((0, 1), (1, 2), (2, 0))[k % 3]
        won = k % 10 != 0
        results.append(ResultRow(MatchKey(1, k + 1, 1, 1), (a, b), (1, 2) if won else (2, 1)))
        results.append(ResultRow(MatchKey(1, k + 1, 1, 2), (b, a), (2, 1) if won else (1, 2)))
    batch = rated(results, 3, 2)
    assert batch.pool.goodness.p_value is not None
    assert batch.pool.goodness.p_value < 0.001
    assert all(abs(pair.z or 0) > 3 for pair in batch.pairs)


@pytest.mark.slow
@pytest.mark.parametrize(
    "world",
    [
        World("test-two", 2, bots=20),
        World("test-taste", 2, bots=20, draws=0.5, taste=1.5),
        World("test-four", 4, bots=20),
    ],
    ids=lambda world: world.name,
)
def test_intervals_cover_the_truth(world: World) -> None:
    """On simulated pools of known strengths; 10 seeds of 20 bots, so the share may stray by about 3 %."""
    inside = ranked = 0
    p_values = []
    for seed in range(10):
        pool = simulate(world, seed, 1600)
        batch = rated(pool.results, 20, world.seats)
        true_ranks = 1 + np.sum(pool.strengths[None, :] > pool.strengths[:, None], axis=1)
        for line in batch.ratings:
            inside += line.low <= pool.strengths[line.entrant] <= line.high
            ranked += line.best_rank <= true_ranks[line.entrant] <= line.worst_rank
        p_values.append(batch.pool.goodness.p_value or 0.0)
    assert 0.91 <= inside / 200 <= 0.99
    assert ranked / 200 >= 0.95
    assert sum(p < 0.05 for p in p_values) <= 3


FIXED_LINES = [
    (1, 1, 2, 3, 146.6, -204.2, 497.3, 57, 0.7456, 0.54),
    (2, 1, 4, 2, 51.6, -300.0, 403.2, 57, 0.5789, 0.03),
    (3, 1, 5, 4, 0.0, -1375.1, 1375.1, 0, None, 0.43),
    (4, 2, 5, 1, -29.6, -379.7, 320.6, 51, 0.4314, 0.0),
    (5, 4, 5, 0, -168.6, -523.1, 185.8, 51, 0.2059, 0.0),
]
LOOK_LINES = [
    (1, 1, 4, 3, 146.6, -1399.6, 1692.7, 57, 0.7456, 0.54),
    (2, 1, 5, 2, 51.6, -1501.4, 1604.6, 57, 0.5789, 0.03),
    (3, 1, 5, 4, 0.0, -22691.7, 22691.7, 0, None, 0.43),
    (4, 1, 5, 1, -29.6, -1570.4, 1511.3, 51, 0.4314, 0.0),
    (5, 2, 5, 0, -168.6, -1746.0, 1408.7, 51, 0.2059, 0.0),
]
FIXED_PAIRS = [
    (3, 2, 0.958, 42, 26.0, 26.83, -0.83, -0.27, 94.9, -12.8, 202.7),
    (3, 4, 0.5663, 0, 0.0, 0.0, 0.0, None, 146.6, -1573.7, 1866.9),
    (3, 1, 0.9991, 36, 26.5, 26.71, -0.21, -0.08, 176.1, 65.7, 286.5),
]
LOOK_PAIRS = [
    (3, 2, 0.958, 42, 26.0, 26.83, -0.83, -0.27, 94.9, -81.2, 271.0),
    (3, 4, 0.5663, 0, 0.0, 0.0, 0.0, None, 146.6, -22359.3, 22652.4),
    (3, 1, 0.9991, 36, 26.5, 26.71, -0.21, -0.08, 176.1, -5.3, 357.5),
]


@pytest.mark.parametrize(
    ("look", "lines", "pairs", "seats"),
    [
        (
            None,
            FIXED_LINES,
            FIXED_PAIRS,
            [(1, -20.9, -74.5, 32.7), (2, 20.9, -31.0, 72.8), (3, 0.0, -52.0, 52.0)],
        ),
        (
            PlannedGames(150.0, 4),
            LOOK_LINES,
            LOOK_PAIRS,
            [(1, -20.9, -108.9, 67.0), (2, 20.9, -63.7, 105.5), (3, 0.0, -84.8, 84.8)],
        ),
    ],
)
def test_published_numbers_of_a_pool_never_change(
    look: PlannedGames | None, lines: list[object], pairs: list[object], seats: list[object]
) -> None:
    """24 groups of three of four entrants; a fifth one waits. Reports and tables have held these digits."""
    batch = rate(Counts.of_results(results_of(3, 4, 72), range(5), 3), look=look)
    assert [tuple(line)[:10] for line in batch.ratings] == lines
    assert [tuple(pair) for pair in batch.pairs[:3]] == pairs
    assert [astuple(seat) for seat in batch.pool.seats] == seats
    assert (batch.pool.dispersion, batch.pool.draw_rate, batch.pool.prior_elo) == (1.101, 0.0972, 150.8)
    assert (batch.pool.goodness.ratio, batch.pool.goodness.p_value) == (0.297, 0.812)
    assert batch.cycles is None, "one number a bot explains these results"


def test_ranks_at_every_look_allow_for_all_comparisons_of_an_entrant() -> None:
    """With one comparison more, each range of this pool would be of all three."""
    counts = Counts.of_results(results_of(2, 3, 146), range(3), 2)
    batch = rate(counts, pairs=False, best=False, look=PlannedGames(100, 2))
    assert [(line.entrant, line.best_rank, line.worst_rank) for line in batch.ratings] == [
        (2, 1, 2),
        (1, 1, 3),
        (0, 2, 3),
    ]


def test_difference_of_two_is_the_gap_of_their_pair() -> None:
    counts = Counts.of_results(results_of(2, 4, 120), range(4), 2)
    pair = rate(counts, best=False).pairs[0]
    (found,) = differences(counts, [{pair.a: 1.0, pair.b: -1.0}])
    assert found == (pair.elo, pair.low, pair.high)


def test_anchors_have_the_mean_that_is_given() -> None:
    batch = rate(Counts.of_results(results_of(2, 4, 72), range(4), 2), anchors={0: 100.0, 2: 250.0})
    assert [(line.entrant, line.elo) for line in batch.ratings] == [
        (3, 317.5),
        (2, 244.4),
        (1, 146.7),
        (0, 105.6),
    ]


def test_circle_is_no_cycle_where_strengths_changed() -> None:
    results = []
    for k in range(60):
        a, b = ((0, 1), (1, 2), (2, 0))[k % 3]
        won = k % 10 != 0
        results.append(ResultRow(MatchKey(1, k + 1, 1, 1), (a, b), (1, 2) if won else (2, 1)))
        results.append(ResultRow(MatchKey(1, k + 1, 1, 2), (b, a), (2, 1) if won else (1, 2)))
    changed = [
        one._replace(ranks=one.ranks[::-1]) if one.key.table > 30 and {*one.entrants} == {0, 1} else one
        for one in results
    ]
    found = []
    for played in (results, changed):
        clusters = Clusters()
        clusters.take(played)
        cycles = rate_clusters(clusters, range(3), 2).cycles
        assert cycles is not None
        assert cycles.cycles is not None
        found.append((cycles.drift, cycles.deviation, [(one.entrants, one.scores) for one in cycles.cycles]))
    assert found == [(0.996, 0.683, [((0, 1, 2), (0.891, 0.891, 0.891))]), (0.032, 0.439, [])]


def test_drift_does_not_depend_on_the_numbers_of_entrants() -> None:
    """A bot that scores in one half only is in the zero of that half, and not in that of the other."""
    results = []
    for cycle in range(60):
        drawn = uniforms(6, "drift", 4, cycle)
        for table, (a, b) in enumerate(combinations(range(4), 2)):
            likely = 0.985 if b == 3 else 0.75 if (a, b) in {(0, 1), (1, 2)} else 0.25
            ranks = (1, 2) if drawn[table] < likely else (2, 1)
            results.append(ResultRow(MatchKey(cycle + 1, table + 1, 1, 1), (a, b), ranks))
    drifts = []
    for numbers in ((0, 1, 2, 3), (3, 1, 2, 0), (1, 3, 0, 2)):
        clusters = Clusters()
        clusters.take([row._replace(entrants=tuple(numbers[n] for n in row.entrants)) for row in results])
        halves = [rate(clusters.half(range(4), 2, last=last)) for last in (False, True)]
        assert len({len(half.pool.zero) for half in halves}) == 2
        found = rate_clusters(clusters, range(4), 2).cycles
        assert found is not None
        drifts.append(found.drift)
    assert len(set(drifts)) == 1
