"""The Seven Sages: turns, points, rounds, end and result."""

from tests.games.seven_sages.made import GAME, START, field, legal, made, play, read, text
from tourney.games.base import OVER

KEEN = "h3"
"""In this position Red scores 2 with h3xh8>h15."""


def test_start_position_matches_rules_page() -> None:
    assert GAME.new().position() == START
    assert GAME.new().actor == 1


def test_seats_take_turns_and_actions_are_counted() -> None:
    state = play(GAME.new(), "c5-c6", "c11-c10")
    assert state.position() == "c6,e4,g3,h1,i3,k4,m5 c10,e12,g13,h15,i13,k12,m11 h8 1 0:0 1 2 1"


def test_oust_moves_sage_to_fools_square() -> None:
    state = play(made(red="h3", blue="h12"), "h3xh8>c11")
    assert "h8" in field(state, "RED").split(",")
    assert "h3" not in field(state, "RED").split(",")
    assert field(state, "FOOL") == "c11"
    assert field(state, "POINTS") == "0:0"


def test_score_starts_new_round_with_the_loser() -> None:
    state = play(made(red=KEEN), "h3xh8>h15")
    assert state.position() == "c5,e4,g3,h1,i3,k4,m5 c11,e12,g13,h15,i13,k12,m11 h8 2 2:0 2 0 2"
    by_blue = play(made(blue="h12", seat=2), "h12xh8>h1")
    assert by_blue.position() == "c5,e4,g3,h1,i3,k4,m5 c11,e12,g13,h15,i13,k12,m11 h8 1 0:2 2 0 1"


def test_seat_with_5_points_or_more_wins() -> None:
    """The fields stay as the last action left them; SEAT is the other seat."""
    for before, after in (("3:4", "5:4"), ("4:4", "6:4")):
        state = play(read(text(red=KEEN, points=before, ply=8)), "h3xh8>h15")
        assert state.actor == OVER
        assert legal(state) == []
        assert state.ranks() == (1, 2)
        assert state.reason() == "points"
        assert state.position().split(" ")[2:] == ["h15", "2", after, "1", "9", "1"]
    assert play(read(text(red=KEEN, points="2:4")), "h3xh8>h15").actor == 2
    blue = play(read(text(blue="h12", seat=2, points="0:3")), "h12xh8>h1")
    assert (blue.ranks(), blue.actor, field(blue, "SEAT")) == ((2, 1), OVER, "1")


def test_unfinished_game_has_no_result() -> None:
    state = GAME.new()
    assert state.ranks() is None
    assert state.reason() == ""


def test_round_ends_without_points_after_120_actions() -> None:
    """The other seat starts the next round, regardless of the last actor."""
    state = play(read(text(red="h3", seat=2, ply=119, points="1:3", starter=1)), "o3-o2")
    assert state.position() == START.replace("1 0:0 1 0 1", "2 1:3 2 0 2")
    second = play(read(text(red="h3", seat=1, ply=119, points="1:3", starter=2, round_=2)), "a3-a2")
    assert second.position() == START.replace("1 0:0 1 0 1", "1 1:3 3 0 1")


def test_passes_count_as_actions_of_round() -> None:
    """Red has two threes, so nothing else is legal."""
    stuck = text(red="c3 d3 e3 k3 l3 m3 a8", fool="n13", seat=1, ply=119, starter=2)
    state = play(read(stuck), "pass")
    assert field(state, "ROUND") == "2"


def test_score_by_120th_action_is_score() -> None:
    state = play(read(text(red=KEEN, seat=1, ply=119, starter=2)), "h3xh8>h15")
    assert state.position().split(" ")[3:] == ["2", "2:0", "2", "0", "2"]


def test_game_is_over_after_12_rounds_and_more_points_win() -> None:
    for points, ranks in (("1:3", (2, 1)), ("4:3", (1, 2)), ("2:2", (1, 1))):
        state = play(read(text(red="h3", seat=2, ply=119, points=points, round_=12)), "o3-o2")
        assert state.actor == OVER
        assert state.ranks() == ranks
        assert state.reason() == "rounds"
        assert state.position().split(" ")[3:] == ["1", points, "12", "120", "1"]


def test_score_in_twelfth_round_ends_game() -> None:
    state = play(read(text(red=KEEN, points="0:3", round_=12, ply=4)), "h3xh8>h15")
    assert state.actor == OVER
    assert state.ranks() == (2, 1)
    assert state.reason() == "rounds"
    assert state.position().split(" ")[2:] == ["h15", "2", "2:3", "12", "5", "1"]


def test_twelfth_round_begins_after_eleventh() -> None:
    state = play(read(text(red="h3", seat=2, ply=119, round_=11)), "o3-o2")
    assert (state.actor, field(state, "ROUND")) == (2, "12")
