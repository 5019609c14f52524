"""The side of a host: batches of matches on a worker, which may die."""

from concurrent.futures import BrokenExecutor, Future

import pytest

from tests.support.memory import set_memory
from tests.support.tournaments import entrant
from tourney.addons.cluster import host_service, messages
from tourney.addons.cluster.messages import (
    Question,
    RoomAnswer,
    decode,
    encode,
    join_replies,
    read_replies,
    reply_of,
)
from tourney.match.match_memory import ALL_FIT, MatchMemory
from tourney.match.spec import Limits, MatchSpec
from tourney.run.workers.executor import MatchTask, WorkerReply


class Worker:
    """A worker that holds two matches and dies by some, with all that it holds."""

    capacity = 4

    def __init__(self, deadly: set[int]) -> None:
        self._deadly = deadly
        self._held: list[tuple[int, Future[WorkerReply]]] = []
        self.played: list[int] = []
        self.restarts = 0

    def submit(self, task: MatchTask) -> "Future[WorkerReply]":
        future: Future[WorkerReply] = Future()
        self._held.append((task.number, future))
        return future

    def flush(self) -> None:
        while self._held:
            pair, self._held = self._held[:2], self._held[2:]
            dies = any(number in self._deadly for number, _ in pair)
            for number, future in pair:
                self.played.append(number)
                if dies:
                    future.set_exception(BrokenExecutor())
                else:
                    future.set_result(WorkerReply(number, failure="played"))

    def restart(self) -> None:
        self._held.clear()
        self.restarts += 1


def tasks(count: int) -> list[MatchTask]:
    spec = MatchSpec("sage-stones", (), (entrant("a"), entrant("b")), 7)
    return [MatchTask(number, spec, "/nowhere", "off", reuse=False) for number in range(1, count + 1)]


def test_match_that_ends_its_worker_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker({4})
    monkeypatch.setattr(host_service._HostState, "executors", (worker,))
    replies = host_service._play(tasks(7), worker)  # type: ignore[arg-type]  # it has what is used
    heads = [one.head for one in read_replies(b"\n".join(replies), 7)]
    assert [head.number for head in heads] == [1, 2, 3, 4, 5, 6, 7]
    died = "a worker process died"
    assert [head.why for head in heads] == [died if k == 4 else "played" for k in range(1, 8)]
    assert worker.restarts == 2


def test_batch_on_a_worker_that_was_ended_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker({1})
    monkeypatch.setattr(host_service._HostState, "executors", ())
    replies = host_service._play(tasks(2), worker)  # type: ignore[arg-type]  # it has what is used
    assert len(read_replies(b"\n".join(replies), 2)) == 2
    assert worker.restarts == 0


def test_what_makes_a_reply_too_long_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first always travels, so that each match comes through alone."""
    monkeypatch.setattr(messages, "MAX_REPLY", 250)
    numbers = [1, 2, 3]
    replies = [reply_of(WorkerReply(k, failure="x" * 100), k) for k in numbers]
    heads = [one.head for one in read_replies(join_replies(replies, numbers), 3)]
    assert [head.end for head in heads] == ["failed", "idle", "idle"]
    assert all(len(reply) > 125 for reply in replies)


def room(memory: MatchMemory | None) -> RoomAnswer:
    question = Question("room", "session", memory=memory)
    return decode(host_service.answer(encode(question)), RoomAnswer)


def test_host_says_how_many_matches_fit_into_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_service._HostState, "plan", ALL_FIT)
    set_memory(monkeypatch, 8000)
    need = MatchMemory.of(Limits(move_ms=1), 2, reuse=True)
    assert room(need) == RoomAnswer(3)
    assert host_service._HostState.plan.kept == 0
    assert room(None) == RoomAnswer(None)
    set_memory(monkeypatch, 2000)
    assert room(need).matches == 0
    assert "does not fit into memory" in room(need).problem
