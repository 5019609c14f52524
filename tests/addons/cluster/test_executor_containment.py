"""Hosts that contain bots less than the tournament did so far get no match."""

from dataclasses import replace

from tests.addons.cluster.clusters import Cup, FakeLink, FakeNode, about_run, cluster
from tests.support.boxes import WEAK, WHOLE
from tests.support.tournaments import refused
from tourney.bots.sandbox.sandbox import Sandbox
from tourney.errors import WorkerError
from tourney.store.database import Database


def sandbox_of(box: Sandbox) -> dict[str, str | int]:
    return {"sandbox": " ".join(["x", *(f"{name}={degree}" for name, degree in box.protections.items())])}


def test_host_with_fewer_protections_gets_no_match(repository: Database) -> None:
    """Neither a bot nor a match is sent to it, even if hosts may differ."""
    said: list[str] = []
    link = FakeLink(FakeNode("a", about=sandbox_of(WEAK)), FakeNode("b", about=sandbox_of(WHOLE)))
    executor = cluster(link, allow_mixed=True)
    executor.begin(replace(about_run(said), floor=WHOLE.protections))
    executor.stop()
    assert any(
        "a gets no match: it contains bots less than the tournament did so far (network (absent), host-files"
        in text
        for text in said
    )
    with refused(WorkerError, "no worker of the cluster can play", "see --allow-weaker"):
        cluster(FakeLink(FakeNode("a", about=sandbox_of(WEAK)))).begin(
            replace(about_run(said), floor=WHOLE.protections)
        )
    allowed = cluster(FakeLink(FakeNode("a", about=sandbox_of(WEAK))))
    allowed.begin(replace(about_run(said), floor=None))
    allowed.stop()


def test_first_hosts_set_the_floor_of_a_new_tournament(repository: Database) -> None:
    """A host that joins later is held to the weakest of them, if they may differ."""
    cup = Cup(repository)
    link = FakeLink(FakeNode("a", about=sandbox_of(WEAK)), FakeNode("b", about=sandbox_of(WHOLE)))
    executor = cluster(link, allow_mixed=True)
    executor.begin(about_run(cup.said))
    admission = executor._dispatcher.admission
    executor.stop()
    assert admission._floor == WEAK.protections
