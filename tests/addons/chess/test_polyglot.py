"""Books of polyglot: which openings they have, and files that are none."""

import gzip
import struct
from collections.abc import Iterable
from pathlib import Path

import chess
import pytest
from chess.polyglot import zobrist_hash

from tests.support.tournaments import refused
from tourney.addons.chess import polyglot
from tourney.errors import TournamentError
from tourney.games.registry import find_game
from tourney.run.tournament_file import read_book, read_tournament_file

CHESS = find_game("chess")


def entry(board: chess.Board, text: str, weight: int = 1) -> bytes:
    """An entry by the format's page: key, move in bits (castling is king takes rook), weight, learning."""
    move = chess.Move.from_uci(text)
    bits = move.to_square | move.from_square << 6 | (move.promotion - 1 if move.promotion else 0) << 12
    return struct.pack(">QHHI", zobrist_hash(board), bits, weight, 0)


def write_book(path: Path, entries: Iterable[tuple[str, str, int]], start: str = chess.STARTING_FEN) -> Path:
    """A book of entries, each with the moves before it, its move and its weight."""
    rows = []
    for before, move, weight in entries:
        board = chess.Board(start, chess960=start != chess.STARTING_FEN)
        for text in before.split():
            board.push_uci(text)
        rows.append(entry(board, move, weight))
    path.write_bytes(b"".join(sorted(rows)))
    return path


def lines(path: Path, plies: int = 0, game: str = "chess") -> list[str]:
    return [" ".join(actions) for actions in read_book(path, find_game(game), 2, {}, plies)]


ENTRIES = (
    ("", "d2d4", 3),
    ("", "e2e4", 9),
    ("", "a2a4", 0),  # a deleted move
    ("e2e4", "e7e5", 1),
    ("e2e4", "c7c5", 2),
    ("e2e4 e7e5", "g1f3", 1),
    ("e2e4 e7e5 g1f3", "g8f6", 1),
)


def test_openings_are_lines_to_where_the_book_ends(tmp_path: Path) -> None:
    book = write_book(tmp_path / "b.bin", ENTRIES)
    assert lines(book) == ["d2d4", "e2e4 c7c5", "e2e4 e7e5 g1f3 g8f6"]


@pytest.mark.parametrize(
    ("plies", "openings"),
    [
        (1, ["e2e4", "d2d4"]),
        (2, ["d2d4", "e2e4 c7c5", "e2e4 e7e5"]),
        (3, ["d2d4", "e2e4 c7c5", "e2e4 e7e5 g1f3"]),
    ],
)
def test_opening_plies_bound_the_lines_of_a_book(plies: int, openings: list[str], tmp_path: Path) -> None:
    assert lines(write_book(tmp_path / "b.bin", ENTRIES), plies) == openings


def test_position_reached_twice_is_one_opening_by_its_heavier_line(tmp_path: Path) -> None:
    entries = [
        ("", "g1f3", 1),
        ("", "b1c3", 2),
        ("b1c3", "a7a6", 1),
        ("g1f3", "a7a6", 1),
        ("b1c3 a7a6", "g1f3", 1),
        ("g1f3 a7a6", "b1c3", 1),
    ]
    assert lines(write_book(tmp_path / "b.bin", entries)) == ["b1c3 a7a6 g1f3"]


def test_circle_of_a_book_ends(tmp_path: Path) -> None:
    entries = [
        ("", "g1f3", 2),
        ("g1f3", "g8f6", 1),
        ("g1f3 g8f6", "f3g1", 1),
        ("g1f3 g8f6 f3g1", "f6g8", 1),
        ("", "e2e4", 1),
    ]
    assert lines(write_book(tmp_path / "b.bin", entries)) == ["e2e4"]


def test_castling_of_a_book_is_the_move_of_the_game(tmp_path: Path) -> None:
    before = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5"
    moves = before.split()
    entries = [(" ".join(moves[:number]), move, 1) for number, move in enumerate(moves)]
    book = write_book(tmp_path / "b.bin", [*entries, (before, "e1h1", 1)])
    assert lines(book) == [f"{before} e1g1"]


def test_book_of_chess960_begins_at_each_start_that_it_has(tmp_path: Path) -> None:
    start = chess.Board.from_chess960_pos(0).fen()
    book = write_book(tmp_path / "b.bin", [("", "e2e4", 1)], start)
    assert lines(book, 0, "chess960") == ["=bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR_w_HFhf_-_0_1 e2e4"]
    with refused(TournamentError, "b.bin cannot be read: the book has no move for the starting position"):
        lines(book)


def test_compressed_book_has_the_same_openings(tmp_path: Path) -> None:
    book = write_book(tmp_path / "b.bin", ENTRIES)
    packed = tmp_path / "B.BIN.gz"
    packed.write_bytes(gzip.compress(book.read_bytes(), mtime=0))
    assert lines(packed) == lines(book)


def test_illegal_move_of_a_book_is_named_and_left_out(tmp_path: Path) -> None:
    book = write_book(tmp_path / "b.bin", [("", "e2e4", 1), ("", "e2e5", 1)])
    messages: list[str] = []
    assert read_book(book, CHESS, 2, {}, say=messages.append) == (("e2e4",),)
    assert messages == [
        f"{book}: 1 of 2 openings are left out: at the start: the book's move e2e5 is not legal"
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "b.bin: the opening book holds no opening"),
        (b"e2e4 e7e5\n", "b.bin cannot be read: it is not a book of polyglot: 10 bytes are not entries"),
        (b"e2e4 e7e5 d2d4 d7d5 e4d5 d8d5 \r\n", "it is not a book of polyglot: entry 2 is not in order"),
        (gzip.compress(b"e2e4", mtime=0)[:-4], "b.bin cannot be read: its gzip data are damaged"),
    ],
)
def test_other_file_is_refused_in_one_sentence(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "b.bin"
    path.write_bytes(data)
    with refused(TournamentError, message):
        lines(path)


def test_book_of_too_many_positions_asks_for_fewer_plies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(polyglot, "MAX_POSITIONS", 4)
    book = write_book(tmp_path / "b.bin", ENTRIES)
    with refused(
        TournamentError, "more than 4 positions within 2 half-moves of the start: set opening-plies"
    ):
        lines(book)
    assert lines(book, 1) == ["e2e4", "d2d4"]


def test_tournament_file_takes_a_book_with_opening_plies(tmp_path: Path) -> None:
    write_book(tmp_path / "b.bin", ENTRIES)
    text = (
        'name = "cup"\ngame = "chess"\nformat = "round-robin"\nbots = ["random", "greedy"]\n'
        'opening-book = "b.bin"\nopening-plies = 1\n'
    )
    (tmp_path / "cup.toml").write_text(text)
    assert read_tournament_file(tmp_path / "cup.toml").plan.book == (("e2e4",), ("d2d4",))
    (tmp_path / "cup.toml").write_text(text.replace('"chess"', '"sages-tafl"'))
    with refused(
        TournamentError, "a book of polyglot goes with chess and chess960 only, not with sages-tafl"
    ):
        read_tournament_file(tmp_path / "cup.toml")
