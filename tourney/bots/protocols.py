"""The bot protocols: adapters for bots that speak another protocol than Tourney's.

Others come by the entry-point group ``tourney.protocols``; a bot names its protocol in ``bot.toml``. The
adapter runs in the referee's process, outside the sandbox, and sees all lines of both sides.
"""

from abc import ABC, abstractmethod
from typing import ClassVar

from tourney.bots.channel.base import Channel
from tourney.errors import BotError
from tourney.plugins import Registry


class BotProtocol(ABC):
    """A protocol that bots speak. ``name`` is its name in ``bot.toml``."""

    name: ClassVar[str]

    @abstractmethod
    def adapt(self, channel: Channel) -> Channel:
        """Return a channel that speaks Tourney's protocol, made from the channel to a bot of this protocol.

        It translates with ``tourney.protocol`` and keeps the contract of ``Channel``: what the bot does wrong
        is an event, never an exception. ``ForwardingChannel`` is a base to start from.
        """


class TourneyProtocol(BotProtocol):
    """Tourney's own protocol, version 1: nothing to adapt."""

    name = "tourney"

    def adapt(self, channel: Channel) -> Channel:
        """Return the channel."""
        return channel


PROTOCOLS: Registry[BotProtocol] = Registry(
    "bot protocol",
    "tourney.protocols",
    BotProtocol,
    {"tourney": "tourney.bots.protocols:TourneyProtocol"},
    BotError,
)
