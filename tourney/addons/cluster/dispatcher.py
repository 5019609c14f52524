"""The matches of a cluster from submission to reply: sent to nodes, checked, rechecked, sent again.

``admission`` says which nodes play, ``batches`` what travels where, ``messages`` whether a reply is valid,
and ``rechecks`` which host is wrong. Here is what follows when a node comes, replies, fails, is lost, or is
refused.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal

from tourney.addons.cluster.batches import (
    BatchQueue,
    CountedResult,
    HostResult,
    PlayingNode,
    Rechecks,
    SentBatch,
    SubmittedMatch,
)
from tourney.addons.cluster.messages import (
    BatchRequest,
    CheckedReply,
    InvalidReplyError,
    Question,
    ReplyChecker,
    ReplySource,
    RequestedMatch,
    encode,
)
from tourney.addons.cluster.nodes import (
    Admission,
    ClusterLink,
    ClusterNode,
    IntroducedNode,
    in_thread,
    speeds_text,
)
from tourney.errors import BotError, TourneyError, WorkerError
from tourney.match.result import Cause, PlayedMatch
from tourney.run.workers.executor import MAX_FAILURES, MatchExecutor, Run, WorkerReply
from tourney.texts import counted

MAX_FAILED_HERE: Final = 6
"""A host that fails this many matches in a row, which no other host has failed, gets no more."""


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """How a cluster plays a run.

    Each slot has ``cpus`` processors. ``recheck`` of 10,000 matches are played on a second host.
    ``allow_mixed`` takes hosts that differ. A match without a reply is played elsewhere after
    ``overdue_seconds``, or ten times the longest so far.
    """

    cpus: int
    recheck: int
    allow_mixed: bool
    overdue_seconds: float


class Dispatcher(BatchQueue):
    """Sends matches to the nodes of a cluster, and takes their replies.

    One thread uses it: ``put`` brings functions there. ``clock`` gives the seconds of a monotonic clock.
    """

    def __init__(
        self,
        link: ClusterLink,
        run: Run,
        settings: ClusterSettings,
        make_judge: Callable[[], MatchExecutor],
        put: Callable[[Callable[[], None]], None],
        clock: Callable[[], float],
    ) -> None:
        super().__init__()
        self._link = link
        self._run = run
        self._settings = settings
        self._put = put
        self._clock = clock
        self._session = secrets.token_hex(8)  # hosts outlive a run that is killed
        self.rechecks = Rechecks(run, settings.recheck, make_judge, put, self._decided)
        self.admission = Admission(link, run, self._session, allow_mixed=settings.allow_mixed)
        self.checker = ReplyChecker()
        self._open: set[SubmittedMatch] = set()
        self._sent_back: dict[int, list[str]] = {}  # where a bot of a match waited too long
        self._short: set[str] = set()  # hosts whose memory is too small for all of their slots
        self._without_memory: dict[str, str] = {}  # by address, the hosts of nodes that got no slot for that
        self._longest = 0.0
        self._draining = False

    @property
    def idle(self) -> bool:
        """Whether nothing is in play, here or on the nodes."""
        return not self._open and not self.rechecks.busy

    # -- nodes ----------------------------------------------------------------------------------------------

    def begin(self, asked: Sequence[Future[IntroducedNode]], count: int) -> None:
        """Take the nodes that have answered, of the ``count`` that are there; the others come later.

        Raises UsageError for nodes that differ, and WorkerError where none can play.
        """
        introduced = []
        late = []
        for introduction in asked:
            if introduction.done():
                introduced.append(introduction.result())
            else:
                late.append(introduction)
        for introduction in late:
            self._introduce_later(introduction)
        self.admission.compare_first(introduced)
        for node in introduced:
            self._introduced(node)
        self._check_nodes()
        slots = sum(node.slots for node in self.nodes.values())
        self._run.say(f"cluster: {len(self.nodes)} of {count} workers play, {slots} match slots")
        if text := speeds_text([node.known for node in self.nodes.values()], self._run):
            self._run.say(text)
        if not all(node.known.info.contained for node in self.nodes.values()):
            self._run.say(
                "bots are not kept from the network on every host, so that a bot can reach the cluster's"
                " scheduler and run programs on all hosts: play only bots that you trust"
            )

    def _introduce_later(self, asked: "Future[IntroducedNode]") -> None:
        asked.add_done_callback(lambda introduced: self._put(partial(self._introduced, introduced.result())))

    def _introduced(self, introduced: IntroducedNode) -> None:
        if self.admission.admit(introduced, next((node.known for node in self.nodes.values()), None)):
            fitting = self._fitted(introduced)
            if fitting.node.slots:
                self.nodes[introduced.node.address] = PlayingNode(fitting)
            else:
                address = introduced.node.address
                self._without_memory[address] = introduced.info.host
                self.admission.refused[address] = f"{introduced.host} gets no match: no memory is left for it"
            self.count_slots()

    def _fitted(self, introduced: IntroducedNode) -> IntroducedNode:
        """A node with only as many slots as its host has memory for, beside the host's other nodes."""
        if introduced.room is None:
            return introduced
        host = introduced.info.host
        taken = sum(node.slots for node in self.nodes.values() if node.known.info.host == host)
        slots = max(0, min(introduced.node.slots, introduced.room - taken))
        if slots < introduced.node.slots and host not in self._short:
            self._short.add(host)
            matches = counted(introduced.room, "match")
            self._run.say(
                f"memory: {matches} at a time on {introduced.host}, fewer than its slots: the bots of more"
                " may use more than it has"
            )
        return replace(introduced, node=replace(introduced.node, slots=slots))

    def _check_nodes(self) -> None:
        """Raise WorkerError if all nodes that are there are refused."""
        if self.admission.asked or any(not node.closed for node in self.nodes.values()):
            return
        reasons = [*self.admission.refused.values(), *(node.closed for node in self.nodes.values())]
        if reasons:
            raise WorkerError(
                f"no worker of the cluster can play: {'; '.join(reasons[:3])}; all stored results are kept"
            )

    def look(self, nodes: Mapping[str, ClusterNode]) -> bool:
        """Find the nodes that came and went, and the matches that take too long; return whether any plays."""
        for address in [address for address in self.nodes if address not in nodes]:
            self._lost(address)
        self.admission.forget_gone(nodes)
        for address, node in nodes.items():
            if address not in self.nodes and not self.admission.knows(node):
                self._introduce_later(self.admission.ask(node))
        self._check_nodes()
        limit = max(self._settings.overdue_seconds, 10 * self._longest)
        for here in self.nodes.values():
            for batch in here.playing:
                if self._clock() - batch.since > limit:
                    here.stuck += 1
                    batch.stuck = True
                    self._fail(batch, f"gave no reply in {limit:.0f} seconds")
                    self.count_slots()
                    break
        return bool(self.nodes or self.admission.asked)

    def _lost(self, address: str) -> None:
        """Play the matches of a lost node again; those it was playing count the loss."""
        node = self.nodes.pop(address)
        self._free_memory(node.known.info.host)
        self.count_slots()
        playing = node.playing
        if node.batches:
            count = sum(len(batch.matches) for batch in node.batches)
            self._run.say(f"{node.known.host} is lost; {count} of its matches are replayed")
        for batch in reversed(node.batches):  # so that the first match is at the front again
            batch.over = True
            for match in reversed(batch.matches):
                match.losses += batch in playing
                if match.losses < self._link.allowed_failures:
                    self.waiting.appendleft(match)
                    continue
                why = f"{match.losses} workers were lost while they played it"
                self._release(match, WorkerReply(match.task.number, failure=why, plays=MAX_FAILURES))

    def _free_memory(self, host: str) -> None:
        """Ask the other nodes of a host again for which it had no memory: one of its nodes is gone."""
        for address in [address for address, its_host in self._without_memory.items() if its_host == host]:
            del self._without_memory[address]
            self.admission.refused.pop(address, None)

    def _refuse(self, caught: IntroducedNode, why: str) -> None:
        """Give a machine that was caught no more matches; its open ones are played elsewhere."""
        machine = caught.node.machine
        if not self.admission.ban(machine, why):
            return
        again = 0
        for node in self.nodes.values():
            if node.machine == machine:
                node.closed = f"{node.known.host} is refused: {why}"
                again += self.take_back(node)
        for match in self._open:
            if match.sides and match.sides[0].node.node.machine == machine:
                match.sides.clear()
        self.count_slots()
        self._run.say(
            f"{caught.host} is refused: {why}; {again} matches that it was sent are played elsewhere"
        )

    def forget_nodes(self) -> None:
        """Take back all that is in play: the connection is lost, and nodes are introduced again."""
        for node in self.nodes.values():
            self.take_back(node)
        self.nodes.clear()
        self.admission.refused.clear()

    def order(self, kind: Literal["drain", "end"]) -> list[Future[None]]:
        """Tell the nodes to start no further match, or to end their workers; the futures end with that."""

        def ask(address: str) -> None:
            with suppress(TourneyError, OSError):
                self._link.ask(address, encode(Question(kind, self._session)))

        return [in_thread(partial(ask, address)) for address in list(self.nodes)]

    # -- matches --------------------------------------------------------------------------------------------

    def drain(self) -> None:
        """Start no further match."""
        if not self._draining:
            self._draining = True
            self.order("drain")

    def drain_in_time(self, now: float) -> None:
        """Drain once a match that waits on a node must not start any more; ``now`` is as ``start_by``."""
        if any(match.task.start_by is not None and now > match.task.start_by for match in self._open):
            self.drain()

    def fail_all(self, error: TourneyError) -> None:
        """Let all matches that are open fail with an error."""
        for match in self._open:
            match.future.set_exception(error)
        self._open.clear()

    def submit(self, match: SubmittedMatch) -> None:
        """Take a match."""
        self._open.add(match)
        match.not_on = set(self._sent_back.get(match.task.number, ()))
        self.waiting.append(match)

    def place_all(self) -> None:
        """Send the waiting matches to nodes with room, in order; in a drain, to none."""
        if not self._draining:
            self.place(self._send, self.rechecks.judge)
            return
        while self.waiting:
            match = self.waiting.popleft()
            self._release(match, WorkerReply(match.task.number))

    def _send(self, node: PlayingNode, matches: list[SubmittedMatch]) -> None:
        first = matches[0].task
        there = node.known.node
        asked = tuple(
            RequestedMatch(match.task.number, match.task.spec, dict(match.task.absent)) for match in matches
        )
        cpus = self._settings.cpus
        request = BatchRequest(self._session, there.slots, cpus, first.sandbox, first.reuse, asked)
        batch = node.send(matches, self._clock())
        future = self._link.play(there.address, encode(request))
        future.add_done_callback(lambda done: self._put(partial(self._ended, batch, done)))

    def _ended(self, batch: SentBatch, done: "Future[object]") -> None:
        if batch.stuck:  # late, but the slot is free again
            batch.node.stuck -= 1
            self.count_slots()
        if batch.over or done.cancelled():
            return
        if (error := done.exception()) is not None:
            self._fail(batch, f"{type(error).__name__}: {error}"[:400])
            return
        self.end(batch)
        known_node = batch.node.known
        elapsed = self._clock() - batch.since
        self._longest = max(self._longest, elapsed)
        source = ReplySource(known_node.host, known_node.info.speed, round(1000 * elapsed))
        tasks = [match.task for match in batch.matches]
        checked = self.checker.check(done.result(), tasks, source)
        if checked.done():
            self._checked(batch, checked)
        else:
            checked.add_done_callback(lambda done: self._put(partial(self._checked, batch, done)))

    def _checked(self, batch: SentBatch, done: "Future[list[CheckedReply]]") -> None:
        node = batch.node
        try:
            if self.admission.is_banned(node.machine):
                self.waiting.extend(batch.matches)
                return
            replies = done.result()
        except InvalidReplyError as error:
            self.waiting.extend(batch.matches)
            self._refuse(node.known, f"it {error}")
            return
        except (BrokenExecutor, CancelledError):
            self._fail(batch, "its reply ended the process that checked it")
            return
        self.measure(node, [reply.head.ms for reply in replies if reply.played is not None])
        for match, reply in zip(batch.matches, replies, strict=True):
            if self.admission.is_banned(node.machine):  # by an earlier match of this batch
                self.waiting.append(match)
            else:
                self._take(match, node, reply)

    def _take(self, match: SubmittedMatch, node: PlayingNode, reply: CheckedReply) -> None:
        head = reply.head
        if reply.played is not None:
            self._accept(match, node, reply.played)
        elif head.end == "unusable" or (head.end == "failed" and head.cause != "overload"):
            names = [entrant.name for entrant in match.task.spec.seats]
            if head.blame is not None and head.blame.entrant in names:
                match.blame = head.blame
            self._failed(match, node, head.why or "it failed without a reason", usable=head.end == "failed")
        elif head.end == "idle":
            if self._draining:
                self._release(match, WorkerReply(match.task.number))
            else:  # it has heard of a drain that is not of this run, or the reply to its batch was too long
                match.alone = True
                self.waiting.append(match)
        elif match.sides:
            match.not_on.add(node.machine)  # a second play that the machine ended proves nothing
            self.waiting.append(match)
        else:
            self._sent_back.setdefault(match.task.number, []).append(node.machine)
            self._release(match, WorkerReply(match.task.number, failure=head.why, cause=head.cause))

    def _fail(self, batch: SentBatch, why: str) -> None:
        """Play a batch elsewhere to which a host gave no reply; of several matches each travels alone."""
        self.end(batch)
        if len(batch.matches) == 1:
            self._failed(batch.matches[0], batch.node, why)
            return
        batch.node.failed += 1
        for match in reversed(batch.matches):
            match.alone = True
            match.not_on.add(batch.node.machine)
            self.waiting.appendleft(match)
        self._close_failing(batch.node, why)

    def _failed(self, match: SubmittedMatch, node: PlayingNode, why: str, *, usable: bool = True) -> None:
        """Play a match elsewhere that a host failed to play; one that fails many gets no more.

        After the last try it is void or, where its bot or spec is not ``usable``, ends the run as here.
        """
        # A match that fails everywhere, or that a bot ended by filling memory, says nothing about a host.
        node.failed += not (match.failures or match.blame)
        match.failures += 1
        match.not_on.add(node.machine)
        self._close_failing(node, why)
        if match.sides or match.failures < MAX_FAILURES:  # a match with a result is judged last
            self.waiting.appendleft(match)
        elif usable:
            cause: Cause = "machine" if match.blame is None else "memory"
            number = match.task.number
            blame = match.blame
            self._release(match, WorkerReply(number, None, why, cause, plays=MAX_FAILURES, blame=blame))
        else:
            self._open.discard(match)
            match.future.set_exception(BotError(f"{node.known.host} says: {why}"))

    def _close_failing(self, node: PlayingNode, why: str) -> None:
        if node.failed >= MAX_FAILED_HERE and not node.closed:
            node.closed = f"{node.known.host} gets no more matches: {node.failed} failed in a row: {why}"
            self.count_slots()
            self._run.say(node.closed)

    def _accept(self, match: SubmittedMatch, node: PlayingNode, played: PlayedMatch) -> None:
        """Deliver a match that was played, or have it rechecked if it was drawn."""
        host = node.known
        node.failed = 0
        # The record was verified, but a host may have played other bots: only a second play can show that.
        if match.sides:
            self.rechecks.compare(match, HostResult(host, played))
        elif match.task.reuse or not self.rechecks.drawn(match.task.number):  # with reuse nothing is promised
            self._deliver(match, host.host, played)
        else:
            match.sides.append(HostResult(host, played))
            match.not_on = {host.node.machine}
            self.waiting.append(match)

    def _decided(
        self, match: SubmittedMatch, good: CountedResult | None, wrong: tuple[IntroducedNode, ...]
    ) -> None:
        """Take a match that was rechecked: the result that counts, and the hosts that sent another one."""
        match.sides = []
        match.judged = []
        for caught in wrong:
            self._refuse(caught, f"its match {match.task.number} has another result on other machines")
        if good is None:
            self.waiting.append(match)
        else:
            self._deliver(match, good.host, good.played)

    def _deliver(self, match: SubmittedMatch, host: str, played: PlayedMatch) -> None:
        self.rechecks.count(match, host, played)
        self._release(match, WorkerReply(match.task.number, played))

    def _release(self, match: SubmittedMatch, reply: WorkerReply) -> None:
        self._open.discard(match)
        match.future.set_result(reply)
