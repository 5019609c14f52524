"""Time management never uses up a limit."""

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.bot import allot
from tourney.bot.search import DEFAULT_NODES, Budget
from tourney.bot.turn import RESERVE_MS


class Limits(NamedTuple):
    """The limits of a turn."""

    seat: int = 1
    move_ms: int | None = None
    clocks: tuple[int, ...] = ()
    increment_ms: int = 0


def test_no_limit_gives_none() -> None:
    assert allot(Limits()) is None


@pytest.mark.parametrize(
    ("limits", "share"),
    [
        (Limits(move_ms=1_000), 834),
        (Limits(move_ms=240), 190),
        (Limits(move_ms=RESERVE_MS), 0),
        (Limits(move_ms=1), 0),
        (Limits(clocks=(60_000, 1)), 1_666),
        (Limits(seat=2, clocks=(1, 60_000)), 1_666),
        (Limits(clocks=(60_000, 60_000), increment_ms=1_000), 2_416),
        (Limits(clocks=(1_000, 1_000), increment_ms=60_000), 500),
        (Limits(clocks=(60, 60)), 0),
        (Limits(clocks=(60, 60), increment_ms=1_000), 10),
        (Limits(clocks=(0, 0), increment_ms=1_000), 0),
        (Limits(clocks=(-5, 0), increment_ms=1_000), 0),
        (Limits(move_ms=100, clocks=(60_000, 60_000)), 50),
    ],
)
def test_share_of_limits(limits: Limits, share: int) -> None:
    assert allot(limits) == share


@given(
    move=st.none() | st.integers(0, 10**7),
    clock=st.integers(-100, 10**8),
    increment=st.integers(0, 10**6),
    left=st.integers(1, 200),
)
def test_share_stays_below_every_limit(move: int | None, clock: int, increment: int, left: int) -> None:
    """The reserve remains of the clock and of the move limit, and never less than half of the clock."""
    share = allot(Limits(1, move, (clock,), increment), left)
    assert share is not None
    assert share >= 0
    assert share == 0 or share <= clock - RESERVE_MS
    assert 2 * share <= max(clock, 0)
    assert move is None or share == 0 or share <= move - RESERVE_MS


def test_clock_lasts_for_many_turns() -> None:
    """Each turn takes its share and 20 ms more; after 500 the clock still runs."""
    clock = 60_000
    for _ in range(500):
        share = allot(Limits(clocks=(clock, 1), increment_ms=25))
        assert share is not None
        clock += 25 - share - 20
        assert clock > 0


def test_actions_left_must_be_positive() -> None:
    with pytest.raises(ValueError, match="actions_left is 0"):
        allot(Limits(clocks=(5, 5)), 0)


class _Turn(NamedTuple):
    """What a budget reads of a turn."""

    nodes: int | None
    seat: int = 1
    move_ms: int | None = 240
    clocks: tuple[int, ...] = ()
    increment_ms: int = 0

    def elapsed_ms(self) -> int:
        return 200


def test_budget_prefers_argument_then_tournament_then_clock() -> None:
    def spent(budget: Budget) -> int:
        while budget.spent < 5_000 and budget.spend():
            pass
        return budget.spent

    assert spent(Budget.of(_Turn(7), 3)) == 3
    assert spent(Budget.of(_Turn(7))) == 7
    assert spent(Budget.of(_Turn(None))) == 0
    assert spent(Budget.of(_Turn(None, move_ms=320))) == 5_000
    assert spent(Budget.of(_Turn(None, move_ms=None))) == DEFAULT_NODES


def test_budget_needs_a_limit() -> None:
    with pytest.raises(ValueError, match="a number of nodes or a deadline"):
        Budget()
