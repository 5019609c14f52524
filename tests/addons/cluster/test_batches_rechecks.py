"""Rechecks find hosts whose records are sound but made up, and name those that fault rates make suspect."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from math import comb
from pathlib import Path
from typing import Literal

import pytest
from msgspec import structs

from tests.addons.cluster import clusters
from tests.addons.cluster.clusters import Cup, FakeLink, FakeNode, about_run, cluster, other_game, play, two
from tests.support.executors import FuturesExecutor, Immediate
from tests.support.tables import make_spec
from tests.support.tournaments import begin, refused
from tourney.addons.cluster.batches import FaultRates, HostResult, Rechecks, SubmittedMatch, at_least
from tourney.addons.cluster.messages import HostInfo, ReplyHead, RequestedMatch, encode, reply_of
from tourney.addons.cluster.nodes import ClusterNode, IntroducedNode
from tourney.bots.channel.interface import Channel, Event
from tourney.check.named_seeds import RandomChannel
from tourney.errors import WorkerError
from tourney.match.record import FaultKind, Outcome, make_record
from tourney.match.result import Measurements, PlayedMatch
from tourney.match.runner import MatchRunner
from tourney.match.spec import DEFAULT_LIMITS, Entrant, Limits
from tourney.run.engine.coordinator import Coordinator
from tourney.run.engine.withdrawal import find_withdrawal, withdraw
from tourney.run.summary import End
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.store.database import Database


def test_share_of_rechecks_is_drawn_from_the_seed(cup: Cup, case: tuple[str, dict[int, str]]) -> None:
    link = FakeLink(FakeNode("a"), FakeNode("b"))
    executor = cluster(link, recheck=2_500)
    cup.run(executor)
    numbers = [request.number for _, request in link.requests]
    drawn = {number for number in case[1] if executor._dispatcher.rechecks.drawn(number)}
    assert {number for number in numbers if numbers.count(number) == 2} == drawn
    assert 0 < len(drawn) < len(case[1])


def test_lying_host_is_found_and_its_matches_are_played_again(
    cup: Cup, case: tuple[str, dict[int, str]]
) -> None:
    """It begins to lie after it has given results that look right; all end as on this machine."""

    def lies(request: RequestedMatch, reply: bytes) -> object:
        return reply if request.number <= 8 else other_game(request, reply)

    with refused(WorkerError, "the host a is refused: its match", "`tourney db withdraw cup --host a`"):
        cup.run(cluster(two(lies), recheck=5_000))
    tournament = cup.repository.tournaments.get()
    withdraw(cup.repository, tournament, find_withdrawal(cup.repository, tournament, "a"))
    assert cup.run(cluster(two(lies), recheck=5_000)).end is End.FINISHED
    assert any("a gets no match: refused: its match" in line for line in cup.said)
    assert cup.digests == case[1]
    assert cup.hosts == {"b"}


@pytest.mark.parametrize("format_", ["swiss", "adaptive"])
def test_rounds_drawn_from_lies_are_drawn_again(format_: str, tmp_path: Path) -> None:
    """A host, alone at first, lies where no recheck finds it, and many rounds later where one does."""
    extra = (("batch", 2), ("budget", 24)) if format_ == "adaptive" else ()
    local, cup = (
        Cup(Database.open(str(tmp_path / f"{k}.db"), create=True), format_, 4, 2, extra) for k in range(2)
    )
    local.run(FuturesExecutor(Immediate, play))

    def lies(request: RequestedMatch, reply: bytes) -> object:
        early = request.number < len(local.digests) - 4
        rechecked = liar._dispatcher.rechecks.drawn(request.number)
        return reply if early and rechecked else other_game(request, reply)

    liar = cluster(FakeLink(FakeNode("a", lies)), recheck=6_000)
    with refused(WorkerError, "the host a is refused: its match", "`tourney db withdraw cup --host a`"):
        cup.run(liar)
    found = find_withdrawal(cup.repository, cup.repository.tournaments.get(), "a")
    withdraw(cup.repository, cup.repository.tournaments.get(), found)
    assert found.later
    assert cup.run(cluster(two(lies))).end is End.FINISHED
    assert cup.digests == local.digests


ENDS: dict[str, Callable[[int], ReplyHead]] = {
    "overload": lambda number: ReplyHead(number, "failed", "a bot waited too long", "overload"),
    "unusable": lambda number: ReplyHead(number, "unusable", "no such bot"),
}


@pytest.mark.parametrize("how", sorted(ENDS))
def test_recheck_that_other_hosts_end_is_judged_here(
    how: str, cup: Cup, case: tuple[str, dict[int, str]]
) -> None:
    """Hosts on which every recheck ends without a result neither hold up a match nor make it void."""

    def end(request: RequestedMatch, honest: bytes) -> object:
        if all(sent.number != request.number for name, sent in link.requests if name == "a"):
            return honest
        return encode(ENDS[how](request.number))

    link = FakeLink(FakeNode("a"), *(FakeNode(name, end) for name in "bcd"))
    assert cup.run(cluster(link, recheck=10_000)).end is End.FINISHED
    assert cup.digests == case[1]


class Late(RandomChannel):
    """Gives no action in time."""

    def wait(self, deadline: int) -> Event:
        return Event("timeout") if self._turn else super().wait(deadline)


def by_any_clock(task: MatchTask, channel: Callable[[], RandomChannel] = RandomChannel) -> WorkerReply:
    """Play a match by the clock of the wall; its record says that the clock was that of the task."""
    with MatchRunner(lambda _entrant, _limits: channel()) as room:
        match = room.play(structs.replace(task.spec, limits=DEFAULT_LIMITS))
    spec = structs.replace(match.record.spec, limits=task.spec.limits)
    record = make_record(spec, match.record.rules, match.record.actions, match.outcome)
    return WorkerReply(task.number, PlayedMatch(record, match.log, match.measured))


@pytest.mark.parametrize("charge", ["fuel", "wall"])
def test_invented_timeout_is_proved_by_fuel_only(
    charge: Literal["fuel", "wall"], repository: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock of fuel gives the same time-outs on every host, another one need not."""
    monkeypatch.setattr(clusters, "play", by_any_clock)
    cup = Cup(repository, limits=Limits(charge=charge).metered())

    def late(request: RequestedMatch, _reply: bytes) -> object:
        task = MatchTask(request.number, request.spec, "/nowhere", "off", reuse=False)
        return reply_of(by_any_clock(task, Late), request.number)

    executor = cluster(two(late), recheck=10_000)
    assert cup.run(executor).end is End.FINISHED
    found = [line for line in cup.said if "a is refused: its match" in line]
    unproved = [line for line in cup.said if "a came out differently on other machines" in line]
    assert (len(found), len(unproved)) == ((1, 0) if charge == "fuel" else (0, 1))
    assert not any("/b came out" in line for line in cup.said)
    assert [kind for _, kind, _ in repository.totals.faults(cup.id)] == []


def test_single_lying_host_is_found_by_this_machine(repository: Database) -> None:
    cup = Cup(repository)
    executor = cluster(FakeLink(FakeNode("a", other_game)), recheck=10_000)
    with refused(WorkerError, "a is refused", "all stored results are kept"):
        cup.run(executor)
    assert cup.digests == {}


def match(
    *names: str, failed: int = 0, kind: FaultKind = "timeout"
) -> tuple[tuple[str, ...], list[tuple[int, FaultKind]]]:
    return names, [(failed, kind)] if failed else []


class LateAtFirst(RandomChannel):
    """Answers at start-up, and times out at its first turn."""

    def wait(self, deadline: int) -> Event:
        if self._turn == 0:
            return super().wait(deadline)
        time.sleep(0.002)  # longer than the limit
        return Event("timeout")


QUICK = Limits(move_ms=1)


def test_invented_timeouts_do_not_count_if_all_is_rechecked(repository: Database) -> None:
    """Nor is the host that plays honestly in doubt."""
    said: list[str] = []
    tournament = begin(repository, 2, games=40, limits=QUICK).id
    executor = cluster(two(late_rival), recheck=10_000)
    executor.begin(about_run(said))
    Coordinator(repository, tournament, executor, Path("/nowhere")).run()
    assert [kind for _, kind, _ in repository.totals.faults(tournament)] == []
    doubts = [line for line in said if "proves nothing" in line]
    assert len(doubts) == 1
    assert "/a came out differently on other machines, with a time-out" in doubts[0]


def late_rival(request: RequestedMatch, _reply: bytes) -> object:
    """Send the match as it is if the entrant ``b`` does not move in time."""

    def launch(entrant: Entrant, _limits: Limits) -> Channel:
        return LateAtFirst() if entrant.name == "b" else RandomChannel()

    with MatchRunner(launch) as room:
        return reply_of(WorkerReply(request.number, room.play(request.spec)), request.number)


@pytest.mark.parametrize("lying", [True, False])
def test_host_that_lets_a_rival_time_out_is_named(repository: Database, lying: bool) -> None:
    said: list[str] = []
    tournament = begin(repository, 2, games=40, limits=QUICK).id
    nodes = (FakeNode("a", late_rival), FakeNode("b")) if lying else (FakeNode("a"), FakeNode("b"))
    executor = cluster(FakeLink(*nodes))
    executor.begin(about_run(said))
    Coordinator(repository, tournament, executor, Path("/nowhere")).run()
    named = [line for line in said if "timed out or crashed" in line]
    assert len(named) == lying
    assert all(line.startswith("b timed out or crashed in") and "/a, and in 0 of" in line for line in named)


def sent_by(name: str, match: PlayedMatch) -> HostResult:
    return HostResult(IntroducedNode(ClusterNode(name, name, 1), HostInfo()), match)


@pytest.mark.parametrize(
    ("plays", "counts", "doubtful", "wrong"),
    [
        ("ad d", "b", "a", ""),  # a time-out that no other machine sees
        ("da d", "a", "b", ""),
        ("ab d", "here", "ab", ""),
        ("ad a", "a", "b", ""),  # the time-out is real
        ("ad bbb", "here", "", ""),  # three machines, three results: the run names none
        ("ad bbd", "b", "a", ""),
        ("de ddd", "a", "", "b"),
        ("de bd", "a", "b", ""),
        ("de df", "here", "", ""),
        ("de f", "here", "", ""),
        ("a d", "here", "a", ""),
        ("a a", "a", "", ""),
        ("d eee", "none", "", "a"),
        ("a -", "a", "", ""),
        ("ad -", "b", "", ""),  # this machine cannot play it
    ],
)
def test_machine_that_differs_is_named_and_does_not_count(
    plays: str, counts: str, doubtful: str, wrong: str
) -> None:
    """Plays a, b and c have time-outs, each at another place; d, e and f have none."""
    task = MatchTask(1, make_spec(), "/nowhere", "off", reuse=False)

    def as_played(letter: str) -> PlayedMatch:
        late: tuple[tuple[int, FaultKind, int], ...] = ((2, "timeout", 0),) if letter in "abc" else ()
        actions = [(1, letter)]
        record = make_record(task.spec, "1", actions, Outcome((1, 2), "points", late))
        return PlayedMatch(record, (), Measurements(reproducible=not late))

    def here(_task: MatchTask) -> WorkerReply:
        letter = next(judge)
        return WorkerReply(1, failure="no") if letter == "-" else WorkerReply(1, as_played(letter))

    hosts, judged = plays.split()
    judge = iter(judged)
    decided: list[tuple[str, str, str]] = []

    def decide(
        _match: SubmittedMatch, good: tuple[str, PlayedMatch] | None, bad: tuple[IntroducedNode, ...]
    ) -> None:
        host = "none" if good is None else good[0].replace("this machine", "here")
        decided.append((host, "".join(sorted(rechecks._doubtful)), "".join(one.host for one in bad)))

    run = about_run([])
    rechecks = Rechecks(run, 0, lambda: FuturesExecutor(Immediate, here), lambda act: act(), decide)
    match = SubmittedMatch(task, Future(), sides=[sent_by("a", as_played(hosts[0]))])
    if len(hosts) > 1:
        rechecks.compare(match, sent_by("b", as_played(hosts[1])))
    else:
        rechecks.judge(match)
    assert decided == [(counts, doubtful, wrong)]
    assert list(judge) == []


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
