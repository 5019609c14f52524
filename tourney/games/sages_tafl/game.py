"""The game Sages Tafl and its states."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from tourney.games.base import OVER, Game, GoldenMatch, OpeningBook, State
from tourney.games.sages_tafl import board
from tourney.games.sages_tafl.board import (
    APPRENTICES,
    EMPTY,
    FROM_TOWER,
    LETTERS,
    OFF,
    PASS,
    PLY_LIMIT,
    QUIET_LIMIT,
    SAGE_WORTH,
    SAGES,
    SHIFT,
    SIDES,
    SQUARES,
    TARGET,
    WIN,
    Position,
)
from tourney.games.sages_tafl.moves import CAPTURES, GROUND, NEAR, PIECE, REACH, ground_of, pieces_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tourney.games.diagram import Diagram
    from tourney.games.sages_tafl.view import TaflView
    from tourney.games.scratch import Scratch
    from tourney.seeds import RandBelow

_PASS_ONLY: Final = (PASS,)

Past = tuple[bytes, ...]


class TaflState(State[int]):
    """A position and the history that rules 2 and 4 need.

    "own" is the side of the seat to move, "foe" the other. ``past`` has the boards with the same seat to move
    that can recur, including the current one; ``foe_past`` those with the other seat to move. Both are
    cleared when an apprentice or a skyship leaves the game or a piece escapes, but not when a sage returns to
    its tower.
    """

    __slots__ = (
        "actor", "board", "end", "foe", "foe_past", "foe_points", "ground", "own", "own_points", "passed",
        "past", "ply", "quiet", "seat",
    )  # fmt: skip

    game: SagesTafl
    seats = 2
    actor: int
    """The seat to move, or OVER."""

    def __init__(
        self, seat: int, board: bytes, ground: int, own: bytes, foe: bytes, own_points: int, foe_points: int,
        quiet: int, ply: int, past: Past, foe_past: Past, passed: bool, end: str,
    ) -> None:  # fmt: skip
        self.seat = seat
        self.board = board
        self.ground = ground
        self.own = own
        self.foe = foe
        self.own_points = own_points
        self.foe_points = foe_points
        self.quiet = quiet
        self.ply = ply
        self.past = past
        self.foe_past = foe_past
        self.passed = passed
        self.end = end
        self.actor = OVER if end else seat

    @classmethod
    def standing(cls, fields: Position) -> TaflState:
        """Return the state of a position without history; rules 1, 3, 5 and 6 apply."""
        board, seat = fields.board, fields.seat
        end = standing_end(board, fields.points, fields.quiet, fields.ply)
        own, foe = pieces_of(board, seat - 1), pieces_of(board, 2 - seat)
        points, foe_points = fields.points[seat - 1], fields.points[2 - seat]
        quiet, ply, past = fields.quiet, fields.ply, (board,)
        ground = ground_of(board)
        return cls(seat, board, ground, own, foe, points, foe_points, quiet, ply, past, (), False, end)

    @property
    def points(self) -> tuple[int, int]:
        """Black's and Red's points."""
        own, foe = self.own_points, self.foe_points
        return (own, foe) if self.seat == 1 else (foe, own)

    def legal_actions(self) -> Sequence[int]:
        """List the actions of the seat's pieces in the order of their squares, or else a pass."""
        if self.end:
            return ()
        reach = REACH[self.seat - 1]
        ground = self.ground
        found: list[int] = []
        for piece in self.own:
            mask, actions = reach[piece]
            found += actions[ground & mask]
        return found or _PASS_ONLY

    def is_legal(self, action: int) -> bool:
        """Say whether an action is legal here, by the piece on its origin."""
        if self.end:
            return False
        seat = self.seat
        source = action >> SHIFT
        if source >= SQUARES:
            if source != FROM_TOWER:
                return action in self.legal_actions()
            source = SQUARES - 1 + seat
        letter = self.board[source]
        if letter not in LETTERS[seat - 1]:
            return False
        mask, actions = REACH[seat - 1][PIECE[letter][source][0]]
        return action in actions[self.ground & mask]

    def play(self, action: int) -> TaflState:
        """Return the state after a legal action."""
        source = action >> SHIFT
        target = action & TARGET
        if source >= SQUARES:
            if source != FROM_TOWER:
                return self._pass()
            source = SQUARES - 1 + self.seat
        if target == OFF:
            return self._escape(source)
        board = bytearray(self.board)
        letter = board[source]
        board[source] = EMPTY
        board[target] = letter
        bits = GROUND[letter]
        ground = self.ground ^ bits[source] ^ bits[target]
        pieces = PIECE[letter]
        own = bytes(sorted(self.own.replace(pieces[source], pieces[target])))
        if ground & NEAR[target]:
            taken = self._captured(board, target)
            if taken:
                return self._capture(board, ground, own, taken)
        return self._after(bytes(board), ground, own, False)

    def _captured(self, board: bytearray, target: int) -> list[int]:
        """Return the squares of enemies between the moved piece and a friend."""
        friends = LETTERS[self.seat - 1]
        enemies = LETTERS[2 - self.seat]
        return [near for near, far in CAPTURES[target] if board[near] in enemies and board[far] in friends]

    def _after(self, board: bytes, ground: int, own: bytes, passed: bool) -> TaflState:
        """Return the state after an action without capture or escape, which leaves the points unchanged."""
        quiet, ply = self.quiet + 1, self.ply + 1
        past = self.foe_past
        if passed and self.passed:
            end = "passes"
        elif past.count(board) >= 2:
            end = "repetition"
        else:
            end = _too_long(quiet, ply)
        points, foe_points = self.own_points, self.foe_points
        now, then = (*past, board), self.past
        seat, foe = 3 - self.seat, self.foe
        return TaflState(
            seat, board, ground, foe, own, foe_points, points, quiet, ply, now, then, passed, end
        )

    def _pass(self) -> TaflState:
        return self._after(self.board, self.ground, self.own, True)

    def _capture(self, board: bytearray, ground: int, own: bytes, taken: list[int]) -> TaflState:
        """Remove the captured pieces; a sage returns to its tower."""
        foe_side = 2 - self.seat
        tower = SQUARES + foe_side
        foe = self.foe
        for square in taken:
            letter = board[square]
            board[square] = EMPTY
            ground ^= GROUND[letter][square]
            piece = PIECE[letter]
            foe = foe.replace(piece[square], b"")
            if letter == SAGES[foe_side]:
                board[tower] = letter
                foe += piece[tower]
        past = (self.foe_past, self.past) if len(foe) == len(self.foe) else ((), ())
        return self._next(bytes(board), ground, own, foe, self.own_points, past)

    def _escape(self, source: int) -> TaflState:
        """Remove a piece that leaves the board by the river, and add its points."""
        board = bytearray(self.board)
        letter = board[source]
        board[source] = EMPTY
        ground = self.ground ^ GROUND[letter][source]
        own = self.own.replace(PIECE[letter][source], b"")
        points = self.own_points + (SAGE_WORTH if letter in SAGES else 1)
        return self._next(bytes(board), ground, own, self.foe, points, ((), ()))

    def _next(
        self, board: bytes, ground: int, own: bytes, foe: bytes, points: int, pasts: tuple[Past, Past]
    ) -> TaflState:
        """Return the state after a capture or an escape, with all end conditions.

        ``pasts`` are the new state's ``past``, without this board, and ``foe_past``.
        """
        past, foe_past = pasts
        ply, foe_points = self.ply + 1, self.foe_points
        if points >= WIN:
            end = "points"
        elif _out_of_reach(board, *((points, foe_points) if self.seat == 1 else (foe_points, points))):
            end = "out-of-reach"
        elif past.count(board) >= 2:
            end = "repetition"
        else:
            end = _too_long(0, ply)
        seat, now = 3 - self.seat, (*past, board)
        return TaflState(seat, board, ground, foe, own, foe_points, points, 0, ply, now, foe_past, False, end)

    def ranks(self) -> tuple[int, ...] | None:
        """Return rank 1 for the side with enough points; all other results are draws."""
        if not self.end:
            return None
        if self.end != "points":
            return (1, 1)
        black, red = self.points
        return (1, 2) if black > red else (2, 1)

    def reason(self) -> str:
        """Return points, passes, out-of-reach, repetition, quiet or length, or "" while not over."""
        return self.end

    def position(self) -> str:
        """Return ``BOARD SEAT TOWERS POINTS QUIET PLY``."""
        return board.position_string(self.board, self.seat, self.points, self.quiet, self.ply)

    def view(self, seat: int | None = None) -> TaflView:  # noqa: ARG002 - nothing is hidden
        """Return the position by names."""
        from tourney.games.sages_tafl.view import view_of  # noqa: PLC0415 - most bots need no views

        return view_of(self.game, Position(self.board, self.seat, self.points, self.quiet, self.ply))


def standing_end(letters: bytes, points: tuple[int, int], quiet: int, ply: int) -> str:
    """Return why a game without history is over, or ""; ``letters`` are those of the pieces, with others."""
    if max(points) >= WIN:
        return "points"
    if _out_of_reach(letters, *points):
        return "out-of-reach"
    return _too_long(quiet, ply)


def _out_of_reach(board: bytes, black: int, red: int) -> bool:
    """Say whether neither side has enough pieces left to win."""
    most = (
        points + board.count(APPRENTICES[side]) + SAGE_WORTH * board.count(SAGES[side])
        for side, points in enumerate((black, red))
    )
    return all(reach < WIN for reach in most)


def _too_long(quiet: int, ply: int) -> str:
    if quiet >= QUIET_LIMIT:
        return "quiet"
    return "length" if ply >= PLY_LIMIT else ""


class SagesTafl(Game[int]):
    """Two seats, no chance, nothing hidden; five points win."""

    name = "sages-tafl"
    title = "Sages Tafl"
    rules = "1"
    seat_counts = (2,)
    seat_names = SIDES
    diagram_plies = 30
    golden_match = GoldenMatch(("greedy", "random"), 4)
    opening_book = OpeningBook("abcdefgh", points=3, pieces=(0, 2))
    max_actions = PLY_LIMIT

    def initial(self, seats: int, options: Mapping[str, str]) -> TaflState:  # noqa: ARG002 - the start is always the same
        """Return the start."""
        return TaflState.standing(board.parse_position(board.START))

    action_string = staticmethod(board.action_string)
    parse_action = staticmethod(board.parse_action)

    def parse_position(
        self,
        text: str,
        seats: int,  # noqa: ARG002 - always two
        options: Mapping[str, str],  # noqa: ARG002 - and no options
    ) -> TaflState:
        """Return the state of a position string, without history. Raises PositionError."""
        return TaflState.standing(board.parse_position(text))

    def sample(self, observation: str, seat: int, randbelow: RandBelow) -> TaflState:  # noqa: ARG002 - nothing is hidden
        """Return the observed position: nothing is hidden. Raises PositionError."""
        return TaflState.standing(board.parse_position(observation))

    def scratch(self, state: State[int]) -> Scratch:
        """Return a new mutable copy of a state for search and playouts."""
        from tourney.games.compiled import core  # noqa: PLC0415 - only search needs it

        made: Scratch = core("sages_tafl").SagesTaflScratch()
        made.load(state)
        return made

    def view(self, text: str) -> TaflView:
        """Return the readable view of a position string. Raises PositionError."""
        from tourney.games.sages_tafl.view import view_of  # noqa: PLC0415 - most bots need no views

        return view_of(self, board.parse_position(text))

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        """Return the diagram of a position string, with the last action marked."""
        from tourney.games.sages_tafl.diagram import diagram_of  # noqa: PLC0415 - bots need no diagrams

        return diagram_of(view, last)

    def diagram_parts(self, view: str, last: str | None = None) -> tuple[Hashable, ...]:
        """Return the ground, the ranks, the towers, the turn and the last action."""
        found: tuple[Hashable, ...] = _drawing().parts_of(view, last)
        return found

    def diagram_part(self, index: int, part: Any) -> Diagram:
        """Return what a part shows."""
        found: Diagram = _drawing().part_of(index, part)
        return found


TaflState.game = SagesTafl()


@cache
def _drawing() -> ModuleType:
    """Return the module that draws: bots need none, and a statement to import costs time at every ply."""
    from tourney.games.sages_tafl import diagram  # noqa: PLC0415 - see above

    return diagram
