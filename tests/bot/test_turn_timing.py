"""Time management never uses up a limit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.bot import allot
from tourney.bot.search import DEFAULT_NODES, Budget
from tourney.bot.turn import RESERVE_MS, Match, Turn
from tourney.protocol import Go, NewGame


def turn(
    seat: int = 1,
    move_ms: int | None = None,
    clocks: tuple[int, ...] = (),
    increment_ms: int = 0,
    nodes: int | None = None,
) -> Turn:
    """A turn with these limits, 200 ms after its start."""
    match = Match(NewGame("sages-tafl", 2, seat, 7))
    now = iter([0.0, *[0.2] * 5_001])
    return Turn(match, Go(move_ms, clocks, increment_ms, nodes), None, None, print, lambda: next(now))


def test_no_limit_gives_none() -> None:
    assert allot(turn()) is None


@pytest.mark.parametrize(
    ("limited", "share"),
    [
        (turn(move_ms=1_000), 834),
        (turn(move_ms=240), 190),
        (turn(move_ms=RESERVE_MS), 0),
        (turn(move_ms=1), 0),
        (turn(clocks=(60_000, 1)), 1_666),
        (turn(seat=2, clocks=(1, 60_000)), 1_666),
        (turn(clocks=(60_000, 60_000), increment_ms=1_000), 2_416),
        (turn(clocks=(1_000, 1_000), increment_ms=60_000), 500),
        (turn(clocks=(60, 60)), 0),
        (turn(clocks=(60, 60), increment_ms=1_000), 10),
        (turn(clocks=(0, 0), increment_ms=1_000), 0),
        (turn(clocks=(-5, 0), increment_ms=1_000), 0),
        (turn(move_ms=100, clocks=(60_000, 60_000)), 50),
    ],
)
def test_share_of_limits(limited: Turn, share: int) -> None:
    assert allot(limited) == share


@given(
    move=st.none() | st.integers(0, 10**7),
    clock=st.integers(-100, 10**8),
    increment=st.integers(0, 10**6),
    left=st.integers(1, 200),
)
def test_share_stays_below_every_limit(move: int | None, clock: int, increment: int, left: int) -> None:
    """The reserve remains of the clock and of the move limit, and never less than half of the clock."""
    share = allot(turn(1, move, (clock,), increment), left)
    assert share is not None
    assert share >= 0
    assert share == 0 or share <= clock - RESERVE_MS
    assert 2 * share <= max(clock, 0)
    assert move is None or share == 0 or share <= move - RESERVE_MS


def test_clock_lasts_for_many_turns() -> None:
    """Each turn takes its share and 20 ms more; after 500 the clock still runs."""
    clock = 60_000
    for _ in range(500):
        share = allot(turn(clocks=(clock, 1), increment_ms=25))
        assert share is not None
        clock += 25 - share - 20
        assert clock > 0


def test_actions_left_must_be_positive() -> None:
    with pytest.raises(ValueError, match="actions_left is 0"):
        allot(turn(clocks=(5, 5)), 0)


def test_budget_prefers_argument_then_tournament_then_clock() -> None:
    def spent(budget: Budget) -> int:
        while budget.spent < 5_000 and budget.spend():
            pass
        return budget.spent

    assert spent(Budget.of(turn(move_ms=240, nodes=7), 3)) == 3
    assert spent(Budget.of(turn(move_ms=240, nodes=7))) == 7
    assert spent(Budget.of(turn(move_ms=240))) == 0
    assert spent(Budget.of(turn(move_ms=320))) == 5_000
    assert spent(Budget.of(turn())) == DEFAULT_NODES


def test_budget_needs_a_limit() -> None:
    with pytest.raises(ValueError, match="a number of nodes or a deadline"):
        Budget()
