"""The nodes of a cluster: the link to them, and which of them may play."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar, get_args

from tourney.addons.cluster.host_service import host_info, pack_bot
from tourney.addons.cluster.messages import (
    BotsAnswer,
    HostInfo,
    InvalidReplyError,
    Question,
    RoomAnswer,
    decode,
    encode,
    one_line,
)
from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.sandbox import Degree, lowered, lowest
from tourney.errors import EnvironmentFailure, TourneyError, UsageError, WorkerError
from tourney.run.workers.executor import Run

T = TypeVar("T")

FIELDS: Final[Mapping[str, str]] = {
    "version": "the version of Tourney",
    "rules": "the rules of the game",
    "python": "Python",
    "cores": "the compiled form of the rules",
    "sandbox": "the sandbox",
}
"""The fields of hosts that must be equal, in words."""
HERE: Final = "this machine"
AT_ONCE: Final = 64  # nodes that are asked at once
FAST: Final = 110
"""Hosts are unlike when the fastest has more than this many percent of the slowest one's speed."""
SILENT_SECONDS: Final = 10.0  # after this time without an answer the run says so
SAY_AGAIN_SECONDS: Final = 60.0  # between two such messages
FIRST_SECONDS: Final = 60.0  # for the first answer of a scheduler
_MANY: Final = 100.0  # nodes to look at in a second: the answer grows with them


class LinkLostError(EnvironmentFailure):
    """The coordinator has no connection to its cluster; it may come back."""


@dataclass(frozen=True, slots=True)
class ClusterNode:
    """A worker process of the library: its address, which never comes again, its machine, and its slots.

    ``machine`` is the library's knowledge, not the worker's word: an IP address, or where all are on
    this machine, the worker's name.
    """

    address: str
    machine: str
    slots: int


class ClusterLink(ABC):
    """A connection to a cluster.

    Nodes call ``answer`` and ``play`` of ``tourney.addons.cluster.host_service``. Futures are those of
    ``concurrent.futures``. Where a node is lost, its futures may stay open for ever: ``nodes`` says which are
    there. Methods raise LinkLostError.
    """

    allowed_failures: int = 3  # How many nodes may be lost while they play one match, before it is void

    @abstractmethod
    def connect(self) -> None:
        """Connect, or connect again after the connection was lost."""

    @abstractmethod
    def nodes(self) -> Mapping[str, ClusterNode]:
        """The nodes that are there now, by address.

        It waits for an answer as long as the connection stands; the caller does this in a thread.
        """

    @abstractmethod
    def ask(self, address: str, request: bytes, attachment: bytes = b"") -> bytes:
        """A node's answer to a question; takes no slot. Raises OSError where it gives none."""

    @abstractmethod
    def play(self, address: str, request: bytes) -> "Future[object]":
        """Send a match to a node, where it takes one slot; the future has the reply."""

    @abstractmethod
    def close(self) -> None:
        """End the connection, and what ``connect`` started."""


def in_thread(work: Callable[[], T]) -> "Future[T]":
    """Do something in a thread that does not keep this process from ending."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - it belongs to who waits for the future
            future.set_exception(error)

    threading.Thread(target=run, name="tourney-link", daemon=True).start()
    return future


@dataclass(slots=True)
class NodePoller:
    """Looks at the nodes every ``seconds``; without an answer for ``limit`` seconds it gives up.

    ``clock`` counts seconds; ``say`` prints a message.
    """

    link: ClusterLink
    clock: Callable[[], float]
    say: Callable[[str], None]
    seconds: float
    limit: float
    _asked: "Future[Mapping[str, ClusterNode]] | None" = None
    _since: float = 0.0
    _next: float = 0.0  # at once
    _said: float = 0.0

    def poll(self) -> Mapping[str, ClusterNode] | None:
        """The nodes where an answer has come, else None.

        Raises LinkLostError where the connection is lost, WorkerError after ``limit``.
        """
        now = self.clock()
        if self._asked is None:
            if now < self._next:
                return None
            self._asked = in_thread(self.link.nodes)
            self._since = now
            self._said = 0.0
            wait_for([self._asked], timeout=0.01)  # most answers take no longer
        if not self._asked.done():
            self._be_silent(now - self._since)
            return None
        asked = self._asked
        self._asked = None
        nodes = asked.result()
        if self._said:
            self.say(f"the scheduler answers again, after {now - self._since:.0f} s")
        self._next = now + max(self.seconds, len(nodes) / _MANY)
        return nodes

    def first(self) -> Mapping[str, ClusterNode]:
        """Wait for an answer. Raises LinkLostError where none comes in FIRST_SECONDS."""
        self._asked = None
        asked = in_thread(self.link.nodes)
        with suppress(TimeoutError):
            nodes = asked.result(FIRST_SECONDS)
            self._next = self.clock() + self.seconds
            return nodes
        raise LinkLostError(f"the scheduler gives no answer in {FIRST_SECONDS:.0f} s")

    @property
    def text(self) -> str:
        """How long the scheduler has given no answer; "" where that is not long."""
        silent = self.clock() - self._since if self._asked is not None else 0.0
        return f"no word from the scheduler for {silent:.0f} s; waiting" if silent >= SILENT_SECONDS else ""

    def _be_silent(self, seconds: float) -> None:
        if seconds >= self.limit:
            raise WorkerError(
                f"no word from the scheduler for {seconds:.0f} s; end it, start it and its workers again, and"
                " run again: all stored results are kept"
            )
        if seconds >= max(SILENT_SECONDS, self._said + SAY_AGAIN_SECONDS * bool(self._said)):
            self._said = seconds
            self.say(f"no word from the scheduler for {seconds:.0f} s; waiting")


@dataclass(frozen=True, slots=True)
class IntroducedNode:
    """A node with its own description. ``problem``: why it gets no match, or "".

    ``room`` is the number of matches that fit into the memory of its host, None if that is unknown.
    """

    node: ClusterNode
    info: HostInfo
    problem: str = ""
    room: int | None = None

    @property
    def host(self) -> str:
        """The host beside records: its own name, then its machine as the coordinator knows it."""
        name = "".join(c for c in self.info.host if c.isascii() and (c.isalnum() or c in ".-_"))[:60]
        return f"{name}/{self.node.machine}" if name else self.node.machine


class Admission:
    """Decides which nodes of a cluster play.

    ``asked`` are nodes that have not answered yet, ``refused`` the nodes that get no match, with a
    sentence on each. ``caught`` are the machines that were caught in this run, with the reasons.
    """

    def __init__(self, link: ClusterLink, run: Run, session: str, *, allow_mixed: bool) -> None:
        self._link = link
        self._run = run
        self._session = session
        self._allow_mixed = allow_mixed
        self._few = threading.BoundedSemaphore(AT_ONCE)
        self._banned = dict(run.refused)
        self._floor = run.floor
        self.asked: set[str] = set()
        self.refused: dict[str, str] = {}
        self.caught: dict[str, str] = {}

    def ask(self, node: ClusterNode) -> "Future[IntroducedNode]":
        """Ask a node for its description, in a thread, and send it missing bots, which it builds."""
        self.asked.add(node.address)

        def introduce() -> IntroducedNode:
            info = HostInfo()
            room = RoomAnswer()
            with self._few:
                try:
                    question = Question("about", self._session, self._run.game, self._run.sandbox)
                    info = decode(self._link.ask(node.address, encode(question)), HostInfo)
                    room = RoomAnswer() if info.problem else self._ask_room(node.address)
                    problem = (
                        info.problem or self._weaker(info) or room.problem or self._provide(node.address)
                    )
                except (InvalidReplyError, TourneyError, OSError) as error:
                    problem = str(error) or type(error).__name__
            return IntroducedNode(node, info, one_line(problem), room.matches)

        return in_thread(introduce)

    def _ask_room(self, address: str) -> RoomAnswer:
        """How many matches fit into the memory of a node's host; unknown for one that cannot say."""
        question = Question("room", self._session, memory=self._run.memory)
        with suppress(InvalidReplyError, OSError):  # with --allow-mixed, a version that does not know it
            return decode(self._link.ask(address, encode(question)), RoomAnswer)
        return RoomAnswer()

    def _weaker(self, info: HostInfo) -> str:
        """The reason if a host contains bots less than the tournament did so far, or ""."""
        lower = lowered(_degrees(info), self._floor or {})
        if not lower:
            return ""
        shown = ", ".join(lower)
        return f"it contains bots less than the tournament did so far ({shown}); see --allow-weaker"

    def _provide(self, address: str) -> str:
        """Bring missing bots to a node; return why it cannot play them, or ""."""
        link = self._link
        run = self._run
        question = encode(Question("bots", self._session, run.game, run.sandbox, run.digests))
        answer = decode(link.ask(address, question), BotsAnswer)
        missing = [digest for digest in answer.missing if digest in run.digests]
        for digest in missing:
            order = encode(Question("add", self._session, digests=(digest,)))
            files = pack_bot(BotStore(Path(run.bots)).fetch(digest))
            added = decode(link.ask(address, order, files), BotsAnswer)
            if added.problem:
                return f"it cannot take the bot {digest[:12]}: {added.problem}"
        if missing:  # asked again, the node builds the bots that came
            answer = decode(link.ask(address, question), BotsAnswer)
        if answer.missing and not answer.problem:
            return f"it lacks the bot {answer.missing[0][:12]} after it was sent"
        broken = (f"it cannot start the bot {digest[:12]}: {why}" for digest, why in answer.broken.items())
        return answer.problem or next(broken, "")

    def knows(self, node: ClusterNode) -> bool:
        """Whether a node was asked or refused, or need not be asked because it offers no slots."""
        return not node.slots or node.address in self.asked or node.address in self.refused

    def compare_first(self, introduced: Iterable[IntroducedNode]) -> None:
        """Compare the nodes at the start of the run. Raises UsageError where they differ and may not."""
        good = [node for node in introduced if not node.problem]
        if self._floor is not None and not self._floor and good:
            self._floor = lowest([_degrees(node.info) for node in good])
        if good and (why := mixed(good, self._run)):
            if not self._allow_mixed:
                raise UsageError(f"{why}; make them equal, or pass --allow-mixed")
            self._run.say(f"--allow-mixed: {why}")

    def admit(self, introduced: IntroducedNode, playing: IntroducedNode | None) -> bool:
        """Whether a node that has answered may play, beside one that plays; say why not."""
        self.asked.discard(introduced.node.address)
        problem = introduced.problem
        # By machine, not by node: a liar could end its worker and start another one.
        if not problem and introduced.node.machine in self._banned:
            problem = f"refused: {self._banned[introduced.node.machine]}"
        if not problem and playing is not None and not self._allow_mixed:
            problem = mixed([playing, introduced], self._run)
        if problem:
            self.refused[introduced.node.address] = f"{introduced.host} gets no match: {problem}"
            self._run.say(self.refused[introduced.node.address])
        return not problem

    def ban(self, machine: str, why: str) -> bool:
        """Admit no node of a machine that was caught; return False if it was banned before."""
        if machine in self._banned:
            return False
        self._banned[machine] = self.caught[machine] = why
        return True

    def is_banned(self, machine: str) -> bool:
        """Whether no match of a machine counts."""
        return machine in self._banned

    def forget_gone(self, nodes: Mapping[str, ClusterNode]) -> None:
        """Forget the refused nodes that have left."""
        self.refused = {address: why for address, why in self.refused.items() if address in nodes}


def _degrees(info: HostInfo) -> dict[str, str]:
    """The degrees of the protections that a host says it has."""
    words = (word.partition("=") for word in info.sandbox.split())
    return {name: degree for name, _, degree in words if degree in get_args(Degree)}


def mixed(nodes: Sequence[IntroducedNode], run: Run) -> str:
    """A sentence on the first field in which hosts differ, or ""."""
    here = host_info(run.game, run.sandbox)
    for name, words in FIELDS.items():
        values: dict[str, str] = {}
        if name in ("version", "rules"):  # records are verified here
            values[getattr(here, name)] = HERE
        for node in nodes:
            values.setdefault(getattr(node.info, name), node.host)
        if len(values) > 1:
            pairs = [*values.items()][:2]
            same = set.intersection(*(set(value.split()) for value, _ in pairs))
            first, second = (
                f"{one_line(' '.join(word for word in value.split() if word not in same))[:80]} on {host}"
                for value, host in pairs
            )
            return f"hosts differ in {words}: {first}, {second}"
    return ""


def speeds_text(nodes: Sequence[IntroducedNode], run: Run) -> str:
    """A message if hosts differ in speed and bots are limited by wall-clock time, or ""."""
    limits = run.limits
    by_time = limits.move_ms is not None or limits.clock_ms is not None
    speeds = sorted((node.info.speed, node.host) for node in nodes if node.info.speed)
    if not by_time or not speeds or 100 * speeds[-1][0] <= FAST * speeds[0][0]:
        return ""
    slow, slowest = speeds[0]
    fast, fastest = speeds[-1]
    text = f"hosts are unlike: {fastest} is {100 * fast // slow - 100} % faster than {slowest}"
    if limits.charge == "wall":
        return (
            f'{text}, and charge = "wall" lets a match depend on its host; fair across hosts are'
            ' charge = "fuel", nodes, and with less certainty charge = "cpu"'
        )
    return text
