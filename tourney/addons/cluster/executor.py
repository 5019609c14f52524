"""An executor on other hosts, which it does not trust; ``ClusterLink`` hides the library that reaches them.

One thread owns all state: the coordinator's calls are functions put into its inbox. Here are the connection
and the life of that thread; ``dispatcher`` has the nodes and matches.
"""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import ClassVar, Final

from tourney.addons.cluster.batches import SubmittedMatch
from tourney.addons.cluster.dispatcher import ClusterSettings, Dispatcher
from tourney.addons.cluster.nodes import ClusterLink, ClusterNode, LinkLostError, NodePoller
from tourney.errors import TourneyError, WorkerError
from tourney.match.result import Playing
from tourney.run.workers.executor import MatchExecutor, MatchTask, Run, WorkerReply
from tourney.run.workers.local import LocalExecutor

_LOOK_SECONDS: Final = 0.5  # between two looks at the nodes
_JOIN_SECONDS: Final = 5.0  # for the thread and the nodes to end at a stop


class ClusterExecutor(MatchExecutor):
    """Plays matches on the nodes of a ``ClusterLink``; if none is left, futures have a WorkerError.

    ``recheck`` of 10,000 matches are played on a second host. ``allow_mixed`` takes hosts that differ.
    """

    remote: ClassVar[bool] = True
    overdue_seconds: ClassVar[float] = 600.0
    """A match without a reply is played elsewhere after this time, or ten times the longest so far."""
    answer_seconds: ClassVar[float] = 900.0
    """How long the run waits before its start for hosts to describe themselves and to build the bots."""
    patience_seconds: ClassVar[float] = 60.0
    """The least time to wait for a lost scheduler or a first worker; ``Run.patience`` may be longer.

    A scheduler and workers that are started again need some seconds to find each other.
    """
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
        self._settings = ClusterSettings(cpus, recheck, allow_mixed, self.overdue_seconds)
        self._link = self.connect(address, workers)
        self._inbox: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="tourney-cluster", daemon=True)
        self._paused = ""
        self._patience = self.patience_seconds
        self._without_workers: float | None = None  # since when, if no worker is there
        self._shown: tuple[Playing, ...] = ()
        self._closing = self._over = False
        self._problem: TourneyError | None = None

    def connect(self, address: str, workers: int) -> ClusterLink:
        """The link to a cluster, not connected yet. Raises UsageError."""
        raise NotImplementedError

    def clock(self) -> float:
        """The seconds of a clock that only goes forward."""
        return time.monotonic()

    def make_judge(self) -> MatchExecutor:
        """An executor on this machine, for matches about which hosts differ."""
        return LocalExecutor(1, cpus=self._settings.cpus)

    # -- for the coordinator --------------------------------------------------------------------------------

    def begin(self, run: Run) -> None:
        """Connect, ask all hosts for their descriptions, and send them the bots."""
        self._run = run
        self._patience = max(self.patience_seconds, run.patience)
        self._dispatcher = Dispatcher(
            self._link, run, self._settings, self.make_judge, self._inbox.put, self.clock
        )
        self._poller = NodePoller(self._link, self.clock, run.say, _LOOK_SECONDS, self.silence_seconds)
        try:
            self._link.connect()
            while True:
                try:
                    self._begin()
                    break
                except LinkLostError as error:
                    self._reconnect(str(error))
                    self._dispatcher.admission.asked.clear()
        except BaseException:
            self._link.close()
            raise
        self.workers = self._dispatcher.slots
        self._thread.start()

    def running(self) -> tuple[Playing, ...]:
        """The matches that the nodes play, as far as that is known: the first of each batch."""
        return self._shown

    def paused(self) -> str:
        """The reason why the cluster waits, or ""."""
        return self._paused or self._poller.text

    @property
    def capacity(self) -> int:
        """Two batches a slot."""
        return self._dispatcher.capacity

    def caught(self) -> Mapping[str, str]:
        """The machines that were found wrong in this run, with the reasons."""
        return dict(self._dispatcher.admission.caught)

    def submit(self, task: MatchTask) -> "Future[WorkerReply]":
        """Submit a match. Raises WorkerError where the cluster is lost for good."""
        if self._problem is not None:
            raise self._problem
        match = SubmittedMatch(task, Future())
        match.future.set_running_or_notify_cancel()  # a drain waits for it
        self._inbox.put(partial(self._dispatcher.submit, match))
        # Again: the thread may have ended after the first look, and then it does not empty the inbox.
        if self._problem is not None:
            raise self._problem
        return match.future

    def restart(self) -> None:
        """Do nothing: a lost node's matches are replayed without the coordinator."""

    def drain(self) -> None:
        """Start no further match."""
        self._inbox.put(self._dispatcher.drain)

    def close(self) -> None:
        """Wait for the matches being played, and end the workers of this run."""
        self._inbox.put(self._close)
        self._end(None)
        self._dispatcher.rechecks.end(at_once=False)

    def stop(self) -> None:
        """End the workers and their bots at once, as far as the hosts can be reached."""
        self._over = True
        self._inbox.put(lambda: None)
        self._end(_JOIN_SECONDS)
        self._dispatcher.rechecks.end(at_once=True)

    def _end(self, seconds: float | None) -> None:
        """Let the nodes end this run's workers, and end the connection, after some seconds at most."""
        if self._thread.ident is not None:
            self._thread.join(seconds)
        wait(self._dispatcher.order("end"), timeout=_JOIN_SECONDS)
        self._dispatcher.checker.close()
        self._link.close()

    # -- the connection -------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Wait for nodes that offer match slots, ask for their descriptions, and wait for the answers."""
        nodes = self._poller.first()
        if not any(node.slots for node in nodes.values()):
            some = f"; the {len(nodes)} that are there offer none: see docs/how-to/cluster.md"
            self._run.say(f"waiting for workers that offer match slots{some if nodes else ''}")
        until = self.clock() + self._patience
        while not any(node.slots for node in nodes.values()):
            if self.clock() > until:
                raise self._no_workers("that offers match slots")
            time.sleep(_LOOK_SECONDS)
            nodes = self._poller.poll() or nodes
        asked = [self._dispatcher.admission.ask(nodes[key]) for key in sorted(nodes) if nodes[key].slots]
        until = self.clock() + self.answer_seconds
        while wait(asked, timeout=_LOOK_SECONDS).not_done and self.clock() < until:
            self._poller.poll()
        if any(not introduction.done() or introduction.result().problem for introduction in asked):
            self._poller.first()  # the connection may be lost
        self._dispatcher.begin(asked, len(nodes))

    def _reconnect(self, why: str) -> None:
        """Wait until the cluster is there again; all that was in play is replayed."""
        self._run.say(f"{why}; trying again for {self._patience:,.0f} seconds")
        self._paused = why
        self._dispatcher.forget_nodes()
        until = self.clock() + self._patience
        while not self._over:
            try:
                self._link.connect()
                self._poller.first()
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

    # -- the thread -----------------------------------------------------------------------------------------

    def _close(self) -> None:
        self._dispatcher.drain()
        self._closing = True

    def _work(self) -> None:
        try:
            while not self._over:
                with suppress(Empty):  # without an action too, look at the nodes
                    self._inbox.get(timeout=_LOOK_SECONDS)()
                    while True:
                        self._inbox.get_nowait()()
                try:
                    self._dispatcher.drain_in_time(time.monotonic())
                    nodes = self._poller.poll()
                    if nodes is not None:
                        self._look(nodes)
                    self._dispatcher.place_all()
                except LinkLostError as error:
                    self._reconnect(str(error))
                self._shown = self._dispatcher.playing()
                self.workers = self._dispatcher.slots
                if self._closing and self._dispatcher.idle:
                    break
        except BaseException as error:  # noqa: BLE001 - the coordinator has to learn of any error
            self._give_up(error)
        self._dispatcher.rechecks.say_doubts()

    def _look(self, nodes: Mapping[str, ClusterNode]) -> None:
        if self._dispatcher.look(nodes):
            self._paused = ""
            self._without_workers = None
            return
        # Workers whose scheduler was lost end too, so a scheduler that is back may stay without any.
        if self._without_workers is None:
            self._without_workers = self.clock()
        elif self.clock() - self._without_workers > self._patience:
            raise self._no_workers("of the cluster")
        if not self._paused:
            self._paused = "no worker of the cluster is there; waiting for one"
            self._run.say(f"{self._paused}, for {self._patience:,.0f} seconds")

    def _no_workers(self, kind: str) -> WorkerError:
        return WorkerError(
            f"no worker {kind} has come for {self._patience:,.0f} seconds (--patience); start workers and run"
            " again: all stored results are kept"
        )

    def _give_up(self, error: BaseException) -> None:
        if not isinstance(error, TourneyError):
            error = WorkerError(f"the cluster failed: {type(error).__name__}: {error}")
        self._problem = error
        self._dispatcher.fail_all(error)
        with suppress(Empty):
            while True:  # matches that were submitted meanwhile
                action = self._inbox.get_nowait()
                if isinstance(action, partial) and action.func == self._dispatcher.submit:
                    action.args[0].future.set_exception(self._problem)
