# The C types of core.py; Cython reads it, Python does not.
cimport cython

cdef int _CELLS, _WIDTH, _BORDER, _WIND, _FIRE, _WATER, _EARTH, _RANGE, _MOUNTAIN, _SAGE
cdef int _AIRS, _EARTHS, _FIRES, _WATERS, _DRAWS, _CHANCE, _ACTS, _RIVERS, _FLOWS
cdef int _DRAW_0, _END, _FLOW_0, _JUMP, _RIVER_0, _STEP, _CODES, _STONES, _SQUARES
cdef int _MOST_DRAWN, _MOST_STEPS, _LAST_TURN, _LONGEST, _MOST, _DANGER, _FEW, _MOST_JUMPS, _MOST_WAYS
cdef long long _LIMIT, _SCALE, _WIN
cdef unsigned long long _GAMMA, _MULTIPLY_1, _MULTIPLY_2, _MASK
cdef int _CELL[121]
cdef int _SQUARE[169]
cdef int _BLANK[169]
cdef int _OFFSET[8]
cdef int _COMPASS[4]
cdef int _ROOM[1352]
cdef int _TAKES[64]
cdef int _VALID[1093]
cdef int _FIRST_HAND[6]
cdef int _OUTCOMES[69]
cdef int _STONES_OF[276]
cdef int _FREEDOM[11]
cdef int _NEAR[4]
cdef int _MOVES[512]
cdef long long _WEIGHTS[512]
cdef int _STEPS[8]
cdef int _DOUBT[8]
cdef int _FED[4]
cdef int _OUTS[16]
cdef unsigned char _CLEAR[169]
cdef unsigned char _SAVED[169]
cdef int _STACK[169]
cdef int _WAYS[4]


cdef class ElementScratch:
    cdef readonly int seats
    cdef unsigned char _board[169]
    cdef unsigned char _used[169]
    cdef int _used_count
    cdef int _sages[4]
    cdef int _hand[4]
    cdef int _bag[4]
    cdef int _path[11]
    cdef int _path_length, _river_length, _head, _direction
    cdef int _seat, _phase, _steps, _turn, _drawn, _captured, _over
    cdef unsigned long long _x
    cdef int _count, _length

    cpdef ElementScratch copy(self)
    cpdef copy_from(self, ElementScratch other)
    cpdef int actor(self)
    @cython.locals(winners=cython.int, k=cython.int)
    cdef int _rank(self, int seat) noexcept
    cpdef play(self, long long code)
    cpdef int playout(self, unsigned long long seed, int most)
    cpdef list trace(self, unsigned long long seed, int most)
    cpdef list actions(self)
    @cython.locals(k=cython.int, seat=cython.int)
    cpdef tuple values(self)
    cpdef list outlook(self, list codes)
    cdef _check(self, long long code)
    @cython.locals(cell=cython.int, columns=cython.int, rows=cython.int)
    cdef int _is_near(self, int code, int prey) noexcept
    @cython.locals(cell=cython.int)
    cdef int _away(self, int code, int prey) noexcept
    @cython.locals(total=cython.longlong, rest=cython.longlong, k=cython.int)
    cdef int _choose(self) noexcept
    @cython.locals(x=cython.ulonglong, z=cython.ulonglong)
    cdef int _draw(self, long long total) noexcept
    cdef void _add(self, int code) noexcept
    @cython.locals(left=cython.int, number=cython.int, k=cython.int)
    cdef void _list(self) noexcept
    @cython.locals(k=cython.int, hand=cython.int, weight=cython.longlong, letter=cython.int)
    cdef void _list_outcomes(self) noexcept
    @cython.locals(found=cython.longlong, k=cython.int)
    cdef long long _combinations(self, int number, int drawn) noexcept
    @cython.locals(own=cython.int, steps=cython.int, letter=cython.int, direction=cython.int, landing=cython.int, k=cython.int)
    cdef void _list_turn(self) noexcept
    @cython.locals(cell=cython.int)
    cdef int _is_run_used(self, int own, int direction) noexcept
    @cython.locals(captured=cython.int)
    cdef int _is_captured_at(self, int own, int landing) noexcept
    cdef int _is_range(self, int cell) noexcept
    @cython.locals(one=cython.int, two=cython.int)
    cdef int _is_barred(self, int cell, int direction) noexcept
    @cython.locals(found=cython.int, direction=cython.int)
    cdef int _find_steps(self, int sage) noexcept
    @cython.locals(offset=cython.int, cell=cython.int, winds=cython.int)
    cdef int _landing(self, int sage, int direction) noexcept
    @cython.locals(direction=cython.int)
    cdef int _is_captured(self, int sage) noexcept
    @cython.locals(doubts=cython.int, orthogonal=cython.int, direction=cython.int)
    cdef int _find_doubts(self, int letter, int own, int steps) noexcept
    @cython.locals(k=cython.int)
    cdef int _is_doubtful(self, int doubts, int cell) noexcept
    @cython.locals(cell=cython.int)
    cdef void _clear_open(self) noexcept
    @cython.locals(doubts=cython.int, count=cython.int, takes=cython.int, base=cython.int, square=cython.int, cell=cython.int, shortest=cython.int)
    cdef void _list_placements(self, int letter, int own, int steps) noexcept
    @cython.locals(doubts=cython.int, k=cython.int, fed=cython.int, kept=cython.int, j=cython.int, also=cython.int, i=cython.int)
    cdef int _find_fed(self, int steps) noexcept
    @cython.locals(found=cython.int, direction=cython.int, cell=cython.int)
    cdef int _find_feeders(self, int target) noexcept
    @cython.locals(direction=cython.int)
    cdef int _may_grow(self, int cell) noexcept
    @cython.locals(k=cython.int, airs=cython.int, earths=cython.int, fires=cython.int, waters=cython.int, captured=cython.int)
    cdef int _captures_own(self, int letter, int cell, int own) noexcept
    @cython.locals(length=cython.int, cell=cython.int)
    cdef int _run(self, int head, int direction) noexcept
    @cython.locals(shortest=cython.int, direction=cython.int, length=cython.int)
    cdef int _shortest_river(self, int head) noexcept
    @cython.locals(open_=cython.int, k=cython.int, away=cython.int, possible=cython.int, before=cython.int, direction=cython.int)
    cdef int _is_possible(self, int head, int shortest, int own, int steps) noexcept
    cdef int _is_open(self, int head, int direction) noexcept
    @cython.locals(length=cython.int)
    cdef int _has_way_out(self, int head, int direction, int own) noexcept
    @cython.locals(k=cython.int, outs=cython.int, way=cython.int, cell=cython.int)
    cdef int _find_outs(self, int head, int direction, int length, int own) noexcept
    @cython.locals(covered=cython.int, k=cython.int, found=cython.int)
    cdef int _flows(self, int outs, int tip, int left) noexcept
    @cython.locals(direction=cython.int, cell=cython.int, found=cython.int)
    cdef int _has_path(self, int tip, int left) noexcept
    @cython.locals(own=cython.int, cell=cython.int, k=cython.int, tip=cython.int, left=cython.int, outs=cython.int, kept=cython.int, j=cython.int)
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
    @cython.locals(own=cython.int, direction=cython.int, cell=cython.int)
    cdef void _jump(self, int landing) noexcept
    @cython.locals(ways=cython.int, k=cython.int)
    cdef void _place(self, int letter, int cell) noexcept
    @cython.locals(cell=cython.int)
    cdef void _forget_used(self) noexcept
    cdef void _begin_flow(self) noexcept
    @cython.locals(tip=cython.int, k=cython.int)
    cdef void _flow(self, int direction) noexcept
    @cython.locals(before=cython.int)
    cdef void _apply(self, int letter, int cell) noexcept
    @cython.locals(found=cython.int, direction=cython.int, at=cython.int, k=cython.int)
    cdef void _spread_fire(self, int cell) noexcept
    @cython.locals(linked=cython.int, direction=cython.int, depth=cython.int, at=cython.int, other=cython.int)
    cdef void _add_earth(self, int cell, int before) noexcept
    @cython.locals(found=cython.int, jumps=cython.int, direction=cython.int)
    cdef int _ways(self, int sage) noexcept
    @cython.locals(own=cython.int, balance=cython.longlong, other=cython.int, rank=cython.int, others=cython.int, prey=cython.int, total=cython.longlong, hunter=cython.int, stones=cython.int)
    cdef int _value(self, int seat) noexcept
