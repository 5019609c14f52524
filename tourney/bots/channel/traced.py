"""A channel that remembers the last lines on the wire, for one who wants to know what went wrong."""

from collections import deque
from collections.abc import Sequence
from typing import Final

from tourney.bots.channel.base import Channel, Event

KEPT: Final = 12
_SHOWN: Final = 200


class TracedChannel(Channel):
    """Passes everything on to another channel. ``lines`` are the last on the wire.

    They begin with ``>`` (to the bot), ``<`` (from it) or ``!`` (what came instead of a line), and are cut
    short and fit to be shown.
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
            self._lines.append(shown(f"> {line.decode('utf-8', 'replace')}"))

    def _note(self, event: Event) -> None:
        if event.kind == "line":
            self._lines.append(shown(f"< {event.text}"))
        else:
            self._lines.append(shown(f"! {event.kind} {event.text}".rstrip()))


def shown(text: str) -> str:
    """Return a line fit to be shown: bounded, and with nothing in it that a terminal obeys."""
    cut = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text):,} characters)"
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in cut)
