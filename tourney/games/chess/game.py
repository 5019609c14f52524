"""The game ``chess``. The package of that name is imported when a state is made, not before."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tourney.errors import ActionError, GameError, PositionError
from tourney.games.base import Game, State

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from tourney.games.base import Tables
    from tourney.games.diagram import Diagram
    from tourney.seeds import RandBelow

_FILES, _RANKS = "abcdefgh", "12345678"
SQUARES: tuple[str, ...] = tuple(file + rank for rank in _RANKS for file in _FILES)
"""The names of the squares by number: a1 is 0, b1 is 1, h8 is 63."""
PROMOTIONS = " nbrq"
"""The letter of an action's promotion, by its code from 1; code 0 is none."""
STARTS = 1 << 20
"""The action of chance that chooses the k-th starting position of Chess960 is ``STARTS + k``."""


@cache
def actions() -> dict[str, int]:
    """Return all UCI moves with their codes: from + 64 * to + 4096 * promotion."""
    codes: dict[str, int] = {}
    for origin, start in enumerate(SQUARES):
        for target, end in enumerate(SQUARES):
            code = origin | target << 6
            if origin != target:
                codes[start + end] = code
                last = (origin >> 3, target >> 3) in {(6, 7), (1, 0)}
                if last and abs((origin & 7) - (target & 7)) <= 1:
                    codes |= {start + end + PROMOTIONS[kind]: code | kind << 12 for kind in (1, 2, 3, 4)}
    return codes


@cache
def strings() -> dict[int, str]:
    """Return the UCI moves by their codes."""
    return {code: text for text, code in actions().items()}


@cache
def rules() -> Any:
    """Return the module of the rules. Raises GameError without the package ``chess``."""
    try:
        return import_module("tourney.games.chess.rules")
    except ModuleNotFoundError as error:
        if error.name != "chess":
            raise
        raise GameError(
            "this game needs the package chess: install it by pip install 'tourney[chess]'"
        ) from error


Move = int | str
"""A move by its code; the draw of a start; or the set-up of an opening, as its string."""


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
        """Return the starting position."""
        state: State[Move] = rules().START
        return state

    def action_string(self, action: Move) -> str:
        """Return the UCI move, or the set-up."""
        return action if isinstance(action, str) else strings()[action]

    def parse_action(self, text: str) -> Move:
        """Return the code of a UCI move. Raises ActionError."""
        code = _ACTIONS.get(text)
        if code is None and text.startswith("="):
            try:
                self.parse_position(text[1:].replace("_", " "), 2, {})
            except PositionError as error:
                raise ActionError(str(error)) from error
            return text
        if code is None:
            code = actions().get(text)
            if code is None:
                raise ActionError(f"{text[:20]!r} is no move: write it as UCI does, such as e2e4 or e7e8q")
            _ACTIONS.update(actions())
        return code

    def set_up(self, text: str) -> str:
        """Return the opening action of a FEN or an EPD. Raises PositionError."""
        state: State[Move] = rules().read_epd(text, chess960=self.chess960)
        return f"={state.position().replace(' ', '_')}"

    def read_action(self, state: State[Move], text: str) -> Move:
        """Return the legal action of a string in a state; in the first state a set-up. Raises ActionError."""
        if text.startswith("="):
            if not rules().is_fresh(state):
                raise ActionError("a position is set up before the first move only")
            return self.parse_action(text)
        return super().read_action(state, text)

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> State[Move]:  # noqa: ARG002 - of all games
        """Return the state of a FEN. Raises PositionError."""
        state: State[Move] = rules().parse(text, chess960=self.chess960)
        return state

    def tables(self, pieces: int) -> Tables:
        """Return Syzygy's tables. Raises TablesError where one is missing."""
        rules()
        return import_module("tourney.games.chess.tables").open_tables(pieces)  # type: ignore[no-any-return]  # imported late

    def sample(self, observation: str, seat: int, randbelow: RandBelow) -> State[Move]:  # noqa: ARG002 - nothing is hidden
        """Return the state of a FEN, as nothing is hidden."""
        return self.parse_position(observation, 2, {})

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        """Return the diagram of a FEN."""
        from tourney.games.chess.diagram import diagram_of  # noqa: PLC0415 - bots start often and need no diagrams

        return diagram_of(view, last)

    def diagram_parts(self, view: str, last: str | None = None) -> tuple[Hashable, ...]:
        """Return the ground, the eight ranks, the turn and the last move."""
        from tourney.games.chess.diagram import parts_of  # noqa: PLC0415 - as in diagram

        return parts_of(view, last)

    def diagram_part(self, index: int, part: Any) -> Diagram:
        """Return one of them as a diagram."""
        from tourney.games.chess.diagram import part_of  # noqa: PLC0415 - as in diagram

        return part_of(index, part)


_ACTIONS: dict[str, int] = {}
"""``actions()`` once a move was read: the referee reads each move of a match here."""
