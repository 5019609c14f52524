"""A bot's side of the protocol: ``Session`` answers lines, ``run`` does so over the process's pipes."""

from __future__ import annotations

import io
import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tourney import protocol
from tourney.bot.turn import Match, Turn
from tourney.texts import legible

if TYPE_CHECKING:
    from collections.abc import Mapping

RESIGN = object()
"""What a bot returns to resign."""

SEES = {"state": (), "observation": ("position", "legal"), "legal": ("legal",)}
"""What ``choose`` may get as its first argument, and the lines that the session requests for it."""

Choose = Callable[[Any, Turn], object]
"""A bot's function: from what it sees, and the turn, to an action, an action's string or RESIGN."""

_WORD = re.compile(r"[!-~]+", re.ASCII)
# A little below the protocol's MAX_BOT_LINE, MAX_OUTPUT_LINES and MAX_OUTPUT_BYTES: above those the bot is at
# fault and loses, so a bot that talks much is cut instead, and its answer still fits.
_MAX_INFO_BYTES = 4_000
_MAX_INFO_LINES = 900
_MAX_INFO_OUTPUT = 60_000


def run(
    choose: Choose,
    *,
    sees: str = "state",
    hidden: bool = False,
    start: Callable[[Match], None] | None = None,
    end: Callable[[Match, tuple[int, ...], str], None] | None = None,
    **about: str,
) -> None:
    """Play by ``choose`` until the referee sends ``quit`` or is gone. See ``Session`` for the arguments.

    From here on the program's prints go to standard error and its standard input is empty, so only the
    protocol reaches the referee.
    """
    lines, answers = _take_streams()
    session = Session(choose, _writer(answers), sees=sees, hidden=hidden, start=start, end=end, about=about)
    rest = b""
    while chunk := os.read(lines, 65_536):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            if not session.receive(line.decode("utf-8").removesuffix("\r")):
                return


class Session:
    """A bot's side of any number of games, one after the other.

    ``choose(seen, turn)`` returns an action of the state, an action's string, or RESIGN. ``sees`` selects its
    first argument: the "state", the "observation" (a string), or the "legal" actions (a tuple of strings;
    then the game's rules are loaded only if they are used). ``hidden`` requests positions, which games with
    hidden actions need. ``start(match)`` is called when a game begins, within the start-up time;
    ``end(match, ranks, reason)`` when it is over. ``about`` holds words for the referee (name, version).
    ``write`` takes whole lines.
    """

    def __init__(
        self,
        choose: Choose,
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
                raise ValueError(f"{key}={value} must be one word for the referee; leave out blanks")
        self._choose = choose
        self._write = write
        self._sees = sees
        self._greeting = protocol.Greeting(
            hidden or "position" in SEES[sees], "legal" in SEES[sees], tuple((about or {}).items())
        )
        self._start = start
        self._end = end
        self._clock = clock
        self._match: Match | None = None
        self._position: str | None = None
        self._legal: tuple[str, ...] | None = None
        self._info_lines = 0
        self._info_bytes = 0

    def receive(self, line: str) -> bool:
        """Take a line of the referee and answer it; return False when the bot must exit."""
        match protocol.decode_referee(line):
            case None:
                pass
            case protocol.Quit():
                return False
            case protocol.Hello():
                self._answer(self._greeting)
            case protocol.NewGame() as game:
                self._begin(Match(game))
            case message if self._match is not None:
                self._in_game(self._match, message)
        return True

    def _in_game(self, match: Match, message: protocol.RefereeMessage) -> None:
        match message:
            case protocol.Play(seat, action):
                match.add(seat, action)
            case protocol.Reveal(seat, action):
                match.reveal(seat, action)
            case protocol.Position(text):
                self._position = text
            case protocol.Legal(actions):
                self._legal = actions
            case protocol.Withdrawn(seat):
                match.withdrawn.append(seat)
            case protocol.Go():
                self._go(match, message)
            case protocol.Over(ranks, reason):
                if self._end is not None:
                    self._end(match, ranks, reason)
                self._match = None

    def _begin(self, match: Match) -> None:
        self._match = match
        self._position = self._legal = None
        if self._sees != "legal":
            # The rules are loaded here, in the start-up time, and not in the first move's.
            if match.game.has_hidden_actions and not self._greeting.position:
                raise ValueError(
                    f"{match.game_name} hides actions: write run(choose, hidden=True), and the state is a"
                    " sample while something is hidden; or run(choose, sees='observation')"
                )
            _ = match.known
        if self._start is not None:
            self._start(match)
        self._answer(protocol.Ready())

    def _go(self, match: Match, limits: protocol.Go) -> None:
        turn = Turn(match, limits, self._position, self._legal, self._info, self._clock)
        self._position = self._legal = None
        chosen = self._choose(getattr(turn, self._sees), turn)
        self._answer(protocol.Resign() if chosen is RESIGN else protocol.Move(self._text(chosen, turn)))

    def _text(self, chosen: object, turn: Turn) -> str:
        if isinstance(chosen, str) and _WORD.fullmatch(chosen) and chosen in turn.legal:
            return chosen
        if self._sees != "legal" and chosen is not None:
            with suppress(TypeError):  # it is of another type than the game's actions
                if chosen in turn.state.legal_actions():
                    return str(turn.game.action_string(chosen))
        return self._refuse(chosen, turn)

    def _refuse(self, chosen: object, turn: Turn) -> str:
        """The action if it is one word, which the referee judges as illegal; otherwise end the bot."""
        some = " ".join(turn.legal[:10]) + (" ..." if len(turn.legal) > 10 else "")
        sentence = f"choose returned {chosen!r}, which is not legal here; legal are: {some}"
        if isinstance(chosen, str) and _WORD.fullmatch(chosen):
            sys.stderr.write(sentence + "\n")
            return chosen
        raise ValueError(sentence)

    def _answer(self, message: protocol.BotMessage) -> None:
        # The referee counts info lines from one answer to the next.
        self._info_lines = self._info_bytes = 0
        self._write(message.encode())

    def _info(self, text: str) -> None:
        """Write an info line, or drop it when the referee's allowance is used up."""
        printable = legible(text, " ")
        cut = printable.encode("utf-8", "replace")[:_MAX_INFO_BYTES].decode("utf-8", "ignore")
        data = protocol.Info(cut).encode()
        self._info_lines += 1
        self._info_bytes += len(data)
        if self._info_lines <= _MAX_INFO_LINES and self._info_bytes <= _MAX_INFO_OUTPUT:
            self._write(data)


def _take_streams() -> tuple[int, int]:
    """Take over the referee's pipes: prints now go to standard error and input is empty, in C code too.

    Text printed earlier, while modules were loaded, mostly is still in a buffer; it goes to standard error as
    well. A WebAssembly module cannot duplicate files: there the streams stay, and Python's own are others.
    """
    if sys.platform == "wasi":
        sys.stdin = io.StringIO()
        sys.stdout = sys.stderr
        return 0, 1
    lines = os.dup(0)
    answers = os.dup(1)
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
            os._exit(0)  # the referee is gone

    return write


def parameters(arguments: Sequence[str] | None = None) -> dict[str, float]:
    """The values by name, of the arguments ``NAME=VALUE`` of the program; others are left out."""
    values: dict[str, float] = {}
    for word in sys.argv[1:] if arguments is None else arguments:
        name, equals, text = word.partition("=")
        if equals and not name.startswith("-"):
            with suppress(ValueError):
                values[name] = float(text) if "." in text else int(text)
    return values
