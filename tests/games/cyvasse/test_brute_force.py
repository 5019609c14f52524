"""The listing against a brute force that walks every path square by square, on random boards.

The brute force uses names of squares, shares no table with the game, and tries every path. Front squares have
one rule, where a path enters them.
"""

from collections.abc import Iterator

import pytest

from tests.games.cyvasse.hands import LENGTH, legal, place
from tourney.seeds import RandBelow, stream

MOVE = {"R": 1, "S": 1, "L": 3, "H": 2, "E": 1, "C": 2, "T": 1, "D": 4, "W": 0, "K": 1}
ENGAGES = {
    "R": (1,), "S": (1,), "L": (1,), "H": (1,), "E": (1, 2), "C": (1, 2, 3), "T": (2, 3, 4), "D": (1, 2),
    "W": (1,), "K": (1,),
}  # fmt: skip
ARMOUR = {"R": 1, "S": 1, "L": 1, "H": 2, "E": 2, "C": 0, "T": 0, "D": 2, "W": 2, "K": 1}
COUNT = {"R": 6, "S": 3, "L": 3, "H": 2, "E": 2, "C": 2, "T": 1, "D": 1, "W": 2}
NAMES = [f"{row}{i}" for row, n in LENGTH.items() for i in range(1, n + 1)]
DIRECTIONS = ("W", "E", "NW", "NE", "SW", "SE")
OPPOSITE = {"W": "E", "E": "W", "NW": "SE", "SE": "NW", "NE": "SW", "SW": "NE"}


def step(name: str, direction: str) -> str:
    """The next square, or "" beyond the edge."""
    row, i = name[0], int(name[1:])
    if direction in {"W", "E"}:
        i += 1 if direction == "E" else -1
    else:
        other = chr(ord(row) + (1 if direction[0] == "N" else -1))
        if other not in LENGTH:
            return ""
        longer = LENGTH[other] > LENGTH[row]
        i += {"W": 0 if longer else -1, "E": 1 if longer else 0}[direction[1]]
        row = other
    return f"{row}{i}" if 1 <= i <= LENGTH[row] else ""


def straight(name: str, direction: str, length: int) -> list[str]:
    found: list[str] = []
    while len(found) < length and (name := step(name, direction)):
        found.append(name)
    return found


class Naive:
    """A position at the start of a turn."""

    def __init__(self, pieces: dict[str, str], mountains: set[str], water: set[str], seat: int) -> None:
        self.pieces, self.mountains, self.water, self.seat = pieces, mountains, water, seat
        self.zone = {
            front
            for name, code in pieces.items()
            if code == ("s" if seat == 1 else "S")
            for front in self.front(name, 3 - seat)
        }

    def front(self, name: str, seat: int) -> set[str]:
        ways = ("NW", "NE") if seat == 1 else ("SW", "SE")
        return {step(name, way) for way in ways} - {""}

    def owner(self, name: str) -> int:
        code = self.pieces.get(name)
        return 0 if code is None else 1 if code.isupper() else 2

    def empty(self, name: str) -> bool:
        return name not in self.pieces and name not in self.mountains

    def may_cross(self, code: str, name: str) -> bool:
        """Whether a piece can continue from a square that it has entered."""
        if name in self.zone:
            return False
        return code == "D" or (name not in self.mountains and self.owner(name) != 3 - self.seat)

    def paths(self, code: str, name: str, steps: int) -> Iterator[str]:
        """Yield the end of every path, some more than once."""
        if steps:
            for way in DIRECTIONS:
                if near := step(name, way):
                    yield near
                    if self.may_cross(code, near):
                        yield from self.paths(code, near, steps - 1)

    def engages(self, name: str, prey: str) -> bool:
        code, side = self.pieces[name].upper(), self.owner(prey)
        for way in DIRECTIONS:
            line = straight(name, way, 4)
            if prey not in line:
                continue
            between = line[: line.index(prey)]
            if len(between) + 1 not in ENGAGES[code] or name in self.water:
                return False
            if any(other in self.mountains or self.owner(other) == side for other in between):
                return False
            if code == "S" and prey not in self.front(name, self.seat):
                return False
            near = [other for w in DIRECTIONS if (other := step(name, w)) in self.pieces]
            towers = [o for o in near if self.owner(o) == side and self.pieces[o].upper() == "W"]
            return not towers or prey in towers
        return False

    def sufficient(self, prey: str) -> bool:
        engaging = [
            name for name in self.pieces if self.owner(name) == self.seat and self.engages(name, prey)
        ]
        return len(engaging) >= ARMOUR[self.pieces[prey].upper()]

    def is_prey(self, name: str) -> bool:
        return self.owner(name) == 3 - self.seat and self.sufficient(name)

    def captures(self, code: str, name: str) -> Iterator[str]:
        if code == "T":
            for way in DIRECTIONS:
                back = step(name, OPPOSITE[way])
                for prey in straight(name, way, 4):
                    if back and self.empty(back) and self.is_prey(prey) and self.engages(name, prey):
                        yield f"{name}x{prey}"
        elif code not in "CW":
            for way in DIRECTIONS:
                line = straight(name, way, 2 if code == "E" else MOVE[code])
                for k, prey in enumerate(line):
                    crossed = all(self.may_cross(code, other) for other in line[:k])
                    if code == "E":
                        crossed = crossed and all(map(self.empty, line[:k]))
                    if code == "S" and prey not in self.front(name, self.seat):
                        continue
                    if crossed and self.is_prey(prey):
                        yield f"{name}x{prey}"
                        if code in "LH" and prey not in self.zone:
                            for end in range(k + 1, len(line)):
                                way_there = line[k + 1 : end]
                                if self.empty(line[end]) and all(self.may_cross(code, o) for o in way_there):
                                    yield f"{name}x{prey}-{line[end]}"

    def over_towers(self, name: str) -> Iterator[str]:
        for way in DIRECTIONS:
            line = straight(name, way, 2)
            if (
                len(line) == 2
                and self.pieces.get(line[0]) == "Ww"[self.seat - 1]
                and line[0] not in self.zone
            ):
                if self.empty(line[1]):
                    yield f"{name}-{line[1]}"
                elif self.is_prey(line[1]):
                    yield f"{name}x{line[1]}"

    def actions(self) -> list[str]:
        found = set()
        for name in self.pieces:
            if self.owner(name) == self.seat:
                code = self.pieces[name].upper()
                ends = {end for end in self.paths(code, name, MOVE[code]) if self.empty(end)}
                found |= {f"{name}-{end}" for end in ends}
                found |= set(self.captures(code, name))
                if code == "K":
                    found |= set(self.over_towers(name))
        return sorted(found)


def random_board(draw: RandBelow, rows: str, hills: int) -> tuple[dict[str, str], set[str], set[str]]:
    """Place up to full sets of pieces on some rows at random, with bounded mountains and waters."""
    names = [name for name in NAMES if name[0] in rows]

    def drawn(count: int) -> list[str]:
        return [names.pop(draw(len(names))) for _ in range(min(count, len(names) - 2))]

    pieces = {names.pop(draw(len(names))): king for king in "Kk"}
    mountains = set(drawn(draw(hills + 1)))
    water = {names[draw(len(names))] for _ in range(draw(hills + 1))}
    for code, count in COUNT.items():
        for side in (code, code.lower()):
            pieces |= dict.fromkeys(drawn(draw(count + 1)), side)
    return pieces, mountains, water


@pytest.mark.slow
@pytest.mark.parametrize("rows", ["cdefg", "bcdefgh", "abcdefghi", "abcd", "fghi", "def"])
def test_listing_agrees_with_brute_force(rows: str) -> None:
    draw = stream(20, "brute-force", rows)
    captures = 0
    for _ in range(40):
        pieces, mountains, water = random_board(draw, rows, 12)
        for seat in (1, 2):
            words = " ".join(f"{code}{name}" for name, code in pieces.items())
            state = place(
                words, mountains=" ".join(sorted(mountains)), water=" ".join(sorted(water)), seat=seat
            )
            expected = Naive(pieces, mountains, water, seat).actions()
            assert legal(state) == expected
            captures += sum("x" in text for text in expected)
    assert captures > 100
