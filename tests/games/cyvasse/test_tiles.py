"""The tiles: faces, turns, blocks, and the number of possible sides."""

from collections.abc import Iterator

import pytest

from tourney.games.cyvasse.board import (
    BARE,
    FACES,
    NAMES,
    NUMBER,
    PLANS,
    SIDE,
    TILES,
    KingPlan,
    Shape,
    can_be_laid,
    laid_tiles,
    offers,
)


def plan(king: str) -> KingPlan:
    return next(p for plans in PLANS.values() for p in plans if p.king == NUMBER[king])


def names(squares: tuple[int, ...]) -> str:
    return " ".join(NAMES[s] for s in squares)


@pytest.mark.parametrize(
    ("king", "covers"),
    [("b3", "d3 d4 d5 c3 c4 b3"), ("b5", "d5 d6 d7 c5 c6 b5"), ("b7", "d7 d8 d9 c7 c8 b7")],
)
def test_king_tile_covers_squares_of_page(king: str, covers: str) -> None:
    assert names(plan(king).covers) == covers


@pytest.mark.parametrize(
    ("king", "upper", "lower"),
    [
        (
            "b3",
            "L d1 d2 c1 c2,R d6 d7 c5 c6,R d8 d9 c7 c8,R d10 d11 c9 c10",
            "L b1 b2 a1 a2,R b4 b5 a3 a4,R b6 b7 a5 a6,R b8 b9 a7 a8",
        ),
        (
            "b5",
            "L d1 d2 c1 c2,L d3 d4 c3 c4,R d8 d9 c7 c8,R d10 d11 c9 c10",
            "L b1 b2 a1 a2,L b3 b4 a3 a4,R b6 b7 a5 a6,R b8 b9 a7 a8",
        ),
        (
            "b7",
            "L d1 d2 c1 c2,L d3 d4 c3 c4,L d5 d6 c5 c6,R d10 d11 c9 c10",
            "L b1 b2 a1 a2,L b3 b4 a3 a4,L b5 b6 a5 a6,R b8 b9 a7 a8",
        ),
    ],
)
def test_blocks_run_west_to_east_upper_first(king: str, upper: str, lower: str) -> None:
    blocks = [f"{b.shape} {names(b.squares)}" for b in plan(king).blocks]
    assert (blocks[:4], blocks[4:]) == (upper.split(","), lower.split(","))


@pytest.mark.parametrize("seat", [1, 2])
def test_king_tile_and_blocks_cover_side_once(seat: int) -> None:
    for p in PLANS[seat]:
        covered = [*p.covers, *(s for block in p.blocks for s in block.squares)]
        assert sorted(covered) == list(SIDE[seat])


def test_blacks_blocks_are_whites_turned_by_half_circle() -> None:
    black = plan("h7")  # White's b3
    assert names(black.covers) == "f9 f8 f7 g8 g7 h7"
    assert [f"{b.shape} {names(b.squares)}" for b in black.blocks[:2]] == [
        "L f11 f10 g10 g9",
        "R f6 f5 g6 g5",
    ]


@pytest.mark.parametrize(
    ("shape", "tile", "patterns"),
    [
        ("L", 1, ["M..M"]),
        ("L", 2, ["WW..", "..WW"]),
        ("L", 3, ["M...", "...M"]),
        ("L", 4, [".W..", "..W."]),
        ("L", 5, ["M...", "...M"]),
        ("L", 6, [".W..", "..W."]),
        ("L", 7, ["...."]),
        ("L", 8, ["...."]),
        ("R", 1, [".M..", "..M."]),
        ("R", 2, ["W...", "...W"]),
        ("R", 3, ["W...", "...W"]),
        ("R", 4, [".M..", "..M."]),
        ("R", 5, ["...."]),
        ("R", 6, ["...."]),
        ("R", 7, ["...."]),
        ("R", 8, ["...."]),
    ],
)
def test_tile_is_turned_only_where_pattern_changes(shape: Shape, tile: int, patterns: list[str]) -> None:
    assert list(offers(shape, tile)) == patterns


def grounds(p: KingPlan) -> Iterator[str]:
    """Yield each different ground of a side with a king tile once, as the side's squares in order.

    Equal partial grounds are searched once, with the sets of tiles that can make them.
    """
    side = [*(SIDE[1])]
    ground = ["."] * len(side)
    places = [[side.index(s) for s in block.squares] for block in p.blocks]

    def lay(block: int, used: frozenset[int]) -> Iterator[str]:
        if block == len(p.blocks):
            yield "".join(ground)
            return
        after: dict[str, set[int]] = {}
        for pattern, tile_bits in shows[p.blocks[block].shape].items():
            for tiles in used:
                for bit in tile_bits:
                    if not tiles & bit:
                        after.setdefault(pattern, set()).add(tiles | bit)
        for pattern, tile_sets in after.items():
            for k, kind in zip(places[block], pattern, strict=True):
                ground[k] = kind
            yield from lay(block + 1, frozenset(tile_sets))

    shows: dict[str, dict[str, list[int]]] = {"L": {}, "R": {}}
    for shape in FACES:
        for tile in TILES:
            for pattern in offers(shape, tile):
                shows[shape].setdefault(pattern, []).append(1 << tile)
    return lay(0, frozenset([0]))


@pytest.mark.slow
def test_one_side_has_498480_layings_of_478060_grounds() -> None:
    by_king = {king: list(grounds(plan(king))) for king in ("b3", "b5", "b7")}
    assert {king: len(found) for king, found in by_king.items()} == {
        "b3": 57_840,
        "b5": 184_320,
        "b7": 256_320,
    }
    distinct = set().union(*by_king.values())
    assert sum(map(len, by_king.values())) == 498_480
    assert len(distinct) == 478_060
    assert all(len(set(found)) == len(found) for found in by_king.values())
    for king, found in by_king.items():  # the parser of positions accepts every 500th
        for text in found[::500]:
            ground = _with_side(text)
            assert can_be_laid(plan(king), ground)
            assert any_plan_lays(ground)


def any_plan_lays(ground: str) -> bool:
    return any(can_be_laid(one, ground) for one in PLANS[1])


def _with_side(text: str) -> str:
    ground = list(BARE)
    for s, kind in zip((SIDE[1]), text, strict=True):
        ground[s] = kind
    return "".join(ground)


def test_impossible_sides_cannot_be_laid() -> None:
    assert not any_plan_lays(_with_side("." * 38))
    text = next(grounds(plan("b3")))
    assert any_plan_lays(_with_side(text))
    assert not any_plan_lays(_with_side(text.replace("W", ".")))


def test_laid_tiles_finds_every_set_of_tiles() -> None:
    p = plan("b7")
    ground = list(BARE)
    for block, pattern in zip(p.blocks, ("M..M", "M...", "...."), strict=False):
        for s, kind in zip(block.squares, pattern, strict=True):
            ground[s] = kind
    found = laid_tiles(p, "".join(ground), 3)
    assert {"".join(map(str, sorted(tiles))) for tiles in found} == {"137", "138", "157", "158"}
