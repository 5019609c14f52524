"""The adapter of the protocol of xboard and WinBoard (version 2), of chess engines, for chess.

An engine is in force mode outside its turns: it gets the moves since its last one and ``go``, so one dialogue
serves openings and both colors.
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from tourney.bots.channel.interface import Channel, Event, Withheld
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

NO_OPTIONS: Final[Mapping[str, Setting]] = MappingProxyType({})
NO_LIMITS: Final[Mapping[str, int]] = MappingProxyType({})
_FEATURE = re.compile(r'([a-z]+) ?= ?("[^"]*"|[^ ]+)', re.ASCII)
_MOVE = re.compile(r"(move|[0-9]{1,4}\. ?\.\.\.) ([!-~]{2,20})", re.ASCII | re.IGNORECASE)
"""A move, also as in version 1 of the protocol: ``12. ... e7e5``, which GNU Chess prints."""
_COORDINATES = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?", re.ASCII)
_THINKING = re.compile(r"([0-9]{1,3})[.&+]? (-?[0-9]{1,9}) [0-9]+ ([0-9]{1,15})(?: |\Z)", re.ASCII)
_RESULT = re.compile(
    r"(?:(?:tellics |computer |i |(white|black) )?resigns?\b|(0-1|1-0)\b)(?: ?[.!{].*)?",
    re.ASCII | re.IGNORECASE,
)
"""A result that an engine claims; some of the first version say it in words."""
_MATE: Final = 100_000  # centipawns of a mate, to which its moves are added
_REJECTED: Final = ("san", "analyze", "draw", "sigint", "sigterm")
COMMANDS: Final = ("memory", "cores")
"""Options that are commands of their own, and features of the same name, in the protocol."""
GO_LIMITS: Final = ("depth", "movetime")  # keys of ``go`` in bot.toml
SILENCE_NS: Final = 500_000_000  # after which a silent engine gets an empty line
NUDGE_NS: Final = 10_000_000  # between two empty lines, of which it took up to 53
MOST_NUDGES: Final = 1_000
PATIENCE_NS: Final = 2_000_000_000
"""The time for features of an engine that does not say ``done``: as xboard has it."""
_UNMOVED: Final = {"K": ("Ke1", "Rh1"), "Q": ("Ke1", "Ra1"), "k": ("ke8", "rh8"), "q": ("ke8", "ra8")}
"""The pieces that have not moved, by the right to castle."""


class XboardChannel(EngineChannel):
    """``_new`` are the moves that the engine has not got; ``_own`` is its last one, which it has."""

    quit = b"quit\n"
    dropped = frozenset(("#", "feature", "tellics", "telluser", "tellall", "tellothers", "tellopponent"))

    def __init__(
        self, inner: Channel, options: Mapping[str, Setting] = NO_OPTIONS, go: Mapping[str, int] = NO_LIMITS
    ) -> None:
        super().__init__(inner)
        self._features: dict[str, str] = {}
        self._options = dict(options)
        self._named: set[str] = set()  # the options that the engine has
        self._go = go
        self._new: list[str] = []
        self._own = ""
        self._fresh = True  # before the first turn of a game
        self._numbered = ""  # its last move, if it was in the form of version 1
        self._pings = 0
        self._asked = 0  # when it was asked for its features
        self._nudges = 0

    def _greet(self) -> None:
        self._asked = self._inner.now()
        self._nudges = 0
        self._request("bot", ["xboard", "protover 2"])

    def wait(self, deadline: int) -> Event:
        """The next event in Tourney's protocol.

        GNU Chess 6.2 may stop at its start: a thread waits for the lock of the input, which another holds
        while it reads. Only further lines free it, so an engine gets empty ones until it names a feature:
        the first that it prints is a banner, after which it may stop again.
        """
        while self._wants == "bot":
            silence = SILENCE_NS + self._nudges * NUDGE_NS
            event = super().wait(min(deadline, self._asked + silence))
            if event.kind != "timeout" or self._asked + silence >= deadline or self._nudges >= MOST_NUDGES:
                return event
            if silence >= PATIENCE_NS and self._features and "done" not in self._features:
                return self._finish_features()
            self._nudges += 1
            if not self._features:
                self._inner.send(b"\n")
        return super().wait(deadline)

    def withheld(self, milliseconds: int) -> Withheld | None:
        """What an engine withholds; one without features may speak another protocol."""
        withheld = super().withheld(milliseconds)
        if withheld is None and self._wants == "move" and not self._features:
            why = "it has named no features of xboard's protocol; enter GNU Chess with --uci, as uci"
            return Withheld("", whole=True, at_end=False, why=why)
        return withheld

    def time_out(self, event: Event) -> Event:
        """Begin with an engine that has named no features, as xboard does: those of version 1 have none."""
        return event if event.text or self._wants != "bot" or self._features else self._finish_features()

    def _begin(self, game: NewGame) -> None:
        if game.game != "chess":
            self._fail(f"the protocol of xboard is for chess, not {game.game}")
            return
        self._seat = game.seat
        self._new = []
        self._own = ""
        self._fresh = True
        self._about = ""
        settings = [_setting(name, value) for name, value in self._options.items()]
        self._options.clear()
        lines = [*settings, "new", "force", "easy", "post", *self._times(game)]
        if "depth" in self._go:
            lines.append(f"sd {self._go['depth']}")
        if self._features.get("ping") != "1":
            # Nothing says when it is ready. Its answers still cannot be confused: each request but one
            # for a move has none, and an engine that owes a move when its time is over plays no more.
            self._inner.send("".join(f"{line}\n" for line in lines).encode("utf-8"))
            self._said.append(Event("line", "ready"))
            return
        self._pings += 1
        self._request("ready", [*lines, f"ping {self._pings}"])

    def _times(self, game: NewGame) -> list[str]:
        """The time control: a clock in minutes and seconds, or whole seconds of each move."""
        if "movetime" in self._go:
            return [f"st {max(1, self._go['movetime'] // 1000)}"]
        if game.clock_ms is not None:
            return [_level(0, game.clock_ms, game.increment_ms)]
        return [] if game.move_ms is None else [f"st {max(1, game.move_ms // 1000)}"]

    def _ask_move(self, go: Go) -> None:
        lines = self._new
        self._new = []
        if lines and lines[0].startswith("setboard ") and self._features.get("setboard") != "1":
            edits = _edit_lines(lines[0].partition(" ")[2])
            if not edits:
                self._fail("has no feature setboard=1, and `edit` cannot give this position: open by moves")
                return
            lines[:1] = [self._usermove(edit) if edit == _BLACK_TO_MOVE else edit for edit in edits]
        if self._fresh:
            self._fresh = False
            # The game line has neither; a depth of the bot's own was set there.
            if go.clocks_ms and go.moves is not None:
                lines.insert(0, _level(go.moves, go.clocks_ms[self._seat - 1], go.increment_ms))
            if go.depth is not None and "depth" not in self._go:
                lines.insert(0, f"sd {go.depth}")
        if go.clocks_ms:
            mine, theirs = go.clocks_ms[self._seat - 1], go.clocks_ms[2 - self._seat]
            lines += [f"time {mine // 10}", f"otim {theirs // 10}"]
        self._request("move", [*lines, "go"])

    def _played(self, seat: int, action: str) -> None:
        own, self._own = self._own, ""
        if own and seat == self._seat:
            # It is on the engine's board already, in the engine's spelling, unless a record leads the match.
            if own == action or _COORDINATES.fullmatch(own) is None:
                return
            self._new.append("undo")
        if action.startswith("="):
            self._new.append(f"setboard {action[1:].replace('_', ' ')}")
        else:
            self._new.append(self._usermove(action))

    def _usermove(self, move: str) -> str:
        return f"usermove {move}" if self._features.get("usermove") == "1" else move

    def _is_answer(self, line: str) -> bool:
        # Some engines print their move in both forms.
        match = _MOVE.fullmatch(line)
        return match is not None and match[1].lower() == "move" and match[2].lower() != self._numbered

    def _move_in(self, line: str) -> str:
        match = _MOVE.fullmatch(line)
        return _read_move(match[2]) if match is not None else ""

    def _repeats(self, move: str) -> bool:
        """In chess no piece can make the same step in two turns of its player."""
        return super()._repeats(move) and (not self._wants or _COORDINATES.fullmatch(move) is not None)

    def _answer(self, line: str) -> Event | None:
        word = line.partition(" ")[0].lower()
        if word == "feature":
            # They may also come late, from an engine that seemed to have none.
            return self._take_features(line)
        if self._wants == "bot":
            # An engine of version 1 has no features, and refuses the question for them.
            return self._finish_features() if "protover" in line and not self._features else None
        if self._wants == "ready" and line == f"pong {self._pings}":
            return self._done()
        if self._wants != "move":
            return None
        if word == "illegal" or (word == "error" and "setboard" in line):
            return self._fail(f"refused its opponent's move or the position: {shown(line)}")
        if (thought := _THINKING.match(line)) is not None:
            self._about = _about(int(thought[1]), int(thought[2]), int(thought[3]))
            return None
        if (claim := _RESULT.fullmatch(line)) is not None:
            # A claim of its own defeat is a resignation; the referee's rules decide about any other.
            others = ("black", "white")[self._seat - 1], ("1-0", "0-1")[self._seat - 1]
            if (claim[1] or "").lower() == others[0] or claim[2] == others[1]:
                return None
            self._done()
            return Event("line", "resign")
        match = _MOVE.fullmatch(line)
        if match is None:
            return None
        if self._repeats(_read_move(match[2])):
            return self._dropped(line)
        self._done()
        self._numbered = "" if match[1].lower() == "move" else match[2].lower()
        self._own = _read_move(match[2])
        self._inner.send(b"force\n")
        return self._moved(self._own)

    def _take_features(self, line: str) -> Event | None:
        """Accept features, in the order of the line; the last is ``done=1``."""
        for key, quoted in _FEATURE.findall(line):
            value = quoted.strip('"')
            if key == "option":
                self._named.add(value.partition(" -")[0])
            self._features[key] = value
            word = "rejected" if key in _REJECTED else "accepted"
            self._inner.send(f"{word} {key}\n".encode("ascii"))
        ends = self._wants == "bot" and self._features.get("done") == "1"
        return self._finish_features() if ends else None

    def _finish_features(self) -> Event:
        """The answer to the greeting, once the engine has all options that are to be set."""
        for name in self._options:
            if self._features.get(name) != "1" if name in COMMANDS else name not in self._named:
                has = ", ".join(sorted(self._named)) or "none"
                return self._fail(f"has no option {shown(name)}; its options: {has[:500]}")
        self._introduce("name", self._features.get("myname", ""))
        greeting = self._done()
        assert greeting is not None  # noqa: S101 - only a move has none
        return greeting


_BLACK_TO_MOVE: Final = "a2a3"
"""A move before ``edit``, as xboard sends it: ``edit`` leaves the side to move as it is."""


def _edit_lines(fen: str) -> Sequence[str]:
    """The commands that set up a position without ``setboard``; none if they cannot say it exactly.

    Kings and rooks on their first squares have not moved, and no capture en passant is possible.
    """
    placement, side, castling, passant = fen.split(" ")[:4]
    pieces = []
    for rank, row in zip("87654321", placement.split("/"), strict=True):
        blanks = re.sub("[1-8]", lambda digit: " " * int(digit[0]), row)
        pieces += [f"{piece}{file}{rank}" for file, piece in zip("abcdefgh", blanks, strict=True)]
    pieces = [piece for piece in pieces if piece[0] != " "]
    rights = "".join(right for right, unmoved in _UNMOVED.items() if set(unmoved) <= set(pieces))
    if passant != "-" or castling != (rights or "-"):
        return ()
    white = [piece for piece in pieces if piece[0].isupper()]
    black = [piece[0].upper() + piece[1:] for piece in pieces if piece[0].islower()]
    turn = [_BLACK_TO_MOVE] if side == "b" else []
    return [*turn, "edit", "#", *white, "c", *black, "."]


def _read_move(text: str) -> str:
    """A move, in small letters if they are squares: ``Bc4`` and ``bc4`` are different moves."""
    small = text.lower()
    return small if _COORDINATES.fullmatch(small) else text


def _level(moves: int, clock_ms: int, increment_ms: int) -> str:
    """The clock of ``moves`` actions, 0 for a whole game, in minutes and whole seconds."""
    minutes, seconds = divmod(max(1, clock_ms // 1000), 60)
    return f"level {moves} {minutes}:{seconds:02} {increment_ms // 1000}"


def _about(depth: int, score: int, nodes: int) -> str:
    words = score_words(score)
    if abs(score) >= _MATE:
        moves = min(abs(score) - _MATE, MATE_SCORE - 1)
        words = mate_words(moves if score > 0 else -moves, won=score > 0)
    return " ".join(f"{key}={word}" for key, word in words.items()) + f" depth={depth} nodes={nodes}"


def _setting(name: str, value: Setting) -> str:
    """The command that sets an option; an empty string is a button without a value."""
    if name in COMMANDS:
        return f"{name} {value}"
    if isinstance(value, bool):
        value = int(value)
    return f"option {name}" if value == "" else f"option {name}={value}"


class XboardProtocol(EngineProtocol):
    """The protocol of xboard, with the options to set and the limits of ``go`` in a bot's manifest."""

    name = "xboard"

    def __init__(
        self, options: Mapping[str, Setting] = NO_OPTIONS, go: Mapping[str, int] = NO_LIMITS
    ) -> None:
        self._options = options
        self._go = go

    def configured(self, options: Mapping[str, Setting], go: Mapping[str, int]) -> BotProtocol:
        """The protocol with options of the engine and limits of ``go``. Raises BotError."""
        for key, limit in go.items():
            if key not in GO_LIMITS or limit < 1:
                raise BotError(f"go: of the protocol xboard it has only {' and '.join(GO_LIMITS)}, from 1")
        for name, value in options.items():
            if name.strip() != name or "=" in name or not name.isprintable() or not str(value).isprintable():
                raise BotError(f"options: {name[:60]!r} is not an option of xboard's protocol")
            if name in COMMANDS and (type(value) is not int or value < 1):
                raise BotError(f"options: {name} must be a number from 1")
        return XboardProtocol(options, go)

    def _adapted(self, inner: Channel) -> Channel:
        return XboardChannel(inner, self._options, self._go)
