# The C types of core_base.py; Cython reads it, Python does not.
cimport cython

cdef int COMPILED
cdef long long WIN, LIMIT, SCALE
cdef unsigned long long _GAMMA, _MULTIPLY_1, _MULTIPLY_2, _MASK
cdef int MOVES[4096]
cdef long long WEIGHTS[512]
cdef long long ADVANTAGES[4]
cdef unsigned char TEXT[512]

@cython.locals(z=cython.ulonglong)
cdef unsigned long long _mix(unsigned long long x) noexcept
cdef long long squash(long long advantage) noexcept
@cython.locals(gap=cython.int, k=cython.int, j=cython.int, move=cython.int)
cdef void _sort_moves(int count) noexcept


cdef class Core:
    cdef readonly int seats
    cdef int _seat, _over
    cdef unsigned long long _x

    cdef Core _blank(self)
    cpdef Core copy(self)
    cpdef copy_from(self, Core other)
    cpdef object state(self, object kind)
    @cython.locals(after=Core)
    cpdef object state_after(self, object kind, long long code)
    cpdef object state_if_legal(self, object kind, long long code)
    cpdef int actor(self) noexcept
    @cython.locals(count=cython.int, k=cython.int)
    cpdef list actions(self)
    @cython.locals(count=cython.int, k=cython.int)
    cpdef tuple texts(self, list names)
    cpdef bint is_legal(self, long long code)
    @cython.locals(k=cython.int)
    cdef bint _is_listed(self, long long code, int count) noexcept
    cpdef list candidates(self)
    @cython.locals(k=cython.int)
    cpdef list weights(self)
    @cython.locals(count=cython.int, total=cython.longlong, k=cython.int)
    cpdef int outcome(self, object u)
    @cython.locals(code=cython.int)
    cpdef tuple state_by_chance(self, object kind, object u)
    cpdef play(self, long long code)
    @cython.locals(seat=cython.int)
    cpdef tuple values(self)
    @cython.locals(seat=cython.int)
    cpdef tuple advantages(self)
    @cython.locals(after=Core)
    cpdef list outlook(self, list codes)
    @cython.locals(after=Core, seat=cython.int)
    cpdef list prospects(self)
    @cython.locals(total=cython.longlong, most=cython.longlong, k=cython.int, seat=cython.int, scaled=cython.longlong, mean=cython.longlong)
    cpdef tuple draw(self, long long code)
    cpdef int playout(self, unsigned long long seed, int most)
    @cython.locals(code=cython.int)
    cpdef list trace(self, unsigned long long seed, int most)
    @cython.locals(count=cython.int, total=cython.longlong, k=cython.int)
    cdef int _choose(self) noexcept
    @cython.locals(k=cython.int)
    cdef int _weighed(self, int count, long long rest) noexcept
    cdef int _draw(self, long long total) noexcept
    cdef long long _value(self, int seat) noexcept
    @cython.locals(mine=cython.int, balance=cython.longlong, k=cython.int, rank=cython.int)
    cdef long long _result(self, int seat) noexcept
    cdef _take_back(self, long long code, Core before)
    cdef void _settle(self) noexcept
    cdef int _check(self, long long code) except -1
    cdef int _admit(self, long long code) except -1
    cdef int _list(self) noexcept
    cdef void _play(self, int code) noexcept
    cdef int _rank(self, int seat) noexcept
    cdef void _weigh(self) noexcept
