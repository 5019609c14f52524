"""Which match goes to which node, and how many travel together."""

from concurrent.futures import Future

import pytest

from tests.addons.cluster.clusters import Cup, FakeLink, FakeNode, cluster, play
from tests.support.tournaments import entrant, refused
from tourney.addons.cluster import batches
from tourney.addons.cluster.messages import HostInfo, RequestedMatch
from tourney.addons.cluster.nodes import ClusterNode, IntroducedNode, LinkLostError
from tourney.match.spec import MatchSpec
from tourney.run.workers.executor import MatchTask
from tourney.store.database import Database


def test_matches_wait_on_where_the_connection_is_lost() -> None:
    """One that has to wait for its host is not forgotten when another cannot be sent."""
    queue = batches.BatchQueue()
    spec = MatchSpec("sage-stones", (), (entrant("a"), entrant("b")), 1)
    rechecked, plain = (
        batches.SubmittedMatch(MatchTask(number, spec, "/nowhere", "off", False), Future())
        for number in (1, 2)
    )
    for name in "ab":
        queue.nodes[name] = batches.PlayingNode(IntroducedNode(ClusterNode(name, name, 1), HostInfo()))
    played = play(rechecked.task).played or pytest.fail("not played")
    rechecked.sides.append(batches.HostResult(queue.nodes["a"].known, played))
    rechecked.not_on = {"a"}
    for _ in range(batches.IN_FLIGHT):
        queue.nodes["b"].send([], 0.0)
    queue.waiting.extend([rechecked, plain])

    def send(node: batches.PlayingNode, matches: list[batches.SubmittedMatch]) -> None:
        node.send(matches, 0.0)
        raise LinkLostError("the link is broken")

    with refused(LinkLostError, "broken"):
        queue.place(send, lambda _match: pytest.fail("another host may play it"))
    queue.take_back(queue.nodes["a"])
    assert list(queue.waiting) == [rechecked, plain]


def test_short_matches_travel_in_batches(repository: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """All nodes get some; a match that kills its nodes takes along none that travelled with it."""
    monkeypatch.setattr(batches, "BATCH_SECONDS", (2.0, 4.0))  # more than five matches on a busy machine too
    cup = Cup(repository, games=30)
    deadly: list[str] = []

    def kills(request: RequestedMatch, reply: bytes) -> object:
        if request.number != 40:
            return reply
        name = next(name for name, sent in reversed(link.requests) if sent.number == 40)
        deadly.append(name)
        link.there[name + "+"] = FakeNode(name + "+", kills, slots=2)
        del link.there[name]
        return None

    link = FakeLink(FakeNode("a", kills, slots=2), FakeNode("b", kills, slots=2))
    executor = cluster(link)
    cup.run(executor)
    matches = list(repository.matches.all(cup.id, finished=True))
    void = [m.number for m in matches if m.result is not None and not m.result.digest]
    assert (len(matches), void, len(deadly)) == (90, [40], 3)
    assert max(map(len, link.batches)) > 4
    lost = next(batch for batch in link.batches if 40 in batch)
    again = [batch for batch in link.batches[link.batches.index(lost) + 1 :] if {*batch} & {*lost}]
    assert len(lost) > 1
    assert all(len(batch) == 1 for batch in again)
