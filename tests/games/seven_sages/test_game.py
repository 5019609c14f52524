"""The Seven Sages: properties of random and of played positions."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games.seven_sages.made import FIELDS, GAME, field, legal, order, play, read
from tourney.games.base import OVER, State
from tourney.games.seven_sages.board import DIRECTIONS, SQUARES
from tourney.seeds import stream

KINGDOM = [name for name in SQUARES if name[0] in "bcdefghijklmn" and 2 <= int(name[1:]) <= 14]
CROWDED = [name for name in SQUARES if name[0] in "efghijk" and int(name[1:]) >= 9]
CITIES = {1: {f"{file}1" for file in "fghij"}, 2: {f"{file}15" for file in "fghij"}}


@st.composite
def strings(draw: st.DrawFn) -> str:
    """Make possible strings, half of them crowded around Blue's city."""
    where = draw(st.sampled_from([list(SQUARES), CROWDED]))
    chosen = draw(st.permutations(where))[:15]
    fools = [name for name in chosen if name in KINGDOM]
    fool = fools[0] if fools else next(name for name in KINGDOM if name not in chosen)
    sages = [name for name in chosen if name != fool][:14]
    sides = [",".join(sorted(side, key=order)) for side in (sages[:7], sages[7:])]
    ply = draw(st.sampled_from([0, 1, 60, 118, 119]))
    starter = draw(st.sampled_from([1, 2]))
    seat = starter if ply % 2 == 0 else 3 - starter
    points = draw(st.sampled_from(["0:0", "4:4", "3:4"]))
    return f"{' '.join(sides)} {fool} {seat} {points} {draw(st.sampled_from([1, 11, 12]))} {ply} {starter}"


def has_three(sages: list[str]) -> bool:
    at = {(ord(name[0]), int(name[1:])) for name in sages}
    return any(
        {(x, y), (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)} <= at for x, y in at for dx, dy in DIRECTIONS
    )


def check(state: State[int], action: str) -> State[int]:
    """Play an action and check the page's rules for every action."""
    seat = int(field(state, "SEAT"))
    side = FIELDS[seat - 1]
    after = play(state, action)
    assert read(after.position()).position() == after.position()
    assert read(after.position()).actor == after.actor
    scored = ">" in action and action.split(">")[1] in CITIES[3 - seat]
    assert (field(after, "POINTS") != field(state, "POINTS")) == scored
    if field(after, "ROUND") == field(state, "ROUND"):
        assert field(after, FIELDS[2 - seat]) == field(state, FIELDS[2 - seat])
        sages = field(after, side).split(",")
        assert not has_three(sages) or action == "pass"
        assert (field(after, "FOOL") != field(state, "FOOL")) == (">" in action)
        before = set(field(state, side).split(","))
        assert not (set(sages) - before) & CITIES[3 - seat]
        if (set(sages) - before) & CITIES[seat] and not (before - set(sages)) & CITIES[seat]:
            assert len(set(sages) & CITIES[seat]) == 1
    return after


@settings(max_examples=60, deadline=None)
@given(strings(), st.integers(0, 2**32))
def test_invariants_hold_in_every_position(string: str, seed: int) -> None:
    state = read(string)
    assert state.position() == string
    actions = legal(state)
    assert actions == sorted(set(actions))
    assert actions
    assert ("pass" in actions) == (actions == ["pass"])
    draw = stream(seed, "pick")
    for _ in range(3):
        check(state, actions[draw(len(actions))])


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 2**32))
def test_random_game_ends_within_its_bound(seed: int) -> None:
    """The first fifty actions are checked, the others only counted."""
    draw = stream(seed, "pick")
    state: State[int] = GAME.new()
    count = 0
    while state.actor != OVER:
        actions = state.legal_actions()
        action = actions[draw(len(actions))]
        state = check(state, GAME.action_string(action)) if count < 50 else state.play(action)
        count += 1
    assert count <= GAME.max_actions
    assert state.ranks() in {(1, 2), (2, 1), (1, 1)}
    assert read(state.position()).ranks() == state.ranks()
