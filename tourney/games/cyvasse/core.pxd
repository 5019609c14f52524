# The C types of core.py; Cython reads it, Python does not.
cimport cython

cdef int _COMPILED
cdef int _CELLS, _SHIFT, _SQUARES, _BORDER, _PLAIN, _MOUNTAIN, _WATER, _UNLAID, _OUTSIDE
cdef int _LAY_KING, _LAY_TILES, _PUT_PIECES, _PLAY, _HISTORY
cdef int _RABBLE, _SPEARS, _LIGHT, _HORSE, _ELEPHANT, _CROSSBOWS, _TREBUCHET, _DRAGON, _TOWER, _KING
cdef int _ALL_TILES, _PUTS, _QUIET_LIMIT, _TURN_LIMIT, _REPETITIONS
cdef int _DONE, _KING_CODE, _TILE_CODE, _PUT_CODE, _CODES
cdef long long _LIMIT, _SCALE, _WIN
cdef unsigned long long _GAMMA, _MULTIPLY_1, _MULTIPLY_2, _MASK
cdef int _ORDER[88]
cdef int _BLANK[145]
cdef int _OFFSET[6]
cdef int _NEAR[870]
cdef int _FROM[145]
cdef int _TAKES_FROM[145]
cdef int _ONTO[145]
cdef int _RIDE[145]
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
cdef int _STEPS[10]
cdef int _HEAVY[10]
cdef int _BARE[10]
cdef int _ENGAGES[50]
cdef int _WORTH[10]
cdef int _DISTANCES[21025]
cdef int _ROWS[3045]
cdef unsigned long long _HASHES[3045]
cdef long long _STAMP[1]
cdef int _MAY[145]
cdef int _TOUCHES[1]
cdef long long _HELD[145]
cdef long long _JUDGED[145]
cdef int _ENGAGED[145]
cdef long long _SEEN[145]
cdef long long _WALK[1]
cdef int _QUEUE[145]
cdef int _OWN[145]
cdef int _MOVES[4096]


@cython.locals(x=cython.ulonglong, z=cython.ulonglong)
cdef list _hashes()

@cython.locals(gap=cython.int, k=cython.int, j=cython.int, move=cython.int)
cdef void _sort(int count) noexcept


cdef class CyvasseScratch:
    cdef readonly int seats
    cdef unsigned char _piece[145]
    cdef unsigned char _terrain[145]
    cdef int _phase, _seat, _plan, _left, _placed, _rabble, _quiet, _turn, _over, _known
    cdef int _total, _white, _black
    cdef unsigned long long _hash
    cdef unsigned long long _boards[128]
    cdef unsigned long long _x

    cpdef CyvasseScratch copy(self)
    cpdef copy_from(self, CyvasseScratch other)
    cpdef int actor(self)
    cpdef list actions(self)
    cpdef play(self, long long code)
    cdef _check(self, long long code)
    cpdef list outlook(self, list codes)
    cpdef int playout(self, unsigned long long seed, int most)
    cpdef list trace(self, unsigned long long seed, int most)
    @cython.locals(x=cython.ulonglong, z=cython.ulonglong)
    cdef int _draw(self, long long total) noexcept
    cdef int _list(self) noexcept
    cdef int _list_set_up(self) noexcept
    cdef int _block(self) noexcept
    cdef int _list_rabble(self) noexcept
    cdef int _list_turn(self) noexcept
    cdef int _mark(self, int base) noexcept
    cdef int _list_steps(self, int cell, int count) noexcept
    cdef int _list_walks(self, int cell, int steps, int passes, int count) noexcept
    cdef int _list_captures(self, int cell, int kind, int base, int count) noexcept
    cdef int _list_rides(self, int taken, int d, int steps, int count) noexcept
    cdef int _list_shots(self, int cell, int base, int count) noexcept
    cdef int _list_over_towers(self, int cell, int base, int count) noexcept
    cdef int _is_engaged(self, int cell, int base) noexcept
    cdef int _judge(self, int cell, int base) noexcept
    cdef int _engages(self, int cell, int kind, int distance, int d, int base, int tower) noexcept
    cdef void _play_code(self, int code) noexcept
    cdef void _put(self, int cell, int before, int after) noexcept
    cdef int _behind(self, int cell, int target) noexcept
    cdef int _can_move_rabble(self, int first, int rabble) noexcept
    cdef int _can_step(self, int cell) noexcept
    cdef void _next_turn(self, int quiet) noexcept
    cdef void _begin_turn(self) noexcept
    cdef int _can_act(self) noexcept
    cdef int _is_repeated(self) noexcept
    cdef void _play_set_up(self, int code) noexcept
    cdef void _end_set_up(self) noexcept
    @cython.locals(total=cython.longlong)
    cdef int _value(self) noexcept
    cdef int _worth(self, int piece, int cell) noexcept
    cdef void _find_kings(self) noexcept
    cdef void _take_back(self, long long code, CyvasseScratch before)
    cdef void _copy_counters(self, CyvasseScratch other) noexcept


cdef bint _in_play(long long code) noexcept
