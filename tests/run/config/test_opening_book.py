"""Opening books: read by line, and sampled by the seed."""

from pathlib import Path
from typing import Any

from tests.tournaments import refused, write_file
from tourney.errors import ActionError, TournamentError
from tourney.games.registry import find_game
from tourney.match.spec import Opening
from tourney.run.config.opening_book import read_book
from tourney.run.config.tournament_file import read_tournament_file
from tourney.schedule.row import Row
from tourney.store.values import Plan, plan_from, plan_text


def make_plan(**values: Any) -> Plan:
    given = {"name": "cup", "game": "chess", "rules": "1", "options": (), "format": "round-robin", "seats": 2}
    return Plan(**{**given, "games_per_pairing": 2, **values})


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
    plan = read_tournament_file(write_file(tmp_path, text)).plan
    assert plan.book == ((one, two), (one,))
    row = Row(1, 1, 1, 1, (0, 1))
    openings = [plan.opening_of(seed, row) for seed in range(50)]
    assert set(openings) == {Opening(actions=(one, two)), Opening(actions=(one,))}
    assert openings == [plan.opening_of(seed, row) for seed in range(50)]


def test_without_book_the_opening_is_a_number_of_plies() -> None:
    plan = make_plan(opening_plies=4)
    assert plan.opening_of(7, Row(1, 1, 1, 1, (0, 1))) == Opening(plies=4)


def test_sequential_order_takes_the_next_line_for_each_round_and_repeat() -> None:
    plan = make_plan(book=(("a",), ("b",), ("c",)), games_per_pairing=4, opening_order="sequential")
    rows = [Row(r, table, repeat, 1, (0, 1)) for r in (1, 2) for table in (1, 2) for repeat in (1, 2)]
    assert [plan.opening_of(7, row).actions[0] for row in rows] == ["a", "b", "a", "b", "c", "a", "c", "a"]
    assert plan_from(plan_text(plan)) == plan
    assert "opening-order" not in plan_text(make_plan())


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
    (tmp_path / "any.book").write_text("3d\n")
    with refused(
        TournamentError, "an opening of sage-stones must set a position up, because chance acts first"
    ):
        game = find_game("sage-stones")
        read_book(tmp_path / "any.book", game, *game.settings())


EPD = """# positions
rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2
r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR w KQkq - hmvc 2; fmvn 3; id "a";
"""
PGN = """[Event "a"]
[Result "*"]

1. e4 {best} e5 (1... c5) 2. Nf3 *

[FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]
[SetUp "1"]

1. O-O *
"""


def test_epd_sets_positions_up(tmp_path: Path) -> None:
    (tmp_path / "b.epd").write_text(EPD)
    assert read_book(tmp_path / "b.epd", find_game("chess"), 2, {}) == (
        ("=rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR_w_KQkq_-_0_2",),
        ("=r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR_w_KQkq_-_2_3",),
    )
    assert read_book(tmp_path / "b.epd", find_game("chess960"), 2, {})[0][0].endswith("_w_HAha_-_0_2")
    (tmp_path / "b.epd").write_text("8/8/8/8/8/8/8/8 w - -\n")
    with refused(
        TournamentError, "b.epd, line 1: '8/8/8/8/8/8/8/8 w - -' is no position of chess: no white king"
    ):
        read_book(tmp_path / "b.epd", find_game("chess"), 2, {})
    with refused(TournamentError, "b.epd, line 1: sages-tafl takes no positions as openings"):
        read_book(tmp_path / "b.epd", find_game("sages-tafl"), 2, {})


def test_games_of_pgn_are_openings(tmp_path: Path) -> None:
    (tmp_path / "b.pgn").write_text(PGN)
    start = "=4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1"
    assert read_book(tmp_path / "b.pgn", find_game("chess"), 2, {}) == (
        ("e2e4", "e7e5", "g1f3"),
        (start, "e1g1"),
    )
    assert read_book(tmp_path / "b.pgn", find_game("chess"), 2, {}, 1) == (("e2e4",), (start, "e1g1"))
    (tmp_path / "b.pgn").write_text("1. e4 e5 2. Ke3 *\n")
    with refused(TournamentError, "b.pgn, game 1: it cannot be read: illegal san: 'Ke3'"):
        read_book(tmp_path / "b.pgn", find_game("chess"), 2, {})


def test_seat_may_not_set_a_position_up() -> None:
    game = find_game("chess")
    action = game.set_up("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    state = game.new()
    assert not state.is_legal(game.parse_action(action))
    assert state.play(game.read_action(state, action)).position() == "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    with refused(ActionError, "a position is set up before the first move only"):
        game.read_action(state.play(game.parse_action("e2e4")), action)
