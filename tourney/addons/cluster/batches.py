"""The matches of a cluster: which goes where, how many together, and which a second host plays too.

Where two hosts differ, or there is no second one, this machine plays the match itself, and its result here
decides. What no recheck can prove is counted, and named at the end.
"""

import math
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

from tourney.addons.cluster.nodes import HERE, IntroducedNode
from tourney.match.record import FaultKind
from tourney.match.result import PlayedMatch, Playing
from tourney.run.workers.executor import Blame, MatchExecutor, MatchTask, Run, WorkerReply
from tourney.seeds import derive, uniform

IN_FLIGHT: Final = 2  # batches of matches sent to a slot: one that is played, and one that waits there
TASKS_A_SECOND: Final = 40
"""Batches that a run sends in a second; each costs coordinator and scheduler some milliseconds."""
BATCH_SECONDS: Final = (0.1, 4.0)
"""The shortest and the longest time of a batch; many slots make batches longer."""
MAX_BATCH: Final = 64


class HostResult(NamedTuple):
    """A match as a host has sent it."""

    node: IntroducedNode
    played: PlayedMatch


class CountedResult(NamedTuple):
    """A match as it counts, and the name of the host that played it."""

    host: str
    played: PlayedMatch


@dataclass(eq=False, slots=True)
class SubmittedMatch:
    """A match that was submitted; ``alone``: it travels in no batch.

    ``losses``: nodes that were lost while they played it. ``blame``: the bot that used the most memory where
    it was full. ``not_on``: machines that it goes to only if there is no other. ``sides``: the hosts' results
    of a match that is rechecked, two at most; ``judged``: the results on this machine.
    """

    task: MatchTask
    future: "Future[WorkerReply]"
    losses: int = 0
    failures: int = 0
    blame: Blame | None = None
    alone: bool = False
    not_on: set[str] = field(default_factory=set)
    sides: list[HostResult] = field(default_factory=list)
    judged: list[PlayedMatch] = field(default_factory=list)

    @property
    def plain(self) -> bool:
        """Whether it may travel in a batch."""
        return not (self.alone or self.losses or self.failures or self.not_on or self.sides)


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

    @property
    def has_risky(self) -> bool:
        """Whether it has a match with which a node was lost before."""
        return any(match.losses for batch in self.batches for match in batch.matches)

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
        """Send the waiting matches to nodes with room, in order.

        ``judge`` takes a recheck that no node may play. A match that cannot be sent now stays in the queue,
        also if ``send`` raises an error.
        """
        # Without room only rechecks that no node may play can go on: to this machine.
        rechecked = any(match.sides for match in self.waiting)
        if not (rechecked or any(node.room for node in self.nodes.values())):
            return
        left: list[SubmittedMatch] = []
        try:
            while self.waiting:
                match = self.waiting.popleft()
                node = self._choose(match)
                if node is not None:
                    send(node, self._with_others(match, node))
                elif match.sides and not self._may_play(match):
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
        """A match and others that travel with it: all nodes with room get some of the waiting matches."""
        together = [match]
        if match.plain:
            room = sum(playing.room for playing in self.nodes.values())
            most = min(node.matches_in(self._seconds), -(-(1 + len(self.waiting)) // room))  # rounded up
            while len(together) < most and self.waiting and self.waiting[0].plain:
                together.append(self.waiting.popleft())
        return together

    def _may_play(self, match: SubmittedMatch) -> list[PlayingNode]:
        """The nodes that may play a match, with room or without."""
        good = [node for node in self.nodes.values() if not node.closed]
        others = [node for node in good if node.machine not in match.not_on]
        return others if others or match.sides else good

    def _choose(self, match: SubmittedMatch) -> PlayingNode | None:
        """The least loaded node with room; two matches that each lost a node never share one."""
        nodes = [node for node in self._may_play(match) if node.room]
        if match.losses:
            nodes = [node for node in nodes if not node.has_risky]

        def load(node: PlayingNode) -> tuple[float, str]:
            return len(node.batches) / node.slots, node.known.node.address

        return min(nodes, key=load, default=None)


PLAYS: Final = 3  # the plays on this machine, all alike, that show which of two hosts is wrong
RECHECK_DENOMINATOR: Final = 10_000  # the share of rechecks is given as matches in this many
ERROR: Final = 0.01  # the share of runs on alike hosts in which any host is named


class FaultRates:
    """Counts the matches of each entrant on each host, and those in which it timed out or crashed."""

    def __init__(self) -> None:
        self._matches: Counter[tuple[str, str]] = Counter()
        self._faults: Counter[tuple[str, str]] = Counter()

    def count(self, host: str, entrants: Sequence[str], faults: Iterable[tuple[int, FaultKind]]) -> None:
        """Take a match that a host has played: the entrants by seat, and the faults of seats (from 1)."""
        failed = {seat for seat, kind in faults if kind in ("timeout", "crash")}
        for seat, name in enumerate(entrants, start=1):
            self._matches[host, name] += 1
            self._faults[host, name] += seat in failed

    def findings(self) -> list[str]:
        """A sentence for each host on which an entrant fails more often than chance lets it.

        Fisher's exact test, one-sided, of the host against all others together, by Bonferroni for all pairs
        of a host and an entrant. If matches come to alike hosts by chance, at most ``ERROR`` of runs have
        any.
        """
        sentences = []
        matches = Counter[str]()
        faults = Counter[str]()
        for (host, name), count in self._matches.items():
            matches[name] += count
            faults[name] += self._faults[host, name]
        for (host, name), count in sorted(self._matches.items()):
            here = self._faults[host, name]
            others = matches[name] - count
            if others and at_least(here, count, faults[name], matches[name]) <= ERROR / len(self._matches):
                sentences.append(
                    f"{name} timed out or crashed in {here:,} of {count:,} matches on {host}, and in"
                    f" {faults[name] - here:,} of {others:,} on others: {host} is slow for it, or dishonest"
                )
        return sentences


def at_least(marked_drawn: int, drawn: int, marked: int, total: int) -> float:
    """The probability that ``drawn`` of ``total`` hold at least ``marked_drawn`` of the ``marked`` ones.

    The tail of the hypergeometric distribution; 1.0 if ``marked_drawn`` is no more than expected.
    """
    if marked_drawn * total <= drawn * marked:
        return 1.0
    terms = 0.0
    term = 1.0
    for k in range(marked_drawn, min(drawn, marked) + 1):  # each term is smaller than the one before
        terms += term
        if term < 1e-17:
            break
        term *= (marked - k) * (drawn - k) / ((k + 1) * (total - marked - drawn + k + 1))

    def choices(whole: int, part: int) -> float:
        return math.lgamma(whole + 1) - math.lgamma(part + 1) - math.lgamma(whole - part + 1)

    log = (
        choices(marked, marked_drawn) + choices(total - marked, drawn - marked_drawn) - choices(total, drawn)
    )
    return math.exp(log) * terms


Put = Callable[[Callable[[], None]], None]
Decide = Callable[[SubmittedMatch, CountedResult | None, tuple[IntroducedNode, ...]], None]


def sent(side: HostResult) -> CountedResult:
    """A host's result as it counts."""
    return CountedResult(side.node.host, side.played)


class Rechecks:
    """Rechecks ``share`` of 10,000 matches of a run.

    ``make_judge`` returns an executor on this machine; ``put`` brings a function to the thread that uses this
    object. ``decide`` takes a rechecked match, with what counts of it after its host's name (None: it is
    replayed), and the hosts that were wrong.
    """

    def __init__(
        self, run: Run, share: int, make_judge: Callable[[], MatchExecutor], put: Put, decide: Decide
    ) -> None:
        self._run = run
        self._share = share
        self._make_judge = make_judge
        self._put = put
        self._decide = decide
        self._judge: MatchExecutor | None = None
        self._judging = 0
        self._rates = FaultRates()
        self._doubtful: Counter[str] = Counter()

    @property
    def busy(self) -> bool:
        """Whether this machine plays a match."""
        return self._judging > 0

    def drawn(self, number: int) -> bool:
        """Say whether a match is played on a second host; only who knows the tournament's seed knows that."""
        return uniform(derive(self._run.seed, "recheck", number), RECHECK_DENOMINATOR) < self._share

    def compare(self, match: SubmittedMatch, second: HostResult) -> None:
        """Compare the results of two hosts; if they differ, have this machine play the match."""
        first = match.sides[0]
        if first.played.digest == second.played.digest:
            self._decide(match, sent(first), ())
        else:
            match.sides.append(second)
            self.judge(match)

    def judge(self, match: SubmittedMatch) -> None:
        """Play a match here: hosts differ about it, or there is no second one."""
        if self._judge is None:
            self._judge = self._make_judge()
        self._judging += 1
        future = self._judge.submit(match.task)
        with suppress(Exception):  # the future says so too
            self._judge.flush()
        future.add_done_callback(lambda done: self._put(partial(self._judged, match, done)))

    def _judged(self, match: SubmittedMatch, done: "Future[WorkerReply]") -> None:
        """Compare the result of a match here with the hosts' results."""
        self._judging -= 1
        sides = match.sides
        if not sides:  # its host was set aside meanwhile
            self._decide(match, None, ())
            return
        played = None if done.cancelled() or done.exception() else done.result().played
        if played is None:
            self._run.say(f"match {match.task.number} could not be rechecked: {HERE} could not play it")
            self._decide(match, sent(min(sides, key=lambda side: not side.played.reproducible)), ())
            return
        match.judged.append(played)
        agreed = [side for side in sides if side.played.digest == played.digest]
        others = [side.node for side in sides if side.played.digest != played.digest]
        good = sent(agreed[0]) if agreed else CountedResult(HERE, played)
        again = len(match.judged) < PLAYS
        if not others:
            self._decide(match, good, ())
        elif not (played.reproducible or agreed) and again:
            self.judge(match)
        elif not all(result.reproducible for result in (*match.judged, *(side.played for side in sides))):
            # A time-out or a crash proves nothing: no host is refused, but the result here counts.
            self._doubtful.update(node.host for node in others if agreed or played.reproducible)
            self._decide(match, good, ())
        elif len({judged.digest for judged in match.judged}) > 1 or not (agreed or len(sides) == 1):
            self._run.say(
                f"match {match.task.number} does not repeat: it came out differently on {sides[0].node.host}"
                " and on other machines, so that its recheck proves nothing; bots whose choices depend on the"
                " time do so"
            )
            self._decide(match, good, ())
        elif again:
            self.judge(match)
        else:
            self._decide(match, sent(agreed[0]) if agreed else None, tuple(others))

    def count(self, match: SubmittedMatch, host: str, played: PlayedMatch) -> None:
        """Count the time-outs and crashes of a match that counts."""
        names = [seat.name for seat in match.task.spec.seats]
        self._rates.count(host, names, [(seat, kind) for seat, kind, _ in played.outcome.faults])

    def say_doubts(self) -> None:
        """Say at the end which suspicions cannot be proved."""
        for host, count in sorted(self._doubtful.items()):
            matches = "1 rechecked match" if count == 1 else f"{count} rechecked matches"
            self._run.say(
                f"{matches} of {host} came out differently on other machines, with a time-out or a crash,"
                " which proves nothing, but many show a slow or a dishonest host"
            )
        for finding in self._rates.findings():
            self._run.say(
                f'{finding}; such results cannot be proved: leave the host out, or use charge = "fuel", where'
                " time-outs are rechecked"
            )

    def end(self, *, at_once: bool) -> None:
        """End the judge's workers."""
        if self._judge is not None:
            (self._judge.stop if at_once else self._judge.close)()
