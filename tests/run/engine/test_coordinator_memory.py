"""Matches in which the machine's memory was full: replayed, named, and counted in the end."""

from collections.abc import Callable

import pytest

from tests.support.coordination import RecordingListener, run
from tests.support.executors import BackwardsExecutor
from tests.support.tournaments import answer, begin
from tourney.run.engine.run_control import MAX_FAILURES_IN_A_ROW
from tourney.run.workers.executor import Blame, MatchTask, WorkerReply
from tourney.store.database import Database
from tourney.store.values import MatchResult

HOG = "b"
WHY = "b was killed by SIGKILL (the machine was out of memory)"


class Machine:
    """Plays matches, whose memory is full in each one of the hog unless it is absent.

    ``proven`` tells what each play shows; ``absent`` has the tasks in which somebody was not started.
    """

    def __init__(self, *, proven: bool = False, blamed: Callable[[int], str] = lambda _: HOG) -> None:
        self.absent: list[tuple[int, str]] = []
        self.plays = 0
        self._proven = proven
        self._blamed = blamed

    def __call__(self, task: MatchTask) -> WorkerReply:
        if HOG not in [seat.name for seat in task.spec.seats]:
            return answer(task)
        if task.absent:
            self.absent += [(task.number, name) for name in task.absent]
            return answer(task)
        self.plays += 1
        blame = Blame(self._blamed(self.plays), self._proven)
        return WorkerReply(task.number, failure=WHY, cause="memory", blame=blame)


def voids(repository: Database) -> dict[int, int | None]:
    """The void matches, with the entrant that is named."""
    results = {match.number: match.result for match in repository.matches.all(1, finished=True)}
    assert all(one.void_reason in (None, "memory") for one in results.values() if one is not None)
    return {number: one.void_entrant for number, one in results.items() if one is not None and one.void}


def test_third_match_in_which_a_bot_fills_memory_counts(repository: Database) -> None:
    begin(repository, 3, games=4)
    machine, heard = Machine(), RecordingListener()
    summary = run(repository, machine, listener=heard)
    own = [match.number for match in repository.matches.all(1) if 1 in match.seats]
    assert voids(repository) == {own[0]: 1, own[1]: 1}
    assert sorted(machine.absent) == [(number, HOG) for number in own[2:]]
    assert summary.progress.void == 2
    assert f"is void: memory was full 3 times, and b used the most of it: {WHY}" in heard.messages[0]
    assert heard.messages[2].startswith(
        "b has made 2 matches void by a full memory, and a further one counts"
    )
    assert "counts as a crash of b: memory was full 3 times" in heard.messages[3]
    assert repository.totals.void_matches(1)[0][0] == own[0]
    assert repository.totals.out_of_memory(1) == ((1, 2),)
    assert repository.totals.benched(1) == ()
    assert repository.totals.void_for(1, 1) == ()


def test_voids_of_earlier_runs_count(repository: Database) -> None:
    """A run that starts again would otherwise give two more."""
    begin(repository, 2, games=4)
    stored = [MatchResult(number, None, "full", 1, out_of_memory=True) for number in (1, 2)]
    repository.matches.add(1, stored)
    machine = Machine()
    run(repository, machine)
    assert (voids(repository), machine.absent) == ({1: 1, 2: 1}, [(3, HOG), (4, HOG)])


def test_bot_that_exceeds_its_limit_loses_the_first_match(repository: Database) -> None:
    """Two plays in which nothing else ran show it."""
    begin(repository, 2, games=2)
    machine, heard = Machine(proven=True), RecordingListener()
    run(repository, machine, listener=heard)
    assert (voids(repository), machine.absent, machine.plays) == ({}, [(1, HOG), (2, HOG)], 6)
    assert "and it used more than memory-mb allows" in heard.messages[0]


def test_proof_needs_plays_without_other_matches(repository: Database) -> None:
    """What other matches set free at the same time looks like the bot's."""
    begin(repository, 2, games=2)
    machine = Machine(proven=True)
    executor = BackwardsExecutor(machine)
    executor.remote = True  # type: ignore[misc]  # hosts play several matches at a time
    run(repository, executor=executor)
    assert (len(voids(repository)), machine.absent) == (2, [])


def test_most_blamed_bot_is_named(repository: Database) -> None:
    """A single play may show another one."""
    begin(repository, 2, games=2)
    run(repository, Machine(blamed=lambda play: "a" if play == 1 else HOG))
    assert set(voids(repository).values()) == {1}


def test_full_memory_does_not_stop_a_run(repository: Database) -> None:
    """A bot could stop a night by that."""
    begin(repository, 2, games=2 * MAX_FAILURES_IN_A_ROW)
    machine = Machine()
    summary = run(repository, machine)
    assert summary.progress.done == 2 * MAX_FAILURES_IN_A_ROW
    assert len(machine.absent) == 2 * MAX_FAILURES_IN_A_ROW - 2


@pytest.mark.parametrize("name", ["", "z"])
def test_bot_that_is_not_in_the_match_is_not_named(repository: Database, name: str) -> None:
    begin(repository, 3, games=2)
    run(repository, Machine(blamed=lambda _: name))
    results = [match.result for match in repository.matches.all(1, finished=True)]
    reasons = {one.void_reason for one in results if one is not None and one.void}
    assert reasons == {"machine-failure"}
