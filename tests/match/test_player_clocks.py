"""Arithmetic of the clocks, in whole nanoseconds."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.match.player import MS, NO_LIMIT_MS, Clocks
from tourney.match.spec import EntrantLimits, Limits, OwnLimits
from tourney.protocol import Go
from tourney.schema import SchemaError


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


def test_used_margin_is_a_debt_paid_by_increments() -> None:
    """A clock in debt shows 0, and its margin is smaller by the debt until increments have paid it."""
    clocks = Clocks(Limits(move_ms=None, clock_ms=100, increment_ms=10, margin_ms=50), 2)
    clocks.spend(1, 149 * MS)
    assert clocks.go() == b"go clocks=0,100 inc=10\n"
    assert clocks.allowance(1) == 11 * MS
    for left in (21, 31, 41, 51):
        clocks.spend(1, 0)
        assert clocks.allowance(1) == left * MS
    assert clocks.go() == b"go clocks=1,100 inc=10\n"


def test_margin_is_granted_once_a_match_not_a_move() -> None:
    """With 2,000 ms, no increment and a margin of 50, turns of 40 ms end at 2,050 ms."""
    clocks = Clocks(Limits(move_ms=None, clock_ms=2000, margin_ms=50), 2)
    spent = turns = 0
    while allowance := clocks.allowance(1):
        took = min(40 * MS, allowance)
        clocks.spend(1, took)
        spent += took
        turns += 1
    assert (spent, turns) == (2050 * MS, 52)
    assert clocks.go() == b"go clocks=0,2000 inc=0\n"


def test_move_limit_has_its_margin_beside_a_clock() -> None:
    """The margin of an action is used again each turn, as long as the clock has time."""
    clocks = Clocks(Limits(move_ms=20, clock_ms=100, margin_ms=50), 1)
    seen = []
    while allowance := clocks.allowance(1):
        seen.append(allowance // MS)
        clocks.spend(1, allowance)
    assert seen == [70, 70, 10]


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


@given(st.integers(1, 10**7), st.integers(0, 10**5), st.integers(0, 60_000), st.lists(st.integers(0, 10**13)))
def test_time_taken_never_exceeds_clock_increments_and_margin(
    start: int, increment: int, margin: int, turns: list[int]
) -> None:
    """The remaining time is exact; turns within their allowances never add up to more than was granted."""
    clocks = Clocks(Limits(move_ms=None, clock_ms=start, increment_ms=increment, margin_ms=margin), 1)
    taken = 0
    for number, spent in enumerate(turns):
        granted = (start + number * increment) * MS
        allowance = min(granted - taken, NO_LIMIT_MS * MS) + margin * MS
        assert clocks.allowance(1) == allowance
        assert clocks.go() == b"go clocks=%d inc=%d\n" % (max(0, (granted - taken) // MS), increment)
        taken += min(spent, granted - taken + margin * MS)
        clocks.spend(1, spent)
        assert taken <= granted + margin * MS


@pytest.mark.parametrize("seats", [1, 2, 4])
@pytest.mark.parametrize("move", [None, 10])
def test_go_line_is_that_of_the_message(seats: int, move: int | None) -> None:
    """It is put together from parts, since it is asked for once a move."""
    limits = Limits(move_ms=move, clock_ms=70, increment_ms=3, margin_ms=50, nodes=5)
    clocks = Clocks(limits, seats)
    for spent in (0, 1, 20, 69, 120):
        shown = [max(0, left // MS) for left in clocks.left or ()]
        assert clocks.go() == Go(move, shown, 3, 5).encode()
        clocks.spend(seats, spent * MS)


def test_clock_gets_its_time_again_after_its_moves() -> None:
    """40/60 of cutechess: what is left stays, and the next moves are counted."""
    clocks = Clocks(Limits(move_ms=None, clock_ms=1000, increment_ms=10, clock_moves=2, margin_ms=0), 2)
    assert clocks.go(1) == b"go clocks=1000,1000 inc=10 moves=2\n"
    clocks.spend(1, 400 * MS)
    assert clocks.go(1) == b"go clocks=610,1000 inc=10 moves=1\n"
    assert clocks.go(2) == b"go clocks=610,1000 inc=10 moves=2\n"
    clocks.spend(1, 20 * MS)
    assert clocks.go(1) == b"go clocks=1600,1000 inc=10 moves=2\n"
    assert clocks.allowance(1) == 1600 * MS


def test_seats_have_limits_of_their_own() -> None:
    """A seat with a clock sees the time of an action of one without."""
    own = (
        EntrantLimits(entrant="clock", clock_ms=9000, increment_ms=100),
        EntrantLimits(entrant="deep", depth=5),
        EntrantLimits(entrant="nodes", nodes=70),
    )
    limits = Limits(move_ms=200, margin_ms=0, nodes=50, entrants=own)
    clocks = Clocks(limits, 4, ["clock", "deep", "nodes", "other"])
    assert not clocks.steady
    assert [clocks.go(seat) for seat in (1, 2, 3, 4)] == [
        b"go clocks=9000,200,200,200 inc=100 nodes=50\n",
        b"go move=200 nodes=50 depth=5\n",
        b"go move=200 nodes=70\n",
        b"go move=200 nodes=50\n",
    ]
    clocks.spend(1, 1000 * MS)
    clocks.spend(2, 150 * MS)
    assert clocks.left == (8100 * MS, *[200 * MS] * 3)
    assert [clocks.allowance(seat) // MS for seat in (1, 2)] == [8100, 200]


def test_time_of_its_own_replaces_all_time() -> None:
    limits = Limits(move_ms=None, clock_ms=9000, clock_moves=40, nodes=5)
    own = EntrantLimits(entrant="a", move_ms=100)
    both = Limits(move_ms=None, clock_ms=9000, clock_moves=40, nodes=5, entrants=(own,))
    assert both.of("a") == Limits(move_ms=100, nodes=5)
    assert both.of("b") == limits


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (OwnLimits, "sets no limit"),
        (lambda: OwnLimits(move_ms=5, clock_moves=40), "clock-moves is set without clock-ms"),
        (lambda: OwnLimits(depth=5, increment_ms=4), "increment-ms is set without clock-ms"),
        (lambda: Limits(move_ms=5, clock_moves=40), "clock-moves is set without clock-ms"),
        (lambda: Limits(entrants=2 * (EntrantLimits(entrant="a", depth=5),)), "name each once"),
    ],
)
def test_limits_that_do_not_go_together_are_refused(make: Callable[[], object], why: str) -> None:
    with pytest.raises(SchemaError, match=why):
        make()
