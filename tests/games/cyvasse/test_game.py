"""Properties of every game: strings, legal actions, ends, and no leaks."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games.cyvasse.hands import GAME, lay_out, read
from tourney.games.base import OVER, State
from tourney.seeds import RandBelow, stream

SEEDS = st.integers(0, 2**32)


def drawn(state: State[int], draw: RandBelow, greed: int) -> int:
    """Choose an action at random; prefer a capture ``greed`` times of 4."""
    actions = state.legal_actions()
    captures = [action for action in actions if "x" in GAME.action_string(action)]
    if captures and draw(4) < greed:
        return captures[draw(len(captures))]
    return actions[draw(len(actions))]


@settings(max_examples=12, deadline=None)
@given(seed=SEEDS, greed=st.integers(0, 4))
def test_strings_action_lists_and_bounds_hold(seed: int, greed: int) -> None:
    state, draw, count = GAME.new(), stream(seed, "game"), 0
    while state.actor != OVER:
        strings = [GAME.action_string(action) for action in state.legal_actions()]
        assert strings == sorted(set(strings))
        assert strings
        assert state.ranks() is None
        text = state.position()
        again = read(text)
        assert again.position() == text
        assert list(again.legal_actions()) == list(state.legal_actions())
        assert [again.observation(seat) for seat in (1, 2)] == [state.observation(seat) for seat in (1, 2)]
        action = drawn(state, draw, greed)
        state = state.play(action)
        assert text != state.position()
        count += 1
    assert count <= GAME.max_actions
    assert list(state.legal_actions()) == []
    assert state.reason() in {"king", "no-action", "repetition", "quiet", "length"}
    assert state.ranks() in {(1, 2), (2, 1), (1, 1)}
    assert read(state.position()).position() == state.position()


@settings(max_examples=20, deadline=None)
@given(seed=SEEDS, steps=st.integers(0, 31))
def test_whites_set_up_is_hidden_from_black(seed: int, steps: int) -> None:
    """Two games that differ only in White's set-up send Black the same lines until both are done."""
    states = [lay_out(GAME.new(), seed + k, 31) for k in range(2)]
    assert states[0].position() != states[1].position()
    draw = stream(seed, "black")
    for _ in range(steps):
        assert states[0].observation(2) == states[1].observation(2)
        assert list(states[0].legal_actions()) == list(states[1].legal_actions())
        action = drawn(states[0], draw, 0)
        assert all(not state.visible(action, 1) for state in states)
        states = [state.play(action) for state in states]
    if steps < 31:
        assert states[0].observation(2) == states[1].observation(2)
    else:
        assert states[0].observation(2) != states[1].observation(2)


@settings(max_examples=20, deadline=None)
@given(seed=SEEDS, steps=st.integers(0, 30), other=st.integers(0, 30))
def test_blacks_set_up_is_hidden_from_white(seed: int, steps: int, other: int) -> None:
    white = lay_out(GAME.new(), seed)
    seen = {lay_out(white, seed + k, count).observation(1) for k, count in ((1, steps), (2, other))}
    assert len(seen) == 1


@settings(max_examples=20, deadline=None)
@given(seed=SEEDS, steps=st.integers(0, 30))
def test_black_sees_same_at_every_stage_of_whites_set_up(seed: int, steps: int) -> None:
    assert lay_out(GAME.new(), seed, steps).observation(2) == GAME.new().observation(2)


@settings(max_examples=10, deadline=None)
@given(seed=SEEDS)
def test_play_does_not_change_the_state(seed: int) -> None:
    state, draw = lay_out(lay_out(GAME.new(), seed), seed + 1), stream(seed, "x")
    for _ in range(20):
        if state.actor == OVER:
            return
        before = state.position(), list(state.legal_actions())
        after = state.play(drawn(state, draw, 2))
        assert (state.position(), list(state.legal_actions())) == before
        state = after
