"""The adapter of UCI, the protocol of chess engines.

What it knows of a game comes from the lines of Tourney's protocol: the game, the actions (which are UCI moves
in the games that it plays), and the limits.
"""

import re
from collections.abc import Mapping
from typing import Final

from tourney.bots.channel.interface import Channel, Event, Withheld, line_event
from tourney.bots.protocols import (
    EngineChannel,
    EngineProtocol,
    Setting,
    mate_words,
    score_words,
    words_of,
)
from tourney.errors import BotError, GameError
from tourney.games.registry import find_game
from tourney.protocol import Go, Info, NewGame, decode_referee, shown

MAX_PV: Final = 60  # most moves of a principal variation that are kept
GO_LIMITS: Final = ("depth", "nodes", "movetime")  # keys of ``go`` in bot.toml

_INFO_ORDER = ("score", "mate", "win", "depth", "seldepth", "nodes", "nps", "tbhits", "hashfull")
"""Keys of the words of ``info`` in Tourney's form, in their order."""
_INFO_VALUE = re.compile(
    rf"(?<![^ ])(cp|mate|{'|'.join(_INFO_ORDER[3:])}) (-?[0-9]{{1,15}})(?![^ ])", re.ASCII
)
_INFO_STRING = re.compile(r"(?<![^ ])string(?![^ ])", re.ASCII)
_MOST_WORDS = 200  # of ``info`` that are read, before the moves of the variation
_NO_SCORE = re.compile(r"\Ainfo string | (?:lower|upper)bound(?: |\Z)| multipv (?!0*1(?: |\Z))", re.ASCII)
_STEP: Final = re.compile(r"[a-h][1-8][a-h][1-8][nbrqNBRQ]?", re.ASCII)
_OWN_OPTIONS = ("UCI_Chess960", "UCI_Variant", "Ponder")  # options that the adapter decides
_ANSWERS: Final = {"bot": "uciok", "ready": "readyok", "move": "bestmove"}
"""By what the referee waits for: the engine's word that ends the wait."""


class UciProtocol(EngineProtocol):
    """UCI, with the options to set and the limits of ``go`` that a bot's manifest names."""

    name = "uci"
    has_options = True
    most_output = (4 << 20, 40_000)  # A long search prints many lines of ``info``
    recent = False  # Whether an engine gets the recent moves only: see UciChannel

    def __init__(
        self, options: Mapping[str, Setting] | None = None, go: Mapping[str, int] | None = None
    ) -> None:
        self._options = dict(options or {})
        self._go = dict(go or {})

    def configured(self, options: Mapping[str, Setting], go: Mapping[str, int]) -> "UciProtocol":
        """The protocol with options of the engine and limits of ``go``. Raises BotError."""
        for name, value in options.items():
            if name.strip() != name or " value " in f" {name} " or not name.isprintable():
                raise BotError(f"options: {name[:60]!r} is not the name of a UCI option")
            if name in _OWN_OPTIONS:
                raise BotError(f"options: {name} is set by Tourney itself; leave it out")
            if isinstance(value, str) and not value.isprintable():
                raise BotError(f"options: the value of {name} must have printable characters only")
        for key, value in go.items():
            if key not in GO_LIMITS or value < 1:
                raise BotError(
                    f"go: {key} = {value} is not a limit; the limits are {', '.join(GO_LIMITS)}, from 1"
                )
        return type(self)(options, go)

    def _adapted(self, inner: Channel) -> Channel:
        inner.gather(b"bestmove")
        return UciChannel(inner, self._options, self._go, recent=self.recent)


class UciFenProtocol(UciProtocol):
    """UCI, where the position is a FEN and the moves that a repetition can go back to."""

    name = "uci-fen"
    recent = True


class UciChannel(EngineChannel):
    """The dialogue with an engine of chess or one of its variants.

    ``options`` are set before the first game; ``go`` are limits of every ``go`` in addition to the match's.
    With ``recent`` an engine of chess gets the FEN of one of its own turns and the moves since then: the
    latest turn that leaves out no position which can still be repeated.
    """

    quit = b"quit\n"
    dropped = frozenset(("info", "option", "id", "copyprotection", "registration"))

    def __init__(
        self, inner: Channel, options: Mapping[str, Setting], go: Mapping[str, int], *, recent: bool = False
    ) -> None:
        super().__init__(inner)
        self._settings = {name: _setting(name, value) for name, value in options.items()}
        self._named: set[str] = set()  # the options that the engine has, in small letters
        self._limits = "".join(f" {key} {value}" for key, value in go.items())
        self._variant = ""
        self._chess960 = False
        self._game = ""
        self._position = bytearray()
        self._fresh = True
        self._positions = recent
        # the FEN of the engine's last turn, and where its moves ended
        self._turn = b""
        self._turn_ends = 0
        self._go_seen = (b"", b"", b"")
        self._go = b""

    def _greet(self) -> None:
        self._request("bot", ["uci"])

    def _ask_move(self, go: Go) -> None:
        self._wants = "move"
        self._inner.request(self._words(go.encode().rstrip()))

    def ask(self, data: bytes, deadline: int) -> str | Event:
        """Do ``request`` and ``wait``: this runs once a move, so usual lines are read without decoding."""
        lines = data.split(b"\n")
        go = lines[-2]
        if self._said or self._failed or self._fresh or not go.startswith(b"go"):
            return super().ask(data, deadline)
        position = self._position
        for line in lines[:-2]:
            # A play line is all that precedes `go` in a game of two seats without hidden actions.
            if line.startswith(b"play "):
                position += line[6:]  # the blank and the move, as a seat has one digit
            elif self._positions and line.startswith(b"position "):
                self._forget(line[9:])
        self._wants = "move"
        self._unread = ""
        heard = self._inner.ask(self._words(go), deadline)
        if isinstance(heard, str):
            before, _, last = heard.rpartition("\n")
            if "\t" in heard or "  " in heard or not last.isprintable():
                last, before = words_of(last), "\n".join(map(words_of, before.split("\n")))
            answer = last[9:].partition(" ")[0]
            if last.startswith("bestmove ") and (answer != self._last or not self._repeats(answer)):
                self._wants = ""
                self._answered = True
                self._last = answer
                about = info_text(_last_score(before)) if before else ""
                return f"info {about}\nmove {answer}" if about else f"move {answer}"
            return self._read(last) or self.wait(deadline)
        return (self._read(heard.text) or self.wait(deadline)) if heard.kind == "line" else heard

    def _take(self, line: str) -> None:
        if line.startswith("position "):
            if self._positions:
                self._forget(line[9:].encode("ascii"))
        else:
            super()._take(line)

    def _begin(self, game: NewGame) -> None:
        lines = list(self._settings.values())
        if unknown := [name for name in self._settings if name.lower() not in self._named]:
            # It may still know them: some options are for the author only.
            names = ", ".join(map(shown, unknown[:5]))
            self._said.append(line_event(Info(f"the engine does not name the options {names} that are set")))
        self._settings.clear()
        self._game = game.game
        self._options = game.options
        family, _, variant = game.game.partition(":")
        chess960 = game.game == "chess960" or variant.endswith("960")
        if chess960 != self._chess960:
            lines.append(_setting("UCI_Chess960", chess960))
            self._chess960 = chess960
        if family != "fairy":
            variant = ""
        if variant != self._variant:
            lines.append(_setting("UCI_Variant", variant.removesuffix("960") or "chess"))
            self._variant = variant
        self._position = bytearray(b"position startpos")
        self._fresh = True
        self._turn = b""
        self._request("ready", [*lines, "ucinewgame", "isready"])

    def _played(self, seat: int, action: str) -> None:
        # Chance and an opening may set the position up before the first move.
        if self._fresh:
            if seat == 0:
                try:
                    game = find_game(self._game)
                    state = game.new(2, self._options)
                    fen = state.play(game.read_action(state, action)).position()
                except GameError:
                    return
                self._position = bytearray(b"position fen " + fen.encode("ascii"))
                return
            if action.startswith("="):
                self._position = bytearray(b"position fen " + action[1:].replace("_", " ").encode("ascii"))
                return
            self._position += b" moves"
            self._fresh = False
        self._position += b" " + action.encode("ascii")

    def _forget(self, fen: bytes) -> None:
        """Take the position of the engine's turn, and forget the moves that no repetition can go back to."""
        if self._game not in ("chess", "chess960"):
            return
        quiet = fen.rsplit(b" ", 2)[1]
        if not self._fresh:
            # A capture or a pawn's move was last: no earlier position can come back.
            if quiet == b"0":
                self._position = bytearray(b"position fen %b moves" % fen)
            # The engine's last move was irreversible and the reply was not: the position between them can
            # come back, so the moves begin at the engine's last turn.
            elif quiet == b"1" and self._turn:
                moves = self._position[self._turn_ends :].removeprefix(b" moves")
                self._position = bytearray(b"position fen " + self._turn + b" moves") + moves
        self._turn = fen
        self._turn_ends = len(self._position)

    def _words(self, line: bytes) -> bytes:
        """The position and the ``go`` of a referee's ``go`` line."""
        before, clocked, rest = line.partition(b" clocks=")
        clocks, _, after = rest.partition(b" ")
        # In a game only the clocks differ from turn to turn, so the rest is translated once.
        if (before, clocked, after) != self._go_seen:
            self._go_seen = before, clocked, after
            message = decode_referee(line.decode("utf-8"))
            self._go = go_line(message, self._limits) if isinstance(message, Go) else b"go"
            if clocked:
                self._go = self._go[self._go.index(b" winc ") :]
        go = self._go
        if clocked:
            # Equal to go_line of the whole line, of which only the clocks differ from move to move.
            white, black = (clocks + b",0").split(b",")[:2]
            go = b"go wtime %b btime %b%b" % (white, black, go)
        return bytes(self._position.removesuffix(b" moves")) + b"\n" + go + b"\n"

    def _is_answer(self, line: str) -> bool:
        return line.partition(" ")[0].lower() == "bestmove"

    def _move_in(self, line: str) -> str:
        return line.split(" ")[1] if " " in line else ""

    def _repeats(self, move: str) -> bool:
        """In chess no piece can make the same step in two turns of its player; in Chess960 a rook can castle.

        What was played decides, which another bot may have chosen where a record leads the match.
        """
        if not super()._repeats(move) or not self._wants:
            return super()._repeats(move)
        steps = self._game == "chess" and _STEP.fullmatch(move) is not None
        return steps and self._position.rsplit(b" ", 2)[1:2] == [move.encode("ascii")]

    def withheld(self, milliseconds: int) -> Withheld | None:
        """What an engine withholds; an engine that has searched beyond its limit is named."""
        withheld = super().withheld(milliseconds)
        if withheld is not None or self._wants != "move":
            return withheld
        limits = self._go.decode("ascii").split(" ")
        about = dict(word.split("=", 1) for word in info_text(self._about).split(" pv=")[0].split())
        for key in ("nodes", "depth"):
            limit = limits[limits.index(key) + 1] if key in limits else ""
            if limit and int(about.get(key, 0)) > int(limit):
                why = (
                    f"it does not keep to `go {key} {limit}`, as it has {key} {about[key]}: give it a limit"
                    " that it knows, such as go.movetime"
                )
                return Withheld("", whole=True, at_end=False, why=why)
        return None

    def _answer(self, line: str) -> Event | None:
        word, _, rest = line.partition(" ")
        word = word.lower()
        if word == "info":
            if self._wants == "move" and _has_score(line):
                self._about = rest
            return None
        if word == "option" and self._wants == "bot":
            self._named.add(rest.removeprefix("name ").partition(" type ")[0].lower())
        if word == "id" and self._wants == "bot":
            key, _, text = rest.partition(" ")
            if key in ("name", "author"):
                self._introduce(key, text)
        if word != _ANSWERS.get(self._wants):
            return None
        move = rest.split(" ")[0]
        if self._wants == "move" and self._repeats(move):
            return self._dropped(line)
        if (done := self._done()) is not None:
            return done
        if not move:
            return self._fail(f"{shown(line)}: bestmove needs a move")
        self._about = info_text(self._about)
        return self._moved(move)


def go_line(go: Go, limits: str = "") -> bytes:
    """``go`` in UCI, with the clocks of White and Black; ``movetime`` only if there are no other limits."""
    words = "go"
    if go.clocks_ms is not None:
        white, black = (*go.clocks_ms, 0, 0)[:2]
        words += f" wtime {white} btime {black} winc {go.increment_ms} binc {go.increment_ms}"
        words += "" if go.moves is None else f" movestogo {go.moves}"
    if go.nodes is not None and " nodes " not in limits:
        words += f" nodes {go.nodes}"
    if go.depth is not None and " depth " not in limits:
        words += f" depth {go.depth}"
    words += limits
    if words == "go":
        words += " infinite" if go.move_ms is None else f" movetime {go.move_ms}"
    return words.encode("ascii")


def info_text(words: str) -> str:
    """The words of ``info`` in Tourney's form: the score in pawns, as the mover sees it; "" for none.

    ``info depth 9 score cp 31 nodes 5000 pv e2e4 e7e5`` is
    ``score=0.31 win=0.544 depth=9 nodes=5000 pv=e2e4 e7e5``: pawns, and the chance to win that they mean. A
    mate in N of the engine's moves is ``score=`` 1000 - N, or -1000 + N against it, and ``mate=N``.
    """
    # An engine prints many of these lines, so they are read by one pattern and not word by word.
    if "string" in words and (string := _INFO_STRING.search(words)):
        words = words[: string.start()]
    # The moves are the rest of the line: a word among them is never a key.
    before, _, variation = f" {words}".partition(" pv ")
    if before.count(" ") > _MOST_WORDS:
        before, variation = " ".join(before.split(" ")[: _MOST_WORDS + 1]), ""
    values: dict[str, str] = {}
    for key, text in _INFO_VALUE.findall(before):
        value = int(text)
        if key == "cp":
            values |= score_words(value)
        elif key == "mate":
            values |= mate_words(value, won=value > 0)
        else:
            values[key] = str(value)
    if "score" not in values:
        return ""
    about = " ".join([f"{key}={values[key]}" for key in _INFO_ORDER if key in values])
    moves = [move for move in variation.split(None, MAX_PV)[:MAX_PV] if move.isascii() and move.isalnum()]
    return f"{about} pv={' '.join(moves)}" if moves else about


def _last_score(lines: str) -> str:
    """The words after ``info`` of the last line with a score; "" if there is none."""
    for line in reversed(lines.split("\n")):
        if line.startswith("info ") and _has_score(line):
            return line[5:]
    return ""


def _has_score(line: str) -> bool:
    """Whether a line of ``info`` has the score of the engine's choice: no bound, no second variation."""
    if " score " not in line:
        return False
    # The usual lines are recognised without the pattern, which takes longer than all else that is done here.
    first = " multipv 1 " in line or " multipv " not in line
    return (first and "bound" not in line and "string" not in line) or _NO_SCORE.search(line) is None


def _setting(name: str, value: Setting) -> str:
    """``setoption``; an empty string is a button without a value."""
    if isinstance(value, bool):
        value = "true" if value else "false"
    return f"setoption name {name}" if value == "" else f"setoption name {name} value {value}"
