# The C types of core.py; Cython reads it, Python does not.
cimport cython

cdef int _CELLS, _WIDTH, _HEIGHT, _FILES, _TOWER, _BORDER, _APPRENTICE, _SKYSHIP, _SAGE, _PIECES, _PAST
cdef int _PASS, _OFF, _TARGET, _FROM_TOWER, _FROM_NOWHERE, _RIVER, _WIN_POINTS, _SAGE_POINTS, _QUIET_LIMIT
cdef int _PLY_LIMIT, _BY_POINTS, _BY_PASSES, _BY_REACH, _BY_REPETITION, _BY_QUIET, _BY_LENGTH
cdef int _POINT, _WEST_END, _EAST_END
cdef int _SIDE[8]
cdef int _KIND[8]
cdef int _CELL_OF[74]
cdef int _SQUARE_OF[112]
cdef int _RANK_OF[112]
cdef int _BLANK[112]
cdef int _FOOT[8]
cdef int _LETTER_OF[7]
cdef int _WORTH[448]
cdef unsigned long long _KEYS[1792]
cdef int _ALL_WAYS[8]
cdef int _STRAIGHT[4]
cdef int _SLANTS[4]
cdef int _SECONDS[24]


cdef class TaflCore(Core):
    cdef unsigned char _board[112]
    cdef int _places[22]
    cdef int _points[2]
    cdef unsigned long long _past[808]
    cdef unsigned long long _key_1, _key_2
    cdef int _known, _winner, _quiet, _ply, _passed

    cdef void _lay(self, int piece, int cell) noexcept
    cdef Core _blank(self)
    @cython.locals(source=TaflCore, k=cython.int)
    cpdef copy_from(self, Core other)
    cdef void _copy_small(self, TaflCore source) noexcept
    @cython.locals(source=TaflCore)
    cdef _take_back(self, long long code, Core before)
    @cython.locals(side=cython.int)
    cdef void _settle(self) noexcept
    @cython.locals(k=cython.int, j=cython.int, cell=cython.int)
    cdef void _sort_places(self, int first, int end) noexcept
    @cython.locals(end=cython.int, rank=cython.int, file=cython.int, empty=cython.int, piece=cython.int)
    cpdef str position(self)
    cdef int _check(self, long long code) except -1
    @cython.locals(source=cython.longlong, count=cython.int, cell=cython.int)
    cpdef bint is_legal(self, long long code)
    @cython.locals(count=cython.int, first=cython.int, k=cython.int)
    cdef int _list(self) noexcept
    @cython.locals(kind=cython.int)
    cdef int _list_piece(self, int cell, int count) noexcept
    @cython.locals(source=cython.int, rank=cython.int, off=cython.int, way=cython.int, offset=cython.int, target=cython.int)
    cdef int _list_apprentice(self, int cell, int count) noexcept
    @cython.locals(offset=cython.int)
    cdef int _list_hop(self, int cell, int count) noexcept
    @cython.locals(source=cython.int, way=cython.int, k=cython.int, via_first=cython.int, via_second=cython.int, target=cython.int)
    cdef int _list_skyship(self, int cell, int count) noexcept
    @cython.locals(source=cython.int, way=cython.int)
    cdef int _list_sage(self, int cell, int count) noexcept
    @cython.locals(foot=cython.int, k=cython.int)
    cdef int _list_tower(self, int cell, int count) noexcept
    @cython.locals(before=cython.int)
    cdef void _put(self, int cell, int piece) noexcept
    @cython.locals(source=cython.int, side=cython.int, piece=cython.int, slot=cython.int, cell=cython.int, taken=cython.int, foe=cython.int, way=cython.int, near=cython.int)
    cdef void _play(self, int code) noexcept
    @cython.locals(k=cython.int)
    cdef int _slot(self, int side, int cell) noexcept
    @cython.locals(piece=cython.int, slot=cython.int)
    cdef void _take(self, int cell, int side) noexcept
    @cython.locals(side=cython.int)
    cdef void _end_turn(self, int loud, int passed) noexcept
    cdef int _too_long(self) noexcept
    cdef void _remember(self) noexcept
    @cython.locals(times=cython.int, k=cython.int)
    cdef int _recurs(self) noexcept
    @cython.locals(reach=cython.int, side=cython.int, k=cython.int)
    cdef int _out_of_reach(self) noexcept
    cdef int _rank(self, int seat) noexcept
    @cython.locals(total=cython.longlong, k=cython.int, cell=cython.int)
    cdef void _weigh(self) noexcept
