"""An executor on other hosts, which it does not trust; the library that reaches them is behind ``Link``.

One thread owns all state: events are functions put into its inbox. ``batches`` decides what travels where,
``checking`` looks at each reply, ``rechecks`` finds the host that is wrong; here is what follows when a node
comes, replies, fails, is lost, or is set aside. These events change the same few tables, so that they stay
together in one class, which makes this module long.
"""

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Future, wait
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import ClassVar, Final, Literal

from tourney.errors import TourneyError, UsageError, WorkerError
from tourney.match.result import PlayedMatch
from tourney.run.workers.batches import Batch, Batches, PlayingNode, Sent, Submitted
from tourney.run.workers.checking import Checked, Checker, Source
from tourney.run.workers.executor import MatchExecutor, MatchTask, Playing, Run, WorkerReply
from tourney.run.workers.link import Link, LinkLostError, Node
from tourney.run.workers.local import LocalExecutor
from tourney.run.workers.lookout import Lookout, in_thread
from tourney.run.workers.preflight import Introduced, introduce, mixed, speeds_text
from tourney.run.workers.rechecks import Rechecks
from tourney.run.workers.wire import Question, WrongReplyError, encode, play_request, without_kept

MAX_FAILURES: Final = 3
"""A match is void after this many failures."""
MAX_FAILED_HERE: Final = 6
"""A host that fails so many matches in a row, which no other host has failed, gets no more."""
_LOOK_SECONDS: Final = 0.5
_AT_ONCE: Final = 64
"""The nodes that are asked something at once."""
_JOIN_SECONDS: Final = 5.0


class ClusterExecutor(MatchExecutor):
    """Plays matches on the nodes of a ``Link``; a future's exception is a WorkerError where none is left.

    ``recheck`` of 10,000 matches are played on a second host. ``allow_mixed`` takes hosts that differ.
    """

    remote: ClassVar[bool] = True
    overdue_seconds: ClassVar[float] = 600.0
    """A match without a reply is played elsewhere after this time, or ten times the longest so far."""
    answer_seconds: ClassVar[float] = 900.0
    """How long the run waits before its start for hosts to say what they are, and to build the bots."""
    patience_seconds: ClassVar[float] = 60.0
    """How long a lost scheduler may take to come back."""
    silence_seconds: ClassVar[float] = 300.0
    """How long a scheduler whose connection stands may give no answer."""

    def __init__(
        self,
        workers: int,
        *,
        cpus: int = 1,
        address: str = "",
        recheck: int = 0,
        allow_mixed: bool = False,
    ) -> None:
        super().__init__(workers, cpus=cpus)
        self._cpus = cpus
        self._allow_mixed = allow_mixed
        self._link = self.connect(address, workers)
        self._session = secrets.token_hex(8)
        self._inbox: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._few = threading.BoundedSemaphore(_AT_ONCE)
        self._checker = Checker()
        self._thread = threading.Thread(target=self._work, name="tourney-cluster", daemon=True)
        self._batches = Batches()
        self._nodes, self._waiting = self._batches.nodes, self._batches.waiting
        self._rechecks = Rechecks(recheck, self.make_judge, self._inbox.put, self._decided)
        self._asked: set[str] = set()  # nodes that are being introduced
        self._refused: dict[str, str] = {}  # nodes that get no match: what to say of each
        self._aside: dict[str, str] = {}  # machines whose results do not count
        self._new_aside: dict[str, str] = {}
        self._released: Counter[str] = Counter()  # results that each machine has given
        self._open: set[Submitted] = set()
        self._sent_back: dict[int, list[str]] = {}  # where a bot of a match was killed or waited too long
        self._longest = 0.0
        self._paused = ""
        self._shown: tuple[Playing, ...] = ()
        self._draining = self._closing = self._over = False
        self._problem: TourneyError | None = None

    def connect(self, address: str, workers: int) -> Link:
        """Return the link to a cluster, not connected yet. Raises UsageError."""
        raise NotImplementedError

    def clock(self) -> float:
        """Return the seconds of a clock that only goes forward."""
        return time.monotonic()

    def make_judge(self) -> MatchExecutor:
        """Return an executor on this machine, for matches about which hosts differ."""
        return LocalExecutor(1, cpus=self._cpus)

    # -- for the coordinator --------------------------------------------------------------------------------

    def begin(self, run: Run) -> None:
        """Connect, ask all hosts what they are, and bring them the bots."""
        self._run = run
        self._rechecks.begin(run)
        self._aside = dict(run.distrusted)
        self._lookout = Lookout(
            self._link, clock=self.clock, say=run.say, seconds=_LOOK_SECONDS, limit=self.silence_seconds
        )
        try:
            self._link.connect()
            self._begin()
        except BaseException:
            self._link.close()
            raise
        self._thread.start()

    def running(self) -> tuple[Playing, ...]:
        """Return the matches that the nodes play, as far as that is known: the first of each batch."""
        return self._shown

    def paused(self) -> str:
        """Return what the cluster waits for, or ""."""
        return self._paused or self._lookout.text

    @property
    def capacity(self) -> int:
        """Two batches a slot."""
        return self._batches.capacity

    def set_aside(self) -> Mapping[str, str]:
        """Return the machines that were found wrong in this run, with the reasons."""
        return dict(self._new_aside)

    def submit(self, task: MatchTask) -> "Future[WorkerReply]":
        """Submit a match. Raises WorkerError where the cluster is lost for good."""
        if self._problem is not None:
            raise self._problem
        match = Submitted(task, Future())
        match.future.set_running_or_notify_cancel()  # a drain waits for it
        self._inbox.put(partial(self._submitted, match))
        if self._problem is not None:
            raise self._problem
        return match.future

    def restart(self) -> None:
        """Do nothing: a lost node's matches are played again without the coordinator."""

    def drain(self) -> None:
        """Start no further match."""
        self._inbox.put(self._drain)

    def close(self) -> None:
        """Wait for the matches being played, and end the workers of this run."""
        self._inbox.put(self._close)
        self._join(None)
        self._end()
        self._rechecks.close()

    def stop(self) -> None:
        """End the workers and their bots at once, as far as the hosts can be reached."""
        self._over = True
        self._inbox.put(lambda: None)
        self._join(_JOIN_SECONDS)
        self._end()
        self._rechecks.stop()

    def _join(self, seconds: float | None) -> None:
        if self._thread.ident is not None:
            self._thread.join(seconds)

    def _end(self) -> None:
        """Let the nodes end this run's workers, and end the connection."""
        asked = [in_thread(partial(self._order, address, "end")) for address in list(self._nodes)]
        wait(asked, timeout=_JOIN_SECONDS)
        self._checker.close()
        self._link.close()

    def _ask(self, node: Node) -> "Future[Introduced]":
        """Introduce a node, in a thread."""

        def ask() -> Introduced:
            with self._few:
                return introduce(self._link, node, self._run, self._session)

        return in_thread(ask)

    # -- hosts ----------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Introduce the nodes that are there; wait for the first."""
        nodes = self._lookout.first()
        if not any(node.slots for node in nodes.values()):
            self._run.say(f"waiting for workers that offer match slots{self._about_slots(nodes)}")
        while not any(node.slots for node in nodes.values()):
            time.sleep(_LOOK_SECONDS)
            nodes = self._lookout.poll() or nodes
        self._asked = {address for address, node in nodes.items() if node.slots}
        asked = [self._ask(nodes[address]) for address in sorted(self._asked)]
        until = self.clock() + self.answer_seconds
        while wait(asked, timeout=_LOOK_SECONDS).not_done and self.clock() < until:
            self._lookout.poll()
        found = [one.result() for one in asked if one.done()]
        for late in [one for one in asked if not one.done()]:
            late.add_done_callback(lambda one: self._inbox.put(partial(self._introduced, one.result())))
        good = [one for one in found if not one.problem]
        if good and (why := mixed(good, self._run)):
            if not self._allow_mixed:
                raise UsageError(f"{why}; make them equal, or pass --allow-mixed")
            self._run.say(f"--allow-mixed: {why}")
        for one in found:
            self._introduced(one)
        self._check_nodes()
        slots = sum(node.slots for node in self._nodes.values())
        self._run.say(f"cluster: {len(self._nodes)} of {len(nodes)} workers play, {slots} match slots")
        if text := speeds_text([node.known for node in self._nodes.values()], self._run):
            self._run.say(text)
        if not all(node.known.about.contained for node in self._nodes.values()):
            self._run.say(
                "bots are not kept from the network on every host, so that a bot can reach the cluster's"
                " scheduler and run programs on all hosts: play only bots that you trust"
            )

    def _about_slots(self, nodes: Mapping[str, Node]) -> str:
        return f"; the {len(nodes)} that are there offer none: see docs/how-to/cluster.md" if nodes else ""

    def _introduced(self, one: Introduced) -> None:
        """Take a node, or say why it gets no match."""
        address, machine = one.node.address, one.node.machine
        self._asked.discard(address)
        problem = one.problem
        if not problem and machine in self._aside:
            problem = f"set aside: {self._aside[machine]}"
        if not problem and self._nodes and not self._allow_mixed:
            reference = next(iter(self._nodes.values())).known
            problem = mixed([reference, one], self._run)
        if problem:
            self._refused[address] = f"{one.host} gets no match: {problem}"
            self._run.say(self._refused[address])
            return
        self._nodes[address] = PlayingNode(one)
        self._count_slots()

    def _count_slots(self) -> None:
        self._batches.count_slots()
        self.workers = self._batches.slots

    def _check_nodes(self) -> None:
        """Raise WorkerError if all nodes that are there are refused."""
        if self._asked or any(not node.closed for node in self._nodes.values()):
            return
        reasons = [*self._refused.values(), *(node.closed for node in self._nodes.values())]
        if reasons:
            raise WorkerError(
                f"no worker of the cluster can play: {'; '.join(reasons[:3])}; all stored results are kept"
            )

    def _look(self, nodes: Mapping[str, Node]) -> None:
        """Find the nodes that came and went, and the matches that take too long."""
        for address in [address for address in self._nodes if address not in nodes]:
            self._lost(address)
        for address in [address for address in self._refused if address not in nodes]:
            del self._refused[address]
        for address, node in nodes.items():
            known = address in self._nodes or address in self._refused or address in self._asked
            if node.slots and not known:
                self._asked.add(address)
                asked = self._ask(node)
                asked.add_done_callback(lambda one: self._inbox.put(partial(self._introduced, one.result())))
        self._check_nodes()
        if self._nodes or self._asked:
            self._paused = ""
        elif not self._paused:
            self._paused = "no worker of the cluster is there; waiting for one"
            self._run.say(self._paused)
        limit = max(self.overdue_seconds, 10 * self._longest)
        for here in self._nodes.values():
            for batch in here.playing:
                if self.clock() - batch.since > limit:
                    here.stuck += 1
                    batch.stuck = True
                    self._fail(batch, f"gave no reply in {limit:.0f} seconds")
                    self._count_slots()
                    break

    def _lost(self, address: str) -> None:
        """Play the matches of a lost node again; those it was playing count the loss."""
        node = self._nodes.pop(address)
        self._count_slots()
        playing = node.playing
        if node.batches:
            count = sum(len(batch.matches) for batch in node.batches)
            self._run.say(f"{node.known.host} is lost; {count} of its matches are played again")
        for batch in reversed(node.batches):
            batch.over = True
            for match in reversed(batch.matches):
                match.losses += batch in playing
                if match.losses < self._link.allowed_failures:
                    self._waiting.appendleft(match)
                    continue
                why = f"{match.losses} workers were lost while they played it"
                self._release(match, WorkerReply(match.task.number, failure=why, plays=MAX_FAILURES))

    def _distrust(self, one: Introduced, why: str) -> None:
        """Set a machine aside: what it plays is played again, and what it has played is asked back."""
        machine = one.node.machine
        if machine in self._aside:
            return
        self._aside[machine] = why
        again = 0
        for node in self._nodes.values():
            if node.machine == machine:
                node.closed = f"{node.known.host} is set aside: {why}"
                again += self._batches.take_back(node)
        for match in self._open:
            if match.first is not None and match.first[0].node.machine == machine:
                match.first = None
        self._count_slots()
        self._run.say(
            f"{one.host} is set aside: {why}; all its matches are played again, {again} of them were in play"
        )
        if self._released[machine] or self._run.resumed:
            self._new_aside[machine] = why

    # -- matches --------------------------------------------------------------------------------------------

    def _submitted(self, match: Submitted) -> None:
        """Take a match; what a host has kept of it is for that host alone, and only once."""
        self._open.add(match)
        where = self._sent_back.get(match.task.number, [])
        match.not_on = set(where)
        if match.task.again.kept is not None:
            if len(where) == 1 and any(n.machine == where[0] and not n.closed for n in self._nodes.values()):
                match.only_on, match.not_on = where[0], set()
            else:
                match.task = without_kept(match.task)
        self._waiting.append(match)

    def _place(self) -> None:
        """Send the waiting matches to nodes with room, in order; in a drain, to none."""
        if not self._draining:
            self._batches.place(self._send, self._rechecks.judge)
            return
        while self._waiting:
            match = self._waiting.popleft()
            self._release(match, WorkerReply(match.task.number))

    def _send(self, node: PlayingNode, matches: list[Submitted]) -> None:
        request = play_request(
            [match.task for match in matches],
            session=self._session,
            slots=node.known.node.slots,
            cpus=self._cpus,
        )
        batch = node.send(matches, self.clock())
        future = self._link.play(node.known.node.address, request)
        future.add_done_callback(lambda done: self._inbox.put(partial(self._ended, batch, done)))

    def _ended(self, batch: Batch, done: "Future[object]") -> None:
        """Take the reply to a batch, and have it checked."""
        if batch.stuck:  # late, but the slot is free again
            batch.node.stuck -= 1
            self._count_slots()
        if batch.over or done.cancelled():
            return
        if (error := done.exception()) is not None:
            self._fail(batch, f"{type(error).__name__}: {error}"[:400])
            return
        self._batches.end(batch)
        one = batch.node.known
        elapsed = self.clock() - batch.since
        self._longest = max(self._longest, elapsed)
        source = Source(one.host, one.about.speed, round(1000 * elapsed))
        tasks = [match.task for match in batch.matches]
        checked = self._checker.check(done.result(), tasks, source)
        if checked.done():
            self._checked(batch, checked)
        else:
            checked.add_done_callback(lambda done: self._inbox.put(partial(self._checked, batch, done)))

    def _checked(self, batch: Batch, done: "Future[list[Checked]]") -> None:
        """Take a reply that was checked."""
        node = batch.node
        try:
            if node.machine in self._aside:
                self._waiting.extend(batch.matches)
                return
            found = done.result()
        except WrongReplyError as error:
            self._waiting.extend(batch.matches)
            self._distrust(node.known, f"it {error}")
            return
        except (BrokenExecutor, CancelledError):
            self._fail(batch, "its reply ended the process that checked it")
            return
        self._batches.measure(node, [one.head.ms for one in found if one.played is not None])
        for match, one in zip(batch.matches, found, strict=True):
            if node.machine in self._aside:  # by an earlier match of this batch
                self._waiting.append(match)
            else:
                self._take(match, node, one)

    def _take(self, match: Submitted, node: PlayingNode, one: Checked) -> None:
        """Take the reply to a match."""
        head = one.head
        if one.played is not None:
            self._accept(match, node, one.played)
        elif head.end == "unusable" or (head.end == "failed" and head.cause == "machine"):
            self._failed(match, node, head.why or "it failed without a reason")
        elif head.end == "idle":
            if self._draining:
                self._release(match, WorkerReply(match.task.number))
            else:  # it has heard of a drain that is not of this run, or the reply to its batch was too long
                match.alone = True
                self._waiting.append(match)
        elif match.first is not None:
            match.not_on.add(node.machine)  # a second play that the machine ended proves nothing
            self._waiting.append(match)
        else:
            self._sent_back.setdefault(match.task.number, []).append(node.machine)
            seat = head.seat if head.seat <= len(match.task.spec.seats) else 0
            reply = WorkerReply(match.task.number, None, head.why, head.cause, seat, head.kept)
            self._release(match, reply)

    def _fail(self, batch: Batch, why: str) -> None:
        """Play a batch elsewhere to which a host gave no reply; of several matches each travels alone."""
        self._batches.end(batch)
        if len(batch.matches) == 1:
            self._failed(batch.matches[0], batch.node, why)
            return
        batch.node.failed += 1
        for match in reversed(batch.matches):
            match.alone = True
            match.not_on.add(batch.node.machine)
            self._waiting.appendleft(match)
        self._close_failing(batch.node, why)

    def _failed(self, match: Submitted, node: PlayingNode, why: str) -> None:
        """Play a match elsewhere that a host failed to play; one that fails many gets no more."""
        node.failed += not match.failures  # a match that fails everywhere says nothing about a host
        match.failures += 1
        match.not_on.add(node.machine)
        self._close_failing(node, why)
        if match.first is not None or match.failures < MAX_FAILURES:  # what has a result is judged at last
            self._waiting.appendleft(match)
            return
        self._release(match, WorkerReply(match.task.number, failure=why, plays=MAX_FAILURES))

    def _close_failing(self, node: PlayingNode, why: str) -> None:
        if node.failed >= MAX_FAILED_HERE and not node.closed:
            node.closed = f"{node.known.host} gets no more matches: {node.failed} failed in a row: {why}"
            self._count_slots()
            self._run.say(node.closed)

    def _accept(self, match: Submitted, node: PlayingNode, played: PlayedMatch) -> None:
        """Deliver a match that was played, or have it rechecked if it was drawn."""
        one = node.known
        node.failed = 0
        if match.first is None:
            if match.task.reuse or not self._rechecks.drawn(
                match.task.number
            ):  # with reuse nothing is promised
                self._deliver(match, one, played)
                return
            match.first = one, played
            match.not_on, match.only_on = {one.node.machine}, ""
            match.task = without_kept(match.task)
            self._waiting.append(match)
            return
        self._rechecks.compare(match, match.first, (one, played))

    def _decided(self, match: Submitted, good: Sent | None, wrong: tuple[Introduced, ...]) -> None:
        """Take a match that was rechecked: what counts of it, and the hosts that sent another one."""
        match.first = match.second = None
        match.judged = []
        for one in wrong:
            self._distrust(one, f"its match {match.task.number} is not what comes of it on other machines")
        if good is None:
            self._waiting.append(match)
        else:
            self._deliver(match, *good)

    def _deliver(self, match: Submitted, one: Introduced, played: PlayedMatch) -> None:
        self._released[one.node.machine] += 1
        self._rechecks.count(match, one.host, played)
        self._release(match, WorkerReply(match.task.number, played))

    def _release(self, match: Submitted, reply: WorkerReply) -> None:
        self._open.discard(match)
        match.future.set_result(reply)

    # -- the thread -----------------------------------------------------------------------------------------

    def _drain(self) -> None:
        if not self._draining:
            self._draining = True
            for address in self._nodes:
                in_thread(partial(self._order, address, "drain"))

    def _order(self, address: str, kind: Literal["drain", "end"]) -> None:
        with suppress(TourneyError, OSError):
            self._link.ask(address, encode(Question(kind, self._session)))

    def _close(self) -> None:
        self._drain()
        self._closing = True

    def _work(self) -> None:
        try:
            while not self._over:
                with suppress(Empty):
                    self._inbox.get(timeout=_LOOK_SECONDS)()
                    while True:
                        self._inbox.get_nowait()()
                try:
                    self._stop_in_time()
                    nodes = self._lookout.poll()
                    if nodes is not None:
                        self._look(nodes)
                    self._place()
                except LinkLostError as error:
                    self._reconnect(str(error))
                self._shown = self._batches.playing()
                if self._closing and not self._open and not self._rechecks.busy:
                    break
        except BaseException as error:  # noqa: BLE001 - the coordinator has to learn of any error
            self._give_up(error)
        self._rechecks.say_doubts()

    def _stop_in_time(self) -> None:
        """Let what waits on the nodes not start after its time."""
        now = time.monotonic()  # the clock of ``start_by``
        if any(match.task.start_by is not None and now > match.task.start_by for match in self._open):
            self._drain()

    def _reconnect(self, why: str) -> None:
        """Wait until the cluster is there again; all that was in play is played again."""
        self._run.say(f"{why}; trying again for {self.patience_seconds:.0f} seconds")
        self._paused = why
        for node in self._nodes.values():
            self._batches.take_back(node)
        self._nodes.clear()
        self._refused.clear()
        until = self.clock() + self.patience_seconds
        while not self._over:
            try:
                self._link.connect()
                self._lookout.first()
            except TourneyError as error:
                if self.clock() > until:
                    raise WorkerError(
                        f"{error}; start the scheduler and its workers and run again: all stored results are"
                        " kept"
                    ) from error
                time.sleep(_LOOK_SECONDS)
            else:
                self._paused = ""
                self._run.say("the cluster is there again")
                return

    def _give_up(self, error: BaseException) -> None:
        if not isinstance(error, TourneyError):
            error = WorkerError(f"the cluster failed: {type(error).__name__}: {error}")
        self._problem = error
        for match in self._open:
            match.future.set_exception(self._problem)
        self._open.clear()
        while True:  # what was submitted meanwhile
            try:
                action = self._inbox.get_nowait()
            except Empty:
                return
            if isinstance(action, partial) and action.func == self._submitted:
                action.args[0].future.set_exception(self._problem)
