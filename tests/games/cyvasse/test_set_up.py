"""The set-up: its order, its legal actions, and the other seat's view."""

import pytest

from tests.games.cyvasse.hands import GAME, WHITE_TILES, lay_out, legal, play
from tourney.games.cyvasse.board import STEPS

BARE = "????????/?????????/??????????/???????????/............/???????????/??????????/?????????/????????"
NO_PIECES = "......../........./........../.........../............/.........../........../........./........"


def test_white_begins_and_lays_king_tile_first() -> None:
    state = GAME.new()
    assert state.actor == 1
    assert legal(state) == ["king-b3", "king-b5", "king-b7"]
    assert state.position() == f"{BARE} {NO_PIECES} 1 king 0 0"


def test_king_tile_is_plain_and_king_stands_on_its_square() -> None:
    terrain, pieces, seat, phase, *_ = play(GAME.new(), "king-b5").position().split(" ")
    assert terrain.split("/")[5:] == ["????...????", "????..????", "????.????", "????????"]
    assert pieces.split("/")[7] == "....K...."
    assert (seat, phase) == ("1", "tile-0:12345678")


def test_tiles_left_are_offered_turned_only_where_visible() -> None:
    state = play(GAME.new(), "king-b5")
    assert legal(state) == [
        "tile-1", "tile-2", "tile-2t", "tile-3", "tile-3t", "tile-4", "tile-4t", "tile-5", "tile-5t",
        "tile-6", "tile-6t", "tile-7", "tile-8",
    ]  # fmt: skip
    state = play(state, "tile-1", "tile-3t")
    assert state.position().split(" ")[3] == "tile-2:245678"
    assert legal(state) == ["tile-2", "tile-2t", "tile-4", "tile-4t", "tile-5", "tile-6", "tile-7", "tile-8"]


def test_tiles_are_laid_block_by_block_upper_blocks_first() -> None:
    state = play(GAME.new(), "king-b5", *WHITE_TILES)
    terrain, _, _, phase, *_ = state.position().split(" ")
    # L1 tile 1, L2 tile 2 turned, R2 tile 3, R3 tile 4; then 5 turned, 6, 7, 8 below
    assert terrain.split("/")[5:] == ["M......W..M", ".MWW......", "...W.....", ".M......"]
    assert phase == "put-0"


def test_blacks_tiles_are_laid_turned_by_half_circle() -> None:
    white = lay_out(GAME.new())
    assert white.actor == 2
    assert legal(white) == ["king-h3", "king-h5", "king-h7"]
    black = play(white, "king-h5", *WHITE_TILES)
    terrain, pieces, seat, phase, *_ = black.position().split(" ")
    assert terrain.split("/")[:4] == ["......M.", ".....W...", "......WWM.", "M..W......M"]
    assert pieces.split("/")[1] == "....k...."
    assert (seat, phase) == ("2", "put-0")


def test_blacks_king_squares_are_whites_turned() -> None:
    white = lay_out(GAME.new())
    laid = play(white, "king-h7").position().split(" ")[0].split("/")
    assert laid[:4] == ["????????", "??????.??", "??????..??", "??????...??"]


def test_pieces_are_put_in_pages_order() -> None:
    state = play(GAME.new(), "king-b5", *WHITE_TILES)
    order = []
    for k in range(22):
        before = state.position().split(" ")
        assert before[3] == f"put-{k}"
        state = lay_out(state, k, 1)
        after = state.position().split(" ")
        gained = [new for old, new in zip(before[1], after[1], strict=True) if old != new]
        order += gained
    assert "".join(order) == "RRRRRRSSSLLLHHEECCTDWW"
    assert state.actor == 2


def test_piece_goes_on_free_square_of_own_side_without_mountain() -> None:
    state = play(GAME.new(), "king-b5", *WHITE_TILES)
    side = [f"{row}{i}" for row, n in zip("abcd", (8, 9, 10, 11), strict=True) for i in range(1, n + 1)]
    barred = {"b5", "d1", "d11", "c2", "a2"}  # the King's square and the mountains
    assert legal(state) == sorted(f"put-{name}" for name in side if name not in barred)
    state = play(state, "put-d8")  # water
    assert legal(state) == sorted(f"put-{name}" for name in side if name not in barred | {"d8"})


def test_black_puts_its_pieces_on_its_own_side() -> None:
    black = play(lay_out(GAME.new()), "king-h5", *WHITE_TILES)
    assert {text[4] for text in legal(black)} == set("fghi")
    assert "r" in play(black, "put-i1").position().split(" ")[1].split("/")[0]


def test_after_set_up_board_is_open_and_white_moves() -> None:
    state = lay_out(lay_out(GAME.new()), 2)
    assert state.actor == 1
    assert state.position().split(" ")[2:] == ["1", "play", "0", "0"]
    assert "?" not in state.position()
    assert state.observation(1) == state.observation(2) == state.position()


def test_set_up_has_31_actions_per_seat() -> None:
    assert STEPS == 31
    assert lay_out(GAME.new(), steps=30).actor == 1
    assert lay_out(GAME.new(), steps=31).actor == 2
    assert lay_out(GAME.new(), steps=61).actor == 2


@pytest.mark.parametrize("steps", [0, 1, 5, 9, 20, 30])
def test_black_sees_nothing_of_whites_set_up(steps: int) -> None:
    state = lay_out(GAME.new(), steps=steps)
    assert state.observation(2) == f"{BARE} {NO_PIECES} 1 hidden 0 0"
    assert state.observation(1) == state.position()


@pytest.mark.parametrize("steps", [0, 1, 5, 9, 20, 30])
def test_each_seat_sees_own_side_during_blacks_set_up(steps: int) -> None:
    white = lay_out(GAME.new())
    black = lay_out(white, 2, steps)
    terrain, pieces, *_ = white.position().split(" ")
    assert black.observation(1) == f"{terrain} {pieces} 2 hidden 0 0"
    terrain, pieces, seat, phase, *_ = black.position().split(" ")
    north = "/".join(terrain.split("/")[:4]), "/".join(pieces.split("/")[:4])
    south = "/".join(BARE.split("/")[4:]), "/".join(NO_PIECES.split("/")[4:])
    assert black.observation(2) == f"{north[0]}/{south[0]} {north[1]}/{south[1]} {seat} {phase} 0 0"


def test_set_up_actions_are_visible_only_to_own_seat() -> None:
    state = GAME.new()
    for seed in (1, 2):
        for k in range(STEPS):
            action = state.legal_actions()[0]
            assert [state.visible(action, seat) for seat in (1, 2)] == [seed == 1, seed == 2]
            state = lay_out(state, seed + k, 1)
    assert all(state.visible(action, seat) for action in state.legal_actions() for seat in (1, 2))


def test_hidden_actions_are_revealed_when_both_are_done() -> None:
    state = GAME.new()
    assert state.revealed()
    for k in range(2 * STEPS):
        state = lay_out(state, k, 1)
        assert state.revealed() == (k == 2 * STEPS - 1)


def test_game_never_ends_during_set_up() -> None:
    for steps in (0, 10, 31, 61):
        state = lay_out(GAME.new(), steps=steps)
        assert state.ranks() is None
        assert state.reason() == ""
