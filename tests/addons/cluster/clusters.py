"""A cluster for tests: nodes in threads of this process, which play honestly or do as a test says."""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from tests.support.executors import FuturesExecutor, Immediate
from tests.support.tournaments import begin, digests
from tourney.addons.cluster.executor import ClusterExecutor
from tourney.addons.cluster.host_service import host_info
from tourney.addons.cluster.messages import (
    BatchRequest,
    BotsAnswer,
    Question,
    RequestedMatch,
    RoomAnswer,
    decode,
    encode,
    reply_of,
)
from tourney.addons.cluster.nodes import ClusterLink, ClusterNode, LinkLostError
from tourney.bots.channel.interface import Channel, Event
from tourney.check.named_seeds import RandomChannel
from tourney.match.runner import MatchRunner
from tourney.match.spec import DEFAULT_LIMITS, Entrant, Limits
from tourney.run.engine.coordinator import Coordinator
from tourney.run.summary import Summary
from tourney.run.workers.executor import MatchExecutor, MatchTask, Run, WorkerReply
from tourney.store.database import Database

Behaviour = Callable[[RequestedMatch, bytes], object]
"""What a node sends for a match, given the honest reply."""


def launch(_entrant: Entrant, _limits: Limits) -> Channel:
    return RandomChannel()


def play(task: MatchTask) -> WorkerReply:
    """Play a match of bots that choose by their seeds."""
    with MatchRunner(launch) as room:
        return WorkerReply(task.number, room.play(task.spec))


def honest(_request: RequestedMatch, reply: bytes) -> object:
    return reply


@dataclass
class FakeNode:
    """A node that behaves in some way; ``about`` overrides what it says of itself.

    ``room`` is the number of matches for which its host has memory.
    """

    name: str
    behave: Behaviour = honest
    slots: int = 1
    about: Mapping[str, str | int] = field(default_factory=dict)
    room: int | None = None


class FakeLink(ClusterLink):
    """Nodes by name; each is a machine of its own. ``requests`` are all that were sent, with their node.

    ``batches`` are the numbers of matches that travelled together.
    """

    def __init__(self, *nodes: FakeNode) -> None:
        self.there = {node.name: node for node in nodes}
        self.requests: list[tuple[str, RequestedMatch]] = []
        self.batches: list[list[int]] = []
        self.broken = False
        self.answers = threading.Event()  # unset: the connection stands, but gives no answer
        self.answers.set()
        self.asked: list[str] = []
        self._threads = ThreadPoolExecutor(8)

    def connect(self) -> None:
        if self.broken:
            raise LinkLostError("the link is broken")

    def nodes(self) -> Mapping[str, ClusterNode]:
        self.answers.wait()
        if self.broken:
            raise LinkLostError("the link is broken")
        return {name: ClusterNode(name, name, node.slots) for name, node in dict(self.there).items()}

    def ask(self, address: str, request: bytes, attachment: bytes = b"") -> bytes:
        question = decode(request, Question)
        self.asked.append(question.kind)
        if question.kind == "room":
            return encode(RoomAnswer(self.there[address].room))
        if question.kind != "about":
            return encode(BotsAnswer())
        said = host_info(question.game, "off")
        changes = dict(self.there[address].about)
        return encode(
            type(said)(**{**{key: getattr(said, key) for key in said.__struct_fields__}, **changes})
        )

    def play(self, address: str, request: bytes) -> "Future[object]":
        wanted = decode(request, BatchRequest)
        self.requests += [(address, asked) for asked in wanted.matches]
        self.batches.append([asked.number for asked in wanted.matches])
        future: Future[object] = Future()

        def work() -> None:
            replies = []
            for asked, task in zip(wanted.matches, wanted.tasks("/nowhere"), strict=True):
                node = self.there.get(address)
                if node is None:
                    return  # a lost node gives no reply
                reply = reply_of(play(task), asked.number, 1)
                replies.append(node.behave(asked, reply))
            self.answers.wait()
            if address in self.there and None not in replies:
                joined = b"\n".join(reply for reply in replies if isinstance(reply, bytes))
                future.set_result(joined if all(isinstance(one, bytes) for one in replies) else replies)

        self._threads.submit(work)
        return future

    def close(self) -> None:
        self._threads.shutdown(wait=False)


class FakeCluster(ClusterExecutor):
    """A cluster executor over a ``FakeLink``, whose judge plays in this process."""

    name: ClassVar[str] = "fake"
    links: ClassVar[dict[str, FakeLink]] = {}
    patience_seconds: ClassVar[float] = 0.0
    _late = 0.0

    def clock(self) -> float:
        """Return the time; without an answer of the link it goes quickly."""
        link = self._link
        if isinstance(link, FakeLink) and not link.answers.is_set():
            self._late += 7.0
        return time.monotonic() + self._late

    def connect(self, address: str, workers: int) -> ClusterLink:
        return self.links[address]

    def make_judge(self) -> MatchExecutor:
        return FuturesExecutor(Immediate, play)


def cluster(link: FakeLink, *, recheck: int = 0, allow_mixed: bool = False) -> FakeCluster:
    """Return an executor over a link, not begun."""
    FakeCluster.links = {"here": link}
    return FakeCluster(1, address="here", recheck=recheck, allow_mixed=allow_mixed)


def about_run(said: list[str]) -> Run:
    """Return what such an executor learns of a tournament of ``tests.support.tournaments.begin``."""
    return Run(2**64 - 1, "sage-stones", DEFAULT_LIMITS, "off", "/nowhere", (), said.append)


def two(behave: Behaviour) -> FakeLink:
    """A node that behaves so, and an honest one."""
    return FakeLink(FakeNode("a", behave), FakeNode("b"))


class Other(RandomChannel):
    """Chooses by another seed than that of its match."""

    def wait(self, deadline: int) -> Event:
        self._turn += 1000 if self._turn < 1000 else 0
        return super().wait(deadline)


def other_game(request: RequestedMatch, _reply: bytes) -> object:
    """Send the same match as other bots would play it: its rules, dice and digest are right."""
    with MatchRunner(lambda _entrant, _limits: Other()) as room:
        return reply_of(WorkerReply(request.number, room.play(request.spec)), request.number)


class Said(list[str]):
    """The messages of a run, each of which is handed on."""

    def __init__(self, then: Callable[[str], None]) -> None:
        super().__init__()
        self._then = then

    def append(self, text: str) -> None:
        super().append(text)
        self._then(text)


ROUNDS = {"round-robin": None, "swiss": 4}
"""The formats of these runs, with their rounds."""


class Cup:
    """A tournament, and what its runs have said."""

    def __init__(
        self,
        repository: Database,
        format_: str = "round-robin",
        entrants: int = 3,
        games: int = 2,
        extra: tuple[tuple[str, int | str], ...] = (),
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.repository = repository
        self.said: list[str] = []
        rounds = ROUNDS.get(format_)
        self.id = begin(
            repository, entrants, format_=format_, rounds=rounds, games=games, extra=extra, limits=limits
        ).id

    def run(self, executor: MatchExecutor) -> Summary:
        """Run by an executor, without the hosts that were refused before."""
        hosts = {one.host: one.why for one in self.repository.hosts.refused(self.id)}
        executor.begin(replace(about_run(self.said), refused=hosts))
        return Coordinator(self.repository, self.id, executor, Path("/nowhere")).run()

    @property
    def digests(self) -> dict[int, str]:
        return digests(self.repository, self.id)

    @property
    def hosts(self) -> set[str]:
        """The machines that played the stored matches."""
        return {host.rpartition("/")[2] for _, host in self.repository.hosts.of_matches(self.id)}
