"""A bot that is ready to start, and a sandbox that is made before its bot starts."""

import os
import select
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from tourney.bots.channel.interface import Channel
from tourney.bots.channel.process_channel import ProcessChannel
from tourney.bots.sandbox.bot_processes import BotProcesses
from tourney.bots.sandbox.cgroups import Cgroup
from tourney.bots.sandbox.child_process import Pipes, Process
from tourney.errors import SandboxError

TRY_SECONDS: Final = 20
"""Time for a sandbox to get ready."""


@dataclass(slots=True)
class Launch:
    """A bot that is ready to start: its command line inside the sandbox, and what is held for it.

    ``fds`` are inherited, and closed here once the bot has started. ``release`` is called when it has ended.
    For a sandbox that holds its bots, ``words`` are written to the descriptor ``words_to`` once the first
    process is in its groups. ``weakened`` is that of the channel.
    """

    argv: list[str]
    fds: tuple[int, ...] = ()
    cgroup: Cgroup | None = None
    release: Callable[[], None] | None = None
    words: bytes = b""
    words_to: int = -1
    weakened: Mapping[str, str] = field(default_factory=dict)

    def send_words(self) -> None:
        """Write ``words``; a sandbox that does not read them has died, and says why on standard error."""
        content = self.words
        with suppress(BrokenPipeError):
            while content:
                content = content[os.write(self.words_to, content) :]

    def close_fds(self) -> None:
        """Close the descriptors that only the start needs."""
        fds, self.fds = self.fds, ()
        for fd in fds:
            os.close(fd)
        if self.words_to >= 0:
            os.close(self.words_to)
            self.words_to = -1

    def abandon(self) -> None:
        """Release everything when the start has failed."""
        self.close_fds()
        if self.cgroup is not None:
            self.cgroup.remove()
        if self.release is not None:
            self.release()


class HeldBot:
    """A sandbox that is made ahead, in which the bot's program waits for ``release``.

    Its last program before the bot's writes an empty line to the bot's output when all is ready, and reads
    one from its input before it becomes the bot.
    """

    def __init__(self, name: str, process: Process, pipes: Pipes, group: BotProcesses) -> None:
        self._name = name
        self._process = process
        self._pipes = pipes
        self._group = group

    def release(self) -> tuple[Process, Pipes, BotProcesses]:
        """Start the bot; return its process, its streams and its processes, which the caller ends.

        Raises SandboxError, and ends the sandbox, if it does not work: the bot has no part in that.
        """
        try:
            self._wait()
            self._group.begin()
            os.write(self._pipes.stdin, b"\n")
        except OSError as error:
            self.end()
            raise SandboxError(f"{self._name} failed before its bot began: {error.strerror}") from error
        except BaseException:
            self.end()
            raise
        return self._process, self._pipes, self._group

    def channel(self, clock: Callable[[], int] = time.monotonic_ns) -> Channel:
        """Start the bot and return the channel to it. Raises SandboxError as ``release`` does."""
        _, pipes, group = self.release()
        return ProcessChannel(group, pipes, clock=clock)

    def end(self) -> None:
        """End the sandbox; its bot has not started."""
        self._group.kill()
        self._group.reap()
        for fd in self._pipes:
            if fd >= 0:
                os.close(fd)

    def _wait(self) -> None:
        """Wait until all is ready. Raises SandboxError."""
        poll = select.poll()
        poll.register(self._pipes.stdout, select.POLLIN)
        if not poll.poll(TRY_SECONDS * 1000):
            raise SandboxError(f"{self._name} does not work here (it hangs)")
        said = os.read(self._pipes.stdout, 1)
        if said != b"\n" or self._group.exited(0):
            self._group.exited(TRY_SECONDS * 1000)
            errors = self._pipes.stderr if self._pipes.stderr >= 0 else self._pipes.stdout
            why = said.decode("ascii", "replace").strip() + last_line(errors)
            raise SandboxError(f"{self._name} does not work here ({why or self._group.death()})")


def last_line(fd: int) -> str:
    """The last line in a pipe whose writers are gone."""
    with suppress(BlockingIOError):
        lines = os.read(fd, 65_536).decode("utf-8", "backslashreplace").strip().splitlines()
        return lines[-1][:200] if lines else ""
    return ""
