"""The set-up: each seat lays out its side, unseen by the other."""

from collections.abc import Sequence
from typing import AnyStr

from tourney.games.base import State
from tourney.games.cyvasse import actions
from tourney.games.cyvasse.board import BIT, BY_RANK, SIDE, square
from tourney.games.cyvasse.ground import BARE, MOUNTAIN, PLAIN, finished, ground_text
from tourney.games.cyvasse.pieces import EMPTY, NO_PIECES, PUT_ORDER, own_code, pieces_text
from tourney.games.cyvasse.play import Play
from tourney.games.cyvasse.tiles import PLANS, TILES, Plan, offers

STEPS = 1 + len(TILES) + len(PUT_ORDER)
"""How many actions one seat's set-up has."""

_SOUTH_END, _NORTH_BEGIN = square(4, 1), square(5, 1)


def seen_by(seat: int, whole: AnyStr, bare: AnyStr) -> AnyStr:
    """Return ``whole``, an item a square number, with the other seat's side as it is in ``bare``."""
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
    """A set-up under way: White lays out its whole side, then Black does.

    The seat that acts lays its king tile while ``plan`` is None, then the tiles that are ``left``, then puts
    its pieces, of which ``placed`` stand. ``ground`` has a character, ``board`` a byte a square number.
    """

    __slots__ = ("_left", "_legal", "_placed", "_plan", "actor", "board", "ground")

    actor: int
    ground: str
    board: bytes

    def __init__(  # the fields of a set-up
        self, actor: int, ground: str, board: bytes, plan: Plan | None, left: tuple[int, ...], placed: int
    ) -> None:
        self.actor = actor
        self.ground = ground
        self.board = board
        self._plan = plan
        self._left = left
        self._placed = placed
        self._legal: tuple[int, ...] | None = None

    @classmethod
    def begin(cls, actor: int = 1, ground: str = BARE, board: bytes = NO_PIECES) -> "SetUp":
        """Return the state in which a seat begins to lay out its side."""
        return cls(actor, ground, board, None, TILES, 0)

    @property
    def seats(self) -> int:
        """Two."""
        return 2

    def legal_actions(self) -> Sequence[int]:
        """List the legal actions, sorted by their strings."""
        if self._legal is None:
            self._legal = self._list()
        return self._legal

    def _list(self) -> tuple[int, ...]:
        if self._plan is None:
            return tuple(actions.lay_king(plan.king) for plan in PLANS[self.actor])
        if self._left:
            shape = self._plan.blocks[-len(self._left)].shape
            return tuple(
                actions.lay_tile(tile, is_turned)
                for tile in self._left
                for is_turned in (False, True)[: len(offers(shape, tile))]
            )
        return tuple(
            actions.put(s)
            for s in BY_RANK
            if BIT[s] & SIDE[self.actor] and self.ground[s] != MOUNTAIN and self.board[s] == EMPTY
        )

    def play(self, action: int) -> State[int]:
        """Return the state after a legal action."""
        if self._plan is None:
            return self._lay_king(actions.king_square(action))
        if self._left:
            return self._lay_tile(*actions.tile(action))
        return self._put(action)

    def _lay_king(self, king: int) -> "SetUp":
        plan = next(plan for plan in PLANS[self.actor] if plan.king == king)
        ground = _lay(self.ground, plan.covers, PLAIN * len(plan.covers))
        board = _place(self.board, king, own_code(self.actor, "K"))
        return SetUp(self.actor, ground, board, plan, self._left, 0)

    def _lay_tile(self, tile: int, is_turned: bool) -> "SetUp":
        assert self._plan is not None  # noqa: S101 - tiles are laid after the king tile only
        block = self._plan.blocks[-len(self._left)]
        ground = _lay(self.ground, block.squares, offers(block.shape, tile)[is_turned])
        left = tuple(other for other in self._left if other != tile)
        return SetUp(self.actor, ground, self.board, self._plan, left, 0)

    def _put(self, action: int) -> State[int]:
        code = own_code(self.actor, PUT_ORDER[self._placed])
        board = _place(self.board, actions.put_square(action), code)
        placed = self._placed + 1
        if placed == len(PUT_ORDER):
            if self.actor == 1:
                return SetUp.begin(2, self.ground, board)
            return Play.at(finished(self.ground), board, seat=1, rabble=0, quiet=0, turn=0)
        after = SetUp(self.actor, self.ground, board, self._plan, (), placed)
        after._legal = tuple(other for other in self.legal_actions() if other != action)
        return after

    def ranks(self) -> None:
        """Return None: no game ends in the set-up."""

    def reason(self) -> str:
        """Return "": no game ends in the set-up."""
        return ""

    def position(self) -> str:
        """Return the position string."""
        return self._text(self.ground, self.board, self._phase())

    def observation(self, seat: int) -> str:
        """Return the position string with the other side unseen; PHASE is ``hidden`` from the other seat."""
        ground = seen_by(seat, self.ground, BARE)
        board = seen_by(seat, self.board, NO_PIECES)
        return self._text(ground, board, self._phase() if seat == self.actor else "hidden")

    def _text(self, ground: str, board: bytes, phase: str) -> str:
        return f"{ground_text(ground)} {pieces_text(board)} {self.actor} {phase} 0 0"

    def _phase(self) -> str:
        if self._plan is None:
            return "king"
        if self._left:
            return f"tile-{len(TILES) - len(self._left)}:{''.join(map(str, self._left))}"
        return f"put-{self._placed}"

    def visible(self, action: int, seat: int) -> bool:  # noqa: ARG002 - every action of the set-up is hidden
        """Say whether a seat sees what is laid out now: its own alone."""
        return seat == self.actor

    def revealed(self) -> bool:
        """Say whether nothing is hidden: so it is before the very first action only."""
        return self.actor == 1 and self._plan is None
