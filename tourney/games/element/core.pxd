# The C types of core.py; Cython reads it, Python does not.
cimport cython

cdef int _DRAWS, _CHANCE, _ACTS, _RIVERS, _FLOWS
cdef int _DRAW_0, _END, _FLOW_0, _JUMP, _RIVER_0, _STEP, _CODES, _STONES
cdef int _MOST_DRAWN, _MOST_STEPS, _LAST_TURN, _LONGEST, _DANGER, _FEW, _MOST_JUMPS, _MOST_WAYS
cdef int _SQUARE[169]
cdef int _ROWS[121]
cdef int _LETTERS[11]
cdef int _TAKES[64]
cdef int _VALID[1093]
cdef int _FIRST_HAND[6]
cdef int _OUTCOMES[69]
cdef int _STONES_OF[276]
cdef int _FREEDOM[11]
cdef int _NEAR[4]
cdef int _DOUBT[8]
cdef unsigned char _SAVED[169]
cdef int _WAYS[4]


cdef class ElementCore(ElementBoard):
    cdef unsigned char _used[169]
    cdef int _used_count
    cdef int _hand[4]
    cdef int _path[11]
    cdef int _path_length, _river_length, _head, _direction
    cdef int _phase, _steps, _turn, _drawn, _captured
    cdef int _count

    cdef Core _blank(self)
    @cython.locals(source=ElementCore, k=cython.int)
    cpdef copy_from(self, Core other)
    cpdef int actor(self) noexcept
    @cython.locals(end=cython.int, k=cython.int, cell=cython.int)
    cpdef str position(self)
    @cython.locals(tip=cython.int, k=cython.int, way=cython.int)
    cdef str _phase_text(self)
    cdef int _check(self, long long code) except -1
    @cython.locals(cell=cython.int, columns=cython.int, rows=cython.int)
    cdef int _is_near(self, int code, int prey) noexcept
    @cython.locals(cell=cython.int)
    cdef int _away(self, int code, int prey) noexcept
    cdef void _add(self, int code) noexcept
    @cython.locals(left=cython.int, number=cython.int, k=cython.int)
    cdef int _list(self) noexcept
    @cython.locals(k=cython.int, hand=cython.int, weight=cython.longlong, letter=cython.int)
    cdef void _list_outcomes(self) noexcept
    @cython.locals(product=cython.longlong, k=cython.int)
    cdef long long _combinations(self, int number, int drawn) noexcept
    @cython.locals(sage=cython.int, steps=cython.int, letter=cython.int, direction=cython.int, landing=cython.int, k=cython.int)
    cdef void _list_turn(self) noexcept
    @cython.locals(cell=cython.int)
    cdef int _is_run_used(self, int sage, int direction) noexcept
    @cython.locals(captured=cython.int)
    cdef int _is_captured_at(self, int sage, int landing) noexcept
    @cython.locals(doubts=cython.int, orthogonal=cython.int, direction=cython.int)
    cdef int _find_doubts(self, int letter, int sage, int steps) noexcept
    @cython.locals(k=cython.int)
    cdef int _is_doubtful(self, int doubts, int cell) noexcept
    @cython.locals(doubts=cython.int, k=cython.int, fed=cython.int, remaining=cython.int, j=cython.int, also=cython.int, i=cython.int)
    cdef int _find_fed(self, int steps) noexcept
    @cython.locals(direction=cython.int)
    cdef int _may_grow(self, int cell) noexcept
    @cython.locals(k=cython.int, airs=cython.int, earths=cython.int, fires=cython.int, waters=cython.int, captured=cython.int)
    cdef int _captures_own(self, int letter, int cell, int sage) noexcept
    @cython.locals(doubts=cython.int, count=cython.int, takes=cython.int, base=cython.int, square=cython.int, cell=cython.int, shortest=cython.int)
    cdef void _list_placements(self, int letter, int sage, int steps) noexcept
    @cython.locals(sage=cython.int, cell=cython.int, k=cython.int, tip=cython.int, left=cython.int, outs=cython.int, remaining=cython.int, j=cython.int)
    cdef void _list_flow(self) noexcept
    @cython.locals(k=cython.int)
    cdef int _is_on_path(self, int cell) noexcept
    cdef void _play(self, int code) noexcept
    @cython.locals(k=cython.int)
    cdef void _look(self) noexcept
    @cython.locals(held=cython.int, letter=cython.int, number=cython.int)
    cdef void _act(self, int hand) noexcept
    @cython.locals(letter=cython.int, cell=cython.int)
    cdef void _end_turn(self) noexcept
    cdef void _move(self, int cell) noexcept
    @cython.locals(sage=cython.int, direction=cython.int, cell=cython.int)
    cdef void _jump(self, int landing) noexcept
    @cython.locals(ways=cython.int, k=cython.int)
    cdef void _place(self, int letter, int cell) noexcept
    @cython.locals(cell=cython.int)
    cdef void _forget_used(self) noexcept
    cdef void _begin_flow(self) noexcept
    @cython.locals(tip=cython.int, k=cython.int)
    cdef void _flow(self, int direction) noexcept
    @cython.locals(steps=cython.int, jumps=cython.int, direction=cython.int)
    cdef int _ways(self, int sage) noexcept
    @cython.locals(winners=cython.int, k=cython.int)
    cdef int _rank(self, int seat) noexcept
    @cython.locals(k=cython.int, hunter=cython.int, stones=cython.int, seat=cython.int, prey=cython.int)
    cdef void _weigh(self) noexcept
