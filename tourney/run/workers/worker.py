"""A worker process: plays matches one after the other, and takes its bots with it when it goes.

It imports neither the store's nor the report's libraries. SIGINT and SIGHUP (which a terminal sends to all)
are the coordinator's business; SIGTERM, and the coordinator's death, end the bots and the worker at once.
"""

import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from multiprocessing.connection import wait
from multiprocessing.util import Finalize
from pathlib import Path
from types import FrameType
from typing import Any

from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.base import open_sandbox
from tourney.bots.sandbox.process import BotProcesses, signal_tree
from tourney.errors import GameError, InputError
from tourney.match.match_runner import MatchRunner, StoreLauncher
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.run.workers.processes import (
    TERMINAL_SIGNALS,
    adopt_orphans,
    kill_strays,
    unblock_terminal_signals,
)

_LAST_SECONDS = 2.0
_GARBAGE = 20_000


class _StopNow(BaseException):
    """SIGTERM came while a match was played: it unwinds through the match room, which ends the bots."""


class _Worker:
    """The state of this process."""

    playing = False
    draining: Any = None
    board: Any = None
    slot = 0


def initialize(slots: Any, cpus: int, draining: Any, board: Any) -> None:
    """Make this process a worker: take a slot, pin to its processors, mind signals and the parent's death.

    ``slots`` is a queue of slot numbers from 0, ``cpus`` how many processors a slot has (see ``pin``),
    ``draining`` an event that tells to begin nothing more.
    ``board`` is shared: two numbers a slot, the match that is being played and its start (both 0: none).
    """
    _Worker.draining = draining
    _Worker.board = board
    _Worker.slot = slots.get()
    # A handler, not SIG_IGN: an ignored signal would stay ignored in the bots.
    for number in TERMINAL_SIGNALS:
        signal.signal(number, _ignore)
    signal.signal(signal.SIGTERM, _stop)
    unblock_terminal_signals()
    adopt_orphans()
    pin(_Worker.slot, cpus)
    # A match leaves next to no cycles: what was imported need not be looked through, nor the rest so often.
    gc.collect()
    gc.freeze()
    gc.set_threshold(_GARBAGE)
    threading.Thread(target=_stop_with_parent, name="parent-watch", daemon=True).start()


def play_task(task: MatchTask) -> WorkerReply:
    """Play a match. What the machine fails at is an answer; a bot or spec that cannot be used is raised."""
    if _Worker.draining is not None and _Worker.draining.is_set():
        return WorkerReply(task.number)
    if task.begin_by is not None and time.monotonic() > task.begin_by:
        return WorkerReply(task.number)
    _show(task.number)
    try:
        return _play(task)
    finally:
        _show(0)


def play_batch(tasks: Sequence[MatchTask]) -> tuple[list[WorkerReply | InputError], float]:
    """Play matches in turn; return what ``play_task`` answers or raises for each, and the seconds taken."""
    began = time.monotonic()
    answers: list[WorkerReply | InputError] = []
    for task in tasks:
        try:
            answers.append(play_task(task))
        except InputError as error:
            answers.append(error)
    return answers, time.monotonic() - began


def _show(number: int) -> None:
    """Let the coordinator see what this worker plays."""
    if _Worker.board is not None:
        _Worker.board[2 * _Worker.slot] = 0
        _Worker.board[2 * _Worker.slot + 1] = time.time() if number else 0
        _Worker.board[2 * _Worker.slot] = number


def _play(task: MatchTask) -> WorkerReply:
    try:
        _Worker.playing = True
        played = _room(task.bots, task.sandbox, task.reuse).play(task.spec)
        _Worker.playing = False
        kill_strays(BotProcesses.alive)
    except _StopNow:
        _leave()
    except GameError as error:
        _Worker.playing = False
        return WorkerReply(task.number, failure=str(error))
    except InputError:
        _Worker.playing = False
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the match is played again, and named if void
        _Worker.playing = False
        name = "" if type(error).__module__ == "tourney.errors" else f"{type(error).__name__}: "
        return WorkerReply(task.number, failure=f"{name}{error}")
    return WorkerReply(task.number, played)


def pin(slot: int, cpus: int) -> None:
    """Pin this process, and the bots it will start, to the processors of a slot; 0 ``cpus`` pins nothing.

    A bot that answers on the processor which asks is woken many times quicker. The processors that this
    process may use are dealt out in lots of ``cpus``; where there are more slots than lots they go round.
    """
    try:
        free = sorted(os.sched_getaffinity(0))
    except AttributeError:  # not Linux
        return
    if not 0 < cpus < len(free):
        return
    first = slot % (len(free) // cpus) * cpus
    with suppress(OSError):
        os.sched_setaffinity(0, free[first : first + cpus])


@cache
def _room(bots: str, sandbox: str, reuse: bool) -> MatchRunner:
    box = open_sandbox(sandbox)  # type: ignore[arg-type]  # a cached function takes it as a plain string
    room = MatchRunner(StoreLauncher(BotStore(Path(bots)), box), sandbox=box, reuse=reuse)
    Finalize(None, room.close, exitpriority=10)
    return room


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Do nothing."""


def _stop(_number: int, _frame: FrameType | None) -> None:
    if _Worker.playing:
        raise _StopNow
    _leave()


def _leave() -> None:
    """End all processes that this one started, and this one."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # All that descends from here: those too that left their bot's session, which this process inherited.
    signal_tree(os.getpid(), signal.SIGKILL, spare=1)
    sys.stderr.flush()
    os._exit(128 + signal.SIGTERM)


def _stop_with_parent() -> None:
    """Stop this worker as soon as the coordinator is gone."""
    parent = multiprocessing.parent_process()
    main = threading.main_thread().ident
    if parent is None or main is None:
        return
    wait([parent.sentinel])
    signal.pthread_kill(main, signal.SIGTERM)
    threading.main_thread().join(_LAST_SECONDS)
    _leave()
