"""Tests and intervals of pairs: evidence, error rates at every look, coverage, and extreme results."""

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.even_pools import not_finite
from tourney.errors import UsageError
from tourney.ratings.batch import rate
from tourney.ratings.counts import Counts, Game
from tourney.ratings.sequential import (
    SCORES,
    Findings,
    PlannedGames,
    Scores,
    SequentialTest,
    elo_of,
    expected_score,
    holm,
    likelihood_ratio,
    needed,
    pair_scores,
)
from tourney.ratings.superiority import uniforms
from tourney.schedule.until_rule import multiplier
from tourney.seeds import U64, derive

counts = st.lists(st.integers(0, 2000), min_size=5, max_size=5)
TEST = SequentialTest()


def ends(found: Findings | None) -> tuple[float, float]:
    """The ends of the interval, infinite without a bound."""
    assert found is not None
    low, high = found.low, found.high
    return -math.inf if low is None else low, math.inf if high is None else high


def test_elo_and_score_are_inverse() -> None:
    assert expected_score(0) == 0.5
    assert expected_score(400) == pytest.approx(10 / 11)
    for elo in (-300.0, -1.0, 0.0, 20.0, 700.0):
        assert elo_of(expected_score(elo)) == pytest.approx(elo)


@given(counts)
def test_swapped_sides_give_the_opposite_evidence(pairs: list[int]) -> None:
    better, worse = SequentialTest(-15, 25).evidence([pair_scores(pairs)])
    assert SequentialTest(-25, 15).evidence([pair_scores(pairs[::-1])]) == (worse, better)


@given(counts, st.integers(0, 3), st.integers(1, 50))
def test_better_pair_raises_the_evidence(pairs: list[int], place: int, times: int) -> None:
    moved = min(times, pairs[place])
    better = list(pairs)
    better[place] -= moved
    better[place + 1] += moved
    assert TEST.evidence([pair_scores(better)])[0] >= TEST.evidence([pair_scores(pairs)])[0]


@pytest.mark.parametrize(
    ("pairs", "better", "worse"),
    [
        ((0, 0, 0, 0, 4), False, False),
        ((0, 0, 0, 0, 16), True, False),
        ((0, 0, 20, 0, 0), False, False),
        ((0, 0, 120, 0, 0), False, True),
        ((16, 0, 0, 0, 0), False, True),
    ],
)
def test_few_equal_pairs_give_no_certainty(pairs: tuple[int, ...], better: bool, worse: bool) -> None:
    found = TEST.evidence([pair_scores(pairs)])
    assert tuple(one >= needed(1, 0.05) for one in found) == (better, worse)


@given(st.lists(counts, max_size=4))
def test_interval_agrees_with_the_evidence(looks: list[list[int]]) -> None:
    """A bound lies outside the interval exactly if it is refuted."""
    test, batches_ = SequentialTest(-10, 30, 0.05, 0.01), [pair_scores(pairs) for pairs in looks]
    found = test.find(batches_)
    if found is None:
        assert not sum(map(sum, looks))
        return
    assert found.groups == sum(map(sum, looks))
    assert -2500 < found.elo < 2500
    assert 0 <= found.los <= 1
    better, worse = test.evidence(batches_)
    low, high = ends(found)
    assert (low > -10) == (better >= needed(1, 0.05))
    assert (high < 30) == (worse >= needed(1, 0.01))
    turned = SequentialTest(-30, 10, 0.01, 0.05).find([pair_scores(pairs[::-1]) for pairs in looks])
    assert turned is not None
    assert turned.elo == pytest.approx(-found.elo, abs=1e-6)
    assert (turned.low, turned.high) == tuple(
        None if end is None else -end for end in (found.high, found.low)
    )


@given(st.sampled_from((*SCORES, -0.6, 1.6)), st.lists(st.integers(0, 40), max_size=5))
def test_equal_scores_give_finite_findings(score: float, batches: list[int]) -> None:
    looks = [{score: groups} if groups else {} for groups in batches]
    for test in (SequentialTest(luck=True), *([TEST] if 0 <= score <= 1 else [])):
        assert list(not_finite(test.evidence(looks))) == []
        found = test.find(looks) if any(batches) else None
        assert list(not_finite(found)) == []


def test_more_claims_widen_the_interval() -> None:
    pairs = [pair_scores((30, 0, 40, 0, 40))]
    (low, high), (lower, higher) = ends(TEST.find(pairs)), ends(TEST.find(pairs, 3, 5))
    assert lower < low < high < higher


def test_estimate_of_many_pairs_is_the_sample_mean() -> None:
    found = TEST.find([pair_scores((1000, 2000, 3000, 2500, 1500))])
    assert found is not None
    assert found.score == pytest.approx(0.5375)
    assert found.elo == pytest.approx(elo_of(0.5375), abs=0.1)
    low, high = ends(found)
    assert low < found.elo < high
    assert found.width < 10
    assert found.los > 0.9999


def test_scores_outside_zero_to_one_have_intervals() -> None:
    """Scores from which luck is subtracted may lie outside 0 to 1."""
    scores: dict[float, int] = {-0.3: 10, 0.2: 40, 0.5: 90, 0.9: 40, 1.4: 20}
    wide = SequentialTest(luck=True).find([scores])
    assert wide is not None
    low, high = ends(wide)
    assert low < wide.elo < high
    assert wide.width < 90


def test_halves_are_named_only_if_they_differ() -> None:
    steady, changed = [[0, 0, 9, 0, 7]] * 6, [[0, 0, 9, 0, 7]] * 3 + [[7, 0, 9, 0, 0]] * 3
    for looks, halves in ((steady, None), (changed, (0.7188, 0.2812))):
        found = TEST.find([pair_scores(pairs) for pairs in looks])
        assert found is not None
        assert found.halves == halves


@pytest.mark.parametrize(
    "wrong",
    [
        {"elo0": 20.0, "elo1": 20.0},
        {"elo0": 30.0},
        {"elo1": 2000.0},
        {"elo0": math.nan},
        {"alpha": 0.0},
        {"alpha": 0.5},
        {"beta": math.nan},
        {"beta": -1.0},
    ],
)
def test_meaningless_test_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        SequentialTest(**wrong)


@pytest.mark.parametrize(
    "shares", [(0.25, 0, 0.5, 0, 0.25), (0.02, 0.05, 0.86, 0.05, 0.02), (0.0, 0.0, 0.02, 0.0, 0.98)]
)
def test_pairs_rarely_ever_exclude_the_truth(shares: tuple[float, ...]) -> None:
    runs, length = 200, 256
    truth = elo_of(sum(share * score for share, score in zip(shares, SCORES, strict=True)))
    drawn = uniforms(runs * length, "test", "sequences", *map(str, shares)).reshape(runs, length)
    ever = 0
    for run in np.searchsorted(np.cumsum(shares), drawn):
        looks = [pair_scores(np.bincount(part, minlength=5).tolist()) for part in run.reshape(-1, 8)]
        low, high = ends(TEST.find(looks))
        ever += not low <= truth <= high
    assert ever / runs <= TEST.alpha + TEST.beta


def test_unbounded_side_is_infinite() -> None:
    found = TEST.find([pair_scores((0, 0, 0, 0, 12))])
    assert found is not None
    assert found.high is None
    assert found.width == math.inf
    assert ends(found)[0] > 0


def test_look_widens_intervals_and_ranges() -> None:
    won: tuple[Game, ...] = (((0, 1), (1, 2), ()), ((1, 0), (2, 1), ()))
    lost: tuple[Game, ...] = (((0, 1), (2, 1), ()), ((1, 0), (1, 2), ()))
    counts = Counts.of_clusters(Counter({won: 40, lost: 20}), range(2), 2)
    end, now = rate(counts), rate(counts, look=PlannedGames(120, 2))
    for fixed, looked in zip(end.ratings, now.ratings, strict=True):
        assert looked.elo == fixed.elo
        ratio = (looked.high - looked.low) / (fixed.high - fixed.low)
        assert 1.5 < ratio < 1.7
        assert looked.best_rank <= fixed.best_rank
        assert looked.worst_rank >= fixed.worst_rank
    assert now.pairs[0].los == end.pairs[0].los
    assert now.pairs[0].low < end.pairs[0].low


def test_look_plans_even_games() -> None:
    look = PlannedGames(100, 2)
    even = (400 / math.log(10)) ** 2 / (100 / 4)
    assert look.deviations(even, 1.0) == pytest.approx(multiplier(1.0))
    assert look.deviations(4 * even, 1.0) == pytest.approx(multiplier(0.25))


def batches(run: int, elo: float, drawn: float, count: int = 24, size: int = 8) -> Iterator[Scores]:
    """Yield the scores of pairs of a bot that is ``elo`` stronger, with this share of drawn games."""
    won = expected_score(elo) - drawn / 2
    for batch in range(count):
        counts = [0] * 5
        for pair in range(size):
            points = 0
            for game in (1, 2):
                u = derive(run, "pair", batch, pair, game) / U64
                points += 2 if u < won else 1 if u < won + drawn else 0
            counts[points] += 1
        yield pair_scores(counts)


@pytest.mark.slow
@pytest.mark.parametrize("drawn", [0.0, 0.6])
def test_true_nulls_are_rarely_rejected_at_any_look(drawn: float) -> None:
    """In at most 5 % of runs that are watched for 24 batches; with 200 runs 16 is three deviations above."""
    for test, elo in ((SequentialTest(0, 40), 0), (SequentialTest(30, 70), 30)):
        runs = [list(batches(run, elo, drawn)) for run in range(200)]
        wrong = sum(test.evidence(run)[0] >= needed(1, 0.05) for run in runs)
        assert wrong <= 16


def test_true_alternatives_are_mostly_found() -> None:
    test = SequentialTest(0, 80)
    found = sum(test.evidence(batches(run, 80, 0.3))[0] >= needed(1, 0.05) for run in range(50))
    assert found >= 45


def test_evidence_never_falls() -> None:
    run = list(batches(3, 40, 0.2))
    looks = [SequentialTest(0, 40).evidence(run[:k]) for k in range(len(run) + 1)]
    assert max(looks[0]) == 0
    for side in zip(*looks, strict=True):
        assert list(side) == sorted(side)
    assert looks[-1][0] > 0


def test_holm_rejects_step_by_step() -> None:
    enough = [needed(k, 0.05) for k in (1, 2, 3)]
    assert holm([], 0.05) == ()
    assert holm([enough[0]], 0.05) == (True,)
    assert holm([enough[1], enough[2], enough[0]], 0.05) == (True, True, True)
    assert holm([enough[1], enough[2], enough[0] - 0.01], 0.05) == (True, True, False)
    assert holm([enough[1], enough[1], enough[1]], 0.05) == (False, False, False)
    assert holm([enough[0], enough[1]], 0.05) == (True, True)


@pytest.mark.parametrize(
    ("test", "name", "evidence", "ends", "of_several"),
    [
        (SequentialTest(bets=1), "90 % at every look", 6.101928, (19.8, 106.1), (12.0, 112.3)),
        (
            SequentialTest(0, 10, 0.01, 0.1, bets=1),
            "89 % at every look",
            5.188356,
            (3.4, 105.8),
            (-2.8, 112.9),
        ),
        (SequentialTest(luck=True, bets=1), "90 % at every look", 6.781436, (26.5, 99.9), (18.3, 107.1)),
        (SequentialTest(), "90 % at every look", 5.655692, (20.1, 113.6), (10.1, 122.4)),
        (SequentialTest(luck=True), "90 % at every look", 5.328321, (19.3, 95.3), (10.0, 103.7)),
    ],
)
def test_published_numbers_of_a_test_never_change(
    test: SequentialTest,
    name: str,
    evidence: float,
    ends: tuple[float, float],
    of_several: tuple[float, float],
) -> None:
    """Three batches of pairs; reports and stored comparisons have held these digits."""
    batches = [pair_scores(pairs) for pairs in ((3, 5, 20, 9, 4), (2, 4, 18, 12, 6), (1, 3, 16, 15, 9))]
    assert test.intervals == name
    assert test.evidence(batches) == (evidence, 0.0)
    found, several = test.find(batches), test.find(batches, better=3, worse=2)
    assert found is not None
    assert several is not None
    assert (found.groups, found.low, found.high) == (127, *ends)
    assert (several.low, several.high) == of_several
    assert found.score == pytest.approx(76 / 127)
    assert found.elo == pytest.approx(68.195, abs=0.001)
    assert found.los == pytest.approx(0.99999056, abs=1e-8)
    assert found.width == pytest.approx(max(ends[1] - found.elo, found.elo - ends[0]))


@pytest.mark.parametrize(("seats", "games"), [(2, 301.779), (3, 201.186), (4, 167.655)])
def test_even_games_for_a_variance(seats: int, games: float) -> None:
    assert PlannedGames(150.0, seats).games_for(400.0) == pytest.approx(games, abs=0.001)


def test_deviations_of_a_plan() -> None:
    plan = PlannedGames(150.0, 3)
    assert plan.deviations(400.0, 0.75) == pytest.approx(3.035182, abs=1e-6)
    assert plan.deviations(0.5, 1.0) == pytest.approx(3.878528, abs=1e-6)
    assert plan.deviations(0.0, 1.0) == 0.0


@pytest.mark.parametrize(
    ("pairs", "bounds", "ratio"),
    [((6, 12, 54, 36, 19), (0, 20), 4.110540), ((26, 2020, 3981, 2051, 25), (0, 2), -0.385059)],
)
def test_likelihood_ratio_is_that_of_the_likeliest_distributions(
    pairs: tuple[int, ...], bounds: tuple[int, int], ratio: float
) -> None:
    """The published number, and each distribution by another way, a search on a grid."""
    scores = pair_scores(pairs)
    assert likelihood_ratio(scores, *bounds) == ratio
    total, logs = sum(pairs), []
    for elo in bounds:
        gaps = [score - expected_score(elo) for score in scores]
        # By duality the largest likelihood under the mean is the least of sums of log(1 + t gap), negated.
        logs.append(
            max(
                sum(n * math.log(1 + t / 4000 * gap) for n, gap in zip(pairs, gaps, strict=True))
                for t in range(-7200, 7201)
            )
        )
    assert logs[0] - logs[1] == pytest.approx(ratio, abs=2e-4 * total**0.5)


def test_sprt_ends_at_walds_bounds() -> None:
    test = SequentialTest(0, 20, 0.05, 0.05, sprt=True)
    assert test.needed == (2.944439, 2.944439)
    looks = [pair_scores((6, 12, 54, 36, 19))]
    assert test.evidence(looks) == (4.11054, -4.11054)
    assert test.evidence([]) == (0.0, -0.0)


def test_adaptive_bets_need_fewer_pairs_where_most_games_are_drawn() -> None:
    """At 95 % draws the variance of pairs is a twentieth of the usual one."""
    batch = pair_scores((0, 1, 60, 3, 0))
    needed_looks = {}
    for bets in (1, 2):
        test = SequentialTest(0, 5, bets=bets)
        looks = range(1, 60)
        needed_looks[bets] = next(n for n in looks if test.evidence([batch] * n)[0] >= test.needed[0])
    assert needed_looks[2] < 0.75 * needed_looks[1]


def test_bets_of_a_batch_depend_on_earlier_batches_only() -> None:
    """A stake that knew its own batch would not be a bet: two batches as one look are risked at one stake."""
    low, high = pair_scores((0, 2, 12, 2, 0)), pair_scores((8, 0, 0, 0, 8))
    test = SequentialTest(0, 20)
    assert test.evidence([low, high]) != test.evidence([high, low])
    assert test.evidence([low])[0] == test.evidence([low, {}])[0]
