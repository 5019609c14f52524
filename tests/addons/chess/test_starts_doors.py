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
