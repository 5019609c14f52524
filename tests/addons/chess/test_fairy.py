"""The family ``fairy``: starts, ends and refusals by the package, and boards."""

import subprocess
import sys

import pytest

from tests.support.command import ROOT, invoke
from tourney.addons.chess.fairy import FairyState, package
from tourney.errors import ActionError, GameError
from tourney.games import OVER, find_game, stream
from tourney.games.base import AnyState
from tourney.games.view import text_diagram


def after(variant: str, moves: str, fen: str = "") -> AnyState:
    game = find_game(f"fairy:{variant}")
    state = FairyState(variant, fen, ()) if fen else game.new()
    for move in moves.split():
        state = state.play(game.read_action(state, move))
    return state


@pytest.mark.parametrize(
    ("variant", "count"), [("crazyhouse", 20), ("shogi", 30), ("xiangqi", 44), ("makruk", 23)]
)
def test_variants_begin_with_their_moves(variant: str, count: int) -> None:
    game = find_game(f"fairy:{variant}")
    state = game.new()
    moves = list(state.legal_actions())
    assert (len(moves), moves) == (count, sorted(moves))
    following = state.play(moves[0])
    assert (state.actor, following.actor, following.ranks()) == (1, 2, None)
    drawn = text_diagram(game.diagram(following.position(), moves[0]))
    assert "Black to move" in drawn
    assert f"last: {moves[0]}" in drawn


@pytest.mark.parametrize(
    ("variant", "moves", "fen", "reason", "ranks"),
    [
        ("crazyhouse", "f2f3 e7e5 g2g4 d8h4", "", "checkmate", (2, 1)),
        ("atomic", "g1f3 a7a6 f3g5 a6a5 g5f7", "", "variant-end", (1, 2)),
        ("kingofthehill", "e3e4", "rnbq1bnr/pppp1ppp/6k1/8/8/4K3/8/8 w - - 0 1", "variant-end", (1, 2)),
        ("crazyhouse", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8", "", "repetition-or-count", (1, 1)),
        ("chess", "a1b2", "8/8/8/4k3/8/8/1r6/K7 w - - 0 1", "insufficient-material", (1, 1)),
    ],
)  # fmt: skip
def test_ends_are_the_packages(
    variant: str, moves: str, fen: str, reason: str, ranks: tuple[int, int]
) -> None:
    state = after(variant, moves, fen)
    assert (state.reason(), state.ranks(), state.actor) == (reason, ranks, OVER)
    assert list(state.legal_actions()) == []


@pytest.mark.parametrize(
    ("variant", "moves"), [("atomic", "g1f3 a7a6 f3g5 a6a5 g5f7"), ("3check", "e2e4 f7f6 d1h5 g7g6 h5g6")]
)
def test_package_lists_no_moves_after_the_end(variant: str, moves: str) -> None:
    """A state asks for the end by the variant's rules only where there are none."""
    fairy, words = package(), moves.split()
    start = fairy.start_fen(variant).replace("3+3", "2+3")
    over, legal = zip(
        *(
            (bool(fairy.is_immediate_game_end(*about)[0]), bool(fairy.legal_moves(*about)))
            for count in range(len(words) + 1)
            if (about := (variant, start, words[:count]))
        ),
        strict=True,
    )
    assert legal == tuple(not ended for ended in over)
    assert over == (*[False] * len(words), True)


@pytest.mark.parametrize("variant", ["crazyhouse", "racingkings", "xiangqi", "makruk", "janggi"])
def test_no_game_with_legal_moves_has_ended(variant: str) -> None:
    fairy, draw, moves = package(), stream(1, variant), list[str]()
    start = fairy.start_fen(variant)
    while len(moves) < 60 and (legal := sorted(fairy.legal_moves(variant, start, moves))):
        assert not fairy.is_immediate_game_end(variant, start, moves)[0]
        moves.append(legal[draw(len(legal))])
    assert len(moves) > 20


@pytest.mark.parametrize("variant", ["crazyhouse", "shogi", "dobutsu", "kyotoshogi", "torishogi"])
def test_material_suffices_where_captured_pieces_come_back(variant: str) -> None:
    """Also for two kings alone: a state does not ask."""
    fairy = package()
    kings = {"crazyhouse": "k7/8/8/8/8/8/8/K7[] w - - 0 1", "dobutsu": "l2/3/3/2L[] w - - 0 1"}
    fen = kings.get(variant, fairy.start_fen(variant))
    assert fairy.captures_to_hand(variant)
    assert fairy.has_insufficient_material(variant, fen, []) == (False, False)


def test_piece_in_hand_is_dropped() -> None:
    state = after("crazyhouse", "e2e4 d7d5 e4d5 d8d5 b1c3 d5a5")
    assert "P@e4" in state.legal_actions()
    dropped = state.play("P@e4")
    shown = text_diagram(find_game("fairy:crazyhouse").diagram(dropped.position(), "P@e4"))
    assert "Black: P in hand" in shown
    assert "[P]" in shown


@pytest.mark.parametrize("name", ["bughouse", "fischerandom", "no-such", ""])
def test_variant_that_is_not_played_is_refused(name: str) -> None:
    with pytest.raises(GameError, match=r"there is no variant fairy:|names no game"):
        find_game(f"fairy:{name}")


def test_wrong_moves_are_refused() -> None:
    game = find_game("fairy:makruk")
    for text in ("a3a5", "x", "a b", "P@e4"):
        with pytest.raises(ActionError):
            game.read_action(game.new(), text)


def test_family_lists_its_variants() -> None:
    names = [line.split(",")[0] for line in invoke("games", "fairy", "--format", "csv").stdout.splitlines()]
    assert {"fairy:crazyhouse", "fairy:shogi", "fairy:xiangqi", "fairy:makruk"} <= set(names)
    assert "fairy:bughouse" not in names


def test_family_without_the_package_names_the_extra() -> None:
    script = (
        "import sys; sys.modules['pyffish'] = None\n"
        "from tourney.games import find_game\n"
        "try: find_game('fairy:shogi')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert "install it by pip install 'tourney[fairy]'" in done.stdout
