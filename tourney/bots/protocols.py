"""The bot protocols: their base, the base of the adapters of engines, and the registry.

Others come by the entry-point group ``tourney.protocols``; a bot names its protocol in ``bot.toml``. The
adapter runs in the referee's process, outside the sandbox, and sees all lines of both sides. Everything an
engine prints is hostile: an adapter looks only at the lines that it names and drops the others, and the inner
channel bounds them all. Lines are read leniently, in one place for all adapters: see ``words_of``.
"""

import re
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import ClassVar, Final, Literal

from tourney.bots.channel.interface import Channel, Event, ForwardingChannel, Withheld, line_event
from tourney.errors import BotError
from tourney.plugins import Registry
from tourney.protocol import (
    SURE_WIN,
    Go,
    Hello,
    Info,
    NewGame,
    Play,
    Quit,
    chance_of_pawns,
    decode_referee,
    shown,
)

Setting = str | int | float | bool
"""The value of an option of a bot's program, from ``options`` in ``bot.toml``."""
MAX_OUTPUT: Final = (1 << 20, 20_000)
"""Most bytes and lines of an engine between two requests; more than a bot's, as most lines are dropped."""

MAX_IDENTITY: Final = 100
"""Most characters of an engine's name, version or author."""
MATE_SCORE: Final = 1000
"""A mate in N moves is this many pawns, less N."""

Wanted = Literal["bot", "ready", "move"]
"""The first word of the line that the referee waits for."""


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


def words_of(line: str) -> str:
    """A line's words, separated by single blanks: engines may use any white space, and begin with it.

    What terminals do not show is left out: colors, byte order marks (of .NET) and control characters (of C).
    """
    if not line.isprintable():
        line = _CONTROL.sub(" ", _UNSEEN.sub("", line))
    return " ".join(line.split())


_UNSEEN = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\ufeff|\u200b")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LIKE_ANSWER = re.compile(
    r"\b(?:best|user)?move\b|\A[=?]|\A(?:[0-9]+\.+ )?[a-h][1-8]-?[a-h][1-8][nbrq]?\Z", re.IGNORECASE
)
"""Words of a line that may have been meant as an engine's move."""
_ANSWER_IN_LINE = re.compile(r" (bestmove [!-~]+)")
"""An answer whose line has begun with something else, mostly because a newline is missing."""


class EngineChannel(ForwardingChannel):
    """Translates between the referee and an engine.

    A subclass puts requests to the engine in ``_greet``, ``_begin`` and ``_ask_move``, collects moves in
    ``_played``, and translates the engine's lines, as ``words_of`` gives them, in ``_answer``. ``quit`` is
    the engine's line for the end, ``dropped`` are the first words of lines that are known and mean nothing.
    """

    quit: ClassVar[bytes]
    dropped: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, inner: Channel) -> None:
        super().__init__(inner)
        self._wants: Wanted | Literal[""] = ""
        self._positions = False  # whether the referee is to send positions
        self._seat = 0
        self._about = ""  # the engine's last words on the move that it thinks about
        self._said: deque[Event] = deque()
        self._failed: Event | None = None
        self._identity: dict[str, str] = {}
        self._greeted = False  # before that, an engine may print a banner of any lines
        self._answered = False  # whether its move was the last thing that was asked of it
        self._unread = ""  # its last line since the request that was not understood
        self._last = ""  # its last move, as long as it is the one that was played

    def _introduce(self, key: str, text: str) -> None:
        """Take the engine's name, version or author, for its greeting; a key's first text counts."""
        words = "\N{NO-BREAK SPACE}".join(text.split())[:MAX_IDENTITY]
        if words and words.replace("\N{NO-BREAK SPACE}", "").isprintable():
            self._identity.setdefault(key, words)

    def withheld(self, milliseconds: int) -> Withheld | None:
        """What an engine withholds, or the line that was not understood.

        In a turn its input is not ended, as one that thinks too long answers then, and only what looks like
        a move is named. An answer that comes a little later is named as late.
        """
        if self._wants != "move":
            withheld = self._inner.withheld(milliseconds)
        elif (withheld := self._inner.withheld(0)) and _LIKE_ANSWER.search(withheld.text) is None:
            withheld = None
        if withheld is None and self._wants and self._unread:
            within = _ANSWER_IN_LINE.search(self._unread)
            why = f"its line {shown(self._unread)} was not understood" if within else ""
            why += f": {shown(within[1])} must be a line of its own" if within else ""
            return Withheld(self._unread, whole=True, at_end=False, why=why)
        return self._late(milliseconds) if withheld is None and self._wants == "move" else withheld

    def _late(self, milliseconds: int) -> Withheld | None:
        """The answer to a request that comes within some time after its end."""
        began = self._inner.now()
        deadline = began + milliseconds * 1_000_000
        while (event := self._inner.wait(deadline)).kind == "line":
            late = (self._inner.now() - began) // 1_000_000
            if self._is_answer(line := words_of(event.text)):
                why = f"its answer {shown(line)} came {late} ms after the end of its time"
                return Withheld(line, whole=True, at_end=False, why=why)
            if late >= milliseconds:
                break
        return None

    @abstractmethod
    def _greet(self) -> None:
        """Begin the dialogue with the engine, until its answer stands for ``bot``."""

    @abstractmethod
    def _begin(self, game: NewGame) -> None:
        """Begin a game, until the engine's answer stands for ``ready``; ``_fail`` for another game."""

    @abstractmethod
    def _ask_move(self, go: Go) -> None:
        """Ask the engine for a move."""

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
                if seat == self._seat and action != self._last:
                    self._last = ""  # a record leads the match
                self._played(seat, action)
            case Quit():
                self._inner.send(self.quit)

    def request(self, data: bytes) -> None:
        """Take lines that end in a request, and put it to the engine."""
        self._said.clear()
        self._failed = None
        self._unread = ""
        self._greeted = True
        before, _, last = data.rstrip(b"\n").rpartition(b"\n")
        self.send(before)
        match decode_referee(last.decode("utf-8")):
            case Hello():
                self._greet()
            case NewGame() as game:
                self._answered = False
                self._last = ""
                self._begin(game)
            case Go() as go:
                self._ask_move(go)

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
            answer = self._read(event.text)
            if answer is not None:
                return answer

    def _read(self, text: str) -> Event | None:
        """The event of an engine's line, however its words are separated."""
        line = words_of(text)
        answer = self._answer(line)
        if answer is None:
            unknown = line.partition(" ")[0] not in self.dropped
            # In a turn, engines print thoughts of any form; before the first, little but answers, and errors.
            means = _LIKE_ANSWER if unknown else _ANSWER_IN_LINE
            tells = self._wants != "move" and (unknown or line.startswith("info string "))
            if tells or means.search(line) is not None:
                self._unread = line
        return answer

    def pending(self) -> Sequence[Event]:
        """Errors in the lines that came unasked; lines that would not answer anything are dropped."""
        events = list(self._said)
        self._said.clear()
        for event in self._inner.pending():
            if event.kind != "line":
                events.append(event)
            elif self._greeted and self._is_answer(line := words_of(event.text)):
                if self._answered and self._repeats(self._move_in(line)):
                    events.append(self._dropped(line))
                    continue
                why = "gave a second answer to one request" if self._answered else "spoke out of turn"
                events.append(Event("malformed", f"{why}: {shown(line)}"))
        return events

    def _move_in(self, line: str) -> str:  # noqa: ARG002 - for protocols whose answers have no numbers
        """The move in a line that is an answer; "" if its number says which request it answers."""
        return ""

    def _repeats(self, move: str) -> bool:
        """Whether a move can only be the last answer repeated, which other managers of engines drop too."""
        return move != "" and move == self._last

    def _dropped(self, line: str) -> Event:
        """The event of an answer that is given twice."""
        return line_event(Info(f"a second answer to one request, which is dropped: {shown(line)}"))

    def idle(self) -> bool:
        """Whether nothing waits to be taken."""
        return not self._said and self._inner.idle()

    def _request(self, wants: Wanted, lines: Iterable[str]) -> None:
        """Put a request to the engine, until its answer stands for a line of the bot."""
        self._wants = wants
        self._inner.request("".join(f"{line}\n" for line in lines).encode("utf-8"))

    def _done(self) -> Event | None:
        """The event of a request that is fulfilled; None for a move, which the caller translates."""
        wants, self._wants = self._wants, ""
        if wants == "bot":
            words = ["bot", "wants=position"] if self._positions else ["bot"]
            return Event("line", " ".join([*words, *(f"{k}={text}" for k, text in self._identity.items())]))
        return None if wants == "move" else Event("line", wants)

    def _moved(self, action: str) -> Event:
        """The event of the engine's move; what the engine said about it comes first."""
        about, self._about = self._about, ""
        self._answered = True
        self._last = action
        move = Event("line", f"move {action}")
        if not about:
            return move
        self._said.append(move)
        return line_event(Info(about))

    def _fail(self, why: str) -> Event:
        """The end of the engine's part: every later wait returns it until the next request."""
        self._failed = Event("malformed", why)
        return self._failed


@lru_cache(4096)  # scores of a game are few, and the chance is a power
def score_words(centipawns: int) -> Mapping[str, str]:
    """An engine's score for ``info``: in pawns, with the chance to win that it means."""
    pawns = centipawns / 100
    return {"score": f"{pawns:.2f}", "win": f"{chance_of_pawns(pawns) / SURE_WIN:.3f}"}


def mate_words(moves: int, *, won: bool) -> dict[str, str]:
    """A mate in some moves for ``info``; ``moves`` is negative for a mate against the engine."""
    left = min(abs(moves), MATE_SCORE - 1)
    return {"score": str(MATE_SCORE - left if won else left - MATE_SCORE), "mate": str(moves)}


class EngineProtocol(BotProtocol):
    """The protocol of a kind of engines; ``channel`` speaks it."""

    channel: ClassVar[type[EngineChannel]]
    most_output: ClassVar[tuple[int, int]] = MAX_OUTPUT

    def adapt(self, channel: Channel) -> Channel:
        """A channel that speaks Tourney's protocol."""
        channel.widen(*self.most_output, lenient=True)
        return self._adapted(channel)

    def _adapted(self, inner: Channel) -> Channel:
        return self.channel(inner)


PROTOCOLS: Registry[BotProtocol] = Registry(
    "bot protocol",
    "protocols",
    BotProtocol,
    BotError,
)
