"""Starts a program with pipes of its own, in a new session, on some processors: a bot, or its sandbox."""

import fcntl
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, Protocol

Processors = tuple[int, ...]
"""The numbers of processors, ascending; () for any."""


def free_processors() -> Processors:
    """The processors that this thread may use; () where the platform cannot tell."""
    try:
        return tuple(sorted(os.sched_getaffinity(0)))
    except AttributeError:  # not Linux
        return ()


def seat_processors(given: Sequence[int], seats: int) -> tuple[Processors, ...]:
    """Each seat's own processors, equally many, or () for all where there are fewer than seats."""
    each = len(given) // seats
    if not each:
        return ((),) * seats
    return tuple(tuple(given[seat * each : (seat + 1) * each]) for seat in range(seats))


@contextmanager
def started_on(processors: Processors) -> Iterator[None]:
    """Let the processes that this thread starts inside use these processors only; () changes nothing."""
    before = free_processors() if processors else ()
    if not before:
        yield
        return
    with suppress(OSError):
        os.sched_setaffinity(0, processors)
    try:
        yield
    finally:
        with suppress(OSError):
            os.sched_setaffinity(0, before)


OUTPUT: Final = 7
"""The descriptor of a bot's output while its sandbox is made."""
_STANDARD_ERROR: Final = 2
_LOW: Final = 10
"""Descriptors below it have a digit for a name, in shells and here."""
_RESTORED: Final = (signal.SIGPIPE, signal.SIGXFSZ)
"""Signals that Python ignores, and a bot does not."""


class Pipes(NamedTuple):
    """The referee's ends of a bot's three streams, non-blocking."""

    stdin: int
    stdout: int
    stderr: int


def start_process(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    pass_fds: Sequence[int] = (),
    merged: bool = False,
) -> tuple["subprocess.Popen[bytes]", Pipes]:
    """Start a program as the leader of a new session and process group. Raises OSError.

    No code of ours runs between fork and exec, so the standard library can use vfork, which stays fast in a
    large process. Only the three streams and ``pass_fds`` are inherited. ``merged`` sends standard error to
    standard output, and ``Pipes.stderr`` is -1.
    """
    pairs: list[tuple[int, int]] = []
    try:
        for _ in range(2 if merged else 3):
            pairs.append(os.pipe())  # noqa: PERF401 - those already open are closed if one fails
        (in_read, in_write), (out_read, out_write) = pairs[:2]
        process = subprocess.Popen(  # noqa: S603 - running the bots is what this is for; there is no shell
            list(argv),
            stdin=in_read,
            stdout=out_write,
            stderr=pairs[-1][1],
            cwd=cwd,
            env=dict(env),
            start_new_session=True,
            pass_fds=tuple(pass_fds),
        )
    except BaseException:
        for fd in (fd for pair in pairs for fd in pair):
            os.close(fd)
        raise
    os.close(in_read)
    for _, written in pairs[1:]:
        os.close(written)
    pipes = Pipes(in_write, out_read, -1 if merged else pairs[2][0])
    for fd in pipes:
        if fd >= 0:
            os.set_blocking(fd, False)
    return process, pipes


class Process(Protocol):
    """A child of this process: the part of ``subprocess.Popen`` that is needed here."""

    pid: int
    returncode: int | None

    def poll(self) -> int | None:
        """Reap the process if it has exited; return its exit code (a signal is negative)."""


class HeldProcess:
    """The first process of a sandbox; see ``start_held``."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Reap the process if it has exited; return its exit code."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


def start_held(
    argv: Sequence[str], fds: Sequence[int] = (), *, merged: bool = False
) -> tuple[HeldProcess, Pipes]:
    """Start a program that makes a sandbox, in a new session, with an empty environment. Raises OSError.

    Its own output goes to standard error; the bot's output is descriptor OUTPUT until the bot starts, so
    that none of the sandbox's own processes holds it open. ``fds`` keep their numbers; see ``high``.
    """
    pairs: list[tuple[int, int]] = []
    try:
        for number in range(2 if merged else 3):
            read, written = os.pipe()
            pairs.append((high(read), written) if number == 0 else (read, high(written)))
        output, errors = pairs[1][1], pairs[-1][1]
        copies = ((pairs[0][0], 0), (errors, 1), (errors, 2), (output, OUTPUT))
        _keep_inherited()
        for fd in fds:
            os.set_inheritable(fd, True)
        # Unlike fork, it does not copy the page tables of a large process.
        pid = os.posix_spawn(
            argv[0],
            list(argv),
            {},
            file_actions=[(os.POSIX_SPAWN_DUP2, fd, number) for fd, number in copies],
            setsid=True,
            setsigdef=_RESTORED,
        )
    except BaseException:
        for fd in (fd for pair in pairs for fd in pair):
            os.close(fd)
        raise
    os.close(pairs[0][0])
    for _, written in pairs[1:]:
        os.close(written)
    pipes = Pipes(pairs[0][1], pairs[1][0], -1 if merged else pairs[2][0])
    for fd in pipes:
        if fd >= 0:
            os.set_blocking(fd, False)
    return HeldProcess(pid), pipes


@cache
def _keep_inherited() -> None:
    """Keep descriptors that this process inherited, perhaps a shell's, from the bots: once is enough.

    Python's own are not inherited by any program.
    """
    for fd in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208 - numbers, not paths
        if fd > _STANDARD_ERROR:
            with suppress(OSError):  # the listing's own is closed by now
                os.set_inheritable(fd, False)


def high(fd: int) -> int:
    """Move a descriptor above those that have a digit for a name, if it is not there."""
    if fd >= _LOW:
        return fd
    try:
        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _LOW)
    finally:
        os.close(fd)
