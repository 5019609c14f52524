"""A worker process: plays one match after another, and ends its bots when it ends.

It imports none of the store's and report's libraries. It ignores SIGINT and SIGHUP, which a terminal sends to
all processes of a run. SIGTERM, or the coordinator's death, ends the bots and the worker at once.

A worker adopts the processes that its bots leave behind, and the coordinator the bots of a worker that was
killed; each ends what it adopts.
"""

import ctypes
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple

from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.bot_processes import BotProcesses
from tourney.bots.sandbox.processes import Processors, children_of, free_processors, signal_tree
from tourney.bots.sandbox.sandbox import lowered, open_sandbox, weaker_text
from tourney.errors import GameError, InputError, OutOfMemoryError, OverloadError, WorkerError
from tourney.garbage import collect_seldom
from tourney.match.match_memory import ALL_FIT, MatchesAtOnce
from tourney.match.result import Cause
from tourney.match.runner import MatchRunner, StoreLauncher
from tourney.run.workers.executor import Blame, MatchTask, WorkerReply
from tourney.spawning import TERMINAL_SIGNALS, unblock_terminal_signals, when_orphaned

_PR_SET_CHILD_SUBREAPER = 36  # of Linux' prctl.h: orphans of descendants become children of this process
_ATTEMPTS = 100  # to kill processes that start others meanwhile; a fork bomb must not hold the worker
_MOST_BYTES = 1 << 16  # of the kernel's list of children; a longer one is read another way
_LAST_SECONDS = 2.0  # for the main thread to end its bots before the process ends anyway


class _StopNow(BaseException):
    """SIGTERM came during a match; the exception unwinds through the match runner, which ends the bots."""


if TYPE_CHECKING:
    from ctypes import Array, c_double
    from multiprocessing.queues import SimpleQueue
    from multiprocessing.synchronize import Event

_RUNNERS: list[MatchRunner] = []


class _Worker:
    playing = False
    draining: "Event | None" = None
    status: "Array[c_double] | None" = None
    slot = 0
    processors: Processors = ()
    plan = ALL_FIT


def initialize(
    slots: "SimpleQueue[int]",
    cpus: int,
    draining: "Event",
    status: "Array[c_double]",
    first: int = 0,
    plan: MatchesAtOnce = ALL_FIT,
) -> None:
    """Make this process a worker: take a slot, pin it to processors, handle signals and the parent's death.

    ``slots`` is a queue of slot numbers from 0, ``cpus`` the processors of a slot (see ``pin``), ``first``
    the number of slots on this machine that come before these. While the event ``draining`` is set, no match
    starts. ``status`` is shared and holds two numbers a slot: the match being played and its start (both 0:
    none). ``plan`` bounds the bots that wait for later matches, and the processes of each bot.
    """
    _Worker.draining = draining
    _Worker.status = status
    _Worker.plan = plan
    _Worker.slot = slots.get()
    # A handler, not SIG_IGN: an ignored signal would stay ignored in the bots.
    for number in TERMINAL_SIGNALS:
        signal.signal(number, lambda *_: None)
    signal.signal(signal.SIGTERM, _stop)
    unblock_terminal_signals()
    adopt_orphans()
    _Worker.processors = pin(first + _Worker.slot, cpus)
    gc.collect()  # what the start left would never be collected
    collect_seldom()
    when_orphaned(_stop_main_thread)


def play_task(task: MatchTask, following: MatchTask | None = None) -> WorkerReply:
    """Play a match. A failure of the machine is a reply; raises InputError for an unusable bot or spec.

    ``following`` is the task that this worker plays next, if it is known.
    """
    draining = _Worker.draining is not None and _Worker.draining.is_set()
    if draining or (task.start_by is not None and time.monotonic() > task.start_by):
        return WorkerReply(task.number)
    _set_status(task.number)
    try:
        return _play(task, following)
    finally:
        _set_status(0)


class BatchReplies(NamedTuple):
    """The replies to a batch, an InputError for a match that cannot be played, and the seconds taken."""

    replies: list[WorkerReply | InputError]
    seconds: float


def play_batch(tasks: Sequence[MatchTask]) -> BatchReplies:
    """Play matches in turn."""
    started = time.monotonic()
    replies: list[WorkerReply | InputError] = []
    for task, following in zip(tasks, [*tasks[1:], None], strict=True):
        try:
            replies.append(play_task(task, following))
        except InputError as error:
            replies.append(error)
    for runner in _RUNNERS:
        runner.end_waiting()  # if the last match was not started
    return BatchReplies(replies, time.monotonic() - started)


def _set_status(number: int) -> None:
    """Show the coordinator which match this worker plays; 0: none."""
    if _Worker.status is not None:
        # Number 0 while the time changes: the coordinator reads both without a lock.
        _Worker.status[2 * _Worker.slot] = 0
        _Worker.status[2 * _Worker.slot + 1] = time.time() if number else 0
        _Worker.status[2 * _Worker.slot] = number


def _play(task: MatchTask, following: MatchTask | None) -> WorkerReply:
    try:
        try:
            _Worker.playing = True
            runner = _match_runner(task.bots, task.sandbox, task.reuse, task.floor)
            after = following.spec if following is not None else None
            wrap = None if task.guide is None else task.guide.channel
            played = runner.play(task.spec, after, wrap, task.absent)
        finally:
            _Worker.playing = False
        if task.luck:
            played.find_luck()
        kill_strays(BotProcesses.alive)
    except _StopNow:
        _exit_now()
    except GameError as error:
        return WorkerReply(task.number, failure=str(error))
    except (InputError, WorkerError):
        raise
    except Exception as error:  # noqa: BLE001 - any error: the match is replayed, or void with its name
        kill_strays(BotProcesses.alive)
        name = "" if type(error).__module__ == "tourney.errors" else f"{type(error).__name__}: "
        cause: Cause = "overload" if isinstance(error, OverloadError) else "machine"
        blame = None
        if isinstance(error, OutOfMemoryError):
            cause = "memory"
            blame = Blame(error.bot, error.proven) if error.bot else None
        return WorkerReply(task.number, failure=f"{name}{error}", cause=cause, blame=blame)
    return WorkerReply(task.number, played)


def pin(slot: int, cpus: int) -> Processors:
    """Pin this process, and the bots it will start, to the processors of a slot; return these.

    With 0 ``cpus`` it is pinned to none, and () is returned. A bot on the worker's own processor wakes up
    many times faster. Each slot gets ``cpus`` of the processors that this process may use, in order; after
    the last ones the first ones come again.
    """
    free = free_processors()
    if not free or not cpus:
        return ()
    if cpus >= len(free):
        return free
    first = slot % (len(free) // cpus) * cpus
    with suppress(OSError):
        os.sched_setaffinity(0, free[first : first + cpus])
    return free[first : first + cpus]


@cache
def _match_runner(
    bots: str, sandbox: str, reuse: bool, floor: tuple[tuple[str, str], ...] = ()
) -> MatchRunner:
    # The coordinator has looked after its database; the store may be a host's own.
    box = open_sandbox(sandbox, {"the bot store": Path(bots)})  # type: ignore[arg-type]  # a cached function takes it as a plain string
    if lower := lowered(box.protections, dict(floor)):
        # No failure of the match, which would be void after three: no other one can be played here either.
        raise WorkerError(f"a worker cannot contain bots as the run does: {weaker_text(box, lower)}")
    box.most_processes = _Worker.plan.processes
    launcher = StoreLauncher(BotStore(Path(bots)), box)
    runner = MatchRunner(
        launcher, sandbox=box, reuse=reuse, processors=_Worker.processors, hold=launcher.hold
    )
    runner.kept = _Worker.plan.kept
    _RUNNERS.append(runner)
    Finalize(None, runner.close, exitpriority=10)
    return runner


def _stop(_number: int, _frame: FrameType | None) -> None:
    if _Worker.playing:
        raise _StopNow
    _exit_now()


def _exit_now() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # All descendants, also those that left their bot's session and that this process adopted.
    signal_tree(os.getpid(), signal.SIGKILL, spare=1)
    sys.stderr.flush()
    os._exit(128 + signal.SIGTERM)


def _stop_main_thread() -> None:
    """Stop this worker, as the coordinator is gone."""
    main = threading.main_thread()
    if main.ident is not None:
        signal.pthread_kill(main.ident, signal.SIGTERM)
        main.join(_LAST_SECONDS)
        _exit_now()


def adopt_orphans() -> bool:
    """Make this process the parent of its descendants' orphans; return whether the kernel can do that."""
    try:
        done: int = ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        return False
    return done == 0


def kill_orphans() -> int:
    """Kill and reap this process's children in other sessions, with their descendants; return how many.

    Bots and the processes they start have other sessions, workers do not. To be called only when no bot of
    this process itself plays.
    """
    session = os.getsid(0)

    def others() -> Iterator[int]:
        for pid in children_of(os.getpid()):
            with suppress(OSError):
                if os.getsid(pid) != session:
                    yield pid

    return _kill(lambda: list(others()))


def kill_strays(expected: Collection[int]) -> int:
    """Kill and reap the child processes that are not ``expected``, and their descendants; return how many.

    For a process whose only children are bots: any other escaped from a bot whose match is over.
    """
    return _kill(lambda: [pid for pid in _children() if pid not in expected])


def _kill(find: Callable[[], list[int]]) -> int:
    count = 0
    for _ in range(_ATTEMPTS):  # a process may start another one before it is killed
        for pid in (pids := find()):
            signal_tree(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
        if not pids:
            break
        count += len(pids)
    return count


def _children() -> list[int]:
    """The children of this process's first thread, which starts the bots and adopts all orphans.

    This runs after each match, so the kernel's file stays open: opening takes 20 times as long as reading.
    """
    file = _children_file(os.getpid())
    if file < 0:
        return children_of(os.getpid())
    data = os.pread(file, _MOST_BYTES, 0)
    return list(map(int, data.split())) if len(data) < _MOST_BYTES else children_of(os.getpid())


@cache
def _children_file(pid: int) -> int:
    """Open the kernel's list of the children of a process's first thread; -1 where there is none."""
    try:
        return os.open(f"/proc/{pid}/task/{pid}/children", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1
