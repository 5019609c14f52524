"""A seat that follows a record: its bot is asked as in a match, but the recorded actions are played.

So a bot is shown every position of a match by the referee's own lines, without a second driver. ``analyze``
asks on every turn and keeps what the bot says; ``debug`` asks until a chosen action and lets the bot play
from there; ``bots test --add`` asks on one turn only.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import structs

from tourney.bots.channel.interface import Channel, Event, ForwardingChannel
from tourney.match.player import NO_LIMIT_MS
from tourney.match.spec import FUEL_LIMITS, Limits
from tourney.protocol import Info, Move, Resign, decode_bot

CHOSEN: Final = "chosen"
"""The key of the ``info`` line with the action that the bot would play."""
_GO: Final = b"go"
_ASIDE: Final = (b"position ", b"legal ", _GO)


def unlimited(limits: Limits) -> Limits:
    """The limits as the lines name them, without anything that ends a turn or a match early."""
    free: dict[str, None] = dict.fromkeys(("draw", "resign", "tablebase_pieces"))
    free |= dict.fromkeys(key.replace("-", "_") for key in FUEL_LIMITS)
    return structs.replace(
        limits, charge="wall", ponder="allow", margin_ms=NO_LIMIT_MS, startup_ms=NO_LIMIT_MS, **free
    )


@dataclass(frozen=True, slots=True)
class FollowedRecord:
    """The actions of a record in order, also of chance, and when a bot is asked.

    From ply ``first`` on (actions before it) the bot is asked; before it, the record answers. After the last
    action the bot is asked again and the seat resigns or, with ``live``, the bot plays on.
    """

    actions: tuple[str, ...]
    first: int = 0
    live: bool = False

    def channel(self, inner: Channel) -> "GuidedChannel":
        """The channel of a seat that follows the record."""
        return GuidedChannel(inner, self)


class GuidedChannel(ForwardingChannel):
    """Gives the recorded actions to the referee, and the bot's own as ``info chosen=ACTION``.

    Of the bot's ``info`` lines of a turn only the last one with ``score=`` or ``win=`` is passed on.
    """

    def __init__(self, inner: Channel, guide: FollowedRecord) -> None:
        super().__init__(inner)
        self._guide = guide
        self._ply = 0
        self._kept = b""
        self._answers: deque[Event] = deque()
        self._info = ""

    @property
    def _guided(self) -> bool:
        """Whether the record decides the present turn."""
        return not self._guide.live or self._ply < len(self._guide.actions)

    def request(self, data: bytes) -> None:
        """Count the actions, and pass the request on if the bot is to be asked."""
        lines = data.splitlines(keepends=True)
        self._ply += sum(line.startswith(b"play ") for line in lines)
        self._answers.clear()
        self._info = ""
        if lines[-1].startswith(_GO) and self._guided and self._ply < self._guide.first:
            # The bot sees these lines with the first turn on which it is asked; it is not asked for this one.
            self._kept += b"".join(line for line in lines if not line.startswith(_ASIDE))
            self._answer("")
            return
        held_back = self._kept
        self._kept = b""
        self._inner.request(held_back + data)

    def wait(self, deadline: int) -> Event:
        """The next event; instead of the bot's answer to ``go``, its choice and the record's action."""
        while not self._answers:
            event = self._inner.wait(deadline)
            if event.kind != "line":
                return event
            message = decode_bot(event.text)
            if not self._guided:
                return event
            if isinstance(message, Move | Resign):
                self._answer(message.action if isinstance(message, Move) else "resign")
            elif not isinstance(message, Info):
                return event
            elif " score=" in f" {message.text}" or " win=" in f" {message.text}":
                self._info = message.text
        return self._answers.popleft()

    def pending(self) -> Sequence[Event]:
        """The lines that the bot sent unasked, without its ``info`` lines."""
        return [
            event
            for event in self._inner.pending()
            if event.kind != "line" or not isinstance(decode_bot(event.text), Info)
        ]

    def _answer(self, chosen: str) -> None:
        actions = self._guide.actions
        if chosen:
            self._answers.append(Event("line", f"info {CHOSEN}={chosen} {self._info}".rstrip()))
        played = f"move {actions[self._ply]}" if self._ply < len(actions) else "resign"
        self._answers.append(Event("line", played))
