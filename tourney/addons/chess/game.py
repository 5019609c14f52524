"""Chess and Chess960, on the tables and the move generator of the package ``chess`` (the extra ``chess``).

The package is imported when a state is made. Moves are small integers here, and strings of UCI outside.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

from tourney.errors import ActionError, GameError, PositionError, import_extra
from tourney.games.base import CHANCE
from tourney.games.core_game import DrawnGame, IntAction
from tourney.parsing import utf8_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import ModuleType

    from tourney.addons.chess.board import ChessState
    from tourney.games.base import State, Tables
    from tourney.seeds import RandBelow

SQUARES: tuple[str, ...] = tuple(file + rank for rank in "12345678" for file in "abcdefgh")
"""The names of the squares by number: a1 is 0, b1 is 1, h8 is 63."""
PROMOTIONS = " nbrq"
"""The letter of an action's promotion, by its code from 1; code 0 stands for no promotion."""
STARTS = 1 << 20  # the action of chance that chooses the k-th starting position of Chess960 is ``STARTS + k``

Move = int | str  # a move by its code; the draw of a start; or the set-up of an opening, as its string


@cache
def move_codes() -> dict[str, int]:
    """All UCI moves with their codes: from + 64 * to + 4096 * promotion."""
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
def move_strings() -> dict[int, str]:
    """The UCI moves by their codes."""
    return {code: text for text, code in move_codes().items()}


def numbers_from(first: int, count: int) -> Iterator[str]:
    """Yield the numbers of moves as in PGN; ``first`` counts the half-moves before them."""
    for ply in range(first, first + count):
        yield f"{ply // 2 + 1}{'...' if ply % 2 else '.'}"


class ChessAction(IntAction, text=lambda code: move_strings()[code]):
    """A move; ``str`` gives it as UCI does."""

    __slots__ = ()


@cache
def rules() -> ModuleType:
    """The module of starts and positions. Raises GameError without the package ``chess``."""
    import_extra("chess", GameError, "this game needs", "chess")
    return import_module("tourney.addons.chess.starts")


_NUMBERS = {f"sp{number}": number for number in range(960)}


class Chess(DrawnGame[Move]):
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
    package = __name__.rpartition(".")[0]
    laws = "fide"
    chess960 = False

    def initial(self, seats: int, options: Mapping[str, str]) -> State[Move]:  # noqa: ARG002 - there are none
        """The starting position, or in Chess960 the position before the draw."""
        state: State[Move] = rules().DRAW if self.chess960 else rules().start()
        return state

    def action_string(self, action: Move) -> str:
        return action if isinstance(action, str) else move_strings()[action]

    def parse_action(self, text: str) -> Move:
        if text.startswith("="):
            try:
                self.parse_position(text[1:].replace("_", " "), 2, {})
            except PositionError as error:
                raise ActionError(str(error)) from error
            return text
        code = move_codes().get(text)
        if code is None:
            raise ActionError(f"{text[:20]!r} is not a move: write it as UCI does, such as e2e4 or e7e8q")
        return code

    def play_text(self, state: State[Move], text: str) -> State[Move]:
        code = move_codes().get(text)
        if code is None or state.actor == CHANCE:
            return super().play_text(state, text)
        seated = cast("ChessState", state)  # as a seat moves
        after: State[Move] | None = seated.core.state_if_legal(type(seated), code)
        if after is None:
            raise ActionError(f"action {text} is not legal here")
        return after

    def set_up(self, text: str) -> str:
        """The opening action of a FEN or an EPD. Raises PositionError."""
        action: str = rules().set_up(text, chess960=self.chess960)
        return action

    def read_line(self, text: str, *, position: bool) -> tuple[str, ...]:
        actions: tuple[str, ...] = rules().read_line(text, position=position, chess960=self.chess960)
        return actions

    def read_openings(
        self, form: str, blocks: Iterator[bytes], plies: int
    ) -> Iterator[tuple[str, Callable[[], tuple[str, ...]]]]:
        starts = rules()  # without the package it says what to install
        if form == ".bin":
            polyglot = import_module("tourney.addons.chess.polyglot")
            yield from polyglot.read_openings(blocks, plies, chess960=self.chess960)
            return
        for number, read in enumerate(starts.read_games(utf8_of(blocks), chess960=self.chess960), 1):
            yield f"game {number}", read

    def read_action(self, state: State[Move], text: str) -> Move:
        """The legal action of a string in a state; in the first state a set-up. Raises ActionError."""
        if text.startswith("="):
            if not rules().is_fresh(state):
                raise ActionError("a position is set up before the first move only")
            return self.parse_action(text)
        return super().read_action(state, text)

    def read_notation(self, view: str, text: str) -> str:
        """The UCI move of any spelling that means just one: ``Nf3``, ``O-O``, ``a7a8=Q``, ``E2E4``."""
        rules()  # without the package it says what to install
        spelling = import_module("tourney.addons.chess.spelling")
        move: str = spelling.move_of(view, text, chess960=self.chess960)
        return move

    def notation(self, actions: Sequence[str], seats: int, options: Mapping[str, str]) -> Sequence[str]:  # noqa: ARG002 - of all games
        written: Sequence[str] = rules().algebraic(actions, chess960=self.chess960)
        return written

    def move_numbers(self, actions: Sequence[str], seats: int, options: Mapping[str, str]) -> Sequence[str]:  # noqa: ARG002 - of all games
        """The numbers of moves as in PGN: ``4.`` for White and ``4...`` for Black."""
        starts = [text for text in actions if text.startswith(("=", "sp"))]
        # A position that was set up has its side to move and the number of its move in the FEN.
        fields = starts[-1].split("_") if starts and starts[-1].startswith("=") else []
        first = 2 * int(fields[5]) - 2 + (fields[1] == "b") if len(fields) > 5 else 0
        return (*[""] * len(starts), *numbers_from(first, len(actions) - len(starts)))

    def opening_name(self, actions: Sequence[str]) -> str:
        if self.chess960:
            return ""
        name: str = rules().opening_name(actions)
        return name

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> State[Move]:  # noqa: ARG002 - of all games
        state: State[Move] = rules().parse(text, chess960=self.chess960)
        return state

    def tables(self, pieces: int) -> Tables:
        tables: Tables = rules().open_tables(pieces)
        return tables

    def sample(self, observation: str, seat: int, randbelow: RandBelow) -> State[Move]:  # noqa: ARG002 - nothing is hidden
        return self.parse_position(observation, 2, {})


class Chess960(Chess):
    """Chess960: chance draws the starting position; castling is written as king takes own rook."""

    name = "chess960"
    title = "Chess960"
    guide_file = "guide-chess960.toml"
    has_chance = True
    chess960 = True

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
