"""A bot's output, cut into lines and bounded: standard output strictly, standard error leniently."""

from collections import deque
from collections.abc import Sequence
from typing import Final

from tourney.bots.channel.interface import Channel, Event
from tourney.protocol import MAX_BOT_LINE, MAX_OUTPUT_BYTES, MAX_OUTPUT_LINES, shown

MAX_STDERR: Final = 16 * 1024
"""Bytes of standard error kept between two takes; the rest is counted and dropped."""
MAX_STDERR_LINE: Final = 1000  # bytes kept of a line of standard error


class LineBuffer:
    """Turns chunks of a bot's output into events, in order, within the allowance of one request.

    ``events`` are not taken yet. ``end`` is the event after which no other comes: the output is closed,
    overflowed or malformed.

    A buffer may be lenient, for an adapter, which looks only at a few words at the beginning of a line: then
    a line that is not UTF-8 is read as Latin-1, one that is too long is cut, and a carriage return ends one.
    """

    __slots__ = (
        *("_bytes_left", "_lenient", "_lines_left", "_most_bytes", "_most_lines", "_tail", "end", "events"),
    )

    def __init__(self) -> None:
        self.events: deque[Event] = deque()
        self._tail = b""
        self.end: Event | None = None
        self._most_bytes = MAX_OUTPUT_BYTES
        self._most_lines = MAX_OUTPUT_LINES
        self._lenient = False
        self.renew()

    def widen(self, most_bytes: int, most_lines: int, *, lenient: bool = False) -> None:
        """Set the allowance between two requests instead of 64 KiB and 1,000 lines."""
        self._most_bytes = most_bytes
        self._most_lines = most_lines
        self._lenient = lenient
        self.renew()

    def renew(self) -> None:
        """Restart the allowance: 64 KiB and 1,000 lines, with empty ones, unless it was widened."""
        self._bytes_left = self._most_bytes
        self._lines_left = self._most_lines

    def whole(self, data: bytes, word: bytes = b"") -> str | None:
        """Take whole lines of ASCII of which only the last begins with a word, and return their text.

        Without a word it is one line. For the first chunk since a request, while there are neither events
        nor an end: the allowance restarts with it. Returns None, and takes nothing, where the chunk is
        anything else, or longer than a line may be: then it has to be fed.
        """
        # This runs once a move: a single line, the usual case, takes the fewest looks at the data.
        size = len(data)
        count = 1
        if data.find(b"\n") + 1 == size:
            fits = data.startswith(word)
        else:
            count = data.count(b"\n")
            last = data.rfind(b"\n", 0, -1) + 1
            ends = word != b"" and data.endswith(b"\n") and data.find(word) == last
            fits = ends and count <= self._most_lines and b"\r" not in data
        if not fits or self._tail or not 1 < size <= MAX_BOT_LINE:
            return None
        if not data.isascii() or b"\r" in data:
            return None
        self._bytes_left = self._most_bytes - size
        self._lines_left = self._most_lines - count
        return data[:-1].decode("ascii")

    def feed(self, data: bytes) -> None:
        """Take a chunk of output. Lines within the allowance come before the overflow."""
        if self.end is not None:
            return
        self._bytes_left -= len(data)
        over = self._bytes_left < 0
        if over:
            data = data[: self._bytes_left]  # less than 0: the bytes beyond the allowance go
        if self._lenient and b"\r" in data:
            # Between the halves of a CR LF it leaves an empty line, which is dropped.
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = (self._tail + data).split(b"\n")
        self._tail = lines.pop()
        for line in lines:
            if self._lines_left == 0:
                self.end = Event("overflow", f"more than {self._most_lines:,} lines between two requests")
                return
            self._lines_left -= 1
            if not self._line(line):
                return
        if len(self._tail) >= MAX_BOT_LINE and self._lenient:
            # What is cut is dropped now: a program that writes byte by byte must not make each chunk cost a
            # copy of its whole line.
            self._tail = self._tail[:MAX_BOT_LINE]
        elif len(self._tail) >= MAX_BOT_LINE:
            self.end = Event("malformed", f"a line longer than {MAX_BOT_LINE:,} bytes")
        if over and self.end is None:
            self.end = Event("overflow", f"more than {self._most_bytes:,} bytes between two requests")

    def _line(self, line: bytes) -> bool:
        """Take a line without its newline; return False if the output is malformed."""
        if len(line) >= MAX_BOT_LINE:
            if not self._lenient:
                self.end = Event("malformed", f"a line longer than {MAX_BOT_LINE:,} bytes")
                return False
            line = _cut(line)
        if line.endswith(b"\r"):
            line = line[:-1]
        if line:
            try:
                text = line.decode("utf-8")
            except UnicodeDecodeError as error:
                if not self._lenient:
                    self.end = Event("malformed", f"a line that is not UTF-8: byte {line[error.start]:#04x}")
                    return False
                text = line.decode("latin-1")
            self.events.append(Event("line", text))
        return True

    def close(self, event: Event) -> None:
        """End the output by an event, which names a last line without a newline: that is dropped."""
        if self.end is None:
            part = self.unfinished() if event.kind == "closed" else ""
            self.end = (
                Event("closed", f"{event.text} after {shown(part)} without a newline") if part else event
            )

    def unfinished(self) -> str:
        """The beginning of a line whose newline has not come; "" for none."""
        return self._tail.decode("utf-8", "replace").strip()

    def take(self) -> Event | None:
        """Take the next event, or None while there is none. The end is returned every time."""
        return self.events.popleft() if self.events else self.end

    def drain(self) -> Sequence[Event]:
        """Take all events, the end last."""
        if not self.events and self.end is None:
            return ()
        events = list(self.events)
        self.events.clear()
        if self.end is not None:
            events.append(self.end)
        return events


def _cut(line: bytes) -> bytes:
    """The beginning of a line that is too long, without the part of a character at its end."""
    line = line[: MAX_BOT_LINE - 1]
    return line[: len(line.rstrip(bytes(range(0x80, 0xC0))))].rstrip(bytes(range(0xC0, 0x100)))


class ErrorBuffer:
    """Keeps a bot's standard error until it is taken: cuts long lines, and counts dropped ones."""

    __slots__ = ("_dropped", "_lines", "_tail", "kept")

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._tail = b""
        self.kept = 0
        self._dropped = 0

    def feed(self, data: bytes) -> None:
        """Take a chunk of standard error."""
        # A bot may write gigabytes to standard error; the excess is counted and thrown away.
        room = MAX_STDERR - self.kept
        if len(data) > room:
            self._dropped += len(data) - room
            data = data[:room]
        self.kept += len(data)
        lines = (self._tail + data).split(b"\n")
        self._tail = lines.pop()
        self._lines.extend(map(_readable, lines))
        if len(self._tail) > MAX_STDERR_LINE:
            self._lines.append(_readable(self._tail))
            self._tail = b""

    def close(self) -> None:
        """End standard error; text without a newline counts as a line here."""
        if self._tail:
            self._lines.append(_readable(self._tail))
            self._tail = b""

    def take(self) -> Sequence[str]:
        """Take the lines since the last call; a last line counts the dropped ones."""
        if not self.kept and not self._lines:
            return ()
        if self._dropped:
            self.close()
            self._lines.append(f"({self._dropped:,} more bytes of standard error were dropped)")
        lines = self._lines
        self._lines = []
        self.kept = self._dropped = 0
        return lines


def _readable(line: bytes) -> str:
    return line[:MAX_STDERR_LINE].removesuffix(b"\r").decode("utf-8", "backslashreplace")


class BufferedChannel(Channel):
    """A channel to a program whose output is kept in ``_lines``, and its standard error in ``_errors``."""

    def __init__(self) -> None:
        self._lines = LineBuffer()
        self._errors = ErrorBuffer()

    def widen(self, most_bytes: int, most_lines: int, *, lenient: bool = False) -> None:
        """Allow more output between two requests."""
        self._lines.widen(most_bytes, most_lines, lenient=lenient)

    def idle(self) -> bool:
        """Whether no output and no standard error wait to be taken."""
        return not (self._lines.events or self._lines.end is not None or self._errors.kept)

    def pending(self) -> Sequence[Event]:
        """Take the events so far, without waiting."""
        return self._lines.drain()

    def stderr(self) -> Sequence[str]:
        """Take the lines of standard error since the last call, bounded."""
        return self._errors.take()
