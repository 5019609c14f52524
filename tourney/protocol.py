"""The bot protocol, version 1: each line as a typed message, encoded and decoded in both directions.

``message.encode()`` returns the line as bytes, with its newline. ``decode_referee`` and ``decode_bot`` read a
line without its newline; decoding an encoded message returns an equal message of the same type.

Messages are NamedTuples because every bot of the SDK imports this module at its start: dataclasses or msgspec
would add 10 to 30 ms. NamedTuples of different types may be equal, so compare types first.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

MAX_REFEREE_LINE: Final = 1 << 20
"""Largest line of the referee, in bytes with its newline."""
MAX_BOT_LINE: Final = 4096
"""Largest line of a bot, in bytes with its newline and a carriage return before it."""
MAX_OUTPUT_BYTES: Final = 64 * 1024
MAX_OUTPUT_LINES: Final = 1000
"""Most output of a bot between two requests; empty lines count."""
MAX_ACTION: Final = 200
"""Most characters of an action."""
HIDDEN: Final = "?"
"""Stands for an action that a bot may not see."""


# -- referee to bot ---------------------------------------------------------------------------------------


class Hello(NamedTuple):
    """``tourney 1``: the first line; the bot answers with a Greeting."""

    version: int = 1

    def encode(self) -> bytes:
        """The line."""
        return b"tourney %d\n" % self.version


class NewGame(NamedTuple):
    """``game ...``: a game begins; the bot answers Ready. ``seed`` is the bot's own."""

    game: str
    seats: int
    seat: int
    seed: int
    move_ms: int | None = None
    clock_ms: int | None = None
    increment_ms: int = 0
    nodes: int | None = None
    options: Mapping[str, str] = {}

    def encode(self) -> bytes:
        """The line."""
        words = f"game {self.game} seats={self.seats} seat={self.seat} seed={self.seed}"
        clock = None if self.clock_ms is None else f"clock={self.clock_ms} inc={self.increment_ms}"
        options = "".join(f" {key}={value}" for key, value in self.options.items())
        return _line(words + _limits(self.move_ms, clock, self.nodes) + options)


class Play(NamedTuple):
    """``play SEAT ACTION``: an action was played; seat 0 is chance, HIDDEN an action not to be seen."""

    seat: int
    action: str

    def encode(self) -> bytes:
        """The line."""
        return play_line(self.seat, self.action)


class Reveal(NamedTuple):
    """``reveal SEAT ACTION``: opens the first action of a seat that is still hidden."""

    seat: int
    action: str

    def encode(self) -> bytes:
        """The line."""
        return b"reveal %d %b\n" % (self.seat, self.action.encode("ascii"))


class Position(NamedTuple):
    """``position TEXT``: what the seat sees of the position."""

    text: str

    def encode(self) -> bytes:
        """The line. Raise GameError if it would be too long."""
        return _line("position " + self.text)


class Legal(NamedTuple):
    """``legal ACTION ...``: the seat's legal actions."""

    actions: tuple[str, ...]

    def encode(self) -> bytes:
        """The line. Raise GameError if it would be too long."""
        return _line("legal " + " ".join(self.actions))


class Go(NamedTuple):
    """``go ...``: the bot's turn; it answers Move or Resign. ``clocks_ms`` are all seats', in seat order.

    ``moves``: its actions, with this one, until its clock gets its time again.
    """

    move_ms: int | None = None
    clocks_ms: Sequence[int] | None = None
    increment_ms: int = 0
    nodes: int | None = None
    depth: int | None = None
    moves: int | None = None

    def encode(self) -> bytes:
        """The line."""
        clock = None
        if self.clocks_ms is not None:
            clock = f"clocks={','.join(map(str, self.clocks_ms))} inc={self.increment_ms}"
            clock += "" if self.moves is None else f" moves={self.moves}"
        depth = "" if self.depth is None else f" depth={self.depth}"
        return _line("go" + _limits(self.move_ms, clock, self.nodes) + depth)


class Withdrawn(NamedTuple):
    """``withdrawn SEAT``: a seat plays no more."""

    seat: int

    def encode(self) -> bytes:
        """The line."""
        return b"withdrawn %d\n" % self.seat


class Over(NamedTuple):
    """``over RANK ... reason=WORD``: the game is over; one rank per seat."""

    ranks: tuple[int, ...]
    reason: str

    def encode(self) -> bytes:
        """The line."""
        return _line(f"over {' '.join(map(str, self.ranks))} reason={self.reason}")


class Quit(NamedTuple):
    """``quit``: the bot exits."""

    def encode(self) -> bytes:
        """The line."""
        return b"quit\n"


# -- bot to referee ---------------------------------------------------------------------------------------


class Greeting(NamedTuple):
    """``bot ...``: the lines that the bot requests before each ``go``, and other KEY=VALUE pairs."""

    position: bool = False
    legal: bool = False
    pairs: tuple[tuple[str, str], ...] = ()

    def encode(self) -> bytes:
        """The line."""
        wants = ",".join(want for want in _WANTS if getattr(self, want))
        words = ["bot", *([f"wants={wants}"] if wants else []), *(f"{key}={v}" for key, v in self.pairs)]
        return " ".join(words).encode("utf-8") + b"\n"


class Ready(NamedTuple):
    """``ready``: answers ``game``."""

    def encode(self) -> bytes:
        """The line."""
        return b"ready\n"


class Move(NamedTuple):
    """``move ACTION``: answers ``go`` by a well-formed action, which need not be legal."""

    action: str

    def encode(self) -> bytes:
        """The line."""
        return b"move %b\n" % self.action.encode("ascii")


class Resign(NamedTuple):
    """``resign``: answers ``go``."""

    def encode(self) -> bytes:
        """The line."""
        return b"resign\n"


class Info(NamedTuple):
    """``info TEXT``: for the match log, at any time."""

    text: str

    def encode(self) -> bytes:
        """The line."""
        return b"info %b\n" % self.text.encode("utf-8", "replace")


class Invalid(NamedTuple):
    """A line of a bot that the protocol does not have; ``why`` is a sentence for the log."""

    why: str


RefereeMessage: TypeAlias = Hello | NewGame | Play | Reveal | Position | Legal | Go | Withdrawn | Over | Quit
BotMessage: TypeAlias = Greeting | Ready | Move | Resign | Info

HELLO: Final = Hello().encode()
QUIT: Final = Quit().encode()
_WANTS = ("position", "legal")


@lru_cache(maxsize=4096)
def play_line(seat: int, action: str) -> bytes:
    """``Play(seat, action).encode()``; a referee needs it once a move, and actions recur."""
    return b"play %d %b\n" % (seat, action.encode("ascii"))


def move_action(line: str) -> str:
    """The action of a bot's line if it is a Move, otherwise "": quicker than ``decode_bot``."""
    word, _, action = line.partition(" ")
    # Printable ASCII without a blank is [!-~]*, and these tests are cheaper than the pattern.
    if word == "move" and action.isascii() and action.isprintable() and " " not in action:
        return action if len(action) <= MAX_ACTION else ""
    return ""


def decode_bot(line: str) -> BotMessage | Invalid:
    """The message of a bot's line; Invalid for any other line."""
    word, _, rest = line.partition(" ")
    if word == "move":
        if action := move_action(line):
            return Move(action)
        return Invalid(
            f"{shown(line)}: move needs one action of 1 to {MAX_ACTION} printable ASCII characters"
        )
    if word == "info":
        return Info(rest)
    if line == "ready":
        return Ready()
    if line == "resign":
        return Resign()
    if word == "bot":
        return _greeting(rest)
    return Invalid(f"{shown(line)} is not a line of the protocol")


def decode_referee(line: str) -> RefereeMessage | None:
    """The message of a referee's line, or None for one that a bot ignores.

    Raises ValueError for a line that begins with a word of the protocol and is malformed.
    """
    word, _, rest = line.partition(" ")
    decode = _REFEREE.get(word)
    if decode is None:
        return None
    try:
        return decode(rest)
    except (KeyError, ValueError) as error:
        raise ValueError(f"{shown(line)} is a malformed line of the referee") from error


def shown(text: str) -> str:
    """A bot's words for a log: quoted, at most 62 characters, without control characters."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


# -- the chance to win by an info line --------------------------------------------------------------------
#
# A chance is in thousandths, from the mover's point of view: the expected points of the match. The first key
# that is there decides: ``win=0.62`` is the chance itself, which the adapters of engines print beside a score
# in pawns; ``mate=3`` is 1, ``mate=-3`` is 0; ``score=`` is from -1 (lost) to 1 (won), as the SDK writes it.

SURE_WIN: Final = 1000
CHANCE_KEYS: Final = ("win", "mate", "score")
_CHANCES: Final = rf"(?a:(?:^| )({'|'.join(CHANCE_KEYS)})=([+-]?\d{{1,9}}(?:\.\d{{1,9}})?)(?= |$))"


def chance_of_pawns(pawns: float) -> int:
    """The chance of an engine's score: Elo's expected score, with 100 centipawns as 100 Elo."""
    return round(SURE_WIN / (1 + 10 ** (-min(max(pawns, -100.0), 100.0) / 4)))


def win_chance(info: str) -> int | None:
    """The chance that the text of an ``info`` line means, or None."""
    # Compiled at the first use: bots import this module, and have none.
    return chance_in({key: float(value) for key, value in re.findall(_CHANCES, info)})


def chance_in(scores: Mapping[str, float]) -> int | None:
    """The chance that the values of CHANCE_KEYS mean, or None."""
    if "win" in scores:
        return round(SURE_WIN * scores["win"]) if 0 <= scores["win"] <= 1 else None
    if "mate" in scores:
        return SURE_WIN if scores["mate"] > 0 else 0
    score = scores.get("score")
    return None if score is None or not -1 <= score <= 1 else round(SURE_WIN * (score + 1) / 2)


def _greeting(words: str) -> Greeting | Invalid:
    """Read the words after ``bot``: KEY=VALUE, each key once, ``wants`` a list of _WANTS."""
    if not words:
        return Greeting()
    pairs: dict[str, str] = {}
    for word in words.split(" "):
        key, equals, value = word.partition("=")
        if not (equals and key.isascii() and key.replace("-", "").replace("_", "").isalnum()):
            return Invalid(f"bot: {shown(word)} is not of the form KEY=VALUE")
        if key in pairs:
            return Invalid(f"bot: {key} is given twice")
        pairs[key] = value
    asked = pairs.pop("wants", None)
    wants = [] if asked is None else asked.split(",")
    if any(want not in _WANTS or wants.count(want) > 1 for want in wants):
        return Invalid(f"bot: wants={shown(str(asked))} is not position, legal, or both, each once")
    return Greeting("position" in wants, "legal" in wants, tuple(pairs.items()))


def _game(rest: str) -> NewGame:
    name, *words = rest.split(" ")
    pairs = dict(word.split("=", 1) for word in words)
    seats, seat, seed = (_number(pairs.pop(key)) for key in ("seats", "seat", "seed"))
    move, clock, inc, nodes = _numbers(pairs, "move", "clock", "inc", "nodes")
    return NewGame(name, seats, seat, seed, move, clock, inc or 0, nodes, pairs)


def _go(rest: str) -> Go:
    pairs = dict(word.split("=", 1) for word in rest.split(" ")) if rest else {}
    clocks = pairs.pop("clocks", None)
    move, inc, nodes, depth, moves = _numbers(pairs, "move", "inc", "nodes", "depth", "moves")
    if pairs:
        raise ValueError(f"unknown words: {pairs}")
    times = None if clocks is None else tuple(map(_number, clocks.split(",")))
    return Go(move, times, inc or 0, nodes, depth, moves)


def _over(rest: str) -> Over:
    *ranks, reason = rest.split(" ")
    key, word = reason.split("=", 1)
    if key != "reason" or not ranks:
        raise ValueError("no reason or no ranks")
    return Over(tuple(map(_number, ranks)), word)


def _played(rest: str) -> tuple[int, str]:
    seat, action = rest.split(" ")
    return _number(seat), action


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise ValueError(f"{shown(text)} is not a number")
    return int(text)


def _numbers(pairs: dict[str, str], *keys: str) -> list[int | None]:
    """Take the numbers of some keys, None for missing ones."""
    return [_number(pairs.pop(key)) if key in pairs else None for key in keys]


_REFEREE: Final[Mapping[str, Callable[[str], RefereeMessage]]] = {
    "tourney": lambda rest: Hello(_number(rest)),
    "game": _game,
    "play": lambda rest: Play(*_played(rest)),
    "reveal": lambda rest: Reveal(*_played(rest)),
    "position": Position,
    "legal": lambda rest: Legal(tuple(rest.split(" ")) if rest else ()),
    "go": _go,
    "withdrawn": lambda rest: Withdrawn(_number(rest)),
    "over": _over,
    "quit": lambda _: Quit(),
}


def _limits(move_ms: int | None, clock: str | None, nodes: int | None) -> str:
    move = "" if move_ms is None else f" move={move_ms}"
    return move + ("" if clock is None else f" {clock}") + ("" if nodes is None else f" nodes={nodes}")


def _line(text: str) -> bytes:
    line = text.encode("utf-8") + b"\n"
    if len(line) <= MAX_REFEREE_LINE and b"\n" not in line[:-1]:
        return line
    from tourney.errors import GameError  # noqa: PLC0415 - bots start without it

    if len(line) > MAX_REFEREE_LINE:
        raise GameError(
            f"the line {text.partition(' ')[0]!r} to a bot would be {len(line):,} bytes long, over"
            f" {MAX_REFEREE_LINE:,}: this game's strings are too long for the protocol"
        )
    raise GameError(
        f"the line {shown(text)} to a bot would hold a line break: a string of this game is malformed"
    )
