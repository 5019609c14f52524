"""A second, slow implementation of The Seven Sages, written from the rules page alone."""

from __future__ import annotations

Square = tuple[int, int]

FILES = "abcdefghijklmno"
RED_START = ["c5", "e4", "g3", "h1", "i3", "k4", "m5"]
BLUE_START = ["c11", "e12", "g13", "h15", "i13", "k12", "m11"]


class Refused(ValueError):
    """The page refuses this."""


def name(square: Square) -> str:
    return f"{FILES[square[0]]}{square[1] + 1}"


def square_of(text: str) -> Square:
    for x in range(15):
        for y in range(15):
            if name((x, y)) == text:
                return (x, y)
    raise Refused(text)


CITY = {1: {square_of(f"{file}1") for file in "fghij"}, 2: {square_of(f"{file}15") for file in "fghij"}}


def on_board(square: Square) -> bool:
    return 0 <= square[0] < 15 and 0 <= square[1] < 15


def in_kingdom(square: Square) -> bool:
    return 1 <= square[0] <= 13 and 1 <= square[1] <= 13


def ahead(square: Square, step: tuple[int, int]) -> Square:
    return (square[0] + step[0], square[1] + step[1])


def left_of(step: tuple[int, int]) -> tuple[int, int]:
    return (-step[1], step[0])


def opposite(step: tuple[int, int]) -> tuple[int, int]:
    return (-step[0], -step[1])


class Oracle:
    """One game in play; ``play`` changes it."""

    def __init__(self, actions: int = 120) -> None:
        self.actions = actions
        self.points = [0, 0]
        self.round = 1
        self.over = False
        self.new_round(1)

    def new_round(self, starter: int) -> None:
        self.sages = {1: {square_of(t) for t in RED_START}, 2: {square_of(t) for t in BLUE_START}}
        self.fool = square_of("h8")
        self.ply = 0
        self.starter = starter
        self.seat = starter

    def occupied(self) -> set[Square]:
        return self.sages[1] | self.sages[2] | {self.fool}

    def three(self, sages: set[Square]) -> bool:
        return any(
            {square, ahead(square, step), ahead(ahead(square, step), step)} <= sages
            for square in sages
            for step in ((1, 0), (0, 1), (1, 1), (1, -1))
        )

    def allowed(self, origin: Square, target: Square) -> bool:
        rest = self.sages[self.seat] - {origin}
        mine = CITY[self.seat]
        if origin not in mine and target in mine and rest & mine:
            return False
        return not self.three(rest | {target})

    def plain_moves(self) -> list[str]:
        forward = 1 if self.seat == 1 else -1
        found = []
        for origin in self.sages[self.seat]:
            for step in ((0, forward), (0, -forward), (1, 0), (-1, 0), (1, forward), (-1, forward)):
                at = ahead(origin, step)
                while on_board(at) and at not in self.occupied():
                    if at not in CITY[3 - self.seat] and self.allowed(origin, at):
                        found.append(f"{name(origin)}-{name(at)}")
                    at = ahead(at, step)
        return found

    def rests(self, origin: Square, step: tuple[int, int]) -> dict[Square, int]:
        """Where the fool can rest, with the most points; from its square, ousted in a direction."""
        start = self.fool
        sages = (self.sages[1] | self.sages[2]) - {origin} | {start}
        mine = self.sages[self.seat] - {origin} | {start}
        found: dict[Square, int] = {}
        seen = set()
        todo = [(start, step, True, False)]
        while todo:
            state = todo.pop()
            if state in seen:
                continue
            seen.add(state)
            at, way, touched_by_own, reflected = state
            if reflected and at != start:
                found[at] = max(found.get(at, 0), 0)
            nxt = ahead(at, way)
            if nxt in sages:
                turns = [left_of(way), opposite(left_of(way))]
                if at != start:
                    turns.append(opposite(way))
                todo += [(at, turn, nxt in mine, True) for turn in turns]
            elif nxt in CITY[3 - self.seat]:
                found[nxt] = max(found.get(nxt, 0), 2 if touched_by_own else 1)
            elif in_kingdom(nxt):
                todo.append((nxt, way, touched_by_own, reflected))
        return found

    def ousts(self) -> dict[str, int]:
        found = {}
        for origin in self.sages[self.seat]:
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    if (dx, dy) == (0, 0):
                        continue
                    at = ahead(origin, (dx, dy))
                    while on_board(at) and at not in self.occupied():
                        at = ahead(at, (dx, dy))
                    if at != self.fool or not self.allowed(origin, at):
                        continue
                    for rest, points in self.rests(origin, (dx, dy)).items():
                        found[f"{name(origin)}x{name(at)}>{name(rest)}"] = points
        return found

    def actor(self) -> str:
        return "over" if self.over else str(self.seat)

    def legal(self) -> list[str]:
        if self.over:
            return []
        return sorted([*self.plain_moves(), *self.ousts()]) or ["pass"]

    def weights(self) -> list[tuple[str, int]]:
        raise AssertionError("no chance here")

    def play(self, text: str) -> None:
        mover, scored = self.seat, 0
        if ">" in text:
            scored = self.ousts()[text]
            origin, rest = square_of(text.split("x", maxsplit=1)[0]), square_of(text.split(">")[1])
            self.sages[mover] = self.sages[mover] - {origin} | {self.fool}
            self.fool = rest
        elif text != "pass":
            origin, target = map(square_of, text.split("-"))
            self.sages[mover] = self.sages[mover] - {origin} | {target}
        self.points[mover - 1] += scored
        self.ply += 1
        self.seat = 3 - mover
        if scored or self.ply == self.actions:
            if self.points[mover - 1] >= 5 or self.round == 12:
                self.over = True
            else:
                self.round += 1
                self.new_round(3 - mover if scored else 3 - self.starter)

    def ranks(self) -> str:
        if not self.over:
            return "-"
        red, blue = self.points
        return "1 1" if red == blue else "1 2" if red > blue else "2 1"

    def position(self) -> str:
        def squares(seat: int) -> str:
            return ",".join(map(name, sorted(self.sages[seat])))

        return (
            f"{squares(1)} {squares(2)} {name(self.fool)} {self.seat} {self.points[0]}:{self.points[1]}"
            f" {self.round} {self.ply} {self.starter}"
            f"{'' if self.actions == 120 else f' round-actions={self.actions}'}"
        )

    def observe(self, _seat: int) -> str:
        return self.position()

    @classmethod
    def read(cls, text: str, actions: int = 120) -> Oracle:
        fields = text.split(" ")
        if fields[8:] != ([] if actions == 120 else [f"round-actions={actions}"]) or len(fields) < 8:
            raise Refused("fields")
        game = cls(actions)
        lists = [[square_of(word) for word in field.split(",")] for field in fields[:2]]
        game.sages = {1: set(lists[0]), 2: set(lists[1])}
        game.fool = square_of(fields[2])
        game.seat, game.round, game.ply, game.starter = map(number, [fields[3], *fields[5:8]])
        game.points = [number(word) for word in fields[4].split(":")]
        if len(game.points) != 2 or game.position() != text:
            raise Refused("not in the one form")
        if len(lists[0]) != 7 or len(lists[1]) != 7 or len(game.sages[1] | game.sages[2]) != 14:
            raise Refused("sages")
        if (
            game.seat not in (1, 2)
            or game.starter not in (1, 2)
            or not 1 <= game.round <= 12
            or game.ply > actions
        ):
            raise Refused("range")
        if max(game.points) > 6 or min(game.points) >= 5:
            raise Refused("points")
        in_city = [seat for seat in (1, 2) if game.fool in CITY[seat]]
        if game.fool in game.sages[1] | game.sages[2] or not (in_city or in_kingdom(game.fool)):
            raise Refused("fool")
        won = max(game.points) >= 5
        if in_city and (not (won or game.round == 12) or in_city != [game.seat]):
            raise Refused("fool in a city")
        if won and not in_city:
            raise Refused("won, with the fool in no city")
        if game.seat != (game.starter if game.ply % 2 == 0 else 3 - game.starter):
            raise Refused("seat")
        game.over = bool(in_city) or (game.round == 12 and game.ply == actions)
        if game.ply == actions and not game.over:
            raise Refused("ply")
        return game


def number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or str(int(text)) != text:
        raise Refused(text)
    return int(text)
