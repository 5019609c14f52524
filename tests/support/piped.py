"""Real channels over real pipes, whose bots and time are a test's: nothing in them depends on speed.

A ``Stage`` has the clock. It stands still while the referee works and moves on while it waits, up to the next
output of a bot; ``spend`` lets time pass while the referee is busy, or held up by the machine.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, Self

import pytest

from tourney.bots.channel.interface import Channel, Event, EventKind, Reading, Withheld
from tourney.bots.channel.process import ProcessChannel
from tourney.bots.channel.scripted import ScriptClock
from tourney.bots.sandbox.bot_processes import BotProcesses
from tourney.bots.sandbox.processes import Pipes
from tourney.match import play, turn_timing
from tourney.match.player import MS

DEATH: Final = b""


class NoProcesses(BotProcesses):
    """The processes of a bot that the test plays itself; counts what the referee does to them."""

    pidfd = -1

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.weakened = {}
        self.watch = None

    def freeze(self, *, frozen: bool = True) -> None:
        self.calls["freeze" if frozen else "thaw"] += 1

    def reading(self) -> Reading:
        self.calls["reading"] += 1
        return Reading(0, 0)

    def rivals(self) -> int | None:
        return None

    def cpu_ms(self) -> int:
        return 0

    def exited(self, timeout_ms: int) -> bool:
        return True

    def last_event(self, killed: EventKind = "closed") -> Event:
        return Event("closed", "exited with code 1")

    def kill(self) -> None:
        pass

    def reap(self, *, keep_caches: bool = False) -> None:
        pass


class Output(NamedTuple):
    """What a bot writes some milliseconds after a request; DEATH is its end."""

    after: float
    data: bytes


Behaviour = Callable[[bytes], Iterable[Output]]
"""What a bot writes when it gets the lines that end in a request."""


def polite(**special: Sequence[Output]) -> Behaviour:
    """A bot that answers at once and plays the first legal action.

    ``tourney``, ``game`` and ``go`` are what it writes instead at each such request.
    """

    def behave(data: bytes) -> Iterable[Output]:
        word = data.splitlines()[-1].split()[0].decode()
        if word in special:
            return special[word]
        first = data.rpartition(b"legal ")[2].split()[0]
        return [
            Output(0, {"tourney": b"bot wants=legal\n", "game": b"ready\n"}.get(word, b"move %b\n" % first))
        ]

    return behave


class PipedChannel(ProcessChannel):
    """A channel to a bot that the test plays; ``buffered`` is what the bot writes when its input ends."""

    def __init__(self, stage: "Stage", behaviour: Behaviour, group: NoProcesses) -> None:
        self._stage, self._behaviour = stage, behaviour
        (self._bot_input, stdin), (stdout, self.bot_output), (stderr, self._bot_errors) = (
            os.pipe() for _ in range(3)
        )
        for fd in (stdin, stdout, stderr, self.bot_output):
            os.set_blocking(fd, False)
        super().__init__(group, Pipes(stdin, stdout, stderr), clock=stage.clock)
        self.buffered = b""
        self._asked = stage.clock()
        self._inner = self._poll
        self._poll = self._wait_on_stage  # type: ignore[assignment]  # shadows it on this instance only

    def request(self, data: bytes) -> None:
        self._react(data)
        super().request(data)

    def ask(self, data: bytes, deadline: int) -> str | Event:
        self._react(data)
        return super().ask(data, deadline)

    def withheld(self, milliseconds: int) -> Withheld | None:
        """Let the bot notice that its input ends, unless no time is given for that."""
        if milliseconds:
            self._stage.plan(self, Output(0, self.buffered))
            self._stage.plan(self, Output(0, DEATH))
        return super().withheld(milliseconds)

    def write(self, data: bytes) -> None:
        """Write as the bot, as far as the pipe takes it; DEATH closes its output."""
        if self.bot_output >= 0 and data == DEATH:
            os.close(self.bot_output)
            self.bot_output = -1
        elif self.bot_output >= 0:
            try:
                os.write(self.bot_output, data)
            except BrokenPipeError:
                self.write(DEATH)

    def ready(self) -> bool:
        """Whether there is something for the channel to read."""
        return bool(self._inner(0))

    def end(self) -> None:
        """Close the bot's ends of the pipes, and the channel."""
        self.close(0)
        self.write(DEATH)
        os.close(self._bot_input)
        os.close(self._bot_errors)

    @property
    def asked_ms(self) -> int:
        """Milliseconds since the bot's last request."""
        return (self._stage.clock() - self._asked) // MS

    def _react(self, data: bytes) -> None:
        self._asked = self._stage.clock()
        for output in self._behaviour(data):
            self._stage.plan(self, output)

    def _wait_on_stage(self, timeout_ms: float) -> list[tuple[int, int]]:
        ready = self._inner(0)
        if ready or timeout_ms <= 0:
            return ready
        self._stage.wait([self], int(timeout_ms * MS))
        return self._inner(0)


class Stage:
    """The clock of several piped bots, and what they are going to write. Use it as a context."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clock = ScriptClock()
        self.channels: list[PipedChannel] = []
        self._plans: list[tuple[int, PipedChannel, bytes]] = []
        monkeypatch.setattr(play, "wait_for_any", self.wait)
        monkeypatch.setattr(turn_timing, "own_delay_ns", lambda: 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for channel in self.channels:
            channel.end()

    def bot(self, behaviour: Behaviour, group: NoProcesses | None = None) -> PipedChannel:
        """A channel to a new bot."""
        channel = PipedChannel(self, behaviour, group or NoProcesses())
        self.channels.append(channel)
        return channel

    def plan(self, channel: PipedChannel, output: Output) -> None:
        """Let a bot write some time from now."""
        self._plans.append((self.clock.now + int(output.after * MS), channel, output.data))
        self._plans.sort(key=lambda plan: plan[0])
        self.spend(0)

    def spend(self, milliseconds: float) -> None:
        """Let time pass; the bots write at their times."""
        self._move(self.clock.now + int(milliseconds * MS))

    def wait(self, channels: Iterable[Channel], nanoseconds: int) -> None:
        """Replace ``wait_for_any``: let time pass until one of these channels has something to read."""
        end = self.clock.now + max(0, nanoseconds)
        piped = [channel for channel in self.channels if channel in list(channels)]
        while not any(channel.ready() for channel in piped) and self.clock.now < end:
            self._move(min(self._plans[0][0] if self._plans else end, end))

    def _move(self, end: int) -> None:
        while self._plans and self._plans[0][0] <= end:
            due, channel, data = self._plans.pop(0)
            self.clock.now = max(self.clock.now, due)
            channel.write(data)
        self.clock.now = end
