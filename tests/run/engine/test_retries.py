"""Matches that the machine failed: played again after the others, three times at most, then void."""

from collections import Counter

import pytest

from tests.coordination import RecordingListener, run
from tests.tournaments import answer, begin, digests
from tourney.errors import WorkerError
from tourney.match.again import Again, Kept
from tourney.run.engine.retry import MAX_FAILURES_IN_A_ROW, MatchRetries
from tourney.run.workers.executor import Cause, MatchTask, WorkerReply
from tourney.store.repository import Repository

KEPT = Kept(actions=((1, "a1"),))


class Failing:
    """Fails some matches some times, and notes the order of all plays."""

    def __init__(self, cause: Cause, **seats: int) -> None:
        self.cause = cause
        self.left = Counter({4: 3, 1: 1})
        self.plays: list[tuple[int, Again]] = []
        self.seat = 2 if cause == "killed" else 0

    def __call__(self, task: MatchTask) -> WorkerReply:
        self.plays.append((task.number, task.again))
        if self.left[task.number] and not (task.again.judged and self.cause == "killed"):
            self.left[task.number] -= 1
            kept = None if self.cause == "machine" else KEPT
            return WorkerReply(task.number, None, "why", self.cause, self.seat, kept)
        return answer(task)


@pytest.mark.parametrize("cause", ["overload", "machine"])
def test_match_is_played_again_after_the_others_then_void(repository: Repository, cause: Cause) -> None:
    tournament = begin(repository, 3)
    play = Failing(cause)
    heard = RecordingListener()
    summary = run(repository, play, listener=heard)
    assert [number for number, _ in play.plays] == [1, 2, 3, 4, 5, 6, 1, 4, 4]
    assert summary.progress.void == 1
    assert sorted(digests(repository, tournament.id)) == [1, 2, 3, 4, 5, 6]
    result = repository.match(tournament.id, 4).result
    assert result is not None
    assert result.void_reason == ("overload" if cause == "overload" else "machine-failure")
    failed = "was overloaded" if cause == "overload" else "failed"
    assert heard.messages[-1].endswith(f"is void: the machine {failed} 3 times: why")
    assert summary.again == {cause: 4}
    kept = KEPT if cause == "overload" else None
    assert [again for number, again in play.plays if number == 4] == [
        Again(),
        Again(kept=kept),
        Again(kept=kept),
    ]


def test_third_play_judges_a_bot_that_was_killed_before(repository: Repository) -> None:
    tournament = begin(repository, 3)
    play = Failing("killed")
    assert run(repository, play).progress.void == 0
    assert [again for number, again in play.plays if number == 4] == [
        Again(),
        Again(kept=KEPT),
        Again(frozenset({2}), KEPT),
    ]
    assert len(digests(repository, tournament.id)) == 6


def test_plays_that_failed_change_no_other_result(repository: Repository) -> None:
    tournament = begin(repository, 4)
    run(repository, Failing("overload"))
    found = digests(repository, tournament.id)
    other = begin(repository, 4, name="other")
    undisturbed = {
        row: repository.match(tournament.id, number).result for number, row in repository.rows(tournament.id)
    }
    assert len(undisturbed) == len(found) == 12
    assert [row for _, row in repository.rows(other.id)] == list(undisturbed)


@pytest.mark.parametrize("cause", ["overload", "killed"])
def test_neither_overload_nor_killed_bots_stop_a_run(repository: Repository, cause: Cause) -> None:
    """A bot could stop the run by killing itself; overload passes."""
    begin(repository, 8)

    def play(task: MatchTask) -> WorkerReply:
        if task.again.judged:
            return answer(task)
        return WorkerReply(task.number, None, "why", cause, int(cause == "killed"), None)

    summary = run(repository, play, workers=4)
    assert summary.progress.done == 56 > MAX_FAILURES_IN_A_ROW
    assert summary.progress.void == (56 if cause == "overload" else 0)


def test_other_failures_in_a_row_stop_a_run() -> None:
    retries = MatchRetries(any_played=True)
    for number in range(1, MAX_FAILURES_IN_A_ROW):
        retries.failed([number], "why")
    with pytest.raises(WorkerError, match="12 times in a row"):
        retries.failed([99], "why")


def test_bot_killed_for_the_first_time_in_the_third_play_is_not_judged() -> None:
    retries = MatchRetries(any_played=True)
    retries.failed([1], "why", "overload")
    retries.failed([1], "why", "overload")
    assert retries.again(1) == Again()
    retries.killed(1, 2)
    assert retries.failed([1], "why", "killed") == frozenset()
    assert not retries.overloaded(1)
