"""Sages Tafl and Sage Stones on made-up positions: properties, and agreement with the oracle.

Random games rarely reach full columns, the last rolls, crowded rivers or captured sages. So these tests
make random positions, most of them possible, and play a few actions from each.
"""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games.oracles import sage_stones, sages_tafl
from tests.games.sage_stones import positions as stones_positions
from tests.games.sages_tafl import positions as tafl_positions
from tourney.errors import PositionError
from tourney.games.base import CHANCE, OVER, AnyGame, State
from tourney.seeds import RandBelow, stream

SQUARES = [file + rank for file in "abcdefgh" for rank in "123456789"]
CROWDED = [file + rank for file in "abcdefgh" for rank in "456"]
MANY = settings(max_examples=200, deadline=None)


@st.composite
def tafl_strings(draw: st.DrawFn) -> str:
    """Make strings of Sages Tafl, some of them impossible."""
    letters = draw(st.lists(st.sampled_from("AAAAFFSaaaaffs"), max_size=24))
    where = draw(st.sampled_from([SQUARES, CROWDED]))
    at = draw(st.permutations(where))
    pieces = " ".join(letter + square for letter, square in zip(letters, at, strict=False))
    towers = draw(st.sampled_from(["Tt", "T", "t", "-"]))
    points = f"{draw(st.integers(0, 6))}:{draw(st.integers(0, 6))}"
    ply = draw(st.sampled_from([0, 7, 99, 100, 395, 398, 399, 400]))
    quiet = draw(st.sampled_from([0, 5, 95, 98, 99, 100]))
    return tafl_positions.text(pieces, draw(st.integers(1, 2)), towers, points, quiet, ply)


@st.composite
def possible_tafl_strings(draw: st.DrawFn) -> str:
    """Make strings of Sages Tafl that the rules page accepts."""
    count = draw(st.integers(0, 22))
    at = draw(st.permutations(draw(st.sampled_from([SQUARES, CROWDED]))))
    kinds = draw(st.permutations(list("AAAAAAAAFFSaaaaaaaaffs")))[:count]
    pieces = " ".join(letter + square for letter, square in zip(kinds, at, strict=False))
    towers, points = "", []
    for sage, apprentice in ("SA", "sa"):
        tower = sage not in kinds and draw(st.booleans())
        towers += ("T" if sage == "S" else "t") if tower else ""
        escaped = draw(st.integers(0, min(8 - kinds.count(apprentice), 4)))
        points.append(escaped if tower or sage in kinds else min(escaped + 3, 4))
    ply = draw(st.sampled_from([0, 60, 99, 100, 388, 395, 399]))
    quiet = draw(st.sampled_from([0, ply // 2, ply])) if ply < 100 else draw(st.sampled_from([0, 92, 99]))
    seat = draw(st.integers(1, 2))
    return tafl_positions.text(pieces, seat, towers or "-", ":".join(map(str, points)), quiet, ply)


@st.composite
def stones_settings(draw: st.DrawFn) -> tuple[int, int, bool]:
    seats = draw(st.sampled_from([2, 3, 4]))
    return seats, draw(st.sampled_from([3, 4, 10, 15])), seats > 2 and draw(st.booleans())


@st.composite
def stones_strings(draw: st.DrawFn) -> tuple[str, tuple[int, int, bool]]:
    """Make strings of Sage Stones for some settings, most of them possible; fill column by column."""
    seats, count, play_on = draw(stones_settings())
    colours = 3 if seats == 3 else 4
    done = (
        draw(st.permutations(range(1, colours + 1)))[: draw(st.integers(0, colours - 1))] if play_on else []
    )
    laid = [draw(st.integers(0, count if c in done else count - 1)) for c in range(1, colours + 1)]
    left = {c: n for c, n in enumerate(laid, 1) if n}
    board = []
    order = draw(st.permutations("3456789"))
    gap = draw(st.integers(0, 4))
    for name in order:
        for row in "abcdefghi":
            if left and not (gap and draw(st.integers(0, 4)) < gap):
                colour = draw(st.sampled_from(sorted(left)))
                board.append(f"{name}{row}{colour}")
                left[colour] -= 1
                if not left[colour]:
                    del left[colour]
    placed = [sum(word[2] == str(c) for word in board) for c in range(1, colours + 1)]
    hands = ",".join(
        f"#{done.index(c) + 1}" if c in done else str(count - placed[c - 1]) for c in range(1, colours + 1)
    )
    text = stones_positions.text(
        " ".join(board),
        draw(st.integers(1, colours)),
        draw(st.sampled_from(["roll", "roll", "over", "3+", "4", "5", "6", "6+", "9+"])),
        seats=seats,
        count=count,
        play_on=play_on,
        hands=hands,
        rolls=draw(st.sampled_from([0, 20, 496, 498, 499, 500])),
    )
    return text, (seats, count, play_on)


def answers(game: AnyGame, state: State[int]) -> tuple[str, list[str], str, str]:
    actor = {CHANCE: "chance", OVER: "over"}.get(state.actor, str(state.actor))
    ranks = " ".join(map(str, state.ranks() or ())) or "-"
    return state.position(), [game.action_string(a) for a in state.legal_actions()], actor, ranks


def hold(game: AnyGame, state: State[int]) -> None:
    """Check the properties of every state of the two games."""
    legal = list(state.legal_actions())
    words = [game.action_string(action) for action in legal]
    assert words == sorted(set(words))
    assert legal == sorted(legal)
    assert [game.parse_action(word) for word in words] == legal
    assert (state.actor == OVER) == (not legal) == (state.ranks() is not None) == bool(state.reason())
    assert all(state.is_legal(action) for action in legal)
    if state.actor == CHANCE:
        assert sum(state.chance_weights()) == 27
        assert len(state.chance_weights()) == len(legal)
    else:
        # No other of all actions is legal.
        others = [action for action in every_action(game) if action not in set(legal)]
        assert not any(state.is_legal(action) for action in others)


def every_action(game: AnyGame) -> list[int]:
    if game is tafl_positions.GAME:
        words = [f"{a}-{b}" for a in CROWDED for b in CROWDED if a != b]
        words += ["pass", "a5-off", "d5-off", "h5-off", "tower-d1", "tower-e8"]
    else:
        words = [column + row for column in "3456789" for row in "abcdefghi"]
        words += ["roll-111", "roll-123"]
    return [game.parse_action(word) for word in words]


def choose(legal: list[str], draw: RandBelow) -> str:
    loud = [word for word in legal if word.endswith(("-off", "5"))]
    words = loud if loud and draw(3) == 0 else legal
    return words[draw(len(words))]


def play_both(
    game: AnyGame,
    state: State[int] | None,
    read: Callable[[], sages_tafl.Oracle | sage_stones.Oracle],
    seed: int,
    plies: int,
) -> None:
    """Check that both implementations refuse a string, or parse it and continue alike."""
    try:
        oracle = read()
    except ValueError:
        assert state is None
        return
    assert state is not None
    draw = stream(seed, "made")
    for _ in range(plies):
        legal = oracle.legal()
        assert answers(game, state) == (oracle.position(), legal, oracle.actor(), oracle.ranks())
        hold(game, state)
        if not legal:
            break
        word = choose(legal, draw)
        state = state.play(game.read_action(state, word))
        oracle.play(word)


def tafl_both(text: str, seed: int, plies: int) -> None:
    try:
        state = tafl_positions.read(text)
        assert state.position() == text
    except PositionError:
        state = None
    play_both(tafl_positions.GAME, state, lambda: sages_tafl.Oracle.read(text), seed, plies)


@MANY
@given(tafl_strings())
def test_sages_tafl_strings_match_oracle(text: str) -> None:
    tafl_both(text, 0, 2)


@pytest.mark.slow
@MANY
@given(possible_tafl_strings(), st.integers(0, 1 << 32))
def test_made_up_sages_tafl_positions_match_oracle(text: str, seed: int) -> None:
    assert tafl_positions.refusal(text) == ""
    tafl_both(text, seed, 12)


@MANY
@given(stones_strings(), st.integers(0, 1 << 32))
def test_made_up_sage_stones_positions_match_oracle(
    made: tuple[str, tuple[int, int, bool]], seed: int
) -> None:
    text, (seats, count, play_on) = made
    try:
        state = stones_positions.GAME.parse_position(text, seats, stones_positions.options(count, play_on))
        assert state.position() == text
    except PositionError:
        state = None
    play_both(
        stones_positions.GAME, state, lambda: sage_stones.Oracle.read(text, seats, count, play_on), seed, 16
    )


def random_game(game: AnyGame, state: State[int], seed: int) -> int:
    """Play a random game, check its properties at every state, and return its length."""
    draw = stream(seed, "walk")
    before, first = state, answers(game, state)
    plies = 0
    while state.actor != OVER:
        legal = state.legal_actions()
        state = state.play(legal[draw(len(legal))])
        plies += 1
    hold(game, state)
    assert answers(game, before) == first
    return plies


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1 << 32))
def test_sages_tafl_ends_within_400_actions(seed: int) -> None:
    game = tafl_positions.GAME
    assert 0 < random_game(game, game.new(), seed) <= game.max_actions == 400


@settings(max_examples=40, deadline=None)
@given(stones_settings(), st.integers(0, 1 << 32))
def test_sage_stones_ends_within_500_rolls(setting: tuple[int, int, bool], seed: int) -> None:
    game = stones_positions.GAME
    seats, count, play_on = setting
    state = game.new(seats, stones_positions.options(count, play_on))
    assert 0 < random_game(game, state, seed) <= game.max_actions == 1000
