"""A channel: the one seam between the referee's side and a bot, whatever the bot is made of."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

EventKind = Literal["line", "timeout", "closed", "overflow", "garbled"]


class Event(NamedTuple):
    """What came of a bot: a line (its text, without the newline), or why there is none.

    ``closed``: the bot's output ended or the bot died (``text`` says how, for the log). ``overflow``: more
    than 64 KiB or 1,000 lines since the last request. ``garbled``: a line that is too long or no UTF-8.
    Events come in the order of the bot's output; after ``closed``, ``overflow`` or ``garbled`` nothing else
    comes but the same again.
    """

    kind: EventKind
    text: str = ""


class Channel(ABC):
    """Talks lines with one bot. Never raises for what a bot does; never blocks without a deadline.

    Lines of the bot come without their newline and one carriage return before it; empty lines do not come
    at all, nor does a last line without a newline.
    """

    @abstractmethod
    def send(self, data: bytes) -> None:
        """Queue lines for the bot and write what its pipe takes now; the rest goes out while waiting."""

    @abstractmethod
    def pending(self) -> Sequence[Event]:
        """Take what has come by now, without waiting; asked before a request, it is what came unasked."""

    @abstractmethod
    def request(self, data: bytes) -> None:
        """Send lines that end in a request: the bot's allowance of output starts anew."""

    @abstractmethod
    def wait(self, deadline: int) -> Event:
        """Return the next event; ``timeout`` at the deadline, which nothing extends.

        The deadline is in nanoseconds of the clock that the channel was made with (``time.monotonic_ns``).
        What a bot has said by the time of the last look is heard, though the one who looks was late. A bot
        that has not taken all of its request is not heard: it times out.
        """

    def ask(self, data: bytes, allowance: int) -> tuple[int, str | Event] | None:  # noqa: ARG002 - see below
        """Do ``pending``, ``request`` and ``wait`` at one go, where nothing has come unasked.

        Returns when the request was sent, and what came of it within ``allowance`` nanoseconds: the text of a
        line that came alone, or an event as of ``wait``. Returns None where something has come unasked, or
        where the channel has no such way: then nothing was sent or taken.
        """
        return None

    @abstractmethod
    def take_stderr(self) -> Sequence[str]:
        """Return the lines of standard error since the last call, bounded."""

    @abstractmethod
    def cpu_ms(self) -> int | None:
        """Return the CPU time the bot's process has used so far, or None where it is not known."""

    def strain(self) -> str:
        """Say that the machine kept the bot waiting in a long turn that ends now; "" if it did not."""
        return ""

    @abstractmethod
    def freeze(self) -> None:
        """Stop the bot while it is not its turn, as far as the channel can."""

    @abstractmethod
    def thaw(self) -> None:
        """Let a frozen bot go on."""

    @abstractmethod
    def close(self, grace: float) -> None:
        """End the bot: wait ``grace`` seconds for it to exit, then kill all of it; reap.

        What is queued is written first as far as the bot takes it. Closing again does nothing.
        """


class FailedChannel(Channel):
    """Says ``closed`` to whatever is asked; ``why`` goes to the log."""

    def __init__(self, why: str) -> None:
        self._end = Event("closed", why)

    def send(self, data: bytes) -> None:
        """Do nothing: nobody is there."""

    def pending(self) -> Sequence[Event]:
        """Return the end."""
        return (self._end,)

    def request(self, data: bytes) -> None:
        """Do nothing: nobody is there."""

    def wait(self, deadline: int) -> Event:  # noqa: ARG002 - the dead keep nobody waiting
        """Return the end at once."""
        return self._end

    def take_stderr(self) -> Sequence[str]:
        """Return nothing."""
        return ()

    def cpu_ms(self) -> int | None:
        """Return no time at all."""
        return 0

    def freeze(self) -> None:
        """Do nothing."""

    def thaw(self) -> None:
        """Do nothing."""

    def close(self, grace: float) -> None:
        """Do nothing."""


KEPT: Final = 12
_SHOWN: Final = 200


class TracedChannel(Channel):
    """Passes everything on to another channel. ``lines`` are the last on the wire.

    They begin with ``>`` (to the bot), ``<`` (from it) or ``!`` (what came instead of a line), and are cut
    short and fit to be printable.
    """

    def __init__(self, inner: Channel) -> None:
        self._inner = inner
        self._lines: deque[str] = deque(maxlen=KEPT)

    @property
    def lines(self) -> tuple[str, ...]:
        """The last lines on the wire, the oldest first."""
        return tuple(self._lines)

    def send(self, data: bytes) -> None:
        """Pass on."""
        self._note_sent(data)
        self._inner.send(data)

    def pending(self) -> Sequence[Event]:
        """Pass on."""
        events = self._inner.pending()
        for event in events:
            self._note(event)
        return events

    def request(self, data: bytes) -> None:
        """Pass on."""
        self._note_sent(data)
        self._inner.request(data)

    def wait(self, deadline: int) -> Event:
        """Pass on."""
        event = self._inner.wait(deadline)
        self._note(event)
        return event

    def take_stderr(self) -> Sequence[str]:
        """Pass on."""
        return self._inner.take_stderr()

    def cpu_ms(self) -> int | None:
        """Pass on."""
        return self._inner.cpu_ms()

    def strain(self) -> str:
        """Pass on."""
        return self._inner.strain()

    def freeze(self) -> None:
        """Pass on."""
        self._inner.freeze()

    def thaw(self) -> None:
        """Pass on."""
        self._inner.thaw()

    def close(self, grace: float) -> None:
        """Pass on."""
        self._inner.close(grace)

    def _note_sent(self, data: bytes) -> None:
        for line in data.splitlines()[-KEPT:]:
            self._lines.append(printable(f"> {line.decode('utf-8', 'replace')}"))

    def _note(self, event: Event) -> None:
        if event.kind == "line":
            self._lines.append(printable(f"< {event.text}"))
        else:
            self._lines.append(printable(f"! {event.kind} {event.text}".rstrip()))


def printable(text: str) -> str:
    """Return a line fit to be printable: bounded, and with nothing in it that a terminal obeys."""
    cut = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text):,} characters)"
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in cut)
