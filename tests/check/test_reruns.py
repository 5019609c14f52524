"""Records are replayed in parallel, and compared."""

import os
import signal
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from pathlib import Path

import pytest
from msgspec import structs

from tests.support import genuine
from tests.support.executors import BackwardsExecutor, FuturesExecutor, Immediate
from tests.support.records import as_json, digested
from tourney.check.named_seeds import DRAWN, LIMITS
from tourney.check.reruns import Replay, Replayed, in_order, sample
from tourney.errors import BotError
from tourney.match.record import Record, check_record
from tourney.match.result import PlayedMatch
from tourney.match.spec import MatchSpec
from tourney.run.workers.executor import MatchExecutor, MatchTask, WorkerReply


def spec(seed: int) -> MatchSpec:
    return MatchSpec("sage-stones", (), (DRAWN, DRAWN), seed, LIMITS)


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return [genuine.play(spec(seed)).record for seed in range(6)]


def answer(task: MatchTask) -> WorkerReply:
    return WorkerReply(task.number, genuine.play(task.spec))


def replay(
    records: list[Record],
    executor: MatchExecutor,
    doubts: tuple[str, ...] = (),
    missing: dict[str, str] | None = None,
) -> Replay:
    return Replay(
        len(records),
        lambda index: (records[index], doubts),
        executor,
        bots=Path("/nowhere"),
        sandbox="off",
        missing=missing or {},
    )


def forged(record: Record) -> Record:
    """Return a record, consistent in itself, that the bots would not play: it was another seed's."""
    return check_record(digested(as_json(record) | {"seed": "1000"}))


def test_honest_records_come_out_the_same(records: list[Record]) -> None:
    found = in_order(replay(records, BackwardsExecutor(answer)).run())
    assert list(found) == [Replayed(index, "same") for index in range(6)]


def test_forged_record_comes_out_differently(records: list[Record]) -> None:
    altered = [*records[:2], forged(records[2]), *records[3:]]
    found = list(in_order(replay(altered, FuturesExecutor(Immediate, answer)).run()))
    assert [one.kind for one in found] == ["same", "same", "different", "same", "same", "same"]
    assert found[2].findings[0].startswith("action ")
    doubtful = list(in_order(replay(altered, FuturesExecutor(Immediate, answer), doubts=("reuse",)).run()))
    assert doubtful[2].kind == "not promised"
    assert doubtful[2].findings[0].startswith("reuse: action ")


def test_damaged_record_is_different(records: list[Record]) -> None:
    damaged = structs.replace(records[0], seed="77")
    [found] = replay([damaged], FuturesExecutor(Immediate, answer)).run()
    assert (found.kind, "digest" in found.findings[0]) == ("different", True)


def test_missing_bots_and_other_rules_are_named(records: list[Record]) -> None:
    [found] = replay(
        records[:1], FuturesExecutor(Immediate, answer), missing={DRAWN.digest: "the store has no such bot"}
    ).run()
    assert found == Replayed(0, "not played", (f"{DRAWN.name}: the store has no such bot",))
    other = check_record(digested(as_json(records[0]) | {"rules": "0"}))
    [found] = replay([other], FuturesExecutor(Immediate, answer)).run()
    assert found.kind == "not played"
    assert found.findings == ("it was played by version 0 of the rules; version 1 is here",)


def test_bot_that_cannot_be_used_is_named(records: list[Record]) -> None:
    def refuse(_task: MatchTask) -> WorkerReply:
        raise BotError("its build failed", "x")

    [found] = replay(records[:1], FuturesExecutor(Immediate, refuse)).run()
    assert found == Replayed(0, "not played", ("x: its build failed",))


def failing(times: int, how: Callable[[MatchTask], WorkerReply]) -> Callable[[MatchTask], WorkerReply]:
    """Return matches whose third one fails some times."""
    left = [times]

    def play(task: MatchTask) -> WorkerReply:
        if task.number == 3 and left[0]:
            left[0] -= 1
            return how(task)
        return answer(task)

    return play


def die(_task: MatchTask) -> WorkerReply:
    raise BrokenExecutor


@pytest.mark.parametrize(
    "how", [die, lambda task: WorkerReply(task.number, failure="no sandbox")], ids=["death", "failure"]
)
def test_failure_of_the_machine_is_tried_three_times(
    records: list[Record], how: Callable[[MatchTask], WorkerReply]
) -> None:
    found = in_order(replay(records, FuturesExecutor(Immediate, failing(2, how))).run())
    assert [one.kind for one in found] == ["same"] * 6
    found = in_order(replay(records, FuturesExecutor(Immediate, failing(9, how))).run())
    kinds = {one.index: one.kind for one in found}
    assert kinds == {**dict.fromkeys(range(6), "same"), 2: "not played"}


def test_signal_lets_matches_in_play_finish(records: list[Record]) -> None:
    def interrupted(task: MatchTask) -> WorkerReply:
        if task.number == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return answer(task)

    again = replay(records, FuturesExecutor(Immediate, interrupted))
    found = list(again.run())
    assert again.stopped_by == signal.SIGINT
    assert [one.index for one in found] == [0, 1]


def test_sample_is_drawn_from_its_seed() -> None:
    assert sample(10, 4, 1) == sample(10, 4, 1) != sample(10, 4, 2)
    assert sample(5, 9, 1) == [0, 1, 2, 3, 4]
    drawn = [sample(6, 2, seed) for seed in range(600)]
    assert all(len(set(numbers)) == 2 and numbers == sorted(numbers) for numbers in drawn)
    counts = [sum(number in numbers for numbers in drawn) for number in range(6)]
    assert all(150 < count < 250 for count in counts)  # 200 each, expected


@pytest.mark.parametrize(("late", "kind"), [(2, "same"), (3, "different")])
def test_time_out_of_the_replay_alone_is_tried_again(records: list[Record], late: int, kind: str) -> None:
    """The machine may have been busy; but a record that claims to reproduce is not excused by it."""
    left = [late]

    def slow(task: MatchTask) -> WorkerReply:
        reply = answer(task)
        if not left[0] or reply.played is None:
            return reply
        left[0] -= 1
        record = as_json(reply.played.record)
        record["outcome"] = {"ranks": [2, 1], "reason": "fault", "faults": [[1, "timeout", 3]]}
        return WorkerReply(task.number, PlayedMatch(check_record(digested(record))))

    [found] = replay(records[:1], FuturesExecutor(Immediate, slow)).run()
    assert found.kind == kind
