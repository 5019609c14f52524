"""Set-up, turns and the end of Nine-Tile Cyvasse, and what its positions are worth.

In the set-up a piece is worth less the farther it stands from its best row; in play, pieces count, and pieces
near the enemy's King. Boards are counted for repetition by Zobrist keys of 128 bits.

The file is long because a core is one compiled class.
"""

from collections.abc import Hashable

from tourney.games.core_base import ADVANTAGES, COMPILED, MOVES, TEXT, Core, random_words, zeros
from tourney.games.cyvasse import board as cyvasse
from tourney.games.cyvasse.core_moves import (
    _BLANK,
    _BORDER,
    _CELLS,
    _DONE,
    _KING,
    _MOUNTAIN,
    _OFFSET,
    _ORDER,
    _OUTSIDE,
    _PLAIN,
    _RABBLE,
    _SHIFT,
    _SQUARES,
    _TREBUCHET,
    _UNLAID,
    CyvasseBoard,
)

_LAY_KING, _LAY_TILES, _PUT_PIECES, _PLAY = 0, 1, 2, 3  # the phases
_REASONS = ("", "king", "no-action", "repetition", "quiet", "length")
_BY_KING, _BY_NO_ACTION, _BY_REPETITION, _BY_QUIET, _BY_LENGTH = range(1, 6)
_HISTORY = 128  # more boards than turns without a capture

_ALL_TILES = (1 << len(cyvasse.TILES)) - 1
_PUTS = len(cyvasse.PUT_ORDER)
_QUIET_LIMIT = cyvasse.QUIET_LIMIT
_TURN_LIMIT = cyvasse.TURN_LIMIT
_REPETITIONS = cyvasse.REPETITIONS
_KING_CODE = cyvasse.LAY_KING
_TILE_CODE = cyvasse.LAY_TILE
_PUT_CODE = cyvasse.PUT
_CODES = 1 << 24  # codes of the set-up are not below this
_READ = [s + _SHIFT for row in cyvasse.ROW_SLICES for s in (*range(row.start, row.stop), -_SHIFT)]
"""The cells of rows i to a, west to east; 0 after each row."""
_GROUND_LETTERS = list(cyvasse.GROUNDS.encode())
_PIECE_LETTERS = list(cyvasse.PIECES.encode())
"""By what the terrain of a cell, or a cell, holds: its letter."""

_WORTH = [100, 140, 240, 280, 320, 260, 320, 600, 160, 0]  # by kind; the King's loss ends the game
_NEAR_KING = 30  # a piece at most two squares from the enemy's King
_TOWARD_KING = 10  # a piece at most four squares from it
_BEST_ROWS = [3, 3, 2, 2, 3, 2, 1, 1, 1, 0]
"""By kind: the row of its side in which it stands best at first, from the back (0) to the front (3)."""
_MISPLACED = 15  # for each row away from there


def _widen(mask: int) -> int:
    """A set of squares, as bits by number less 1, with all their neighbours.

    Near the board's edge two such steps go on at the other edge: only two fit in the gap between rows.
    Ratings of the ladder were found with it, so it stays.
    """
    west = mask | mask >> 1
    east = mask | mask << 1
    return west | east | east << cyvasse.STRIDE | west >> cyvasse.STRIDE


def _distances() -> list[int]:
    """By the King's cell and another cell: the bonus for a piece there."""
    table = zeros(_CELLS * _CELLS)
    for king in cyvasse.BY_RANK:
        near = _widen(_widen(1 << king - 1))
        row = (king + _SHIFT) * _CELLS + _SHIFT
        for worth, mask in ((_TOWARD_KING, _widen(_widen(near))), (_NEAR_KING, near)):
            for square in range(1, cyvasse.SIZE):
                if mask >> square - 1 & 1 and cyvasse.NAMES[square]:
                    table[row + square] += worth
    return table


def _rows() -> list[int]:
    """By piece and cell: the penalty for its row in the set-up, for White."""
    table = zeros(21 * _CELLS)
    for kind in range(len(cyvasse.KINDS)):
        for square in cyvasse.BY_RANK:
            row = square // cyvasse.STRIDE
            back = len(cyvasse.LENGTHS) - 1 - row
            table[(1 + kind) * _CELLS + square + _SHIFT] = -_MISPLACED * abs(row - _BEST_ROWS[kind])
            table[(11 + kind) * _CELLS + square + _SHIFT] = _MISPLACED * abs(back - _BEST_ROWS[kind])
    return table


_HEAD_CELL = [cyvasse.NUMBER.get(prefix.rstrip("-x"), -_SHIFT) + _SHIFT for prefix in cyvasse.PREFIXES]
_HEAD_TAKES = [int(prefix.endswith("x")) for prefix in cyvasse.PREFIXES]
"""By the prefix of a code: the cell of its origin (0 for ``done``), and 1 for a capture."""
_PLAN_OF = {plan.king: k for plans in cyvasse.PLANS.values() for k, plan in enumerate(plans)}
_PLAN_OF_KING = [_PLAN_OF[king] for king in cyvasse.KING_SQUARES]
"""By the king square's place among the strings of its actions: the seat's plan, 0 to 2."""
_BOTH = [plan for seat in (1, 2) for plan in cyvasse.PLANS[seat]]  # the plans of White, then of Black
_KING_CELL = [plan.king + _SHIFT for plan in _BOTH]
_LAYS_KING = [cyvasse.lay_king(plan.king) for plan in _BOTH]
_COVERS = [s + _SHIFT for plan in _BOTH for s in plan.covers]
_BLOCKS = [s + _SHIFT for plan in _BOTH for block in plan.blocks for s in block.squares]
_SHAPES = [int(block.shape == "R") for plan in _BOTH for block in plan.blocks]
_FACES = [cyvasse.GROUNDS.index(kind) for face in (*cyvasse.FACES["L"], *cyvasse.FACES["R"]) for kind in face]
_TURNS = [int(face != face[::-1]) for face in (*cyvasse.FACES["L"], *cyvasse.FACES["R"])]
_SIDE = [
    1 if cell - _SHIFT in cyvasse.SIDE[1] else 2 if cell - _SHIFT in cyvasse.SIDE[2] else 0
    for cell in range(_CELLS)
]
_PUT_KIND = [cyvasse.CODES.index(code) for code in cyvasse.PUT_ORDER]
_DISTANCES = _distances()
_ROWS = _rows()
_KEYS = random_words(20261122, 2 * 21 * _CELLS)  # two numbers for each piece and cell


class CyvasseCore(CyvasseBoard):
    """A position of Nine-Tile Cyvasse with the keys of the boards since the last capture."""

    def __init__(self) -> None:
        super().__init__()
        self._phase = 0
        self._plan = 0  # in the set-up: the seat's plan, 0 to 2
        self._left = 0  # in the set-up: the tiles left, in bits
        self._placed = self._quiet = self._turn = 0
        self._ground = ""  # in play: the field TERRAIN
        self._boards = zeros(2 * _HISTORY)
        self._known = self._key_1 = self._key_2 = 0
        self._total = 0
        """In play: White's advantage, while ``_white`` and ``_black``, by the Kings' cells, are not 0."""
        self._white = self._black = 0

    def load(self, at: cyvasse.CyvassePosition) -> None:
        """Take over a position without history."""
        self.seats = 2
        for cell in range(_CELLS):
            self._piece[cell] = _BLANK[cell]
            self._terrain[cell] = _OUTSIDE
        for square in cyvasse.SQUARES:
            self._terrain[square + _SHIFT] = cyvasse.GROUNDS.index(at.ground[square])
            self._piece[square + _SHIFT] = cyvasse.PIECES.index(chr(at.board[square]))
        self._seat = at.seat
        self._quiet = at.quiet
        self._turn = at.turn
        self._over = self._plan = self._left = self._rabble = 0
        self._placed = at.phase.placed
        if at.in_play:
            self._begin_play()
            if at.phase.rabble:
                self._rabble = at.phase.rabble + _SHIFT
            else:
                if not (self._black if self._seat == 2 else self._white):  # its King was captured
                    self._over = _BY_KING
                self._begin_turn()
            return
        for tile in at.phase.left or cyvasse.TILES:
            self._left |= 1 << (tile - 1)
        self._phase = _LAY_KING
        for k in range(3):
            if self._piece[_KING_CELL[3 * self._seat - 3 + k]] == 10 * self._seat - 9 + _KING:
                self._plan = k
                self._phase = _LAY_TILES if at.phase.left else _PUT_PIECES
        if self._phase == _PUT_PIECES:
            self._left = 0

    def _blank(self) -> "Core":
        return CyvasseCore.__new__(CyvasseCore) if COMPILED else CyvasseCore()

    def copy_from(self, other: "Core") -> None:
        source: CyvasseCore = other  # type: ignore[assignment] # of the same class
        self._piece[:] = source._piece
        self._terrain[:] = source._terrain
        for k in range(2 * source._known):
            self._boards[k] = source._boards[k]
        self._copy_counters(source)

    def _copy_counters(self, source: "CyvasseCore") -> None:
        self.seats = source.seats
        self._seat = source._seat
        self._over = source._over
        self._known = source._known
        self._key_1 = source._key_1
        self._key_2 = source._key_2
        self._total = source._total
        self._white = source._white
        self._black = source._black
        self._phase = source._phase
        self._plan = source._plan
        self._left = source._left
        self._placed = source._placed
        self._rabble = source._rabble
        self._quiet = source._quiet
        self._turn = source._turn
        self._ground = source._ground

    def _take_back(self, code: int, before: "Core") -> None:
        # An action in play changes at most the origin, its neighbours, the target and the end of a ride. To
        # put these back costs less than to copy both boards, and searches value every action.
        source: CyvasseCore = before  # type: ignore[assignment] # of the same class
        if code >= _CODES:
            self.copy_from(source)
            return
        if code != _DONE:
            cell = _HEAD_CELL[code >> 14]
            self._piece[cell] = source._piece[cell]
            for d in range(6):  # a Trebuchet steps away from the piece that it takes
                self._piece[cell + _OFFSET[d]] = source._piece[cell + _OFFSET[d]]
            cell = _ORDER[code >> 7 & 127]
            self._piece[cell] = source._piece[cell]
            if code & 127:
                cell = _ORDER[(code & 127) - 1]
                self._piece[cell] = source._piece[cell]
        self._boards[0] = source._boards[0]
        self._boards[1] = source._boards[1]
        self._copy_counters(source)

    def reason(self) -> str:
        return _REASONS[self._over]

    def is_hidden(self) -> bool:
        """Whether a seat is laying out its side, hidden from the other seat."""
        return self._phase < _PLAY

    def is_begun(self) -> bool:
        """Whether an action has been played, as far as the set-up shows it."""
        return self._phase > _LAY_KING or self._seat == 2

    def can_move_second_rabble(self) -> bool:
        """Whether a second Rabble of the seat can move, after the first."""
        return self._can_move_rabble(self._rabble, 10 * self._seat - 9 + _RABBLE) > 0

    def position(self) -> str:
        """``TERRAIN PIECES SEAT PHASE QUIET TURN``."""
        return self.observation(0)

    def observation(self, seat: int) -> str:
        """The same, without the other seat's side in the set-up; PHASE is ``hidden`` from that seat."""
        if self._phase == _PLAY:
            phase = f"rabble-{cyvasse.NAMES[self._rabble - _SHIFT]}" if self._rabble else "play"
            pieces = self._field(1, 0)
            return f"{self._ground} {pieces} {self._seat} {phase} {self._quiet} {self._turn}"
        hidden = 3 - seat if seat else 0
        phase = "hidden"
        if hidden != self._seat:
            phase = self._phase_text()
        return f"{self._field(0, hidden)} {self._field(1, hidden)} {self._seat} {phase} 0 0"

    def _phase_text(self) -> str:
        """The step of the set-up."""
        if self._phase == _LAY_KING:
            return "king"
        if self._phase == _PUT_PIECES:
            return f"put-{self._placed}"
        left = "".join([str(tile) for tile in range(1, 9) if self._left >> (tile - 1) & 1])
        return f"tile-{8 - len(left)}:{left}"

    def _field(self, pieces: int, hidden: int) -> str:
        """The field PIECES, or else TERRAIN, without a hidden seat's side."""
        end = 0
        for cell in _READ:
            shown = not hidden or _SIDE[cell] != hidden
            if cell == 0:
                TEXT[end] = 47
            elif pieces:
                TEXT[end] = _PIECE_LETTERS[self._piece[cell] if shown else 0]
            else:
                TEXT[end] = _GROUND_LETTERS[self._terrain[cell] if shown else _UNLAID]
            end += 1
        return bytes(TEXT[: end - 1]).decode("ascii")

    def decode(self, code: int) -> cyvasse.CyvasseAction:
        self._check(code)
        return cyvasse.CyvasseAction(code)

    def key(self) -> Hashable:
        """Pieces, terrain, phase and seat; turns and repetitions are left out."""
        counters = self._seat + 4 * (
            self._phase + 4 * (self._rabble + 256 * (self._placed + 32 * self._left))
        )
        return bytes(self._piece[:_CELLS]), bytes(self._terrain[:_CELLS]), counters

    def _check(self, code: int) -> int:
        if not (_KING_CODE <= code < _PUT_CODE + _SQUARES or code == _DONE or _in_play(code)):
            raise ValueError(f"{code} is not a code of cyvasse")
        return 0

    def _admit(self, code: int) -> int:
        self._check(code)
        if (code >= _CODES) != (self._phase < _PLAY) or self._over:
            raise ValueError(f"{code} is not a code of this phase of cyvasse")
        if code < _CODES and code != _DONE and self._piece[_HEAD_CELL[code >> 14]] in {0, _BORDER}:
            raise ValueError(f"{code} is the code of a move from an empty square")
        return 0

    def is_legal(self, code: int) -> bool:
        """Whether an action is legal, by the piece on its origin."""
        if self._over or self._phase < _PLAY or self._rabble or not _in_play(code):
            return not self._over and self._is_listed(code, self._list())
        base = 10 * self._seat - 10
        cell = _HEAD_CELL[code >> 14]
        if not base < self._piece[cell] <= base + 10:
            return False
        # Only the piece on the origin can have the action, so the others are not listed.
        self._mark(base)
        return self._is_listed(code, self._list_piece(cell, base, 0))

    def _list(self) -> int:
        """List the legal actions in ``_MOVES``; return their number."""
        if self._phase < _PLAY:
            return self._list_set_up()
        if self._rabble:
            return self._list_rabble()
        return self._list_turn()

    def _list_set_up(self) -> int:
        count = 0
        seat = self._seat
        if self._phase == _LAY_KING:
            for k in range(3):
                MOVES[k] = _LAYS_KING[3 * seat - 3 + k]
            return 3
        if self._phase == _LAY_TILES:
            faces = 8 * _SHAPES[self._block()]
            for tile in range(8):
                if self._left >> tile & 1:
                    for turned in range(1 + _TURNS[faces + tile]):
                        MOVES[count] = _TILE_CODE + 2 * tile + 2 + turned
                        count += 1
            return count
        for k in range(_SQUARES):
            cell = _ORDER[k]
            if _SIDE[cell] == seat and self._terrain[cell] != _MOUNTAIN and self._piece[cell] == 0:
                MOVES[count] = _PUT_CODE + k
                count += 1
        return count

    def _block(self) -> int:
        """The index of the block to lay in the list of all plans' blocks."""
        laid = 8
        for tile in range(8):
            laid -= self._left >> tile & 1
        return 8 * (3 * self._seat - 3 + self._plan) + laid

    def _play(self, code: int) -> None:
        if code >= _CODES:
            self._play_set_up(code)
            return
        if code == _DONE:
            self._next_turn(self._quiet + 1)
            return
        cell = _HEAD_CELL[code >> 14]
        end = _ORDER[code >> 7 & 127]
        base = 10 * self._seat - 10
        piece = self._piece[cell]
        if _HEAD_TAKES[code >> 14]:
            taken = self._piece[end]
            self._put(end, taken, 0)
            if piece == base + 1 + _TREBUCHET:
                end = self._behind(cell, end)
            elif code & 127:
                end = _ORDER[(code & 127) - 1]
            self._put(cell, piece, 0)
            self._put(end, 0, piece)
            self._known = 0
            if taken == 11 - base + _KING:
                self._over = _BY_KING
            self._next_turn(0)
            return
        self._put(cell, piece, 0)
        self._put(end, 0, piece)
        if piece == base + 1 + _RABBLE and not self._rabble and self._can_move_rabble(end, piece):
            self._rabble = end
            return
        self._next_turn(self._quiet + 1)

    def _put(self, cell: int, before: int, after: int) -> None:
        """Replace the piece on a cell; update the keys and White's advantage."""
        self._piece[cell] = after
        self._switch(cell, before)
        self._switch(cell, after)
        if before == 1 + _KING or before == 11 + _KING or after == 1 + _KING or after == 11 + _KING:
            self._white = 0  # every piece's worth depends on the Kings: add up again when it is asked for
        elif self._white:
            self._total += self._worth(after, cell) - self._worth(before, cell)

    def _switch(self, cell: int, piece: int) -> None:
        """Add a piece to the board's keys, or take it out."""
        self._key_1 ^= _KEYS[piece * _CELLS + cell]
        self._key_2 ^= _KEYS[(21 + piece) * _CELLS + cell]

    def _next_turn(self, quiet: int) -> None:
        """Begin the other seat's turn, unless the game is over then."""
        self._seat = 3 - self._seat
        self._rabble = 0
        self._quiet = quiet
        self._turn += 1
        self._begin_turn()

    def _begin_turn(self) -> None:
        """Note the board, and end the game where the rules say so; a captured King has ended it before."""
        at = 2 * (self._known & (_HISTORY - 1))
        self._boards[at] = self._key_1
        self._boards[at + 1] = self._key_2
        self._known += 1
        if self._over:
            return
        if not self._can_act():
            self._over = _BY_NO_ACTION
        elif self._is_repeated():
            self._over = _BY_REPETITION
        elif self._quiet >= _QUIET_LIMIT:
            self._over = _BY_QUIET
        elif self._turn >= _TURN_LIMIT:
            self._over = _BY_LENGTH

    def _is_repeated(self) -> int:
        """Whether the board stands for the third time with the same seat to act.

        The boards are of consecutive turns, so every second one has the same seat to act.
        """
        times = 0
        k = 2 * (self._known - 1)
        while k >= 0:
            if self._boards[k] == self._key_1 and self._boards[k + 1] == self._key_2:
                times += 1
            k -= 4
        return times >= _REPETITIONS

    def _play_set_up(self, code: int) -> None:
        base = 10 * self._seat - 10
        if self._phase == _LAY_KING:
            self._plan = _PLAN_OF_KING[(code - _KING_CODE) % 6]
            plan = 3 * self._seat - 3 + self._plan
            for k in range(6):
                self._terrain[_COVERS[6 * plan + k]] = _PLAIN
            self._piece[_KING_CELL[plan]] = base + 1 + _KING
            self._phase = _LAY_TILES
        elif self._phase == _LAY_TILES:
            block = self._block()
            tile = ((code - _TILE_CODE) // 2 - 1) & 7
            face = 4 * (8 * _SHAPES[block] + tile)
            for k in range(4):
                turned = 3 - k if code & 1 else k
                self._terrain[_BLOCKS[4 * block + k]] = _FACES[face + turned]
            self._left &= ~(1 << tile)
            if not self._left:
                self._phase = _PUT_PIECES
                self._placed = 0
        else:
            cell = _ORDER[(code - _PUT_CODE) % _SQUARES if code >= _PUT_CODE else 0]
            self._piece[cell] = base + 1 + _PUT_KIND[self._placed]
            self._placed += 1
            if self._placed == _PUTS:
                self._end_set_up()

    def _end_set_up(self) -> None:
        """Go on with Black's set-up, or begin to play."""
        self._placed = self._plan = 0
        if self._seat == 1:
            self._phase = _LAY_KING
            self._seat = 2
            self._left = _ALL_TILES
            return
        self._seat = 1
        self._begin_play()
        self._begin_turn()

    def _begin_play(self) -> None:
        """Set up the fields that a game in play uses: Kings, keys and White's advantage."""
        self._phase = _PLAY
        self._ground = self._field(0, 0)
        self._key_1 = self._key_2 = self._known = 0
        for k in range(_SQUARES):
            self._switch(_ORDER[k], self._piece[_ORDER[k]])
        self._find_kings()

    def _rank(self, seat: int) -> int:
        """Rank 2 for the acting seat if its King is lost or it cannot act; all other results are draws."""
        return 2 if self._over <= _BY_NO_ACTION and seat == self._seat - 1 else 1

    def _weigh(self) -> None:
        total = 0
        if self._phase < _PLAY:
            for k in range(_SQUARES):
                total += _ROWS[self._piece[_ORDER[k]] * _CELLS + _ORDER[k]]
        else:
            if not self._white:
                self._find_kings()
            total = self._total
        ADVANTAGES[0] = total
        ADVANTAGES[1] = -total

    def _worth(self, piece: int, cell: int) -> int:
        """A piece's contribution to White's advantage, by its kind and cell."""
        if piece == 0 or piece == 1 + _KING or piece == 11 + _KING:
            return 0
        if piece <= 10:
            return _WORTH[piece - 1] + _DISTANCES[self._black + cell]
        return -_WORTH[piece - 11] - _DISTANCES[self._white + cell]

    def _find_kings(self) -> None:
        """Find the Kings, and add up White's advantage in play."""
        self._white = self._black = 0
        for k in range(_SQUARES):
            piece = self._piece[_ORDER[k]]
            if piece == 1 + _KING:
                self._white = _ORDER[k] * _CELLS
            elif piece == 11 + _KING:
                self._black = _ORDER[k] * _CELLS
        self._total = 0
        for k in range(_SQUARES):
            self._total += self._worth(self._piece[_ORDER[k]], _ORDER[k])


def _in_play(code: int) -> bool:
    """Whether a code is in the range of actions in play."""
    inside = 0 <= code >> 14 <= 2 * _SQUARES and (code >> 7 & 127) < _SQUARES and (code & 127) <= _SQUARES
    return 0 <= code < _CODES and inside
