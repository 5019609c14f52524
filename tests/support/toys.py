"""Three small games that the tests play: noughts and crosses, a race with dice, and a hidden choice."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from tourney.errors import ActionError, OptionError, PositionError
from tourney.games.base import CHANCE, OVER, Game, Option, State
from tourney.games.diagrams import Arrow, Cell, Diagram, Label, Mark, Piece, plain_diagram
from tourney.seeds import RandBelow


@dataclass(frozen=True, slots=True)
class ToeState(State[int]):
    """Noughts and crosses: seat 1 is X, seat 2 is O; the option `misere` reverses the ranks."""

    board: str
    misere: bool

    @property
    def seats(self) -> int:
        return 2

    @property
    def actor(self) -> int:
        if self.row() or "." not in self.board:
            return OVER
        return 1 if self.board.count("X") == self.board.count("O") else 2

    def row(self) -> str:
        """Return the mark that has three in a row, or ""."""
        lines = ("012", "345", "678", "036", "147", "258", "048", "246")
        for line in lines:
            marks = {self.board[int(k)] for k in line}
            if len(marks) == 1 and marks != {"."}:
                return marks.pop()
        return ""

    def legal_actions(self) -> Sequence[int]:
        if self.actor == OVER:
            return []
        return [k for k in (0, 3, 6, 1, 4, 7, 2, 5, 8) if self.board[k] == "."]

    def play(self, action: int) -> "ToeState":
        mark = "X" if self.actor == 1 else "O"
        return replace(self, board=self.board[:action] + mark + self.board[action + 1 :])

    def ranks(self) -> tuple[int, ...] | None:
        if self.actor != OVER:
            return None
        row = self.row()
        if not row:
            return (1, 1)
        return (1, 2) if (row == "X") != self.misere else (2, 1)

    def reason(self) -> str:
        if self.actor != OVER:
            return ""
        return "row" if self.row() else "full"

    def position(self) -> str:
        rows = "/".join(self.board[k : k + 3] for k in (0, 3, 6))
        return f"{rows} {'over' if self.actor == OVER else self.actor}"


class Toe(Game[int]):
    """Its rules: the smallest game with positions, and with an option."""

    name = "toe"
    title = "Noughts and Crosses"
    rules = "1"
    seat_counts = (2,)
    seat_names = ("Crosses", "Noughts")
    options: ClassVar[tuple[Option, ...]] = (Option("misere", "no", ("no", "yes"), "three in a row lose"),)
    max_actions = 9
    state: type[ToeState] = ToeState

    def initial(self, seats: int, options: Mapping[str, str]) -> State[int]:
        return self.state("." * 9, options["misere"] == "yes")

    def action_string(self, action: int) -> str:
        return "abc"[action % 3] + "123"[action // 3]

    def parse_action(self, text: str) -> int:
        if re.fullmatch(r"[abc][123]", text, re.ASCII) is None:
            raise ActionError(f"{text!r} is not a square of this board, as b2")
        return "abc".index(text[0]) + 3 * "123".index(text[1])

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> State[int]:
        if re.fullmatch(r"[XO.]{3}(/[XO.]{3}){2} (1|2|over)", text, re.ASCII) is None:
            raise PositionError(f"{text!r} is not of the form .../.../... SEAT")
        state = self.state(text[:11].replace("/", ""), options["misere"] == "yes")
        if state.board.count("X") - state.board.count("O") not in (0, 1) or state.position() != text:
            raise PositionError(f"in {text!r} the seat does not fit the board")
        return state

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        board, _, seat = view.partition(" ")
        cells = [Cell(2 * (k % 3), 2 * (k // 3), name=self.action_string(k)) for k in range(9)]
        marks = board.replace("/", "")
        pieces = [
            Piece(c.x, c.y, m, "XO".index(m) + 1) for c, m in zip(cells, marks, strict=True) if m != "."
        ]
        shown = [Mark(c.x, c.y, "to") for c in cells if c.name == last]
        labels = [Label(2 * k, 6, "abc"[k]) for k in range(3)] + [
            Label(-2, 2 * k, "123"[k]) for k in range(3)
        ]
        arrows = [Arrow(4 - c.x, 4 - c.y, c.x, c.y) for c in cells if c.name == last and c.name != "b2"]
        return Diagram(
            tuple(cells), tuple(pieces), tuple(shown), tuple(arrows), tuple(labels), (f"seat {seat}",)
        )


@dataclass(frozen=True, slots=True)
class RaceState(State[str]):
    """A race to four points: a die of two faces, then its roller takes the points or leaves them."""

    count: int
    history: tuple[str, ...] = ()
    points: tuple[int, ...] = ()
    rolled: int = 0

    @property
    def seats(self) -> int:
        return self.count

    @property
    def actor(self) -> int:
        if max(self.points) >= 4 or len(self.history) >= 40:
            return OVER
        return CHANCE if not self.rolled else 1 + (len(self.history) // 2) % self.count

    def legal_actions(self) -> Sequence[str]:
        if self.actor == OVER:
            return []
        return ["leave", "take"] if self.rolled else ["roll-1", "roll-2"]

    def chance_weights(self) -> Sequence[int]:
        if self.actor != CHANCE:
            raise ValueError("this is not a chance node")
        return [2, 1]

    def play(self, action: str) -> "RaceState":
        points, rolled = list(self.points), 0
        if action.startswith("roll-"):
            rolled = int(action[-1])
        elif action == "take":
            points[self.actor - 1] += self.rolled
        return replace(self, history=(*self.history, action), points=tuple(points), rolled=rolled)

    def ranks(self) -> tuple[int, ...] | None:
        if self.actor != OVER:
            return None
        return tuple(1 + sum(other > mine for other in self.points) for mine in self.points)

    def reason(self) -> str:
        if self.actor != OVER:
            return ""
        return "arrived" if max(self.points) >= 4 else "tired"

    def position(self) -> str:
        return ",".join(self.history) or "-"


class Race(Game[str]):
    """Its rules: chance, two or three seats, and no positions."""

    name = "race"
    title = "Race"
    rules = "1"
    seat_counts = (2, 3)
    seat_names: tuple[str, ...] = ("Red", "Blue", "White")
    has_chance = True
    has_positions = False
    max_actions = 40
    state: type[RaceState] = RaceState

    def initial(self, seats: int, options: Mapping[str, str]) -> State[str]:
        return self.state(seats, points=(0,) * seats)

    def action_string(self, action: str) -> str:
        return action

    def parse_action(self, text: str) -> str:
        if text not in {"leave", "take", "roll-1", "roll-2"}:
            raise ActionError(f"{text!r} is none of leave, take, roll-1 and roll-2")
        return text


@dataclass(frozen=True, slots=True)
class OddsState(State[int]):
    """Two rounds: both choose 1 to 3, seat 1 unseen; equals score for seat 2, else seat 1.

    A seat that chose 3 may not choose it again.
    """

    done: tuple[tuple[int, int], ...] = ()
    chosen: int = 0

    @property
    def seats(self) -> int:
        return 2

    @property
    def actor(self) -> int:
        if len(self.done) == 2:
            return OVER
        return 2 if self.chosen else 1

    def legal_actions(self) -> Sequence[int]:
        if self.actor == OVER:
            return []
        spent = any(pair[self.actor - 1] == 3 for pair in self.done)
        return [1, 2] if spent else [1, 2, 3]

    def play(self, action: int) -> "OddsState":
        if self.chosen:
            return replace(self, done=(*self.done, (self.chosen, action)), chosen=0)
        return replace(self, chosen=action)

    def points(self) -> tuple[int, int]:
        """Return both seats' points."""
        equal = sum(one == two for one, two in self.done)
        return len(self.done) - equal, equal

    def ranks(self) -> tuple[int, ...] | None:
        if self.actor != OVER:
            return None
        one, two = self.points()
        return (1 + (two > one), 1 + (one > two))

    def reason(self) -> str:
        return "played" if self.actor == OVER else ""

    def position(self) -> str:
        return self._written(str(self.chosen))

    def observation(self, seat: int) -> str:
        return self._written(str(self.chosen) if seat == 1 or not self.chosen else "?")

    def _written(self, chosen: str) -> str:
        return (",".join(f"{one}:{two}" for one, two in self.done) or "-") + " " + chosen

    def visible(self, action: int, seat: int) -> bool:
        return self.actor != 1 or seat == 1

    def revealed(self) -> bool:
        return not self.chosen


class Odds(Game[int]):
    """Its rules: hidden actions, revealed at the end of each round."""

    name = "odds"
    title = "Odds"
    rules = "1"
    seat_counts = (2,)
    seat_names = ("Hider", "Seeker")
    has_hidden_actions = True
    max_actions = 4
    state: type[OddsState] = OddsState

    def initial(self, seats: int, options: Mapping[str, str]) -> State[int]:
        return self.state()

    def action_string(self, action: int) -> str:
        return f"show-{action}"

    def parse_action(self, text: str) -> int:
        if re.fullmatch(r"show-[123]", text, re.ASCII) is None:
            raise ActionError(f"{text!r} is none of show-1, show-2 and show-3")
        return int(text[-1])

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> State[int]:
        if re.fullmatch(r"(-|[123]:[123](,[123]:[123])?) [0123]", text, re.ASCII) is None:
            raise PositionError(f"{text!r} is not of the form 1:2,3:1 CHOSEN")
        rounds, chosen = text.split(" ")
        done = () if rounds == "-" else tuple((int(r[0]), int(r[2])) for r in rounds.split(","))
        state = self.state(done, int(chosen))
        if len(done) == 2 and (state.chosen or any(a == b == 3 for a, b in zip(*done, strict=True))):
            raise PositionError(f"{text!r} cannot be")
        if state.chosen and state.chosen not in self.state(done).legal_actions():
            raise PositionError(f"{text!r} cannot be")
        return state

    def sample(self, observation: str, seat: int, randbelow: RandBelow) -> State[int]:
        if not observation.endswith("?"):
            return self.parse_position(observation, 2, {})
        open_ = self.parse_position(observation[:-1] + "0", 2, {})
        choices = open_.legal_actions()
        return open_.play(choices[randbelow(len(choices))])


class SmallToe(Toe):
    """A game that refuses some of its settings, and has a plain diagram."""

    name = "small-toe"

    def check_settings(self, seats: int, options: Mapping[str, str]) -> None:
        if options["misere"] == "yes":
            raise OptionError("small-toe is not played with misere=yes")

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        return plain_diagram(view, last)
