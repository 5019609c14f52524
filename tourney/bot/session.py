"""The protocol from a bot's side: lines of the referee in, lines of the bot out, whatever carries them."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tourney.bot.turn import Match, Turn

if TYPE_CHECKING:
    from collections.abc import Mapping
RESIGN = object()
"""What a bot returns to resign."""

SEES = {"state": (), "observation": ("position", "legal"), "legal": ("legal",)}
"""What a bot's function may be given, and which lines the session asks for."""

_WORD = re.compile(r"[!-~]+", re.ASCII)
_MAX_LINE = 4_000
_MAX_LINES = 900
_MAX_BYTES = 60_000


class Session:
    """A bot's side of any number of games, one after the other.

    ``choose(seen, turn)`` is asked for an action; ``sees`` says what it is given first: the "state", the
    "observation" (a string), or the "legal" actions (a tuple of strings; the game's rules are then not
    loaded unless they are used). ``hidden`` asks for positions, which games with hidden actions need.
    ``start(match)`` is called when a game begins, in the start-up time; ``end(match, ranks, reason)`` when
    it is over. ``about`` is told to the referee (as name and version). ``write`` takes whole lines.

    ``choose`` returns an action of the state, or an action's string, or RESIGN.
    """

    def __init__(
        self,
        choose: Callable[[Any, Turn], object],
        write: Callable[[bytes], None],
        *,
        sees: str = "state",
        hidden: bool = False,
        start: Callable[[Match], None] | None = None,
        end: Callable[[Match, tuple[int, ...], str], None] | None = None,
        about: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if sees not in SEES:
            raise ValueError(f"sees={sees!r} is not one of {', '.join(SEES)}")
        for key, value in (about or {}).items():
            if _WORD.fullmatch(f"{key}={value}") is None:
                raise ValueError(f"{key}={value} is told to the referee as one word; leave out blanks")
        self._choose = choose
        self._write = write
        self._sees = sees
        self._wants = [*SEES[sees]]
        if hidden and "position" not in self._wants:
            self._wants.insert(0, "position")
        self._start = start
        self._end = end
        self._about = dict(about or {})
        self._clock = clock
        self._match: Match | None = None
        self._position: str | None = None
        self._legal: tuple[str, ...] | None = None
        self._lines = 0
        self._bytes = 0

    def receive(self, line: str) -> bool:
        """Take a line of the referee and answer it; return False when the bot is to exit."""
        words = line.split(" ")
        match words[0]:
            case "quit":
                return False
            case "tourney":
                wants = [f"wants={','.join(self._wants)}"] if self._wants else []
                about = [f"{key}={value}" for key, value in self._about.items()]
                self._answer(" ".join(["bot", *wants, *about]))
            case "game":
                self._begin(Match.from_words(words))
            case _ if self._match is not None:
                self._in_game(self._match, words, line)
        return True

    def _in_game(self, match: Match, words: list[str], line: str) -> None:
        match words[0]:
            case "play":
                match.add(int(words[1]), words[2])
            case "reveal":
                match.reveal(int(words[1]), words[2])
            case "position":
                self._position = line.partition(" ")[2]
            case "legal":
                self._legal = tuple(words[1:])
            case "withdrawn":
                match.withdrawn.append(int(words[1]))
            case "go":
                self._go(match, dict(word.split("=", 1) for word in words[1:]))
            case "over":
                if self._end is not None:
                    ranks = tuple(int(word) for word in words[1:] if "=" not in word)
                    self._end(match, ranks, words[-1].partition("=")[2])
                self._match = None

    def _begin(self, match: Match) -> None:
        self._match = match
        self._position = self._legal = None
        if self._sees != "legal":
            # The rules are loaded here, in the start-up time, and not in the first move's.
            if match.game.has_hidden_actions and "position" not in self._wants:
                raise ValueError(
                    f"{match.game_name} hides actions: write run(choose, hidden=True), and the state is a"
                    " sample while something is hidden; or run(choose, sees='observation')"
                )
            _ = match.known
        if self._start is not None:
            self._start(match)
        self._answer("ready")

    def _go(self, match: Match, limits: dict[str, str]) -> None:
        turn = Turn(
            match,
            limits=limits,
            position=self._position,
            legal=self._legal,
            say=self._info,
            clock=self._clock,
        )
        self._position = self._legal = None
        seen: object
        if self._sees == "state":
            seen = turn.state
        elif self._sees == "observation":
            seen = turn.observation
        else:
            seen = turn.legal
        chosen = self._choose(seen, turn)
        self._answer("resign" if chosen is RESIGN else f"move {self._text(chosen, turn)}")

    def _text(self, chosen: object, turn: Turn) -> str:
        if isinstance(chosen, str) and (_WORD.fullmatch(chosen) is not None) and chosen in turn.legal:
            return chosen
        if self._sees == "legal" or chosen is None:
            return self._refuse(chosen, turn)
        try:
            if chosen in turn.state.legal_actions():
                return str(turn.game.action_string(chosen))
        except TypeError:
            pass
        return self._refuse(chosen, turn)

    def _refuse(self, chosen: object, turn: Turn) -> str:
        """Send what is not legal as it is if it is a word, so that the referee says so; else end the bot."""
        some = " ".join(turn.legal[:10]) + (" ..." if len(turn.legal) > 10 else "")
        sentence = f"choose returned {chosen!r}, which is not legal here; legal are: {some}"
        if isinstance(chosen, str) and _WORD.fullmatch(chosen):
            sys.stderr.write(sentence + "\n")
            return chosen
        raise ValueError(sentence)

    def _answer(self, text: str) -> None:
        self._lines = self._bytes = 0
        self._write(text.encode("utf-8") + b"\n")

    def _info(self, text: str) -> None:
        """Write an info line as long as the referee's allowance lasts; what is beyond it is dropped."""
        shown = "".join(c if c.isprintable() else " " for c in text)
        data = b"info " + shown.encode("utf-8", "replace")[:_MAX_LINE].decode("utf-8", "ignore").encode(
            "utf-8"
        )
        self._lines += 1
        self._bytes += len(data) + 1
        if self._lines <= _MAX_LINES and self._bytes <= _MAX_BYTES:
            self._write(data + b"\n")


Choose = Callable[[Any, Turn], object]
"""A bot's function: what it sees, and the turn, to an action, an action's string or RESIGN."""


def run(
    choose: Choose,
    *,
    sees: str = "state",
    hidden: bool = False,
    start: Callable[[Match], None] | None = None,
    end: Callable[[Match, tuple[int, ...], str], None] | None = None,
    **about: str,
) -> None:
    """Play by ``choose`` until the referee says ``quit`` or is gone. See ``Session`` for the arguments.

    From here on what the program prints goes to standard error, and its standard input is empty, so nothing
    but the protocol reaches the referee.
    """
    lines, answers = _take_streams()
    session = Session(choose, _writer(answers), sees=sees, hidden=hidden, start=start, end=end, about=about)
    rest = b""
    while chunk := os.read(lines, 65_536):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            if not session.receive(line.decode("utf-8").removesuffix("\r")):
                return


def _take_streams() -> tuple[int, int]:
    """Keep the referee's pipes to ourselves: print gets standard error, input nothing, in C code too.

    What was printed before, while modules were loaded, mostly waits in a buffer still; it goes there as well.
    """
    lines, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout.flush()
    sys.stdout = sys.stderr
    return lines, answers


def _writer(answers: int) -> Callable[[bytes], None]:
    def write(data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(answers, view) :]
        except BrokenPipeError:
            # The referee is gone; there is nobody left to play for.
            os._exit(0)

    return write
