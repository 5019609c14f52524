"""One file has one meaning, whichever door it comes in by: ratings, imports and books of openings."""

from pathlib import Path

import pytest

from tourney.errors import TournamentError
from tourney.exchange.reading import Filter, read_files
from tourney.games.registry import find_game
from tourney.run.tournament_file import read_book

TESTS = Path(__file__).parents[2]
PGN = sorted(path for path in (TESTS / "corpus" / "pgn").iterdir() if path.name != "one")
NAMES = {"brace-in-name": ("Bot {beta", "B", "C", "D"), "latin-1": ("Andr\xe9", "B", "C", "D")}
POSITION = "=r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R_w_KQkq_-_2_3"
BOOKS = sorted(
    path for path in Path(__file__).with_name("corpus").joinpath("book-chess").iterdir() if "." in path.name
)


@pytest.mark.parametrize("path", PGN, ids=lambda path: path.name)
def test_pgn_has_the_same_two_games_at_every_door(path: Path, tmp_path: Path) -> None:
    tally, problems = read_files([path], Filter())
    assert tally.players == NAMES.get(path.name, ("A", "B", "C", "D"))
    assert [kind.ranks for kind, _ in tally.kinds()] == [(1, 2), (2, 1)]
    assert problems.damaged == 0
    book = tmp_path / "book.PGN"
    book.write_bytes(path.read_bytes())
    said: list[str] = []
    assert read_book(book, find_game("chess"), 2, {}, say=said.append) == (("e2e4", "e7e5"), ("d2d4", "d7d5"))
    assert said == []


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.name)
def test_line_of_a_book_needs_a_position_and_no_more(path: Path) -> None:
    said: list[str] = []
    assert read_book(path, find_game("chess"), 2, {}, say=said.append) == ((POSITION,),)
    assert [sentence.split(": ")[1] for sentence in said] == (
        ["2 of 3 openings are left out"] if path.name == "bad-line.epd" else []
    )


def test_book_without_any_opening_is_refused_by_its_first_line(tmp_path: Path) -> None:
    (tmp_path / "b.epd").write_text("hello\nworld\n")
    with pytest.raises(TournamentError, match=r"b\.epd, line 1: 'hello' is not an EPD"):
        read_book(tmp_path / "b.epd", find_game("chess"), 2, {})


def test_game_that_cannot_be_read_is_named_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    """The library's own reader also logs each error, which reaches standard error as it is."""
    (tmp_path / "b.pgn").write_text('[Event "a"]\n\n1. Ka1 *\n\n[Event "b"]\n\n1. e4 *\n')
    messages: list[str] = []
    assert read_book(tmp_path / "b.pgn", find_game("chess"), 2, {}, say=messages.append) == (("e2e4",),)
    (message,) = messages
    assert "1 of 2 openings are left out: game 1: it cannot be read: illegal san: 'Ka1'" in message
    assert (caplog.records, *capsys.readouterr()) == ([], "", "")


@pytest.mark.parametrize(
    ("written", "result"),
    [
        ("remis", (1, 1)),
        ("\xbd-\xbd", (1, 1)),
        ("0.5-0.5", (1, 1)),
        ("0,5 - 0,5", (1, 1)),
        ("1/2", (1, 1)),
        ("=", (1, 1)),
        ("1 - 0", (1, 2)),
        ("1,0-0,0", (1, 2)),
        ("0-1F", (2, 1)),
        ("-:+", (2, 1)),
    ],
)
def test_result_is_read_as_programs_write_it(written: str, result: tuple[int, int], tmp_path: Path) -> None:
    """At the end of the moves too, where it must be the tag's or the standard's."""
    path = tmp_path / "games.pgn"
    path.write_text(f'[White "A"]\n[Black "B"]\n[Result "{written}"]\n\n1. e4 e5 {written}\n')
    tally, problems = read_files([path], Filter())
    assert ([kind.ranks for kind, _ in tally.kinds()], problems.damaged) == ([result], 0)


@pytest.mark.parametrize(
    ("moves", "actions"),
    [
        ("1. e4 e5 2. Sf3 Sc6 3. Lb5 a6", "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6"),
        ("1. e4 d5 2. e:d5 D:d5 3. Sc3", "e2e4 d7d5 e4d5 d8d5 b1c3"),
        ("1. e4 e5 2. \u2658f3 \u265ec6 3. \u2657b5", "e2e4 e7e5 g1f3 b8c6 f1b5"),
        ("1. e2-e4 e7\u2013e5 2. Ng1-f3 Nb8xc6", "e2e4 e7e5 g1f3 b8c6"),
        ("1. e4 e5 2. Nf3 (2. Ke9) Nc6", "e2e4 e7e5 g1f3 b8c6"),
        ("1. e4 f5 2. e5 d5 3. exd6 e.p.", "e2e4 f7f5 e4e5 d7d5 e5d6"),
    ],
)
def test_moves_are_read_in_letters_of_english_and_german(moves: str, actions: str, tmp_path: Path) -> None:
    path = tmp_path / "book.pgn"
    path.write_text(f'[Event "x"]\n\n{moves} *\n')
    assert read_book(path, find_game("chess"), 2, {}) == (tuple(actions.split()),)


@pytest.mark.parametrize(
    "moves", ["1. Cf3", "1. e4 e5 2. nf3", "1. \u041af3", "1. e4 e5 2. Dxh9f3", "1. E4", "1. e4 e5 2. NF3"]
)
def test_move_in_letters_of_no_piece_is_never_one_of_a_pawn(moves: str, tmp_path: Path) -> None:
    """The library's reader passes over the letter, and would read ``f3``."""
    path = tmp_path / "book.pgn"
    path.write_text(f'[Event "x"]\n\n{moves} *\n')
    with pytest.raises(TournamentError, match="is not a move in the letters of English or German"):
        read_book(path, find_game("chess"), 2, {})


def test_variation_that_does_not_end_is_refused(tmp_path: Path) -> None:
    """The rest of the game would be lost without a word."""
    path = tmp_path / "book.pgn"
    path.write_text('[Event "x"]\n\n1. e4 e5 2. Nf3 Nc6 (2... Nf6 3. Bb5 a6 *\n')
    with pytest.raises(TournamentError, match="a variation does not end"):
        read_book(path, find_game("chess"), 2, {})


FEN = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"


@pytest.mark.parametrize(
    ("name", "line", "actions"),
    [
        ("b.epd", f"position fen {FEN}", POSITION),
        ("b.epd", f"fen {FEN}", POSITION),
        ("b.epd", f"FEN: {FEN}", POSITION),
        ("b.epd", f"12. {FEN}", POSITION),
        ("b.epd", f"{FEN} moves f1b5 a7a6", f"{POSITION} f1b5 a7a6"),
        ("b.fen", f"position fen {FEN} moves F1B5", f"{POSITION} f1b5"),
        ("b.epd", "position startpos moves e2e4", "e2e4"),
        ("b.txt", "startpos moves e2e4 e7e5", "e2e4 e7e5"),
        ("b.txt", "startpos", "=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_KQkq_-_0_1"),
        ("b.txt", FEN, POSITION),
        ("b.txt", "1. e4 e5 2.Nf3 Nc6 1/2-1/2", "e2e4 e7e5 g1f3 b8c6"),
        ("b.txt", "e2e4, e7e5; g1f3", "e2e4 e7e5 g1f3"),
        ("b.epd", FEN.replace("KQkq", "kqKQ"), POSITION),
        ("b.epd", FEN.replace(" - ", " \u2013 "), POSITION),
        ("b.epd", FEN.replace(" - ", " e3 "), POSITION),
    ],
)
def test_line_of_a_book_is_read_as_uci_and_people_write_it(
    name: str, line: str, actions: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(f"{line}\n")
    assert read_book(path, find_game("chess"), 2, {}) == (tuple(actions.split()),)


def test_startpos_of_chess960_is_the_position_of_chess(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("position startpos moves e2e4\n")
    start = "=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_HAha_-_0_1"
    assert read_book(tmp_path / "b.txt", find_game("chess960"), 2, {}) == ((start, "e2e4"),)


def test_move_of_a_line_that_has_no_meaning_is_named(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("1. e4 e5 2. Ke3\n")
    with pytest.raises(TournamentError, match=r"line 1: 'Ke3' is not a move of the position before it"):
        read_book(tmp_path / "b.txt", find_game("chess"), 2, {})
