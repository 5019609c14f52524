"""Replay recorded matches with fresh bots, in parallel, and compare: this finds a forgery without a flaw."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final, Literal, NamedTuple

from msgspec.structs import replace

from tourney.bots.catalogue.build import built_command
from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.sandbox import Sandbox
from tourney.check.record import compare
from tourney.errors import BotError, GameError, InputError, RecordError, UsageError
from tourney.games.registry import find_game
from tourney.match.analysis import Analyser, Analysis, analysis_of, guide_of
from tourney.match.record import Record, check_digest
from tourney.match.result import PlayedMatch
from tourney.match.runner import entrant_of
from tourney.match.spec import OLD_MEMORY_MB, Limits
from tourney.run.engine.run_control import catch_signals
from tourney.run.entrant_reference import ReferenceReader
from tourney.run.preparation import find_bot
from tourney.run.workers.executor import MAX_FAILURES, MatchExecutor, MatchTask, WorkerReply
from tourney.schema import SandboxLevel
from tourney.seeds import derive, uniform

_IDLE_SECONDS: Final = 1.0  # the longest wait for an event, so that a signal is heard

Kind = Literal["same", "different", "not promised", "not played"]
"""The outcome of a replay; ``not promised``: it came out differently, but that was not promised."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A replayed match: its place in the list, its result, and the reasons, a sentence each.

    ``analysis`` is there for a match that was replayed to be valued.
    """

    index: int
    kind: Kind
    findings: tuple[str, ...] = ()
    analysis: Analysis | None = None


class ReplayedRecord(NamedTuple):
    """A record that is being replayed, its place in the list, and why it may come out differently."""

    place: int
    record: Record
    doubts: tuple[str, ...]


def provide_bots(
    store: BotStore, digests: Sequence[str], sandbox: Sandbox, meters: Mapping[str, str | None]
) -> dict[str, str]:
    """Bring shipped bots into the store where they are missing, and build all; return why some cannot play.

    The result maps their digests to sentences. ``meters`` names those of modules by digest.
    """
    missing = {}
    for digest in dict.fromkeys(digests):
        try:
            store.provide(digest)
            built_command(store, digest, sandbox, meter=meters.get(digest))
        except BotError as error:
            missing[digest] = str(error)
    return missing


def sample(count: int, size: int, seed: int) -> list[int]:
    """``size`` of the numbers 0 to count - 1, sorted, drawn from a seed without replacement.

    The k-th draw is ``uniform(derive(seed, "sample", k), count - k)`` into the numbers that are left, where
    the number drawn is replaced by the last one (Fisher and Yates).
    """
    moved: dict[int, int] = {}
    drawn = []
    for k in range(min(size, count)):
        last = count - k - 1
        place = uniform(derive(seed, "sample", k), count - k)
        drawn.append(moved.get(place, place))
        moved[place] = moved.get(last, last)
    return sorted(drawn)


class Replay:
    """Plays records again by an executor; ``load`` returns the record and the doubts of a place in the list.

    ``missing`` maps the digests of bots that cannot play to the reason. ``stopped_by`` is the signal that
    ended it, or 0.
    """

    def __init__(
        self,
        count: int,
        load: Callable[[int], tuple[Record, tuple[str, ...]]],
        executor: MatchExecutor,
        *,
        bots: Path,
        sandbox: SandboxLevel,
        missing: Mapping[str, str],
    ) -> None:
        self._load = load
        self._executor = executor
        self._bots = str(bots)
        self._sandbox = sandbox
        self._missing = missing
        self._waiting = list(reversed(range(count)))  # the next one is the last
        self._again: list[int] = []  # to be replayed, one at a time after all others
        self._running: dict[Future[WorkerReply], ReplayedRecord] = {}
        self._events: SimpleQueue[Future[WorkerReply] | int] = SimpleQueue()
        self._failures: Counter[int] = Counter()
        self.stopped_by = 0

    def run(self) -> Iterator[Replayed]:
        """Yield each match as it ends. The first signal lets those in play finish, a second one stops."""
        stop = False
        try:
            with catch_signals(self._events.put):
                while True:
                    yield from self._submit()
                    if not self._running:
                        break
                    for event in self._next_events():
                        if not isinstance(event, int):
                            yield from self._ended(event)
                        elif self.stopped_by:
                            stop = True
                        else:
                            self.stopped_by = event
                            self._executor.drain()
                    if stop:
                        break
        except BaseException:
            stop = True
            raise
        finally:
            if stop:
                self._executor.stop()
            else:
                self._executor.close()

    def _next_events(self) -> Iterator["Future[WorkerReply] | int"]:
        """Wait for an event, and yield it and all others that have come."""
        try:
            yield self._events.get(timeout=_IDLE_SECONDS)
            while True:
                yield self._events.get_nowait()
        except Empty:
            return

    def _submit(self) -> Iterator[Replayed]:
        """Submit as many matches as the executor takes; yield those that cannot be played."""
        while not self.stopped_by:
            if self._waiting and len(self._running) < self._executor.capacity:
                index = self._waiting.pop()
            elif self._again and not self._waiting and not self._running:
                # Alone, so that a match that ends its worker takes no other with it.
                index = self._again.pop(0)
            else:
                break
            record, doubts = self._load(index)
            problem = self._problem(record)
            if problem is not None:
                yield Replayed(index, *problem)
                continue
            try:
                future = self._executor.submit(self._task(index, record))
            except BrokenExecutor:
                self._waiting.append(index)
                yield from self._restart()
                continue
            self._running[future] = ReplayedRecord(index, record, doubts)
            future.add_done_callback(self._events.put)
        with suppress(BrokenExecutor):  # the futures say so too
            self._executor.flush()

    def _problem(self, record: Record) -> tuple[Kind, tuple[str, ...]] | None:
        try:
            check_digest(record)
        except RecordError as error:
            return "different", (str(error),)
        try:
            game = find_game(record.game)
        except GameError as error:
            return "not played", (str(error),)
        if game.outside:
            return "not played", ("an outside referee played it, whose command is not started from a record",)
        if game.rules != record.rules:
            why = f"it was played by version {record.rules} of the rules; version {game.rules} is here"
            return "not played", (why,)
        missing = {seat.name: self._missing.get(seat.digest) for seat in record.seats}
        reasons = tuple(f"{name}: {why}" for name, why in missing.items() if why is not None)
        return ("not played", reasons) if reasons else None

    def _ended(self, future: "Future[WorkerReply]") -> Iterator[Replayed]:
        replayed = self._running.pop(future, None)
        if replayed is None or future.cancelled():
            return
        error = future.exception()
        if isinstance(error, BrokenExecutor):
            self._running[future] = replayed  # lost with all others
            yield from self._restart()
        elif isinstance(error, InputError):
            yield Replayed(replayed.place, "not played", (str(error),))
        elif error is not None:
            yield from self._failed(replayed.place, f"{type(error).__name__}: {error}")
        elif (reply := future.result()).failure is not None:
            yield from self._failed(replayed.place, reply.failure)
        elif reply.played is not None:
            yield from self._compared(replayed, reply.played)

    def _task(self, index: int, record: Record) -> MatchTask:
        return MatchTask(index + 1, record.spec, self._bots, self._sandbox, reuse=False)

    def _compared(self, replayed: ReplayedRecord, played: PlayedMatch) -> Iterator[Replayed]:
        index, record, doubts = replayed
        now = played.record
        findings = [str(finding) for finding in compare(record, now)]
        if not findings:
            yield Replayed(index, "same")
        elif doubts:  # as its measurements say, so a difference proves nothing
            why = ", ".join(doubts)
            yield Replayed(index, "not promised", (f"{why}: {findings[0]}", *findings[1:]))
        else:
            # This machine may be too slow for the match: another time-out is tried again, but not forgiven.
            self._failures[index] += "timeout" in now.outcome.unsure_faults and not record.limits.by_fuel
            if 0 < self._failures[index] < MAX_FAILURES and not self.stopped_by:
                self._again.append(index)
            else:
                yield Replayed(index, "different", tuple(findings))

    def _failed(self, index: int, why: str) -> Iterator[Replayed]:
        """Play a match again that the machine failed, or give it up."""
        self._failures[index] += 1
        if self._failures[index] >= MAX_FAILURES:
            yield Replayed(index, "not played", (f"the machine failed {MAX_FAILURES} times: {why}",))
        elif not self.stopped_by:
            self._again.append(index)

    def _restart(self) -> Iterator[Replayed]:
        """Replace the workers after one died; every match that was submitted is replayed."""
        lost = self._running
        self._running = {}
        self._executor.restart()
        for future, replayed in lost.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                self._running[future] = replayed
                yield from self._ended(future)
            else:
                yield from self._failed(replayed.place, "a worker process died")


_NODES: Final = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
_MARGIN_MS: Final = 5_000
"""Of an action: time is only a limit of the search here, and a late answer costs nothing."""


def find_analyser(
    bot_at: tuple[str, Sequence[str]],
    store: BotStore,
    sandbox: Sandbox,
    *,
    nodes: int | None,
    move_ms: int | None,
) -> Analyser:
    """The bot that a person names, with its arguments, ready to value positions.

    ``mcts-1000`` is ``mcts`` with 1,000 nodes, ``uci:stockfish`` a program of this machine that speaks that
    protocol. Raises UsageError without any limit, and BotError for a bot that is missing or cannot be built.
    """
    reference, args = bot_at
    name, _, count = reference.rpartition("-")
    if name and _NODES.fullmatch(count) and "/" not in reference:
        reference = name
        nodes = int(count) if nodes is move_ms is None else nodes
    if (nodes is None) == (move_ms is None):
        raise UsageError("give one limit of an action: --nodes N, which reproduces, or --move-ms MS")
    line = ReferenceReader(store, lambda: sandbox).read(reference)
    if line.command:  # its arguments are part of what is analysed with
        line = replace(line, command=(*line.command, *args))
        args = ()
    bot = find_bot(line, store, Path())
    args = (*line.args, *args)
    if missing := provide_bots(store, [bot.digest], sandbox, {}):
        raise BotError(f"{reference}: {missing[bot.digest]}")
    # The limits are part of the key of stored analyses, so these keep the memory that they began with.
    limits = Limits(move_ms=move_ms, nodes=nodes, margin_ms=_MARGIN_MS, memory_mb=OLD_MEMORY_MB)
    return Analyser(entrant_of(bot, bot.manifest.name, args), limits)


class AnalysisRun(Replay):
    """Values the positions of records by a reference bot; see ``Replay``.

    A match that cannot be valued is ``not played``.
    """

    def __init__(
        self,
        count: int,
        load: Callable[[int], Record],
        executor: MatchExecutor,
        analyser: Analyser,
        *,
        bots: Path,
        sandbox: SandboxLevel,
    ) -> None:
        super().__init__(
            count, lambda index: (load(index), ()), executor, bots=bots, sandbox=sandbox, missing={}
        )
        self._analyser = analyser

    def _task(self, index: int, record: Record) -> MatchTask:
        spec = self._analyser.spec(record)
        return MatchTask(index + 1, spec, self._bots, self._sandbox, reuse=False, guide=guide_of(record))

    def _compared(self, replayed: ReplayedRecord, played: PlayedMatch) -> Iterator[Replayed]:
        try:
            analysis = analysis_of(replayed.record, played, self._analyser)
        except InputError as error:
            yield Replayed(replayed.place, "not played", (str(error),))
        else:
            yield Replayed(replayed.place, "same", (), analysis)


def in_order(matches: Iterator[Replayed]) -> Iterator[Replayed]:
    """Yield matches in the order of the list, as soon as those before have come; the rest at the end."""
    held: dict[int, Replayed] = {}
    due = 0
    for match in matches:
        held[match.index] = match
        while due in held:
            yield held.pop(due)
            due += 1
    for index in sorted(held):  # after a match that was not replayed
        yield held[index]
