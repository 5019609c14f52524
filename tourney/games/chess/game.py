"""The games ``chess`` and ``chess960``; the package ``chess`` is imported when a state is made."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tourney.errors import ActionError, GameError, PositionError
from tourney.games.base import Game, State
from tourney.games.chess.moves import STARTS, Move, move_codes, move_strings

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping
    from types import ModuleType

    from tourney.games.base import Tables
    from tourney.games.diagrams import Diagram
    from tourney.seeds import RandBelow


@cache
def rules() -> ModuleType:
    """The module of starts and positions. Raises GameError without the package ``chess``."""
    try:
        return import_module("tourney.games.chess.starts")
    except ModuleNotFoundError as error:
        if error.name != "chess":
            raise
        raise GameError(
            "this game needs the package chess: install it by pip install 'tourney[chess]'"
        ) from error


class Chess(Game[Move]):
    """Chess. A position is a FEN, an action a move of UCI."""

    name = "chess"
    title = "Chess"
    rules = "1"
    seat_counts = (2,)
    seat_names = ("White", "Black")
    max_actions = 12_701
    """At most 126 pawn moves and captures, each and the last of them followed by fewer than 100 others; and
    the draw of the start."""
    diagram_plies = 24
    chess960 = False

    def initial(self, seats: int, options: Mapping[str, str]) -> State[Move]:  # noqa: ARG002 - there are none
        """The starting position."""
        state: State[Move] = rules().START
        return state

    def action_string(self, action: Move) -> str:
        """The UCI move, or the set-up."""
        return action if isinstance(action, str) else move_strings()[action]

    def parse_action(self, text: str) -> Move:
        """The code of a UCI move. Raises ActionError."""
        code = _ACTIONS.get(text)
        if code is None and text.startswith("="):
            try:
                self.parse_position(text[1:].replace("_", " "), 2, {})
            except PositionError as error:
                raise ActionError(str(error)) from error
            return text
        if code is None:
            code = move_codes().get(text)
            if code is None:
                raise ActionError(f"{text[:20]!r} is not a move: write it as UCI does, such as e2e4 or e7e8q")
            _ACTIONS.update(move_codes())
        return code

    def set_up(self, text: str) -> str:
        """The opening action of a FEN or an EPD. Raises PositionError."""
        action: str = rules().set_up(text, chess960=self.chess960)
        return action

    def read_action(self, state: State[Move], text: str) -> Move:
        """The legal action of a string in a state; in the first state a set-up. Raises ActionError."""
        if text.startswith("="):
            if not rules().is_fresh(state):
                raise ActionError("a position is set up before the first move only")
            return self.parse_action(text)
        return super().read_action(state, text)

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> State[Move]:  # noqa: ARG002 - of all games
        """The state of a FEN. Raises PositionError."""
        state: State[Move] = rules().parse(text, chess960=self.chess960)
        return state

    def tables(self, pieces: int) -> Tables:
        """Syzygy's tables. Raises TablesError where one is missing."""
        rules()
        return import_module("tourney.games.chess.tablebases").open_tables(pieces)  # type: ignore[no-any-return]  # imported late

    def sample(self, observation: str, seat: int, randbelow: RandBelow) -> State[Move]:  # noqa: ARG002 - nothing is hidden
        """The state of a FEN, as nothing is hidden."""
        return self.parse_position(observation, 2, {})

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        """The diagram of a FEN."""
        from tourney.games.chess.diagram import diagram_of  # noqa: PLC0415 - bots start often and need no diagrams

        return diagram_of(view, last)

    def diagram_parts(self, view: str, last: str | None = None) -> tuple[Hashable, ...]:
        """The ground, the eight ranks, the turn and the last move."""
        from tourney.games.chess.diagram import parts_of  # noqa: PLC0415 - as in diagram

        return parts_of(view, last)

    def diagram_part(self, index: int, part: Any) -> Diagram:
        """One of them as a diagram."""
        from tourney.games.chess.diagram import part_of  # noqa: PLC0415 - as in diagram

        return part_of(index, part)


_NUMBERS = {f"sp{number}": number for number in range(960)}
_ACTIONS: dict[str, int] = {}
"""``move_codes()`` once a move was read: the referee reads each move of a match here."""


class Chess960(Chess):
    """Chess960: chance draws the starting position; castling is written as king takes own rook."""

    name = "chess960"
    title = "Chess960"
    guide_file = "guide-chess960.toml"
    has_chance = True
    chess960 = True

    def initial(self, seats: int, options: Mapping[str, str]) -> State[Move]:  # noqa: ARG002 - there are none
        """The position before the draw."""
        state: State[Move] = rules().DRAW
        return state

    def action_string(self, action: Move) -> str:
        """The UCI move, or ``spN`` for the draw of the start."""
        if isinstance(action, int) and action >= STARTS:
            return f"sp{action - STARTS}"
        return super().action_string(action)

    def parse_action(self, text: str) -> Move:
        """The code of a UCI move or of a start. Raises ActionError."""
        if text.startswith("sp"):
            if text in _NUMBERS:
                return STARTS + _NUMBERS[text]
            raise ActionError(f"{text[:20]!r} is not a starting position: write sp0 to sp959")
        return super().parse_action(text)
