"""The adaptive format: budget, target sigma and estimates."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.schedules import check_rows, pairings, play_out, results, setup, truth
from tourney.errors import TournamentError
from tourney.schedule.adaptive import UNKNOWN, Adaptive, estimate, information, participants_of
from tourney.schedule.format import History, Participant
from tourney.schedule.round_robin import Gauntlet
from tourney.schedule.row import ResultRow, Row

ADAPTIVE = Adaptive()


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 9), st.integers(2, 60), st.integers(1, 5), st.integers(2, 4), st.integers(0, 2**64 - 1))
def test_budget_holds_and_batches_have_one_size(
    count: int, budget: int, batch: int, seats: int, seed: int
) -> None:
    count = max(count, seats)
    plan = setup(count, seats, budget=budget, batch=batch, seed=seed)
    if budget < plan.games:
        with pytest.raises(
            TournamentError, match=f"budget is {budget}, but a pairing has {plan.games} matches"
        ):
            ADAPTIVE.check(plan)
        return
    played = play_out(ADAPTIVE, plan, truth(count, seed))[-1]
    check_rows(played.rows, once_a_round=False)
    assert budget - plan.games < len(played.rows) <= budget
    sizes = Counter(round_ for round_, _ in pairings(played.rows))
    assert all(sizes[round_] == batch for round_ in range(1, played.rounds))
    assert 1 <= sizes[played.rounds] <= batch


@pytest.mark.parametrize("target", [120, 60])
def test_tournament_ends_at_target_sigma(target: int) -> None:
    plan = setup(8, target_sigma=target)
    histories = play_out(ADAPTIVE, plan, truth(8))
    last = histories[-1]
    sure = [estimate(participants_of(plan), h.results, 2).deviation for h in histories]
    assert max(sure[-1]) <= 100 * target
    # The last pairing step knew all but the last batch; the step before knew too little.
    assert max(estimate(participants_of(plan), known(histories[-2], 1), 2).deviation) > 100 * target
    assert max(estimate(participants_of(plan), known(last, 1), 2).deviation) <= 100 * target


def test_entrant_at_target_meets_only_others() -> None:
    """Each pairing has an entrant whose known rating was still above the target sigma."""
    plan = setup(9, target_sigma=90, batch=3)
    for before, after in pairwise(play_out(ADAPTIVE, plan, truth(9))):
        deviation = estimate(participants_of(plan), known(before, 1), 2).deviation
        for round_, pair in pairings(after.rows):
            if round_ > before.rounds:
                assert max(deviation[number] for number in pair) > 9000


def known(history: History, lag: int) -> tuple[ResultRow, ...]:
    return tuple(r for r in history.results if r.key.round <= history.rounds - lag)


def test_new_bot_is_placed_with_fewer_matches_than_by_gauntlet() -> None:
    """A placed bot's rating has the target sigma. The gauntlet meets near and far opponents alike."""
    strengths = [60 * k for k in range(20)] + [500]
    plan = setup(20, target_sigma=60, batch=4)
    pool = play_out(ADAPTIVE, plan, strengths)[-1]
    joined = replace(plan, participants=(*plan.participants, Participant(20, "new", joined=pool.rounds + 1)))
    history = pool
    while len(rows := ADAPTIVE.next_rounds(joined, History(history.rows, known(history, 1))).rows):
        history = History((*history.rows, *rows), (*history.results, *results(rows, strengths)))
    added = history.results[len(pool.results) :]
    assert sum(20 in r.entrants for r in added) > 0.8 * len(added)
    rows = Gauntlet().next_rounds(replace(joined, extra=(("challengers", "new"),)), History()).rows
    again = [replace(row, round=row.round + 1000 * k) for k in range(1, 9) for row in rows]

    def placed_after(sequence: Iterable[ResultRow]) -> int:
        so_far, count = pool.results, 0
        for r in sequence:
            so_far, count = [*so_far, r], count + 1
            if estimate(joined.participants, so_far, 2).deviation[20] <= 6000:
                return count
        raise AssertionError("it was never placed")

    assert placed_after(added) < 0.8 * placed_after(results(again, strengths))


def test_information_grows_with_closeness_and_matches() -> None:
    assert information(2, 2, 0) > information(2, 2, 10_000) > information(2, 2, 40_000) > 0
    assert information(2, 2, 7000) == pytest.approx(information(2, 2, -7000))
    assert information(4, 2, 0) == pytest.approx(2 * information(2, 2, 0))


def row(key: int, *seats: int) -> Row:
    return Row(1, key, 1, 1, seats)


def test_entrants_without_results_have_equal_ratings() -> None:
    strengths = estimate([Participant(0), Participant(1), Participant(2)], (), 2)
    assert strengths.rating == (0, 0, 0)
    assert len(set(strengths.deviation)) == 1
    assert strengths.deviation[0] == round(UNKNOWN * (2 / 3) ** 0.5)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 8), st.integers(2, 4), st.integers(0, 60), st.integers(0, 2**64 - 1))
def test_estimate_maximises_the_posterior(count: int, seats: int, matches: int, seed: int) -> None:
    """A step in any direction makes the results less probable."""
    import math

    from tourney.seeds import stream

    count = max(count, seats)
    sample = stream(seed)
    found = []
    for key in range(matches):
        left = list(range(count))
        group = tuple(left.pop(sample(len(left))) for _ in range(seats))
        form = [sample(3) for _ in group]
        ranks = tuple(1 + sum(other > mine for other in form) for mine in form)
        found.append((row(key + 1, *group)).result(ranks, (None,) * seats, void=sample(9) == 0))
    participants = [Participant(number) for number in range(count)]
    strengths = estimate(participants, found, seats)
    mean = strengths.mean.tolist()

    def log(at: list[float]) -> float:
        total = -sum((100 * value / UNKNOWN) ** 2 / 2 for value in at)
        for result in found:
            for i in range(seats):
                for j in range(seats):
                    if i != j and not result.void and result.ranks[i] <= result.ranks[j]:
                        weight = 2 / seats * (0.5 if result.ranks[i] == result.ranks[j] else 1)
                        gap = at[result.entrants[i]] - at[result.entrants[j]]
                        total -= weight * math.log1p(10 ** (-gap / 400))
        return total

    best = log(mean)
    for k in range(count):
        for step in (-2.0, 2.0):
            assert log([*mean[:k], mean[k] + step, *mean[k + 1 :]]) < best
    assert abs(sum(strengths.rating)) <= count


def test_earlier_ratings_count_only_when_seeded_by_rating() -> None:
    plan = setup(3, budget=10)
    participants = tuple(replace(p, rating=10_000 * p.number, deviation=2000) for p in plan.participants)
    asked = replace(plan, participants=participants, extra=(("budget", 10), ("seeding", "rating")))
    assert estimate(participants_of(asked), (), 2).rating == (-10_000, 0, 10_000)
    assert estimate(participants_of(replace(plan, participants=participants)), (), 2).rating == (0, 0, 0)


def test_standings_rank_by_rating() -> None:
    plan = setup(4, budget=40)
    played = play_out(ADAPTIVE, plan, [0, 900, 300, 600])[-1]
    lines = ADAPTIVE.table(plan, played)
    assert [line.number for line in lines] == [1, 3, 2, 0]
    ratings = [dict(line.values)["rating"] for line in lines]
    assert ratings == sorted(ratings, reverse=True)  # type: ignore[type-var]  # none of them is None
    assert all(0 < (dict(line.values)["sigma"] or 0) < 350 for line in lines)


@pytest.mark.parametrize(
    ("count", "extra", "sentence"),
    [
        (1, {"budget": 9}, "at least 2 entrants, not 1"),
        (3, {}, "needs budget"),
        (3, {"budget": 1}, "budget is 1, but a pairing has 2 matches: set budget higher"),
        (1001, {"budget": 9}, "takes at most 1000 entrants, not 1001"),
    ],
)
def test_impossible_tournament_is_refused(count: int, extra: dict[str, int], sentence: str) -> None:
    with pytest.raises(TournamentError) as caught:
        ADAPTIVE.check(setup(count, **extra))
    assert sentence in str(caught.value)
