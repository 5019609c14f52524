"""Rates of faults by host: invented time-outs are named, those of alike hosts are not."""

from math import comb
from pathlib import Path

import pytest

from tests.clusters import FakeLink, FakeNode, about_run, cluster
from tests.tournaments import begin
from tourney.bots.channel.base import Channel, Event
from tourney.match.match_runner import MatchRunner
from tourney.match.named_seeds import RandomChannel
from tourney.match.record import FaultKind
from tourney.match.spec import Entrant, Limits
from tourney.run.engine.coordinator import Coordinator
from tourney.run.workers.executor import WorkerReply
from tourney.run.workers.fault_rates import FaultRates, at_least
from tourney.run.workers.wire import AskedMatch, reply_of
from tourney.store.repository import Repository


def match(
    *names: str, failed: int = 0, kind: FaultKind = "timeout"
) -> tuple[tuple[str, ...], list[tuple[int, FaultKind]]]:
    return names, [(failed, kind)] if failed else []


class Late(RandomChannel):
    """Answers at start-up, and times out at its first turn."""

    def wait(self, deadline: int) -> Event:
        return super().wait(deadline) if self._turn == 0 else Event("timeout")


def late_rival(request: AskedMatch, _reply: bytes) -> object:
    """Send the match as it is if the entrant ``b`` does not move in time."""

    def launch(entrant: Entrant, _limits: Limits) -> Channel:
        return Late() if entrant.name == "b" else RandomChannel()

    with MatchRunner(launch) as room:
        return reply_of(WorkerReply(request.number, room.play(request.spec)), request.number)


@pytest.mark.parametrize("lying", [True, False])
def test_host_that_lets_a_rival_time_out_is_named(repository: Repository, lying: bool) -> None:
    said: list[str] = []
    tournament = begin(repository, 2, games=40).id
    nodes = (FakeNode("a", late_rival), FakeNode("b")) if lying else (FakeNode("a"), FakeNode("b"))
    executor = cluster(FakeLink(*nodes), recheck=10_000)
    executor.begin(about_run(said))
    Coordinator(repository, tournament, executor, Path("/nowhere")).run()
    named = [line for line in said if "timed out or crashed" in line]
    assert len(named) == lying
    assert all(line.startswith("b timed out or crashed in") and "/a, and in 0 of" in line for line in named)


@pytest.mark.parametrize(
    ("found", "drawn", "marked", "total"), [(3, 5, 7, 20), (5, 5, 7, 20), (9, 30, 12, 90)]
)
def test_tail_is_that_of_the_hypergeometric_distribution(
    found: int, drawn: int, marked: int, total: int
) -> None:
    ways = sum(
        comb(marked, k) * comb(total - marked, drawn - k) for k in range(found, min(drawn, marked) + 1)
    )
    assert at_least(found, drawn, marked, total) == pytest.approx(ways / comb(total, drawn))


def test_faults_that_every_host_sees_name_no_host() -> None:
    rates = FaultRates()
    for number in range(200):
        rates.count(f"host-{number % 2}", *match("slow", "quick", failed=1 if number % 4 < 2 else 0))
    assert rates.findings() == []


def test_bots_own_faults_and_single_hosts_name_no_host() -> None:
    rates = FaultRates()
    for number in range(200):
        rates.count("here", *match("one", "two", failed=1))
        rates.count(f"host-{number % 2}", *match("wild", "two", failed=1 + number % 2, kind="illegal"))
    assert rates.findings() == []
