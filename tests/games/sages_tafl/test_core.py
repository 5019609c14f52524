"""Sages Tafl: board, start and moves, with a made-up position for each sentence of the page."""

import pytest

from tests.games.sages_tafl.positions import GAME, START, legal, made, play, read, targets
from tourney.games.tree import perft

PERFT = {1: 22, 2: 484, 3: 13_670}


@pytest.mark.parametrize(("depth", "sequences"), PERFT.items())
def test_perft_matches_rules_page(depth: int, sequences: int) -> None:
    assert perft(GAME.new(), depth) == sequences


def test_two_seats_black_moves_first_and_seats_alternate() -> None:
    state = GAME.new()
    assert (state.seats, state.actor) == (2, 1)
    assert play(state, "c2-c3").actor == 2
    assert play(state, "c2-c3 c8-c7").actor == 1


def test_start_matches_rules_page() -> None:
    assert GAME.new().position() == START


def test_red_mirrors_black_across_river() -> None:
    ranks = START.split(" ")[0].split("/")
    assert [rank.swapcase() for rank in reversed(ranks)] == ranks


def test_black_begins_with_apprentices_skyships_and_sage_in_its_tower() -> None:
    sources = {word.partition("-")[0] for word in legal(GAME.new())}
    assert sources == {"a2", "h2", "c1", "f1", "c2", "d2", "e2", "f2"}
    assert "tower-d1" not in legal(GAME.new())


def test_tower_blocks_no_slide() -> None:
    assert {"d1", "e1", "f1"} <= targets(made("Ac1"), "c1")


def test_tower_blocks_no_diagonal_step_of_sage() -> None:
    assert "e2" in targets(made("Sd1 Aa1", towers="t"), "d1")
    assert "d9" in targets(made("Se8 Aa1", towers="t"), "e8")


def test_sage_steps_one_square_in_eight_directions() -> None:
    assert targets(made("Sb3", towers="t"), "b3") == {"a2", "a3", "a4", "b2", "b4", "c2", "c3", "c4"}


def test_sage_goes_to_empty_squares_of_board_only() -> None:
    assert targets(made("Sa1 Aa2 fb2", towers="t"), "a1") == {"b1"}


def test_river_does_not_hinder_sage() -> None:
    assert {"c5", "d5", "e5"} <= targets(made("Sd4", towers="t"), "d4")
    assert targets(made("Sd5", towers="t"), "d5") == {"c4", "c5", "c6", "d4", "d6", "e4", "e5", "e6"}


def test_sage_passes_diagonally_between_friends() -> None:
    assert "e5" in targets(made("Sd4 Ad5 Ae4", towers="t"), "d4")


def test_sage_in_tower_comes_down_to_its_four_squares() -> None:
    assert targets(made("Aa1"), "tower") == {"d1", "d2", "e1", "e2"}
    assert targets(made("aa9", seat=2), "tower") == {"d8", "d9", "e8", "e9"}


def test_sage_comes_down_to_empty_squares_only() -> None:
    assert targets(made("Ad1 fe2"), "tower") == {"d2", "e1"}


def test_coming_down_is_whole_turn() -> None:
    state = play(made("Aa1"), "tower-d2")
    assert state.actor == 2
    assert state.position().startswith("8/8/8/8/8/8/8/3S4/A7 2 t ")


def test_sage_never_moves_back_into_its_tower() -> None:
    assert targets(made("Sd1", towers="t"), "d1") == {"c1", "c2", "d2", "e1", "e2"}


def test_apprentice_slides_along_rank_and_file() -> None:
    west_east = {f + "3" for f in "abdefgh"}
    assert targets(made("Ac3"), "c3") == west_east | {"c1", "c2", "c4"}


def test_apprentice_passes_no_piece_of_either_side() -> None:
    assert targets(made("Ac3 Ae3 fb3 ac2"), "c3") == {"d3", "c4"}


@pytest.mark.parametrize(("start", "ahead"), [("c1", {"c2", "c3", "c4"}), ("c2", {"c1", "c3", "c4"})])
def test_slide_toward_river_ends_at_bank_from_south(start: str, ahead: set[str]) -> None:
    assert {t for t in targets(made(f"A{start}"), start) if t[0] == "c"} == ahead


def test_slide_toward_river_ends_at_bank_from_north() -> None:
    assert {t for t in targets(made("Ac9"), "c9") if t[0] == "c"} == {"c8", "c7", "c6"}


@pytest.mark.parametrize(("bank", "beyond"), [("d4", "d6"), ("d6", "d4")])
def test_apprentice_enters_river_from_bank_by_one_step(bank: str, beyond: str) -> None:
    found = targets(made(f"A{bank}"), bank)
    assert "d5" in found
    assert beyond not in found


def test_apprentice_enters_no_occupied_river_square() -> None:
    assert "d5" not in targets(made("Ad4 fd5"), "d4")


def test_apprentice_on_bank_slides_along_it_and_away() -> None:
    found = targets(made("Ad4"), "d4")
    assert found == {f + "4" for f in "abcefgh"} | {"d1", "d2", "d3", "d5"}


def test_apprentice_in_river_slides_along_it_or_steps_to_bank() -> None:
    found = targets(made("Ad5"), "d5")
    assert found == {f + "5" for f in "abcefgh"} | {"d4", "d6", "off"}


def test_apprentice_in_river_is_blocked_by_pieces() -> None:
    assert targets(made("Ad5 Ab5 fe5 ad6"), "d5") == {"c5", "d4"}


def test_skyship_makes_one_or_two_diagonal_steps() -> None:
    one = {"c3", "c5", "e3", "e5"}
    straight = {"b2", "b6", "f2", "f6"}
    bent = {"d2", "d6", "b4", "f4"}
    assert targets(made("Fd4"), "d4") == one | straight | bent


def test_skyship_flies_over_apprentices_and_sages() -> None:
    found = targets(made("Fa1 Sb2", towers="t"), "a1")
    assert found == {"a3", "c1", "c3"}
    assert targets(made("Fa1 ab2"), "a1") == {"a3", "c1", "c3"}


@pytest.mark.parametrize("ship", ["F", "f"])
def test_skyship_does_not_fly_over_skyship(ship: str) -> None:
    assert targets(made(f"Fa1 {ship}b2"), "a1") == set()


def test_skyship_may_go_round_skyship() -> None:
    found = targets(made("Fd4 fe5"), "d4")
    assert "d6" in found
    assert "f4" in found
    assert not {"e5", "f6"} & found


def test_skyship_ends_on_empty_square() -> None:
    assert not {"b2", "d4", "f6"} & targets(made("Fd4 Ab2 af6"), "d4")


def test_skyship_does_not_end_where_it_began() -> None:
    assert "d4-d4" not in legal(made("Fd4"))


def test_both_steps_of_skyship_stay_on_board() -> None:
    assert targets(made("Fa1"), "a1") == {"b2", "a3", "c1", "c3"}
    assert targets(made("Fh5"), "h5") == {"g4", "g6", "f3", "f7", "h3", "h7", "f5"}


def test_two_ways_to_one_square_are_one_action() -> None:
    assert legal(made("Fd4")).count("d4-d6") == 1


def test_river_does_not_hinder_skyship() -> None:
    found = targets(made("Fd4"), "d4")
    assert {"c5", "e5", "b6", "f6", "d6"} <= found


@pytest.mark.parametrize("friend", ["A", "F"])
@pytest.mark.parametrize(("bank", "far"), [("d4", "d6"), ("d6", "d4")])
def test_apprentice_hops_over_friend_in_river(friend: str, bank: str, far: str) -> None:
    assert far in targets(made(f"A{bank} {friend}d5"), bank)


def test_apprentice_hops_over_its_sage() -> None:
    assert "d6" in targets(made("Ad4 Sd5", towers="t"), "d4")


@pytest.mark.parametrize(("bank", "far"), [("g4", "g6"), ("g6", "g4")])
def test_sage_hops_over_friend_in_river(bank: str, far: str) -> None:
    assert far in targets(made(f"S{bank} Ag5", towers="t"), bank)


def test_red_hops_as_black_does() -> None:
    state = made("ad6 ad5 sh4 fh5", seat=2, towers="T")
    assert "d4" in targets(state, "d6")
    assert "h6" in targets(state, "h4")


def test_hop_lands_and_leaves_friend_in_place() -> None:
    assert play(made("Ad4 Ad5"), "d4-d6").position().startswith("8/8/8/3A4/3A4/8/8/8/8 2 ")


def test_no_hop_over_enemy() -> None:
    assert "d6" not in targets(made("Ad4 ad5"), "d4")
    assert "d6" not in targets(made("Sd4 fd5", towers="t"), "d4")


def test_no_hop_over_nothing() -> None:
    assert "d6" not in targets(made("Ad4"), "d4")
    assert "d6" not in targets(made("Sd4", towers="t"), "d4")


@pytest.mark.parametrize("piece", ["A", "a"])
def test_no_hop_to_occupied_square(piece: str) -> None:
    assert "d6" not in targets(made(f"Ad4 Fd5 {piece}d6"), "d4")


def test_no_hop_over_friend_on_another_file() -> None:
    assert not {"d6", "e6", "c6"} & targets(made("Ad4 Ae5 Ac5"), "d4")


def test_no_hop_from_behind_bank() -> None:
    assert targets(made("Ad3 Ad5"), "d3") == {f + "3" for f in "abcefgh"} | {"d1", "d2", "d4"}


def test_no_hop_along_river() -> None:
    assert targets(made("Ad5 Ae5"), "d5") == {"a5", "b5", "c5", "d4", "d6", "off"}


def test_skyships_do_not_hop() -> None:
    # With skyships on c5 and e5 no flight leads to d6, and a friend stands on d5.
    state = made("Fd4 Fc5 fe5 Ad5")
    assert targets(state, "d4") == {"c3", "e3", "b2", "b4", "d2", "f2", "f4"}


@pytest.mark.parametrize("square", ["a5", "h5"])
@pytest.mark.parametrize("piece", ["A", "S"])
def test_apprentice_and_sage_leave_from_either_end_of_river(piece: str, square: str) -> None:
    towers = "Tt" if piece == "A" else "t"
    assert "off" in targets(made(f"{piece}{square}", towers=towers), square)


def test_apprentice_slides_along_river_and_off() -> None:
    assert "off" in targets(made("Ad5"), "d5")


@pytest.mark.parametrize("blocker", ["fa5", "Ac5", "fb5"])
def test_apprentice_leaves_by_other_end_if_one_is_blocked(blocker: str) -> None:
    assert "off" in targets(made(f"Ad5 {blocker}"), "d5")


@pytest.mark.parametrize("blockers", ["fa5 fh5", "Ac5 ae5", "ab5 Ag5"])
def test_apprentice_does_not_leave_through_pieces(blockers: str) -> None:
    assert "off" not in targets(made(f"Ad5 {blockers}"), "d5")


@pytest.mark.parametrize(("square", "beside"), [("a5", "ab5"), ("h5", "ag5")])
def test_apprentice_on_end_square_may_always_leave(square: str, beside: str) -> None:
    assert "off" in targets(made(f"A{square} {beside}"), square)


def test_either_end_is_same_action() -> None:
    assert legal(made("Ad5")).count("d5-off") == 1


@pytest.mark.parametrize("square", ["b5", "g5", "d5"])
def test_sage_leaves_from_end_squares_only(square: str) -> None:
    assert "off" not in targets(made(f"S{square}", towers="t"), square)


def test_only_pieces_in_river_may_leave() -> None:
    assert "off" not in targets(made("Aa4 Sh6", towers="t"), "a4")
    assert "off" not in targets(made("Aa4 Sh6", towers="t"), "h6")


def test_piece_leaves_river_on_later_turn() -> None:
    state = play(made("Aa4 ab9"), "a4-a5 b9-c9")
    assert "off" in targets(state, "a5")


@pytest.mark.parametrize("square", ["a5", "h5"])
def test_skyship_does_not_leave(square: str) -> None:
    assert "off" not in targets(made(f"F{square}"), square)


def test_escaped_piece_is_off_board() -> None:
    assert play(made("Ad5 Aa1"), "d5-off").position().startswith("8/8/8/8/8/8/8/8/A7 2 ")


def test_pass_is_legal_without_other_actions() -> None:
    blocked = made("ad1 ad2 ae1 ae2")
    assert legal(blocked) == ["pass"]
    after = play(blocked, "pass")
    assert after.actor == 2
    assert after.position() == "8/8/8/8/8/8/8/3aa3/3aa3 2 Tt 2:2 1 1"


def test_side_without_pieces_passes() -> None:
    assert legal(made("aa9 ab9", towers="t", points="3:0")) == ["pass"]


def test_pass_is_illegal_while_a_move_exists() -> None:
    assert "pass" not in legal(made("ad1 ad2 ae1"))


def test_actions_are_sorted_as_strings() -> None:
    words = legal(read("8/8/8/3A4/A2A3A/8/8/3F4/8 1 Tt 2:2 0 0"))
    assert words == sorted(words)
    assert words[-1] == "tower-e2"
    assert words.index("a5-b5") < words.index("a5-off")
