"""Rows are played before they are decided; the results that count are as if all had waited."""

import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.run.engine.test_bench_policy import START, Faults, decisions
from tests.support.coordination import Play
from tests.support.executors import BackwardsExecutor, ShuffledExecutor
from tests.support.tournaments import answer, begin, digests, entrant, in_order_of_play, played
from tourney.errors import WorkerError
from tourney.match.spec import MatchSpec
from tourney.run.engine.bench_policy import PLAY, WAIT, BenchDecision, BenchPolicy
from tourney.run.engine.coordinator import Coordinator
from tourney.run.engine.run_control import RunControl
from tourney.run.summary import End
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.schedule.row import Row
from tourney.store.database import Database
from tourney.store.values import MatchResult

CRASH: Faults = ("crash", None)
FINE: Faults = (None, None)
FAULTS = st.lists(
    st.sampled_from([FINE, FINE, START, (None, "startup"), CRASH, ("startup", "startup")]),
    min_size=48,
    max_size=48,
)

CHOICES = st.lists(st.integers(0, 99), min_size=1, max_size=9)


def with_faults(faults: Sequence[Faults], task: MatchTask) -> WorkerReply:
    """Answer with the faults of the match's number."""
    words = tuple((seat, fault, 0) for seat, fault in enumerate(faults[task.number - 1], 1) if fault)
    return WorkerReply(task.number, played(task.spec, (1, 2), words))  # type: ignore[arg-type]  # words of Literal


def counting(
    repository: Database, tournament: int, faults: Sequence[Faults], limit: int
) -> tuple[list[tuple[int, str]], End]:
    """Return what ``counted`` must return and how a run must end, by a policy that decides row after row."""
    seats = {number: row.seats for number, row in repository.schedules.rows(tournament)}
    order = in_order_of_play(repository, tournament)
    known = [((seats[number][0], seats[number][1]), faults[number - 1]) for number in order]
    kinds = [decision.kind for decision in decisions(known, 1, [0], limit)]
    if kinds[-1] == "stop":
        return sorted(zip(order, kinds[:-1], strict=False)), End.FAULTS
    return sorted(zip(order, kinds, strict=True)), End.FINISHED


def counted(repository: Database, tournament: int) -> list[tuple[int, str]]:
    """Return the matches with a stored result by number, and whether they were played or benched."""
    found = []
    for match in repository.matches.all(tournament, finished=True):
        assert match.result is not None
        found.append((match.number, "benched" if match.result.note else "play"))
    return found


def fails_after(count: int, faults: Sequence[Faults]) -> Play:
    """Matches with faults, of which only ``count`` are played before the machine fails."""
    left = iter(range(count))

    def play(task: MatchTask) -> WorkerReply:
        if next(left, None) is None:
            raise WorkerError("the machine failed")
        return with_faults(faults, task)

    return play


@pytest.mark.slow
@settings(max_examples=30)
@given(FAULTS, st.integers(1, 12), CHOICES, st.integers(1, 30), st.lists(st.integers(0, 47), max_size=3))
def test_neither_order_nor_interruptions_change_a_counted_result(
    faults: list[Faults], workers: int, choices: list[int], limit: int, counts: list[int]
) -> None:
    """Compare with a policy that knows all earlier results when it decides about a row.

    Each start but the last ends with an error after some matches.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        Database.open(str(Path(folder) / "t.db"), create=True) as repository,
    ):
        tournament = begin(repository, 4, games=8).id
        for count in counts:
            executor = ShuffledExecutor(fails_after(count, faults), workers, choices)
            with suppress(WorkerError):
                Coordinator(
                    repository, tournament, executor, Path("/nowhere"), RunControl(max_faults=limit)
                ).run()
        executor = ShuffledExecutor(lambda task: with_faults(faults, task), workers, choices)
        ran = Coordinator(
            repository, tournament, executor, Path("/nowhere"), RunControl(max_faults=limit)
        ).run()
        assert (counted(repository, tournament), ran.end) == counting(repository, tournament, faults, limit)


def result(number: int, seats: tuple[int, int], faults: Faults) -> tuple[MatchResult, Row]:
    """Return a result with faults, and its row."""
    spec = MatchSpec("sage-stones", (), (entrant("a"), entrant("b")), 7)
    answered = with_faults([faults] * number, MatchTask(number, spec, "", "off", reuse=False))
    return MatchResult(number, answered.played), Row(1, number, 1, 1, seats)


def test_undecided_result_does_not_count_for_later_rows() -> None:
    """X and Y failed twice each. Match 20 waits for X; in it Y fails again, so match 64 waits for it."""
    x, y, z = 0, 1, 2
    policy = BenchPolicy()
    for number, failing in ((1, y), (2, y), (3, x), (4, x)):
        assert policy.finish(*result(number, (failing, 9), START))
    _, row20 = kept = result(20, (x, y), (None, "startup"))
    row64 = Row(1, 64, 1, 1, (y, z))
    assert policy.hand_out(20, row20, [(5, (x, 9))]) == PLAY
    assert not policy.finish(*kept)
    assert policy.hand_out(64, row64, [(5, (x, 9))]) == PLAY
    assert [*policy.settle(lambda: [(5, (x, 9)), (64, (y, z))])] == []
    assert policy.finish(*result(5, (x, 9), FINE))
    first, second = policy.settle(lambda: [(64, (y, z))])
    assert first == (20, row20, PLAY, kept[0])
    assert second == (64, row64, BenchDecision("benched", y, (1, 2, 20)), None)


def test_earliest_row_decides_where_the_run_stops() -> None:
    """A later row may be void or the last one while an earlier row is undecided."""
    policy = BenchPolicy(max_faults=2)
    rows = [Row(1, number, 1, 1, (0, 1)) for number in range(20)]
    assert policy.hand_out(16, rows[16], [(1, (0, 1)), (2, (0, 1))]) == PLAY
    assert policy.finish(*result(2, (0, 1), ("crash", "crash")))
    assert policy.hand_out(17, rows[17], [(1, (0, 1)), (16, (0, 1))]) == WAIT
    assert [decision for _, _, decision, _ in policy.settle(lambda: [(1, (0, 1))])] == [
        BenchDecision("stop", matches=(8,))
    ]
    assert policy.clear() == ()
    assert policy.hand_out(17, rows[17], [(1, (0, 1))]).kind == "stop"


def test_no_worker_waits_for_a_decision(repository: Database) -> None:
    """Any result might bench one of two entrants, yet the workers get as many matches as they take."""
    tournament = begin(repository, 2, games=400).id
    executor = BackwardsExecutor(answer, workers=64)
    assert Coordinator(repository, tournament, executor, Path("/nowhere")).run().end is End.FINISHED
    assert executor.most == executor.capacity == 128
    assert len(digests(repository, tournament)) == 400


def test_delayed_decision_bounds_the_matches_in_play(repository: Database) -> None:
    """Three hanging matches could bench an entrant; 15 do not depend on them, and 8 are in play at a time."""
    tournament = begin(repository, 2, games=400).id
    early: list[int] = []

    class Hanging(BackwardsExecutor):
        """Plays the first three matches only when it holds no others."""

        def flush(self) -> None:
            slow = [item for item in self._held if item[0].number <= 3]
            if quick := [item for item in self._held if item not in slow]:
                early.extend(task.number for task, _ in quick if slow)
                self._held = quick
                super().flush()
                self._held = slow
            else:
                super().flush()

    executor = Hanging(answer, workers=4)
    assert Coordinator(repository, tournament, executor, Path("/nowhere")).run().end is End.FINISHED
    assert sorted(early) == list(range(4, 4 + 12 + executor.capacity))
    assert len(digests(repository, tournament)) == 400
