"""What Tourney parses of strangers: each target takes any bytes, and raises only the errors of Tourney.

``all_targets`` are the parsers by name; ``attempt`` gives one an input. ``corpora`` keep inputs that
reach much of them, which a test replays; ``tests.support.fuzzing`` searches for more.
"""

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Final

from tests.support import addons
from tests.support.command import ROOT
from tourney.bots.catalogue.manifest import read_manifest
from tourney.bots.catalogue.submission import digest_of_bot, unpack
from tourney.bots.channel.interface import Channel, Event
from tourney.bots.channel.line_buffer import LineBuffer
from tourney.bots.protocols import PROTOCOLS
from tourney.check.record import verify
from tourney.errors import TourneyError
from tourney.exchange.foreign_game import Problems
from tourney.exchange.importing import read_head, read_matches
from tourney.exchange.pgn_headers import read_pgn
from tourney.exchange.table import read_csv, read_json_lines
from tourney.exchange.trf import read_trf
from tourney.games.registry import find_game
from tourney.match.record import decode_record
from tourney.parsing import read_json_lines as read_lines
from tourney.protocol import decode_bot, decode_referee
from tourney.run.tournament_file import read_book, read_tournament_file
from tourney.testing import read_dialogue

GAMES: Final = ("cyvasse", "element", "sage-stones", "sages-tafl", "seven-sages")


class FedChannel(Channel):
    """An engine that answers every request by the next lines of the given output, read as of a process."""

    def __init__(self, data: bytes) -> None:
        self._lines = LineBuffer()
        self._data = data

    def widen(self, most_bytes: int, most_lines: int, *, lenient: bool = False) -> None:
        """Read the output as an adapter asks for it."""
        self._lines.widen(most_bytes, most_lines, lenient=lenient)
        for start in range(0, len(self._data), 1000):
            self._lines.feed(self._data[start : start + 1000])

    def send(self, data: bytes) -> None:
        """Take it."""

    def wait(self, deadline: int) -> Event:
        """The next line, then the end of the output."""
        return self._lines.take() or Event("closed")


def hear_engine(name: str, game: str, action: str, data: bytes) -> None:
    channel = PROTOCOLS.find(name).configured({}, {}).adapt(FedChannel(data))
    game_line = f"game {game} seats=2 seat=2 seed=7 clock=60000 inc=100\n".encode()
    for request in (b"tourney 1\n", game_line, f"play 1 {action}\ngo clocks=60000,60000 inc=100\n".encode()):
        channel.request(request)
        for _ in range(100):
            event = channel.wait(0)
            if event.kind != "line" or not event.text.startswith("info"):
                break
        channel.withheld(0)
        channel.pending()
        if event.kind != "line":
            return
        decode_bot(event.text)


@contextlib.contextmanager
def _file(data: bytes, name: str) -> Iterator[Path]:
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="tourney-fuzz-", dir=memory) as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        yield path


def read_named(name: str, read: Callable[[Path], object], data: bytes) -> None:
    with _file(data, name) as path:
        read(path)


def _text(read: Callable[[str], object], data: bytes) -> None:
    read(data.decode("utf-8", "replace"))


def _games(read: Callable[..., Iterator[object]], data: bytes) -> None:
    for _ in read(iter([data[:99], data[99:]]), "file", Problems()):
        pass


def _record(data: bytes) -> None:
    record = decode_record(data)
    verify(record, find_game(record.game))


def _export(path: Path) -> None:
    lines = read_lines(path)
    _, first = next(lines, ("", None))
    for _ in read_matches(read_head(first, "file line 1"), lines):
        pass


def read_opening_book(game: str, data: bytes, name: str = "") -> None:
    name = name or ("book.pgn" if data.startswith(b"[") else "book.epd" if b"/" in data else "book")
    found = find_game(game)
    read_named(name, lambda path: read_book(path, found, 2, found.settings(2)[1]), data)


def read_position(game: str, data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    found = find_game(game)
    seats, options = found.settings()
    state = found.parse_position(text, seats, options)
    assert found.parse_position(state.position(), seats, options).position() == state.position()


def _unpack(path: Path) -> None:
    with contextlib.suppress(TourneyError):
        unpack(path, path.parent / "target")
    digest_of_bot(path)


def _referee_lines(text: str) -> None:
    for line in text.split("\n"):
        with contextlib.suppress(ValueError):  # as ``decode_referee`` promises; the SDK ends with its words
            decode_referee(line)


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    "pgn": partial(_games, read_pgn),
    "csv": partial(_games, read_csv),
    "json-lines": partial(_games, read_json_lines),
    "trf": partial(_games, read_trf),
    "record": _record,
    "export": partial(read_named, "cup.jsonl", _export),
    "tournament-file": partial(_text, lambda text: read_tournament_file(Path("cup.toml"), text)),
    "bot-toml": partial(_text, lambda text: read_manifest(text, "bot.toml")),
    "dialogue": partial(read_named, "dialogue", read_dialogue),
    "zip": partial(read_named, "bot.zip", _unpack),
    "tar": lambda data: read_named("bot.tar.gz" if data[:2] == b"\x1f\x8b" else "bot.tar", _unpack, data),
    "bot-lines": partial(_text, lambda text: [decode_bot(line) for line in text.split("\n")]),
    "referee-lines": partial(_text, _referee_lines),
    "book-sages-tafl": partial(read_opening_book, "sages-tafl"),
    **{f"position-{game}": partial(read_position, game) for game in GAMES},
}
"""The parsers of the core; ``all_targets`` has those of the add-ons too."""


@cache
def all_targets() -> Mapping[str, Callable[[bytes], object]]:
    """Every parser: an add-on has its ``TARGETS`` in ``tests/addons/NAME/parsers.py``."""
    targets: dict[str, Callable[[bytes], object]] = dict(TARGETS)
    for part in addons.parts("parsers"):
        targets |= part.TARGETS
    return targets


def corpora() -> list[Path]:
    """The folders of kept inputs, a folder a target: of the core, and of the add-ons that have some."""
    tests = ROOT / "tests"
    return [tests / "corpus", *sorted(tests.glob("addons/*/corpus"))]


def attempt(name: str, data: bytes) -> None:
    """Give a target an input. Raises whatever is not an error of Tourney."""
    with contextlib.suppress(TourneyError):
        all_targets()[name](data)
