"""Benching and the limit of faults depend on results in schedule order, not on completion order."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tourney.run.engine.bench_policy import (
    AHEAD,
    BATCH,
    PLAY,
    WAIT,
    BenchDecision,
    BenchPolicy,
    PlayOrder,
    last_deciding,
    stop_text,
)
from tourney.schedule.row import Row

Seats = tuple[int, int]
Faults = tuple[str | None, str | None]

START: Faults = ("startup", None)


def test_whole_batches_of_the_first_half_decide() -> None:
    rows = {1: 0, 8: 0, 15: 0, 16: 8, 17: 8, 32: 16, 64: 32, 257: 128, 265: 136}
    assert {number: last_deciding(number) for number in rows} == rows
    for number in range(1, 2000):
        limit = last_deciding(number)
        assert limit % BATCH == 0
        assert 0 <= limit < number
        assert limit <= last_deciding(number + 1)
        assert number - limit <= AHEAD + BATCH


def test_three_failed_starts_bench_an_entrant() -> None:
    policy = BenchPolicy()
    for number in (1, 3):
        policy.count(number, (5, 2), START)
    assert policy.decide(40, (5, 1), ()) == PLAY
    policy.count(8, (5, 4), START)
    assert policy.decide(15, (5, 1), ()) == PLAY
    assert policy.decide(16, (1, 5), ()) == BenchDecision("benched", 5, (1, 3, 8))
    assert policy.decide(16, (1, 2), ()) == PLAY


def test_other_faults_and_matches_without_any_start_bench_no_entrant() -> None:
    policy = BenchPolicy()
    for number in range(1, 9):
        policy.count(number, (0, 1), ("crash", None))
        policy.count(number, (4, 5), (None, None))
    for number in range(1, 8):
        policy.count(number, (2, 3), ("startup", "startup"))
    assert all(policy.decide(100, (a, b), ()) == PLAY for a, b in ((0, 1), (2, 3), (4, 5)))


def test_run_stops_if_no_bot_starts_in_the_first_batch() -> None:
    """Rows in play that could complete the batch are waited for; the stop names no match."""
    policy, dead = BenchPolicy(), ("startup", "startup")
    for number in range(1, 8):
        policy.count(number, (0, 1), dead)
    assert policy.decide(17, (0, 1), ()) == PLAY
    assert policy.decide(17, (0, 1), [(8, (0, 1))]) == WAIT
    policy.count(8, (0, 1), dead)
    assert [policy.decide(number, (0, 1), ()) for number in (15, 16)] == [PLAY, BenchDecision("stop")]
    assert stop_text(BenchDecision("stop")) == "no bot has started: stopping"


def test_row_waits_only_for_rows_that_could_bench_its_entrants() -> None:
    policy = BenchPolicy()
    policy.count(1, (5, 2), START)
    assert policy.decide(16, (5, 1), [(2, (5, 3))]) == PLAY  # two failed starts at most
    assert policy.decide(16, (5, 1), [(2, (5, 3)), (4, (6, 5))]) == WAIT
    assert policy.decide(16, (0, 1), [(2, (5, 3)), (4, (6, 5))]) == PLAY
    assert policy.decide(16, (5, 1), [(2, (5, 3)), (9, (6, 5))]) == PLAY  # 9 does not count for it


def test_fault_limit_counts_every_kind_and_waits_while_undecided() -> None:
    policy = BenchPolicy(max_faults=3)
    policy.count(2, (0, 1), ("crash", "timeout"))
    assert policy.decide(16, (2, 3), ()) == PLAY
    assert policy.decide(16, (2, 3), [(7, (4, 5))]) == WAIT
    policy.count(7, (4, 5), (None, "illegal"))
    assert policy.decide(15, (2, 3), ()) == PLAY
    assert policy.decide(16, (2, 3), ()) == BenchDecision("stop", matches=(8,))


ROWS = st.lists(
    st.tuples(
        st.tuples(st.integers(0, 3), st.integers(4, 6)),
        st.sampled_from([(None, None), ("startup", None), (None, "startup"), ("crash", None)]),
    ),
    min_size=1,
    max_size=60,
)


def decisions(
    rows: Sequence[tuple[Seats, Faults]], window: int, choices: Sequence[int], limit: int
) -> list[BenchDecision]:
    """Decide about rows with at most ``window`` in play, which end in an order that ``choices`` sets."""
    policy = BenchPolicy(limit)
    open_: list[int] = []
    found: list[BenchDecision] = []
    turn = 0
    while len(found) < len(rows):
        number = len(found) + 1
        decision = WAIT
        if len(open_) < window:
            decision = policy.decide(number, rows[number - 1][0], [(n, rows[n - 1][0]) for n in open_])
        if decision == WAIT:
            assert open_, "it waits for no result"
            ended = open_.pop(choices[turn % len(choices)] % len(open_))
            turn += 1
            policy.count(ended, *rows[ended - 1])
            continue
        found.append(decision)
        if decision.kind == "stop":
            break
        if decision.kind == "play":
            open_.append(number)
    return found


@given(ROWS, st.integers(1, 50), st.lists(st.integers(0, 99), min_size=1, max_size=9), st.integers(1, 12))
def test_completion_order_changes_no_decision(
    rows: list[tuple[Seats, Faults]], window: int, choices: list[int], limit: int
) -> None:
    assert decisions(rows, window, choices, limit) == decisions(rows, 1, [0], limit)


def rows_of(rounds: range, repeats: int = 3) -> list[tuple[int, Row]]:
    """Return numbered rows: in each round one pairing with some repeats."""
    rows = [Row(round_, 1, repeat, 1, (0, 1)) for round_ in rounds for repeat in range(1, repeats + 1)]
    return list(enumerate(rows, (rounds[0] - 1) * repeats + 1))


def test_breadth_first_plays_repeat_after_repeat() -> None:
    order = PlayOrder(breadth_first=True)
    rows = rows_of(range(1, 4))
    order.add(rows)
    assert [number for number, _ in order.sorted(rows)] == [1, 4, 7, 2, 5, 8, 3, 6, 9]
    assert [order.place(number) for number, _ in rows] == [1, 4, 7, 2, 5, 8, 3, 6, 9]
    assert all(order.number(order.place(number)) == number for number, _ in rows)


def test_places_stay_when_entrants_join() -> None:
    before, after = PlayOrder(breadth_first=True), PlayOrder(breadth_first=True, joined=[1, 4, 4])
    old, new = rows_of(range(1, 4)), rows_of(range(4, 6))
    before.add(old)
    after.add([*old, *new])
    assert all(before.place(number) == after.place(number) for number, _ in old)
    assert [number for number, _ in after.sorted([*old, *new])][9:] == [10, 13, 11, 14, 12, 15]


def test_old_tournaments_keep_the_order_of_numbers() -> None:
    order, rows = PlayOrder(), rows_of(range(1, 4))
    order.add(rows)
    assert order.sorted(rows) == rows
    assert [order.place(number) for number, _ in rows] == list(range(1, 10))


def test_benching_follows_the_order_of_play() -> None:
    order = PlayOrder(breadth_first=True)
    order.add(rows_of(range(1, 21)))
    policy = BenchPolicy(order=order)
    for number in (1, 4, 7):  # the first repeats of three rounds: places 1 to 3
        policy.count(number, (0, 1), START)
    first, late = order.number(15), order.number(16)
    assert policy.decide(first, (0, 1), ()) == PLAY
    assert policy.decide(late, (0, 1), ()) == BenchDecision("benched", 0, (1, 4, 7))
    assert late > first
