"""Undo: a match is played again from its start, and each seat's kept decisions are answered for it.

The same seed gives the same dice. A bot is started afresh and receives the kept actions as a game that began
with them, without a turn for them; so whatever was played and undone has no influence on it.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tourney.bots.channel.base import Channel, Event, FailedChannel, ForwardingChannel
from tourney.protocol import Game, Go, Hello, Info, Legal, Move, Position, decode_bot, decode_referee, shown


@dataclass(frozen=True, slots=True)
class Decision:
    """A seat's answer to its turn: a line (``move ...`` or ``resign``), or the event that came instead."""

    seat: int
    event: Event


class ReplayChannel(ForwardingChannel):
    """Answers ``go`` by kept decisions while there are any, then passes everything on to another channel.

    ``note`` is called with each decision, kept ones too. ``inner`` is None for a seat whose kept decisions
    end with its withdrawal. A bot that fails at its new start although it has kept decisions fails at the
    first turn after them.
    """

    def __init__(self, inner: Channel | None, kept: Iterable[Event], note: Callable[[Event], None]) -> None:
        self._failure = None if inner is not None else Event("closed", "the seat has left the match")
        super().__init__(inner or FailedChannel("the seat has left the match"))
        self._kept = deque(kept)
        self._note = note
        self._wanted = ""
        self._answer: Event | None = None

    def send(self, data: bytes) -> None:
        """Pass on."""
        if self._failure is None:
            self._inner.send(data)

    def request(self, data: bytes) -> None:
        """Pass on all but a request whose answer is kept."""
        lines = data.decode("utf-8").split("\n")[:-1]
        messages = [decode_referee(line) for line in lines]
        asked = messages[-1]
        self._wanted = "bot" if isinstance(asked, Hello) else "ready" if isinstance(asked, Game) else "go"
        if self._wanted == "go" and self._kept:
            past = (
                f"{line}\n"
                for line, message in zip(lines, messages, strict=True)
                if not isinstance(message, Position | Legal | Go)
            )
            self.send("".join(past).encode("utf-8"))
            self._answer = self._kept.popleft()
        elif self._failure is None:
            self._inner.request(data)

    def wait(self, deadline: int) -> Event:
        """Return the kept answer, or the next event."""
        if self._answer is not None:
            event, self._answer = self._answer, None
            self._note(event)
            return event
        if self._wanted != "go":
            return self._start(deadline)
        event = self._failure or self._inner.wait(deadline)
        if event.kind != "line" or not isinstance(decode_bot(event.text), Info):
            self._note(event)
        return event

    def _start(self, deadline: int) -> Event:
        """Return the answer at start-up; with kept decisions a failure is put off until they are used up."""
        if self._kept and self._failure is not None:
            return Event("line", self._wanted)
        event = self._inner.wait(deadline)
        if self._kept:
            if event.kind != "line":
                self._failure = event
            elif event.text.partition(" ")[0] not in (self._wanted, "info"):
                self._failure = Event("malformed", shown(event.text))
            if self._failure is not None:
                return Event("line", self._wanted)
        return event

    def pending(self) -> Sequence[Event]:
        """Pass on, once the kept decisions are used up; an event that is a fault is a decision."""
        if self._kept or self._failure is not None:
            return ()
        events = self._inner.pending()
        for event in events if self._wanted in ("ready", "go") else ():  # at start-up it is no decision
            if event.kind != "line":
                self._note(event)
                break
            if not isinstance(decode_bot(event.text), Info):
                self._note(Event("malformed", f"spoke out of turn: {shown(event.text)}"))
                break
        return events


def decisions_before(
    decisions: Sequence[Decision], seats: frozenset[int], count: int
) -> tuple[Decision, ...]:
    """Return the decisions before the ``count``-th last one of some seats. Raises ValueError for too many."""
    own = [number for number, decision in enumerate(decisions) if decision.seat in seats]
    if not 0 < count <= len(own):
        raise ValueError(f"{count} decisions cannot be taken back; there are {len(own)}")
    return tuple(decisions[: own[-count]])


def withdraws(event: Event) -> bool:
    """Return whether this answer withdraws its seat, as far as the answer alone shows."""
    return event.kind != "line" or not isinstance(decode_bot(event.text), Move)
