"""Opening books: read by line, and sampled by the seed."""

from pathlib import Path

from tests.tournaments import refused, write_file
from tourney.errors import TournamentError
from tourney.games.registry import find_game
from tourney.match.spec import Opening
from tourney.run.config.opening_book import choose, read_book
from tourney.run.config.tournament_file import read_tournament_file


def first_actions() -> tuple[str, str]:
    game = find_game("sages-tafl")
    state = game.new()
    one = state.legal_actions()[0]
    two = state.play(one).legal_actions()[0]
    return game.action_string(one), game.action_string(two)


def test_each_seed_samples_an_opening_of_the_book(tmp_path: Path) -> None:
    one, two = first_actions()
    (tmp_path / "seeds").mkdir()
    (tmp_path / "seeds" / "tafl.book").write_text(f"# two openings\n\n{one} {two}  # both\n{one}\n")
    text = 'name = "cup"\ngame = "sages-tafl"\nopening-book = "seeds/tafl.book"\nbots = ["random"]\n'
    book = read_tournament_file(write_file(tmp_path, text)).plan.book
    assert book == ((one, two), (one,))
    openings = [choose(seed, 0, book) for seed in range(50)]
    assert set(openings) == {Opening(actions=(one, two)), Opening(actions=(one,))}
    assert openings == [choose(seed, 0, book) for seed in range(50)]


def test_without_book_the_opening_is_a_number_of_plies() -> None:
    assert choose(7, 4, ()) == Opening(plies=4)


def test_illegal_action_is_refused_by_line(tmp_path: Path) -> None:
    one, _ = first_actions()
    path = tmp_path / "bad.book"
    path.write_text(f"{one}\n{one} {one}\n")
    with refused(TournamentError, "bad.book, line 2: action"):
        read_book(path, find_game("sages-tafl"), 2, {})
    path.write_text("# nothing\n")
    with refused(TournamentError, "bad.book: the opening book holds no opening"):
        read_book(path, find_game("sages-tafl"), 2, {})
    path.write_bytes(b"\xff\n")
    with refused(TournamentError, "bad.book: the file is not UTF-8"):
        read_book(path, find_game("sages-tafl"), 2, {})


def test_game_with_dice_takes_no_book(tmp_path: Path) -> None:
    with refused(TournamentError, "does not go with sage-stones, a game with chance"):
        read_book(tmp_path / "any.book", find_game("sage-stones"), 2, {})
