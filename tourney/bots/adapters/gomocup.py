"""The adapter of Gomocup's protocol, of gomoku engines ("brains"), for the gomoku of OpenSpiel.

It speaks Tourney's protocol to the referee and Gomocup's to the engine. A point is the same two numbers in
both. Lines that answer nothing are dropped, and the channel bounds all of them.
"""

import re
from collections.abc import Sequence
from typing import Final, Literal

from tourney.bots.channel.base import Channel, Event, ForwardingChannel
from tourney.bots.protocols import BotProtocol
from tourney.protocol import Game, Go, Hello, Play, Quit, decode_referee, shown

MAX_OUTPUT: Final = (1 << 20, 20_000)
"""Most bytes and lines of an engine between two requests."""
GAME: Final = re.compile(r"openspiel:gomoku(?:\(size=([1-9][0-9]?)\))?", re.ASCII)
"""The game's name, with the size of its board."""
SIZE: Final = 15
"""OpenSpiel's default."""
_POINT = re.compile(r"[0-9]{1,2},[0-9]{1,2}", re.ASCII)
_IDLE = ("MESSAGE", "DEBUG")


class GomocupProtocol(BotProtocol):
    """Gomocup's protocol, over standard input and output."""

    name = "gomocup"

    def adapt(self, channel: Channel) -> Channel:
        """Return a channel that speaks Tourney's protocol."""
        channel.widen(*MAX_OUTPUT)
        return GomocupChannel(channel)


class GomocupChannel(ForwardingChannel):
    """Translates between the referee and an engine.

    ``_stones`` are all points with their seats; the engine knows the first ``_known`` of them.
    """

    def __init__(self, inner: Channel) -> None:
        super().__init__(inner)
        self._wants: Literal["bot", "ready", "move", ""] = ""
        self._asked = ""
        self._seat = 0
        self._stones: list[tuple[int, str]] = []
        self._known = 0
        self._failed: Event | None = None

    # -- the referee's lines ------------------------------------------------------------------------------

    def send(self, data: bytes) -> None:
        """Take the referee's lines."""
        for line in data.splitlines():
            match decode_referee(line.decode("utf-8")):
                case Play(seat, point) if _POINT.fullmatch(point):
                    self._stones.append((seat, point))
                case Quit():
                    self._inner.send(b"END\n")

    def request(self, data: bytes) -> None:
        """Take lines that end in a request, and put it to the engine."""
        before, _, last = data.rstrip(b"\n").rpartition(b"\n")
        self.send(before)
        self._failed = None
        match decode_referee(last.decode("utf-8")):
            case Hello():
                self._ask("bot", ["ABOUT"])
            case Game() as game:
                self._begin(game)
            case Go() as go:
                self._ask("move", [*self._time(go), *self._turn()])

    def ask(self, data: bytes, deadline: int) -> str | Event:
        """Do ``request`` and ``wait``."""
        self.request(data)
        return self.wait(deadline)

    def _ask(self, wants: Literal["bot", "ready", "move"], lines: Sequence[str]) -> None:
        self._wants, self._asked = wants, lines[-1]
        self._inner.request("".join(f"{line}\n" for line in lines).encode("ascii"))

    def _begin(self, game: Game) -> None:
        found = GAME.fullmatch(game.game)
        if found is None or game.seats != 2:
            self._fail(f"Gomocup's protocol is for openspiel:gomoku, with a size at most, not {game.game}")
            return
        self._seat, self._stones, self._known = game.seat, [], 0
        limits = [f"INFO timeout_turn {game.move_ms or 0}"] if game.move_ms or not game.clock_ms else []
        limits += [f"INFO timeout_match {game.clock_ms}"] if game.clock_ms else []
        self._ask("ready", ["INFO game_type 1", "INFO rule 0", *limits, f"START {found[1] or SIZE}"])

    def _time(self, go: Go) -> list[str]:
        """Return the time left, with clocks."""
        return [f"INFO time_left {go.clocks_ms[self._seat - 1]}"] if go.clocks_ms else []

    def _turn(self) -> list[str]:
        """Return the command for a turn: the last stone alone if the engine knows the others."""
        new = self._stones[self._known :]
        if not self._stones:
            return ["BEGIN"]
        if len(new) == 1 and new[0][0] != self._seat:
            return [f"TURN {new[0][1]}"]
        return [
            "BOARD",
            *(f"{point},{1 if seat == self._seat else 2}" for seat, point in self._stones),
            "DONE",
        ]

    # -- the engine's lines -------------------------------------------------------------------------------

    def wait(self, deadline: int) -> Event:
        """Return the next event in Tourney's protocol. Reads the engine's lines until the deadline."""
        while True:
            if self._failed is not None:
                return self._failed
            event = self._inner.wait(deadline)
            if event.kind != "line":
                return event
            answer = self._answer(event.text.strip())
            if answer is not None:
                return answer

    def pending(self) -> Sequence[Event]:
        """Return what is wrong with the lines that came unasked: points, out of turn."""
        return [
            event if event.kind != "line" else Event("malformed", f"spoke out of turn: {shown(event.text)}")
            for event in self._inner.pending()
            if event.kind != "line" or _POINT.fullmatch(event.text.strip()) is not None
        ]

    def _answer(self, line: str) -> Event | None:
        """Return the event of an engine's line, or None for one that answers nothing."""
        word = line.partition(" ")[0]
        if word in _IDLE or not self._wants:
            return None
        if word in ("ERROR", "UNKNOWN"):
            return self._fail(f"answered {shown(line)} to {self._asked}")
        if self._wants == "ready" and line != "OK":
            return None
        wants, self._wants = self._wants, ""
        if wants != "move":
            return Event("line", wants)
        if _POINT.fullmatch(line) is None:
            return self._fail(f"{self._asked} wants a point, as 7,7, not {shown(line)}")
        point = ",".join(str(int(number)) for number in line.split(","))
        self._known = len(self._stones) + 1
        return Event("line", f"move {point}")

    def _fail(self, why: str) -> Event:
        """Return the end of the engine's part, which every later wait returns until the next request."""
        self._failed = Event("malformed", why)
        return self._failed
