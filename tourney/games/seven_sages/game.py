"""The game The Seven Sages and its states."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tourney.games.base import OVER, Game, GoldenMatch, OpeningBook, State
from tourney.games.seven_sages import board
from tourney.games.seven_sages.board import (
    CITIES,
    LAST_PLY,
    LAST_ROUND,
    PASS,
    RED,
    WINNING_POINTS,
    Position,
    is_oust,
    leaving_square,
    new_round,
    other,
    parse_position,
    plain_target,
    position_string,
    rest_square,
)
from tourney.games.seven_sages.moves import is_legal, legal_actions, score

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tourney.games.diagram import Diagram
    from tourney.games.scratch import Scratch
    from tourney.games.seven_sages.view import SevenSagesView
    from tourney.seeds import RandBelow


class SevenSagesState(State[int]):
    """A position of the Seven Sages. No history counts."""

    __slots__ = ("_legal", "_position", "actor")
    game: SevenSages
    seats = 2
    actor: int

    def __init__(self, position: Position) -> None:
        self._position = position
        self._legal: Sequence[int] | None = None
        self.actor = OVER if position.is_over else position.seat

    @property
    def fields(self) -> Position:
        """The position: sages, fool, points and counters."""
        return self._position

    def legal_actions(self) -> Sequence[int]:
        """List the legal actions, sorted."""
        if self._legal is None:
            at = self._position
            own, others = (at.red, at.blue) if at.seat == RED else (at.blue, at.red)
            self._legal = () if self.actor == OVER else legal_actions(at.seat, own, others, at.fool)
        return self._legal

    def is_legal(self, action: int) -> bool:
        """Say whether an action is legal here, by the sage that it moves."""
        if self._legal is not None or action == PASS or self.actor == OVER:
            return action in self.legal_actions()
        at = self._position
        own, others = (at.red, at.blue) if at.seat == RED else (at.blue, at.red)
        return is_legal(action, at.seat, own, others, at.fool)

    def play(self, action: int) -> SevenSagesState:
        """Return the state after a legal action."""
        return SevenSagesState(_after(self._position, action))

    def ranks(self) -> tuple[int, ...] | None:
        """Return (1, 2), (2, 1) or, with equal points after the last round, (1, 1)."""
        if self.actor != OVER:
            return None
        red, blue = self._position.points
        return (1 if red >= blue else 2, 1 if blue >= red else 2)

    def reason(self) -> str:
        """Return "points" if a seat has enough points to win, else "rounds"."""
        if self.actor != OVER:
            return ""
        return "points" if max(self._position.points) >= WINNING_POINTS else "rounds"

    def position(self) -> str:
        """Return the position string."""
        return position_string(self._position)

    def view(self, seat: int | None = None) -> SevenSagesView:  # noqa: ARG002 - nothing is hidden
        """Return the position by names."""
        from tourney.games.seven_sages.view import view_of  # noqa: PLC0415 - most bots need no views

        return view_of(self.game, self._position)


def _after(at: Position, action: int) -> Position:
    """Return the position after a legal action."""
    ply = at.ply + 1
    if action == PASS:
        return _unscored(at._replace(seat=other(at.seat), ply=ply))
    own, others = (at.red, at.blue) if at.seat == RED else (at.blue, at.red)
    leaving = leaving_square(action)
    ousts = is_oust(action)
    target = at.fool if ousts else plain_target(action)
    fool = rest_square(action) if ousts else at.fool
    moved = tuple(sorted([target if sage == leaving else sage for sage in own]))
    red, blue = (moved, others) if at.seat == RED else (others, moved)
    after = Position(red, blue, fool, other(at.seat), at.points, at.round_, ply, at.starter)
    if CITIES[other(at.seat)] >> fool & 1:
        return _scored(after, at.seat, score(at.seat, leaving, own, others, at.fool, fool))
    return _unscored(after)


def _scored(after: Position, scorer: int, points: int) -> Position:
    """Return the position after a score: the last of the game, or the first of the next round."""
    red, blue = after.points
    total = (red + points, blue) if scorer == RED else (red, blue + points)
    if max(total) >= WINNING_POINTS or after.round_ == LAST_ROUND:
        return after._replace(points=total)
    return new_round(total, after.round_ + 1, other(scorer))


def _unscored(after: Position) -> Position:
    """Return the position after an action without a score; the 120th starts the next round."""
    if after.ply < LAST_PLY or after.round_ == LAST_ROUND:
        return after
    return new_round(after.points, after.round_ + 1, other(after.starter))


class SevenSages(Game[int]):
    """Seven sages a side drive one fool into the other side's city."""

    name = "seven-sages"
    title = "The Seven Sages"
    rules = "1"
    seat_counts = (2,)
    seat_names = ("Red", "Blue")
    diagram_plies = 14
    golden_match = GoldenMatch(("greedy", "random"), 4)
    opening_book = OpeningBook("abcdefghijklmno", points=4, pieces=(0, 1))
    max_actions = LAST_ROUND * LAST_PLY

    def initial(self, seats: int, options: Mapping[str, str]) -> SevenSagesState:  # noqa: ARG002 - two seats, no options
        """Return the start of the first round."""
        return SevenSagesState(new_round((0, 0), 1, RED))

    action_string = staticmethod(board.action_string)
    parse_action = staticmethod(board.parse_action)

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> SevenSagesState:  # noqa: ARG002 - two seats, no options
        """Return the state of a position string. Raises PositionError."""
        return SevenSagesState(parse_position(text))

    def sample(self, observation: str, seat: int, randbelow: RandBelow) -> SevenSagesState:  # noqa: ARG002 - nothing is hidden
        """Return the observed position: nothing is hidden. Raises PositionError."""
        return SevenSagesState(parse_position(observation))

    def scratch(self, state: State[int]) -> Scratch:
        """Return a new mutable copy of a state for search and playouts."""
        from tourney.games.compiled import core  # noqa: PLC0415 - only search needs it

        made: Scratch = core("seven_sages").SevenSagesScratch()
        made.load(state)
        return made

    def view(self, text: str) -> SevenSagesView:
        """Return the readable view of a position string. Raises PositionError."""
        from tourney.games.seven_sages.view import view_of  # noqa: PLC0415 - most bots need no views

        return view_of(self, parse_position(text))

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        """Return the diagram of a position, with the last action marked. Raises PositionError."""
        from tourney.games.seven_sages.diagram import diagram_of  # noqa: PLC0415 - bots need no diagrams

        return diagram_of(view, last)

    def diagram_parts(self, view: str, last: str | None = None) -> tuple[Hashable, ...]:
        """Return the ground, each sage, the fool, the turn and the last action."""
        found: tuple[Hashable, ...] = _drawing().parts_of(view, last)
        return found

    def diagram_part(self, index: int, part: Any) -> Diagram:
        """Return what a part shows."""
        found: Diagram = _drawing().part_of(index, part)
        return found


SevenSagesState.game = SevenSages()


@cache
def _drawing() -> ModuleType:
    """Return the module that draws: bots need none, and a statement to import costs time at every ply."""
    from tourney.games.seven_sages import diagram  # noqa: PLC0415 - see above

    return diagram
