"""The Seven Sages: action strings and position strings, strict both ways."""

import pytest

from tests.games.seven_sages.made import GAME, START, legal, made, read, text
from tourney.errors import ActionError, PositionError
from tourney.games.base import OVER

RED = "c5,e4,g3,h1,i3,k4,m5"
BLUE = "c11,e12,g13,h15,i13,k12,m11"


def edit(**fields: str) -> str:
    """The start's string with fields replaced."""
    names = ["red", "blue", "fool", "seat", "points", "round_", "ply", "starter"]
    return " ".join(fields.get(name, word) for name, word in zip(names, START.split(" "), strict=True))


@pytest.mark.parametrize("action", ["c5-c9", "h3xh8>e11", "h3xh8>h15", "a10-a9", "o15xn14>b2", "pass"])
def test_action_string_is_read_and_written(action: str) -> None:
    assert GAME.action_string(GAME.parse_action(action)) == action


@pytest.mark.parametrize(
    "action",
    [
        *(
            "",
            "Pass",
            "pass-",
            "c5",
            "c5-",
            "c5-c16",
            "c5-c09",
            "c5-p3",
            "c0-c5",
            "c5 -c9",
            "C5-c9",
            "c5-c9 ",
        ),
        *("c5-c9\n", "c\uff15-c9", "c5xh8", "c5xh8>", "c5-h8>e11", "h3xh8>e111", "h3xh8e11"),
    ],
)
def test_malformed_action_string_is_refused(action: str) -> None:
    with pytest.raises(ActionError):
        GAME.parse_action(action)


@pytest.mark.parametrize("action", ["c5-c5", "c5-d7", "c11-c10", "c4-c6", "h1xh8>h8", "pass", "h1-h8"])
def test_illegal_action_at_start_is_refused(action: str) -> None:
    with pytest.raises(ActionError, match="not legal"):
        GAME.read_action(read(START), action)


def test_list_is_sorted_by_code_point() -> None:
    """Strings sort as text: - before digits, digits before x; so h1's ousts come after all actions of h11."""
    actions = legal(made(red="h1 h11 k9", fool="h8"))
    assert actions == sorted(actions)
    moves = [action for action in actions if action[0] == "h"]
    kinds = [
        action[: 3 if action[2] in "-x" else 4][:-1] + action[2 if action[2] in "-x" else 3]
        for action in moves
    ]
    assert list(dict.fromkeys(kinds)) == ["h1-", "h11-", "h11x", "h1x"]


@pytest.mark.parametrize(
    "string",
    [
        START,
        text(red="h3", blue="h12", seat=2, ply=119, points="4:4", round_=12),
        edit(red="f1,g1,h1,i1,j1,k1,l1"),
        edit(red="f15,g15,h1,i15,j15,k4,m5", blue="a1,f14,g14,h15,i14,j14,k14"),
        edit(points="5:0", fool="f15", seat="2", ply="0", starter="2"),
        edit(points="0:5", fool="f15", seat="2", ply="7", starter="1"),
        edit(points="4:6", fool="j1", seat="1", ply="0"),
        edit(points="0:0", fool="g15", seat="2", ply="1", round_="12"),
        edit(points="6:4", fool="g1", seat="1", ply="120", round_="3"),
        edit(points="3:1", ply="120", round_="12"),
        edit(ply="119", seat="2"),
    ],
)
def test_possible_position_round_trips(string: str) -> None:
    """Unreachable positions are accepted: threes, full cities, and final points of either side."""
    assert read(string).position() == string


@pytest.mark.parametrize(
    ("string", "ranks"),
    [
        (edit(points="5:0", fool="f15", seat="2", ply="1"), (1, 2)),
        (edit(points="0:5", fool="f15", seat="2", ply="1"), (2, 1)),
        (edit(points="2:2", fool="g1", ply="2", round_="12"), (1, 1)),
        (edit(points="3:1", ply="120", round_="12"), (1, 2)),
    ],
)
def test_finished_game_is_read_as_over(string: str, ranks: tuple[int, int]) -> None:
    state = read(string)
    assert (state.actor, state.ranks(), legal(state)) == (OVER, ranks, [])


REFUSED = {
    "empty": ("", "8 fields"),
    "seven-fields": (START.rsplit(" ", 1)[0], "8 fields"),
    "nine-fields": (START + " 1", "8 fields"),
    "two-blanks": (START.replace(" h8", "  h8"), "8 fields"),
    "newline": (START + "\n", "STARTER"),
    "square-off-the-board": (edit(red="c5,e4,g3,h1,i3,k4,m16"), "m16"),
    "leading-zero-in-a-square": (edit(red="c05,e4,g3,h1,i3,k4,m5"), "c05"),
    "capital": (edit(fool="H8"), "H8"),
    "unsorted-files": (edit(red="e4,c5,g3,h1,i3,k4,m5"), "sorted"),
    "ranks-sorted-as-text": (edit(red="c11,c5,g3,h1,i3,k4,m5"), "sorted"),
    "six-sages": (edit(red="c5,e4,g3,h1,i3,k4"), "7 different"),
    "eight-sages": (edit(red=RED + ",n5"), "7 different"),
    "twice-the-same": (edit(red="c5,c5,g3,h1,i3,k4,m5"), "7 different"),
    "shared-square": (edit(blue="c5,e12,g13,h15,i13,k12,m11"), "both"),
    "empty-list": (edit(red=""), "RED"),
    "fool-on-a-red-sage": (edit(fool="c5"), "the fool and a sage"),
    "fool-on-a-blue-sage": (edit(fool="h15", points="5:0", seat="2", ply="1"), "the fool and a sage"),
    "fool-in-barbarian-country": (edit(fool="a8"), "barbarian"),
    "fool-in-barbarian-country-at-the-end": (edit(fool="e15", points="5:0", seat="2", ply="1"), "barbarian"),
    "fool-in-a-city-and-not-over": (edit(fool="f1", points="4:4"), "not over"),
    "fool-in-a-city-in-round-11": (edit(fool="f1", points="4:4", round_="11"), "not over"),
    "fool-in-the-city-of-the-other-seat": (edit(fool="f15", points="5:0"), "not in the city of seat 1"),
    "fool-in-the-city-of-the-other-seat-in-round-12": (edit(fool="f15", round_="12"), "not in the city"),
    "points-that-win-and-fool-in-no-city": (edit(points="5:0"), "in no city"),
    "points-that-win-in-round-12": (edit(points="0:6", round_="12", ply="120"), "in no city"),
    "both-have-won": (edit(points="5:5", fool="f1"), "both"),
    "both-have-won-with-6": (edit(points="6:5", fool="f1"), "both"),
    "seven-points": (edit(points="7:0", fool="f1"), "POINTS"),
    "no-colon": (edit(points="00"), "POINTS"),
    "two-colons": (edit(points="0:0:0"), "POINTS"),
    "leading-zero": (edit(points="00:0"), "POINTS"),
    "minus": (edit(points="-1:0"), "POINTS"),
    "seat-3": (edit(seat="3"), "SEAT"),
    "seat-does-not-fit": (edit(seat="2"), "take turns"),
    "starter-does-not-fit": (edit(starter="2"), "take turns"),
    "starter-0": (edit(starter="0"), "STARTER"),
    "round-0": (edit(round_="0"), "ROUND"),
    "round-13": (edit(round_="13"), "ROUND"),
    "ply-121": (edit(ply="121", seat="2"), "PLY"),
    "ply-with-a-zero": (edit(ply="00"), "PLY"),
    "ply-120-and-not-over": (edit(ply="120"), "not over"),
    "digits-of-another-script": (edit(ply="٢"), "PLY"),
}
"""Position strings, and a part of the error."""


@pytest.mark.parametrize(("string", "says"), REFUSED.values(), ids=REFUSED)
def test_impossible_position_is_refused_in_one_sentence(string: str, says: str) -> None:
    with pytest.raises(PositionError) as refusal:
        read(string)
    assert says in str(refusal.value)


def test_nothing_is_hidden() -> None:
    state = made(red="h3", blue="h12")
    assert state.observation(1) == state.observation(2) == state.position()
    assert GAME.sample(state.position(), 2, lambda _: 0).position() == state.position()
