"""A bot's processes: started in a session of their own, watched, stopped, killed and reaped as one.

A stronger containment (control groups, say) subclasses ``ProcessGroup``: the channel knows no more than this.
"""

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_REAP_MS = 5_000
"""How long a killed process may take to be gone; only one stuck in the kernel takes longer."""


class Pipes(NamedTuple):
    """The referee's ends of a bot's three streams, non-blocking."""

    stdin: int
    stdout: int
    stderr: int


def start(
    argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], pass_fds: Sequence[int] = ()
) -> tuple["subprocess.Popen[bytes]", Pipes]:
    """Start a program as the leader of a new session and process group. Raises OSError.

    No code of ours runs between fork and exec, so the standard library may use vfork, which stays quick in a
    large process. Only the three streams and ``pass_fds`` are inherited.
    """
    pairs: list[tuple[int, int]] = []
    try:
        for _ in range(3):
            pairs.append(os.pipe())  # noqa: PERF401 - those already open are closed if one fails
        (in_read, in_write), (out_read, out_write), (err_read, err_write) = pairs
        process = subprocess.Popen(  # noqa: S603 - running the bots is what this is for; there is no shell
            list(argv),
            stdin=in_read,
            stdout=out_write,
            stderr=err_write,
            cwd=cwd,
            env=dict(env),
            start_new_session=True,
            pass_fds=tuple(pass_fds),
        )
    except BaseException:
        for fd in (fd for pair in pairs for fd in pair):
            os.close(fd)
        raise
    for fd in (in_read, out_write, err_write):
        os.close(fd)
    pipes = Pipes(in_write, out_read, err_read)
    for fd in pipes:
        os.set_blocking(fd, False)
    return process, pipes


class ProcessGroup:
    """The process group of a bot that was started. ``pidfd`` becomes readable when its leader exits.

    Where the platform has no such descriptor, ``pidfd`` is -1 and the end of the output tells the death.
    """

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.pid = process.pid
        self._process = process
        self._cpu_ms: int | None = None
        self._status: int | None = None
        try:
            self.pidfd = os.pidfd_open(process.pid)
        except (AttributeError, OSError):
            self.pidfd = -1

    def freeze(self) -> None:
        """Stop all processes of the group."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let a frozen group go on."""
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """Kill all processes of the group; the leader is still to be reaped, so its number is not reused."""
        self._signal(signal.SIGKILL)

    def cpu_ms(self) -> int | None:
        """Return the CPU time of the bot so far; once it is gone, as far as it was seen or accounted for."""
        pid = self.cpu_pid() if self._status is None else None
        if pid is not None:
            with suppress(OSError):
                used = time.clock_gettime_ns((~pid << 3) | 2)  # the kernel's number of its CPU clock
                self._cpu_ms = max(self._cpu_ms or 0, used // 1_000_000)
        return self._cpu_ms

    def cpu_pid(self) -> int | None:
        """Return the process whose CPU clock is the bot's, or None if it cannot be told."""
        return self.pid

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
        """Reap the leader after ``kill``."""
        if self._status is None and self.exited(_REAP_MS):
            if self._process.returncode is None:
                _, status, usage = os.wait4(self.pid, 0)
                # What was killed together with its parent is not in the parent's account.
                self._cpu_ms = max(self._cpu_ms or 0, round((usage.ru_utime + usage.ru_stime) * 1000))
                self._process.returncode = os.waitstatus_to_exitcode(status)
            self._status = self._process.returncode
        if self.pidfd >= 0:
            os.close(self.pidfd)
            self.pidfd = -1

    def death(self) -> str:
        """Say how the bot's output ended: an exit, a signal, or that it goes on without an output."""
        code = self._exit_code() if self.exited(100) else None
        if code is None:
            return "closed its output"
        return self.exit_words(code) if code >= 0 else f"killed by {_signal_name(-code)}"

    def _exit_code(self) -> int | None:
        """Return the leader's exit code, a signal's number negative; None while it runs.

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

    def _signal(self, number: signal.Signals) -> None:
        if self._status is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
