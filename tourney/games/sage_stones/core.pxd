# The C types of core.py; Cython reads it, Python does not.
cimport cython

cdef int _CELLS, _EMPTY, _ONES, _HEIGHT, _STEP, _FIRST_ROLL, _SIX, _WIDTH, _ROLLS, _ROLL_LIMIT, _RAY_STEPS
cdef int _EXPOSED, _ROW
cdef int _SIGN[80]
cdef long long _BEST
cdef int _WEIGHT_OF[10]
cdef int _COLUMN_OF[10]
cdef int _AGAIN_OF[10]
cdef int _IS_SQUARE[70]
cdef signed char _LINES[4480]
cdef long long _IN_HAND[16]
cdef long long _SAFETY[256]
cdef int _COLUMN_WEIGHTS[7]
cdef long long _IN_TURN[12]
cdef long long _STRENGTH[4]
cdef int _LOST[4]
cdef int _RUN[4]
cdef int _TAKEN[1400]
cdef int _TAKES[70]
cdef int _FRESH[70]
cdef int _STALE[8]
cdef int _SURVEYED[70]
cdef int _KEPT[28]
cdef int _TAKEN_BEST[16]
cdef int _TOTAL_BEST[4]


cdef class StonesCore(Core):
    cdef str _settings
    cdef unsigned char _board[70]
    cdef int _hands[4]
    cdef int _colours, _stones, _play_on, _colour, _column, _again, _rolls, _surveyed

    cdef Core _blank(self)
    @cython.locals(source=StonesCore)
    cpdef copy_from(self, Core other)
    cpdef int actor(self) noexcept
    cdef int _check(self, long long code) except -1
    @cython.locals(start=cython.int)
    cpdef bint is_legal(self, long long code)
    @cython.locals(start=cython.int, count=cython.int, square=cython.int, k=cython.int)
    cdef int _list(self) noexcept
    cdef void _play(self, int code) noexcept
    @cython.locals(square=cython.int)
    cdef int _is_full(self, int column) noexcept
    @cython.locals(column=cython.int, again=cython.int)
    cdef void _roll(self, int number) noexcept
    @cython.locals(square=cython.int, k=cython.int)
    cdef void _wipe(self) noexcept
    @cython.locals(colour=cython.int)
    cdef void _place(self, int square) noexcept
    @cython.locals(line=cython.int, start=cython.int, end=cython.int, stone=cython.int, k=cython.int)
    cdef void _capture(self, int square, int capturer) noexcept
    @cython.locals(finished=cython.int, k=cython.int)
    cdef int _finished(self) noexcept
    cdef void _last_stone(self) noexcept
    cdef void _next_turn(self) noexcept
    cdef void _end(self) noexcept
    @cython.locals(best=cython.int, k=cython.int, place=cython.int)
    cdef int _standing(self, int seat) noexcept
    @cython.locals(rank=cython.int, standing=cython.int, rival=cython.int, k=cython.int)
    cdef int _rank(self, int seat) noexcept
    @cython.locals(total=cython.longlong, k=cython.int, mine=cython.longlong, left=cython.longlong, span=cython.longlong)
    cdef long long _value(self, int seat) noexcept
    @cython.locals(after=StonesCore)
    cpdef list outlook(self, list codes)
    @cython.locals(current=cython.int, square=cython.int, column=cython.int, k=cython.int)
    cdef void _survey(self) noexcept
    @cython.locals(fresh=cython.int, square=cython.int, column=cython.int, line=cython.int, k=cython.int)
    cdef void _refresh(self) noexcept
    @cython.locals(k=cython.int, column=cython.int, turn=cython.longlong, lost=cython.int)
    cdef void _weigh(self) noexcept
    @cython.locals(k=cython.int, j=cython.int, square=cython.int, row=cython.int)
    cdef void _expose(self, int column) noexcept
    @cython.locals(captures=cython.int, k=cython.int, line=cython.int, start=cython.int, seen=cython.int, at=cython.int, colour=cython.int)
    cdef int _take_from(self, int square, int row) noexcept
    @cython.locals(k=cython.int, j=cython.int, sign=cython.int)
    cdef void _gain(self, int row) noexcept
