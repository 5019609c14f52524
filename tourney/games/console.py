"""The rules console: one line in, one line out, so that an author can check their own rules against ours.

A pure state machine: ``Console.answer`` takes a line and returns a new console and the answer. Words are
parted by single blanks, strictly, as on the bots' wire; a line is at most ``MAX_LINE`` bytes.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from tourney.errors import ActionError, GameError, OptionError, UsageError
from tourney.games.base import ACTION_PATTERN, CHANCE, OVER, AnyGame, AnyState
from tourney.games.game_tree import perft

MAX_LINE = 65_536
"""The longest line that is read, in bytes, without its newline."""

_MAX_ANSWER = 400
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Console:
    """A game on the table, or none yet. A line that is refused leaves the console as it was."""

    game: AnyGame
    state: AnyState | None = None
    seats: int = 0
    options: tuple[tuple[str, str], ...] = ()

    def answer_bytes(self, line: bytes) -> tuple["Console", str]:
        """Answer a line as it was read, its newline taken off."""
        if len(line) > MAX_LINE:
            return self, f"error the line is longer than {MAX_LINE} bytes"
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            return self, f"error the line is not UTF-8: byte {line[error.start]:#04x} at {error.start + 1}"
        return self.answer(text)

    def answer(self, line: str) -> tuple["Console", str]:
        """Return the console after a line, and the answer: one line without its newline.

        Whatever a game raises that is no GameError passes through: it is a mistake in the game.
        """
        try:
            return self._answer(line)
        except (GameError, UsageError) as error:
            return self, "error " + _one_line(str(error))

    def _answer(self, line: str) -> tuple["Console", str]:
        if line.endswith("\r"):
            raise UsageError("a carriage return at the end of the line; lines end with \\n alone")
        if not line.strip():
            raise UsageError("a blank line; say one of: " + ", ".join(self.COMMANDS))
        words = line.split(" ")
        if "" in words:
            raise UsageError("words are parted by single blanks, with none before or after")
        word, arguments = words[0], words[1:]
        command = self.COMMANDS.get(word)
        if command is None:
            raise UsageError(f"unknown word {_quote(word)}; say one of: " + ", ".join(self.COMMANDS))
        if self.state is None and word != "new":
            raise UsageError(f"there is no game yet; say new before {word}")
        return command(self, arguments)

    def _new(self, words: list[str]) -> tuple["Console", str]:
        seats: int | None = None
        options: dict[str, str] = {}
        for word in words:
            key, equals, value = word.partition("=")
            if not (key and equals):
                raise UsageError(f"{_quote(word)} is not of the form seats=N or OPTION=VALUE")
            if key in options or (key == "seats" and seats is not None):
                raise UsageError(f"{_quote(key)} is given twice")
            if key == "seats":
                seats = _number(value, "a number of seats")
            else:
                options[key] = value
        count, full = self.game.settings(seats, options)
        fresh = replace(self, state=self.game.initial(count, full), seats=count, options=tuple(full.items()))
        return fresh, "ok"

    def _set(self, words: list[str]) -> tuple["Console", str]:
        if not words:
            raise UsageError("set wants a position")
        state = self.game.parse_position(" ".join(words), self.seats, dict(self.options))
        return replace(self, state=state), "ok"

    def _position(self, words: list[str]) -> tuple["Console", str]:
        _none(words, "position")
        return self, self._state.position()

    def _observe(self, words: list[str]) -> tuple["Console", str]:
        seat = _number(_one(words, "observe", "a seat"), "a seat")
        if not 1 <= seat <= self.seats:
            raise OptionError(f"there is no seat {seat}; the seats are 1 to {self.seats}")
        return self, self._state.observation(seat)

    def _actor(self, words: list[str]) -> tuple["Console", str]:
        _none(words, "actor")
        actor = self._state.actor
        return self, {CHANCE: "chance", OVER: "over"}.get(actor, str(actor))

    def _legal(self, words: list[str]) -> tuple["Console", str]:
        _none(words, "legal")
        return self, " ".join(map(self.game.action_string, self._state.legal_actions()))

    def _weights(self, words: list[str]) -> tuple["Console", str]:
        _none(words, "weights")
        if self._state.actor != CHANCE:
            raise UsageError("chance does not act here, so there are no weights")
        names = map(self.game.action_string, self._state.legal_actions())
        pairs = zip(names, self._state.chance_weights(), strict=True)
        return self, " ".join(f"{name}={weight}" for name, weight in pairs)

    def _play(self, words: list[str]) -> tuple["Console", str]:
        text = _one(words, "play", "an action")
        if ACTION_PATTERN.fullmatch(text) is None:
            raise ActionError(f"{_quote(text)} is no action: 1 to 200 printable ASCII characters")
        if self._state.actor == OVER:
            raise ActionError(f"the game is over, so {text} cannot be played")
        return replace(self, state=self._state.play(self.game.read_action(self._state, text))), "ok"

    def _ranks(self, words: list[str]) -> tuple["Console", str]:
        _none(words, "ranks")
        ranks = self._state.ranks()
        return self, "-" if ranks is None else " ".join(map(str, ranks))

    def _perft(self, words: list[str]) -> tuple["Console", str]:
        depth = _number(_one(words, "perft", "a depth"), "a depth")
        return self, str(perft(self._state, depth))

    @property
    def _state(self) -> AnyState:
        assert self.state is not None  # noqa: S101 - _answer lets nothing but `new` through without a state
        return self.state

    COMMANDS: ClassVar[dict[str, Callable[["Console", list[str]], tuple["Console", str]]]] = {
        "new": _new,
        "set": _set,
        "position": _position,
        "observe": _observe,
        "actor": _actor,
        "legal": _legal,
        "weights": _weights,
        "play": _play,
        "ranks": _ranks,
        "perft": _perft,
    }
    """The words that begin a line."""


def _none(words: list[str], command: str) -> None:
    if words:
        raise UsageError(f"{command} stands alone, without {_quote(words[0])}")


def _one(words: list[str], command: str, what: str) -> str:
    if len(words) != 1:
        raise UsageError(f"{command} wants {what}, one word")
    return words[0]


def _number(text: str, what: str) -> int:
    if _NUMBER.fullmatch(text) is None:
        raise UsageError(f"{_quote(text)} is not {what}: digits alone, without a leading zero, 9 at most")
    return int(text)


def _quote(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _one_line(text: str) -> str:
    """Return a sentence bounded, and with nothing in it that could end the line."""
    plain = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return plain if len(plain) <= _MAX_ANSWER else plain[: _MAX_ANSWER - 3] + "..."
