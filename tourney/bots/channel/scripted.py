"""A scripted channel: it asserts the exact dialogue, for tests of referees.

A script is text, one step in a line::

    > tourney 1             the referee says exactly this
    < bot wants=legal       the bot says this
    + 250                   the next step comes 250 milliseconds after the one before
    ! timeout               the bot says nothing more, whatever the deadline
    ! closed exit code 1    its output ends, or it dies; also lost, overflow, malformed
    2 warning               a line of standard error
    # a comment

A ``+`` step counts from the step before it, and not from when the referee waits: scripts that share a clock
compute at the same time. So a wait finds a line that came by its deadline, however late the wait is, and
times out if the line comes later, however late it is.
The bot's lines after a line of the referee come at once, so those between its answer and the referee's next
line come unasked. A ``*`` in a line of the referee stands for any part of one word.
"""

from collections.abc import Iterable, Sequence
from typing import cast, get_args

from tourney.bots.channel.interface import Channel, Event, EventKind

_SILENCE = "! timeout"
_EVENTS = frozenset(get_args(EventKind)) - {"line"}


class ScriptClock:
    """A clock that only a script or a test moves; call it for nanoseconds."""

    def __init__(self, now: int = 1_000_000_000) -> None:
        self.now = now

    def __call__(self) -> int:
        """The time."""
        return self.now

    def advance(self, milliseconds: int) -> None:
        """Let time pass."""
        self.now += milliseconds * 1_000_000


class ScriptedChannel(Channel):
    """Plays a script; raises AssertionError with the step where the referee departs from it.

    ``clock`` is moved to when an awaited line comes, or to the deadline. ``finish`` asserts that no step is
    left.
    ``closed``, ``grace`` and ``frozen`` record the calls of ``close``, ``freeze`` and ``thaw``.
    """

    resumes = True

    def __init__(
        self, script: str | Iterable[str], *, clock: ScriptClock | None = None, name: str = "bot"
    ) -> None:
        lines = script.splitlines() if isinstance(script, str) else script
        self._steps = [step for line in lines if (step := line.lstrip()) and not step.startswith("#")]
        self._at = 0
        self._name = name
        self._stderr: list[str] = []
        self._end: Event | None = None
        self._unheard: list[Event] = []
        self.clock = clock or ScriptClock()
        self._asked = self.clock.now  # when the referee's last line came
        self._comes = self.clock.now  # when the next step comes
        self.closed = False
        self.grace: float | None = None
        self.frozen = False
        for step in self._steps:
            _check(step)

    def send(self, data: bytes) -> None:
        """Assert that these lines come next in the script."""
        *lines, rest = data.decode("utf-8").split("\n")
        if rest:
            raise AssertionError(f"{self._name}: the referee sent half a line: {rest!r}")
        for line in lines:
            # Lines that a bot sent unasked stay until the referee takes them, as in a pipe.
            while (event := self._next()) is not None and self._end is None:
                self._unheard.append(event)
            if self._step == _SILENCE:
                self._at += 1
            if not _matches(self._step, line):
                raise AssertionError(f"{self._where}: expected {self._step!r}, the referee said {line!r}")
            self._at += 1
            self._asked = self._comes = self.clock.now

    def pending(self) -> Sequence[Event]:
        """The bot's unasked lines."""
        events = []
        while (event := self._take()) is not None:
            events.append(event)
            if event is self._end:
                break
        return events

    def wait(self, deadline: int) -> Event:
        """The script's next event; a time-out moves the clock to the deadline."""
        event = self._take(deadline)
        if event is None:
            raise AssertionError(f"{self._where}: the referee waits for an answer at {self._step!r}")
        if event.kind == "timeout":
            self.clock.now = max(self.clock.now, deadline)
        return event

    def now(self) -> int:
        """The time of its clock."""
        return self.clock.now

    def stderr(self) -> Sequence[str]:
        """Take the script's lines of standard error so far."""
        self._skip()
        lines = self._stderr
        self._stderr = []
        return lines

    def freeze(self) -> None:
        """Record the call."""
        self.frozen = True

    def thaw(self) -> None:
        """Record the call."""
        self.frozen = False

    def close(self, grace: float) -> None:
        """Record the call."""
        if not self.closed:
            self.closed = True
            self.grace = grace

    def finish(self) -> None:
        """Assert that the whole script has been played."""
        self._skip()
        if self._step == _SILENCE:
            self._at += 1
        if self._at < len(self._steps):
            raise AssertionError(f"{self._where}: left unplayed: {self._steps[self._at :]}")

    @property
    def _step(self) -> str:
        return self._steps[self._at] if self._at < len(self._steps) else "the end of the script"

    @property
    def _where(self) -> str:
        return f"{self._name}, step {self._at + 1}"

    def _skip(self, deadline: int | None = None) -> bool:
        """Play the steps before the next line; return False if that comes after the deadline."""
        while True:
            step = self._step
            if step.startswith("+ "):
                self._comes += int(step[2:]) * 1_000_000
                self._at += 1
                continue
            if deadline is not None and self._comes > max(deadline, self._asked):
                return False
            # The clock never goes back: another script on it may have moved it further.
            self.clock.now = max(self.clock.now, self._comes)
            if not step.startswith("2 "):
                return True
            self._stderr.append(step[2:])
            self._at += 1

    def _take(self, deadline: int | None = None) -> Event | None:
        return self._unheard.pop(0) if self._unheard else self._next(deadline)

    def _next(self, deadline: int | None = None) -> Event | None:
        """The next event before the referee's next line; a bot without a deadline is unasked."""
        if self._end is not None:
            return self._end
        if not self._skip(deadline):
            return Event("timeout")
        if self._at == len(self._steps):
            return None
        mark, _, text = self._steps[self._at].partition(" ")
        if mark == "<":
            self._at += 1
            return Event("line", text)
        if self._step == _SILENCE:
            return None if deadline is None else Event("timeout")
        if mark == "!":
            self._at += 1
            word, _, rest = text.partition(" ")
            self._end = Event(cast("EventKind", word), rest)
            return self._end
        return None


def _check(step: str) -> None:
    mark, _, text = step.partition(" ")
    good = (
        (mark in {"<", ">", "2"} and text != "")
        or (mark == "+" and text.isdigit())
        or (mark == "!" and text.partition(" ")[0] in _EVENTS)
    )
    if not good:
        raise ValueError(f"{step!r} is not a step of a script")


def _matches(step: str, line: str) -> bool:
    if step == f"> {line}":
        return True
    wanted = step.removeprefix("> ").split(" ")
    words = line.split(" ")
    return step.startswith("> ") and len(wanted) == len(words) and all(map(_fits, wanted, words))


def _fits(wanted: str, word: str) -> bool:
    begin, star, end = wanted.partition("*")
    if not star:
        return wanted == word
    return len(word) >= len(begin) + len(end) and word.startswith(begin) and word.endswith(end)
