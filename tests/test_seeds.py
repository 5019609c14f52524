"""Both ways to derive seeds give the documented values."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.seeds import MAX_SEED, U64, chance_stream, derive, deriver, pick, uniform


@given(st.integers(0, MAX_SEED), st.integers(0, 10**6))
def test_deriver_gives_the_same_as_derive(seed: int, k: int) -> None:
    """The fast function for many k agrees with the plain one and with the definition."""
    text = f"{seed}/chance/{k}".encode("ascii")
    defined = int.from_bytes(hashlib.blake2b(text, digest_size=8, key=b"tourney-seed-1").digest(), "big")
    assert derive(seed, "chance", k) == deriver(seed, "chance")(k) == chance_stream(seed)(k) == defined


def test_deriver_refuses_what_derive_refuses() -> None:
    with pytest.raises(ValueError, match="not in"):
        deriver(-1, "chance")
    with pytest.raises(ValueError, match="not in"):
        deriver(MAX_SEED + 1, "chance")
    with pytest.raises(ValueError, match="does not match"):
        deriver(1, "a/b")


@given(st.integers(0, U64 - 1), st.lists(st.integers(0, 9), min_size=1, max_size=12).filter(any))
def test_chance_takes_first_outcome_whose_sum_exceeds_the_number(u: int, weights: list[int]) -> None:
    outcomes = list(range(len(weights)))
    r = uniform(u, sum(weights))
    assert pick(u, outcomes, weights) == next(k for k in outcomes if sum(weights[: k + 1]) > r)


@pytest.mark.parametrize("weights", [(), (0, 0), (1, 2, 3), (1,)])
def test_chance_refuses_bad_weights(weights: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="chance has no outcome"):
        pick(0, ("a", "b"), weights)
