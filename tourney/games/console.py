"""The rules console: answers one line per input line, so authors can check their own rules against Tourney's.

``Console.answer`` is pure: it takes a line and returns a new console and the answer. Single blanks separate
words, as in the bot protocol.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from tourney.errors import ActionError, GameError, OptionError, UsageError
from tourney.games.base import ACTION_PATTERN, CHANCE, OVER, AnyGame, AnyState
from tourney.games.tree import perft
from tourney.texts import printable

MAX_LINE = 65_536  # the longest input line in bytes, without its newline

_MAX_ANSWER = 400
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Console:
    """The current state of a game, or none before ``new``. A refused line changes nothing."""

    game: AnyGame
    state: AnyState | None = None
    seats: int = 0
    options: tuple[tuple[str, str], ...] = ()

    def answer_bytes(self, line: bytes) -> tuple["Console", str]:
        """Answer a line of bytes without its newline."""
        if len(line) > MAX_LINE:
            return self, f"error the line is longer than {MAX_LINE} bytes"
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            return self, f"error the line is not UTF-8: byte {line[error.start]:#04x} at {error.start + 1}"
        return self.answer(text)

    def answer(self, line: str) -> tuple["Console", str]:
        """The console after a line, and the answer without its newline.

        Exceptions of a game other than GameError pass through: they are bugs of the game.
        """
        try:
            return self._answer(line)
        except (GameError, UsageError) as error:
            return self, "error " + _one_line(str(error))

    def _answer(self, line: str) -> tuple["Console", str]:
        if line.endswith("\r"):
            raise UsageError("the line ends with a carriage return; end lines with \\n alone")
        if not line.strip():
            raise UsageError("the line is blank; write one of: " + ", ".join(self.COMMANDS))
        words = line.split(" ")
        if "" in words:
            raise UsageError("separate words by single blanks, with none before or after")
        word, *arguments = words
        if word not in self.COMMANDS:
            raise UsageError(f"unknown word {_quote(word)}; write one of: " + ", ".join(self.COMMANDS))
        if self.state is None and word != "new":
            raise UsageError(f"there is no game yet; write new before {word}")
        wanted, command = self.COMMANDS[word]
        if wanted == "" and arguments:
            raise UsageError(f"{word} takes no argument; leave out {_quote(arguments[0])}")
        if wanted and len(arguments) != 1:
            raise UsageError(f"{word} needs {wanted}, one word")
        answer = command(self, " ".join(arguments))
        return (self, answer) if isinstance(answer, str) else (answer, "ok")

    def _new(self, text: str) -> "Console":
        seats: int | None = None
        options: dict[str, str] = {}
        for word in text.split(" ") if text else ():
            key, equals, value = word.partition("=")
            if not (key and equals):
                raise UsageError(f"{_quote(word)} is not of the form seats=N or OPTION=VALUE")
            if key in options or (key == "seats" and seats is not None):
                raise UsageError(f"{_quote(key)} is repeated")
            if key == "seats":
                seats = _number(value, "a number of seats")
            else:
                options[key] = value
        count, full = self.game.settings(seats, options)
        return replace(self, state=self.game.initial(count, full), seats=count, options=tuple(full.items()))

    def _set(self, text: str) -> "Console":
        if not text:
            raise UsageError("set needs a position")
        return replace(self, state=self.game.parse_position(text, self.seats, dict(self.options)))

    def _observe(self, text: str) -> str:
        seat = _number(text, "a seat")
        if not 1 <= seat <= self.seats:
            raise OptionError(f"there is no seat {seat}; the seats are 1 to {self.seats}")
        return self._state.observation(seat)

    def _actor(self, _: str) -> str:
        actor = self._state.actor
        return {CHANCE: "chance", OVER: "over"}.get(actor, str(actor))

    def _names(self) -> list[str]:
        return [self.game.action_string(action) for action in self._state.legal_actions()]

    def _weights(self, _: str) -> str:
        if self._state.actor != CHANCE:
            raise UsageError("chance does not act in this state, so there are no weights")
        pairs = zip(self._names(), self._state.chance_weights(), strict=True)
        return " ".join(f"{name}={weight}" for name, weight in pairs)

    def _play(self, text: str) -> "Console":
        if ACTION_PATTERN.fullmatch(text) is None:
            raise ActionError(f"{_quote(text)} is not an action; write 1 to 200 printable ASCII characters")
        if self._state.actor == OVER:
            raise ActionError(f"the game is over, so {text} cannot be played")
        return replace(self, state=self._state.play(self.game.read_action(self._state, text)))

    def _ranks(self, _: str) -> str:
        ranks = self._state.ranks()
        return "-" if ranks is None else " ".join(map(str, ranks))

    @property
    def _state(self) -> AnyState:
        assert self.state is not None  # noqa: S101 - without a state, _answer accepts only `new`
        return self.state

    COMMANDS: ClassVar[dict[str, tuple[str | None, Callable[["Console", str], "Console | str"]]]] = {
        "new": (None, _new),
        "set": (None, _set),
        "position": ("", lambda self, _: self._state.position()),
        "observe": ("a seat", _observe),
        "actor": ("", _actor),
        "legal": ("", lambda self, _: " ".join(self._names())),
        "weights": ("", _weights),
        "play": ("an action", _play),
        "ranks": ("", _ranks),
        "perft": ("a depth", lambda self, text: str(perft(self._state, _number(text, "a depth")))),
    }
    """By a line's first word: its argument (None: any words; "": none), and the answer or new console."""


def _number(text: str, what: str) -> int:
    if _NUMBER.fullmatch(text) is None:
        raise UsageError(f"{_quote(text)} is not {what}; write at most 9 digits without a leading zero")
    return int(text)


def _quote(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _one_line(text: str) -> str:
    """Truncate a sentence and escape its control characters."""
    plain = printable(text)
    return plain if len(plain) <= _MAX_ANSWER else plain[: _MAX_ANSWER - 3] + "..."
