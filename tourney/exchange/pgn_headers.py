"""Read the headers of PGN, without its moves, in one pass over blocks of bytes.

A game begins at a tag line after an empty line, or at an ``Event`` tag. Of its moves only the end is read:
the result there, and whether a comment is still open; a hash of the moves tells games that repeat. Names are
UTF-8, or else Latin-1 as the standard of 1994 has it.
"""

import hashlib
import re
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from typing import Final, NamedTuple

from tourney.exchange.foreign_game import (
    RANKS,
    UNTERMINATED,
    ForeignGame,
    Problems,
    UnratedError,
    check_players,
    date_of,
    ending_of,
)

MAX_GAME: Final = 16 << 20
"""Bytes of a game with its moves; more are skipped."""
MAX_HEADER: Final = 64 << 10
"""Bytes of a game's tags."""
MAX_COMMENT: Final = 64 << 10
"""Bytes in which a comment that is open at the next game must end; later it is taken for a cut game."""

_START: Final = re.compile(rb'\n(?:(?=\[Event[ \t]+")|[ \t]*\n(?=\[[A-Za-z]))')
_LONGEST_START: Final = 64
"""Bytes in which a start of a game lies."""
_HEADER: Final = re.compile(rb"(?:[ \t]*\n|[\[%;][^\n]*(?:\n|\Z))*")
_TAG: Final = re.compile(
    rb"^\[[ \t]*"
    rb"(White|Black|Result|Event|Round|Pair|UTCDate|Date|Termination|FEN|(?:White|Black)?TimeControl)"
    rb'[ \t]+"([^"\\\n]*(?:\\.[^"\\\n]*)*)"[ \t]*\]',
    re.MULTILINE,
)
_LOOSE: Final = re.compile(rb'^\[(White|Black)[ \t]+"([^\n]*)"[ \t]*\][ \t]*$', re.MULTILINE)
"""Names whose quotation marks are not escaped, as some programs write them."""
_TAIL: Final = 1 << 10
"""Bytes at the end of a game in which its result stands."""
_ESCAPE: Final = re.compile(rb"\\(.)")
_END: Final = re.compile(rb"(?:\A|[\s})])(1-0|0-1|1/2-1/2|\*)(?:[ \t\n]|;[^\n]*(?:\n|\Z)|\{[^{}]*\})*\Z")
"""The result at the end of the moves, with comments behind it."""
_COMMENT: Final = re.compile(rb"\{[^}]*\}")
_ASIDE: Final = re.compile(rb";[^\n]*|\([^()]*\)|\$\d+|\d+\.\.+")
"""Other comments, variations, marks by number, and the number that a move has behind a comment."""
_MARKS: Final = b" \n\t.!?+#"
_SHORTEST: Final = 8
"""Bytes of the moves of a game; less is a result alone."""
_OPEN_ROUNDS: Final = (b"", b"?", b"-")
"""Rounds that say nothing."""


def read_pgn(blocks: Iterable[bytes], label: str, problems: Problems) -> Iterator[tuple[int, ForeignGame]]:
    """Yield each game that has a result with the number of its first line.

    All others are problems. Labels of pairs are those of the tag ``Pair``, or of ``Event``, ``Round`` and
    ``FEN`` where the round is known.
    """
    return _Reader(label, problems).read(_pieces(_normalised(blocks)))


def _normalised(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield blocks with lines that end in a line feed."""
    held = b""
    for block in blocks:
        data, held = held + block, b""
        if b"\r" in data:
            if data.endswith(b"\r"):
                data, held = data[:-1], b"\r"
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        yield data
    if held:
        yield b"\n"


class _Piece(NamedTuple):
    """The text from the start of a game to that of the next; of a long game, not ``whole``, the beginning."""

    line: int
    text: bytes
    whole: bool


def _pieces(blocks: Iterable[bytes]) -> Iterator[_Piece]:
    # Two empty lines before the first one, so that its game is found like all others.
    rest, line = b"\n\n", -1
    for block in blocks:
        rest += block
        starts = [one.span() for one in _START.finditer(rest)]
        seen = 0
        for (_, start), (_, end) in pairwise(starts):
            line += rest.count(b"\n", seen, start)
            seen = start
            yield _Piece(line, rest[start:end], whole=True)
        # The last game may go on in the next block, and a start may begin at the end of this one.
        keep = starts[-1][0] if starts else max(len(rest) - _LONGEST_START, 0)
        if len(rest) - keep > MAX_GAME:
            start, keep = starts[-1][1], len(rest) - _LONGEST_START
            yield _Piece(line + rest.count(b"\n", seen, start), rest[start:], whole=False)
        line += rest.count(b"\n", seen, keep)
        rest = rest[keep:]
    if last := _START.search(rest):
        yield _Piece(line + rest.count(b"\n", 0, last.end()), rest[last.end() :], whole=True)


class _Reader:
    """Reads the games of a file."""

    def __init__(self, label: str, problems: Problems) -> None:
        self._label = label
        self._problems = problems
        self._names: dict[bytes, str] = {}
        self._latin = False

    def read(self, pieces: Iterator[_Piece]) -> Iterator[tuple[int, ForeignGame]]:
        following = deque[_Piece]()
        while following or (following := deque(islice(pieces, 1))):
            line, text, whole = following.popleft()
            opened = text.rfind(b"{")
            if not whole:
                self._bad("long", line)
            elif opened >= 0 and text.rfind(b"}", opened) < 0:
                # A comment is open: what follows up to its end is not a game.
                inside = _pieces_in_comment(following, pieces)
                self._bad("comment" if inside else "cut", line)
                for _ in range(inside):
                    following.popleft()
            else:
                try:
                    game = self._game(text, line)
                except UnratedError as error:
                    self._bad(error.kind, line, error.why)
                else:
                    self._problems.read += 1
                    yield line, game

    def _bad(self, kind: str, line: int, why: str = "") -> None:
        self._problems.read += 1
        self._problems.add(kind, self._label, line, why)

    def _game(self, data: bytes, line: int) -> ForeignGame:
        """A game from its tags and the end of its moves. Raises UnratedError."""
        header = _HEADER.match(data)
        split = header.end() if header else 0
        if split > MAX_HEADER:
            raise UnratedError("long")
        head = data[:split]
        if b"\0" in head:
            raise UnratedError("nul")
        found = _TAG.findall(head)
        tags: dict[bytes, bytes] = dict(found)
        if b"White" not in tags or b"Black" not in tags:
            tags = {**dict(_LOOSE.findall(head)), **tags}
        result = tags.get(b"Result", b"")
        if len(tags) < len(found):
            raise UnratedError("contradiction", "a tag is there twice")
        end = data[max(split, len(data) - _TAIL) :].rstrip()
        if result == b"*":
            raise UnratedError("unfinished")
        if not result or result == b"?":
            raise UnratedError("no-result")
        ranks = RANKS.get(result.decode("latin-1"))
        # ``RANKS`` knows the scores of tables too, but a tag of PGN is never a bare 1 or 0.
        if ranks is None or result in (b"1", b"0"):
            raise UnratedError("bad-result", result[:20].decode("latin-1"))
        if end and (b";" in end or not end.endswith(result)):
            token = _END.search(end)
            if token is None or token[1] != result:
                raise UnratedError("cut" if token is None else "contradiction")
        players = (self._name(tags.get(b"White", b"")), self._name(tags.get(b"Black", b"")))
        check_players(players)
        reason, faults = ending_of(tags.get(b"Termination", b"").decode("latin-1"), ranks)
        if reason == UNTERMINATED:
            raise UnratedError("contradiction", f"{result.decode()} but unterminated")
        if self._latin:
            self._latin = False
            self._problems.add("latin", self._label, line)
        control = tags.get(b"TimeControl") or _both_controls(tags)
        return ForeignGame(
            players,
            ranks,
            *_pair(tags),
            "" if control == b"?" else control.decode("latin-1"),
            date_of(tags.get(b"UTCDate", tags.get(b"Date", b"")).decode("latin-1")),
            reason,
            faults,
            _play(tags.get(b"FEN", b""), data[split:]),
        )

    def _name(self, data: bytes) -> str:
        known = self._names.get(data)
        if known is None:
            plain = _ESCAPE.sub(rb"\1", data) if b"\\" in data else data
            try:
                known = plain.decode("utf-8").strip()
            except UnicodeDecodeError:
                known = plain.decode("latin-1").strip()
                self._latin = True
                return known
            self._names[data] = known
        return known


def _pieces_in_comment(following: deque[_Piece], pieces: Iterator[_Piece]) -> int:
    """The number of pieces in which an open comment goes on and ends; 0 if it ends nowhere near.

    ``following`` holds the pieces that were looked at already, and takes more.
    """
    room, count = MAX_COMMENT, 0
    while room > 0:
        if count == len(following):
            following.extend(islice(pieces, 1))
        if count == len(following):
            break
        text = following[count].text
        count += 1
        if b"}" in text[:room]:
            return count
        room -= len(text)
    return 0


def _both_controls(tags: dict[bytes, bytes]) -> bytes:
    """The time controls of both players, where they differ, as the standard has them in one tag."""
    both = [tags.get(b"WhiteTimeControl", b""), tags.get(b"BlackTimeControl", b"")]
    return b"; ".join(both) if any(both) else b""


def _pair(tags: dict[bytes, bytes]) -> tuple[str, bool]:
    """The label of the game's mirrored group, and whether it names the games two by two."""
    event, label = tags.get(b"Event", b""), tags.get(b"Pair", b"")
    if label:
        return (event + b"\0" + label).decode("latin-1"), False
    number = tags.get(b"Round", b"")
    if number in _OPEN_ROUNDS:
        return "", False
    return b"\0".join((event, number, tags.get(b"FEN", b""))).decode("latin-1"), True


def _play(start: bytes, moves: bytes) -> int:
    """A hash of a start and of moves without what comments on them, 0 where there are no moves."""
    plain = b"".join(_COMMENT.split(moves)) if b"{" in moves else moves
    if b";" in plain or b"(" in plain or b"$" in plain or b".." in plain:
        plain = _ASIDE.sub(b"", plain)
    plain = plain.translate(None, _MARKS)
    if len(plain) < _SHORTEST:
        return 0
    return int.from_bytes(hashlib.blake2b(start + b"\0" + plain, digest_size=8).digest(), "big") or 1
