# The C types of core.py; Cython reads it, Python does not.
cimport cython

cdef int _LAY_KING, _LAY_TILES, _PUT_PIECES, _PLAY, _HISTORY
cdef int _BY_KING, _BY_NO_ACTION, _BY_REPETITION, _BY_QUIET, _BY_LENGTH
cdef int _ALL_TILES, _PUTS, _QUIET_LIMIT, _TURN_LIMIT, _REPETITIONS
cdef int _KING_CODE, _TILE_CODE, _PUT_CODE, _CODES
cdef int _READ[97]
cdef int _GROUND_LETTERS[4]
cdef int _PIECE_LETTERS[21]
cdef int _HEAD_CELL[177]
cdef int _HEAD_TAKES[177]
cdef int _PLAN_OF_KING[6]
cdef int _KING_CELL[6]
cdef int _LAYS_KING[6]
cdef int _COVERS[36]
cdef int _BLOCKS[192]
cdef int _SHAPES[48]
cdef int _FACES[64]
cdef int _TURNS[16]
cdef int _SIDE[145]
cdef int _PUT_KIND[22]
cdef int _WORTH[10]
cdef int _DISTANCES[21025]
cdef int _ROWS[3045]
cdef unsigned long long _KEYS[6090]


cdef class CyvasseCore(CyvasseBoard):
    cdef int _phase, _plan, _left, _placed, _quiet, _turn, _known
    cdef str _ground
    cdef unsigned long long _boards[256]
    cdef unsigned long long _key_1, _key_2
    cdef int _total, _white, _black

    cdef Core _blank(self)
    @cython.locals(source=CyvasseCore, k=cython.int)
    cpdef copy_from(self, Core other)
    cdef void _copy_counters(self, CyvasseCore source)
    @cython.locals(source=CyvasseCore, cell=cython.int, d=cython.int)
    cdef _take_back(self, long long code, Core before)
    cpdef str position(self)
    @cython.locals(hidden=cython.int)
    cpdef str observation(self, int seat)
    cdef str _phase_text(self)
    @cython.locals(end=cython.int, cell=cython.int, shown=cython.int)
    cdef str _field(self, int pieces, int hidden)
    cdef int _check(self, long long code) except -1
    cdef int _admit(self, long long code) except -1
    @cython.locals(base=cython.int, cell=cython.int)
    cpdef bint is_legal(self, long long code)
    cdef int _list(self) noexcept
    cdef int _list_set_up(self) noexcept
    cdef int _block(self) noexcept
    cdef void _play(self, int code) noexcept
    cdef void _put(self, int cell, int before, int after) noexcept
    cdef void _switch(self, int cell, int piece) noexcept
    cdef void _next_turn(self, int quiet) noexcept
    @cython.locals(at=cython.int)
    cdef void _begin_turn(self) noexcept
    @cython.locals(times=cython.int, k=cython.int)
    cdef int _is_repeated(self) noexcept
    cdef void _play_set_up(self, int code) noexcept
    cdef void _end_set_up(self) noexcept
    cdef void _begin_play(self) noexcept
    cdef int _rank(self, int seat) noexcept
    @cython.locals(total=cython.longlong)
    cdef void _weigh(self) noexcept
    cdef int _worth(self, int piece, int cell) noexcept
    cdef void _find_kings(self) noexcept


cdef bint _in_play(long long code) noexcept
