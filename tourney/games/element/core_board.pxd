# The C types of core_board.py; Cython reads it, Python does not.
cimport cython

cdef int _CELLS, _WIDTH, _BORDER, _WIND, _FIRE, _WATER, _EARTH, _RANGE, _MOUNTAIN, _SAGE
cdef int _AIRS, _EARTHS, _FIRES, _WATERS, _SQUARES
cdef int _CELL[121]
cdef int _BLANK[169]
cdef int _OFFSET[8]
cdef int _COMPASS[4]
cdef int _ROOM[1352]
cdef int _STEPS[8]
cdef int _FED[4]
cdef int _OUTS[16]
cdef unsigned char _CLEAR[169]
cdef int _STACK[169]


cdef class ElementBoard(Core):
    cdef unsigned char _board[169]
    cdef int _sages[4]
    cdef int _bag[4]
    cdef int _length

    cdef int _is_range(self, int cell) noexcept
    @cython.locals(left=cython.int, right=cython.int)
    cdef int _is_barred(self, int cell, int direction) noexcept
    @cython.locals(count=cython.int, direction=cython.int)
    cdef int _find_steps(self, int sage) noexcept
    @cython.locals(offset=cython.int, cell=cython.int, winds=cython.int)
    cdef int _landing(self, int sage, int direction) noexcept
    @cython.locals(direction=cython.int)
    cdef int _is_captured(self, int sage) noexcept
    @cython.locals(before=cython.int)
    cdef void _apply(self, int letter, int cell) noexcept
    @cython.locals(count=cython.int, direction=cython.int, at=cython.int)
    cdef int _find_ends(self, int cell, int most) noexcept
    @cython.locals(ends=cython.int, k=cython.int)
    cdef void _spread_fire(self, int cell) noexcept
    @cython.locals(linked=cython.int, direction=cython.int)
    cdef void _add_earth(self, int cell, int before) noexcept
    @cython.locals(depth=cython.int, at=cython.int, direction=cython.int, neighbour=cython.int)
    cdef void _spread_range(self, int cell) noexcept
    @cython.locals(cell=cython.int)
    cdef void _clear_open(self) noexcept
    @cython.locals(length=cython.int, cell=cython.int)
    cdef int _run(self, int head, int direction) noexcept
    @cython.locals(shortest=cython.int, direction=cython.int, length=cython.int)
    cdef int _shortest_river(self, int head) noexcept
    @cython.locals(open_=cython.int, k=cython.int, away=cython.int, possible=cython.int, before=cython.int, direction=cython.int)
    cdef int _is_possible(self, int head, int shortest, int sage, int steps) noexcept
    cdef int _is_open(self, int head, int direction) noexcept
    @cython.locals(length=cython.int)
    cdef int _has_way_out(self, int head, int direction, int sage) noexcept
    @cython.locals(k=cython.int, outs=cython.int, way=cython.int, cell=cython.int)
    cdef int _find_outs(self, int head, int direction, int length, int sage) noexcept
    @cython.locals(covered=cython.int, k=cython.int, flows=cython.int)
    cdef int _flows(self, int outs, int tip, int left) noexcept
    @cython.locals(direction=cython.int, cell=cython.int, continues=cython.int)
    cdef int _has_path(self, int tip, int left) noexcept
