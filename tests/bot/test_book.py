"""Opening books: what a line means, and what is refused."""

from pathlib import Path

import pytest

from tests.support.command import ROOT
from tests.support.toys import Odds, Race, Toe
from tourney.bot import Match, Turn
from tourney.bot.book import Book
from tourney.errors import BotError
from tourney.games.base import AnyGame
from tourney.games.registry import find_game
from tourney.protocol import Go, NewGame, decode_referee

GAMES: dict[str, AnyGame] = {"toe": Toe(), "race": Race(), "odds": Odds()}


def turn_after(game: str, *actions: str, seat: int = 1, seed: int = 1) -> Turn:
    """The turn of a match after some actions; "?" is a hidden one."""
    line = decode_referee(f"game {game} seats=2 seat={seat} seed={seed}")
    assert isinstance(line, NewGame)
    match = Match(line)
    match.game = GAMES[game]
    for k, action in enumerate(actions):
        match.add(k % 2 + 1, action)
    position = "- ?" if "?" in actions else None
    return Turn(match, Go(), position, None, lambda _: None)


def test_prefix_is_matched_exactly() -> None:
    book = Book("play : b2\nplay b2 a1 : c3=2 # 1=1\n".replace(" # 1=1", ""))
    assert len(book) == 2
    assert book.pick(turn_after("toe")) == "b2"
    assert book.pick(turn_after("toe", "b2", "a1")) == "c3"
    assert book.pick(turn_after("toe", "b2", "a2")) is None
    assert book.pick(turn_after("toe", "b2")) is None


def test_position_is_matched_and_prefix_comes_first() -> None:
    text = "# a comment\n\nposition X../.../... 2 : b2=5\nplay b1 : a1\n"
    assert Book(text).pick(turn_after("toe", "a1", seat=2)) == "b2"
    assert Book(text).pick(turn_after("toe", "b1", seat=2)) == "a1"


def test_weights_and_seed_decide() -> None:
    book = Book("play : a1=3 b2=1")
    picked = [book.pick(turn_after("toe", seed=seed)) for seed in range(60)]
    assert picked == [book.pick(turn_after("toe", seed=seed)) for seed in range(60)]
    assert 30 < picked.count("a1") < 58
    assert picked.count("a1") + picked.count("b2") == 60


def test_illegal_actions_are_left_out() -> None:
    assert Book("play a1 : a1=9 b2 z9=5").pick(turn_after("toe", "a1", seat=2)) == "b2"
    assert Book("play a1 : a1=9").pick(turn_after("toe", "a1", seat=2)) is None


def test_hidden_action_matches_the_observation_only() -> None:
    turn = turn_after("odds", "?", seat=2)
    turn._legal = ("show-1", "show-2", "show-3")
    assert Book("play show-1 : show-2").pick(turn) is None
    assert Book("position - ? : show-3").pick(turn) == "show-3"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a1 : b2", "my.book, line 1: write play ACTION"),
        ("play a1 b2", "my.book, line 1: write play ACTION"),
        ("\nplay a1 :", "my.book, line 2: no action follows the colon"),
        ("position : a1", "my.book, line 1: the position is missing"),
        ("play : a1=0", "my.book, line 1: the weight of 'a1=0' is not a number from 1 to 1000000"),
        ("play : a1=-2", "the weight of 'a1=-2' is not a number"),
        ("play : a1=²", "the weight of 'a1=²' is not a number"),
        ("play : a1=99999999999999999999", "is not a number from 1 to"),
        ("play : a1 a1", "'a1' names no action, or one for the second time"),
        ("play : =3", "'=3' names no action"),
        ("play x : a1\nplay x : b2", "my.book, line 2: play x has a line already; join the two"),
    ],
)
def test_bad_line_is_named(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "my.book"
    path.write_text(text)
    with pytest.raises(BotError, match=sentence.replace("(", r"\(")):
        Book.read(path)


def test_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BotError, match="cannot be read: No such file"):
        Book.read(tmp_path / "none.book")
    (tmp_path / "bytes.book").write_bytes(b"play : \xff")
    with pytest.raises(BotError, match="is not UTF-8 text"):
        Book.read(tmp_path / "bytes.book")


def test_example_of_the_reference_page_is_a_book() -> None:
    """Its actions are legal in Sages Tafl, after the actions and in the position that it names."""
    page = (ROOT / "docs" / "reference" / "sdk.md").read_text(encoding="utf-8")
    lines = [line.strip() for line in page.splitlines() if line.startswith(("    play ", "    position "))]
    assert len(lines) == 3
    game = find_game("sages-tafl")
    for line in lines:
        state = game.new()
        where, _, moves = line.partition(" :")
        kind, *played = where.split(" ")
        if kind == "position":
            assert " ".join(played) == state.position()
        for action in [] if kind == "position" else played:
            state = state.play(game.read_action(state, action))
        for word in moves.split():
            assert state.is_legal(game.parse_action(word.partition("=")[0]))
    assert len(Book("\n".join(lines))) == 3
