"""Element: the start, drawing stones, chance, the end of a turn, and perft."""

from math import comb

import pytest

from tests.games.element.made import COLUMNS, GAME, START_2, A, B, field, legal, made, named, play, read, text
from tourney.games.base import CHANCE
from tourney.games.tree import perft

FULL = "A30,E30,F30,W30"


@pytest.mark.parametrize(
    ("position", "depth", "count"),
    [(START_2, 1, 5), (START_2, 2, 78), (A, 1, 323), (A, 2, 75_434), (B, 1, 335), (B, 2, 75_037)],
    ids=["start-1", "start-2", "A-1", "A-2", "B-1", "B-2"],
)
def test_perft_matches_rules_page(position: str, depth: int, count: int) -> None:
    assert perft(read(position), depth) == count


@pytest.mark.parametrize(("seats", "sages"), [(2, "f5,f7"), (3, "c3,i3,i9"), (4, "c3,i3,i9,c9")])
def test_start_position_matches_rules_page(seats: int, sages: str) -> None:
    state = GAME.new(seats)
    assert state.position() == START_2.replace("f5,f7", sages)
    assert (state.seats, state.actor) == (seats, 1)
    assert perft(state, 2) == 78


def test_seat_draws_0_to_4_stones() -> None:
    assert legal(GAME.new()) == ["draw-0", "draw-1", "draw-2", "draw-3", "draw-4"]


def nearly_empty_bag(left: str, phase: str) -> str:
    """A position whose bag holds the letters of ``left``; whirlwinds and mountains save squares."""
    counts = {letter: 30 - left.count(letter) for letter in "AEFW"}
    squares = iter(f"{column}{row}" for column in "abcdefghij" for row in range(1, 12))
    stones = []
    for letter, pile, name in (("A", 4, "4"), ("E", 2, "M")):
        full, rest = divmod(counts[letter], pile)
        stones += [name] * full + ([{"A": str(rest), "E": "E"}[letter]] if rest else [])
    stones += ["F"] * counts["F"] + ["W"] * counts["W"]
    lying = " ".join(what + next(squares) for what in stones)
    return text(lying, sages="k1 k11", phase=phase)


@pytest.mark.parametrize(
    ("left", "numbers"), [("", 0), ("F", 1), ("AF", 2), ("WWW", 3), ("AEFW", 4), ("AEFWW", 4)]
)
def test_drawing_is_limited_by_the_bag(left: str, numbers: int) -> None:
    assert legal(read(nearly_empty_bag(left, "draw"))) == [f"draw-{n}" for n in range(numbers + 1)]


def test_drawing_n_stones_leaves_5_minus_n_steps() -> None:
    state = play(GAME.new(), "draw-3")
    assert state.actor == CHANCE
    assert state.position() == START_2.replace(" draw ", " chance-3 ")
    after = play(state, "stones-AFF")
    assert after.position() == START_2.replace(f"draw - - - {FULL}", "act AFF 2 - A29,E30,F28,W30")


def test_drawing_no_stones_leaves_5_steps() -> None:
    after = play(GAME.new(), "draw-0")
    assert after.position() == START_2.replace(" draw - - -", " act - 5 -")


@pytest.mark.parametrize(("number", "outcomes"), [(1, 4), (2, 10), (3, 20), (4, 35)])
def test_outcomes_are_hands_weighted_by_their_ways(number: int, outcomes: int) -> None:
    state = play(GAME.new(), f"draw-{number}")
    names = legal(state)
    assert len(names) == outcomes
    assert names == sorted(names)
    assert sum(state.chance_weights()) == comb(120, number)
    weights = dict(zip(names, state.chance_weights(), strict=True))
    assert weights["stones-" + "A" * number] == comb(30, number)
    if number == 4:
        assert weights["stones-AEFF"] == 30 * 30 * comb(30, 2)


def test_outcomes_are_limited_by_bag() -> None:
    state = read(nearly_empty_bag("AFFW", "chance-3"))
    assert legal(state) == ["stones-AFF", "stones-AFW", "stones-FFW"]
    assert state.chance_weights() == [1, 2, 1]


def test_only_chance_nodes_have_weights() -> None:
    with pytest.raises(ValueError, match="chance"):
        GAME.new().chance_weights()


def test_end_is_legal_only_with_empty_hand() -> None:
    state = made(hand="W")
    assert "end" not in legal(state)
    assert "end" in legal(play(state, "W-e5"))


def test_end_passes_turn_and_discards_steps() -> None:
    state = made(sages="a1 k11 a11", steps="4", turn=7)
    after = play(state, "end")
    names = ("SEAT", "PHASE", "HAND", "STEPS", "USED", "TURN")
    assert [field(after, name) for name in names] == ["3", "draw", "-", "-", "-", "8"]
    assert field(play(after, "draw-0", "end"), "SEAT") == "1"


def chequered(hand: str) -> str:
    """A position without a place for Water: no Fire, and every second square open.

    Each open square has Water beside it, so a river there must flow, but has no path.
    """
    lying = []
    others = iter("E" * (30 - hand.count("E")) + "WWWW" + "1")
    for x, column in enumerate(COLUMNS):
        for y in range(11):
            if x % 2 == y % 2 == 1:
                lying.append(f"W{column}{y + 1}")
            elif x % 2 == y % 2 == 0 and (x, y) not in ((0, 0), (10, 10)):
                lying.append(f"{next(others)}{column}{y + 1}")
    return text(" ".join(lying), hand=hand, steps="0")


def test_end_is_legal_without_legal_placement_and_returns_stones() -> None:
    state = read(chequered("W"))
    assert legal(state) == ["end"]
    assert field(state, "BAG") == "A30,E0,F30,W0"
    after = play(state, "end")
    assert (field(after, "HAND"), field(after, "BAG")) == ("-", "A30,E0,F30,W1")


def test_one_stone_with_placement_makes_end_illegal() -> None:
    state = read(chequered("EW"))
    assert named(state, "W") == set()
    assert named(state, "E")
    assert "end" not in legal(state)
