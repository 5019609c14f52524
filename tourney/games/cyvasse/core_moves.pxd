# The C types of core_moves.py; Cython reads it, Python does not.
cimport cython

cdef int _CELLS, _SHIFT, _SQUARES, _BORDER, _PLAIN, _MOUNTAIN, _WATER, _UNLAID, _OUTSIDE
cdef int _RABBLE, _SPEARS, _LIGHT, _HORSE, _ELEPHANT, _CROSSBOWS, _TREBUCHET, _DRAGON, _TOWER, _KING
cdef int _DONE
cdef int _ORDER[88]
cdef int _BLANK[145]
cdef int _OFFSET[6]
cdef int _NEAR[870]
cdef int _FROM[145]
cdef int _TAKES_FROM[145]
cdef int _ONTO[145]
cdef int _RIDE[145]
cdef int _REACH[10]
cdef int _HEAVY[10]
cdef int _BARE[10]
cdef int _ENGAGES[50]
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


cdef class CyvasseBoard(Core):
    cdef unsigned char _piece[145]
    cdef unsigned char _terrain[145]
    cdef int _rabble

    cdef int _list_rabble(self) noexcept
    cdef int _list_turn(self) noexcept
    @cython.locals(kind=cython.int)
    cdef int _list_piece(self, int cell, int base, int count) noexcept
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
    cdef int _behind(self, int cell, int target) noexcept
    cdef int _can_move_rabble(self, int first, int rabble) noexcept
    cdef int _can_step(self, int cell) noexcept
    cdef int _can_act(self) noexcept
