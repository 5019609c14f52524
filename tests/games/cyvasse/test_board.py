"""The board: rows, neighbours, directions, lines, and rotation by 180 degrees."""

from tests.games.cyvasse.hands import LENGTH, neighbours
from tourney.games.cyvasse.board import (
    ALL,
    AT,
    BEHIND,
    BETWEEN,
    BEYOND,
    BIT,
    BY_RANK,
    DIRECTIONS,
    FRONT,
    NAMES,
    NEAR,
    NUMBER,
    RANK,
    RAYS,
    SIDE,
    SIZE,
    SQUARES,
    STAR,
    spread,
    squares_of,
    turned,
)


def names(mask: int) -> str:
    return " ".join(sorted(NAMES[s] for s in squares_of(mask)))


def test_has_88_squares_in_nine_rows() -> None:
    assert len(SQUARES) == 88
    assert {row: sum(name[0] == row for name in NUMBER) for row in LENGTH} == LENGTH


def test_neighbours_of_b3_match_rules_page() -> None:
    assert names(NEAR[NUMBER["b3"]]) == "a2 a3 b2 b4 c3 c4"


def test_neighbours_of_every_square_follow_rules_page() -> None:
    for name, s in NUMBER.items():
        assert {NAMES[t] for t in squares_of(NEAR[s])} == neighbours(name)


def test_straight_path_keeps_one_direction() -> None:
    rays = dict(zip(("W", "E", "NW", "SE", "NE", "SW"), RAYS[NUMBER["d5"]], strict=True))
    assert {d: " ".join(NAMES[s] for s in ray) for d, ray in rays.items()} == {
        "W": "d4 d3 d2 d1",
        "E": "d6 d7 d8 d9 d10 d11",
        "NW": "e5 f4 g3 h2 i1",
        "NE": "e6 f6 g6 h6 i6",
        "SW": "c4 b3 a2",
        "SE": "c5 b5 a5",
    }


def test_directions_come_in_pairs_of_opposites() -> None:
    assert all(DIRECTIONS[k] == -DIRECTIONS[k ^ 1] for k in range(6))


def test_turned_maps_squares_to_facing_row() -> None:
    assert {name: NAMES[turned(NUMBER[name])] for name in ("a1", "b3", "c10", "d1", "e1", "e12")} == {
        "a1": "i8",
        "b3": "h7",
        "c10": "g1",
        "d1": "f11",
        "e1": "e12",
        "e12": "e1",
    }
    assert turned(turned(NUMBER["c4"])) == NUMBER["c4"]


def test_sides_are_rows_a_to_d_and_f_to_i() -> None:
    assert {NAMES[s][0] for s in squares_of(SIDE[1])} == set("abcd")
    assert {NAMES[s][0] for s in squares_of(SIDE[2])} == set("fghi")
    assert ALL.bit_count() - SIDE[1].bit_count() - SIDE[2].bit_count() == 12


def test_front_squares_are_two_neighbours_toward_enemy() -> None:
    assert names(FRONT[1][NUMBER["d5"]]) == "e5 e6"
    assert names(FRONT[2][NUMBER["d5"]]) == "c4 c5"
    assert names(FRONT[1][NUMBER["e6"]]) == "f5 f6"
    assert names(FRONT[2][NUMBER["e6"]]) == "d5 d6"
    assert names(FRONT[1][NUMBER["e1"]]) == "f1"
    assert names(FRONT[1][NUMBER["i4"]]) == ""


def test_tables_of_straight_paths_agree_with_rays() -> None:
    for s in SQUARES:
        assert STAR[4][s] == AT[1][s] | AT[2][s] | AT[3][s] | AT[4][s]
        for k, ray in enumerate(RAYS[s]):
            for far, t in enumerate(ray[:4], 1):
                assert AT[far][s] & BIT[t]
                assert BETWEEN[s][t] == sum(BIT[u] for u in ray[: far - 1])
                assert BEYOND[3][s].get(t, ()) == (ray[far:3] if far <= 3 else ())
                back = RAYS[s][k ^ 1]
                assert BEHIND[s][t] == (back[0] if back else 0)


def test_spread_adds_exactly_the_neighbours() -> None:
    for s in SQUARES:
        assert spread(BIT[s]) & ALL == BIT[s] | NEAR[s]


def test_ranks_sort_squares_by_their_names() -> None:
    assert [NAMES[s] for s in BY_RANK] == sorted(NUMBER)
    assert [RANK[s] for s in BY_RANK] == list(range(88))
    assert all(RANK[s] == -1 for s in range(SIZE) if not NAMES[s])
