"""The bot protocol, version 1: the lines on the wire, encoded and decoded.

Pure: bytes and strings in and out. The referee's lines are made here, a bot's lines are read here, strictly:
what is none of the words below is no line of the protocol, and whoever judges the bot calls it a fault.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from tourney.errors import GameError

MAX_REFEREE_LINE: Final = 1 << 20
"""The most bytes of a referee's line, its newline counted."""
MAX_BOT_LINE: Final = 4096
"""The most bytes of a bot's line, its newline (and a carriage return before it) counted."""
MAX_OUTPUT_BYTES: Final = 64 * 1024
MAX_OUTPUT_LINES: Final = 1000
"""The most that a bot may say between two requests; empty lines count."""
MAX_ACTION: Final = 200
"""The most characters of an action."""

HELLO: Final = b"tourney 1\n"
QUIT: Final = b"quit\n"
HIDDEN: Final = "?"
"""What stands for an action that a bot may not see."""
WANTS: Final = ("position", "legal")

Word = Literal["bot", "ready", "move", "resign", "info", "?"]
"""What a bot's line says; ``?`` is none of the protocol."""

READY: Final[tuple[Word, str]] = ("ready", "")
RESIGN: Final[tuple[Word, str]] = ("resign", "")


class Greeting(NamedTuple):
    """What a bot says of itself in its ``bot`` line: the lines it wants, and whatever else it tells."""

    position: bool = False
    legal: bool = False
    pairs: tuple[tuple[str, str], ...] = ()


def decode(line: str) -> tuple[Word, str]:
    """Return a bot's line as its word and what follows it; ``("?", why)`` if it is none of the protocol.

    ``move`` comes with a well-formed action (whether it is legal is not asked here), ``bot`` with its words
    unread (see ``read_greeting``), ``info`` with its text, which may be empty.
    """
    word, _, rest = line.partition(" ")
    if word == "move":
        # Once a move, and cheaper than a pattern: printable ASCII without a blank is [!-~]*.
        if rest.isascii() and rest.isprintable() and 0 < len(rest) <= MAX_ACTION and " " not in rest:
            return "move", rest
        return "?", f"{shown(line)}: move wants one action of 1 to {MAX_ACTION} printable ASCII characters"
    if word == "info":
        return "info", rest
    if line == "ready":
        return READY
    if line == "resign":
        return RESIGN
    if word == "bot":
        return "bot", rest
    return "?", f"{shown(line)} is no line of the protocol"


def read_greeting(words: str) -> Greeting | str:
    """Return what follows ``bot`` as a value, or a sentence that says what is wrong with it.

    The words are ``KEY=VALUE``, parted by single blanks, each key once. ``wants`` holds ``position`` and
    ``legal``, or one of them, parted by a comma.
    """
    if not words:
        return Greeting()
    wants: list[str] = []
    pairs: dict[str, str] = {}
    for word in words.split(" "):
        key, equals, value = word.partition("=")
        if not (equals and key.isascii() and key.replace("-", "").replace("_", "").isalnum()):
            return f"bot: {shown(word)} is not of the form KEY=VALUE"
        if key in pairs:
            return f"bot: {key} is given twice"
        pairs[key] = value
        if key == "wants":
            wants = value.split(",")
            for want in wants:
                if want not in WANTS or wants.count(want) > 1:
                    return f"bot: wants={shown(value)} is not position, legal, or both, each once"
    pairs.pop("wants", None)
    return Greeting("position" in wants, "legal" in wants, tuple(pairs.items()))


def shown(text: str) -> str:
    """Return a bot's words for a log: quoted, bounded, and with nothing in them that a terminal obeys."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def game_line(
    game: str,
    seats: int,
    seat: int,
    seed: int,
    *,
    move_ms: int | None = None,
    clock_ms: int | None = None,
    increment_ms: int = 0,
    nodes: int | None = None,
    options: Mapping[str, str] | None = None,
) -> bytes:
    """Return the line that begins a game for a seat; ``seed`` is the bot's own."""
    words = [f"game {game} seats={seats} seat={seat} seed={seed}"]
    if move_ms is not None:
        words.append(f"move={move_ms}")
    if clock_ms is not None:
        words.append(f"clock={clock_ms} inc={increment_ms}")
    if nodes is not None:
        words.append(f"nodes={nodes}")
    words.extend(f"{key}={value}" for key, value in (options or {}).items())
    return _line(" ".join(words))


def play_line(seat: int, action: str) -> bytes:
    """Return the line that an action was played; ``seat`` 0 is chance, ``action`` HIDDEN where not seen."""
    return b"play %d %b\n" % (seat, action.encode("ascii"))


def reveal_line(seat: int, action: str) -> bytes:
    """Return the line that opens an action that was hidden."""
    return b"reveal %d %b\n" % (seat, action.encode("ascii"))


def position_line(text: str) -> bytes:
    """Return the line that shows a seat what it sees. Raises GameError if it would be too long."""
    return _line("position " + text)


def legal_line(actions: Iterable[str]) -> bytes:
    """Return the line of legal actions, in the order given. Raises GameError if it would be too long."""
    return _line("legal " + " ".join(actions))


def go_line(
    move_ms: int | None = None,
    clocks_ms: Sequence[int] | None = None,
    increment_ms: int = 0,
    nodes: int | None = None,
) -> bytes:
    """Return the request for an action; ``clocks_ms`` are all seats' clocks in seat order."""
    words = ["go"]
    if move_ms is not None:
        words.append(f"move={move_ms}")
    if clocks_ms is not None:
        words.append(f"clocks={','.join(map(str, clocks_ms))} inc={increment_ms}")
    if nodes is not None:
        words.append(f"nodes={nodes}")
    return _line(" ".join(words))


def withdrawn_line(seat: int) -> bytes:
    """Return the line that a seat plays no more."""
    return b"withdrawn %d\n" % seat


def over_line(ranks: Iterable[int], reason: str) -> bytes:
    """Return the line that the game is over, with each seat's rank."""
    return _line(f"over {' '.join(map(str, ranks))} reason={reason}")


def _line(text: str) -> bytes:
    line = text.encode("utf-8") + b"\n"
    if len(line) > MAX_REFEREE_LINE:
        raise GameError(
            f"the line {text.partition(' ')[0]!r} to a bot would be {len(line):,} bytes long, over"
            f" {MAX_REFEREE_LINE:,}: this game's strings are too long for the protocol"
        )
    if b"\n" in line[:-1]:
        raise GameError(
            f"the line {shown(text)} to a bot would hold a line break: a string of this game is malformed"
        )
    return line
