"""Replies of hosts are checked: a host that sends anything wrong is refused."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from tests.addons.cluster.clusters import (
    Cup,
    FakeLink,
    FakeNode,
    about_run,
    cluster,
    two,
)
from tourney.addons.cluster import batches, messages
from tourney.addons.cluster.messages import MAX_REPLY, ReplyHead, RequestedMatch, encode, reply_of
from tourney.bots.catalogue.store import VARIES
from tourney.bots.channel.interface import Event
from tourney.check.named_seeds import RandomChannel
from tourney.errors import WorkerError
from tourney.match.result import PlayedMatch
from tourney.match.runner import MatchRunner
from tourney.run.engine.coordinator import Coordinator
from tourney.run.summary import End
from tourney.run.workers.executor import WorkerReply
from tourney.store.database import Database


def forged(change: Callable[[dict[str, Any], dict[str, Any], list[Any]], None]) -> Callable[..., object]:
    """Return a node that changes record, measurements and log of what it has played."""

    def behave(_request: RequestedMatch, reply: bytes) -> object:
        head, record, log, measured = reply.split(b"\n")
        parts = [json.loads(record), json.loads(measured), json.loads(log or b"[]")]
        change(*parts)
        return b"\n".join([head, *(json.dumps(parts[k]).encode() for k in (0, 2, 1))])

    return behave


def late(request: RequestedMatch, claimed: int) -> bytes:
    """A time-out that was not waited for, with a claim of the time that it took."""

    class Late(RandomChannel):
        def wait(self, deadline: int) -> Event:
            return super().wait(deadline) if self._turn == 0 else Event("timeout")

    with MatchRunner(lambda _entrant, _limits: Late()) as room:
        match = room.play(request.spec)
    seats = tuple(structs.replace(seat, wall_ms=claimed) for seat in match.measured.seats)
    measured = structs.replace(match.measured, seats=seats)
    return reply_of(
        WorkerReply(request.number, PlayedMatch(match.record, match.log, measured)), request.number
    )


WRONG: dict[str, Callable[[RequestedMatch, bytes], object]] = {
    "no bytes": lambda _request, _reply: {"record": 1},
    "garbage": lambda _request, _reply: b"\xff{",
    "too long": lambda _request, _reply: b"x" * (MAX_REPLY + 1),
    "another number": lambda request, _reply: encode(ReplyHead(request.number + 1, "idle")),
    "digest": forged(lambda record, _measured, _log: record.update(digest="0" * 64)),
    "ranks": forged(lambda record, _measured, _log: record["outcome"]["ranks"].reverse()),
    "seed": forged(lambda record, _measured, _log: record.update(seed="1")),
    "another bot": forged(lambda record, _measured, _log: record["seats"][0].update(digest="1" * 64)),
    "time": forged(lambda _record, measured, _log: measured.update({"wall-ms": 1e300})),
    "negative time": forged(lambda _record, measured, _log: measured.update({"wall-ms": -1})),
    "short time-out": lambda request, _reply: late(request, 6),
    "time-out in no time": lambda request, _reply: late(request, 1000),
    "waiting": forged(lambda _record, measured, _log: measured["seats"][0].update({"waited-ms": 1e12})),
    "sandbox": forged(lambda _record, measured, _log: measured.update(sandbox={"level": "x" * 61})),
    "start": forged(lambda _record, measured, _log: measured.update(started="<b>now</b>")),
    "log of no seat": forged(lambda _record, _measured, log: log.append([0, 9, "info", "hm"])),
    "long log": forged(lambda _record, _measured, log: log.extend([[0, 1, "info", "x"]] * 3000)),
}


@pytest.mark.parametrize("what", sorted(WRONG))
def test_host_that_sends_what_is_wrong_is_refused(what: str, repository: Database) -> None:
    cup = Cup(repository)
    link = two(WRONG[what])
    executor = cluster(link)
    assert cup.run(executor).end is End.FINISHED
    assert cup.hosts == {"b"}
    assert len([line for line in cup.said if "a is refused: it " in line]) == 1
    assert [(one.host, one.matches) for one in repository.hosts.refused(cup.id)] == [("a", ())]


def test_promise_to_reproduce_follows_from_the_record(repository: Database) -> None:
    """A host that promises nothing would not be rechecked."""
    cup = Cup(repository)
    link = two(
        forged(lambda _r, measured, _l: measured.update({"reproducible": False, "why-not": ["a", "b"]}))
    )
    executor = cluster(link)
    cup.run(executor)
    for number in cup.digests:
        measured = repository.records.measured(cup.id, number)
        assert (measured.reproducible, measured.why_not) == (True, ())
        assert measured.speed > 0


def test_promise_of_a_match_is_that_of_its_bots_here(
    repository: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The coordinator's store says which bots vary: a host need not."""
    monkeypatch.setattr(messages, "bot_doubts", lambda _store, _spec: (VARIES,))
    cup = Cup(repository)
    cup.run(cluster(two(lambda _request, reply: reply)))
    for number in cup.digests:
        measured = repository.records.measured(cup.id, number)
        assert (measured.reproducible, measured.why_not) == (False, (VARIES,))


def test_replies_are_checked_in_processes_once_it_costs(
    repository: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is killed costs no match; a wrong record is found there, too."""
    monkeypatch.setattr(messages, "INLINE_SECONDS", 0.0)
    monkeypatch.setattr(batches, "MAX_BATCH", 2)
    cup = Cup(repository, games=10)
    killed: list[int] = []

    def kill(request: RequestedMatch, reply: bytes) -> object:
        pool = executor._dispatcher.checker._pool
        if pool is not None and not killed:
            killed.extend(pool._processes)
            for process in pool._processes.values():
                process.kill()
        return WRONG["digest"](request, reply) if request.number == 20 else reply

    executor = cluster(FakeLink(FakeNode("a", kill)))
    executor.begin(about_run(cup.said))
    with suppress(WorkerError):  # no host is left
        Coordinator(repository, cup.id, executor, Path("/nowhere")).run()
    assert any("a is refused: it sent a wrong record" in line for line in cup.said)
    assert killed
    assert 14 <= len(cup.digests) < 29
