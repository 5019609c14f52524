# The C types of core.py; Cython reads it, Python does not.
cimport cython

cdef int COMPILED
cdef int _WHITE, _OVER, _QUIETEST, _KNIGHT_CODE, _BISHOP_CODE, _ROOK_CODE, _LAST_CODE
cdef unsigned long long _RANK_1, _LAST_RANKS, _LIGHT, _MAGIC, _MASK
cdef unsigned long long _BIT[64]
cdef unsigned long long _KNIGHT[64]
cdef unsigned long long _KING[64]
cdef unsigned long long _STRAIGHT[64]
cdef unsigned long long _DIAGONAL[64]
cdef unsigned long long _PAWN[192]
cdef unsigned long long _BETWEEN[4096]
cdef int _INDEX[64]

cdef int _square(unsigned long long bit) noexcept


cdef class ChessCore:
    cdef readonly ChessCore before
    cdef readonly unsigned long long own, others, pawns, knights, bishops, rooks, queens, kings, castling
    cdef readonly int passed, quiet, ply, mover, actor
    cdef readonly bint chess960
    cdef readonly str end

    cpdef load(self, int mover, unsigned long long own, tuple kinds, unsigned long long castling, int passed, int quiet, int ply, bint chess960)
    cpdef tuple kinds(self)
    cpdef object state(self, object kind)
    cpdef object state_after(self, object kind, long long code)
    cpdef object state_if_legal(self, object kind, long long code)
    @cython.locals(origin=cython.int, target=cython.int, start=cython.ulonglong, end=cython.ulonglong, occupied=cython.ulonglong)
    cpdef bint is_legal(self, long long code)
    @cython.locals(start=cython.ulonglong, end=cython.ulonglong)
    cdef bint _reaches(self, int origin, int target) noexcept
    @cython.locals(start=cython.ulonglong, end=cython.ulonglong, middle=cython.ulonglong, white=cython.bint, step=cython.int)
    cdef bint _pawn_may_move(self, int origin, int target) noexcept
    @cython.locals(twin=ChessCore, origin=cython.int, target=cython.int, start=cython.ulonglong, end=cython.ulonglong, own=cython.ulonglong, others=cython.ulonglong, taken=cython.ulonglong, king_end=cython.ulonglong, rook_end=cython.ulonglong, passed=cython.int, quiet=cython.int, rook=cython.int, home=cython.int)
    cdef ChessCore _after(self, long long code)
    cdef void _promote(self, int kind, unsigned long long end) noexcept
    @cython.locals(end=str)
    cdef void _settle(self) noexcept
    @cython.locals(near=cython.ulonglong, sliders=cython.ulonglong, lowest=cython.ulonglong)
    cdef bint _attacked(self, int square, unsigned long long occupied, unsigned long long others) noexcept
    @cython.locals(occupied=cython.ulonglong)
    cdef bint _is_safe(self, unsigned long long start, unsigned long long end) noexcept
    cdef bint _in_check(self) noexcept
    @cython.locals(taken=cython.ulonglong, occupied=cython.ulonglong)
    cdef bint _passing_is_safe(self, int origin, int target) noexcept
    @cython.locals(pawns=cython.ulonglong, lowest=cython.ulonglong)
    cdef bint _passing_is_legal(self) noexcept
    @cython.locals(home=cython.int, rook=cython.int)
    cdef int _rook_of(self, int origin, int target) noexcept
    @cython.locals(rook=cython.int, home=cython.int, king_end=cython.int, rook_end=cython.int, others=cython.ulonglong, occupied=cython.ulonglong, way=cython.ulonglong, squares=cython.ulonglong, lowest=cython.ulonglong)
    cdef bint _may_castle(self, int origin, int target) noexcept
    @cython.locals(pawns=cython.ulonglong, occupied=cython.ulonglong, ahead=cython.ulonglong, end=cython.ulonglong, king=cython.ulonglong, steps=cython.ulonglong, white=cython.bint, origin=cython.int)
    cdef bint _any_legal(self) noexcept
    @cython.locals(movers=cython.ulonglong, start=cython.ulonglong, end=cython.ulonglong, ends=cython.ulonglong, steps=cython.ulonglong, rooks=cython.ulonglong, lowest=cython.ulonglong, origin=cython.int, target=cython.int)
    cdef bint _any_rarer(self, int king) noexcept
    cdef bint _is_drawn_by_material(self) noexcept
    @cython.locals(times=cython.int, earlier=ChessCore)
    cdef bint _has_recurred(self) noexcept
