# The C types of core.py; Cython reads it, Python does not.
cimport cython

cdef int _CELLS, _WIDTH, _BORDER, _PIECES, _MOST, _PAST, _PASS, _OFF, _TARGET, _FROM_TOWER, _FROM_NOWHERE
cdef int _RIVER, _WIN_POINTS, _SAGE_POINTS, _QUIET_LIMIT, _PLY_LIMIT, _POINT, _WEST_END, _EAST_END
cdef long long _LIMIT, _SCALE, _WIN
cdef unsigned long long _GAMMA, _MULTIPLY_1, _MULTIPLY_2, _MASK
cdef int _SIDE[8]
cdef int _KIND[8]
cdef int _CELL_OF[72]
cdef int _SQUARE_OF[110]
cdef int _RANK_OF[110]
cdef int _BLANK[110]
cdef int _FOOT[8]
cdef int _WORTH[440]
cdef unsigned long long _KEYS[880]
cdef int _ALL_WAYS[8]
cdef int _STRAIGHT[4]
cdef int _SLANTS[4]
cdef int _SECONDS[24]
cdef int _MOVES[320]


@cython.locals(found=cython.ulonglong, square=cython.int, code=cython.int, side=cython.int)
cdef unsigned long long _hash_of(bytes letters) except? 0


cdef class SagesTaflScratch:
    cdef readonly int seats
    cdef unsigned char _board[110]
    cdef int _places[22]
    cdef int _towers[2]
    cdef int _points[2]
    cdef unsigned long long _past[808]
    cdef int _pasts[2]
    cdef unsigned long long _hash
    cdef int _seat, _over, _winner, _quiet, _ply, _passed
    cdef unsigned long long _x
    cdef int _count

    cpdef SagesTaflScratch copy(self)
    cpdef copy_from(self, SagesTaflScratch other)
    cdef void _copy_small(self, SagesTaflScratch other) noexcept
    cpdef int actor(self)
    cpdef play(self, long long code)
    cpdef int playout(self, unsigned long long seed, int most)
    cpdef list trace(self, unsigned long long seed, int most)
    cpdef list actions(self)
    cpdef list outlook(self, list codes)
    cdef _check(self, long long code)
    cdef void _lay(self, int code, int cell) noexcept
    cdef void _remember(self, int side, unsigned long long key) noexcept
    @cython.locals(x=cython.ulonglong, z=cython.ulonglong)
    cdef int _draw(self, long long total) noexcept
    @cython.locals(count=cython.int, first=cython.int, k=cython.int)
    cdef void _list(self) noexcept
    @cython.locals(source=cython.int, rank=cython.int, off=cython.int, way=cython.int, offset=cython.int, target=cython.int)
    cdef int _list_apprentice(self, int cell, int count) noexcept
    @cython.locals(offset=cython.int)
    cdef int _list_hop(self, int cell, int count) noexcept
    @cython.locals(source=cython.int, way=cython.int, k=cython.int, one=cython.int, two=cython.int, target=cython.int)
    cdef int _list_skyship(self, int cell, int count) noexcept
    @cython.locals(source=cython.int, way=cython.int)
    cdef int _list_sage(self, int cell, int count) noexcept
    @cython.locals(source=cython.int, side=cython.int, piece=cython.int, slot=cython.int, cell=cython.int, taken=cython.int, foe=cython.int, way=cython.int, near=cython.int)
    cdef void _play(self, int code) noexcept
    @cython.locals(k=cython.int)
    cdef int _slot(self, int side, int cell) noexcept
    @cython.locals(piece=cython.int)
    cdef void _take(self, int cell, int side) noexcept
    @cython.locals(side=cython.int)
    cdef void _end_turn(self, int loud, int passes, int passed) noexcept
    @cython.locals(times=cython.int, k=cython.int, key=cython.ulonglong)
    cdef int _recurs(self, int side) noexcept
    @cython.locals(reach=cython.int, side=cython.int, k=cython.int)
    cdef int _out_of_reach(self) noexcept
    @cython.locals(total=cython.longlong, k=cython.int, cell=cython.int, at=cython.int, piece=cython.int)
    cdef int _value(self) noexcept
