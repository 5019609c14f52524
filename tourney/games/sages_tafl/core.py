"""The rules of Sages Tafl, and what its positions are worth.

The board is bytes with a border: a *cell* is 11 times (file + 1) plus (rank + 1), so that every direction is
one offset and the border ends every walk; two more cells are the towers. Each side has a list of its pieces'
cells. Boards that can recur are counted by Zobrist keys, as chess engines do, of 128 bits: far too many for
two boards with one key to be found.

The file is long because a core is one compiled class.
"""

from collections.abc import Hashable

from tourney.games.core_base import ADVANTAGES, COMPILED, MOVES, TEXT, Core, random_words, spread, zeros
from tourney.games.sages_tafl import board as tafl

_CELLS = 112
_WIDTH = 11
_HEIGHT = tafl.HEIGHT
_FILES = len(tafl.FILES)
_TOWER = 110  # the cell of Black's tower; Red's is the next
_BORDER = 7
"""Codes of cells: 0 empty, 1 to 3 Black's apprentice, skyship and sage, 4 to 6 Red's, 7 the border."""
_SIDE = [3, 1, 1, 1, 2, 2, 2, 4]  # by code: the seat of a piece; 3 for an empty cell, 4 for the border
_KIND = [0, 1, 2, 3, 1, 2, 3, 0]
_APPRENTICE, _SKYSHIP, _SAGE = 1, 2, 3
_PIECES = 11  # pieces of a side: 8 apprentices, 2 skyships and the sage, which is last
_PAST = 404  # more than the boards of a game: 400 actions in all

_PASS = tafl.PASS
_OFF = tafl.OFF
_TARGET = tafl.TARGET
_FROM_TOWER = tafl.FROM_TOWER
_FROM_NOWHERE = tafl.PASS >> tafl.SHIFT
_RIVER = tafl.RIVER
_WIN_POINTS = tafl.WIN_POINTS
_SAGE_POINTS = tafl.SAGE_WORTH
_QUIET_LIMIT = tafl.QUIET_LIMIT
_PLY_LIMIT = tafl.PLY_LIMIT
_REASONS = ("", "points", "passes", "out-of-reach", "repetition", "quiet", "length")
_BY_POINTS, _BY_PASSES, _BY_REACH, _BY_REPETITION, _BY_QUIET, _BY_LENGTH = range(1, 7)
_TOWERS = ("-", "T", "t", "Tt")


def _cell(square: int) -> int:
    return _WIDTH * (square // tafl.HEIGHT + 1) + square % tafl.HEIGHT + 1


_POINT = 700  # the worth of a point


def _worth(kind: int, square: int) -> int:
    """The worth of a piece on a square; a sage in its tower is worth 0.

    An apprentice is worth part of a point, more of it on a bank and in the river. A sage is worth three
    points when it leaves, so each of its steps nearer to an end of the river counts.
    """
    file, rank = divmod(square, tafl.HEIGHT)
    from_river = abs(rank - tafl.RIVER)
    from_end = min(file, len(tafl.FILES) - 1 - file)
    if kind == _SKYSHIP:
        return 250
    if kind == _APPRENTICE:
        return 350 + (60 - 10 * from_end if from_river == 0 else 30 if from_river == 1 else 0)
    return 250 * (6 - max(from_river, from_end)) + (100 if from_river == 0 else 0)


_ON_BOARD = [_cell(square) for square in range(tafl.SQUARES)]
_CELL_OF = [*_ON_BOARD, 0, 0]
_SQUARE_OF = spread(range(tafl.SQUARES), _ON_BOARD, _CELLS)
_RANK_OF = spread([square % tafl.HEIGHT for square in range(tafl.SQUARES)], _ON_BOARD, _CELLS, -9)
_BLANK = spread(zeros(tafl.SQUARES + 2), [*_ON_BOARD, _TOWER, _TOWER + 1], _CELLS, _BORDER)
_FOOT = [_cell(square) for side in tafl.TOWER_SQUARES for square in side]
"""The cells at the foot of Black's tower, then of Red's."""
_CODE_OF = {letter: 3 * side + kind + 1 for side in (0, 1) for kind, letter in enumerate(tafl.LETTERS[side])}
_LETTER_OF = [0, *tafl.LETTERS[0], *tafl.LETTERS[1]]
_WORTH = spread(
    [_worth(kind, square) for kind in (_APPRENTICE, _SKYSHIP, _SAGE) for square in range(tafl.SQUARES)],
    [_CELLS * kind + cell for kind in (_APPRENTICE, _SKYSHIP, _SAGE) for cell in _ON_BOARD],
    4 * _CELLS,
)
"""By cell plus ``_CELLS`` times the kind."""
_KEYS = random_words(20261122, 2 * 8 * _CELLS)  # two numbers for each cell and what it holds
_WEST_END = _cell(tafl.RIVER)
_EAST_END = _cell(tafl.SQUARES - tafl.HEIGHT + tafl.RIVER)

_ALL_WAYS = [-_WIDTH - 1, -_WIDTH, -_WIDTH + 1, -1, 1, _WIDTH - 1, _WIDTH, _WIDTH + 1]
_STRAIGHT = [-_WIDTH, _WIDTH, -1, 1]
_SLANTS = [-_WIDTH - 1, -_WIDTH + 1, _WIDTH - 1, _WIDTH + 1]
_SECONDS = [
    *(-2 * _WIDTH - 2, -_WIDTH - 1, -_WIDTH - 1),
    *(-2 * _WIDTH, -_WIDTH - 1, -_WIDTH + 1),
    *(-2 * _WIDTH + 2, -_WIDTH + 1, -_WIDTH + 1),
    *(-2, -_WIDTH - 1, _WIDTH - 1),
    *(2, -_WIDTH + 1, _WIDTH + 1),
    *(2 * _WIDTH - 2, _WIDTH - 1, _WIDTH - 1),
    *(2 * _WIDTH, _WIDTH - 1, _WIDTH + 1),
    *(2 * _WIDTH + 2, _WIDTH + 1, _WIDTH + 1),
]
"""A skyship's second steps, three ints each: the offset, and the offsets of two possible first steps."""


class TaflCore(Core):
    """A position of Sages Tafl, with the keys of the boards that can recur."""

    def __init__(self) -> None:
        super().__init__()
        self._board = zeros(_CELLS)
        self._places = zeros(2 * _PIECES)
        self._points = zeros(2)
        self._past = zeros(2 * _PAST)
        self._known = 0
        """The boards in ``_past``, two numbers each; every second one has the same seat to move."""
        self._key_1 = self._key_2 = self._winner = self._quiet = self._ply = 0
        self._passed = 0

    def load(self, at: tafl.TaflPosition) -> None:
        """Take over a parsed position, without history; of the ends, passes and repetition do not apply."""
        self.seats = 2
        for cell in range(_CELLS):
            self._board[cell] = _BLANK[cell]
        for k in range(2 * _PIECES):
            self._places[k] = 0
        self._key_1 = self._key_2 = self._known = self._passed = 0
        for place in range(tafl.SQUARES + 2):
            piece = _CODE_OF.get(at.board[place], 0)
            if piece:
                self._lay(piece, _cell(place) if place < tafl.SQUARES else _TOWER + place - tafl.SQUARES)
        self._seat = at.seat
        self._quiet = at.quiet
        self._ply = at.ply
        self._points[0], self._points[1] = at.points
        self._winner = self._over = 0
        if max(at.points) >= _WIN_POINTS:
            self._over = _BY_POINTS
            self._winner = 1 if at.points[0] > at.points[1] else 2
        elif self._out_of_reach():
            self._over = _BY_REACH
        else:
            self._over = self._too_long()
        self._remember()

    def _lay(self, piece: int, cell: int) -> None:
        """Put a piece on the board and in the list of its side."""
        kind = _KIND[piece]
        slot = _PIECES * (_SIDE[piece] - 1) + (0 if kind == _APPRENTICE else 8 if kind == _SKYSHIP else 10)
        while self._places[slot]:
            slot += 1
        self._places[slot] = cell
        self._put(cell, piece)

    def _blank(self) -> "Core":
        return TaflCore.__new__(TaflCore) if COMPILED else TaflCore()

    def copy_from(self, other: "Core") -> None:
        source: TaflCore = other  # type: ignore[assignment] # of the same class
        self._copy_small(source)
        # Only the known boards: a capture forgets them all, so there are mostly few.
        for k in range(2 * source._known):
            self._past[k] = source._past[k]

    def _copy_small(self, source: "TaflCore") -> None:
        """Take over all but the keys of boards."""
        self.seats = source.seats
        self._seat = source._seat
        self._over = source._over
        self._board[:] = source._board
        self._places[:] = source._places
        self._points[:] = source._points
        self._known = source._known
        self._key_1 = source._key_1
        self._key_2 = source._key_2
        self._winner = source._winner
        self._quiet = source._quiet
        self._ply = source._ply
        self._passed = source._passed

    def _take_back(self, code: int, before: "Core") -> None:  # noqa: ARG002 - any action wrote one key
        source: TaflCore = before  # type: ignore[assignment] # of the same class
        self._copy_small(source)
        # The action has written one key: behind the others, or the first one after it had cleared them.
        self._past[0] = source._past[0]
        self._past[1] = source._past[1]

    def _settle(self) -> None:
        for side in range(0, 2 * _PIECES, _PIECES):
            self._sort_places(side, side + 8)
            self._sort_places(side + 8, side + 10)

    def _sort_places(self, first: int, end: int) -> None:
        """Sort pieces of a kind by their cells, lost ones last."""
        for k in range(first + 1, end):
            cell = self._places[k]
            j = k
            while cell and j > first and (self._places[j - 1] > cell or not self._places[j - 1]):
                self._places[j] = self._places[j - 1]
                j -= 1
            if cell:
                self._places[j] = cell

    def points(self) -> tuple[int, int]:
        """Black's and Red's points."""
        return self._points[0], self._points[1]

    def reason(self) -> str:
        return _REASONS[self._over]

    def position(self) -> str:
        """``BOARD SEAT TOWERS POINTS QUIET PLY``."""
        end = 0
        for rank in range(_HEIGHT, 0, -1):
            empty = 0
            for file in range(1, _FILES + 1):
                piece = self._board[_WIDTH * file + rank]
                if piece == 0:
                    empty += 1
                    continue
                if empty:
                    TEXT[end] = 48 + empty
                    end += 1
                    empty = 0
                TEXT[end] = _LETTER_OF[piece]
                end += 1
            if empty:
                TEXT[end] = 48 + empty
                end += 1
            TEXT[end] = 47
            end += 1
        board = bytes(TEXT[: end - 1]).decode("ascii")
        towers = _TOWERS[(self._board[_TOWER] > 0) + 2 * (self._board[_TOWER + 1] > 0)]
        points = f"{self._points[0]}:{self._points[1]}"
        return f"{board} {self._seat} {towers} {points} {self._quiet} {self._ply}"

    def key(self) -> Hashable:
        """Board, towers, points and seat, as bytes and an int; limits and repetition are left out."""
        small = self._seat + 4 * (self._points[0] + 16 * self._points[1])
        return bytes(self._board[:_CELLS]), small

    def decode(self, code: int) -> tafl.TaflAction:
        self._check(code)
        return tafl.TaflAction(code)

    def _check(self, code: int) -> int:
        if code < 0 or code >> 7 > _FROM_TOWER or (code & _TARGET) > _OFF:
            raise ValueError(f"{code} is not a code of sages-tafl")
        return 0

    def is_legal(self, code: int) -> bool:
        """Whether an action is legal, by the piece on its origin."""
        source = code >> 7
        if self._over or code < 0 or source > _FROM_TOWER:
            return False
        count = 0
        if source == _FROM_NOWHERE:
            count = self._list()
        else:
            cell = _TOWER + self._seat - 1 if source == _FROM_TOWER else _CELL_OF[source]
            if _SIDE[self._board[cell]] == self._seat:
                count = self._list_piece(cell, 0)
        return self._is_listed(code, count)

    def _list(self) -> int:
        """List the legal actions of the seat to act, by piece; a pass if there is none."""
        count = 0
        first = _PIECES * (self._seat - 1)
        for k in range(first, first + _PIECES):
            if self._places[k]:
                count = self._list_piece(self._places[k], count)
        if not count:
            MOVES[0] = _PASS
            return 1
        return count

    def _list_piece(self, cell: int, count: int) -> int:
        """Add the actions of a piece.

        Each of these functions gets and returns the number of actions listed so far.
        """
        kind = _KIND[self._board[cell]]
        if kind == _APPRENTICE:
            return self._list_apprentice(cell, count)
        if kind == _SKYSHIP:
            return self._list_skyship(cell, count)
        return self._list_sage(cell, count) if cell < _TOWER else self._list_tower(cell, count)

    def _list_apprentice(self, cell: int, count: int) -> int:
        """Add slides along rank and file, steps into the river and out of it, a hop, an escape."""
        board = self._board
        source = _SQUARE_OF[cell] << 7
        rank = _RANK_OF[cell]
        off = 0
        for way in range(2):
            offset = _STRAIGHT[way]
            target = cell + offset
            while board[target] == 0:
                MOVES[count] = source + _SQUARE_OF[target]
                count += 1
                target += offset
            if board[target] == _BORDER:
                off = 1
        if rank == _RIVER:
            for target in range(cell - 1, cell + 2):
                if board[target] == 0:
                    MOVES[count] = source + _SQUARE_OF[target]
                    count += 1
            if off:
                MOVES[count] = source + _OFF
                count += 1
            return count
        for way in range(2, 4):
            offset = _STRAIGHT[way]
            target = cell + offset
            if _RANK_OF[target] == _RIVER:
                if board[target] == 0:
                    MOVES[count] = source + _SQUARE_OF[target]
                    count += 1
            else:
                while board[target] == 0 and _RANK_OF[target] != _RIVER:
                    MOVES[count] = source + _SQUARE_OF[target]
                    count += 1
                    target += offset
        if rank == _RIVER - 1 or rank == _RIVER + 1:
            return self._list_hop(cell, count)
        return count

    def _list_hop(self, cell: int, count: int) -> int:
        """Add a hop from a bank over a friend in the river to the other bank."""
        offset = _RIVER - _RANK_OF[cell]
        if _SIDE[self._board[cell + offset]] == self._seat and self._board[cell + 2 * offset] == 0:
            MOVES[count] = (_SQUARE_OF[cell] << 7) + _SQUARE_OF[cell + 2 * offset]
            return count + 1
        return count

    def _list_skyship(self, cell: int, count: int) -> int:
        """Add one or two diagonal steps over anything but a skyship."""
        board = self._board
        source = _SQUARE_OF[cell] << 7
        for way in range(4):
            if board[cell + _SLANTS[way]] == 0:
                MOVES[count] = source + _SQUARE_OF[cell + _SLANTS[way]]
                count += 1
        for k in range(0, 24, 3):
            via_first = board[cell + _SECONDS[k + 1]]
            via_second = board[cell + _SECONDS[k + 2]]
            if (via_first != _BORDER and _KIND[via_first] != _SKYSHIP) or (
                via_second != _BORDER and _KIND[via_second] != _SKYSHIP
            ):
                target = cell + _SECONDS[k]
                if board[target] == 0:
                    MOVES[count] = source + _SQUARE_OF[target]
                    count += 1
        return count

    def _list_sage(self, cell: int, count: int) -> int:
        """Add one square in any direction, a hop, or off from an end of the river."""
        source = _SQUARE_OF[cell] << 7
        for way in range(8):
            if self._board[cell + _ALL_WAYS[way]] == 0:
                MOVES[count] = source + _SQUARE_OF[cell + _ALL_WAYS[way]]
                count += 1
        if cell == _WEST_END or cell == _EAST_END:
            MOVES[count] = source + _OFF
            count += 1
        if _RANK_OF[cell] == _RIVER - 1 or _RANK_OF[cell] == _RIVER + 1:
            return self._list_hop(cell, count)
        return count

    def _list_tower(self, cell: int, count: int) -> int:
        """Add the squares at the foot of a sage's tower."""
        foot = 4 * (cell - _TOWER)
        for k in range(foot, foot + 4):
            if self._board[_FOOT[k]] == 0:
                MOVES[count] = (_FROM_TOWER << 7) + _SQUARE_OF[_FOOT[k]]
                count += 1
        return count

    def _put(self, cell: int, piece: int) -> None:
        """Replace the piece on a cell; update the keys of the board."""
        before = self._board[cell]
        self._key_1 ^= _KEYS[8 * cell + before] ^ _KEYS[8 * cell + piece]
        self._key_2 ^= _KEYS[8 * (_CELLS + cell) + before] ^ _KEYS[8 * (_CELLS + cell) + piece]
        self._board[cell] = piece

    def _play(self, code: int) -> None:
        source = code >> 7
        side = self._seat - 1
        if source == _FROM_NOWHERE:
            self._end_turn(0, 1)
            return
        cell = _TOWER + side if source == _FROM_TOWER else _CELL_OF[source]
        piece = self._board[cell]
        slot = self._slot(side, cell)
        self._put(cell, 0)
        if code & _TARGET == _OFF:
            self._places[slot] = 0
            self._points[side] += _SAGE_POINTS if _KIND[piece] == _SAGE else 1
            self._known = 0  # no earlier board can recur with one piece less
            self._end_turn(1, 0)
            return
        cell = _CELL_OF[code & _TARGET]
        self._put(cell, piece)
        self._places[slot] = cell
        taken = 0
        foe = 2 - side
        for way in range(4):
            near = cell + _STRAIGHT[way]
            if _SIDE[self._board[near]] == foe and _SIDE[self._board[near + _STRAIGHT[way]]] == self._seat:
                self._take(near, foe - 1)
                taken = 1
        self._end_turn(taken, 0)

    def _slot(self, side: int, cell: int) -> int:
        """The index of a piece in the lists; the sage's for none."""
        for k in range(_PIECES * side, _PIECES * side + 10):
            if self._places[k] == cell:
                return k
        return _PIECES * side + 10

    def _take(self, cell: int, side: int) -> None:
        """Take a piece off the board; a sage returns to its tower, and the boards before can recur."""
        piece = self._board[cell]
        slot = self._slot(side, cell)
        self._put(cell, 0)
        self._places[slot] = 0
        if _KIND[piece] == _SAGE:
            self._places[slot] = _TOWER + side
            self._put(_TOWER + side, piece)
        else:
            self._known = 0

    def _end_turn(self, loud: int, passed: int) -> None:
        """End an action; ``loud`` says that it was a capture or an escape."""
        side = self._seat - 1
        self._quiet = 0 if loud else self._quiet + 1
        self._ply += 1
        self._seat = 2 - side
        if self._points[side] >= _WIN_POINTS:
            self._over = _BY_POINTS
            self._winner = side + 1
        elif passed and self._passed:
            self._over = _BY_PASSES
        elif loud and self._out_of_reach():
            self._over = _BY_REACH
        elif self._recurs():
            self._over = _BY_REPETITION
        else:
            self._over = self._too_long()
        self._passed = passed
        self._remember()

    def _too_long(self) -> int:
        """The reason if a limit of actions ends the game, or 0."""
        if self._quiet >= _QUIET_LIMIT:
            return _BY_QUIET
        return _BY_LENGTH if self._ply >= _PLY_LIMIT else 0

    def _remember(self) -> None:
        """Note the board: it can recur. There is room for all of a game; illegal actions may go on longer."""
        if self._known < _PAST:
            self._past[2 * self._known] = self._key_1
            self._past[2 * self._known + 1] = self._key_2
            self._known += 1

    def _recurs(self) -> int:
        """Whether the board stood twice before with the same seat to move."""
        times = 0
        past = self._past
        # The newest known board is the other seat's. Two numbers a board and every second board: steps of 4.
        for k in range(2 * self._known - 4, -1, -4):
            if past[k] == self._key_1 and past[k + 1] == self._key_2:
                times += 1
        return 1 if times >= 2 else 0

    def _out_of_reach(self) -> int:
        """Whether neither side has enough pieces left to win."""
        for side in range(2):
            reach = self._points[side]
            for k in range(_PIECES * side, _PIECES * side + 8):
                if self._places[k]:
                    reach += 1
            if self._places[_PIECES * side + 10]:
                reach += _SAGE_POINTS
            if reach >= _WIN_POINTS:
                return 0
        return 1

    def _rank(self, seat: int) -> int:
        """Rank 1 for the side with enough points; all other results are draws."""
        return 2 if self._winner == 2 - seat else 1

    def _weigh(self) -> None:
        """Compare points, pieces and progress."""
        places = self._places
        total = _POINT * (self._points[0] - self._points[1])
        for k in range(_PIECES):
            cell = places[k]
            if cell:
                total += _WORTH[_CELLS * _KIND[self._board[cell]] + cell]
            cell = places[k + _PIECES]
            if cell:
                total -= _WORTH[_CELLS * _KIND[self._board[cell]] + cell]
        ADVANTAGES[0] = total
        ADVANTAGES[1] = -total
