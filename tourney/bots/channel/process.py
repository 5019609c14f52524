"""The channel to a process: non-blocking pipes and poll, one write and one read for a move."""

import os
import select
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from tourney.bots.channel.interface import Event, MemoryUse, Reading, Withheld
from tourney.bots.channel.line_buffer import BufferedChannel
from tourney.bots.channel.waiting import MAX_POLL_MS, poll_ms
from tourney.bots.sandbox.bot_processes import BotProcesses
from tourney.bots.sandbox.processes import Pipes
from tourney.protocol import MAX_BOT_LINE

MAX_QUEUE: Final = 16 * 1024 * 1024
"""Most bytes queued for a bot that does not read; beyond it nothing more is sent and the bot times out."""

_CHUNK = 64 * 1024
_TIMEOUT = Event("timeout")
_FULL = Event("starved", "stopped, as memory was almost full")
_read = os.read
_write = os.write


class ProcessChannel(BufferedChannel):
    """Exchanges lines with a bot's process over its pipes. ``clock`` returns nanoseconds."""

    resumes = True

    def __init__(
        self, group: BotProcesses, pipes: Pipes, *, clock: Callable[[], int] = time.monotonic_ns
    ) -> None:
        super().__init__()
        self._group = group
        self._memory_watch = group.watch
        self.weakened = group.weakened
        self._stdin, self._stdout, self._stderr = pipes
        self._clock = clock
        self._word = b""
        self._unsent = b""
        self._stuck = False
        self._looked = -1  # when the last look since the request began: no earlier deadline needs another
        self._ending = False  # a look saw that its output ended, and left it at that
        self._frozen = False
        self._leaving = False
        self._closed = False
        self._sources: dict[int, int] = {}
        self._poller = select.poll()
        self._poll = self._poller.poll
        self._listen(self._stdout)
        self._listen(self._stderr)
        if group.pidfd >= 0:
            self._listen(group.pidfd)

    def send(self, data: bytes) -> None:
        """Queue lines for the bot and write as much as its pipe takes; the rest is written while waiting."""
        if self._unsent:
            # A bot that never reads must not fill the referee's memory with requests.
            if len(self._unsent) + len(data) > MAX_QUEUE:
                self._stuck = True
            else:
                self._unsent += data
            return
        if self._stdin < 0:
            return
        try:
            # Pipes are non-blocking: a bot that does not read cannot hold up the referee.
            sent = os.write(self._stdin, data)
        except BlockingIOError:
            sent = 0
        except OSError:
            self._shut_stdin()
            return
        if sent < len(data):
            self._unsent = data[sent:]
            self._listen(self._stdin, select.POLLOUT)

    def pending(self) -> Sequence[Event]:
        """Take the events so far, without waiting."""
        while self._pump(0) and self._lines.end is None:
            pass
        return super().pending()

    def gather(self, word: bytes) -> None:
        """Let ``ask`` return the lines up to the first that begins with a word as one text, if short."""
        self._word = word

    def request(self, data: bytes) -> None:
        """Send lines that end in a request: the bot's allowance of output starts again."""
        self._lines.renew()
        self._looked = -1
        self.send(data)

    def now(self) -> int:
        """The time of its clock."""
        return self._clock()

    def sources(self) -> Mapping[int, int]:
        """Its output, its standard error, its end, and its input while lines are queued."""
        return self._sources

    def look_ms(self) -> int:
        """The milliseconds until memory has to be looked at again."""
        return MAX_POLL_MS if self._memory_watch is None else self._memory_watch.due_ms()

    def wait(self, deadline: int) -> Event:
        """The next event by the deadline; ``timeout`` if there is none."""
        lines = self._lines
        if (event := self._heard()) is not None:
            return event
        # The clock is read before the look: a referee held up between the two costs the bot no time.
        # The first look from the deadline on is the last, or a bot that always has output would gain time.
        watch = self._memory_watch
        while watch is None or not watch.is_low():
            if self._looked >= deadline and not self._ending:
                return _TIMEOUT
            now = self._looked = self._clock()
            left = 0 if self._ending else deadline - now
            self._ending = False
            self._pump(min(poll_ms(left), self.look_ms()))
            # Equal to _heard, inlined for speed.
            held = self._unsent or self._stuck
            if (not held or lines.end is not None) and (event := lines.take()) is not None:
                return event
        return _FULL

    def collect(self) -> bool:
        """Serve all pipes once; whether the output has ended."""
        self._looked = self._clock()
        for fd, _ in self._poll(0):
            if fd == self._stdout and (data := os.read(fd, _CHUNK)):
                self._take_output(data)
            elif fd == self._stderr:
                self._read_errors()
            elif fd == self._stdin:
                self._flush()
            else:
                self._ending = True
        return self._ending

    def ask(self, data: bytes, deadline: int) -> str | Event:
        """Do ``request`` and ``wait`` with as few system calls as possible: this runs once a move."""
        lines = self._lines
        if lines.events or lines.end is not None or self._unsent or self._stuck:
            return super().ask(data, deadline)
        if self._memory_watch is not None and self._memory_watch.is_low():
            return _FULL
        self._looked = -1
        try:
            taken = _write(self._stdin, data)
        except OSError:  # it is full, or the bot closed it: ``send`` tells these apart
            taken = 0
        if taken < len(data):
            lines.renew()
            self.send(data[taken:])
            return self.wait(deadline)
        # A bot on the same processor has mostly answered before the write returns: no need to poll.
        try:
            output = _read(self._stdout, _CHUNK)
        except BlockingIOError:
            ready = self._poll(min(poll_ms(deadline - self._clock()), self.look_ms()))
            if len(ready) != 1 or ready[0][0] != self._stdout:
                lines.renew()
                self._serve(ready)
                return self.wait(deadline)
            output = _read(self._stdout, _CHUNK)
        word = self._word
        if word and not output.startswith(word):
            output = self._gathered(output, deadline)
        text = lines.whole(output, word)
        if text is not None:
            return text
        lines.renew()
        self._take_output(output)
        return self.wait(deadline)

    def _gathered(self, output: bytes, deadline: int) -> bytes:
        """Read on to the line that is waited for, as long as nothing but a little output comes."""
        while 0 < len(output) < MAX_BOT_LINE:
            # A blank before the word, or a carriage return at the end of the line, only costs the quick way.
            if output.endswith((b"\n", b"\r")):
                last = output.rstrip(b"\r\n").replace(b"\r", b"\n").rpartition(b"\n")[2]
                if last.lstrip().startswith(self._word):
                    break
            ready = self._poll(min(poll_ms(deadline - self._clock()), self.look_ms()))
            if len(ready) != 1 or ready[0][0] != self._stdout:
                break
            more = _read(self._stdout, _CHUNK)
            if not more:
                break
            output += more
        return output

    def idle(self) -> bool:
        """Whether no output and no standard error wait to be taken."""
        lines = self._lines
        return not (lines.events or lines.end is not None or self._errors.kept or self._poll(0))

    def stderr(self) -> Sequence[str]:
        """Take the lines of standard error since the last call, bounded; those still in the pipe too."""
        self._read_errors()
        return self._errors.take()

    def cpu_ms(self) -> int | None:
        """The CPU time that the bot has used so far, or None if unknown."""
        return self._group.cpu_ms()

    def reading(self) -> Reading | None:
        """Processor time that the bot has used and lacked so far, or None if unknown."""
        return self._group.reading()

    def rivals(self) -> int | None:
        """Threads of others that compete for each of the bot's processors; None if unknown."""
        return self._group.rivals()

    def memory_use(self) -> MemoryUse | None:
        """The most memory that the bot has used so far: what its control group counted, or its processes."""
        return self._group.memory_use()

    def withheld(self, milliseconds: int) -> Withheld | None:
        """A line without its newline, or the first line but ``info`` that comes once the input is closed."""
        if part := self._lines.unfinished():
            return Withheld(part, whole=False, at_end=False)
        if not milliseconds:
            return None
        self.thaw()  # it may have been judged while others were still starting
        self._shut_stdin()
        deadline = self._clock() + milliseconds * 1_000_000
        while (event := self.wait(deadline)).kind == "line" and event.text.startswith("info"):
            pass
        if event.kind == "line":
            return Withheld(event.text, whole=True, at_end=True)
        part = self._lines.unfinished()
        return Withheld(part, whole=False, at_end=True) if part else None

    def freeze(self) -> None:
        """Stop the bot's processes."""
        if not self._frozen:
            self._frozen = True
            self._group.freeze()

    def thaw(self) -> None:
        """Let the processes continue."""
        if self._frozen:
            self._frozen = False
            self._group.freeze(frozen=False)

    def close(self, grace: float) -> None:
        """End the bot: wait ``grace`` seconds for it to exit, then kill all of it; reap."""
        if self._closed:
            return
        self._closed = True
        try:
            deadline = time.monotonic_ns() + int(grace * 1e9)
            while not self.leave() and (left := deadline - time.monotonic_ns()) > 0:
                self._pump(poll_ms(left))
            # Standard error from before the exit is in the pipe and may explain it. A few reads empty a pipe,
            # and a child of the bot's that goes on writing must not hold up the end.
            for _ in range(4):
                self._pump(0)
            self._errors.close()
        finally:
            self._group.kill()
            self._group.reap()
            self._shut_stdin()
            self._drop(self._stdout)
            self._drop(self._stderr)
            self._stdout = self._stderr = -1

    def leave(self) -> bool:
        """Write the queued lines, then end the bot's input; return whether it has exited."""
        if not self._leaving:
            self._leaving = True
            self.thaw()
            self._group.cpu_ms()
            self._lines.close(Event("closed", "the match is over"))
        self._pump(0)
        if not self._unsent:
            self._shut_stdin()
        return self._group.exited(0)

    def _heard(self) -> Event | None:
        """The next event, unless the bot has not read all of its request."""
        if (self._unsent or self._stuck) and self._lines.end is None:
            return None
        return self._lines.take()

    def _pump(self, timeout_ms: int) -> bool:
        """Wait for the pipes and serve them once; return whether any output came."""
        return self._serve(self._poll(timeout_ms))

    def _serve(self, ready: Sequence[tuple[int, int]]) -> bool:
        """Serve the pipes that are ready; return whether any output came."""
        came = died = False
        for fd, _ in ready:
            if fd == self._stdout:
                came = self._read_output()
            elif fd == self._stderr:
                self._read_errors()
            elif fd == self._stdin:
                self._flush()
            else:
                died = True
        if died:
            self._ignore(self._group.pidfd)
            # Its whole output is in the pipe now. Others may hold the pipe open: do not wait for its end.
            while self._stdout >= 0 and self._lines.end is None and self._read_output():
                came = True
            self._read_errors()
            self._lines.close(self._group.last_event())
        return came

    def _read_output(self) -> bool:
        try:
            data = os.read(self._stdout, _CHUNK)
        except BlockingIOError:
            return False
        return self._take_output(data)

    def _take_output(self, data: bytes) -> bool:
        """Take a chunk of output, empty at its end; return whether there was any."""
        if data:
            self._lines.feed(data)
            if self._lines.end is None or self._leaving:
                return True
        # The end, or more output than is allowed: what is not read costs the referee nothing.
        self._drop(self._stdout)
        self._stdout = -1
        if self._lines.end is None:
            self._lines.close(self._group.last_event())
        return bool(data)

    def _read_errors(self) -> None:
        if self._stderr < 0:
            return
        try:
            data = os.read(self._stderr, _CHUNK)
        except BlockingIOError:
            return
        if data:
            self._errors.feed(data)
        else:
            self._errors.close()
            self._drop(self._stderr)
            self._stderr = -1

    def _flush(self) -> None:
        try:
            sent = os.write(self._stdin, self._unsent)
        except BlockingIOError:
            return
        except OSError:
            self._shut_stdin()
            return
        self._unsent = self._unsent[sent:]
        if not self._unsent:
            self._ignore(self._stdin)

    def _shut_stdin(self) -> None:
        """Close the bot's input, or drop the queued lines if the bot closed it."""
        self._unsent = b""
        self._drop(self._stdin)
        self._stdin = -1

    def _drop(self, fd: int) -> None:
        if fd >= 0:
            self._ignore(fd)
            os.close(fd)

    def _listen(self, fd: int, events: int = select.POLLIN) -> None:
        self._sources[fd] = events
        self._poller.register(fd, events)

    def _ignore(self, fd: int) -> None:
        if self._sources.pop(fd, None) is not None:
            self._poller.unregister(fd)
