"""A second, slow implementation of Element, written from the rules page alone, to play against the first.

Boards are dictionaries, every question is answered from scratch, and nothing is shared with
``tourney.games.element``. A method is named by the page's words. It is one file, in the page's order, to be
read beside the one page.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import comb

Square = tuple[int, int]

COLUMNS = "abcdefghijk"
ORTHOGONAL = {"n": (0, 1), "e": (1, 0), "s": (0, -1), "w": (-1, 0)}
EIGHT = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]
WINDS = "1234"
STARTS = {2: ["f5", "f7"], 3: ["c3", "i3", "i9"], 4: ["c3", "i3", "i9", "c9"]}


class Refused(ValueError):
    """The page refuses this."""


def name(square: Square) -> str:
    return f"{COLUMNS[square[0]]}{square[1] + 1}"


def square_of(text: str) -> Square:
    for x in range(11):
        for y in range(11):
            if name((x, y)) == text:
                return (x, y)
    raise Refused(text)


def on_board(square: Square) -> bool:
    return 0 <= square[0] < 11 and 0 <= square[1] < 11


def shift(square: Square, step: tuple[int, int], times: int = 1) -> Square:
    return (square[0] + step[0] * times, square[1] + step[1] * times)


class Oracle:
    """One game in play; ``play`` changes it."""

    def __init__(self, seats: int = 2) -> None:
        self.board: dict[Square, str] = {}
        self.sages = [square_of(text) for text in STARTS[seats]]
        self.seat = 1
        self.phase = "draw"
        self.headwater: Square | None = None
        self.direction = ""
        self.path = ""
        self.chance = 0
        self.hand: list[str] = []
        self.steps: int | None = None
        self.used: set[Square] = set()
        self.bag = dict.fromkeys("AEFW", 30)
        self.turn = 0
        self.winners: list[int] | None = None

    def copy(self) -> Oracle:
        other = Oracle.__new__(Oracle)
        other.__dict__.update(self.__dict__)
        other.board, other.sages, other.hand = dict(self.board), list(self.sages), list(self.hand)
        other.used, other.bag = set(self.used), dict(self.bag)
        return other

    # Questions about the board.

    def wholly_empty(self, square: Square) -> bool:
        return on_board(square) and square not in self.board and square not in self.sages

    def range_squares(self) -> set[Square]:
        found = {square for square, what in self.board.items() if what == "M"}
        grew = True
        while grew:
            more = {
                shift(square, step)
                for square in found
                for step in EIGHT
                if self.board.get(shift(square, step), "") in ("E", "M")
            } - found
            found |= more
            grew = bool(more)
        return found

    def barred_diagonal(self, origin: Square, step: tuple[int, int], ranges: set[Square]) -> bool:
        if 0 in step:
            return False
        return (origin[0] + step[0], origin[1]) in ranges and (origin[0], origin[1] + step[1]) in ranges

    def step_targets(self, origin: Square) -> set[Square]:
        ranges = self.range_squares()
        return {
            shift(origin, step)
            for step in EIGHT
            if self.wholly_empty(shift(origin, step)) and not self.barred_diagonal(origin, step, ranges)
        }

    def jumps(self, origin: Square) -> dict[Square, list[list[Square]]]:
        ranges = self.range_squares()
        found: dict[Square, list[list[Square]]] = {}
        for step in EIGHT:
            run = []
            at = shift(origin, step)
            while on_board(at) and self.board.get(at, "") in tuple(WINDS):
                run.append(at)
                at = shift(at, step)
            if not run or self.barred_diagonal(origin, step, ranges):
                continue
            landing = shift(origin, step, sum(int(self.board[square]) for square in run) + 1)
            if self.wholly_empty(landing):
                found.setdefault(landing, []).append(run)
        return found

    def captured(self, seat: int) -> bool:
        sage = self.sages[seat - 1]
        return not self.step_targets(sage) and not self.jumps(sage)

    # Rivers.

    def river(self, headwater: Square, direction: str) -> list[Square]:
        stones = [headwater]
        at = shift(headwater, ORTHOGONAL[direction])
        while self.board.get(at) == "W":
            stones.append(at)
            at = shift(at, ORTHOGONAL[direction])
        return stones

    def path_squares(self, headwater: Square, letters: str) -> list[Square]:
        squares, at = [], headwater
        for letter in letters:
            at = shift(at, ORTHOGONAL[letter])
            squares.append(at)
        return squares

    def flow_square_open(self, square: Square) -> bool:
        return self.wholly_empty(square) or (on_board(square) and self.board.get(square) == "F")

    def flowed(self, headwater: Square, direction: str, letters: str) -> Oracle:
        after = self.copy()
        for square in self.river(headwater, direction):
            del after.board[square]
        for square in self.path_squares(headwater, letters):
            if after.board.get(square) == "F":
                after.bag["F"] += 1
            after.board[square] = "W"
        return after

    def completable(self, headwater: Square, direction: str, letters: str) -> bool:
        length = len(self.river(headwater, direction))
        squares = self.path_squares(headwater, letters)
        if len(letters) == length:
            return not self.flowed(headwater, direction, letters).captured(self.seat)
        last = squares[-1] if squares else headwater
        for letter, step in ORTHOGONAL.items():
            nxt = shift(last, step)
            if (
                self.flow_square_open(nxt)
                and nxt not in squares
                and self.completable(headwater, direction, letters + letter)
            ):
                return True
        return False

    def open_directions(self, headwater: Square) -> list[str]:
        return [
            letter
            for letter, step in ORTHOGONAL.items()
            if self.board.get(shift(headwater, step)) == "W" and self.completable(headwater, letter, "")
        ]

    # Placing: the board with the stone laid, or None where the rules have no such placement.

    def placed(self, stone: str, square: Square) -> Oracle | None:
        if square in self.sages:
            return None
        after = self.copy()
        after.hand.remove(stone)
        there = self.board.get(square, "")
        laid = stone if stone != "A" else "1"
        if there in tuple(WINDS) and stone == "F":
            after.bag["A"] += int(there)
        elif there == "F" and stone == "W":
            after.bag["F"] += 1
        elif there == "W" and stone == "E":
            after.bag["W"] += 1
        elif there == "E" and stone == "A":
            if square in self.range_squares():
                return None
            after.bag["E"] += 1
        elif there == "E" and stone == "E":
            laid = "M"
        elif there in ("1", "2", "3") and stone == "A":
            laid = str(int(there) + 1)
        elif there:
            return None
        after.board[square] = laid
        if stone == "F":
            after.spread(square)
        after.used = {used for used in after.used if after.board.get(used, "") in tuple(WINDS)}
        return after

    def spread(self, square: Square) -> None:
        ends = []
        for letter in "nesw":
            at = shift(square, ORTHOGONAL[letter])
            if self.board.get(at) != "F":
                continue
            while self.board.get(at) == "F":
                at = shift(at, ORTHOGONAL[letter])
            if self.wholly_empty(at) or self.board.get(at, "") in tuple(WINDS):
                ends.append(at)
        for at in ends:
            if self.bag["F"] == 0:
                break
            if at in self.board and self.board[at] in tuple(WINDS):
                self.bag["A"] += int(self.board[at])
            self.board[at] = "F"
            self.bag["F"] -= 1

    def placement_legal(self, stone: str, square: Square) -> bool:
        after = self.placed(stone, square)
        if after is None:
            return False
        if stone == "W" and any(after.board.get(shift(square, step)) == "W" for step in ORTHOGONAL.values()):
            return bool(after.open_directions(square))
        return not after.captured(self.seat)

    # The console's questions.

    def actor(self) -> str:
        if self.winners is not None or self.turn == 200:
            return "over"
        return "chance" if self.phase == "chance" else str(self.seat)

    def legal(self) -> list[str]:
        if self.actor() == "over":
            return []
        if self.phase == "draw":
            return sorted(f"draw-{n}" for n in range(min(4, sum(self.bag.values())) + 1))
        if self.phase == "chance":
            return sorted(self.outcomes())
        if self.phase == "river":
            assert self.headwater is not None
            return sorted(f"river-{letter}" for letter in self.open_directions(self.headwater))
        if self.phase == "flow":
            assert self.headwater is not None
            squares = self.path_squares(self.headwater, self.path)
            last = squares[-1] if squares else self.headwater
            return sorted(
                f"flow-{letter}"
                for letter, step in ORTHOGONAL.items()
                if self.flow_square_open(shift(last, step))
                and shift(last, step) not in squares
                and self.completable(self.headwater, self.direction, self.path + letter)
            )
        return self.legal_in_act()

    def legal_in_act(self) -> list[str]:
        squares = [(x, y) for x in range(11) for y in range(11)]
        placements = [
            f"{stone}-{name(square)}"
            for stone in set(self.hand)
            for square in squares
            if self.placement_legal(stone, square)
        ]
        moves = []
        origin = self.sages[self.seat - 1]
        if self.steps:
            moves += [("step", square) for square in self.step_targets(origin)]
        for landing, runs in self.jumps(origin).items():
            if any(not self.used & set(run) for run in runs):
                moves.append(("jump", landing))
        actions = list(placements)
        for word, square in moves:
            after = self.copy()
            after.sages[self.seat - 1] = square
            if not after.captured(self.seat):
                actions.append(f"{word}-{name(square)}")
        if not placements:
            actions.append("end")
        return sorted(actions)

    def outcomes(self) -> dict[str, int]:
        found = {}
        for letters in combinations_with_replacement("AEFW", self.chance):
            weight = 1
            for letter in "AEFW":
                weight *= comb(self.bag[letter], letters.count(letter))
            if weight:
                found["stones-" + "".join(letters)] = weight
        return found

    def weights(self) -> list[tuple[str, int]]:
        return sorted(self.outcomes().items())

    def play(self, text: str) -> None:
        word, _, rest = text.partition("-")
        mover = self.seat
        if word == "draw":
            self.chance = int(rest)
            if self.chance:
                self.phase = "chance"
            else:
                self.phase, self.steps = "act", 5
            return
        if word == "stones":
            self.hand = sorted(rest)
            for letter in rest:
                self.bag[letter] -= 1
            self.phase, self.steps = "act", 5 - self.chance
            return
        if word == "end":
            for letter in self.hand:
                self.bag[letter] += 1
            self.hand, self.used, self.steps, self.phase = [], set(), None, "draw"
            self.seat = self.seat % len(self.sages) + 1
            self.turn += 1
            return
        if word == "step":
            assert self.steps is not None
            self.steps -= 1
            self.sages[mover - 1] = square_of(rest)
        elif word == "jump":
            (run, *others) = [
                run for run in self.jumps(self.sages[mover - 1])[square_of(rest)] if not self.used & set(run)
            ]
            assert not others
            self.used |= set(run)
            self.sages[mover - 1] = square_of(rest)
        elif word in tuple("AEFW"):
            square = square_of(rest)
            after = self.placed(word, square)
            assert after is not None
            self.__dict__.update(after.__dict__)
            if word == "W" and any(
                self.board.get(shift(square, step)) == "W" for step in ORTHOGONAL.values()
            ):
                self.headwater = square
                directions = self.open_directions(square)
                if len(directions) > 1:
                    self.phase = "river"
                else:
                    self.phase, self.direction, self.path = "flow", directions[0], ""
                return
        elif word == "river":
            self.phase, self.direction, self.path = "flow", rest, ""
            return
        elif word == "flow":
            assert self.headwater is not None
            self.path += rest
            if len(self.path) < len(self.river(self.headwater, self.direction)):
                return
            self.__dict__.update(self.flowed(self.headwater, self.direction, self.path).__dict__)
            self.phase, self.headwater, self.direction, self.path = "act", None, "", ""
        self.judge()

    def judge(self) -> None:
        taken = [seat for seat in range(1, len(self.sages) + 1) if seat != self.seat and self.captured(seat)]
        if taken:
            count = len(self.sages)
            self.winners = [(seat - 2) % count + 1 for seat in taken]

    def ranks(self) -> str:
        if self.actor() != "over":
            return "-"
        if self.winners is None:
            return " ".join("1" for _ in self.sages)
        return " ".join(
            "1" if seat in self.winners else str(1 + len(self.winners))
            for seat in range(1, len(self.sages) + 1)
        )

    def position(self) -> str:
        rows = ["".join(self.board.get((x, y), ".") for x in range(11)) for y in reversed(range(11))]
        phase = self.phase
        if phase == "chance":
            phase = f"chance-{self.chance}"
        elif phase == "river":
            phase = f"river-{name(self.headwater or (0, 0))}"
        elif phase == "flow":
            phase = f"flow-{name(self.headwater or (0, 0))}-{self.direction}-{self.path or '-'}"
        return " ".join(
            [
                "/".join(rows),
                ",".join(map(name, self.sages)),
                str(self.seat),
                phase,
                "".join(sorted(self.hand)) or "-",
                "-" if self.steps is None else str(self.steps),
                ",".join(map(name, sorted(self.used))) or "-",
                ",".join(f"{letter}{self.bag[letter]}" for letter in "AEFW"),
                str(self.turn),
            ]
        )

    def observe(self, _seat: int) -> str:
        return self.position()

    @classmethod
    def read(cls, text: str, seats: int) -> Oracle:
        fields = text.split(" ")
        if len(fields) != 9:
            raise Refused("fields")
        game = cls(seats)
        rows = fields[0].split("/")
        if len(rows) != 11 or any(len(row) != 11 for row in rows):
            raise Refused("board")
        game.board = {}
        for y, row in zip(reversed(range(11)), rows, strict=True):
            for x, what in enumerate(row):
                if what not in ".FWEM1234":
                    raise Refused("board")
                if what != ".":
                    game.board[x, y] = what
        game.sages = [square_of(word) for word in fields[1].split(",")]
        if len(game.sages) != seats:
            raise Refused("sages")
        game.seat, game.turn = number(fields[2]), number(fields[8])
        game.hand = [] if fields[4] == "-" else list(fields[4])
        if any(letter not in "AEFW" for letter in game.hand):
            raise Refused("hand")
        game.steps = None if fields[5] == "-" else number(fields[5])
        game.used = set() if fields[6] == "-" else {square_of(word) for word in fields[6].split(",")}
        counts = fields[7].split(",")
        if [count[:1] for count in counts] != list("AEFW"):
            raise Refused("bag")
        game.bag = {count[0]: number(count[1:]) for count in counts}
        game.read_phase(fields[3])
        if game.position() != text:
            raise Refused("not in the one form")
        game.refuse_impossible()
        if game.phase == "act":
            game.judge()
        return game

    def read_phase(self, text: str) -> None:
        words = text.split("-", 3)
        if text in ("draw", "act"):
            self.phase = text
        elif words[0] == "chance" and len(words) == 2:
            self.phase, self.chance = "chance", number(words[1])
        elif words[0] == "river" and len(words) == 2:
            self.phase, self.headwater = "river", square_of(words[1])
        elif words[0] == "flow" and len(words) == 4:
            self.phase, self.headwater, self.direction = "flow", square_of(words[1]), words[2]
            self.path = "" if words[3] == "-" else words[3]
            if self.direction not in tuple("nesw") or any(letter not in "nesw" for letter in self.path):
                raise Refused("flow")
        else:
            raise Refused("phase")

    def refuse_impossible(self) -> None:
        worth = {"A": 0, "E": 0, "F": 0, "W": 0}
        for what in self.board.values():
            letter, count = ("A", int(what)) if what in WINDS else ("E", 2) if what == "M" else (what, 1)
            worth[letter] += count
        for letter, count in worth.items():
            if count + self.hand.count(letter) + self.bag[letter] != 30:
                raise Refused("not 30 of a kind")
        if len(set(self.sages)) != len(self.sages) or any(sage in self.board for sage in self.sages):
            raise Refused("sages")
        if self.seat != self.turn % len(self.sages) + 1:
            raise Refused("seat")
        if self.turn > 200 or (self.turn == 200 and self.phase != "draw"):
            raise Refused("turn")
        everybody = range(1, len(self.sages) + 1)
        if self.phase in ("draw", "chance"):
            if self.hand or self.steps is not None or self.used:
                raise Refused("hand, steps or used")
            if self.phase == "chance" and not 1 <= self.chance <= min(4, sum(self.bag.values())):
                raise Refused("chance")
            if any(self.captured(seat) for seat in everybody):
                raise Refused("captured")
            return
        if self.steps is None:
            raise Refused("steps")
        held = len(self.hand) + (self.phase != "act")
        if held > 4 or held + self.steps > 5:
            raise Refused("hand and steps")
        if any(self.board.get(square, "") not in tuple(WINDS) for square in self.used):
            raise Refused("used")
        if self.phase == "act":
            if self.captured(self.seat):
                raise Refused("captured")
            return
        assert self.headwater is not None
        if self.board.get(self.headwater) != "W":
            raise Refused("headwater")
        if self.phase == "river" and len(self.open_directions(self.headwater)) < 2:
            raise Refused("river")
        if self.phase == "flow":
            self.refuse_flow(self.headwater)

    def refuse_flow(self, headwater: Square) -> None:
        if self.board.get(shift(headwater, ORTHOGONAL[self.direction])) != "W":
            raise Refused("no river there")
        squares = self.path_squares(headwater, self.path)
        if len(self.path) >= len(self.river(headwater, self.direction)):
            raise Refused("complete")
        if len(set(squares)) != len(squares) or any(not self.flow_square_open(square) for square in squares):
            raise Refused("path")
        if not self.completable(headwater, self.direction, self.path):
            raise Refused("cannot be completed")


def number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or str(int(text)) != text:
        raise Refused(text)
    return int(text)
