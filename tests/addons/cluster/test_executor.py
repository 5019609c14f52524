"""An executor on other hosts: what they lose, fail or withhold changes no result."""

import time
from itertools import count

import pytest

from tests.addons.cluster.clusters import Cup, FakeCluster, FakeLink, FakeNode, Said, cluster, two
from tests.support.tournaments import refused
from tourney.addons.cluster.messages import ReplyHead, RequestedMatch, encode
from tourney.addons.cluster.nodes import LinkLostError
from tourney.errors import BotError, WorkerError
from tourney.run.summary import End
from tourney.run.workers.executor import Blame
from tourney.store.database import Database


def test_honest_hosts_give_the_results_of_this_machine(cup: Cup, case: tuple[str, dict[int, str]]) -> None:
    link = FakeLink(FakeNode("a", slots=2), FakeNode("b"))
    assert cup.run(cluster(link, recheck=10_000)).end is End.FINISHED
    assert cup.digests == case[1]
    assert len(link.requests) == 2 * len(case[1]), "each match was rechecked once"
    places: dict[int, set[str]] = {}
    for name, request in link.requests:
        places.setdefault(request.number, set()).add(name)
    assert all(names == {"a", "b"} for names in places.values())
    assert link.asked[-2:] == ["end", "end"]


def test_matches_of_a_lost_node_are_played_elsewhere(cup: Cup, case: tuple[str, dict[int, str]]) -> None:
    link = two(lambda request, reply: link.there.pop("a", None) and None if request.number > 3 else reply)
    assert cup.run(cluster(link)).end is End.FINISHED
    assert cup.digests == case[1]
    assert any("is lost" in line for line in cup.said)


def test_match_that_kills_its_nodes_is_void_and_named(repository: Database) -> None:
    """Others that were in play beside it count one loss and are played."""
    cup = Cup(repository)

    def deadly(request: RequestedMatch, reply: bytes) -> object:
        if request.number != 2:
            return reply
        name = next(name for name, sent in reversed(link.requests) if sent.number == 2)
        link.there[name + "+"] = FakeNode(name + "+", deadly, slots=2)
        del link.there[name]
        return None

    link = FakeLink(FakeNode("a", deadly, slots=2), FakeNode("b", deadly, slots=2))
    executor = cluster(link)
    cup.run(executor)
    void = [
        m
        for m in repository.matches.all(cup.id, finished=True)
        if m.result is not None and not m.result.digest
    ]
    assert [match.number for match in void] == [2]
    assert void[0].result is not None
    assert "3 workers were lost while they played it" in void[0].result.note
    assert [name for name, request in link.requests if request.number == 2] != []
    assert len([1 for _, request in link.requests if request.number == 2]) == 3


def test_host_that_fails_all_gets_no_more(cup: Cup, case: tuple[str, dict[int, str]]) -> None:
    link = two(lambda request, _reply: encode(ReplyHead(request.number, "unusable", "no such bot")))
    assert cup.run(cluster(link)).end is End.FINISHED
    assert cup.digests == case[1]
    assert len([line for line in cup.said if "a gets no more matches" in line]) <= 1


def test_bot_that_no_host_can_use_ends_the_run_and_voids_nothing(cup: Cup, repository: Database) -> None:
    def missing(request: RequestedMatch, reply: bytes) -> object:
        lost = request.number == 3
        return encode(ReplyHead(request.number, "unusable", "a: the store has no bot")) if lost else reply

    with refused(BotError, "/", "says: a: the store has no bot"):
        cup.run(cluster(FakeLink(*(FakeNode(name, missing) for name in "abc"))))
    progress = repository.schedules.progress(cup.id)
    assert progress.void == 0
    assert progress.done < progress.rows


def test_match_without_a_reply_is_played_elsewhere(
    cup: Cup, case: tuple[str, dict[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeCluster, "overdue_seconds", 0.5)
    link = two(lambda request, reply: None if request.number == 1 else reply)
    assert cup.run(cluster(link)).end is End.FINISHED
    assert cup.digests == case[1]


def test_lost_scheduler_is_waited_for(
    cup: Cup, case: tuple[str, dict[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeCluster, "patience_seconds", 300.0)
    broken: list[int] = []

    def breaks(request: RequestedMatch, reply: bytes) -> object:
        if request.number > 4 and not broken:
            broken.append(1)
            link.broken = True
            return None
        return reply

    link = two(breaks)
    connect = link.connect

    def repaired() -> None:
        if broken:
            link.broken = False
        connect()

    monkeypatch.setattr(link, "connect", repaired)
    assert cup.run(cluster(link)).end is End.FINISHED
    assert cup.digests == case[1]
    assert "the cluster is there again" in cup.said


def test_scheduler_lost_during_the_introduction_is_waited_for(
    cup: Cup, case: tuple[str, dict[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeCluster, "patience_seconds", 300.0)
    link = two(lambda _request, reply: reply)
    ask, connect, tries = link.ask, link.connect, count()

    def asks(address: str, request: bytes, attachment: bytes = b"") -> bytes:
        if not link.broken and next(tries) == 0:
            link.broken = True
        if link.broken:
            raise LinkLostError("the link is broken")
        return ask(address, request, attachment)

    def repaired() -> None:
        link.broken = False
        connect()

    monkeypatch.setattr(link, "ask", asks)
    monkeypatch.setattr(link, "connect", repaired)
    assert cup.run(cluster(link)).end is End.FINISHED
    assert cup.digests == case[1]
    assert "the cluster is there again" in cup.said


def test_scheduler_lost_for_good_ends_the_run(repository: Database) -> None:
    cup = Cup(repository)

    def breaks(request: RequestedMatch, reply: bytes) -> object:
        link.broken = link.broken or request.number > 4
        return None if link.broken else reply

    link = FakeLink(FakeNode("a", breaks))
    executor = cluster(link)
    with refused(WorkerError, "the link is broken; start the scheduler", "all stored results are kept"):
        cup.run(executor)
    assert set(cup.digests) <= {1, 2, 3, 4}


def test_run_without_workers_waits_for_one(cup: Cup, case: tuple[str, dict[int, str]]) -> None:
    def join(text: str) -> None:
        if text.startswith("no worker of the cluster is there; waiting for one"):
            paused.append(executor.paused())
            link.there["b"] = FakeNode("b")

    paused: list[str] = []
    cup.said = Said(join)
    link = FakeLink(FakeNode("a", lambda request, reply: reply if request.number < 4 else link.there.clear()))
    executor = cluster(link)
    assert cup.run(executor).end is End.FINISHED
    assert cup.digests == case[1]
    assert paused == ["no worker of the cluster is there; waiting for one"]


def test_run_waits_for_workers_only_as_long_as_its_patience(
    repository: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scheduler is there, the workers have closed themselves, and no program starts them again."""
    cup = Cup(repository)
    monkeypatch.setattr(FakeCluster, "patience_seconds", 20.0)
    link = FakeLink(FakeNode("a", lambda request, reply: reply if request.number < 4 else link.there.clear()))
    executor = cluster(link)
    ahead = 0.0
    monkeypatch.setattr(executor, "clock", lambda: time.monotonic() + ahead)

    def let_time_pass(text: str) -> None:
        nonlocal ahead
        ahead = 21.0 if text.startswith("no worker of the cluster is there") else ahead

    cup.said = Said(let_time_pass)
    with refused(
        WorkerError, "no worker of the cluster has come for 20 seconds (--patience)", "start workers"
    ):
        cup.run(executor)
    assert set(cup.digests) <= {1, 2, 3}


def test_run_without_a_first_worker_ends_after_its_patience(repository: Database) -> None:
    executor = cluster(FakeLink())
    with refused(WorkerError, "no worker that offers match slots has come", "(--patience)"):
        Cup(repository).run(executor)


def test_bot_that_fills_memory_on_every_host_loses_at_last(repository: Database) -> None:
    """Two of its matches are void; of further ones hosts play what is left without it."""

    def full(request: RequestedMatch, reply: bytes) -> object:
        if request.absent:
            return reply
        return encode(ReplyHead(request.number, "failed", "full", "memory", blame=Blame("b", proven=True)))

    cup = Cup(repository, "round-robin", 2, 4)
    link = FakeLink(*(FakeNode(name, full) for name in "abc"))
    assert cup.run(cluster(link)).end is End.FINISHED
    results = [match.result for match in repository.matches.all(cup.id, finished=True)]
    reasons = [one.void_reason or "" for one in results if one is not None]
    assert sorted(reasons) == ["", "", "memory", "memory"]
    assert {name for _, request in link.requests for name in request.absent} == {"b"}


def test_host_cannot_blame_a_bot_of_another_match(repository: Database) -> None:
    def full(request: RequestedMatch, _reply: bytes) -> object:
        return encode(ReplyHead(request.number, "failed", "full", "memory", blame=Blame("z", proven=True)))

    with refused(WorkerError, "failed 3 times and no other was played: full"):
        Cup(repository, "round-robin", 2, 2).run(cluster(FakeLink(FakeNode("a", full))))
