"""Element: properties of random and of played positions."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games.element.made import COLUMNS, GAME, board, field, legal, play, read, stones_of, text
from tourney.errors import PositionError
from tourney.games.base import CHANCE, OVER, State
from tourney.seeds import stream

SQUARES = [f"{column}{row}" for column in COLUMNS for row in range(1, 12)]
CORNER = [f"{column}{row}" for column in "abcde" for row in range(1, 6)]


@st.composite
def strings(draw: st.DrawFn) -> str:
    """Make strings in ``act``, mostly crowded in a corner with the sages; some are refused."""
    where = draw(st.sampled_from([SQUARES, CORNER, CORNER]))
    seats = draw(st.sampled_from([2, 2, 3, 4]))
    squares = draw(st.permutations(where))
    kinds = draw(st.lists(st.sampled_from("FWEM1234WW"), max_size=min(40, len(squares) - seats)))
    room = dict.fromkeys("AEFW", 26)
    stones = []
    for what, square in zip(kinds, squares[seats:], strict=False):
        letter, count = stones_of(what)
        if room[letter] >= count:
            room[letter] -= count
            stones.append(what + square)
    hand = "".join(sorted(draw(st.lists(st.sampled_from("AEFWWW"), max_size=4))))
    steps = str(draw(st.integers(0, 5 - len(hand))))
    turn = draw(st.sampled_from([0, 7, 198, 199]))
    return text(" ".join(stones), " ".join(squares[:seats]), hand, steps, turn=turn)


def read_possible(string: str) -> State[int] | None:
    """The state, or None if it is refused, which happens only when the mover is captured."""
    try:
        return read(string)
    except PositionError as refusal:
        if "captured" in str(refusal):
            return None
        raise


def count(state: State[int]) -> dict[str, int]:
    """The stones of each kind on the board, in hand and in the bag."""
    total = {word[0]: int(word[1:]) for word in field(state, "BAG").split(",")}
    for letter in field(state, "HAND").replace("-", ""):
        total[letter] += 1
    for word in board(state):
        letter, number = stones_of(word[0])
        total[letter] += number
    return total


def check(state: State[int], action: str) -> State[int]:
    """Play an action and check the page's rules for every action."""
    mover = int(field(state, "SEAT"))
    after = play(state, action)
    string = after.position()
    again = GAME.parse_position(string, after.seats, {})
    assert again.position() == string
    assert (again.actor, again.ranks()) == (after.actor, after.ranks())
    assert again.legal_actions() == after.legal_actions()
    assert set(count(after).values()) == {30}
    if field(after, "PHASE") == "act":
        core: Any = GAME.scratch(after)
        assert not core.is_captured(mover)
    return after


@settings(max_examples=120, deadline=None)
@given(strings(), st.integers(0, 2**32))
def test_invariants_hold_in_every_position(string: str, seed: int) -> None:
    state = read_possible(string)
    if state is None:
        return
    assert state.position() == string
    draw = stream(seed, "pick")
    for _ in range(8):
        actions = legal(state)
        assert actions == sorted(set(actions))
        assert bool(actions) == (state.actor != OVER)
        if not actions:
            break
        if state.actor == CHANCE:
            assert len(state.chance_weights()) == len(actions)
            assert min(state.chance_weights()) > 0
        rivers = [action for action in actions if action.startswith(("W-", "flow-", "river-"))]
        chosen = rivers if rivers and draw(2) else actions
        state = check(state, chosen[draw(len(chosen))])


@settings(max_examples=12, deadline=None)
@given(st.integers(2, 4), st.integers(0, 2**32))
def test_random_game_ends_within_its_bound(seats: int, seed: int) -> None:
    draw = stream(seed, "pick")
    state: State[int] = GAME.new(seats)
    played = 0
    while state.actor != OVER:
        actions = state.legal_actions()
        state = state.play(actions[draw(len(actions))])
        played += 1
    assert played <= GAME.max_actions
    ranks = state.ranks()
    assert ranks is not None
    assert sorted(ranks) in ([1] * seats, *([1] * k + [1 + k] * (seats - k) for k in range(1, seats)))
    assert read(state.position()).ranks() == ranks


def test_game_without_stones_lasts_200_turns() -> None:
    """Without stones no sage is captured; the turn limit ends the game."""
    state: State[int] = GAME.new(3)
    played = 0
    while state.actor != OVER:
        state = play(state, "draw-0", "end")
        played += 2
    assert (played, state.ranks(), state.reason()) == (400, (1, 1, 1), "length")
