"""The channel to an author's program in the foreground: the terminal stays its own, and nothing limits it."""

import os
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tourney.bots.channel.interface import Event
from tourney.bots.channel.line_buffer import BufferedChannel

_CHUNK = 64 * 1024
_MOST_SECONDS = 3600.0
_MOST_OUTPUT = (1 << 24, 1_000_000)


class ForegroundChannel(BufferedChannel):
    """Exchanges lines with a program in the session of this process, so that a debugger has its terminal.

    Standard error is this process's. Raises OSError if the program cannot be started.
    """

    def __init__(self, words: Sequence[str], folder: Path, env: Mapping[str, str]) -> None:
        super().__init__()
        self._process = subprocess.Popen(  # noqa: S603 - the author's own program
            list(words), cwd=folder, env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self.pid = self._process.pid
        self.widen(*_MOST_OUTPUT)

    def send(self, data: bytes) -> None:
        """Write lines; a program that does not read blocks, as its author can see."""
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        with suppress(OSError, ValueError):
            self._process.stdin.write(data)

    def request(self, data: bytes) -> None:
        """Send lines that end in a request."""
        self._lines.renew()
        self.send(data)

    def wait(self, deadline: int) -> Event:
        """The next event; ``timeout`` at the deadline."""
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        output = self._process.stdout.fileno()
        while (event := self._lines.take()) is None:
            left = (deadline - time.monotonic_ns()) / 1e9
            if left <= 0:
                return Event("timeout")
            if select.select([output], [], [], min(left, _MOST_SECONDS))[0]:
                data = os.read(output, _CHUNK)
                if data:
                    self._lines.feed(data)
                else:
                    self._lines.close(Event("closed", f"exited with code {self._process.wait()}"))
        return event

    def close(self, grace: float) -> None:
        """End the program: close its input, wait ``grace`` seconds, then kill it."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        try:
            self._process.wait(grace)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
