"""A second, slow implementation of Sage Stones, written from the rules page alone."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

ROWS = "abcdefghi"
COLUMNS = range(3, 10)
EIGHT = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]
PHASES = ("roll", "over", "3+", "4", "5", "6", "6+", "7", "8", "9+")


class Refused(ValueError):
    """The page refuses this."""


class Oracle:
    """One game in play; ``play`` changes it."""

    def __init__(
        self, seats: int = 2, stones: int = 10, play_on: bool = False, colours: int | None = None
    ) -> None:
        self.seats, self.stones, self.play_on, self.each = seats, stones, play_on, colours
        self.colours = seats * (colours or {2: 2, 3: 1, 4: 1}[seats])
        self.board: dict[tuple[int, int], int] = {}
        self.colour = 1
        self.phase = "roll"
        self.hand = dict.fromkeys(range(1, self.colours + 1), stones)
        self.done: dict[int, int] = {}
        self.rolls = 0

    def owner(self, colour: int) -> int:
        return (1, 2, 1, 2)[colour - 1] if self.seats == 2 else colour

    def actor(self) -> str:
        if self.phase == "over":
            return "over"
        return "chance" if self.phase == "roll" else str(self.owner(self.colour))

    def legal(self) -> list[str]:
        if self.phase == "over":
            return []
        if self.phase == "roll":
            return sorted(f"roll-{a}{b}{c}" for a, b, c in combinations_with_replacement("123", 3))
        column = int(self.phase[0])
        return [f"{column}{ROWS[y]}" for y in range(9) if (column, y) not in self.board]

    def weights(self) -> list[tuple[str, int]]:
        rolls = ["roll-" + "".join(sorted(dice)) for dice in product("123", repeat=3)]
        return [(roll, rolls.count(roll)) for roll in sorted(set(rolls))]

    def full(self, column: int) -> bool:
        return all((column, y) in self.board for y in range(9))

    def next_colour(self) -> int:
        colour = self.colour % self.colours + 1
        while colour in self.done:
            colour = colour % self.colours + 1
        return colour

    def end_turn(self, again: bool = False) -> None:
        if self.rolls == 500:
            self.phase = "over"
            return
        self.phase = "roll"
        if not again:
            self.colour = self.next_colour()

    def play(self, text: str) -> None:
        if text.startswith("roll-"):
            self.roll(sorted(int(face) for face in text[5:]))
        else:
            self.place(int(text[0]), ROWS.index(text[1]))

    def roll(self, dice: list[int]) -> None:
        self.rolls += 1
        if dice == [1, 2, 3]:
            self.end_turn()
            return
        column = sum(dice)
        triple = dice[0] == dice[2]
        if not self.full(column):
            self.phase = f"{column}+" if triple else str(column)
        elif not self.full(6):
            self.phase = "6"
        else:
            for colour in self.board.values():
                if colour not in self.done:
                    self.hand[colour] += 1
            self.board = {}
            self.end_turn(again=True)
            if self.phase != "over":
                self.colour = min(colour for colour in self.hand if colour not in self.done)

    def place(self, x: int, y: int) -> None:
        again = self.phase.endswith("+")
        self.board[x, y] = self.colour
        self.hand[self.colour] -= 1
        if self.hand[self.colour] == 0:
            if not self.play_on:
                self.phase = "over"
                return
            self.done[self.colour] = len(self.done) + 1
            if len(self.done) == self.colours - 1:
                self.phase = "over"
                return
            self.end_turn()
            return
        taken = set()
        for dx, dy in EIGHT:
            run = []
            at = (x + dx, (y + dy) % 9 if dx == 0 else y + dy)
            while at in self.board and self.board[at] != self.colour:
                run.append(at)
                at = (at[0] + dx, (at[1] + dy) % 9 if dx == 0 else at[1] + dy)
            if at in self.board and at != (x, y):
                taken |= set(run)
        for at in taken:
            colour = self.board.pop(at)
            if colour not in self.done:
                self.hand[colour] += 1
        self.end_turn(again)

    def ranks(self) -> str:
        if self.phase != "over":
            return "-"
        if not self.play_on and 0 in self.hand.values():
            winner = next(self.owner(colour) for colour, held in self.hand.items() if held == 0)
            return " ".join("1" if seat == winner else "2" for seat in range(1, self.seats + 1))
        best: dict[int, tuple[int, int]] = {}
        for colour in self.hand:
            score = (0, self.done[colour]) if colour in self.done else (1, self.hand[colour])
            seat = self.owner(colour)
            best[seat] = min(best.get(seat, score), score)
        return " ".join(
            str(1 + sum(other < best[seat] for other in best.values())) for seat in range(1, self.seats + 1)
        )

    def position(self) -> str:
        columns = [
            "".join(str(self.board[x, y]) if (x, y) in self.board else "." for y in range(9)) for x in COLUMNS
        ]
        hands = [f"#{self.done[c]}" if c in self.done else str(self.hand[c]) for c in self.hand]
        options = f"seats={self.seats},stones={self.stones},play-on={'yes' if self.play_on else 'no'}"
        if self.each == 1:
            options += ",colours=1"
        return f"{'/'.join(columns)} {self.colour} {self.phase} {','.join(hands)} {self.rolls} {options}"

    def observe(self, _seat: int) -> str:
        return self.position()

    @classmethod
    def read(cls, text: str, seats: int, stones: int, play_on: bool, each: int | None = None) -> Oracle:
        fields = text.split(" ")
        if len(fields) != 6:
            raise Refused("fields")
        game = cls(seats, stones, play_on, each)
        columns = fields[0].split("/")
        if len(columns) != 7 or any(len(column) != 9 for column in columns):
            raise Refused("board")
        for x, column in zip(COLUMNS, columns, strict=True):
            for y, what in enumerate(column):
                if what in "1234"[: game.colours]:
                    game.board[x, y] = int(what)
                elif what != ".":
                    raise Refused("board")
        game.colour, game.phase, game.rolls = number(fields[1]), fields[2], number(fields[4])
        hands = fields[3].split(",")
        if len(hands) != game.colours or not 1 <= game.colour <= game.colours or game.phase not in PHASES:
            raise Refused("hands, colour or phase")
        for colour, word in enumerate(hands, 1):
            if word.startswith("#"):
                game.done[colour] = number(word[1:])
                game.hand[colour] = 0
            else:
                game.hand[colour] = number(word)
        if game.position() != text:
            raise Refused("not in the one form")
        game.refuse_impossible()
        return game

    def refuse_impossible(self) -> None:
        laid = list(self.board.values())
        for colour, held in self.hand.items():
            if colour in self.done:
                if laid.count(colour) > self.stones:
                    raise Refused("too many stones")
            elif laid.count(colour) + held != self.stones:
                raise Refused("stones")
        if self.done and not self.play_on:
            raise Refused("done without play-on")
        if (
            sorted(self.done.values()) != list(range(1, len(self.done) + 1))
            or len(self.done) > self.colours - 1
        ):
            raise Refused("ranks")
        zeros = [colour for colour, held in self.hand.items() if held == 0 and colour not in self.done]
        if len(zeros) > 1 or (zeros and (self.phase != "over" or self.play_on)):
            raise Refused("none in hand")
        if self.rolls > 500 or (self.phase[0].isdigit() and self.rolls == 0):
            raise Refused("rolls")
        ended = bool(zeros) or len(self.done) == self.colours - 1
        if self.phase == "over":
            if not ended and self.rolls < 500:
                raise Refused("the game would go on")
            return
        if ended or (self.phase == "roll" and self.rolls == 500):
            raise Refused("the game would be over")
        if self.colour in self.done:
            raise Refused("colour is done")
        if self.phase[0].isdigit() and self.full(int(self.phase[0])):
            raise Refused("full column")


def number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or str(int(text)) != text:
        raise Refused(text)
    return int(text)
