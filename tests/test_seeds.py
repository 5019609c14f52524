"""Both ways to derive seeds give the documented values."""

import hashlib
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.seeds import (
    MAX_SEED,
    U64,
    chance_stream,
    derive,
    deriver,
    match_seed,
    pick,
    seat_orders,
    stream,
    uniform,
)


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


def test_chance_spreads_over_all_outcomes() -> None:
    eighths = [pick(k * (U64 // 8), "abc", (1, 5, 2)) for k in range(8)]
    assert "".join(eighths) == "abbbbbcc"


@pytest.mark.parametrize("weights", [(), (0, 0), (1, 2, 3), (1,)])
def test_chance_refuses_bad_weights(weights: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="chance has no outcome"):
        pick(0, ("a", "b"), weights)


def test_ranges_are_those_of_the_protocol() -> None:
    """64 bits for a match, 256 for a tournament."""
    assert U64 == 18_446_744_073_709_551_616
    assert int("f" * 64, 16) == MAX_SEED
    assert derive(MAX_SEED, "match") < U64


@pytest.mark.parametrize(
    ("u", "total", "value"),
    [(0, 6, 0), (U64 - 1, 6, 5), (U64 // 2, 6, 3), (U64 // 2 - 1, 6, 2), (U64 // 3 + 1, 3, 1), (5, 1, 0)],
)
def test_uniform_maps_equal_parts(u: int, total: int, value: int) -> None:
    assert uniform(u, total) == value


def test_stream_takes_one_number_after_the_other() -> None:
    below = stream(7, "opening", 2)
    assert [below(1000) for _ in range(5)] == [uniform(derive(7, "opening", 2, k), 1000) for k in range(5)]


def test_match_seed_is_shared_by_a_group_unless_the_order_counts() -> None:
    assert match_seed(9, 1, 2, 3) == derive(9, "match", 1, 2, 3)
    assert match_seed(9, 1, 2, 3, 4) == derive(9, "match", 1, 2, 3, 4)


def test_groups_of_two_and_three_seats_have_all_orders() -> None:
    assert seat_orders(2, 1) == ((0, 1), (1, 0))
    assert seat_orders(3, 5) == ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))


def test_six_groups_of_four_seats_have_all_orders() -> None:
    firsts = [seat_orders(4, repeat)[0] for repeat in range(1, 14)]
    assert firsts == [
        (0, 1, 2, 3),
        (0, 1, 3, 2),
        (0, 2, 1, 3),
        (0, 2, 3, 1),
        (0, 3, 1, 2),
        (0, 3, 2, 1),
    ] * 2 + [(0, 1, 2, 3)]
    assert seat_orders(4, 2) == ((0, 1, 3, 2), (1, 3, 2, 0), (3, 2, 0, 1), (2, 0, 1, 3))
    assert {order for repeat in range(1, 7) for order in seat_orders(4, repeat)} == {*permutations(range(4))}


def test_five_seats_have_no_orders() -> None:
    with pytest.raises(ValueError, match="2 to 4 seats, not 5"):
        seat_orders(5, 1)
