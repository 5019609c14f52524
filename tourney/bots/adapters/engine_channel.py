"""The base of the adapters: a channel that speaks Tourney's protocol to the referee and another to an engine.

Everything an engine prints is hostile: an adapter looks only at the lines that it names and drops the others,
and the inner channel bounds them all.
"""

from abc import abstractmethod
from collections import deque
from collections.abc import Sequence
from typing import ClassVar, Final, Literal

from tourney.bots.channel.interface import Channel, Event, ForwardingChannel
from tourney.bots.protocols import BotProtocol
from tourney.protocol import Go, Hello, NewGame, Play, Quit, decode_referee, shown

MAX_OUTPUT: Final = (1 << 20, 20_000)
"""Most bytes and lines of an engine between two requests; more than a bot's, as most lines are dropped."""

MAX_IDENTITY: Final = 100
"""Most characters of an engine's name, version or author."""


class EngineChannel(ForwardingChannel):
    """Translates between the referee and an engine.

    A subclass puts requests to the engine in ``_greet``, ``_begin`` and ``_ask_move``, collects moves in
    ``_played``, and translates the engine's lines in ``_answer``. ``quit`` is the engine's line for the end.
    """

    quit: ClassVar[bytes]

    def __init__(self, inner: Channel) -> None:
        super().__init__(inner)
        self._wants: Literal["bot", "ready", "move", ""] = ""  # what the referee waits for
        self._said: deque[Event] = deque()
        self._failed: Event | None = None
        self._identity: dict[str, str] = {}

    def _introduce(self, key: str, text: str) -> None:
        """Take the engine's name, version or author, for its greeting; a key's first text counts."""
        words = "\N{NO-BREAK SPACE}".join(text.split())[:MAX_IDENTITY]
        if words and words.replace("\N{NO-BREAK SPACE}", "").isprintable():
            self._identity.setdefault(key, words)

    def _greeting(self, wants: str = "") -> Event:
        """The event of a completed handshake."""
        return Event(
            "line", " ".join([f"bot{wants}", *(f"{k}={text}" for k, text in self._identity.items())])
        )

    def withheld(self, milliseconds: int) -> str:  # noqa: ARG002 - an engine that thinks too long answers then
        """None: engines flush."""
        return ""

    @abstractmethod
    def _greet(self) -> None:
        """Begin the dialogue with the engine, until its answer stands for ``bot``."""

    @abstractmethod
    def _begin(self, game: NewGame) -> None:
        """Begin a game, until the engine's answer stands for ``ready``; ``_fail`` for another game."""

    @abstractmethod
    def _ask_move(self, go: Go, line: bytes) -> None:
        """Ask the engine for a move; ``line`` is the referee's."""

    @abstractmethod
    def _played(self, seat: int, action: str) -> None:
        """Take an action; the engine gets it with its next turn."""

    @abstractmethod
    def _answer(self, line: str) -> Event | None:
        """The event of an engine's line; None for one that means nothing to the referee."""

    @abstractmethod
    def _is_answer(self, line: str) -> bool:
        """Whether a line would answer a request, so that it may not come without one."""

    def send(self, data: bytes) -> None:
        """Take the referee's lines."""
        for line in data.splitlines():
            self._take(line.decode("utf-8"))

    def _take(self, line: str) -> None:
        match decode_referee(line):
            case Play(seat, action):
                self._played(seat, action)
            case Quit():
                self._inner.send(self.quit)

    def request(self, data: bytes) -> None:
        """Take lines that end in a request, and put it to the engine."""
        self._said.clear()
        self._failed = None
        before, _, last = data.rstrip(b"\n").rpartition(b"\n")
        self.send(before)
        match decode_referee(last.decode("utf-8")):
            case Hello():
                self._greet()
            case NewGame() as game:
                self._begin(game)
            case Go() as go:
                self._ask_move(go, last)

    def wait(self, deadline: int) -> Event:
        """The next event in Tourney's protocol. Reads the engine's lines until the deadline."""
        while True:
            if self._said:
                return self._said.popleft()
            if self._failed is not None:
                return self._failed
            event = self._inner.wait(deadline)
            if event.kind != "line":
                return event
            answer = self._answer(event.text)
            if answer is not None:
                return answer

    def pending(self) -> Sequence[Event]:
        """Errors in the lines that came unasked; lines that would not answer anything are dropped."""
        events = list(self._said)
        self._said.clear()
        for event in self._inner.pending():
            if event.kind != "line":
                events.append(event)
            elif self._is_answer(event.text):
                events.append(Event("malformed", f"spoke out of turn: {shown(event.text)}"))
        return events

    def idle(self) -> bool:
        """Whether nothing waits to be taken."""
        return not self._said and self._inner.idle()

    def _done(self) -> Event | None:
        """The event of a request that is fulfilled; None for a move, which the caller translates."""
        wants, self._wants = self._wants, ""
        if wants == "bot":
            return self._greeting()
        return None if wants == "move" else Event("line", wants)

    def _fail(self, why: str) -> Event:
        """The end of the engine's part: every later wait returns it until the next request."""
        self._failed = Event("malformed", why)
        return self._failed


class EngineProtocol(BotProtocol):
    """The protocol of a kind of engines; ``channel`` speaks it."""

    channel: ClassVar[type[EngineChannel]]

    def adapt(self, channel: Channel) -> Channel:
        """A channel that speaks Tourney's protocol."""
        channel.widen(*MAX_OUTPUT)
        return self.channel(channel)
