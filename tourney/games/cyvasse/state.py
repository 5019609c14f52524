"""The game in play, once both sides are laid out: turns, captures and the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, AnyStr

from tourney.games.base import OVER, State
from tourney.games.cyvasse import actions
from tourney.games.cyvasse.actions import DONE, CyvasseActions, origin, ride_to, target
from tourney.games.cyvasse.board import (
    BARE,
    BEHIND,
    BIT,
    BY_RANK,
    EMPTY,
    KING,
    MOUNTAIN,
    NAMES,
    NO_PIECES,
    OCCUPIED,
    PLAIN,
    PLANS,
    PUT_ORDER,
    RABBLE,
    SIDE,
    SLOT,
    TILES,
    TREBUCHET,
    WIDTH,
    Ground,
    Masks,
    Plan,
    finished,
    ground_text,
    masks_of,
    of_seat,
    offers,
    own_code,
    pieces_text,
    square,
)
from tourney.games.cyvasse.moves import can_act, can_move_second_rabble, second_rabble_actions, turn_actions

if TYPE_CHECKING:
    from tourney.games.cyvasse.game import Cyvasse
    from tourney.games.cyvasse.view import CyvasseView

QUIET_LIMIT = 100
"""Consecutive turns without a capture that end the game in a draw."""
TURN_LIMIT = 400
"""Turns after the set-up that end the game in a draw."""
REPETITIONS = 3
"""Occurrences of the same position at the start of a turn that end the game in a draw."""


class Play(State[int]):
    """A position in play, with the boards since the last capture, for the repetition rule.

    ``rabble`` is the square of the Rabble that moved first in this turn, or 0 at the start of a turn.
    """

    __slots__ = (
        "_board", "_boards", "_ground", "_legal", "_masks", "_quiet", "_rabble", "_reason", "_seat", "_turn",
        "actor",
    )  # fmt: skip

    game: Cyvasse
    seats = 2
    actor: int

    def __init__(
        self, ground: Ground, board: bytes, masks: Masks, seat: int, rabble: int, quiet: int, turn: int,
        boards: tuple[bytes, ...],
    ) -> None:  # fmt: skip
        self._ground = ground
        self._board = board
        self._masks = masks
        self._seat = seat
        self._rabble = rabble
        self._quiet = quiet
        self._turn = turn
        self._legal: CyvasseActions | None = None
        if rabble:
            self._boards = boards
            self._reason = ""
        else:
            self._boards = boards = (*boards, board)
            self._reason = _reason(ground, masks, seat, quiet, turn, boards)
        self.actor = OVER if self._reason else seat

    @classmethod
    def at(cls, ground: Ground, board: bytes, seat: int, rabble: int, quiet: int, turn: int) -> Play:
        """Return a position without history."""
        return cls(ground, board, masks_of(board), seat, rabble, quiet, turn, ())

    @property
    def masks(self) -> Masks:
        """The pieces: White's masks, then Black's."""
        return self._masks

    @property
    def ground(self) -> Ground:
        """The terrain."""
        return self._ground

    @property
    def board(self) -> bytes:
        """The pieces by square number."""
        return self._board

    @property
    def boards(self) -> tuple[bytes, ...]:
        """The boards at the starts of turns since the last capture, as far as they are known."""
        return self._boards

    @property
    def counters(self) -> tuple[int, int, int]:
        """The acting seat (or whose turn would begin), turns since the last capture, and turns."""
        return self._seat, self._quiet, self._turn

    @property
    def rabble(self) -> int:
        """The square of the Rabble that moved first in this turn, or 0."""
        return self._rabble

    def legal_actions(self) -> Sequence[int]:
        """List the legal actions, sorted by their strings."""
        legal = self._legal
        if legal is None:
            if self._reason:
                legal = CyvasseActions()
            else:
                masks = of_seat(self._masks, self._seat)
                if self._rabble:
                    legal = second_rabble_actions(masks, self._ground, self._rabble)
                else:
                    legal = turn_actions(masks, self._seat, self._ground)
            self._legal = legal
        return legal

    def play(self, action: int) -> Play:
        """Return the state after a legal action."""
        if action == DONE:
            return self._next_turn(self._board, self._masks, self._quiet + 1, self._boards)
        start, captures = origin(action)
        end = target(action)
        board = bytearray(self._board)
        masks = list(self._masks)
        own = WIDTH * (self._seat - 1)
        code = board[start]
        slot = SLOT[code]
        if captures:
            enemy = WIDTH - own
            taken = BIT[end]
            masks[SLOT[board[end]]] ^= taken
            masks[enemy + OCCUPIED] ^= taken
            board[end] = EMPTY
            end = BEHIND[start][end] if slot == own + TREBUCHET else ride_to(action) or end
        moved = BIT[start] | BIT[end]
        masks[slot] ^= moved
        masks[own + OCCUPIED] ^= moved
        board[start] = EMPTY
        board[end] = code
        after, ground = tuple(masks), self._ground
        if captures:
            return self._next_turn(bytes(board), after, 0, ())
        if (
            slot == own + RABBLE
            and not self._rabble
            and can_move_second_rabble(of_seat(after, self._seat), ground, end)
        ):
            return Play(ground, bytes(board), after, self._seat, end, self._quiet, self._turn, self._boards)
        return self._next_turn(bytes(board), after, self._quiet + 1, self._boards)

    def _next_turn(self, board: bytes, masks: Masks, quiet: int, boards: tuple[bytes, ...]) -> Play:
        return Play(self._ground, board, masks, 3 - self._seat, 0, quiet, self._turn + 1, boards)

    def ranks(self) -> tuple[int, ...] | None:
        """Return 1 2 or 2 1 for a win, 1 1 for a draw, None while not over."""
        if not self._reason:
            return None
        if self._reason in {"king", "no-action"}:
            return (2, 1) if self._seat == 1 else (1, 2)
        return (1, 1)

    def reason(self) -> str:
        """Return ``king``, ``no-action``, ``repetition``, ``quiet`` or ``length``; "" while not over."""
        return self._reason

    def position(self) -> str:
        """Return the position string; nothing is hidden in play."""
        phase = f"rabble-{NAMES[self._rabble]}" if self._rabble else "play"
        pieces = pieces_text(self._board)
        return f"{self._ground.text} {pieces} {self._seat} {phase} {self._quiet} {self._turn}"

    def view(self, seat: int | None = None) -> CyvasseView:  # noqa: ARG002 - nothing is hidden in play
        """Return the position by names."""
        return self.game.view(self.position())


def _reason(ground: Ground, masks: Masks, seat: int, quiet: int, turn: int, boards: tuple[bytes, ...]) -> str:
    """Return why the game is over at the start of a turn, or ""; ``boards`` ends with the current board.

    The boards are of consecutive turns without a capture, so every second one has the same seat to act.
    Boards before a capture cannot recur.
    """
    own = of_seat(masks, seat)
    if not own[KING]:
        return "king"
    if not can_act(own, seat, ground):
        return "no-action"
    if len(boards) > 2 * (REPETITIONS - 1) and boards[::-2].count(boards[-1]) >= REPETITIONS:
        return "repetition"
    if quiet >= QUIET_LIMIT:
        return "quiet"
    if turn >= TURN_LIMIT:
        return "length"
    return ""


STEPS = 1 + len(TILES) + len(PUT_ORDER)
"""The number of actions in a seat's set-up."""

_SOUTH_END, _NORTH_BEGIN = square(4, 1), square(5, 1)


def seen_by(seat: int, whole: AnyStr, bare: AnyStr) -> AnyStr:
    """Return ``whole`` (by square number) with the other seat's side replaced from ``bare``."""
    if seat == 1:
        return whole[:_NORTH_BEGIN] + bare[_NORTH_BEGIN:]
    return bare[:_SOUTH_END] + whole[_SOUTH_END:]


def _lay(ground: str, squares: Sequence[int], pattern: str) -> str:
    laid = list(ground)
    for s, kind in zip(squares, pattern, strict=True):
        laid[s] = kind
    return "".join(laid)


def _place(board: bytes, s: int, code: str) -> bytes:
    return board[:s] + code.encode("ascii") + board[s + 1 :]


class SetUp(State[int]):
    """A set-up in progress: White lays out its side, then Black.

    The acting seat lays its king tile (while ``plan`` is None), then the tiles ``left``, then its pieces, of
    which it has ``placed`` some. ``ground`` has a character and ``board`` a byte per square number.
    """

    __slots__ = ("_legal", "actor", "board", "ground", "left", "placed", "plan")

    game: Cyvasse
    seats = 2
    actor: int

    def __init__(
        self, actor: int, ground: str, board: bytes, plan: Plan | None, left: tuple[int, ...], placed: int
    ) -> None:
        self.actor = actor
        self.ground = ground
        self.board = board
        self.plan = plan
        self.left = left
        self.placed = placed
        self._legal: CyvasseActions | None = None

    @classmethod
    def begin(cls, actor: int = 1, ground: str = BARE, board: bytes = NO_PIECES) -> SetUp:
        """Return the state at the start of a seat's set-up."""
        return cls(actor, ground, board, None, TILES, 0)

    def legal_actions(self) -> Sequence[int]:
        """List the legal actions, sorted by their strings."""
        if self._legal is None:
            self._legal = CyvasseActions(self._list())
        return self._legal

    def _list(self) -> tuple[int, ...]:
        if self.plan is None:
            return tuple(actions.lay_king(plan.king) for plan in PLANS[self.actor])
        if self.left:
            shape = self.plan.blocks[-len(self.left)].shape
            return tuple(
                actions.lay_tile(tile, is_turned)
                for tile in self.left
                for is_turned in (False, True)[: len(offers(shape, tile))]
            )
        return tuple(
            actions.put(s)
            for s in BY_RANK
            if BIT[s] & SIDE[self.actor] and self.ground[s] != MOUNTAIN and self.board[s] == EMPTY
        )

    def play(self, action: int) -> State[int]:
        """Return the state after a legal action."""
        if self.plan is None:
            return self._lay_king(actions.king_square(action))
        if self.left:
            return self._lay_tile(*actions.tile(action))
        return self._put(action)

    def _lay_king(self, king: int) -> SetUp:
        plan = next(plan for plan in PLANS[self.actor] if plan.king == king)
        ground = _lay(self.ground, plan.covers, PLAIN * len(plan.covers))
        board = _place(self.board, king, own_code(self.actor, "K"))
        return SetUp(self.actor, ground, board, plan, self.left, 0)

    def _lay_tile(self, tile: int, is_turned: bool) -> SetUp:
        assert self.plan is not None  # noqa: S101 - tiles follow the king tile
        block = self.plan.blocks[-len(self.left)]
        ground = _lay(self.ground, block.squares, offers(block.shape, tile)[is_turned])
        left = tuple(other for other in self.left if other != tile)
        return SetUp(self.actor, ground, self.board, self.plan, left, 0)

    def _put(self, action: int) -> State[int]:
        code = own_code(self.actor, PUT_ORDER[self.placed])
        board = _place(self.board, actions.put_square(action), code)
        placed = self.placed + 1
        if placed == len(PUT_ORDER):
            if self.actor == 1:
                return SetUp.begin(2, self.ground, board)
            return Play.at(finished(self.ground), board, seat=1, rabble=0, quiet=0, turn=0)
        after = SetUp(self.actor, self.ground, board, self.plan, (), placed)
        after._legal = CyvasseActions(other for other in self.legal_actions() if other != action)
        return after

    def ranks(self) -> None:
        """Return None: the game is not over."""

    def reason(self) -> str:
        """Return "": the game is not over."""
        return ""

    def position(self) -> str:
        """Return the position string."""
        return self._text(self.ground, self.board, self._phase())

    def observation(self, seat: int) -> str:
        """Return the position string without the other side; PHASE is ``hidden`` from the other seat."""
        ground = seen_by(seat, self.ground, BARE)
        board = seen_by(seat, self.board, NO_PIECES)
        return self._text(ground, board, self._phase() if seat == self.actor else "hidden")

    def view(self, seat: int | None = None) -> CyvasseView:
        """Return the position by names, or what a seat sees."""
        return self.game.view(self.position() if seat is None else self.observation(seat))

    def _text(self, ground: str, board: bytes, phase: str) -> str:
        return f"{ground_text(ground)} {pieces_text(board)} {self.actor} {phase} 0 0"

    def _phase(self) -> str:
        if self.plan is None:
            return "king"
        if self.left:
            return f"tile-{len(TILES) - len(self.left)}:{''.join(map(str, self.left))}"
        return f"put-{self.placed}"

    def visible(self, action: int, seat: int) -> bool:  # noqa: ARG002 - all set-up actions are hidden
        """Say whether a seat sees an action: only the acting seat does."""
        return seat == self.actor

    def revealed(self) -> bool:
        """Say whether nothing is hidden: only before the first action."""
        return self.actor == 1 and self.plan is None
