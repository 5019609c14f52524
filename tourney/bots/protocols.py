"""The bot protocols: adapters for bots that speak another protocol than Tourney's.

Others come by the entry-point group ``tourney.protocols``; a bot names its protocol in ``bot.toml``. The
adapter runs in the referee's process, outside the sandbox, and sees all lines of both sides.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from tourney.bots.channel.interface import Channel
from tourney.errors import BotError
from tourney.plugins import Registry

Setting = str | int | float | bool
"""The value of an option of a bot's program, from ``options`` in ``bot.toml``."""


class BotProtocol(ABC):
    """A protocol that bots speak. ``name`` is its name in ``bot.toml``."""

    name: ClassVar[str]
    has_options: ClassVar[bool] = False
    """Whether the parameters of a bot are options; else they are arguments of its command."""

    def configured(self, options: Mapping[str, Setting], go: Mapping[str, int]) -> "BotProtocol":
        """The protocol for a bot whose ``bot.toml`` has ``options`` or limits for ``go``.

        Raises BotError, naming the key, for what the protocol does not know; by default it knows nothing.
        """
        for key, given in (("options", options), ("go", go)):
            if given:
                raise BotError(f"{key} is set, but the protocol {self.name} has no such settings")
        return self

    @abstractmethod
    def adapt(self, channel: Channel) -> Channel:
        """A channel that speaks Tourney's protocol, made from the channel to a bot of this protocol.

        It translates with ``tourney.protocol`` and keeps the contract of ``Channel``: what the bot does wrong
        is an event, never an exception. ``ForwardingChannel`` is a base to start from.
        """


class TourneyProtocol(BotProtocol):
    """Tourney's own protocol, version 1: nothing to adapt."""

    name = "tourney"

    def adapt(self, channel: Channel) -> Channel:
        """The channel."""
        return channel


PROTOCOLS: Registry[BotProtocol] = Registry(
    "bot protocol",
    "tourney.protocols",
    BotProtocol,
    {
        "gomocup": "tourney.bots.adapters.gomocup:GomocupProtocol",
        "gtp": "tourney.bots.adapters.gtp:GtpProtocol",
        "tourney": "tourney.bots.protocols:TourneyProtocol",
        "uci": "tourney.bots.adapters.uci:UciProtocol",
        "uci-fen": "tourney.bots.adapters.uci:UciFenProtocol",
        "xboard": "tourney.bots.adapters.xboard:XboardProtocol",
    },
    BotError,
)
