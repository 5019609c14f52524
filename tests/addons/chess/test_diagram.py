"""Drawings of chess positions: what each side has captured."""

import pytest

from tourney.addons.chess.diagram import diagram_of


@pytest.mark.parametrize(
    ("board", "notes"),
    [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", []),
        ("r1bqkbnr/pppp1ppp/8/4p3/4P3/8/PPP2PPP/RN1QKBNR", ["White: ♞", "Black: ♙♗"]),
        (
            "rnbqkbnQ/ppppppp1/8/8/8/8/PPPPPPP1/RNBQKBNR",
            ["White: ♟♜"],
        ),  # a pawn took a pawn, then a rook as a Queen
        ("4k3/8/8/8/8/8/8/4K2Q", ["White: ♟♟♟♟♟♟♟♟♞♞♝♝♜♜♛", "Black: ♙♙♙♙♙♙♙♙♘♘♗♗♖♖"]),
    ],
)
def test_captured_pieces_follow_from_those_on_the_board(board: str, notes: list[str]) -> None:
    found = diagram_of(f"{board} w - - 0 1", None)
    assert [note for note in found.notes if note.startswith(("White: ", "Black: "))] == notes
