"""An executor on other hosts: what they lose, fail, forge or withhold changes no result."""

import json
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from msgspec import structs

from tests import clusters
from tests.clusters import FakeCluster, FakeLink, FakeNode, about_run, cluster, play
from tests.executors import FuturesExecutor, Immediate
from tests.tournaments import begin, digests, entrant, refused
from tourney.bots.catalogue.store import BotStore
from tourney.bots.channel.base import Event
from tourney.errors import UsageError, WorkerError
from tourney.match.again import Kept
from tourney.match.match_runner import MatchRunner
from tourney.match.named_seeds import RandomChannel
from tourney.match.record import make_record, spec_of
from tourney.match.result import PlayedMatch
from tourney.match.spec import Limits, MatchSpec
from tourney.run.engine import session
from tourney.run.engine.coordinator import Coordinator
from tourney.run.monitoring.summary import End, Summary
from tourney.run.workers import batches, checking
from tourney.run.workers.executor import MatchExecutor, MatchTask, WorkerReply
from tourney.run.workers.link import LinkLostError, Node
from tourney.run.workers.preflight import Introduced
from tourney.run.workers.wire import MAX_REPLY, About, AskedMatch, Played, encode, reply_of
from tourney.store.repository import Repository

KEPT = ("resumed", "distrusted")
ROUNDS = {"round-robin": None, "swiss": 4}


@pytest.fixture(scope="module", params=sorted(ROUNDS))
def case(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, dict[int, str]]:
    """A format, and the digests of a run on this machine."""
    with Repository.open(str(tmp_path_factory.mktemp("local") / "t.db"), create=True) as repository:
        tournament = begin(repository, 4, format_=request.param, rounds=ROUNDS[request.param], games=4).id
        Coordinator(repository, tournament, FuturesExecutor(Immediate, play), Path("/nowhere")).run()
        return request.param, digests(repository, tournament)


class Cup:
    """A tournament, and what its runs have said."""

    def __init__(
        self,
        repository: Repository,
        format_: str = "round-robin",
        entrants: int = 3,
        games: int = 2,
        extra: tuple[tuple[str, int | str], ...] = (),
        limits: Limits = Limits(),  # noqa: B008 - a frozen value
    ) -> None:
        self.repository = repository
        self.said: list[str] = []
        rounds = ROUNDS.get(format_)
        self.id = begin(
            repository, entrants, format_=format_, rounds=rounds, games=games, extra=extra, limits=limits
        ).id

    def run(self, *executors: FakeCluster) -> Summary:
        """Run by these executors; each one after the first goes on without the hosts set aside."""
        left = list(executors)

        def coordinate(executor: MatchExecutor) -> Summary:
            return Coordinator(self.repository, self.id, executor, Path("/nowhere")).run()

        seed = self.repository.tournament_by_id(self.id).seed
        assert seed == about_run(self.said).seed
        stores = BotStore(Path("/nowhere"))
        return session._play(
            self.repository, self.id, lambda: left.pop(0), stores, coordinate, self.said.append
        )

    @property
    def digests(self) -> dict[int, str]:
        return digests(self.repository, self.id)


@pytest.fixture
def cup(repository: Repository, case: tuple[str, dict[int, str]], monkeypatch: pytest.MonkeyPatch) -> Cup:
    made = Cup(repository, case[0], 4, 4)
    monkeypatch.setattr(
        session, "Run", lambda **given: replace(about_run(made.said), **{key: given[key] for key in KEPT})
    )
    return made


def two(behave: Callable[[AskedMatch, bytes], object]) -> FakeLink:
    """A node that behaves so, and an honest one."""
    return FakeLink(FakeNode("a", behave), FakeNode("b"))


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


def test_share_of_rechecks_is_drawn_from_the_seed(cup: Cup, case: tuple[str, dict[int, str]]) -> None:
    link = FakeLink(FakeNode("a"), FakeNode("b"))
    executor = cluster(link, recheck=2_500)
    cup.run(executor)
    numbers = [request.number for _, request in link.requests]
    drawn = {number for number in case[1] if executor._rechecks.drawn(number)}
    assert {number for number in numbers if numbers.count(number) == 2} == drawn
    assert 0 < len(drawn) < len(case[1])


def test_matches_of_a_lost_node_are_played_elsewhere(cup: Cup, case: tuple[str, dict[int, str]]) -> None:
    link = two(lambda request, reply: link.there.pop("a", None) and None if request.number > 3 else reply)
    assert cup.run(cluster(link)).end is End.FINISHED
    assert cup.digests == case[1]
    assert any("is lost" in line for line in cup.said)


def test_match_that_kills_its_nodes_is_void_and_named(repository: Repository) -> None:
    """Others that were in play beside it count one loss and are played."""
    cup = Cup(repository)

    def deadly(request: AskedMatch, reply: bytes) -> object:
        if request.number != 2:
            return reply
        name = next(name for name, sent in reversed(link.requests) if sent.number == 2)
        link.there[name + "+"] = FakeNode(name + "+", deadly, slots=2)
        del link.there[name]
        return None

    link = FakeLink(FakeNode("a", deadly, slots=2), FakeNode("b", deadly, slots=2))
    executor = cluster(link)
    executor.begin(about_run(cup.said))
    Coordinator(repository, cup.id, executor, Path("/nowhere")).run()
    void = [
        m for m in repository.matches(cup.id, finished=True) if m.result is not None and not m.result.digest
    ]
    assert [match.number for match in void] == [2]
    assert void[0].result is not None
    assert "3 workers were lost while they played it" in void[0].result.note
    assert [name for name, request in link.requests if request.number == 2] != []
    assert len([1 for _, request in link.requests if request.number == 2]) == 3


def forged(change: Callable[[dict[str, Any], dict[str, Any], list[Any]], None]) -> Callable[..., object]:
    """Return a node that changes record, measurements and log of what it has played."""

    def behave(_request: AskedMatch, reply: bytes) -> object:
        head, record, log, measured = reply.split(b"\n")
        parts = [json.loads(record), json.loads(measured), json.loads(log or b"[]")]
        change(*parts)
        return b"\n".join([head, *(json.dumps(parts[k]).encode() for k in (0, 2, 1))])

    return behave


class Other(RandomChannel):
    """Chooses by another seed than that of its match."""

    def wait(self, deadline: int) -> Event:
        self._turn += 1000 if self._turn < 1000 else 0
        return super().wait(deadline)


def other_game(request: AskedMatch, _reply: bytes) -> object:
    """Send the same match as other bots would play it: its rules, dice and digest are right."""
    with MatchRunner(lambda _entrant, _limits: Other()) as room:
        return reply_of(WorkerReply(request.number, room.play(request.spec)), request.number)


WRONG: dict[str, Callable[[AskedMatch, bytes], object]] = {
    "no bytes": lambda _request, _reply: {"record": 1},
    "garbage": lambda _request, _reply: b"\xff{",
    "too long": lambda _request, _reply: b"x" * (MAX_REPLY + 1),
    "another number": lambda request, _reply: encode(Played(request.number + 1, "idle")),
    "digest": forged(lambda record, _measured, _log: record.update(digest="0" * 64)),
    "ranks": forged(lambda record, _measured, _log: record["outcome"]["ranks"].reverse()),
    "seed": forged(lambda record, _measured, _log: record.update(seed="1")),
    "another bot": forged(lambda record, _measured, _log: record["seats"][0].update(digest="1" * 64)),
    "time": forged(lambda _record, measured, _log: measured.update({"wall-ms": 1e300})),
    "negative time": forged(lambda _record, measured, _log: measured.update({"wall-ms": -1})),
    "waiting": forged(lambda _record, measured, _log: measured["seats"][0].update({"waited-ms": 1e12})),
    "sandbox": forged(lambda _record, measured, _log: measured.update(sandbox={"level": "x" * 61})),
    "start": forged(lambda _record, measured, _log: measured.update(started="<b>now</b>")),
    "log of no seat": forged(lambda _record, _measured, log: log.append([0, 9, "info", "hm"])),
    "long log": forged(lambda _record, _measured, log: log.extend([[0, 1, "info", "x"]] * 3000)),
}


@pytest.mark.parametrize("what", sorted(WRONG))
def test_host_that_sends_what_is_wrong_is_set_aside(what: str, repository: Repository) -> None:
    cup = Cup(repository)
    link = two(WRONG[what])
    executor = cluster(link)
    executor.begin(about_run(cup.said))
    assert Coordinator(repository, cup.id, executor, Path("/nowhere")).run().end is End.FINISHED
    hosts = {repository.measured(cup.id, number)["host"].rpartition("/")[2] for number in cup.digests}
    assert hosts == {"b"}
    assert len([line for line in cup.said if "a is set aside: it " in line]) == 1
    assert executor.set_aside() == {}, "nothing of it was stored"


def test_lying_host_is_found_and_its_matches_are_played_again(
    cup: Cup, case: tuple[str, dict[int, str]]
) -> None:
    """It begins to lie after it has given results that look right; all end as on this machine."""
    executors = [cluster(two(other_game), recheck=5_000) for _ in range(3)]
    assert cup.run(*executors).end is End.FINISHED
    said = [line for line in cup.said if "is set aside: its match" in line]
    assert len(said) == 1
    assert cup.digests == case[1]
    hosts = {cup.repository.measured(cup.id, number)["host"].rpartition("/")[2] for number in cup.digests}
    assert hosts == {"b"}


@pytest.mark.parametrize("format_", ["swiss", "adaptive"])
def test_rounds_drawn_from_lies_are_drawn_anew(
    format_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host, alone at first, lies where no recheck finds it, and many rounds later where one does."""
    extra = (("batch", 2), ("budget", 24)) if format_ == "adaptive" else ()
    cups = [
        Cup(Repository.open(str(tmp_path / f"{k}.db"), create=True), format_, 4, 2, extra) for k in range(2)
    ]
    local, cup = cups
    Coordinator(local.repository, local.id, FuturesExecutor(Immediate, play), Path("/nowhere")).run()
    monkeypatch.setattr(
        session, "Run", lambda **given: replace(about_run(cup.said), **{key: given[key] for key in KEPT})
    )

    def lies(request: AskedMatch, reply: bytes) -> object:
        early = request.number < len(local.digests) - 4
        return reply if early and liar._rechecks.drawn(request.number) else other_game(request, reply)

    liar, still = (cluster(FakeLink(FakeNode("a", lies)), recheck=6_000) for _ in range(2))
    with refused(WorkerError, "set aside", "all stored results are kept"):
        cup.run(liar, still)
    assert cup.run(*(cluster(two(lies)) for _ in range(2))).end is End.FINISHED
    assert any("a gets no match: set aside: results of it were taken back" in line for line in cup.said)
    assert any("drawn anew" in line for line in cup.said)
    assert cup.digests == local.digests


ENDS: dict[str, Callable[[int], Played]] = {
    "killed": lambda number: Played(number, "failed", "a bot was killed", "killed", 1),
    "unusable": lambda number: Played(number, "unusable", "no such bot"),
}


@pytest.mark.parametrize("how", sorted(ENDS))
def test_recheck_that_other_hosts_end_is_judged_here(
    how: str, cup: Cup, case: tuple[str, dict[int, str]]
) -> None:
    """Hosts on which every recheck ends without a result neither hold up a match nor make it void."""

    def end(request: AskedMatch, honest: bytes) -> object:
        if all(sent.number != request.number for name, sent in link.requests if name == "a"):
            return honest
        return encode(ENDS[how](request.number))

    link = FakeLink(FakeNode("a"), *(FakeNode(name, end) for name in "bcd"))
    assert cup.run(cluster(link, recheck=10_000)).end is End.FINISHED
    assert cup.digests == case[1]


def test_matches_wait_on_where_the_connection_is_lost() -> None:
    """One that has to wait for its host is not forgotten when another cannot be sent."""
    queue = batches.Batches()
    spec = MatchSpec("sage-stones", (), (entrant("a"), entrant("b")), 1)
    rechecked, plain = (
        batches.Submitted(MatchTask(number, spec, "/nowhere", "off", False), Future()) for number in (1, 2)
    )
    for name in "ab":
        queue.nodes[name] = batches.PlayingNode(Introduced(Node(name, name, 1), About()))
    rechecked.first = queue.nodes["a"].known, play(rechecked.task).played or pytest.fail("not played")
    rechecked.not_on = {"a"}
    for _ in range(batches.IN_FLIGHT):
        queue.nodes["b"].send([], 0.0)
    queue.waiting.extend([rechecked, plain])

    def send(node: batches.PlayingNode, matches: list[batches.Submitted]) -> None:
        node.send(matches, 0.0)
        raise LinkLostError("the link is broken")

    with refused(LinkLostError, "broken"):
        queue.place(send, lambda _match: pytest.fail("another host may play it"))
    queue.take_back(queue.nodes["a"])
    assert list(queue.waiting) == [rechecked, plain]


class Late(RandomChannel):
    """Gives no action in time."""

    def wait(self, deadline: int) -> Event:
        return Event("timeout") if self._turn else super().wait(deadline)


def by_any_clock(task: MatchTask, channel: Callable[[], RandomChannel] = RandomChannel) -> WorkerReply:
    """Play a match by the clock of the wall; its record says that the clock was that of the task."""
    with MatchRunner(lambda _entrant, _limits: channel()) as room:
        match = room.play(structs.replace(task.spec, limits=Limits()))
    actions = [(actor, text) for actor, text in match.record["actions"]]
    spec = structs.replace(spec_of(match.record), limits=task.spec.limits)
    record = make_record(spec, match.record["rules"], actions, match.outcome)
    return WorkerReply(task.number, PlayedMatch(record, match.log, match.measured))


@pytest.mark.parametrize("charge", ["fuel", "wall"])
def test_invented_timeout_is_proved_by_fuel_only(
    charge: Literal["fuel", "wall"], repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock of fuel gives the same time-outs on every host, another one need not."""
    monkeypatch.setattr(clusters, "play", by_any_clock)
    cup = Cup(repository, limits=Limits(charge=charge).metered())

    def late(request: AskedMatch, _reply: bytes) -> object:
        task = MatchTask(request.number, request.spec, "/nowhere", "off", reuse=False)
        return reply_of(by_any_clock(task, Late), request.number)

    executor = cluster(two(late), recheck=10_000)
    executor.begin(about_run(cup.said))
    assert Coordinator(repository, cup.id, executor, Path("/nowhere")).run().end is End.FINISHED
    found = [line for line in cup.said if "a is set aside: its match" in line]
    unproved = [line for line in cup.said if "came out differently on another host" in line]
    faults = sum(count for _, kind, count in repository.faults(cup.id) if kind == "timeout")
    assert (len(found), len(unproved), faults > 0) == ((1, 0, False) if charge == "fuel" else (0, 2, True))


def test_single_lying_host_is_found_by_this_machine(repository: Repository) -> None:
    cup = Cup(repository)
    executor = cluster(FakeLink(FakeNode("a", other_game)), recheck=10_000)
    executor.begin(about_run(cup.said))
    with refused(WorkerError, "a is set aside", "all stored results are kept"):
        Coordinator(repository, cup.id, executor, Path("/nowhere")).run()
    assert cup.digests == {}


def test_promise_to_reproduce_follows_from_the_record(repository: Repository) -> None:
    """A host that promises nothing would not be rechecked."""
    cup = Cup(repository)
    link = two(
        forged(lambda _r, measured, _l: measured.update({"reproducible": False, "why-not": ["a", "b"]}))
    )
    executor = cluster(link)
    executor.begin(about_run(cup.said))
    Coordinator(repository, cup.id, executor, Path("/nowhere")).run()
    for number in cup.digests:
        measured = repository.measured(cup.id, number)
        assert (measured["reproducible"], measured["why-not"]) == (True, [])
        assert measured["speed"] > 0


def test_what_a_host_has_kept_of_a_match_goes_to_no_other(cup: Cup, case: tuple[str, dict[int, str]]) -> None:
    """A bot that was killed goes on where its match stopped, once; another host begins anew."""
    kept = Kept(((1, "sow-1"),))

    def killed(request: AskedMatch, reply: bytes) -> object:
        if request.number % 3:
            return reply
        return encode(Played(request.number, "failed", "a bot was killed", "killed", 1, kept))

    link = two(killed)
    assert cup.run(cluster(link)).end is End.FINISHED
    assert cup.digests == case[1]
    assert {name for name, request in link.requests if request.again.kept} <= {"a"}


def test_host_that_fails_all_gets_no_more(cup: Cup, case: tuple[str, dict[int, str]]) -> None:
    link = two(lambda request, _reply: encode(Played(request.number, "unusable", "no such bot")))
    assert cup.run(cluster(link)).end is End.FINISHED
    assert cup.digests == case[1]
    assert len([line for line in cup.said if "a gets no more matches" in line]) <= 1


def test_match_without_a_reply_is_played_elsewhere(
    cup: Cup, case: tuple[str, dict[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeCluster, "overdue_seconds", 0.5)
    link = two(lambda request, reply: None if request.number == 1 else reply)
    assert cup.run(cluster(link)).end is End.FINISHED
    assert cup.digests == case[1]


def test_hosts_that_differ_are_refused_unless_allowed(repository: Repository) -> None:
    cup = Cup(repository)
    for field, words in (
        ("python", "Python"),
        ("rules", "the rules of the game"),
        ("sandbox", "the sandbox"),
    ):
        link = FakeLink(FakeNode("a"), FakeNode("b", about={field: "other"}))
        with refused(UsageError, f"hosts differ in {words}", "other on ", "/b; make them equal, or pass"):
            cluster(link).begin(about_run(cup.said))
    executor = cluster(FakeLink(FakeNode("a"), FakeNode("b", about={"python": "other"})), allow_mixed=True)
    executor.begin(about_run(cup.said))
    Coordinator(repository, cup.id, executor, Path("/nowhere")).run()
    assert len(cup.digests) == 6
    assert any(line.startswith("--allow-mixed: hosts differ in Python") for line in cup.said)


def test_host_that_cannot_contain_gets_no_match(repository: Repository) -> None:
    cup = Cup(repository)
    link = FakeLink(FakeNode("a", about={"problem": "there is no bubblewrap"}), FakeNode("b"))
    executor = cluster(link)
    executor.begin(about_run(cup.said))
    Coordinator(repository, cup.id, executor, Path("/nowhere")).run()
    assert {name for name, _ in link.requests} == {"b"}
    assert any("a gets no match: there is no bubblewrap" in line for line in cup.said)
    with refused(WorkerError, "no worker of the cluster can play", "there is no bubblewrap"):
        cluster(FakeLink(FakeNode("a", about={"problem": "there is no bubblewrap"}))).begin(about_run([]))


def test_unlike_hosts_are_named_where_time_is_limited(repository: Repository) -> None:
    cup = Cup(repository)
    executor = cluster(FakeLink(FakeNode("a", about={"speed": 100}), FakeNode("b", about={"speed": 300})))
    executor.begin(about_run(cup.said))
    executor.stop()
    assert any("b is 200 % faster than" in line and 'charge = "wall"' in line for line in cup.said)


def test_lost_scheduler_is_waited_for(
    cup: Cup, case: tuple[str, dict[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeCluster, "patience_seconds", 300.0)
    broken: list[int] = []

    def breaks(request: AskedMatch, reply: bytes) -> object:
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


def test_scheduler_lost_for_good_ends_the_run(repository: Repository) -> None:
    cup = Cup(repository)

    def breaks(request: AskedMatch, reply: bytes) -> object:
        link.broken = link.broken or request.number > 4
        return None if link.broken else reply

    link = FakeLink(FakeNode("a", breaks))
    executor = cluster(link)
    executor.begin(about_run(cup.said))
    with refused(WorkerError, "the link is broken; start the scheduler", "all stored results are kept"):
        Coordinator(repository, cup.id, executor, Path("/nowhere")).run()
    assert set(cup.digests) <= {1, 2, 3, 4}


class Said(list[str]):
    """The messages of a run, each of which is handed on."""

    def __init__(self, then: Callable[[str], None]) -> None:
        super().__init__()
        self._then = then

    def append(self, text: str) -> None:
        super().append(text)
        self._then(text)


def test_run_without_workers_waits_for_one(cup: Cup, case: tuple[str, dict[int, str]]) -> None:
    def join(text: str) -> None:
        if text == "no worker of the cluster is there; waiting for one":
            paused.append(executor.paused())
            link.there["b"] = FakeNode("b")

    paused: list[str] = []
    cup.said = Said(join)
    link = FakeLink(FakeNode("a", lambda request, reply: reply if request.number < 4 else link.there.clear()))
    executor = cluster(link)
    assert cup.run(executor).end is End.FINISHED
    assert cup.digests == case[1]
    assert paused == ["no worker of the cluster is there; waiting for one"]


def test_silent_scheduler_is_named_and_waited_for(cup: Cup, case: tuple[str, dict[int, str]]) -> None:
    paused: list[str] = []

    def paused_once(text: str) -> None:
        if "no word from the scheduler" in text and len(paused) < 3:
            paused.append(executor.paused())
            if len(paused) == 3:
                link.answers.set()

    def silent(request: AskedMatch, reply: bytes) -> object:
        if request.number == 4 and not paused:
            link.answers.clear()
        return reply

    link = FakeLink(FakeNode("a", silent), FakeNode("b", silent))
    executor = cluster(link)
    cup.said = Said(paused_once)
    assert cup.run(executor).end is End.FINISHED
    assert cup.digests == case[1]
    assert [text[:31] for text in paused] == ["no word from the scheduler for "] * 3
    assert executor.paused() == ""
    assert len([line for line in cup.said if "the scheduler answers again, after" in line]) == 1


def test_scheduler_silent_for_long_ends_the_run(repository: Repository) -> None:
    cup = Cup(repository)

    def silent(request: AskedMatch, reply: bytes) -> object:
        if request.number > 4:
            link.answers.clear()
        return reply

    link = FakeLink(FakeNode("a", silent))
    executor = cluster(link)
    executor.begin(about_run(cup.said))
    with refused(WorkerError, "no word from the scheduler for 3", "run again: all stored results are kept"):
        Coordinator(repository, cup.id, executor, Path("/nowhere")).run()
    link.answers.set()
    assert set(cup.digests) <= {1, 2, 3, 4}
    assert len([line for line in cup.said if "no word from the scheduler" in line]) > 2


def test_short_matches_travel_in_batches(repository: Repository) -> None:
    """All nodes get some; a match that kills its nodes takes along none that travelled with it."""
    cup = Cup(repository, games=30)
    deadly: list[str] = []

    def kills(request: AskedMatch, reply: bytes) -> object:
        if request.number != 40:
            return reply
        name = next(name for name, sent in reversed(link.requests) if sent.number == 40)
        deadly.append(name)
        link.there[name + "+"] = FakeNode(name + "+", kills, slots=2)
        del link.there[name]
        return None

    link = FakeLink(FakeNode("a", kills, slots=2), FakeNode("b", kills, slots=2))
    executor = cluster(link)
    executor.begin(about_run(cup.said))
    Coordinator(repository, cup.id, executor, Path("/nowhere")).run()
    matches = list(repository.matches(cup.id, finished=True))
    void = [m.number for m in matches if m.result is not None and not m.result.digest]
    assert (len(matches), void, len(deadly)) == (90, [40], 3)
    assert max(map(len, link.batches)) > 4
    lost = next(batch for batch in link.batches if 40 in batch)
    again = [batch for batch in link.batches[link.batches.index(lost) + 1 :] if {*batch} & {*lost}]
    assert len(lost) > 1
    assert all(len(batch) == 1 for batch in again)


def test_replies_are_checked_in_processes_once_it_costs(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is killed costs no match; a wrong record is found there, too."""
    monkeypatch.setattr(checking, "INLINE_SECONDS", 0.0)
    monkeypatch.setattr(batches, "MAX_BATCH", 2)
    cup = Cup(repository, games=10)
    killed: list[int] = []

    def kill(request: AskedMatch, reply: bytes) -> object:
        pool = executor._checker._pool
        if pool is not None and not killed:
            killed.extend(pool._processes)
            for process in pool._processes.values():
                process.kill()
        return WRONG["digest"](request, reply) if request.number == 20 else reply

    executor = cluster(FakeLink(FakeNode("a", kill)))
    executor.begin(about_run(cup.said))
    with suppress(WorkerError):  # no host is left
        Coordinator(repository, cup.id, executor, Path("/nowhere")).run()
    assert any("a is set aside: it sent a wrong record" in line for line in cup.said)
    assert killed
    assert 14 <= executor._released["a"] < 29
