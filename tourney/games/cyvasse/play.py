"""The game in play, once both sides are laid out: turns, captures and the end."""

from collections.abc import Sequence

from tourney.games.base import OVER, State
from tourney.games.cyvasse.actions import DONE, origin, ride_to, target
from tourney.games.cyvasse.board import BEHIND, BIT, NAMES
from tourney.games.cyvasse.ground import Ground
from tourney.games.cyvasse.moves import can_act, can_move_second_rabble, second_rabble_actions, turn_actions
from tourney.games.cyvasse.pieces import (
    EMPTY,
    KING,
    OCCUPIED,
    RABBLE,
    SLOT,
    TREBUCHET,
    WIDTH,
    Masks,
    masks_of,
    of_seat,
    pieces_text,
)

QUIET_LIMIT = 100
"""Turns in a row without a capture that make a draw."""
TURN_LIMIT = 400
"""Turns after the set-up that make a draw."""
REPETITIONS = 3
"""How often the same position at the start of a turn makes a draw."""


class Play(State[int]):
    """A position in play, with the boards since the last capture, which repetition counts.

    ``rabble`` is the square of the Rabble that was moved first in this turn, or 0 at the start of a turn.
    """

    __slots__ = (
        "_board", "_boards", "_ground", "_legal", "_masks", "_quiet", "_rabble", "_reason", "_seat", "_turn",
        "actor",
    )  # fmt: skip

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
        self._legal: list[int] | None = None
        if rabble:
            self._boards = boards
            self._reason = ""
        else:
            self._boards = boards = (*boards, board)
            self._reason = _reason(ground, masks, seat, quiet, turn, boards)
        self.actor = OVER if self._reason else seat

    @classmethod
    def at(cls, ground: Ground, board: bytes, seat: int, rabble: int, quiet: int, turn: int) -> "Play":
        """Return a position without history."""
        return cls(ground, board, masks_of(board), seat, rabble, quiet, turn, ())

    @property
    def seats(self) -> int:
        """Two."""
        return 2

    def legal_actions(self) -> Sequence[int]:
        """List the legal actions, sorted by their strings."""
        legal = self._legal
        if legal is None:
            if self._reason:
                legal = []
            else:
                masks = of_seat(self._masks, self._seat)
                if self._rabble:
                    legal = second_rabble_actions(masks, self._ground, self._rabble)
                else:
                    legal = turn_actions(masks, self._seat, self._ground)
            self._legal = legal
        return legal

    def play(self, action: int) -> "Play":
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

    def _next_turn(self, board: bytes, masks: Masks, quiet: int, boards: tuple[bytes, ...]) -> "Play":
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
        """Return the position string; everybody sees all of it."""
        phase = f"rabble-{NAMES[self._rabble]}" if self._rabble else "play"
        pieces = pieces_text(self._board)
        return f"{self._ground.text} {pieces} {self._seat} {phase} {self._quiet} {self._turn}"


def _reason(ground: Ground, masks: Masks, seat: int, quiet: int, turn: int, boards: tuple[bytes, ...]) -> str:
    """Say why the game is over at the start of a turn, or ""; ``boards`` ends with the board as it is now.

    The boards are those of consecutive turns without a capture, so every second one had the same seat to
    act; one before a capture cannot come again.
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
