"""Read PGN in one pass over blocks of bytes: tags, moves as they are, and games with a result.

It is the only reader of PGN: ratings and imports take the tags and the end of the moves, books the moves. A
game begins at an ``Event`` tag, or at a tag after an empty line, unless only tags that differ came before;
never in a comment. A hash of the moves tells games that repeat. Names are UTF-8, or else Latin-1 as the
standard of 1994 has it.
"""

import hashlib
import re
from codecs import BOM_UTF8
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, islice, pairwise
from typing import Final, NamedTuple

from tourney.exchange.foreign_game import (
    MAX_NAME,
    UNTERMINATED,
    ForeignGame,
    Problems,
    UnratedError,
    check_players,
    date_of,
    ending_of,
    is_forfeit,
    ranks_of,
    result_text,
)

MAX_GAME: Final = 16 << 20
"""Bytes of a game with its moves; more are skipped."""
MAX_HEADER: Final = 64 << 10
"""Bytes of a game's tags."""
MAX_COMMENT: Final = 64 << 10
"""Bytes in which a comment that is open at the next game must end; later it is taken for a cut game."""

_START: Final = re.compile(rb'\n[ \t]*(?:(?=\[[ \t]*Event[ \t]*")|\n[ \t]*(?=\[[ \t]*[A-Za-z]))')
_EVENT: Final = re.compile(rb'\n(?=[ \t]*\[[ \t]*Event[ \t]*")')
_GLUED: Final = re.compile(rb'(?:1-0|0-1|1/2|\*)[ \t]*(?=\[Event[ \t]*")')
"""The end of a game behind which the next one begins in the same line, as in exports of lichess."""
_LONGEST_START: Final = 64
"""Bytes in which a start of a game lies."""
_HEADER: Final = re.compile(rb"(?:[ \t]*\n|[ \t]*\[[^\n]*(?:\n|\Z)|[%;][^\n]*(?:\n|\Z))*")
_TAG: Final = re.compile(
    rb"(?:^|(?<=\]))[ \t]*\[[ \t]*"
    rb"(White|Black|Result|Event|Round|Pair|UTCDate|Date|Termination|FEN|(?:White|Black)?TimeControl)"
    rb'[ \t]*"([^"\\\n]*(?:\\.[^"\\\n]*)*)"[ \t]*\]',
    re.MULTILINE,
)
_TAGS_AND_MOVES: Final = re.compile(
    rb'^((?:[ \t]*\[[ \t]*[A-Za-z0-9_]+[ \t]*"[^"\\\n]*(?:\\.[^"\\\n]*)*"[ \t]*\])+)[ \t]*([^\s\[][^\n]*)',
    re.MULTILINE,
)
"""A line of whole tags and something else."""
_TAG_END: Final = re.compile(rb'"[ \t]*\]')
_MORE_IN_LINE: Final = re.compile(rb'"[ \t]*\][ \t]*[^\s\[]')
"""Where alone such a line can be: searched first, because it takes a quarter of the time."""
_NAME: Final = re.compile(rb"(?:^|(?<=\]))[ \t]*\[[ \t]*([A-Za-z0-9_]+)", re.MULTILINE)
_QUOTE: Final = rb"(?:[\"'`\x84\x91-\x94]|\xe2\x80[\x98-\x9f])"
_LOOSE: Final = re.compile(
    rb"^(?:[ \t]|\xc2?\xa0)*\[([^][\"'\s\xa0]{3,20}?)(?:(?:[ \t]|\xc2?\xa0)*"
    + _QUOTE
    + rb"|[ \t]+(?![ \t]|\xc2?\xa0|"
    + _QUOTE
    + rb"))([^\n]*?)"
    + _QUOTE
    + rb"?[ \t]*\][ \t]*$",
    re.MULTILINE,
)
"""Tags as some programs and people write them: with quotation marks in names that are not escaped, in small
letters, between other quotation marks or none."""
_LOOSE_NAMES: Final = {
    **{name.lower(): name for name in (b"White", b"Black", b"Result", b"Event", b"Round", b"Date", b"FEN")},
    **dict.fromkeys((b"wei\xc3\x9f", b"wei\xdf", b"weiss"), b"White"),
    b"schwarz": b"Black",
    b"ergebnis": b"Result",
    b"veranstaltung": b"Event",
    b"runde": b"Round",
    b"datum": b"Date",
}
"""Names of tags in small letters and in German."""
_ASIDE_START: Final = re.compile(rb"[{;]|^%", re.MULTILINE)
"""Where a comment begins, outside of others: in braces, or up to the end of the line."""
_TAIL: Final = 1 << 10
"""Bytes at the end of a game in which its result stands."""
_ESCAPE: Final = re.compile(rb"\\(.)")
_HALF: Final = rb"(?:1/2|0[.,]5|\xc2?\xbd)"
_DASH: Final = rb"(?:[-:]|\xe2\x80\x93)"
_END: Final = re.compile(
    rb"(?:\A|[\s})])([01]" + _DASH + rb"[01]|" + _HALF + rb"(?:" + _DASH + _HALF + rb")?|\*)"
    rb"(?:[ \t\n]|;[^\n]*(?:\n|\Z)|\{[^{}]*\}|<[^<>\n]*>)*\Z"
)
"""The result at the end of the moves as programs write it, with comments behind it."""
_COMMENT: Final = re.compile(rb"\{[^}]*\}")
_FLAT_COMMENT: Final = re.compile(rb"\{[^{}]*\}")
"""A comment in which no brace opens."""
_ASIDE: Final = re.compile(rb";[^\n]*|\([^()]*\)|\$\d+|(?<!\d)\d+\.\.+")
"""Other comments, variations, marks by number, and the number that a move has behind a comment."""
_MARKS: Final = b" \n\t.!?+#"
_SHORTEST: Final = 8
"""Bytes of the moves of a game; less is a result alone."""
_MOST_PARTS: Final = 4
"""Empty lines among the tags of a game."""
_OPEN_ROUNDS: Final = (b"", b"?", b"-")
"""Rounds that say nothing."""


class PgnText(NamedTuple):
    """A game as it is in a file: the number of its first line, its tags, and its moves with their comments.

    ``problem`` is a key of ``foreign_game.KINDS`` for one whose end is not known, else "".
    """

    line: int
    head: bytes
    moves: bytes
    problem: str = ""

    @property
    def tagged(self) -> bool:
        """Whether it has tags."""
        return _NAME.search(self.head) is not None


def split_games(blocks: Iterable[bytes]) -> Iterator[PgnText]:
    """Yield all games of a file, in bounded memory and linear time.

    What comes before the first tag, as the moves of games without tags, is one game that is not ``tagged``.
    """
    following = _Following(_pieces(with_line_feeds(blocks)))
    while (piece := following.take()) is not None:
        line, text, whole = piece
        split = _head_end(text)
        for _ in range(_MOST_PARTS if whole else 0):
            if split < len(text) or not text.startswith(b"["):
                break
            # Only tags came: those of ChessBase go on after an empty line.
            following_piece = following.first()
            if following_piece is None or not _continues(text, following_piece.text):
                break
            following.take()
            text += following_piece.text
            split = _head_end(text)
        problem = "" if whole else "long"
        if whole and _is_open(text, split):
            inside, certain = following.pieces_in_comment()
            problem = "" if certain else "comment" if inside else "cut"
            within = [inner.text for inner in (following.take() for _ in range(inside)) if inner is not None]
            text += b"".join(within if certain else ())
        yield PgnText(line, text[:split], text[split:], problem)


def tag_of(head: bytes, name: str) -> str:
    """The value of a tag that this module reads, "" without it."""
    value = dict(_TAG.findall(head)).get(name.encode(), b"")
    return _ESCAPE.sub(rb"\1", value).decode("utf-8", "replace")


def _head_end(text: bytes) -> int:
    # Bounded, because the engine of expressions keeps some hundred bytes of each line that it has matched.
    header = _HEADER.match(text, 0, MAX_HEADER + 2)
    end = header.end() if header else 0
    if _MORE_IN_LINE.search(text, 0, end) is None:
        return end
    for mixed in _TAGS_AND_MOVES.finditer(text, 0, end):
        # A name that is not escaped may hold `"]` and moves, to hide the tags behind it or to forge others.
        # Then the end of its tag is still to come: the whole line is tags, and a tag that is there twice is
        # named as a contradiction.
        if _TAG_END.search(_FLAT_COMMENT.sub(b"", mixed[2])) is None:
            return mixed.end(1)
    return end


def _continues(text: bytes, following: bytes) -> bool:
    """Whether a piece that begins with a tag goes on with the tags of the piece before it."""
    names = _NAME.findall(text)
    first = _NAME.match(following)
    return first is not None and first[1] != b"Event" and first[1] not in names


def _is_open(text: bytes, start: int) -> bool:
    """Whether the moves from ``start`` on end inside a comment in braces."""
    if b";" not in text and b"\n%" not in text:
        return text.rfind(b"{", start) > text.rfind(b"}", start)
    while (aside := _ASIDE_START.search(text, start)) is not None:
        end = text.find(b"}" if aside[0] == b"{" else b"\n", aside.end())
        if end < 0:
            return aside[0] == b"{"
        start = end + 1
    return False


def read_pgn(blocks: Iterable[bytes], label: str, problems: Problems) -> Iterator[tuple[int, ForeignGame]]:
    """Yield each game that has a result with the number of its first line.

    All others are problems. Labels of pairs are those of the tag ``Pair``, or of ``Event``, ``Round`` and
    ``FEN`` where the round is known.
    """
    return _Reader(label, problems).read(split_games(blocks))


class PgnRange:
    """Reads the games that begin in a range of a file: in the first of some blocks, after its first line.

    The first game is on a ``line`` (from 1), or is guessed: text alone does not say whether a tag begins a
    game, because a comment or the tags of a game before it may go on there. ``lines`` is the number of line
    ends in the range; ``first`` and, after reading, ``after`` are the lines of the first game (None: no game)
    and of that behind the range (None: the file ends), counted from the range's beginning.
    """

    def __init__(self, blocks: Iterable[bytes], line: int | None) -> None:
        blocks = with_line_feeds(blocks)
        text = next(blocks, b"")
        self.lines = text.count(b"\n")
        self.first = line
        self.after: int | None = None
        if line is not None:
            text = text.split(b"\n", line - 1)[-1]
        elif start := _EVENT.search(text):
            self.first = 1 + text.count(b"\n", 0, start.end())
            text = text[start.end() :]
        self._games = split_games(chain([text], blocks))

    def read(self, label: str, problems: Problems) -> Iterator[tuple[int, ForeignGame]]:
        """Yield games as ``read_pgn``, with their lines (also those of problems) counted from ``first``."""
        return _Reader(label, problems).read(self._inside()) if self.first else iter(())

    def _inside(self) -> Iterator[PgnText]:
        for game in self._games:
            line = (self.first or 1) + game.line - 1
            # A game on the next range's first line belongs here: its tag may stand before the cut.
            if line > self.lines + 1:
                self.after = line
                return
            yield game


def with_line_feeds(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield blocks with lines that end in a line feed, without the mark that ends a file of DOS."""
    held = b""
    for block in blocks:
        block = block.replace(b"\x1a", b"\n") if b"\x1a" in block else block  # noqa: PLW2901 - rarely
        if b"\xef" in block:  # found ten times as fast as three bytes
            block = block.replace(BOM_UTF8, b"")  # noqa: PLW2901 - files that were put together have it inside
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
    first = True
    for block in blocks:
        rest += block
        new = max(len(rest) - len(block) - _LONGEST_START, 0)
        if first and len(rest) <= MAX_GAME and _START.search(rest, new) is None:
            continue
        starts = [start.span() for start in _START.finditer(rest)]
        if rest.count(b"[Event ") > len(starts):
            starts = sorted([*starts, *((glued.end(),) * 2 for glued in _GLUED.finditer(rest))])
        seen = 0
        if first and starts and rest[: starts[0][0]].strip():
            yield _Piece(1, rest[2 : starts[0][0]], whole=True)
        first = False
        for (_, start), (_, end) in pairwise(starts):
            line += rest.count(b"\n", seen, start)
            seen = start
            yield _Piece(line, rest[start:end], whole=True)
        # The last game may go on in the next block, and a start may begin at the end of this one.
        keep = starts[-1][0] if starts else max(len(rest) - _LONGEST_START, 0)
        # Without the empty lines before the game, which the reader of a range does not have.
        if starts and len(rest) - starts[-1][1] > MAX_GAME:
            start, keep = starts[-1][1], len(rest) - _LONGEST_START
            yield _Piece(line + rest.count(b"\n", seen, start), rest[start:], whole=False)
        line += rest.count(b"\n", seen, keep)
        rest = rest[keep:]
        if starts and starts[-1] == (keep, keep):
            # Found again like all others.
            rest = b"\n" + rest
            line -= 1
    last = _START.search(rest)
    if first and rest[: last and last.start()].strip():
        yield _Piece(1, rest[2 : last and last.start()], whole=True)
    if last:
        yield _Piece(line + rest.count(b"\n", 0, last.end()), rest[last.end() :], whole=True)


class _Following:
    """The pieces behind a game, read when they are looked at."""

    def __init__(self, pieces: Iterator[_Piece]) -> None:
        self._pieces = pieces
        self._seen = deque[_Piece]()
        # Of the first pieces that were seen, in which no comment ends: their number, their bytes, and how
        # many have an opening brace. Without these, 1 MB of games with open comments takes ten minutes.
        self._endless = self._size = self._opening = 0

    def take(self) -> _Piece | None:
        """Remove and return the first piece; None at the end."""
        piece = self.first()
        if piece is not None:
            self._seen.popleft()
            if self._endless:
                self._count(piece.text, -1)
        return piece

    def first(self) -> _Piece | None:
        """The first piece; None at the end."""
        if not self._seen:
            self._seen.extend(islice(self._pieces, 1))
        return self._seen[0] if self._seen else None

    def pieces_in_comment(self) -> tuple[int, bool]:
        """The number of pieces in which an open comment goes on and ends, 0 if it ends nowhere near.

        It is certain unless a brace opens before it ends: then a game may have been cut inside a comment, or
        a player may have got the text of a game into one.
        """
        while (room := MAX_COMMENT - self._size) > 0:
            count = self._endless
            if count == len(self._seen):
                self._seen.extend(islice(self._pieces, 1))
            if count == len(self._seen):
                break
            text = self._seen[count].text
            end = text.find(b"}")
            if end < 0:
                self._count(text, 1)
            elif end < room:
                # A comment may end here and another one begin that runs into the next piece.
                certain = not self._opening and b"{" not in text[:end] and not _is_open(text, end + 1)
                return count + 1, certain
            else:
                break
        return 0, False

    def _count(self, text: bytes, times: int) -> None:
        self._endless += times
        self._size += times * len(text)
        self._opening += times * (b"{" in text)


class _Reader:
    """Reads the games of a file."""

    def __init__(self, label: str, problems: Problems) -> None:
        self._label = label
        self._problems = problems
        self._names: dict[bytes, str] = {}
        self._latin = False

    def read(self, games: Iterator[PgnText]) -> Iterator[tuple[int, ForeignGame]]:
        for text in games:
            if not text.tagged:
                continue
            if text.problem:
                self._bad(text.problem, text.line)
                continue
            try:
                game = self._game(text)
            except UnratedError as error:
                self._bad(error.kind, text.line, error.why)
            else:
                self._problems.read += 1
                yield text.line, game

    def _bad(self, kind: str, line: int, why: str = "") -> None:
        self._problems.read += 1
        self._problems.add(kind, self._label, line, why)

    def _game(self, text: PgnText) -> ForeignGame:
        """A game from its tags and the end of its moves. Raises UnratedError."""
        line, head, moves, _ = text
        self._latin = False  # the game before may have been refused after its names were read
        if len(head) > MAX_HEADER:
            raise UnratedError("long")
        if b"\0" in head:
            raise UnratedError("nul")
        tag_pairs = _TAG.findall(head)
        tags: dict[bytes, bytes] = dict(tag_pairs)
        twice = len(tags) < len(tag_pairs)
        if not tags.keys() >= {b"White", b"Black", b"Result"}:
            pairs = ((_LOOSE_NAMES.get(name.lower()), value) for name, value in _LOOSE.findall(head))
            loose_pairs = [(name, value) for name, value in pairs if name is not None and name not in tags]
            twice |= len(dict(loose_pairs)) < len(loose_pairs)
            tags |= dict(loose_pairs)
        if twice:
            raise UnratedError("contradiction", "a tag is there twice")
        result = tags.get(b"Result", b"")
        end = moves[-_TAIL:].rstrip()
        if result == b"*":
            raise UnratedError("unfinished")
        if not result or result == b"?":
            raise UnratedError("no-result")
        ranks = ranks_of(self._decoded(result))
        # Tables have the score of the first player, but a tag of PGN is never a bare 1 or 0.
        if ranks is None or result in (b"1", b"0"):
            raise UnratedError("bad-result", result[:20].decode("latin-1"))
        written = result_text(ranks).encode()
        if end and (b";" in end or not (end.endswith(written) or _ends_with(end, result))):
            token = _END.search(end)
            if token is None or ranks_of(self._decoded(token[1])) != ranks:
                raise UnratedError("cut" if token is None else "contradiction")
        players = (self._name(tags.get(b"White", b"")), self._name(tags.get(b"Black", b"")))
        check_players(players)
        ending = tags.get(b"Termination", b"").decode("latin-1")
        reason, faults = ending_of(ending or ("forfeit" if is_forfeit(self._decoded(result)) else ""), ranks)
        if reason == UNTERMINATED:
            raise UnratedError("contradiction", f"{written.decode()} but unterminated")
        if self._latin:
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
            _play(tags.get(b"FEN", b""), moves),
        )

    def _name(self, data: bytes) -> str:
        name = self._names.get(data)
        if name is None:
            before, self._latin = self._latin, False
            name = self._decoded(_ESCAPE.sub(rb"\1", data) if b"\\" in data else data).strip()
            if not self._latin and len(data) <= MAX_NAME:
                self._names[data] = name
            self._latin = self._latin or before
        return name

    def _decoded(self, data: bytes) -> str:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            self._latin = True
            return data.decode("latin-1")


def _ends_with(moves: bytes, result: bytes) -> bool:
    """Whether moves end with the result as the tag has it, such as ``1-0F`` or ``remis``."""
    before = moves.removesuffix(result)
    return len(before) < len(moves) and before[-1:] in (b"", b" ", b"\t", b"\n", b"}", b")")


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
    # Up to the last closing brace alone: from each brace that none closes, a search would go to the end.
    closed, last, rest = moves.rpartition(b"}")
    plain = b"".join((*_COMMENT.split(closed + last), rest)) if b"{" in moves else moves
    if b";" in plain or b"(" in plain or b"$" in plain or b".." in plain:
        plain = _ASIDE.sub(b"", plain)
    plain = plain.translate(None, _MARKS)
    if len(plain) < _SHORTEST:
        return 0
    return int.from_bytes(hashlib.blake2b(start + b"\0" + plain, digest_size=8).digest(), "big") or 1
