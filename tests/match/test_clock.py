"""Arithmetic of the clocks, in whole nanoseconds."""

from hypothesis import given
from hypothesis import strategies as st

from tourney.match.clock import MS, NO_LIMIT_MS, Clocks
from tourney.match.spec import Limits


def test_move_limit_is_the_same_every_turn() -> None:
    """The margin is granted but not shown, and used time does not carry over."""
    clocks = Clocks(Limits(move_ms=100, margin_ms=20, nodes=5), 2)
    for _ in range(3):
        assert clocks.allowance(1) == 120 * MS
        assert clocks.go() == b"go move=100 nodes=5\n"
        clocks.spend(1, 110 * MS)


def test_clock_runs_down_and_gains_increment_after_each_action() -> None:
    """Each seat has its own clock; all are shown in milliseconds, rounded down."""
    clocks = Clocks(Limits(move_ms=None, clock_ms=1000, increment_ms=50, margin_ms=10), 3)
    assert clocks.go() == b"go clocks=1000,1000,1000 inc=50\n"
    assert clocks.allowance(2) == 1010 * MS
    clocks.spend(2, 300 * MS + 1)
    assert clocks.go() == b"go clocks=1000,749,1000 inc=50\n"
    assert clocks.allowance(2) == 760 * MS - 1
    assert clocks.allowance(3) == 1010 * MS


def test_clock_may_rise_above_its_start() -> None:
    """A seat that moves at once gains the increment."""
    clocks = Clocks(Limits(move_ms=None, clock_ms=100, increment_ms=50), 2)
    clocks.spend(1, 0)
    assert clocks.go() == b"go clocks=150,100 inc=50\n"


def test_used_margin_is_no_debt() -> None:
    """An answer within the margin empties the clock and does no more."""
    clocks = Clocks(Limits(move_ms=None, clock_ms=100, increment_ms=30, margin_ms=50), 2)
    clocks.spend(1, 149 * MS)
    assert clocks.go() == b"go clocks=30,100 inc=30\n"
    clocks.spend(1, 80 * MS)
    assert clocks.go() == b"go clocks=30,100 inc=30\n"


def test_tighter_of_both_limits_applies() -> None:
    """The move limit and the clock both bound a turn."""
    clocks = Clocks(Limits(move_ms=400, clock_ms=1000, margin_ms=0), 2)
    assert clocks.go() == b"go move=400 clocks=1000,1000 inc=0\n"
    assert clocks.allowance(1) == 400 * MS
    clocks.spend(1, 700 * MS)
    assert clocks.allowance(1) == 300 * MS


def test_without_limits_a_turn_still_ends() -> None:
    """A hanging bot cannot block a tournament."""
    clocks = Clocks(Limits(move_ms=None, margin_ms=0), 2)
    assert clocks.go() == b"go\n"
    assert clocks.allowance(1) == NO_LIMIT_MS * MS


@given(st.integers(1, 10**7), st.integers(0, 10**5), st.lists(st.integers(0, 10**13)))
def test_clock_is_never_negative(start: int, increment: int, turns: list[int]) -> None:
    """The remaining time is exact, and never below the increment."""
    clocks = Clocks(Limits(move_ms=None, clock_ms=start, increment_ms=increment, margin_ms=0), 1)
    left = start * MS
    for spent in turns:
        clocks.spend(1, spent)
        left = max(0, left - spent) + increment * MS
        assert clocks.go() == b"go clocks=%d inc=%d\n" % (left // MS, increment)
        assert clocks.allowance(1) == min(left, NO_LIMIT_MS * MS)
