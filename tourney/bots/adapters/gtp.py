"""The adapter of GTP, the protocol of go engines (version 2), for the go of OpenSpiel.

It speaks Tourney's protocol to the referee and GTP to the engine. Commands carry numbers, so that no answer
is taken for that of another command; other lines of an engine are dropped, and the channel bounds them all.
"""

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from tourney.bots.channel.base import Channel, Event, ForwardingChannel
from tourney.bots.protocols import BotProtocol
from tourney.protocol import Game, Go, Hello, Play, Quit, decode_referee, shown

MAX_OUTPUT: Final = (1 << 20, 20_000)
"""Most bytes and lines of an engine between two requests."""
GAME: Final = re.compile(r"openspiel:go(?:\(([a-z_]+=[0-9.-]+(?:,[a-z_]+=[0-9.-]+)*)\))?", re.ASCII)
"""The game's name, with its parameters."""
DEFAULTS: Final = {"board_size": "19", "komi": "7.5", "handicap": "0"}
"""OpenSpiel's defaults."""
COLORS: Final = ("", "B", "W")
"""The colors by seat: seat 1 is Black."""
_ACTION = re.compile(r"([BW])%20(PASS|[a-hj-z](?:[1-9]|1[0-9]|2[0-5]))", re.ASCII)
_VERTEX = re.compile(r"[a-hj-z](?:[1-9]|1[0-9]|2[0-5])", re.ASCII)
_ANSWER = re.compile(r"([=?])([0-9]{1,9})(?:[ \t]+(.*))?", re.ASCII)

Wants = Literal["bot", "ready", "move", ""]


class Command(NamedTuple):
    """A command that waits for its answer; ``needed``: the engine may not refuse it."""

    number: int
    text: str
    needed: bool


class GtpProtocol(BotProtocol):
    """GTP, version 2."""

    name = "gtp"

    def adapt(self, channel: Channel) -> Channel:
        """Return a channel that speaks Tourney's protocol."""
        channel.widen(*MAX_OUTPUT)
        return GtpChannel(channel)


class GtpChannel(ForwardingChannel):
    """Translates between the referee and an engine.

    The engine hears of the opponent's stones with its next turn. Its own stones are on its board already.
    """

    def __init__(self, inner: Channel) -> None:
        super().__init__(inner)
        self._wants: Wants = ""
        self._open: list[Command] = []
        self._next = 1
        self._seat = 0
        self._heard: list[str] = []
        self._generated = ""
        self._failed: Event | None = None

    # -- the referee's lines ------------------------------------------------------------------------------

    def send(self, data: bytes) -> None:
        """Take the referee's lines."""
        for line in data.splitlines():
            match decode_referee(line.decode("utf-8")):
                case Play(_, action):
                    self._played(action)
                case Quit():
                    self._inner.send(b"quit\n")

    def request(self, data: bytes) -> None:
        """Take lines that end in a request, and put it to the engine."""
        before, _, last = data.rstrip(b"\n").rpartition(b"\n")
        self.send(before)
        self._failed = None
        self._open = []
        commands: list[tuple[str, bool]] = []
        match decode_referee(last.decode("utf-8")):
            case Hello():
                self._wants = "bot"
                commands = [("protocol_version", True)]
            case Game() as game:
                self._wants = "ready"
                commands = self._begin(game)
            case Go() as go:
                self._wants = "move"
                commands = [*((f"play {stone}", True) for stone in self._heard), *self._times(go)]
                commands.append((f"genmove {COLORS[self._seat]}", True))
                self._heard = []
        for text, needed in commands:
            self._open.append(Command(self._next, text, needed))
            self._next += 1
        if commands:
            text = "".join(f"{command.number} {command.text}\n" for command in self._open)
            self._inner.request(text.encode("ascii"))

    def ask(self, data: bytes, deadline: int) -> str | Event:
        """Do ``request`` and ``wait``."""
        self.request(data)
        return self.wait(deadline)

    def _begin(self, game: Game) -> list[tuple[str, bool]]:
        """Return the commands that begin a game; for another game than go the request fails."""
        found = GAME.fullmatch(game.game)
        given = dict(word.split("=", 1) for word in (found[1] or "").split(",") if word) if found else {}
        values = DEFAULTS | given
        if found is None or game.seats != 2 or values["handicap"] != "0":
            self._failed = Event("malformed", f"GTP is for openspiel:go without handicap, not {game.game}")
            return []
        self._seat = game.seat
        self._heard = []
        self._generated = ""
        return [
            (f"boardsize {values['board_size']}", True),
            ("clear_board", True),
            (f"komi {values['komi']}", True),
            *self._settings(game),
        ]

    def _settings(self, game: Game) -> list[tuple[str, bool]]:
        """Return ``time_settings``: seconds, rounded down; a time for each move is one stone of overtime."""
        if game.clock_ms is not None:
            return [(f"time_settings {game.clock_ms // 1000} {game.increment_ms // 1000} 1", False)]
        if game.move_ms is not None:
            return [(f"time_settings 0 {max(1, game.move_ms // 1000)} 1", False)]
        return []

    def _times(self, go: Go) -> list[tuple[str, bool]]:
        """Return ``time_left`` of both, with clocks."""
        clocks = go.clocks_ms or ()
        return [(f"time_left {COLORS[seat]} {left // 1000} 0", False) for seat, left in enumerate(clocks, 1)]

    def _played(self, action: str) -> None:
        if action == self._generated:
            self._generated = ""
            return
        found = _ACTION.fullmatch(action)
        if found is not None:
            self._heard.append(f"{found[1]} {found[2].lower()}")

    # -- the engine's lines -------------------------------------------------------------------------------

    def wait(self, deadline: int) -> Event:
        """Return the next event in Tourney's protocol. Reads the engine's lines until the deadline."""
        while True:
            if self._failed is not None:
                return self._failed
            event = self._inner.wait(deadline)
            if event.kind != "line":
                return event
            answer = self._answer(event.text)
            if answer is not None:
                return answer

    def pending(self) -> Sequence[Event]:
        """Return what is wrong with the lines that came unasked; those that are no answers are dropped."""
        events = []
        for event in self._inner.pending():
            if event.kind != "line":
                events.append(event)
            elif _ANSWER.fullmatch(event.text) is not None:
                events.append(Event("malformed", f"spoke out of turn: {shown(event.text)}"))
        return events

    def _answer(self, line: str) -> Event | None:
        """Return the event of an engine's line, or None before the last answer that is awaited."""
        found = _ANSWER.fullmatch(line.rstrip())
        if found is None or not self._open:
            return None
        command = self._open.pop(0)
        if int(found[2]) != command.number:
            return self._fail(f"answered {shown(line)} to command {command.number}, {command.text}")
        if found[1] == "?" and command.needed:
            return self._fail(f"refused {command.text}: {shown(found[3] or '')}")
        if self._open:
            return None
        wants, self._wants = self._wants, ""
        if wants != "move":
            return Event("line", wants)
        vertex = (found[3] or "").strip().lower()
        if vertex == "resign":
            return Event("line", "resign")
        if vertex != "pass" and _VERTEX.fullmatch(vertex) is None:
            return self._fail(f"genmove wants a vertex, pass or resign, not {shown(vertex)}")
        point = "PASS" if vertex == "pass" else vertex
        self._generated = f"{COLORS[self._seat]}%20{point}"
        return Event("line", f"move {self._generated}")

    def _fail(self, why: str) -> Event:
        """Return the end of the engine's part, which every later wait returns until the next request."""
        self._failed = Event("malformed", why)
        return self._failed
