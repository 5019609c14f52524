"""TrueSkill agrees with the package where that works, and gives finite numbers elsewhere."""

import json
import math
from collections.abc import Iterable
from typing import Any, cast

import pytest
import trueskill
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ratings.pools import results_of
from tests.support.even_pools import EvenPool, even_pools, not_finite
from tourney.errors import UsageError
from tourney.ratings.method import Forfeits
from tourney.ratings.trueskill import (
    PACKAGE_TAU,
    Rater,
    Settings,
    Skill,
    SkillPool,
    TrueSkillMethod,
    TrueSkillRating,
    dump_pool,
    estimate_draw_probability,
    history,
    load_pool,
    share_ranks,
)
from tourney.schedule.row import MatchKey, ResultRow
from tourney.seeds import stream

DRAW = stream(20, "test-ratings")


def number(low: float, high: float) -> float:
    return low + (high - low) * DRAW(1 << 30) / (1 << 30)


def rate(
    results: Iterable[ResultRow],
    entrants: Iterable[int],
    settings: Settings | None = None,
    forfeits: Forfeits = "loss",
) -> tuple[TrueSkillRating, ...]:
    table = TrueSkillMethod(settings).rate(results, entrants, 2, forfeits)
    return cast("tuple[TrueSkillRating, ...]", table)


def pool_of_results(seats: int, entrants: int, matches: int) -> list[ResultRow]:
    sample = stream(seats, "pool")
    results = []
    for k in range(matches):
        shuffled = sorted((sample(1 << 40), number) for number in range(entrants))
        order = [number for _, number in shuffled[:seats]]
        strength = [sample(10) + entrant for entrant in order]
        ranks = tuple(1 + sum(other > mine for other in strength) for mine in strength)
        results.append(ResultRow(MatchKey(1 + k // 10, 1 + k % 10, 1, 1), tuple(order), ranks))
    return results


def package(
    results: list[ResultRow], entrants: int, environment: trueskill.TrueSkill
) -> list[trueskill.Rating]:
    skills = [environment.create_rating() for _ in range(entrants)]
    for result in results:
        seats = [seat for _, seat in sorted((n, seat) for seat, n in enumerate(result.entrants))]
        groups = [(skills[result.entrants[s]],) for s in seats]
        after = environment.rate(groups, ranks=[result.ranks[s] for s in seats])
        for seat, (skill,) in zip(seats, after, strict=True):
            skills[result.entrants[seat]] = skill
    return skills


@pytest.mark.slow
def test_two_seats_agree_with_the_package_on_10000_games() -> None:
    worst = 0.0
    for k in range(10_000):
        probability = (0.01, 0.1, 0.3, 0.7, 0.95)[k % 5]
        tau = (0.0, PACKAGE_TAU)[k // 5 % 2]
        drawn = k % 3 == 0
        a, b = (Skill(number(-5, 55), number(0.4, 9)) for _ in "ab")
        environment = trueskill.TrueSkill(tau=tau, draw_probability=probability)
        x, y = trueskill.rate_1vs1(
            trueskill.Rating(a.mu, a.sigma), trueskill.Rating(b.mu, b.sigma), drawn=drawn, env=environment
        )
        p, q = Rater(Settings(tau=tau, draw_probability=probability)).rate_two(a, b, drawn)
        worst = max(worst, abs(x.mu - p.mu), abs(x.sigma - p.sigma), abs(y.mu - q.mu), abs(y.sigma - q.sigma))
    assert worst < 1e-9


@pytest.mark.parametrize(("seats", "tau"), [(2, 0.0), (2, PACKAGE_TAU), (3, 0.0), (3, PACKAGE_TAU), (4, 0.0)])
def test_pool_agrees_with_the_package(seats: int, tau: float) -> None:
    results = pool_of_results(seats, 6, 60)
    assert any(len(set(r.ranks)) < seats for r in results), "the pool should hold ties"
    theirs = package(results, 6, trueskill.TrueSkill(tau=tau, draw_probability=0.2))
    for line in rate(results, range(6), Settings(tau=tau, draw_probability=0.2)):
        assert line.mu == round(theirs[line.entrant].mu, 3)
        assert line.sigma == round(theirs[line.entrant].sigma, 3)
        assert line.exposed == pytest.approx(line.mu - 3 * line.sigma, abs=1e-9)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_order_of_storage_does_not_matter(seats: int) -> None:
    results = pool_of_results(seats, 7, 50)
    table = rate(results, range(7))
    assert rate(reversed(results), range(7)) == table
    assert rate(results[25:] + results[:25], reversed(range(7))) == table


def test_ties_are_rated_in_entrant_order() -> None:
    before = (
        ResultRow(MatchKey(1, 1, 1, 1), (0, 1, 2, 3), (1, 2, 3, 4)),
        ResultRow(MatchKey(1, 2, 1, 1), (3, 0, 2, 1), (1, 3, 2, 4)),
    )
    seated = [
        ResultRow(MatchKey(2, 1, 1, 1), (0, 1, 2, 3), (2, 1, 2, 2)),
        ResultRow(MatchKey(2, 1, 1, 1), (3, 2, 1, 0), (2, 2, 1, 2)),
    ]
    tables = {rate([*before, result], range(4)) for result in seated}
    assert len(tables) == 1


@pytest.mark.parametrize("games", [1, 3, 30])
def test_losers_that_always_tie_share_a_rank(games: int) -> None:
    """The package separates them by the order of their seats, most at four seats with one winner."""
    results = [ResultRow(MatchKey(at, 1, 1, 1), (0, 1, 2, 3), (1, 2, 2, 2)) for at in range(games)]
    method = TrueSkillMethod(Settings(draw_probability=0.6667))
    lines = share_ranks(SkillPool.of(range(4), method.parameters).after(results).table(), 4)
    assert method.rate(results, range(4), 4) == lines
    assert {line.entrant: line.rank for line in lines} == {0: 1, 1: 2, 2: 2, 3: 2}
    assert len({line.mu for line in lines}) == 4
    apart = [TrueSkillRating(1, 0, 26.0, 1.0, 23.0, 9), TrueSkillRating(2, 1, 25.9, 1.0, 22.9, 9)]
    assert [line.rank for line in share_ranks(apart, 2)] == [1, 2]
    assert [line.rank for line in share_ranks(apart, 3)] == [1, 1]


@pytest.mark.parametrize("margin_of_favourite", [50.0, 400.0, 1e4, 1e7])
@pytest.mark.parametrize("ranks", [(1, 2), (2, 1), (1, 1)])
@pytest.mark.parametrize("probability", [0.0, 1e-9, 0.1, 0.999])
def test_extreme_favourites_have_finite_ratings(
    margin_of_favourite: float, ranks: tuple[int, int], probability: float
) -> None:
    rater = Rater(Settings(draw_probability=probability))
    skills = (Skill(25 + margin_of_favourite, 1.0), Skill(25, 1.0))
    by_graph = rater.rate_table(skills, ranks)
    a, b = skills if ranks[0] <= ranks[1] else skills[::-1]
    closed = rater.rate_two(a, b, ranks == (1, 1))
    if ranks == (2, 1):
        closed = closed[::-1]
    for before, one, other in zip(skills, by_graph, closed, strict=True):
        assert one.mu == pytest.approx(other.mu, rel=1e-6)
        assert one.sigma == pytest.approx(other.sigma, rel=1e-6)
        assert one.sigma <= before.sigma * (1 + 1e-9)
    if ranks == (1, 2):
        assert closed[0].mu >= skills[0].mu
    else:
        assert closed[0].mu < skills[0].mu


def test_package_itself_fails_in_far_tails() -> None:
    # The reason for the corrected hooks; this fails once a new version of the package does better.
    environment = trueskill.TrueSkill(tau=0)
    strong, weak = trueskill.Rating(425, 1), trueskill.Rating(25, 1)
    for first, second in ((strong, weak), (weak, strong)):
        with pytest.raises(FloatingPointError):
            trueskill.rate_1vs1(first, second, env=environment)
    never = trueskill.TrueSkill(tau=0, draw_probability=0)
    equal = trueskill.Rating(25, 25 / 3)
    grown, _ = trueskill.rate_1vs1(equal, equal, drawn=True, env=never)
    assert grown.sigma > equal.sigma


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_tie_never_increases_sigma(seats: int) -> None:
    for probability in (0.0, 1e-12, 1e-6, 1e-4, 1e-3, 0.01, 0.1):
        table = rate(
            [ResultRow(MatchKey(1, 1, 1, 1), tuple(range(seats)), (1,) * seats)],
            range(seats),
            Settings(draw_probability=probability),
        )
        assert all(line.sigma < 8.333 for line in table)
        assert all(line.mu == pytest.approx(25, abs=0.002) for line in table)


skill = st.builds(Skill, st.floats(-1000, 1000), st.floats(0.01, 20))


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(skill, st.integers(1, 4)), min_size=2, max_size=4),
    st.sampled_from([0.0, 1e-9, 0.02, 0.1, 0.9, 0.9999999]),
)
def test_skills_stay_finite_for_any_result(table: list[tuple[Skill, int]], probability: float) -> None:
    after = Rater(Settings(draw_probability=probability)).rate_table(
        tuple(s for s, _ in table), tuple(rank for _, rank in table)
    )
    for (before, _), result in zip(table, after, strict=True):
        assert math.isfinite(result.mu)
        assert 0 < result.sigma <= before.sigma * (1 + 1e-6)


@given(pool=even_pools())
def test_even_pools_have_finite_numbers(pool: EvenPool) -> None:
    for probability in (estimate_draw_probability(pool.results), 0.0, 0.9999):
        for tau in (0.0, PACKAGE_TAU):
            start = Settings(draw_probability=probability, tau=tau)
            table = SkillPool.of(range(pool.entrants), start).after(pool.results).table()
            assert list(not_finite(table)) == []


def test_void_and_forfeited_matches_can_be_left_out() -> None:
    won = ResultRow(MatchKey(1, 1, 1, 1), (0, 1), (1, 2))
    void = ResultRow(MatchKey(1, 1, 1, 2), (1, 0), (1, 1), ("startup", "startup"), void=True)
    fault = ResultRow(MatchKey(1, 1, 2, 1), (0, 1), (1, 2), (None, "crash"))
    alone = rate([won], range(2))
    assert rate([won, void], range(2)) == alone
    assert rate([won, void, fault], range(2), forfeits="void") == alone
    assert rate([won, void, fault], range(2)) != alone


def test_small_pools_are_rated() -> None:
    assert rate([], []) == ()
    (only,) = rate([], [0])
    assert only == (1, 0, 25.0, 8.333, round(25 - 3 * 8.333, 3), 0)
    first, second = rate([ResultRow(MatchKey(1, 1, 1, 1), (1, 0), (1, 2))], range(2))
    assert (first.entrant, first.rank, second.entrant, second.rank) == (1, 1, 0, 2)
    assert first.mu - 25 == pytest.approx(25 - second.mu)
    assert [line.rank for line in rate([], range(3))] == [1, 1, 1]


def test_rating_rises_with_every_win() -> None:
    results = [ResultRow(MatchKey(k, 1, 1, 1), (0, 1 + k % 3), (1, 2)) for k in range(1, 301)]
    exposed = [-math.inf]
    for _, pool in history(results, range(4)):
        (top,) = (line for line in pool.table() if line.entrant == 0)
        assert top.exposed >= exposed[-1]
        exposed.append(top.exposed)
    assert rate(results, range(4))[0].entrant == 0


def test_pool_continues_from_its_last_match() -> None:
    results = pool_of_results(3, 5, 40)
    whole = SkillPool.of(range(5)).after(results)
    halves = SkillPool.of(range(5)).after(results[:20]).after(results[20:])
    assert halves == whole
    rounds = list(history(results, range(5)))
    assert [round_ for round_, _ in rounds] == [1, 2, 3, 4]
    assert rounds[-1][1] == whole
    with pytest.raises(ValueError, match="does not come after"):
        whole.after(results[:1])


def test_impossible_results_are_refused() -> None:
    with pytest.raises(ValueError, match="not in the pool"):
        rate([ResultRow(MatchKey(1, 1, 1, 1), (0, 7), (1, 2))], range(2))
    for entrants, ranks in (((0, 0), (1, 2)), ((0, 1, 0), (1, 2, 3))):
        with pytest.raises(ValueError, match="twice"):
            rate([ResultRow(MatchKey(1, 1, 1, 1), entrants, ranks)], range(2))


@pytest.mark.parametrize(
    "wrong",
    [
        {"sigma": 0.0},
        {"beta": -1.0},
        {"tau": -0.1},
        {"tau": 1e7},
        {"draw_probability": 1.0},
        {"draw_probability": -0.1},
        {"mu": math.nan},
        {"sigma": math.inf},
    ],
)
def test_meaningless_settings_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=next(iter(wrong)).replace("_", " ")):
        Settings(**wrong)


@pytest.mark.parametrize("seats", [2, 4])
def test_largest_tau_gives_finite_numbers(seats: int) -> None:
    """Skills that move without bounds keep finite numbers."""
    results = [
        ResultRow(MatchKey(1, 1, k, 1), tuple((k + s) % 5 for s in range(seats)), tuple(range(1, seats + 1)))
        for k in range(1, 101)
    ]
    for line in rate(results, range(5), Settings(tau=1e6)):
        assert math.isfinite(line.mu)
        assert 1e5 < line.sigma < 1e8


@pytest.mark.parametrize("seats", [2, 3])
def test_restored_pool_equals_one_that_never_stopped(seats: int) -> None:
    results = results_of(seats, 6, 30 * seats)
    whole = SkillPool.of(range(6)).after(results)
    half = SkillPool.of(range(6)).after(results[: 15 * seats])
    state = json.loads(json.dumps(dump_pool(half)))
    again = load_pool(state, Settings(), range(6))
    assert again == half
    assert again is not None
    assert again.after(results[15 * seats :]) == whole
    assert load_pool(dump_pool(SkillPool.of(range(6))), Settings(), range(6)) == SkillPool.of(range(6))


def test_new_entrant_has_the_initial_skill() -> None:
    pool = SkillPool.of(range(3)).after(results_of(2, 3, 10))
    again = load_pool(dump_pool(pool), pool.settings, range(5))
    assert again is not None
    assert again.skills == {**SkillPool.of(range(5)).skills, **pool.skills}


@pytest.mark.parametrize(
    "state",
    [
        None,
        [],
        {},
        {"skills": [[0, "0x1p0"]], "last": None},
        {"skills": [[0, "x", "y", 1]], "last": None},
        {"skills": [[0, "0x1p0", "0x1p0", 1]], "last": [1, 2]},
        {"skills": [[9, "0x1p0", "0x1p0", 1]], "last": None},
    ],
)
def test_malformed_checkpoint_gives_none(state: Any) -> None:
    assert load_pool(state, Settings(), range(3)) is None


def test_different_settings_have_different_texts() -> None:
    texts = {
        TrueSkillMethod(Settings()).key("loss"),
        TrueSkillMethod(Settings()).key("void"),
        TrueSkillMethod(Settings(tau=0.1)).key("loss"),
        TrueSkillMethod(Settings(draw_probability=0.2)).key("loss"),
    }
    assert len(texts) == 4
    assert max(map(len, texts)) <= 250
    longest = Settings(tau=1 / 3, draw_probability=0.12345678901234567)
    assert len(TrueSkillMethod(longest).key("void")) <= 250


def test_unordered_results_are_refused() -> None:
    results = results_of(2, 4, 10)
    with pytest.raises(ValueError, match="does not come after"):
        SkillPool.of(range(4)).after(reversed(results))
    assert rate(reversed(results), range(4)) == SkillPool.of(range(4)).after(results).table()
