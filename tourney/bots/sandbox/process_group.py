"""A bot's processes: started in a session of their own, watched, stopped, killed and reaped as one.

A stronger containment subclasses ``ProcessGroup``: the channel knows no more than this.
"""

import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, NamedTuple

from tourney.bots.channel.cpu_contention import Reading
from tourney.bots.sandbox.cgroups import Cgroup
from tourney.bots.sandbox.process_tree import children_of, family_cpu_ns, family_waited_ns, signal_family

_REAP_MS = 5_000
"""How long a killed process may take to be gone; only one stuck in the kernel takes longer."""
_SOON_MS = 50
"""How long a namespace may take to end by itself: its first process has to get a processor for that."""
_END_MS = 2_000
"""How long it may take to end once all of its processes were killed."""
_EXEC_FAILED = 128


class Pipes(NamedTuple):
    """The referee's ends of a bot's three streams, non-blocking."""

    stdin: int
    stdout: int
    stderr: int


def start(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    pass_fds: Sequence[int] = (),
    merged: bool = False,
) -> tuple["subprocess.Popen[bytes]", Pipes]:
    """Start a program as the leader of a new session and process group. Raises OSError.

    No code of ours runs between fork and exec, so the standard library may use vfork, which stays quick in a
    large process. Only the three streams and ``pass_fds`` are inherited. ``merged``: standard error goes
    where standard output does, and ``Pipes.stderr`` is -1.
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


class ProcessGroup:
    """The processes of a bot that was started. ``pidfd`` becomes readable when the first of them exits.

    With a control group all of them are held still, accounted for and killed by it. Without, what descends
    from the first is found by looking, and the process group is killed. ``release`` is called once they are
    gone. Where the platform has no such descriptor, ``pidfd`` is -1 and the end of the output tells death.
    ``alive`` holds the first processes of all groups that were not reaped yet: who owns which of this
    process's children.
    """

    alive: ClassVar[set[int]] = set()

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        cgroup: Cgroup | None = None,
        release: Callable[[], None] | None = None,
    ) -> None:
        self.pid = process.pid
        self._process = process
        self._cgroup = cgroup
        self._release = release
        self._cpu_ns: int | None = None
        self._status: int | None = None
        ProcessGroup.alive.add(self.pid)
        try:
            self.pidfd = os.pidfd_open(process.pid)
        except (AttributeError, OSError):
            self.pidfd = -1

    def freeze(self) -> None:
        """Hold all processes still."""
        if self._cgroup is not None and self._cgroup.has_core:
            self._cgroup.freeze(frozen=True)
        elif self._status is None:
            self._stop()

    def thaw(self) -> None:
        """Let those go on that are held."""
        if self._cgroup is not None and self._cgroup.has_core:
            self._cgroup.freeze(frozen=False)
        elif self._status is None:
            self._go_on()

    def kill(self) -> None:
        """Kill all processes; the first is still to be reaped, so its number is not reused."""
        if self._cgroup is not None:
            self._cgroup.kill()  # first, for it takes all at one go
        if self._status is None:
            signal_family(self.pid, signal.SIGKILL)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)

    def cpu_ms(self) -> int | None:
        """Return the CPU time of the bot so far; once it is gone, as far as it was seen or accounted for."""
        used = self._used()
        if used is not None:
            self._cpu_ns = max(self._cpu_ns or 0, used)
        return None if self._cpu_ns is None else self._cpu_ns // 1_000_000

    def reading(self) -> Reading | None:
        """Return what tells whether the bot has to wait for the machine; None where that is not known."""
        used, root = self._used(), self._root()
        waited = family_waited_ns(root) if root is not None else None
        return None if used is None or waited is None else Reading(time.monotonic_ns(), used, waited)

    def _root(self) -> int | None:
        """Return the process that all the bot's descend from."""
        return self.pid if self._status is None else None

    def _used(self) -> int | None:
        if self._cgroup is not None and self._cgroup.has_core:
            return self._cgroup.cpu_ns()
        root = self._root()
        return family_cpu_ns(root) if root is not None else None

    def _stop(self) -> None:
        signal_family(self.pid, signal.SIGSTOP)

    def _go_on(self) -> None:
        signal_family(self.pid, signal.SIGCONT)

    def exited(self, timeout_ms: int) -> bool:
        """Wait until the leader has exited, but not for longer; say whether it has. It is not reaped here."""
        if self._status is not None:
            return True
        if self.pidfd >= 0:
            poll = select.poll()
            poll.register(self.pidfd, select.POLLIN)
            return bool(poll.poll(timeout_ms))
        until = time.monotonic() + timeout_ms / 1000
        while self._exit_code() is None:
            if time.monotonic() >= until:
                return False
            time.sleep(0.001)
        return True

    def reap(self) -> None:
        """Reap the first process after ``kill``, and release what was held for the bot."""
        self.cpu_ms()
        if self._status is None and self.exited(_REAP_MS):
            if self._process.returncode is None:
                _, status, usage = os.wait4(self.pid, 0)
                # What was killed together with its parent is not in the parent's account.
                self._cpu_ns = max(self._cpu_ns or 0, round((usage.ru_utime + usage.ru_stime) * 1e9))
                self._process.returncode = os.waitstatus_to_exitcode(status)
            self._status = self._process.returncode
            ProcessGroup.alive.discard(self.pid)
        if self.pidfd >= 0:
            os.close(self.pidfd)
            self.pidfd = -1
        cgroup, self._cgroup = self._cgroup, None
        if cgroup is not None:
            cgroup.remove()
        release, self._release = self._release, None
        if release is not None:
            release()

    def death(self) -> str:
        """Say how the bot's output ended: an exit, a signal, or that it goes on without an output."""
        words = self._death()
        killed = 0 if self._cgroup is None else self._cgroup.out_of_memory()
        return f"{words} (out of memory: its processes together met their bound)" if killed else words

    def _death(self) -> str:
        code = self._exit_code() if self.exited(100) else None
        if code is None:
            return "closed its output"
        return self.exit_words(code) if code >= 0 else f"killed by {signal_name(-code)}"

    def _exit_code(self) -> int | None:
        """Return the exit code of the first process, a signal's number negative; None while it runs.

        It stays a zombie, so that its number stays its own, except where the platform cannot look without
        reaping (macOS before Python 3.13).
        """
        waitid = getattr(os, "waitid", None)
        if waitid is None or self._process.returncode is not None:
            return self._process.poll()
        info = waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if info is None:
            return None
        status: int = info.si_status
        return status if info.si_code == os.CLD_EXITED else -status

    def exit_words(self, code: int) -> str:
        """Say in words what an exit code means."""
        return f"exited with code {code}"


class NamespaceGroup(ProcessGroup):
    """The processes of a bot in a process namespace: bubblewrap's own, the namespace's first, and the bot's.

    The namespace ends with its first process, and all in it at once; bubblewrap reaps that one and exits.
    """

    _first: int | None = None

    def first(self) -> int | None:
        """Return the namespace's first process, or None while it is not there."""
        if self._first is None and self._status is None:
            found = children_of(self.pid)
            self._first = found[0] if len(found) == 1 else None
        return self._first

    def kill(self) -> None:
        """End the namespace; where there is none yet, or it lingers, all that there is."""
        first = self.first()
        if first is not None and self._status is None and not self.exited(0):
            # Bubblewrap is alive and has not reaped it, so the number is still its own.
            with suppress(ProcessLookupError, PermissionError):
                os.kill(first, signal.SIGKILL)
            core = self._cgroup if self._cgroup is not None and self._cgroup.has_core else None
            if core is not None:
                core.freeze(frozen=False)
            if self.exited(_SOON_MS):
                return
            # It waits its turn among all that the bot started, a fork bomb it may be: they go first, then.
            if core is not None:
                core.kill()
            else:
                signal_family(first, signal.SIGKILL, spare=1)
            if self.exited(_END_MS):
                return
        super().kill()

    def exit_words(self, code: int) -> str:
        """Say what an exit code means: beyond 128 it is a signal, passed on, or a bot that pretends."""
        if code > _EXEC_FAILED:
            return f"killed by {signal_name(code - _EXEC_FAILED)} (or exited with code {code})"
        return super().exit_words(code)

    def _root(self) -> int | None:
        return self.first() if self._status is None else None

    def _stop(self) -> None:
        # Bubblewrap's own two processes go on: they have to reap.
        first = self.first()
        if first is not None:
            signal_family(first, signal.SIGSTOP, spare=1)

    def _go_on(self) -> None:
        first = self.first()
        if first is not None:
            signal_family(first, signal.SIGCONT, spare=1)


def signal_name(number: int) -> str:
    """Return a signal's name, as ``SIGKILL``."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
