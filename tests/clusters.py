"""A cluster for tests: nodes in threads of this process, which play honestly or do as a test says."""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import ClassVar

from tests.executors import FuturesExecutor, Immediate
from tourney.bots.channel.base import Channel
from tourney.match.again import FIRST
from tourney.match.match_runner import MatchRunner
from tourney.match.named_seeds import RandomChannel
from tourney.match.spec import Entrant, Limits
from tourney.run.workers.cluster import ClusterExecutor
from tourney.run.workers.executor import MatchExecutor, MatchTask, Run, WorkerReply
from tourney.run.workers.host import about
from tourney.run.workers.link import Link, LinkLostError, Node
from tourney.run.workers.wire import AskedMatch, BotsAnswer, PlayRequest, Question, decode, encode, reply_of

Behaviour = Callable[[AskedMatch, bytes], object]
"""What a node sends for a match, given the honest reply."""


def launch(_entrant: Entrant, _limits: Limits) -> Channel:
    return RandomChannel()


def play(task: MatchTask) -> WorkerReply:
    """Play a match of bots that choose by their seeds."""
    with MatchRunner(launch) as room:
        return WorkerReply(task.number, room.play(task.spec))


def honest(_request: AskedMatch, reply: bytes) -> object:
    return reply


@dataclass
class FakeNode:
    """A node that behaves in some way; ``about`` overrides what it says of itself."""

    name: str
    behave: Behaviour = honest
    slots: int = 1
    about: Mapping[str, str | int] = field(default_factory=dict)


class FakeLink(Link):
    """Nodes by name; each is a machine of its own. ``requests`` are all that were sent, with their node.

    ``batches`` are the numbers of matches that travelled together.
    """

    def __init__(self, *nodes: FakeNode) -> None:
        self.there = {node.name: node for node in nodes}
        self.requests: list[tuple[str, AskedMatch]] = []
        self.batches: list[list[int]] = []
        self.broken = False
        self.answers = threading.Event()  # unset: the connection stands, but gives no answer
        self.answers.set()
        self.asked: list[str] = []
        self._threads = ThreadPoolExecutor(8)

    def connect(self) -> None:
        if self.broken:
            raise LinkLostError("the link is broken")

    def nodes(self) -> Mapping[str, Node]:
        self.answers.wait()
        if self.broken:
            raise LinkLostError("the link is broken")
        return {name: Node(name, name, node.slots) for name, node in dict(self.there).items()}

    def ask(self, address: str, request: bytes, attachment: bytes = b"") -> bytes:
        question: Question = decode(request, Question)
        self.asked.append(question.kind)
        if question.kind != "about":
            return encode(BotsAnswer())
        said = about(question.game, "off")
        changes = dict(self.there[address].about)
        return encode(
            type(said)(**{**{key: getattr(said, key) for key in said.__struct_fields__}, **changes})
        )

    def play(self, address: str, request: bytes) -> "Future[object]":
        wanted: PlayRequest = decode(request, PlayRequest)
        self.requests += [(address, asked) for asked in wanted.matches]
        self.batches.append([asked.number for asked in wanted.matches])
        future: Future[object] = Future()

        def work() -> None:
            replies = []
            for asked, task in zip(wanted.matches, wanted.tasks("/nowhere"), strict=True):
                node = self.there.get(address)
                if node is None:
                    return  # a lost node gives no reply
                reply = reply_of(play(replace(task, again=FIRST)), asked.number, 1)
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

    def connect(self, address: str, workers: int) -> Link:
        return self.links[address]

    def make_judge(self) -> MatchExecutor:
        return FuturesExecutor(Immediate, play)


def cluster(link: FakeLink, *, recheck: int = 0, allow_mixed: bool = False) -> FakeCluster:
    """Return an executor over a link, not begun."""
    FakeCluster.links = {"here": link}
    return FakeCluster(1, address="here", recheck=recheck, allow_mixed=allow_mixed)


def about_run(said: list[str]) -> Run:
    """Return what such an executor learns of a tournament of ``tests.tournaments.begin``."""
    return Run(2**64 - 1, "sage-stones", Limits(), "off", False, "/nowhere", (), said.append)
