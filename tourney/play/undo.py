"""Decisions that are kept, and the channel that gives them again after an undo.

A match that goes on from an earlier point is played anew from its start: the same seed gives the same dice,
and each seat's channel answers with what is kept of its decisions, without asking the bot behind it. The bot
is started afresh and is told of the game as of one that began with these actions; so what it does from there
on is what it would do in such a match, whatever was played and taken back before.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tourney.bots.channel.base import Channel, Event
from tourney.protocol import HELLO, decode, shown

_UNTOLD = (b"position ", b"legal ", b"go")
"""What a bot is not told of a turn whose decision is kept: there is no turn for it."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a seat answered on its turn: a line (``move ...`` or ``resign``), or why there was none."""

    seat: int
    event: Event


class ReplayChannel(Channel):
    """Passes everything on to another channel, but answers as is kept for as long as it is.

    ``note`` is told each decision, those kept as well. Without ``inner`` (there must be a decision then by
    which the seat left the match) nobody is asked anything. A bot that does not start again although
    decisions of it are kept fails at the first that is not.
    """

    def __init__(self, inner: Channel | None, kept: Iterable[Event], note: Callable[[Event], None]) -> None:
        self._inner = inner
        self._kept = deque(kept)
        self._note = note
        self._wanted = ""
        self._answer: Event | None = None
        self._dead: Event | None = None

    def send(self, data: bytes) -> None:
        """Pass on."""
        if self._inner is not None and self._dead is None:
            self._inner.send(data)

    def pending(self) -> Sequence[Event]:
        """Pass on what came unasked, unless nobody listens yet; what is no ``info`` withdraws the match."""
        if self._inner is None or self._kept or self._dead is not None:
            return ()
        events = self._inner.pending()
        for event in events if self._wanted in ("ready", "go") else ():  # at start-up it is no decision
            if event.kind != "line":
                self._note(event)
                break
            if decode(event.text)[0] != "info":
                self._note(Event("garbled", f"spoke out of turn: {shown(event.text)}"))
                break
        return events

    def request(self, data: bytes) -> None:
        """Pass on, but for the question whose answer is kept."""
        self._wanted = "bot" if data == HELLO else "ready" if data.startswith(b"game ") else "go"
        if self._wanted == "go" and self._kept:
            self.send(b"".join(line for line in data.splitlines(True) if not line.startswith(_UNTOLD)))
            self._answer = self._kept.popleft()
        elif self._inner is not None and self._dead is None:
            self._inner.request(data)

    def wait(self, deadline: int) -> Event:
        """Return what is kept, or what comes."""
        if self._answer is not None:
            event, self._answer = self._answer, None
            self._note(event)
            return event
        if self._wanted != "go":
            return self._start(deadline)
        event = self._dead if self._dead is not None else self._wait(deadline)
        if event.kind != "line" or decode(event.text)[0] != "info":
            self._note(event)
        return event

    def _start(self, deadline: int) -> Event:
        """Return the answer at start-up; where decisions are kept there is one in any case."""
        if self._kept and (self._inner is None or self._dead is not None):
            return Event("line", self._wanted)
        event = self._wait(deadline)
        if self._kept and (event.kind != "line" or decode(event.text)[0] not in (self._wanted, "info")):
            self._dead = event if event.kind != "line" else Event("garbled", shown(event.text))
            return Event("line", self._wanted)
        return event

    def _wait(self, deadline: int) -> Event:
        return Event("closed", "nobody is there") if self._inner is None else self._inner.wait(deadline)

    def take_stderr(self) -> Sequence[str]:
        """Pass on."""
        return () if self._inner is None else self._inner.take_stderr()

    def cpu_ms(self) -> int | None:
        """Pass on."""
        return None if self._inner is None else self._inner.cpu_ms()

    def strain(self) -> str:
        """Pass on."""
        return "" if self._inner is None else self._inner.strain()

    def freeze(self) -> None:
        """Pass on."""
        if self._inner is not None:
            self._inner.freeze()

    def thaw(self) -> None:
        """Pass on."""
        if self._inner is not None:
            self._inner.thaw()

    def close(self, grace: float) -> None:
        """Pass on."""
        if self._inner is not None:
            self._inner.close(grace)


def decisions_before(
    decisions: Sequence[Decision], seats: frozenset[int], count: int
) -> tuple[Decision, ...]:
    """Return what is left when the last ``count`` decisions of some seats are taken back, and all after them.

    Raises ValueError if there are not so many.
    """
    own = [number for number, decision in enumerate(decisions) if decision.seat in seats]
    if not 0 < count <= len(own):
        raise ValueError(f"{count} decisions cannot be taken back; there are {len(own)}")
    return tuple(decisions[: own[-count]])


def withdraws(event: Event) -> bool:
    """Say whether a seat that answers so has left the match, as far as can be told from the answer alone."""
    return event.kind != "line" or decode(event.text)[0] != "move"
