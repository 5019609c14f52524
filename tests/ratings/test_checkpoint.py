"""A pool that was put away and taken out again is the same pool, to the last bit."""

import json
from typing import Any

import pytest

from tests.ratings.batch.pools import results_of
from tourney.ratings.checkpoint import freeze, settings_text, thaw
from tourney.ratings.trueskill_rating import Pool, Settings


@pytest.mark.parametrize("seats", [2, 3])
def test_a_pool_goes_on_as_if_it_had_never_stopped(seats: int) -> None:
    results = results_of(seats, 6, 30 * seats)
    whole = Pool.of(range(6)).after(results)
    half = Pool.of(range(6)).after(results[: 15 * seats])
    state = json.loads(json.dumps(freeze(half)))
    again = thaw(state, Settings(), range(6))
    assert again == half
    assert again is not None
    assert again.after_ordered(results[15 * seats :]) == whole
    assert thaw(freeze(Pool.of(range(6))), Settings(), range(6)) == Pool.of(range(6))


def test_who_joined_since_has_a_fresh_skill() -> None:
    pool = Pool.of(range(3)).after(results_of(2, 3, 10))
    again = thaw(freeze(pool), pool.settings, range(5))
    assert again is not None
    assert again.skills == {**Pool.of(range(5)).skills, **pool.skills}


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
def test_what_is_no_pool_of_these_entrants_is_nothing(state: Any) -> None:
    assert thaw(state, Settings(), range(3)) is None


def test_settings_are_told_apart() -> None:
    texts = {
        settings_text(Settings(), "loss"),
        settings_text(Settings(), "void"),
        settings_text(Settings(tau=0.1), "loss"),
        settings_text(Settings(draw_probability=0.2), "loss"),
    }
    assert len(texts) == 4
    assert max(map(len, texts)) <= 250
    longest = Settings(tau=1 / 3, draw_probability=0.12345678901234567)
    assert len(settings_text(longest, "void")) <= 250


def test_results_that_claim_an_order_must_have_it() -> None:
    results = results_of(2, 4, 10)
    with pytest.raises(ValueError, match="does not come after"):
        Pool.of(range(4)).after_ordered(reversed(results))
    assert Pool.of(range(4)).after(reversed(results)) == Pool.of(range(4)).after_ordered(results)
