"""The core counts repetitions and quiet turns as the states do, from any point of a game."""

import pytest

from tourney.games import OVER, find_game
from tourney.games.base import AnyState
from tourney.games.compiled import compiled_core, use_plain
from tourney.games.core_base import Core

GAME = find_game("cyvasse")
GROUND = ".MWWM..W/........./.....W..../.........../............/.........../....W...../........./W..MWWM."
PIECES = "k......./........./h........./.........../............/.........../.........H/........./.......K"


@pytest.fixture(params=["plain", "compiled"], autouse=True)
def form(request: pytest.FixtureRequest) -> object:
    """Each form of the core in turn."""
    if request.param == "compiled" and compiled_core("cyvasse") is None:
        pytest.skip("the core is not compiled for its sources: run make cores (it needs a C compiler)")
    use_plain(request.param == "plain")
    yield
    use_plain(None)


def start(tail: str) -> AnyState:
    return GAME.parse_position(f"{GROUND} {PIECES} {tail}", 2, {})


def scratch_of(state: AnyState) -> Core:
    made = GAME.scratch(state)
    assert made is not None
    return made


def play(state: AnyState, scratches: list[Core], text: str) -> AnyState:
    """Play in the state and in all scratches, compare, and add a scratch loaded from the new state."""
    action = GAME.read_action(state, text)
    state = state.play(action)
    for scratch in scratches:
        scratch.play(int(action))
    scratches.append(scratch_of(state))
    for scratch in scratches:
        assert scratch.actor() == state.actor
        assert scratch.ranks() == state.ranks()
        assert [scratch.decode(code) for code in scratch.actions()] == list(state.legal_actions())
    return state


def test_third_time_of_a_position_is_a_draw() -> None:
    state = start("1 play 0 0")
    scratches = [scratch_of(state)]
    for text in ("c10-c9", "g1-g2", "c9-c10", "g2-g1") * 2:
        assert state.actor != OVER
        state = play(state, scratches, text)
    assert state.reason() == "repetition"


def test_position_read_from_a_string_has_no_past() -> None:
    state = start("1 play 90 200")
    scratches = [scratch_of(state)]
    for text in ("c10-c9", "g1-g2", "c9-c10", "g2-g1"):
        state = play(state, scratches, text)
    state = GAME.parse_position(state.position(), 2, {})
    scratches = [scratch_of(state)]
    for text in ("c10-c9", "g1-g2", "c9-c10", "g2-g1"):
        state = play(state, scratches, text)
    assert state.actor != OVER


@pytest.mark.parametrize(("tail", "reason"), [("1 play 98 200", "quiet"), ("1 play 20 398", "length")])
def test_limits_of_turns_end_the_game(tail: str, reason: str) -> None:
    state = start(tail)
    scratches = [scratch_of(state)]
    for text in ("c10-c9", "g1-g2"):
        assert state.actor != OVER
        state = play(state, scratches, text)
    assert state.reason() == reason
    assert state.ranks() == (1, 1)


def test_captured_king_ends_the_game() -> None:
    pieces = (
        "k......./H......../h........./.........../............/.........../.........H/........./.......K"
    )
    state = GAME.parse_position(f"{GROUND} {pieces} 1 play 3 10", 2, {})
    scratches = [scratch_of(state)]
    state = play(state, scratches, "h1xi1")
    assert state.reason() == "king"
    assert scratches[0].values() == (600_000, -600_000)
