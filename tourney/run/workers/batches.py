"""The matches of a cluster that wait, and the nodes that play: which match goes where, how many together."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from tourney.match.result import PlayedMatch
from tourney.run.workers.cluster_nodes import IntroducedNode
from tourney.run.workers.executor import MatchTask, Playing, WorkerReply

IN_FLIGHT: Final = 2  # batches of matches sent to a slot: one that is played, and one that waits there
TASKS_A_SECOND: Final = 40
"""Batches that a run sends in a second; each costs coordinator and scheduler some milliseconds."""
BATCH_SECONDS: Final = (0.1, 4.0)
"""The shortest and the longest time of a batch; many slots make batches longer."""
MAX_BATCH: Final = 64

HostResult = tuple[IntroducedNode, PlayedMatch]  # a match that a host has sent, after the host


@dataclass(eq=False, slots=True)
class SubmittedMatch:
    """A match that was submitted; ``alone``: it travels in no batch.

    ``losses``: nodes that were lost while they played it. ``not_on``: machines that it goes to only if there
    is no other. ``first`` and ``second``: what two hosts sent, ``judged``: the result on this machine.
    """

    task: MatchTask
    future: "Future[WorkerReply]"
    losses: int = 0
    failures: int = 0
    alone: bool = False
    not_on: set[str] = field(default_factory=set)
    first: HostResult | None = None
    second: HostResult | None = None
    judged: list[PlayedMatch] = field(default_factory=list)

    @property
    def plain(self) -> bool:
        """Whether it may travel in a batch."""
        return not (self.alone or self.losses or self.failures or self.not_on or self.first)


@dataclass(eq=False, slots=True)
class SentBatch:
    """Matches sent to a node, at a moment of the monotonic clock and of the epoch.

    ``over``: the matches went elsewhere, and a reply counts no more. ``stuck``: it gave none for too long.
    """

    matches: list[SubmittedMatch]
    node: "PlayingNode"
    since: float
    epoch: float
    over: bool = False
    stuck: bool = False


@dataclass(eq=False, slots=True)
class PlayingNode:
    """A node that plays: its batches in the order in which they were sent.

    ``mean``: the seconds of a match, as it said lately; so a host that lies changes its own batches only.
    ``stuck``: slots that gave no reply for too long. ``failed``: matches that it failed to play, in a row.
    ``closed``: why it gets no more matches, or "".
    """

    known: IntroducedNode
    batches: list[SentBatch] = field(default_factory=list)
    stuck: int = 0
    failed: int = 0
    mean: float = 0.0
    closed: str = ""

    @property
    def machine(self) -> str:
        """The machine, as the coordinator knows it."""
        return self.known.node.machine

    @property
    def slots(self) -> int:
        """The slots that reply."""
        return max(0, self.known.node.slots - self.stuck)

    @property
    def playing(self) -> list[SentBatch]:
        """The batches that are played, not waiting there."""
        return self.batches[: self.slots]

    @property
    def room(self) -> int:
        """The batches that it takes now."""
        return 0 if self.closed else max(0, IN_FLIGHT * self.slots - len(self.batches))

    def matches_in(self, seconds: float) -> int:
        """How many matches it plays in that time."""
        return max(1, min(MAX_BATCH, int(seconds / self.mean))) if self.mean else 1

    def send(self, matches: list[SubmittedMatch], now: float) -> SentBatch:
        """Add a batch; ``now`` is that of the monotonic clock."""
        batch = SentBatch(matches, self, now, time.time())
        self.batches.append(batch)
        return batch


class BatchQueue:
    """The nodes by address, and the matches that wait, in order.

    ``slots`` are those of all nodes that play; ``capacity`` is the number of matches that keeps them busy.
    """

    def __init__(self) -> None:
        self.nodes: dict[str, PlayingNode] = {}
        self.waiting: deque[SubmittedMatch] = deque()
        self.slots = 1
        self.capacity = IN_FLIGHT
        self._seconds = BATCH_SECONDS[0]  # of a batch

    def count_slots(self) -> None:
        """Count the slots again, and set how long a batch lasts."""
        good = [node for node in self.nodes.values() if not node.closed]
        self.slots = max(1, sum(node.slots for node in good))
        shortest, longest = BATCH_SECONDS
        self._seconds = min(longest, max(shortest, self.slots / TASKS_A_SECOND))
        matches = sum(node.slots * node.matches_in(self._seconds) for node in good)
        self.capacity = IN_FLIGHT * max(1, matches)

    def measure(self, node: PlayingNode, took: Sequence[int]) -> None:
        """Let a node's batches last as long as they should, by the milliseconds of its latest matches."""
        if took:
            latest = max(1, sum(took) / len(took)) / 1000
            node.mean = latest if not node.mean else 0.8 * node.mean + 0.2 * latest
            self.count_slots()

    def playing(self) -> tuple[Playing, ...]:
        """The matches that the nodes play, as far as that is known: the first of each batch, by number."""
        batches = (batch for node in self.nodes.values() for batch in node.playing)
        return tuple(sorted(Playing(batch.matches[0].task.number, batch.epoch) for batch in batches))

    def place(
        self,
        send: Callable[[PlayingNode, list[SubmittedMatch]], None],
        judge: Callable[[SubmittedMatch], None],
    ) -> None:
        """Send what waits to nodes with room, in order; ``judge`` takes a recheck that no node may play.

        What cannot be sent now waits on, also where ``send`` raises an error.
        """
        # Without room only rechecks that no node may play can go on: to this machine.
        rechecked = any(match.first for match in self.waiting)
        if not (rechecked or any(node.room for node in self.nodes.values())):
            return
        left: list[SubmittedMatch] = []
        try:
            while self.waiting:
                match = self.waiting.popleft()
                node = self._choose(match)
                if node is not None:
                    send(node, self._with_others(match, node))
                elif match.first is not None and not self._may_play(match):
                    judge(match)
                else:
                    left.append(match)
        finally:
            self.waiting.extendleft(reversed(left))

    def end(self, batch: SentBatch) -> None:
        """Take a batch from its node: a reply to it counts no more."""
        batch.over = True
        with suppress(ValueError):
            batch.node.batches.remove(batch)

    def take_back(self, node: PlayingNode) -> int:
        """Let all matches of a node wait again; return how many."""
        count = 0
        for batch in node.batches:
            batch.over = True
            self.waiting.extend(batch.matches)
            count += len(batch.matches)
        node.batches.clear()
        return count

    def _with_others(self, match: SubmittedMatch, node: PlayingNode) -> list[SubmittedMatch]:
        """A match with those that travel with it: all nodes with room get some of those that wait."""
        together = [match]
        if match.plain:
            room = sum(other.room for other in self.nodes.values())
            most = min(node.matches_in(self._seconds), -(-(1 + len(self.waiting)) // room))
            while len(together) < most and self.waiting and self.waiting[0].plain:
                together.append(self.waiting.popleft())
        return together

    def _may_play(self, match: SubmittedMatch) -> list[PlayingNode]:
        """The nodes that may play a match, with room or without."""
        good = [node for node in self.nodes.values() if not node.closed]
        others = [node for node in good if node.machine not in match.not_on]
        return others if others or match.first is not None else good

    def _choose(self, match: SubmittedMatch) -> PlayingNode | None:
        """The least loaded node with room; a match that a node was lost with meets no other such."""
        found = [node for node in self._may_play(match) if node.room]
        if match.losses:
            risky = [n for n in found for batch in n.batches if any(one.losses for one in batch.matches)]
            found = [node for node in found if node not in risky]
        return min(found, key=lambda n: (len(n.batches) / n.slots, n.known.node.address), default=None)
