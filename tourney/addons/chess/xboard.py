"""The adapter of the protocol of xboard and WinBoard (version 2), of chess engines, for chess.

An engine is in force mode outside its turns: it gets the moves since its last one and ``go``, so one dialogue
serves openings and both colors.
"""

import re
from collections.abc import Mapping
from typing import Final

from tourney.bots.channel.interface import Channel, Event
from tourney.bots.protocols import (
    MATE_SCORE,
    BotProtocol,
    EngineChannel,
    EngineProtocol,
    Setting,
    mate_words,
    score_words,
)
from tourney.errors import BotError
from tourney.protocol import Go, NewGame, shown

_FEATURE = re.compile(r'([a-z]+)=("[^"]*"|[^ ]+)', re.ASCII)
_MOVE = re.compile(r"move ([a-h][1-8][a-h][1-8][nbrq]?|o-o(?:-o)?)\s*", re.ASCII | re.IGNORECASE)
_THINKING = re.compile(r"\s*([0-9]{1,3})[.&+]?\s+(-?[0-9]{1,9})\s+[0-9]+\s+([0-9]{1,15})(?:\s|\Z)", re.ASCII)
_RESULT = re.compile(r"(?:resign\b|(0-1|1-0)\b)(?:\s*\{.*)?", re.ASCII)
_CASTLING: Final = (
    {"o-o": "e1g1", "o-o-o": "e1c1"},
    {"o-o": "e8g8", "o-o-o": "e8c8"},
)  # older engines' words
_MATE: Final = 100_000  # centipawns of a mate, to which its moves are added


class XboardChannel(EngineChannel):
    """``_new`` are the moves that the engine has not got; ``_own`` is its last one, which it has."""

    quit = b"quit\n"

    def __init__(self, inner: Channel, depth: int | None = None) -> None:
        super().__init__(inner)
        self._features: dict[str, str] = {}
        self._depth = depth
        self._new: list[str] = []
        self._own = ""
        self._pings = 0

    def _greet(self) -> None:
        self._request("bot", ["xboard", "protover 2"])

    def _begin(self, game: NewGame) -> None:
        if game.game != "chess":
            self._fail(f"the protocol of xboard is for chess, not {game.game}")
            return
        self._seat = game.seat
        self._new = []
        self._own = ""
        self._about = ""
        lines = ["new", "force", "easy", "post", *self._times(game)]
        if self._depth is not None:
            lines.append(f"sd {self._depth}")
        self._pings += 1
        self._request("ready", [*lines, f"ping {self._pings}"])

    def _times(self, game: NewGame) -> list[str]:
        """The time control: a clock in minutes and seconds, or whole seconds of each move."""
        if game.clock_ms is not None:
            minutes, seconds = divmod(max(1, game.clock_ms // 1000), 60)
            return [f"level 0 {minutes}:{seconds:02} {game.increment_ms // 1000}"]
        return [] if game.move_ms is None else [f"st {max(1, game.move_ms // 1000)}"]

    def _ask_move(self, go: Go) -> None:
        lines = self._new
        self._new = []
        if any(word.startswith("setboard ") for word in lines) and self._features.get("setboard") != "1":
            self._fail("has no feature setboard=1: give openings as moves, not as positions")
            return
        if go.clocks_ms:
            mine, theirs = go.clocks_ms[self._seat - 1], go.clocks_ms[2 - self._seat]
            lines += [f"time {mine // 10}", f"otim {theirs // 10}"]
        self._request("move", [*lines, "go"])

    def _played(self, seat: int, action: str) -> None:  # noqa: ARG002 - moves take turns
        if action == self._own:
            self._own = ""
        elif action.startswith("="):
            self._new.append(f"setboard {action[1:].replace('_', ' ')}")
        else:
            self._new.append(f"usermove {action}" if self._features.get("usermove") == "1" else action)

    def _is_answer(self, line: str) -> bool:
        return _MOVE.fullmatch(line) is not None

    def _answer(self, line: str) -> Event | None:
        word = line.partition(" ")[0]
        if self._wants == "bot" and word == "feature":
            return self._take_features(line)
        if self._wants == "ready" and line.strip() == f"pong {self._pings}":
            return self._done()
        if self._wants != "move":
            return None
        if word == "Illegal" or (word == "Error" and "setboard" in line):
            return self._fail(f"refused its opponent's move or the position: {shown(line)}")
        if (thought := _THINKING.match(line)) is not None:
            self._about = _about(int(thought[1]), int(thought[2]), int(thought[3]))
            return None
        if (claim := _RESULT.fullmatch(line.strip())) is not None:
            # A claim of its own defeat is a resignation; the referee's rules decide about any other.
            if claim[1] == ("1-0", "0-1")[self._seat - 1]:
                return None
            self._done()
            return Event("line", "resign")
        match = _MOVE.fullmatch(line)
        if match is None:
            return None
        self._done()
        self._own = _CASTLING[self._seat - 1].get(match[1].lower(), match[1].lower())
        self._inner.send(b"force\n")
        return self._moved(self._own)

    def _take_features(self, line: str) -> Event | None:
        """Accept features, in the order of the line; the last is ``done=1``."""
        features = {key: value.strip('"') for key, value in _FEATURE.findall(line)}
        self._features |= features
        for key in features:
            word = "rejected" if key in ("san", "analyze", "draw", "sigint", "sigterm") else "accepted"
            self._inner.send(f"{word} {key}\n".encode("ascii"))
        if self._features.get("done") != "1":
            return None
        if self._features.get("ping") != "1":
            return self._fail("has no feature ping=1, which separates each answer from an earlier one")
        self._introduce("name", self._features.get("myname", ""))
        return self._done()


def _about(depth: int, score: int, nodes: int) -> str:
    words = score_words(score)
    if abs(score) >= _MATE:
        moves = min(abs(score) - _MATE, MATE_SCORE - 1)
        words = mate_words(moves if score > 0 else -moves, won=score > 0)
    return " ".join(f"{key}={word}" for key, word in words.items()) + f" depth={depth} nodes={nodes}"


class XboardProtocol(EngineProtocol):
    """The protocol of xboard, with a ``depth`` of each move if ``go`` in a bot's manifest has one."""

    name = "xboard"

    def __init__(self, depth: int | None = None) -> None:
        self._depth = depth

    def configured(self, options: Mapping[str, Setting], go: Mapping[str, int]) -> BotProtocol:
        """The protocol with the limit of ``go``. Raises BotError."""
        depth = go.get("depth")
        if options or set(go) - {"depth"} or (depth is not None and depth < 1):
            raise BotError("the protocol xboard has no options, and of go only depth, from 1")
        return XboardProtocol(depth)

    def _adapted(self, inner: Channel) -> Channel:
        return XboardChannel(inner, self._depth)
