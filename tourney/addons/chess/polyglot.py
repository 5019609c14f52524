"""Books of polyglot (``.bin``), whose graph of moves becomes a list of openings."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from operator import itemgetter
from struct import iter_unpack
from tempfile import NamedTemporaryFile
from typing import Final, NamedTuple

import chess
from chess.polyglot import MemoryMappedReader, open_reader, zobrist_hash

from tourney.addons.chess.starts import set_up
from tourney.errors import GameError, PositionError

MAX_POSITIONS: Final = 200_000
"""Positions of a book that are looked at, each once: 12 s of Python. Books of masters' games have more."""
MAX_BYTES: Final = 1 << 30
_ENTRY: Final = 16

Opening = tuple[str, Callable[[], tuple[str, ...]]]
"""Where an opening stands, as errors name it, and a reader of its actions."""


class _Node(NamedTuple):
    """A position of the book with the moves that lead to it from its start."""

    board: chess.Board
    key: int
    start: tuple[str, ...]
    """The set-up of the start in Chess960, else nothing."""
    moves: tuple[str, ...]


def read_openings(blocks: Iterable[bytes], plies: int, *, chess960: bool) -> Iterator[Opening]:
    """Yield the openings of a book: the lines to all positions where the book ends.

    The graph is walked breadth-first from the start, or in Chess960 from each start that the book has, by
    moves of weight 1 and more, heavier ones first. A position that several lines reach counts once, by the
    first of them: then a circle ends, and no two openings are equal. With ``plies`` no line is longer.

    Raises GameError for a file that is not such a book or has too many positions. A move that is not legal
    is an opening that cannot be read.
    """
    with NamedTemporaryFile("wb") as file:  # a compressed book has no place where the reader could map it
        size = 0
        for block in blocks:
            size += len(block)
            if size > MAX_BYTES:
                raise GameError(f"a book of polyglot with more than {MAX_BYTES >> 30} GiB is not read")
            file.write(block)
        file.flush()
        if size % _ENTRY:
            raise GameError(f"it is not a book of polyglot: {size:,} bytes are not entries of {_ENTRY} bytes")
        with open_reader(file.name) as reader:
            if number := _first_out_of_order(reader):
                raise GameError(f"it is not a book of polyglot: entry {number:,} is not in order")
            yield from _walk(reader, plies, chess960=chess960)


def _first_out_of_order(reader: MemoryMappedReader) -> int:
    """The number, from 1, of the first entry with a smaller key than the one before it; or 0."""
    # An iterator over the mapped file would keep it from being closed, so it ends with this function.
    keys = map(itemgetter(0), iter_unpack(">Q8x", reader.mmap))
    pairs = enumerate(pairwise(keys), 2)
    return next((number for number, (key, following) in pairs if following < key), 0)


def _walk(reader: MemoryMappedReader, plies: int, *, chess960: bool) -> Iterator[Opening]:
    layer = [node for node in _starts(chess960=chess960) if any(reader.find_all(node.key))]
    if not layer and len(reader):
        raise GameError("the book has no move for the starting position")
    seen = {node.key for node in layer}
    while layer:
        following: list[_Node] = []
        for node in layer:
            children = [] if plies and len(node.moves) >= plies else _moves(reader, node)
            legal_moves = [move for move, legal in children if legal]
            if not legal_moves and node.moves:
                yield _place(node), partial(tuple, (*node.start, *node.moves))
            for move, legal in children:
                if not legal:
                    yield _place(node), partial(_refuse, move.uci())
            for child in (_after(node, move) for move in legal_moves):
                if child.key not in seen:
                    seen.add(child.key)
                    following.append(child)
            if len(seen) > MAX_POSITIONS:
                raise GameError(
                    f"the book has more than {MAX_POSITIONS:,} positions within {len(node.moves) + 1}"
                    " half-moves of the start: set opening-plies to fewer"
                )
        layer = following


def _starts(*, chess960: bool) -> Iterator[_Node]:
    if not chess960:
        board = chess.Board()
        yield _Node(board, zobrist_hash(board), (), ())
        return
    for number in range(960):
        board = chess.Board.from_chess960_pos(number)
        yield _Node(board, zobrist_hash(board), (set_up(board.fen(), chess960=True),), ())


def _moves(reader: MemoryMappedReader, node: _Node) -> list[tuple[chess.Move, bool]]:
    """The moves of the book in a position, heaviest first, each with whether it is legal."""
    legal = {entry.raw_move: entry.move for entry in reader.find_all(node.board)}
    entries = sorted(reader.find_all(node.key), key=lambda entry: (-entry.weight, entry.raw_move))
    return [(legal.get(entry.raw_move, entry.move), entry.raw_move in legal) for entry in entries]


def _after(node: _Node, move: chess.Move) -> _Node:
    text = node.board.uci(move)
    board = node.board.copy(stack=False)
    board.push(move)
    board.clear_stack()
    return _Node(board, zobrist_hash(board), node.start, (*node.moves, text))


def _place(node: _Node) -> str:
    return f"after {' '.join(node.moves)}" if node.moves else "at the start"


def _refuse(text: str) -> tuple[str, ...]:
    raise PositionError(f"the book's move {text} is not legal")
