"""A channel: the one seam between the referee's side and a bot, whatever the bot is made of."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

EventKind = Literal["line", "timeout", "closed", "overflow", "garbled"]


@dataclass(frozen=True, slots=True)
class Event:
    """What came of waiting for a bot: a line (its text, without the newline), or why there is none.

    ``closed``: the bot's output ended (``text`` says how it died, for the log). ``overflow``: more than
    64 KiB or 1,000 lines since the last request. ``garbled``: a line that is too long or no UTF-8.
    """

    kind: EventKind
    text: str = ""


class Channel(ABC):
    """Talks lines with one bot. Never raises for what a bot does; never blocks without a deadline."""

    @abstractmethod
    def send(self, data: bytes) -> None:
        """Queue lines for the bot and write what its pipe takes now; the rest goes out while waiting."""

    @abstractmethod
    def request(self, data: bytes) -> None:
        """Send lines that end in a request: the bot's allowance of output starts anew."""

    @abstractmethod
    def wait(self, deadline: float) -> Event:
        """Return the next event; ``timeout`` at the deadline (``time.monotonic`` seconds), which nothing extends."""

    @abstractmethod
    def take_stderr(self) -> tuple[str, ...]:
        """Return the lines of standard error since the last call, bounded."""

    @abstractmethod
    def cpu_ms(self) -> int | None:
        """Return the CPU time the bot's process has used so far, or None where it is not known."""

    @abstractmethod
    def close(self, grace: float) -> None:
        """End the bot: wait ``grace`` seconds for it to exit, then kill all of it; reap."""
