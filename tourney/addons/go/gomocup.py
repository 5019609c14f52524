"""The adapter of Gomocup's protocol, of gomoku engines ("brains"), for the gomoku of OpenSpiel.

A point is the same two numbers in both protocols.
"""

import re
from typing import Final

from tourney.bots.channel.interface import Channel, Event
from tourney.bots.protocols import EngineChannel, EngineProtocol, Wanted
from tourney.protocol import Go, NewGame, shown

GAME: Final = re.compile(r"openspiel:gomoku(?:\(size=([1-9][0-9]?)\))?", re.ASCII)
"""The game's name, with the size of its board."""
SIZE: Final = 15  # OpenSpiel's default
_ABOUT = re.compile(r'\b(name|version|author)="([^"]*)"')
_POINT = re.compile(r"[0-9]{1,2} ?, ?[0-9]{1,2}", re.ASCII)
_IDLE = ("MESSAGE", "DEBUG")


class GomocupChannel(EngineChannel):
    """``_stones`` are all points with their seats; the engine knows the first ``_known`` of them."""

    quit = b"END\n"

    def __init__(self, inner: Channel) -> None:
        super().__init__(inner)
        self._asked = ""
        self._stones: list[tuple[int, str]] = []
        self._known = 0

    def _played(self, seat: int, action: str) -> None:
        if _POINT.fullmatch(action):
            self._stones.append((seat, action))

    def _greet(self) -> None:
        self._ask("bot", "ABOUT")

    def _ask(self, wants: Wanted, *lines: str) -> None:
        self._asked = lines[-1]
        self._request(wants, lines)

    def _begin(self, game: NewGame) -> None:
        match = GAME.fullmatch(game.game)
        if match is None or game.seats != 2:
            self._fail(f"Gomocup's protocol is for openspiel:gomoku, with a size at most, not {game.game}")
            return
        self._seat = game.seat
        self._stones = []
        self._known = 0
        limits = [f"INFO timeout_turn {game.move_ms or 0}"] if game.move_ms or not game.clock_ms else []
        limits += [f"INFO timeout_match {game.clock_ms}"] if game.clock_ms else []
        self._ask("ready", "INFO game_type 1", "INFO rule 0", *limits, f"START {match[1] or SIZE}")

    def _ask_move(self, go: Go) -> None:
        left = [f"INFO time_left {go.clocks_ms[self._seat - 1]}"] if go.clocks_ms else []
        self._ask("move", *left, *self._stones_words())

    def _stones_words(self) -> list[str]:
        """The command for a turn: the last stone alone if the engine knows the others."""
        new = self._stones[self._known :]
        if not self._stones:
            return ["BEGIN"]
        if len(new) == 1 and new[0][0] != self._seat:
            return [f"TURN {new[0][1]}"]
        stones = (f"{point},{1 if seat == self._seat else 2}" for seat, point in self._stones)
        return ["BOARD", *stones, "DONE"]

    def _is_answer(self, line: str) -> bool:
        return _POINT.fullmatch(line) is not None

    def _move_in(self, line: str) -> str:
        if _POINT.fullmatch(line) is None:
            return ""
        return ",".join(str(int(number)) for number in line.split(","))

    def _answer(self, line: str) -> Event | None:
        word = line.partition(" ")[0].upper()
        if word in _IDLE or not self._wants:
            return None
        if word in ("ERROR", "UNKNOWN"):
            return self._fail(f"answered {shown(line)} to {self._asked}")
        # Other lines may come before its OK to START, and thoughts, or an OK to INFO, before a point.
        if (self._wants == "ready" and word != "OK") or (self._wants == "move" and word[:1].isalpha()):
            return None
        if self._wants == "bot":
            for key, text in _ABOUT.findall(line):
                self._introduce(key, text)
        if self._wants == "move" and self._repeats(self._move_in(line)):
            return self._dropped(line)
        if (done := self._done()) is not None:
            return done
        point = self._move_in(line)
        if not point:
            return self._fail(f"{self._asked} answers with a point, as 7,7, not {shown(line)}")
        self._known = len(self._stones) + 1
        return self._moved(point)


class GomocupProtocol(EngineProtocol):
    """Gomocup's protocol, over standard input and output."""

    name = "gomocup"
    channel = GomocupChannel
