"""A second, slow implementation of Sages Tafl, written from the rules page alone."""

from __future__ import annotations

Square = tuple[int, int]

FILES = "abcdefgh"
ORTHOGONAL = [(0, 1), (1, 0), (0, -1), (-1, 0)]
DIAGONAL = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
RIVER = 4
TOWER = {1: ["d1", "e1", "d2", "e2"], 2: ["d8", "e8", "d9", "e9"]}
START = "2aaaa2/f1aaaa1f/8/8/8/8/8/F1AAAA1F/2AAAA2 1 Tt 0:0 0 0"


class Refused(ValueError):
    """The page refuses this."""


def name(square: Square) -> str:
    return f"{FILES[square[0]]}{square[1] + 1}"


def square_of(text: str) -> Square:
    return (FILES.index(text[0]), int(text[1]) - 1)


def on_board(square: Square) -> bool:
    return 0 <= square[0] < 8 and 0 <= square[1] < 9


def ahead(square: Square, step: tuple[int, int], times: int = 1) -> Square:
    return (square[0] + step[0] * times, square[1] + step[1] * times)


class Oracle:
    """One game in play; ``play`` changes it."""

    board: dict[Square, str]
    seat: int
    towers: dict[int, bool]
    points: list[int]
    quiet: int
    ply: int

    def __init__(self) -> None:
        self.__dict__.update(Oracle.read(START).__dict__)

    def side(self, square: Square) -> int:
        piece = self.board.get(square)
        return 0 if piece is None else 1 if piece.isupper() else 2

    def kind(self, square: Square) -> str:
        return self.board.get(square, " ").upper()

    def empty(self, square: Square) -> bool:
        return on_board(square) and square not in self.board

    def targets(self, origin: Square) -> set[Square]:
        kind, found = self.kind(origin), set[Square]()
        x, y = origin
        if kind == "S":
            found |= {
                ahead(origin, step) for step in ORTHOGONAL + DIAGONAL if self.empty(ahead(origin, step))
            }
        elif kind == "A":
            for step in ORTHOGONAL:
                at = ahead(origin, step)
                while self.empty(at):
                    if y == RIVER:
                        if step[1] and at != ahead(origin, step):
                            break
                    elif at[1] == RIVER and not (y in (RIVER - 1, RIVER + 1) and at == ahead(origin, step)):
                        break
                    found.add(at)
                    if y != RIVER and at[1] == RIVER:
                        break
                    at = ahead(at, step)
        else:
            for first in DIAGONAL:
                over = ahead(origin, first)
                if not on_board(over):
                    continue
                if self.empty(over):
                    found.add(over)
                if self.kind(over) != "F":
                    found |= {ahead(over, second) for second in DIAGONAL if self.empty(ahead(over, second))}
            found.discard(origin)
        if kind in "SA" and y in (RIVER - 1, RIVER + 1) and self.side((x, RIVER)) == self.seat:
            across = (x, 2 * RIVER - y)
            if self.empty(across):
                found.add(across)
        return found

    def escapes(self, origin: Square) -> bool:
        x, y = origin
        if y != RIVER or self.kind(origin) not in "SA":
            return False
        if self.kind(origin) == "S":
            return x in (0, 7)
        return all(self.empty((k, y)) for k in range(x)) or all(self.empty((k, y)) for k in range(x + 1, 8))

    def actor(self) -> str:
        return "over" if self.result else str(self.seat)

    def legal(self) -> list[str]:
        if self.result:
            return []
        found = []
        for square in list(self.board):
            if self.side(square) != self.seat:
                continue
            found += [f"{name(square)}-{name(target)}" for target in self.targets(square)]
            if self.escapes(square):
                found.append(f"{name(square)}-off")
        if self.towers[self.seat]:
            found += [f"tower-{word}" for word in TOWER[self.seat] if self.empty(square_of(word))]
        return sorted(found) or ["pass"]

    def weights(self) -> list[tuple[str, int]]:
        raise AssertionError("no chance here")

    def play(self, text: str) -> None:
        mover, loud = self.seat, False
        passed = text == "pass"
        if text.endswith("-off"):
            piece = self.board.pop(square_of(text[:2]))
            self.points[mover - 1] += 3 if piece.upper() == "S" else 1
            loud = True
        elif not passed:
            start, end = text.split("-")
            target = square_of(end)
            if start == "tower":
                self.towers[mover] = False
                self.board[target] = "S" if mover == 1 else "s"
            else:
                self.board[target] = self.board.pop(square_of(start))
            loud = self.capture(target, mover)
        self.quiet = 0 if loud else self.quiet + 1
        self.ply += 1
        self.seat = 3 - mover
        both_passed = passed and self.passed
        self.passed = passed
        key = (tuple(sorted(self.board.items())), self.seat, tuple(self.towers.items()), tuple(self.points))
        self.times[key] = self.times.get(key, 0) + 1
        self.judge(both_passed, self.times[key] >= 3)

    def capture(self, target: Square, mover: int) -> bool:
        taken = [
            ahead(target, step)
            for step in ORTHOGONAL
            if self.side(ahead(target, step)) == 3 - mover and self.side(ahead(target, step, 2)) == mover
        ]
        for square in taken:
            if self.board.pop(square).upper() == "S":
                self.towers[3 - mover] = True
        return bool(taken)

    def sage_escaped(self, seat: int) -> bool:
        return not self.towers[seat] and ("S" if seat == 1 else "s") not in self.board.values()

    def apprentices(self, seat: int) -> int:
        return list(self.board.values()).count("A" if seat == 1 else "a")

    def judge(self, both_passed: bool, repeated: bool) -> None:
        within_reach = any(
            self.points[seat - 1] + self.apprentices(seat) + (0 if self.sage_escaped(seat) else 3) >= 5
            for seat in (1, 2)
        )
        if max(self.points) >= 5:
            self.result = "1 2" if self.points[0] >= 5 else "2 1"
        elif both_passed or not within_reach or repeated or self.quiet >= 100 or self.ply >= 400:
            self.result = "1 1"

    def ranks(self) -> str:
        return self.result or "-"

    def position(self) -> str:
        rows = []
        for y in reversed(range(9)):
            row, run = "", 0
            for x in range(8):
                piece = self.board.get((x, y))
                if piece is None:
                    run += 1
                else:
                    row += (str(run) if run else "") + piece
                    run = 0
            rows.append(row + (str(run) if run else ""))
        towers = ("T" if self.towers[1] else "") + ("t" if self.towers[2] else "")
        points = f"{self.points[0]}:{self.points[1]}"
        return f"{'/'.join(rows)} {self.seat} {towers or '-'} {points} {self.quiet} {self.ply}"

    def observe(self, _seat: int) -> str:
        return self.position()

    @classmethod
    def read(cls, text: str) -> Oracle:
        fields = text.split(" ")
        if len(fields) != 6:
            raise Refused("fields")
        game = cls.__new__(cls)
        game.board = {}
        rows = fields[0].split("/")
        if len(rows) != 9:
            raise Refused("ranks")
        for y, row in zip(reversed(range(9)), rows, strict=True):
            x = 0
            for what in row:
                if what in "12345678":
                    x += int(what)
                elif what in "SAFsaf" and x < 8:
                    game.board[x, y] = what
                    x += 1
                else:
                    raise Refused("board")
            if x != 8:
                raise Refused("board")
        game.seat, game.quiet, game.ply = number(fields[1]), number(fields[4]), number(fields[5])
        game.towers = {1: "T" in fields[2], 2: "t" in fields[2]}
        game.points = [number(word) for word in fields[3].split(":")]
        if game.seat not in (1, 2) or len(game.points) != 2 or game.position() != text:
            raise Refused("not in the one form")
        game.refuse_impossible()
        game.passed, game.result = False, ""
        key = (tuple(sorted(game.board.items())), game.seat, tuple(game.towers.items()), tuple(game.points))
        game.times = {key: 1}
        game.judge(False, False)
        return game

    passed: bool
    result: str
    times: dict[tuple[object, ...], int]

    def refuse_impossible(self) -> None:
        for seat, letters in ((1, "SAF"), (2, "saf")):
            held = list(self.board.values())
            sages = held.count(letters[0])
            if sages > 1 or (sages and self.towers[seat]) or held.count(letters[2]) > 2:
                raise Refused("pieces")
            by_apprentices = self.points[seat - 1] - (3 if self.sage_escaped(seat) else 0)
            if by_apprentices < 0 or by_apprentices + self.apprentices(seat) > 8:
                raise Refused("points")
        if min(self.points) >= 5 or self.quiet > 100 or self.quiet > self.ply or self.ply > 400:
            raise Refused("counts")


def number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or str(int(text)) != text:
        raise Refused(text)
    return int(text)
