"""The processes of a bot, a session of their own: started, measured, stopped, killed and reaped together."""

import os
import select
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

from tourney.bots.channel.interface import Event, EventKind, MemoryUse, Reading
from tourney.bots.sandbox.cgroups import Cgroup
from tourney.bots.sandbox.host_limits import with_limits
from tourney.bots.sandbox.machine_memory import memory_groups, oom_kills
from tourney.bots.sandbox.memory_watch import MemoryWatch
from tourney.bots.sandbox.processes import (
    TRY_SECONDS,
    Pipes,
    Process,
    children_of,
    expose_to_killer,
    process_tree,
    read_proc,
    runnable_threads,
    signal_tree,
    tree_cpu_ns,
    tree_memory_kib,
    tree_run_delay_ns,
)
from tourney.errors import SandboxError

_REAP_MS = 5_000  # time for a killed process to be gone; only one stuck in the kernel takes longer
_CLOSED_MS = 500  # time to exit after the end of the output, so that the exit code is known
_SOON_MS = 50  # time for a namespace to end by itself: its first process needs a processor for that
_END_MS = 2_000  # time for a namespace to end once all of its processes were killed
_EXIT_SIGNAL = 128


class BotProcesses:
    """All processes of one bot. ``pidfd`` becomes readable when the first process exits; -1 without pidfds.

    A control group freezes, measures and kills all of them. Without one, the descendants of the first process
    are searched for and the process group is killed; ``watch`` is there if no group counts their memory.
    ``release`` is called once they are gone. ``alive`` holds the first processes that are not reaped yet, of
    all bots of this process.
    """

    alive: ClassVar[set[int]] = set()
    spared: ClassVar[int] = 0
    """The members of the tree below ``_root`` that are not the bot's: signals leave them out."""

    def __init__(
        self,
        process: Process,
        cgroup: Cgroup | None = None,
        release: Callable[[], None] | None = None,
        weakened: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.pid = process.pid
        self.weakened = weakened
        self._process = process
        self._cgroup = cgroup
        self._release = release
        self._cpu_ns: int | None = None
        self._before_ns = 0
        self._status: int | None = None
        counted = cgroup is not None and cgroup.memory is not None
        self._host_kills = None if counted else host_kills()
        self.watch = None if counted else MemoryWatch(self._look_at_memory)
        self._most_kib = 0  # of memory that the processes had in use when someone looked
        expose_to_killer(process.pid)
        BotProcesses.alive.add(self.pid)
        try:
            self.pidfd = os.pidfd_open(process.pid)
        except (AttributeError, OSError):
            self.pidfd = -1

    @property
    def returncode(self) -> int | None:
        """The first process's exit code (a signal is negative), once it is reaped."""
        return self._process.returncode

    def begin(self) -> None:
        """Count the processor time from here on: the time of its sandbox is not the bot's."""
        self._before_ns = self._used() or 0

    @property
    def _core(self) -> Cgroup | None:
        """The control group, if it can kill, freeze and measure."""
        return self._cgroup if self._cgroup is not None and self._cgroup.has_core else None

    def freeze(self, *, frozen: bool = True) -> None:
        """Stop all processes, or let them continue."""
        if (core := self._core) is not None:
            core.freeze(frozen=frozen)
        elif (root := self._root()) is not None and not self.exited(0):  # else its number may be reused
            signal_tree(root, signal.SIGSTOP if frozen else signal.SIGCONT, spare=self.spared)

    def kill(self) -> None:
        """Kill all processes. The first one stays a zombie until ``reap``, so its number is not reused."""
        if self._cgroup is not None:
            self._cgroup.kill()  # first, because it kills all of them at once
        if self._status is None:
            signal_tree(self.pid, signal.SIGKILL)
            # The tree has lost processes whose parents died, but they are still in the process group.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)

    def cpu_ms(self) -> int | None:
        """The bot's CPU time so far; after its end, the last value that was read or accounted for."""
        used = self._used()
        if used is not None:
            self._cpu_ns = max(self._cpu_ns or 0, used - self._before_ns)
        return None if self._cpu_ns is None else self._cpu_ns // 1_000_000

    def reading(self) -> Reading | None:
        """Processor time that the bot has used and lacked so far; None if it is not known.

        Without the kernel's account of the group, each thread's waiting is added up, which is too much for a
        bot whose own threads compete.
        """
        used = self._used()
        if used is None:
            return None
        waited = None if self._core is None else self._core.waited_ns()
        if waited is None and (root := self._root()) is not None:
            waited = tree_run_delay_ns(root)
        return Reading(used - self._before_ns, waited or 0)

    def memory_use(self) -> MemoryUse | None:
        """The most memory that all processes together have used; without a group, when someone looked."""
        used = None if self._cgroup is None else self._cgroup.used_mb()
        if used is not None:
            return MemoryUse(used, whole=True)
        self._look_at_memory()
        return MemoryUse(self._most_kib >> 10, whole=False)

    def _look_at_memory(self) -> None:
        if (root := self._root()) is not None and not self.exited(0):
            self._most_kib = tree_memory_kib(root, self._most_kib)

    def rivals(self) -> int | None:
        """Threads of others that compete for each of the bot's processors now; None if unknown.

        In a container most of the machine's threads are hidden, but the kernel tells how many run in all. A
        bot that starts and ends children all the time must not make them look like rivals: those of its
        processes that are alive at both counts are among its members in between.
        """
        try:
            processors = os.sched_getaffinity(self.pid)
            before = runnable_threads()
            running = int(read_proc("/proc/loadavg").split()[3].partition(b"/")[0])
            core = self._core
            root = self._root()
            bot_processes = (
                core.members() if core is not None else process_tree(root) if root is not None else []
            )
            after = runnable_threads()
        except (AttributeError, OSError, ValueError, IndexError):
            return None
        others = before.keys() & after.keys() - {*bot_processes, os.getpid()}
        seen = sum(place in processors for pid in others for place in after[pid])
        hidden = running - max(sum(map(len, threads.values())) for threads in (before, after))
        # Rounded up, because one rival on two processors slows the bot; hidden ones may be on any processor.
        return -(-seen // len(processors)) + max(0, hidden) // (os.cpu_count() or 1)

    def _root(self) -> int | None:
        """The ancestor of all of the bot's processes, or None once it is reaped."""
        return self.pid if self._status is None else None

    def _used(self) -> int | None:
        if (core := self._core) is not None:
            return core.cpu_ns()
        root = self._root()
        return tree_cpu_ns(root) if root is not None else None

    def exited(self, timeout_ms: int) -> bool:
        """Wait at most ``timeout_ms`` for the first process to exit; say whether it has. Does not reap it."""
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

    def reap(self, *, keep_caches: bool = False) -> None:
        """Reap the first process after ``kill``, and release the bot's group and user.

        ``keep_caches``: see ``Cgroup.leave``, which removes the group once all processes have left it.
        """
        self.cpu_ms()
        if self._status is None and self.exited(_REAP_MS):
            if self._process.returncode is None:
                _, status, usage = os.wait4(self.pid, 0)
                # A child that was killed together with its parent is not in the parent's account.
                used = round((usage.ru_utime + usage.ru_stime) * 1e9)
                self._cpu_ns = max(self._cpu_ns or 0, used - self._before_ns)
                self._process.returncode = os.waitstatus_to_exitcode(status)
            self._status = self._process.returncode
            BotProcesses.alive.discard(self.pid)
        if self.pidfd >= 0:
            os.close(self.pidfd)
            self.pidfd = -1
        cgroup = self._cgroup
        self._cgroup = None
        release = self._release
        self._release = None
        if cgroup is not None:
            cgroup.leave(release, keep_caches=keep_caches)
        elif release is not None:
            release()

    def end(self, pipes: Pipes, *, keep_caches: bool = False) -> None:
        """Kill and reap all processes, and close their streams."""
        self.kill()
        self.reap(keep_caches=keep_caches)
        pipes.close()

    def last_event(self, killed: EventKind = "closed") -> Event:
        """The event that ends the bot's output: ``lost`` if the kernel shows that the machine ended the bot.

        It is ``starved`` if that was because memory was full. The sender of a SIGKILL is unknown, so a bot
        that died by it has crashed. ``killed`` is the event for a program that cannot have ended itself in
        this way.
        """
        words = self.death()
        code = self._exit_code()
        if code is None or (self._cgroup is not None and self._cgroup.memory_kills()[0]):
            return Event("closed", words)
        if self._killed_by_host(code):
            return Event("starved", words)
        if self._sandbox_killed(code):
            return Event("lost", words)
        return Event(killed if self._by_sigkill(code) else "closed", words)

    def _by_sigkill(self, code: int) -> bool:
        """Whether the bot died by SIGKILL, or pretends that."""
        return code in (-signal.SIGKILL, _EXIT_SIGNAL + signal.SIGKILL)

    def _sandbox_killed(self, code: int) -> bool:  # noqa: ARG002 - without a sandbox, the code is the bot's
        """Whether an exit code means that the sandbox was killed."""
        return False

    def _killed_by_host(self, code: int) -> bool:
        """Whether the kernel killed a process of the bot because the host, and not its group, was full.

        Where no group counts the bot's memory, the host's count must have risen, and the bot died by SIGKILL.
        """
        if self._host_kills is not None:
            return self._by_sigkill(code) and host_kills() > self._host_kills
        return self._cgroup is not None and self._cgroup.memory_kills()[1] > 0

    def death(self) -> str:
        """The end of the bot's output in words: an exit, a signal, or closed by a bot that runs on."""
        code = self._exit_code() if self.exited(_CLOSED_MS) else None
        if code is None:
            words = "closed its output"
        else:
            words = self._exit_words(code) if code >= 0 else exit_words(code)
        if self._cgroup is not None and self._cgroup.memory_kills()[0]:
            return f"{words} (out of memory: its processes together met their bound)"
        if code is not None and self._killed_by_host(code):
            return f"{words} (the machine was out of memory)"
        return words

    def _exit_code(self) -> int | None:
        """The first process's exit code (a signal is negative), or None while it runs.

        The process stays a zombie, so that its number is not reused, except on macOS before Python 3.13,
        which cannot look without reaping.
        """
        waitid = getattr(os, "waitid", None)
        if waitid is None or self._process.returncode is not None:
            return self._process.poll()
        info = waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if info is None:
            return None
        status: int = info.si_status
        return status if info.si_code == os.CLD_EXITED else -status

    def _exit_words(self, code: int) -> str:
        return exit_words(code)


class NamespaceProcesses(BotProcesses):
    """A bot in a process namespace: bubblewrap's own process, the namespace's first process, and the bot's.

    When the namespace's first process ends, the kernel ends all the others; bubblewrap reaps it and exits.
    """

    spared = 1  # the namespace's first process has to reap
    _first: int | None = None

    def _root(self) -> int | None:
        """The namespace's first process; None before it has started, and once it is reaped."""
        if self._first is None and self._status is None:
            children = children_of(self.pid)
            # With any other number it is not known which one is the namespace's first process.
            self._first = children[0] if len(children) == 1 else None
        return self._first if self._status is None else None

    def kill(self) -> None:
        """End the namespace; if there is none yet or it lingers, kill every process of the bot."""
        first = self._root()
        if first is not None and not self.exited(0):
            # Bubblewrap is alive and has not reaped it, so the number is still its own.
            with suppress(ProcessLookupError, PermissionError):
                os.kill(first, signal.SIGKILL)
            if (core := self._core) is not None:
                core.freeze(frozen=False)
            if self.exited(_SOON_MS):
                return
            # It competes for a processor with the bot's processes, perhaps a fork bomb: kill these first.
            if core is not None:
                core.kill()
            else:
                signal_tree(first, signal.SIGKILL, spare=self.spared)
            if self.exited(_END_MS):
                return
        super().kill()

    def _sandbox_killed(self, code: int) -> bool:
        # Bubblewrap's own process is outside the namespace, where no process of the bot can signal it. The
        # exit code of a killed bot, or of a killed namespace, is one that a bot can pretend.
        return code < 0

    def _exit_words(self, code: int) -> str:
        # Bubblewrap passes on a signal as 128 + its number; a bot can pretend that. Perl's `die` exits with
        # 255, which is not the number of a signal.
        if _EXIT_SIGNAL < code < _EXIT_SIGNAL + signal.NSIG:
            return f"killed by {_signal_name(code - _EXIT_SIGNAL)} (or exited with code {code})"
        return super()._exit_words(code)


def host_kills() -> int:
    """The number of processes that the kernel has killed here because memory was full."""
    return oom_kills(_own_memory_groups())


@cache
def _own_memory_groups() -> tuple[Path, ...]:
    return memory_groups()


def exit_words(code: int) -> str:
    """How a process ended, by its exit code; a signal is negative."""
    return f"killed by {_signal_name(-code)}" if code < 0 else f"exited with code {code}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class HeldBot:
    """A sandbox that is made ahead, in which the bot's program waits for ``release``.

    Its last program before the bot's writes an empty line to the bot's output when all is ready, and reads
    one from its input before it becomes the bot.
    """

    def __init__(self, name: str, group: BotProcesses, pipes: Pipes) -> None:
        self._name = name
        self._group = group
        self._pipes = pipes

    def release(self) -> tuple[BotProcesses, Pipes]:
        """Start the bot; return its processes and its streams, which the caller ends.

        Raises SandboxError, and ends the sandbox, if it does not work: the bot has no part in that.
        """
        try:
            self._wait()
            self._group.begin()  # before the line that starts the bot, whose time counts from here
            os.write(self._pipes.stdin, b"\n")
        except OSError as error:
            self.end()
            raise SandboxError(f"{self._name} failed before its bot began: {error.strerror}") from error
        except BaseException:
            self.end()
            raise
        return self._group, self._pipes

    def end(self) -> None:
        """End the sandbox; its bot has not started."""
        self._group.end(self._pipes)

    def _wait(self) -> None:
        poll = select.poll()
        poll.register(self._pipes.stdout, select.POLLIN)
        if not poll.poll(TRY_SECONDS * 1000):
            raise SandboxError(f"{self._name} does not work here (it hangs)")
        # Another byte is the first letter of an error, if errors go to the same pipe.
        answer = os.read(self._pipes.stdout, 1)
        if answer != b"\n" or self._group.exited(0):
            self._group.exited(TRY_SECONDS * 1000)
            errors = self._pipes.stderr if self._pipes.stderr >= 0 else self._pipes.stdout
            why = answer.decode("ascii", "replace").strip() + last_line(errors)
            raise SandboxError(with_limits(f"{self._name} does not work here ({why or self._group.death()})"))


def last_line(fd: int) -> str:
    """The last line in a pipe whose writers are gone."""
    with suppress(BlockingIOError):
        lines = os.read(fd, 65_536).decode("utf-8", "backslashreplace").strip().splitlines()
        return lines[-1][:200] if lines else ""
    return ""
