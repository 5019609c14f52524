# The C types of core.py; Cython reads it, Python does not.
cimport cython

cdef int _CELLS, _WIDTH, _PASS, _LAST_PLY, _LAST_ROUND, _WINNING_POINTS, _OWN_TOUCH, _OTHER_TOUCH
cdef int _POINT, _THREAT, _RANK, _LINE
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


cdef class SevenSagesCore(Core):
    cdef unsigned char _board[289]
    cdef int _sages[14]
    cdef int _fool, _red, _blue, _round, _ply, _starter, _last_ply
    cdef int _rest_count

    cdef Core _blank(self)
    @cython.locals(source=SevenSagesCore)
    cpdef copy_from(self, Core other)
    @cython.locals(first=cython.int, k=cython.int, j=cython.int, cell=cython.int)
    cdef void _settle(self) noexcept
    @cython.locals(k=cython.int)
    cdef void _stand(self) noexcept
    @cython.locals(k=cython.int)
    cdef void _new_round(self, int number, int starter) noexcept
    @cython.locals(k=cython.int)
    cpdef str position(self)
    cdef int _check(self, long long code) except -1
    @cython.locals(first=cython.int, cell=cython.int, count=cython.int)
    cpdef bint is_legal(self, long long code)
    @cython.locals(count=cython.int)
    cdef int _list(self) noexcept
    cdef int _is_home(self, int first, int seat) noexcept
    cdef int _met(self, int direction) noexcept
    cdef int _list_moves(self, int cell, int seat, int home, int count) noexcept
    cdef int _list_ousts(self, int cell, int heading, int seat, int count) noexcept
    cdef int _find_pairs(self, int first) noexcept
    cdef int _bar(self, int cell, int pairs, int seat) noexcept
    cdef void _drive(self, int cell, int heading, int seat) noexcept
    cdef int _walk(self, int square, int heading, int seat, int points, int rests, int depth) noexcept
    cdef void _rest(self, int cell) noexcept
    cdef void _play(self, int code) noexcept
    cdef int _score(self, int cell, int rest, int seat) noexcept
    cdef void _end_ply(self) noexcept
    cdef void _end_round(self, int points) noexcept
    cdef int _rank(self, int seat) noexcept
    @cython.locals(total=cython.longlong)
    cdef void _weigh(self) noexcept
