"""A bot in a match: its channel, its handshake, and its end."""

import time
from collections.abc import Sequence
from typing import Final

from tourney.bots.channel.interface import Channel
from tourney.protocol import QUIT, Greeting, Info, decode_bot

QUIT_SECONDS: Final = 0.5
"""A bot's time for its exit after ``quit``; then it is killed, which is not a fault."""


class Player:
    """A bot in a match: its channel and its handshake.

    ``greeting`` is its answer to the handshake, None before; a bot that plays several matches is greeted
    once. ``reuse``: it may have played before. ``lost``: it was at fault and its channel is closed.
    ``used`` is the CPU time that its channel gave with the last reading, and ``spent`` the time that its own
    requests have taken since then, both in nanoseconds. ``restless``: it worked while it should have waited.
    """

    __slots__ = ("_cpu_ms", "channel", "greeting", "lost", "restless", "reuse", "spent", "used")

    def __init__(self, channel: Channel, *, reuse: bool = False) -> None:
        self.channel = channel
        self.greeting: Greeting | None = None
        self.reuse = reuse
        self.lost = False
        self.used = self.spent = 0
        self.restless = False
        self._cpu_ms = 0

    def cut(self) -> None:
        """End a bot that was at fault, at once."""
        self.lost = True
        self.channel.close(0)

    def cpu_ms(self) -> int | None:
        """The CPU time since the last call (first: since the bot's start), or None."""
        now = self.channel.cpu_ms()
        if now is None:
            return None
        used, self._cpu_ms = max(0, now - self._cpu_ms), max(now, self._cpu_ms)
        return used

    def quiet(self) -> bool:
        """Whether the bot sent nothing but ``info`` since its last answer; drop what it sent."""
        return not self.lost and all(
            event.kind == "line" and isinstance(decode_bot(event.text), Info)
            for event in self.channel.pending()
        )


def dismiss(players: Sequence[Player]) -> None:
    """Send ``quit`` to all players, then end them; they share the time for their exits."""
    staying = [player for player in players if not player.lost]
    for player in staying:
        player.channel.send(QUIT)
    deadline = time.monotonic() + QUIT_SECONDS
    for player in staying:
        player.channel.close(max(0.0, deadline - time.monotonic()))
