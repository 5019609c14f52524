"""Processes of this machine: started with their own pipes, found in /proc, signalled and measured.

A search in /proc is best effort, and protections that rest on it are therefore "partial": a fork bomb can
outrun it, and a process whose parents died has left the tree. The size of what is measured is bounded.
"""

import fcntl
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

Processors = tuple[int, ...]  # numbers of processors, ascending; () for any
OUTPUT: Final = 7  # the descriptor of a bot's output while its sandbox is made
TRY_SECONDS: Final = 20  # time for a sandbox to get ready
_LOW: Final = 10  # descriptors below it have a digit for a name, in shells and here
_RESTORED: Final = (signal.SIGPIPE, signal.SIGXFSZ)  # Python ignores these signals, and a bot does not
MEASURED: Final = 32  # processes of a tree whose time is read: the oldest
MEASURED_THREADS: Final = 128
_SEARCHES: Final = 64
_SMALL_KIB: Final = 1024  # of a process whose share of memory that it shares makes no difference
_REAPED_USER = 13
_REAPED_SYSTEM = 14
_PROCESSOR = 36
"""Fields of /proc/PID/stat after the name: the time of children that were reaped, and the processor on which
a thread ran last."""


def free_processors() -> Processors:
    """The processors that this thread may use; () if the platform cannot tell."""
    try:
        return tuple(sorted(os.sched_getaffinity(0)))
    except AttributeError:  # not Linux
        return ()


def seat_processors(processors: Sequence[int], seats: int) -> tuple[Processors, ...]:
    """An equal number of processors for each seat, or () for all if there are fewer than seats."""
    each = len(processors) // seats
    return tuple(tuple(processors[seat * each : (seat + 1) * each]) for seat in range(seats))


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


class Pipes(NamedTuple):
    """The referee's ends of a bot's three streams, non-blocking; -1 for one that is not there."""

    stdin: int
    stdout: int
    stderr: int

    def close(self) -> None:
        """Close the open ends."""
        for fd in self:
            if fd >= 0:
                os.close(fd)


@contextmanager
def _new_pipes(*, merged: bool) -> Iterator[tuple[tuple[int, int, int], Pipes]]:
    """Open the ends of a program that starts inside, and the referee's; the former close when it has started.

    ``merged``: one pipe is for output and errors. The program's ends are ``high``.
    """
    pairs: list[tuple[int, int]] = []
    try:
        for number in range(2 if merged else 3):
            read, written = os.pipe()
            pairs.append((read, high(written)) if number else (high(read), written))
        ends = pairs[0][0], pairs[1][1], pairs[-1][1]
        pipes = Pipes(pairs[0][1], pairs[1][0], -1 if merged else pairs[2][0])
        yield ends, pipes
    except BaseException:
        for fd in (fd for pair in pairs for fd in pair):
            os.close(fd)
        raise
    for fd in {*ends}:
        os.close(fd)
    for fd in pipes:
        if fd >= 0:
            os.set_blocking(fd, False)


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
    standard output.
    """
    with _new_pipes(merged=merged) as ((input_end, output, errors), pipes):
        process = subprocess.Popen(  # noqa: S603 - running the bots is what this is for; there is no shell
            list(argv),
            stdin=input_end,
            stdout=output,
            stderr=errors,
            cwd=cwd,
            env=dict(env),
            start_new_session=True,
            pass_fds=tuple(pass_fds),
        )
    return process, pipes


class HeldProcess:
    """The first process of a sandbox, with the part of ``subprocess.Popen`` that is needed."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Reap the process if it has exited; return its exit code (a signal is negative)."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


Process = HeldProcess | subprocess.Popen[bytes]


def start_held(
    argv: Sequence[str], fds: Sequence[int] = (), *, merged: bool = False
) -> tuple[HeldProcess, Pipes]:
    """Start a program that makes a sandbox, in a new session, with an empty environment. Raises OSError.

    Its own output goes to standard error; the bot's output is descriptor OUTPUT until the bot starts, so
    that none of the sandbox's own processes holds it open. ``fds`` keep their numbers; see ``high``.
    """
    with _new_pipes(merged=merged) as ((input_end, output, errors), pipes):
        copies = ((input_end, 0), (errors, 1), (errors, 2), (output, OUTPUT))
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
    return HeldProcess(pid), pipes


@cache
def _keep_inherited() -> None:
    """Keep descriptors that this process inherited, perhaps a shell's, from the bots: once is enough.

    Python's own are not inherited by any program.
    """
    for fd in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208 - numbers, not paths
        if fd > 2:
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


def output_of(words: Sequence[str]) -> str | None:
    """The output of a command with an empty environment, or None if it fails or hangs."""
    try:
        done = subprocess.run(words, env={}, capture_output=True, timeout=TRY_SECONDS, check=False)  # noqa: S603 - a fixed command
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def children_of(pid: int) -> list[int]:
    """The children of a process, as far as /proc shows them."""
    children: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - asked for each match
            with suppress(OSError, ValueError):
                children += map(int, read_proc(f"/proc/{pid}/task/{thread}/children").split())
    return children


def process_tree(pid: int, most: int | None = None) -> list[int]:
    """A process and its descendants, parents first; the search stops soon after ``most`` if given."""
    members = [pid]
    for member in members:
        if most is not None and len(members) > most:
            break
        members += children_of(member)
    return members


def signal_tree(pid: int, number: signal.Signals, *, spare: int = 0) -> None:
    """Signal a process tree until a search finds no new process; skip its first ``spare`` members."""
    # A fork bomb makes new processes between two searches, so the search repeats until none is new.
    signalled: set[int] = set()
    for _ in range(_SEARCHES):
        new = [member for member in process_tree(pid)[spare:] if member not in signalled]
        if not new:
            return
        for member in new:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(member, number)
        signalled.update(new)


def _stat_fields(process: str) -> list[bytes]:
    return read_proc(f"/proc/{process}/stat").rpartition(b")")[2].split()


def tree_cpu_ns(pid: int) -> int | None:
    """The processor time of a tree's oldest processes, with reaped children; None if all are gone."""
    total = 0
    seen = False
    tick = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
    for member in process_tree(pid, MEASURED)[:MEASURED]:
        with suppress(OSError, ValueError, IndexError):
            total += time.clock_gettime_ns((~member << 3) | 2)  # the kernel's number of its CPU clock
            seen = True
            fields = _stat_fields(str(member))
            total += (int(fields[_REAPED_USER]) + int(fields[_REAPED_SYSTEM])) * tick
    return total if seen else None


def tree_run_delay_ns(pid: int) -> int | None:
    """Time that a tree's threads waited for a processor; None if unknown or if it is too large."""
    members = process_tree(pid, MEASURED)
    threads_read = 0
    delays = []
    for member in members if len(members) <= MEASURED else []:
        with suppress(OSError, ValueError, IndexError):  # it may exit meanwhile
            for thread in os.listdir(f"/proc/{member}/task"):  # noqa: PTH208 - asked in turns
                threads_read += 1
                if threads_read > MEASURED_THREADS:
                    return None
                delays.append(int(read_proc(f"/proc/{member}/task/{thread}/schedstat").split()[1]))
    return sum(delays) if delays else None


def tree_memory_kib(pid: int, at_least: int = 0) -> int:
    """The memory that a tree's processes have in use and that no file backs; what they share counts once.

    Where that cannot be more than ``at_least``, this is returned: to know what is shared takes long.
    """
    members = process_tree(pid)
    resident = [_memory_kib(member, "status", (b"RssAnon", b"RssShmem")) for member in members]
    if sum(resident) <= at_least:
        return at_least
    if sum(size > _SMALL_KIB for size in resident) <= 1:
        return sum(resident)
    shares = (_memory_kib(member, "smaps_rollup", (b"Pss_Anon", b"Pss_Shmem")) for member in members)
    return max(at_least, sum(shares))


def _memory_kib(pid: int, file: str, names: tuple[bytes, ...]) -> int:
    """The sum of some figures of a process; 0 for one that has exited."""
    with suppress(OSError, ValueError, IndexError):
        lines = (line.partition(b":") for line in read_proc(f"/proc/{pid}/{file}").splitlines())
        return sum(int(value.split()[0]) for name, _, value in lines if name in names)
    return 0


def runnable_threads() -> dict[int, list[int]]:
    """The processors of the threads that run or could run now, by process, as far as /proc shows them."""
    by_process: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - asked in turns
        if name.isdigit():
            with suppress(OSError, ValueError, IndexError):  # it may exit meanwhile
                for thread in os.listdir(f"/proc/{name}/task"):  # noqa: PTH208 - likewise
                    fields = _stat_fields(f"{name}/task/{thread}")
                    if fields[0] == b"R":
                        by_process.setdefault(int(name), []).append(int(fields[_PROCESSOR]))
    return by_process


def expose_to_killer(pid: int) -> None:
    """Let the kernel end a process, and those that it starts, before all others once memory is full.

    A bot could otherwise fill memory with what counts as no process's own (files in memory, pipes), so that
    the kernel ends the referee, and the match has no result.
    """
    with suppress(OSError):
        fd = os.open(f"/proc/{pid}/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(fd, b"1000")
        finally:
            os.close(fd)


def read_proc(path: str) -> bytes:
    """The content of a file of /proc, in few system calls. Raises OSError."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return b"".join(iter(lambda: os.read(fd, 65_536), b""))
    finally:
        os.close(fd)
