"""A player: a bot at the table, from its first handshake until its process ends."""

import time
from collections.abc import Sequence
from typing import Final

from tourney.bots.channel.base import Channel
from tourney.protocol import QUIT, Greeting, decode

QUIT_SECONDS: Final = 0.5
"""What a bot has for its exit after ``quit``; then it is killed, which is no fault."""


class Player:
    """A channel and what is known of the bot behind it.

    ``greeting`` is what it said at the handshake, None before; a bot that plays several matches is greeted
    once. ``reuse``: it may have played before. ``lost``: it was at fault and its channel is closed.
    """

    __slots__ = ("_cpu_ms", "channel", "greeting", "lost", "reuse")

    def __init__(self, channel: Channel, *, reuse: bool = False) -> None:
        self.channel = channel
        self.greeting: Greeting | None = None
        self.reuse = reuse
        self.lost = False
        self._cpu_ms = 0

    def cut(self) -> None:
        """End a bot that was at fault, at once: it is told nothing more, and it holds nobody up."""
        self.lost = True
        self.channel.close(0)

    def cpu_ms(self) -> int | None:
        """Return the CPU time since the last call (at first: since the bot was started), or None."""
        now = self.channel.cpu_ms()
        if now is None:
            return None
        used, self._cpu_ms = max(0, now - self._cpu_ms), max(now, self._cpu_ms)
        return used

    def quiet(self) -> bool:
        """Say whether nothing but ``info`` came unasked since the last answer; what came is dropped."""
        return not self.lost and all(
            event.kind == "line" and decode(event.text)[0] == "info" for event in self.channel.pending()
        )


def dismiss(players: Sequence[Player]) -> None:
    """Tell all to quit, then end them: they share the time that a bot has for its exit."""
    staying = [player for player in players if not player.lost]
    for player in staying:
        player.channel.send(QUIT)
    deadline = time.monotonic() + QUIT_SECONDS
    for player in staying:
        player.channel.close(max(0.0, deadline - time.monotonic()))
