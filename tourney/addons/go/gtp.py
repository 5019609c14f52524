"""The adapter of GTP, the protocol of go engines (version 2), for the go of OpenSpiel.

Commands carry numbers, so that an answer is never taken for the answer to another command. An engine that
gives its first answer without one gives no numbers at all: its answers count in the order of the commands.
"""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from tourney.bots.channel.interface import Channel, Event
from tourney.bots.protocols import EngineChannel, EngineProtocol, Wanted
from tourney.protocol import Go, NewGame, shown

GAME: Final = re.compile(r"openspiel:go(?:\(([a-z_]+=[0-9.-]+(?:,[a-z_]+=[0-9.-]+)*)\))?", re.ASCII)
"""The game's name, with its parameters."""
DEFAULTS: Final = {"board_size": "19", "komi": "7.5", "handicap": "0"}  # OpenSpiel's
COLORS: Final = ("", "B", "W")  # by seat: seat 1 is Black
_ACTION = re.compile(r"([BW])%20(PASS|[a-hj-z](?:[1-9]|1[0-9]|2[0-5]))", re.ASCII)
_VERTEX = re.compile(r"([a-hj-z])0?([1-9]|1[0-9]|2[0-5])", re.ASCII)
_ANSWER = re.compile(r"([=?])([0-9]{0,9})(?:[ \t]+(.*))?", re.ASCII)


class GtpCommand(NamedTuple):
    """A command that waits for its answer; ``needed``: the engine may not refuse it."""

    number: int
    text: str
    needed: bool


class GtpChannel(EngineChannel):
    """The engine gets the opponent's stones with its next turn; its own are on its board already."""

    quit = b"quit\n"

    def __init__(self, inner: Channel) -> None:
        super().__init__(inner)
        self._open: list[GtpCommand] = []
        self._next = 1
        self._heard: list[str] = []
        self._generated = ""
        self._numbered: bool | None = None  # unknown before its first answer

    def _greet(self) -> None:
        self._ask("bot", [("protocol_version", True), ("name", False), ("version", False)])

    def _begin(self, game: NewGame) -> None:
        match = GAME.fullmatch(game.game)
        options = dict(word.split("=", 1) for word in (match[1] or "").split(",") if word) if match else {}
        values = DEFAULTS | options
        if match is None or game.seats != 2 or values["handicap"] != "0":
            self._fail(f"GTP is for openspiel:go without handicap, not {game.game}")
            return
        self._seat = game.seat
        self._heard = []
        self._generated = ""
        board = [f"boardsize {values['board_size']}", "clear_board", f"komi {values['komi']}"]
        self._ask("ready", [*((command, True) for command in board), *self._settings(game)])

    def _ask_move(self, go: Go) -> None:
        stones = [(f"play {stone}", True) for stone in self._heard]
        self._heard = []
        self._ask("move", [*stones, *self._times(go), (f"genmove {COLORS[self._seat]}", True)])

    def _ask(self, wants: Wanted, commands: Iterable[tuple[str, bool]]) -> None:
        """Send commands, each with whether it is needed; the last answer completes the request."""
        self._open = [GtpCommand(number, *command) for number, command in enumerate(commands, self._next)]
        self._next += len(self._open)
        self._request(wants, (f"{command.number} {command.text}" for command in self._open))

    def _settings(self, game: NewGame) -> list[tuple[str, bool]]:
        """``time_settings``: seconds, rounded down; a time for each move is one stone of overtime."""
        if game.clock_ms is not None:
            return [(f"time_settings {game.clock_ms // 1000} {game.increment_ms // 1000} 1", False)]
        if game.move_ms is not None:
            return [(f"time_settings 0 {max(1, game.move_ms // 1000)} 1", False)]
        return []

    def _times(self, go: Go) -> list[tuple[str, bool]]:
        clocks = go.clocks_ms or ()
        return [
            (f"time_left {COLORS[seat]} {left // 1000} {(go.moves or 0) if seat == self._seat else 0}", False)
            for seat, left in enumerate(clocks, 1)
        ]

    def _played(self, seat: int, action: str) -> None:  # noqa: ARG002 - an action names its color
        # The referee sends the engine's own move back; genmove has put it on the engine's board.
        if action == self._generated:
            self._generated = ""
            return
        match = _ACTION.fullmatch(action)
        if match is not None:
            self._heard.append(f"{match[1]} {match[2].lower()}")

    def _is_answer(self, line: str) -> bool:
        match = _ANSWER.fullmatch(line)
        return match is not None and (match[2] != "" or self._numbered is False)

    def _answer(self, line: str) -> Event | None:
        match = _ANSWER.fullmatch(line.rstrip())
        if match is None or not self._open:
            return None
        if self._numbered is None:
            self._numbered = match[2] != ""
        if self._numbered and not match[2]:
            return None
        command = self._open.pop(0)
        # Answers come in the order of their commands, so any other number is an error of the engine.
        if match[2] and int(match[2]) != command.number:
            return self._fail(f"answered {shown(line)} to command {command.number}, {command.text}")
        if match[1] == "?" and command.needed:
            return self._fail(f"refused {command.text}: {shown(match[3] or '')}")
        if command.text in ("name", "version") and match[1] == "=":
            self._introduce(command.text, match[3] or "")
        if self._open:
            return None
        if (done := self._done()) is not None:
            return done
        answer = (match[3] or "").lower()
        word = answer.partition(" ")[0]  # a comment may stand behind it
        if word == "resign":
            return Event("line", "resign")
        vertex = _VERTEX.fullmatch(word)
        if word != "pass" and vertex is None:
            return self._fail(f"genmove needs a vertex, pass or resign, not {shown(answer)}")
        point = "PASS" if vertex is None else vertex[1] + vertex[2]
        self._generated = f"{COLORS[self._seat]}%20{point}"
        return self._moved(self._generated)


class GtpProtocol(EngineProtocol):
    """GTP, version 2."""

    name = "gtp"
    channel = GtpChannel
