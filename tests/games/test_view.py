"""The readable view agrees with the position and its diagram, and shows a seat no more than it sees."""

from collections.abc import Iterator
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from tests.support.toys import Toe
from tourney.errors import GameError
from tourney.games import OVER, all_games, find_game
from tourney.games.base import AnyGame, AnyState
from tourney.games.view import diagram_view, legend, text_diagram
from tourney.seeds import stream

OWN = ("cyvasse", "element", "sage-stones", "sages-tafl", "seven-sages")


def states(name: str, most: int = 90) -> Iterator[tuple[AnyGame, AnyState]]:
    """Yield every fifth state of random games, one for each number of seats."""
    game = find_game(name)
    for seats in game.seat_counts:
        draw = stream(20261122, name, seats)
        state = game.new(seats)
        for ply in range(most):
            if ply % 5 == 0 or state.actor == OVER:
                yield game, state
            if state.actor == OVER:
                break
            legal = state.legal_actions()
            state = state.play(legal[draw(len(legal))])


@pytest.mark.parametrize("name", OWN)
def test_view_shows_what_diagram_shows(name: str) -> None:
    for game, state in states(name):
        view, drawn = state.view(), diagram_view(game, state.position())
        squares = [square for square in drawn.squares if square != "tower"]
        assert set(view.squares) == set(squares)
        shown = {square: piece.seat for square, piece in view.board.items()}
        assert shown == {square: piece.seat for square, piece in drawn.board.items() if square != "tower"}
        assert all(piece.square == square for square, piece in view.board.items())


@pytest.mark.parametrize("name", OWN)
def test_state_and_its_strings_have_equal_views(name: str) -> None:
    for game, state in states(name):
        assert state.view() == game.view(state.position())
        assert state.view().text == state.position()
        for seat in range(1, state.seats + 1):
            assert state.view(seat) == game.view(state.observation(seat))
            assert state.view(seat).text == state.observation(seat)


@pytest.mark.parametrize("name", OWN)
def test_state_and_view_print_board_in_ascii(name: str) -> None:
    for game, state in states(name, 40):
        board = text_diagram(game.diagram(state.position()))
        assert f"{state}\n" == f"{state.view()}\n" == board
        assert board.isascii()
        assert state.position() in repr(state)


@pytest.mark.parametrize("name", OWN)
def test_actions_print_as_their_strings(name: str) -> None:
    for game, state in states(name, 40):
        legal = state.legal_actions()
        names = [game.action_string(action) for action in legal]
        assert [str(action) for action in legal] == names
        assert [f"{legal[k]}" for k in range(len(legal))] == names
        assert str(list(legal)) == f"[{', '.join(names)}]"
        assert [str(action) for action in reversed(legal)] == names[::-1]
        assert [repr(action) for action in legal[1:3]] == names[1:3]
        assert [str(game.parse_action(text)) for text in names] == names


def test_list_of_actions_prints_strings() -> None:
    for name in ("cyvasse", "seven-sages"):
        state = find_game(name).new()
        assert str(state.legal_actions()).startswith("[king-" if name == "cyvasse" else "[c5-")


def test_seat_sees_nothing_of_hidden_set_up() -> None:
    looked = 0
    for _, state in states("cyvasse", 62):
        for seat in (1, 2):
            view: Any = state.view(seat)
            own = {square for square in view.squares if (square[0] < "e") == (seat == 1)}
            assert all(piece.square in own for piece in view.board.values())
            others = [square for square in view.squares if square not in own and square[0] != "e"]
            assert {view.squares[square] for square in others} == {"hidden"}
            assert (view.phase == "hidden") == (state.actor != seat)
            looked += len(view.board)
    assert looked > 40


def test_views_never_change() -> None:
    view: Any = find_game("sages-tafl").new().view()
    with pytest.raises(FrozenInstanceError):
        view.seat = 2
    with pytest.raises(TypeError):
        view.board["a1"] = None


def test_fields_of_views_follow_the_game() -> None:
    element = find_game("element")
    state = element.parse_position(
        "4........../.........../.........../......W..../...EE.1W.../..E.1F.W.../..ME..FWF../...WWW...../"
        "......E..../.........../........... e5,f7 1 act AEWW 1 - A23,E22,F27,W21 12",
        2,
        {},
    )
    view: Any = state.view()
    assert (view.own, view.prey, view.hand, view.steps) == ("e5", "f7", "AEWW", 1)
    assert view.board["a11"] == ("a11", "wind", 0, 4, False)
    assert view.board["c5"] == ("c5", "mountain", 0, 2, True)
    assert view.board["d5"].in_range
    assert not view.board["g3"].in_range
    stones = find_game("sage-stones")
    text = "11......./........./........./........./........./........./......... 2 5 #1,9,9 7"
    read: Any = stones.view(f"{text.replace('#1,9,9', '#1,10,10')} seats=3,stones=10,play-on=yes")
    assert (read.phase, read.column, read.again, read.hands, read.finished) == (
        "place",
        "5",
        False,
        (0, 10, 10),
        (1,),
    )
    assert read.stones_of(1) == ("3a", "3b")
    tafl: Any = find_game("sages-tafl").view("8/8/8/8/S7/8/8/8/AAAAA3 1 t 0:0 0 0")
    assert tafl.sages == ("a5", "tower")


def test_state_without_game_prints_its_position() -> None:
    state = Toe().new()
    assert str(state) == state.position()
    with pytest.raises(GameError, match="attribute game"):
        state.view()


@pytest.mark.addon("chess")
def test_chess_prints_its_board_and_moves() -> None:
    pytest.importorskip("chess")
    state = find_game("chess").new()
    assert str(state).splitlines()[0].split() == ["8", *"rnbqkbnr"]
    assert str(state.legal_actions()[0]) == "a2a3"
    assert [piece.square for piece in state.view().pieces(seat=2, kind="chess-king")] == ["e8"]
    assert "draw" in repr(find_game("chess960").new())


def test_other_games_have_views_by_their_diagrams() -> None:
    for game in all_games():
        state = game.new()
        assert diagram_view(game, state.position()).text == state.position()


@pytest.mark.addon("chess")
def test_legend_names_pieces_by_capitals_and_small_letters() -> None:
    chess_ = find_game("chess")
    guide = chess_.guide()
    assert guide is not None
    found = legend(chess_.diagram(chess_.new().position()), guide.figures, chess_.seat_names)
    assert found[0] == "K King"
    assert found[-2:] == ["CAPITALS: White", "small: Black"]


def test_legend_names_pieces_seats_and_ground() -> None:
    tafl = find_game("sages-tafl")
    diagram = tafl.diagram(tafl.new().position())
    assert "~ river" in legend(diagram, (), tafl.seat_names)
    same = replace(diagram, pieces=tuple(replace(piece, glyph="S") for piece in diagram.pieces))
    numbers = [f"{seat} after a piece: {tafl.seat_names[seat - 1]}" for seat in (1, 2)]
    assert legend(same, (), tafl.seat_names)[:2] == numbers
    assert not any("after a piece" in entry for entry in legend(same, (), tafl.seat_names, color=True))
