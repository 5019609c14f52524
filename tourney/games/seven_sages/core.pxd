# The C types of core.py; Cython reads it, Python does not.
cimport cython

cdef int _COMPILED
cdef int _CELLS, _WIDTH, _PASS, _LAST_PLY, _LAST_ROUND, _WINNING_POINTS, _OWN_TOUCH, _OTHER_TOUCH
cdef int _POINT, _THREAT, _RANK, _LINE
cdef long long _LIMIT, _SCALE, _WIN
cdef unsigned long long _GAMMA, _MULTIPLY_1, _MULTIPLY_2, _MASK
cdef int _SQUARE_OF[289]
cdef int _TERRAIN[289]
cdef int _BLANK[289]
cdef int _HEAD_CELL[450]
cdef int _HEAD_OUSTS[450]
cdef int _MOVE_TO_CELL[225]
cdef int _FOOL_CELL[225]
cdef int _REST_CELL[225]
cdef int _PLAIN_FROM[289]
cdef int _OUST_FROM[289]
cdef int _MOVE_TO[289]
cdef int _OUST_AT[289]
cdef int _REST_AT[289]
cdef int _OFFSET[8]
cdef int _WAYS[12]
cdef int _START[14]
cdef int _START_FOOL
cdef int _LINES[73]
cdef long long _STAMP[1]
cdef long long _BARRED[289]
cdef long long _RESTED[289]
cdef long long _KNOWN[2312]
cdef int _GOALS[289]
cdef int _RESTS[289]
cdef int _STACK[2312]
cdef int _PAIRS[84]
cdef int _MOVES[2560]

@cython.locals(gap=cython.int, k=cython.int, j=cython.int, move=cython.int)
cdef void _sort(int count) noexcept


cdef class SevenSagesScratch:
    cdef readonly int seats
    cdef unsigned char _board[289]
    cdef int _sages[14]
    cdef int _fool, _seat, _over, _red, _blue, _round, _ply, _starter
    cdef unsigned long long _x
    cdef int _count
    cdef int _rest_count

    cpdef SevenSagesScratch copy(self)
    cpdef copy_from(self, SevenSagesScratch other)
    cpdef int actor(self)
    cpdef play(self, long long code)
    cpdef int playout(self, unsigned long long seed, int most)
    cpdef list trace(self, unsigned long long seed, int most)
    cpdef list actions(self)
    cpdef list outlook(self, list codes)
    cdef _check(self, long long code)
    cdef void _new_round(self, int number, int starter) noexcept
    @cython.locals(x=cython.ulonglong, z=cython.ulonglong)
    cdef int _draw(self, long long total) noexcept
    cdef void _list(self) noexcept
    cdef void _list_moves(self, int cell, int seat, int closed) noexcept
    cdef void _list_ousts(self, int cell, int heading, int seat) noexcept
    cdef int _find_pairs(self, int first) noexcept
    cdef int _bar(self, int cell, int pairs, int seat) noexcept
    cdef void _drive(self, int cell, int heading, int seat) noexcept
    cdef int _walk(self, int square, int heading, int seat, int points, int rests, int depth) noexcept
    cdef void _rest(self, int cell) noexcept
    cdef void _play(self, int code) noexcept
    cdef int _score(self, int cell, int rest, int seat) noexcept
    cdef void _end_ply(self) noexcept
    cdef void _end_round(self, int points) noexcept
    @cython.locals(total=cython.longlong)
    cdef int _value(self) noexcept
    cdef int _most_points(self, int seat) noexcept
