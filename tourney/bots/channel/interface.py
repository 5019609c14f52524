"""The channel to one bot: the seam between the referee and a process, a script, a person or a plugin."""

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Concatenate, Final, Literal, NamedTuple, ParamSpec, TypeVar

from tourney.protocol import BotMessage, Greeting, Ready
from tourney.texts import legible

EventKind = Literal["line", "timeout", "closed", "lost", "starved", "overflow", "malformed"]

TRACED_LINES: Final = 12  # lines that a TracedChannel keeps
_MAX_SHOWN: Final = 200
_TIMED_OUT: Final = "! timeout"


class Event(NamedTuple):
    """A line of the bot (its text, without the newline), or the reason that there is none.

    ``closed``: the bot's output ended or the bot died (``text`` says how, for the log). ``lost``: the machine
    ended it, as the kernel shows; ``starved``: because its memory was full. ``overflow``: more than 64 KiB or
    1,000 lines since the last request. ``malformed``: a line that is too long or not UTF-8. Events come in
    the order of the bot's output; after any of these but a line and a timeout only the same event comes
    again.
    """

    kind: EventKind
    text: str = ""


class Reading(NamedTuple):
    """The processor time that a bot has used and lacked so far, in nanoseconds.

    ``cpu``: the processor time of all its processes. ``waited``: time in which some of them could run and
    none of them had a processor.
    """

    cpu: int
    waited: int


class Withheld(NamedTuple):
    """Output of a bot that owes an answer, and that was not one in time.

    ``whole``: its newline is there. ``at_end``: it came only once the bot's input was closed. A whole line
    that came in time was not understood as an answer, unless ``why`` says in words what was wrong.
    """

    text: str
    whole: bool
    at_end: bool
    why: str = ""


class MemoryUse(NamedTuple):
    """The memory of a bot in MiB; ``whole``: all of it, and not only what its processes had in use."""

    mb: int
    whole: bool


def line_event(message: BotMessage) -> Event:
    """The event of a bot that says this."""
    return Event("line", message.encode().decode("utf-8").rstrip("\n"))


P = ParamSpec("P")
R = TypeVar("R")

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_NO_SOURCES: Final[Mapping[int, int]] = MappingProxyType({})


class Channel(ABC):
    """Exchanges lines with one bot. Never raises for what a bot does; never blocks without a deadline.

    A bot's lines come without their newline and one carriage return before it; empty lines and a last line
    without a newline are dropped. Deadlines are in nanoseconds of the channel's clock, usually
    ``time.monotonic_ns``. Only ``send`` and ``wait`` must be implemented.

    A line is in time if it came by the deadline, however late it is read, and too late if it came after it,
    however late the referee looks. A pipe keeps no times. So a bot is late only if a look that began at its
    deadline or later found nothing; what that look found counts, and no later look is made.
    """

    resumes: bool = False
    """Whether a wait may follow a time-out. Otherwise the referee waits once, until the last deadline."""
    weakened: Mapping[str, str] = _NOTHING
    """The protections that are only partial for this bot, each with the reason."""

    @abstractmethod
    def send(self, data: bytes) -> None:
        """Queue lines for the bot and write as much as its pipe takes; the rest is written while waiting."""

    @abstractmethod
    def wait(self, deadline: int) -> Event:
        """The next event by the deadline, which no output extends; ``timeout`` if there is none.

        After the deadline it does not wait. A bot that has not read all of its request times out. If the
        channel ``resumes``, the referee may wait again after a time-out, with a later deadline.
        """

    def sources(self) -> Mapping[int, int]:
        """The file descriptors that ``wait`` waits for, each with its events for ``select.poll``.

        With them the referee waits for several bots at once (``wait_for_any``), so that each line is read
        when it comes. By default there are none.
        """
        return _NO_SOURCES

    def look_ms(self) -> int | None:
        """The milliseconds after which ``wait`` has to run again though nothing came; None: no such time."""
        return None

    def collect(self) -> bool:
        """Read the pending output without waiting; return whether the output has ended.

        This is a look as ``wait`` makes it. How a bot has died takes time to know, so only ``wait`` asks.
        For channels with ``sources``.
        """
        return False

    def time_out(self, event: Event) -> Event:
        """Take that the time of a request is over for good; return the event that stands for its answer."""
        return event

    def request(self, data: bytes) -> None:
        """Send lines that end in a request: the bot's allowance of output starts again."""
        self.send(data)

    def widen(self, most_bytes: int, most_lines: int, *, lenient: bool = False) -> None:  # noqa: B027 - a script's output is bounded by itself
        """Set the allowance of output between two requests, for an adapter that drops most of it.

        ``lenient``: lines that are not UTF-8 are read as Latin-1, lines that are too long are cut, and a
        carriage return ends a line.
        """

    def gather(self, word: bytes) -> None:  # noqa: B027 - a channel may return each line by itself
        """Allow ``ask`` to return the lines up to the first that begins with ``word`` as one text."""

    def ask(self, data: bytes, deadline: int) -> str | Event:
        """Do ``request`` and ``wait``, once a move. A line may be returned as its text, for speed.

        A text of several lines has ``info`` lines and then the answer, or what ``gather`` allows.
        """
        self.request(data)
        return self.wait(deadline)

    def idle(self) -> bool:
        """Whether no output and no standard error wait to be taken."""
        return False

    def pending(self) -> Sequence[Event]:
        """Take the events so far without waiting: before a request, the unasked ones."""
        return ()

    def stderr(self) -> Sequence[str]:
        """Take the lines of standard error since the last call, bounded."""
        return ()

    def cpu_ms(self) -> int | None:
        """The CPU time that the bot has used so far, or None if unknown."""
        return None

    def reading(self) -> Reading | None:
        """Processor time that the bot has used and lacked so far, or None if unknown."""
        return None

    def rivals(self) -> int | None:
        """Threads of others that compete for each of the bot's processors; None if unknown."""
        return None

    def memory_use(self) -> MemoryUse | None:
        """The most memory that the bot has used so far, as far as known, or None if unknown."""
        return None

    def now(self) -> int:
        """The time of the channel's clock, in which its deadlines are."""
        return time.monotonic_ns()

    def withheld(self, milliseconds: int) -> Withheld | None:  # noqa: ARG002 - for processes, which have buffers
        """The output, besides lines, of a bot that owes an answer, also after its input ends.

        Its input is closed, and nothing is sent after that; but not for 0 milliseconds.
        """
        return None

    def freeze(self) -> None:  # noqa: B027 - a channel without processes has nothing to stop
        """Stop the bot outside its turn, as far as the channel can."""

    def thaw(self) -> None:  # noqa: B027 - likewise
        """Let a frozen bot go on."""

    def leave(self) -> bool:
        """Let the bot end by itself, without waiting for it; whether it has ended.

        Queued lines are written as far as the bot takes them, then its input ends. Nothing is read any more
        but standard error. For channels with ``sources``, which call it again when these are ready.
        """
        return False

    def close(self, grace: float) -> None:  # noqa: B027 - likewise
        """End the bot: wait ``grace`` seconds for its exit, then kill all of its processes and reap them.

        Queued lines are written first as far as the bot takes them. Closing again does nothing.
        """


class FailedChannel(Channel):
    """A bot that could not be started, by its own fault: always ``closed``; ``why`` is for the log."""

    def __init__(self, why: str) -> None:
        self._end = Event("closed", why)

    def send(self, data: bytes) -> None:
        """Do nothing."""

    def wait(self, deadline: int) -> Event:  # noqa: ARG002 - there is nothing to wait for
        """``closed``."""
        return self._end

    def pending(self) -> Sequence[Event]:
        """``closed``."""
        return (self._end,)

    def cpu_ms(self) -> int | None:
        """0: it takes no processor time."""
        return 0


class AbsentChannel(FailedChannel):
    """A bot that is not started because of its earlier failures: it crashes at its first turn.

    Until then it answers like any bot, so that it has not failed at start-up.
    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self._answers: deque[Event] = deque()

    def send(self, data: bytes) -> None:
        """Prepare the answers to requests of the start."""
        for line in data.decode("utf-8").splitlines():
            word = line.partition(" ")[0]
            if word == "tourney":
                self._answers.append(line_event(Greeting()))
            elif word == "game":
                self._answers.append(line_event(Ready()))

    def wait(self, deadline: int) -> Event:  # noqa: ARG002 - the answer is there
        """The answer to a request of the start, then ``closed``."""
        return self._answers.popleft() if self._answers else self._end

    def pending(self) -> Sequence[Event]:
        """Nothing comes unasked."""
        return ()


def _forward(
    method: Callable[Concatenate[Channel, P], R],
) -> Callable[Concatenate["ForwardingChannel", P], R]:
    name = method.__name__

    def forwarded(self: "ForwardingChannel", /, *args: P.args, **kwargs: P.kwargs) -> R:
        called: Callable[P, R] = getattr(self._inner, name)
        return called(*args, **kwargs)

    return forwarded


class ForwardingChannel(Channel):
    """Passes everything on to another channel, for subclasses that change a part of it."""

    def __init__(self, inner: Channel) -> None:
        self._inner = inner
        self.weakened = inner.weakened
        self.resumes = inner.resumes

    send = _forward(Channel.send)
    wait = _forward(Channel.wait)
    request = _forward(Channel.request)
    widen = _forward(Channel.widen)
    gather = _forward(Channel.gather)
    idle = _forward(Channel.idle)
    pending = _forward(Channel.pending)
    stderr = _forward(Channel.stderr)
    cpu_ms = _forward(Channel.cpu_ms)
    reading = _forward(Channel.reading)
    rivals = _forward(Channel.rivals)
    sources = _forward(Channel.sources)
    look_ms = _forward(Channel.look_ms)
    collect = _forward(Channel.collect)
    time_out = _forward(Channel.time_out)
    memory_use = _forward(Channel.memory_use)
    now = _forward(Channel.now)
    withheld = _forward(Channel.withheld)
    freeze = _forward(Channel.freeze)
    thaw = _forward(Channel.thaw)
    leave = _forward(Channel.leave)
    close = _forward(Channel.close)


class WatchedChannel(ForwardingChannel):
    """Forwards everything, and passes the dialogue to ``_sent`` and ``_heard``, which keep it."""

    def _sent(self, data: bytes) -> None:
        """Take lines that the bot gets."""
        raise NotImplementedError

    def _heard(self, event: Event) -> None:
        """Take an event of the bot."""
        raise NotImplementedError

    def send(self, data: bytes) -> None:
        """Show and pass on."""
        self._sent(data)
        self._inner.send(data)

    def request(self, data: bytes) -> None:
        """Show and pass on."""
        self._sent(data)
        self._inner.request(data)

    def wait(self, deadline: int) -> Event:
        """Pass on and show."""
        event = self._inner.wait(deadline)
        self._heard(event)
        return event


class TracedChannel(WatchedChannel):
    """Keeps the last lines on the wire in ``lines``, the oldest first, cut and printable.

    They begin with ``>`` (to the bot), ``<`` (from the bot) or ``!`` (an event other than a line).
    """

    def __init__(self, inner: Channel) -> None:
        super().__init__(inner)
        self.lines: deque[str] = deque(maxlen=TRACED_LINES)

    def wait(self, deadline: int) -> Event:
        """Trace and pass on; a time-out only if it is the last event of its request."""
        if self.lines and self.lines[-1] == _TIMED_OUT:
            self.lines.pop()
        return super().wait(deadline)

    def pending(self) -> Sequence[Event]:
        """Trace and pass on."""
        events = self._inner.pending()
        for event in events:
            self._heard(event)
        return events

    def _sent(self, data: bytes) -> None:
        for line in data.splitlines()[-TRACED_LINES:]:
            self.lines.append(cut_line(f"> {line.decode('utf-8', 'replace')}"))

    def _heard(self, event: Event) -> None:
        text = f"< {event.text}" if event.kind == "line" else f"! {event.kind} {event.text}".rstrip()
        self.lines.append(cut_line(text))


def cut_line(text: str) -> str:
    """A line of bounded length, its control characters replaced, fit for a terminal."""
    cut = text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}... ({len(text):,} characters)"
    return legible(cut)
