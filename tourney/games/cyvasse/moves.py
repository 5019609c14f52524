"""Lists the moves and captures of a seat, and decides which enemy pieces are sufficiently engaged.

A piece that enters the ``zone``, the front squares of enemy Spears, stops there. ``passable`` squares are no
mountains, hold no enemy, and are outside the zone.
"""

from typing import NamedTuple

from tourney.games.cyvasse.actions import CAPTURES_FROM, DONE, MOVES_FROM, RIDE_TO, TO, CyvasseActions
from tourney.games.cyvasse.board import (
    ALL,
    AT,
    BEHIND,
    BETWEEN,
    BEYOND,
    BIT,
    FRONT,
    NEAR,
    OCCUPIED,
    RABBLE,
    SIZE,
    SPEARS,
    STAR,
    STRIDE,
    TOWER,
    WIDTH,
    Ground,
    Masks,
    spread,
    squares_of,
)


class Engagement(dict[int, bool]):
    """Maps the square of an enemy piece to whether it is sufficiently engaged, computed on first use.

    A piece on water engages nothing. A piece next to enemy Towers engages only those Towers, at distance 1.
    """

    __slots__ = (
        "_at2",
        "_at3",
        "_back",
        "_bare",
        "_close",
        "_heavy",
        "_spears",
        "_towers",
        "barrier",
        "trebuchet",
    )

    def __init__(self, masks: Masks, seat: int, ground: Ground) -> None:
        rabble, spears, light, horse, elephant, crossbows, trebuchet, dragon, tower, king = masks[:OCCUPIED]
        _, _, _, e_horse, e_elephant, e_crossbows, e_trebuchet, e_dragon, e_tower, _, enemy = masks[WIDTH:]
        dry = ~ground.water
        free = dry & ~spread(e_tower)
        close = rabble | light | horse | elephant | crossbows | dragon | tower | king
        self._close = close & free
        self._spears = spears & free
        self._towers = e_tower, close & dry, spears & dry
        self._at2 = (elephant | crossbows | trebuchet | dragon) & free
        self._at3 = (crossbows | trebuchet) & free
        self.trebuchet = trebuchet & free
        """The Trebuchet if it can engage: the only kind with distance 4."""
        self.barrier = ground.mountains | enemy
        """The squares that block an engagement across them."""
        self._heavy = e_horse | e_elephant | e_dragon | e_tower
        self._bare = e_crossbows | e_trebuchet
        self._back = FRONT[3 - seat]

    def __missing__(self, s: int) -> bool:
        answer = self[s] = self._judge(s, BIT[s])
        return answer

    def _judge(self, s: int, bit: int) -> bool:
        if bit & self._bare:
            return True
        missing = 2 if bit & self._heavy else 1
        towers, close, spears = self._towers
        if not bit & towers:
            close, spears = self._close, self._spears
        missing -= (NEAR[s] & close).bit_count() + (self._back[s] & spears).bit_count()
        far = AT[2][s] & self._at2 | AT[3][s] & self._at3 | AT[4][s] & self.trebuchet
        while missing > 0 and far:
            other = far & -far
            far ^= other
            if not BETWEEN[s][other.bit_length()] & self.barrier:
                missing -= 1
        return missing <= 0


class _Steps(dict[int, tuple[int, ...]]):
    """The one-step moves from a square, by the mask of its empty neighbours (at most 64 entries)."""

    def __init__(self, s: int) -> None:
        super().__init__()
        self._start = MOVES_FROM[s]

    def __missing__(self, empty: int) -> tuple[int, ...]:
        found = self[empty] = tuple(self._start + TO[t] for t in squares_of(empty))
        return found


class _Rings(dict[int, int]):
    """The neighbours of a subset of a square's neighbours, by the mask of the subset (at most 64 entries)."""

    def __missing__(self, near: int) -> int:
        found = 0
        for s in squares_of(near):
            found |= NEAR[s]
        self[near] = found
        return found


_STEPS = tuple(_Steps(s) for s in range(SIZE))
_RINGS = tuple(_Rings() for _ in range(SIZE))


class _View(NamedTuple):
    """The board from the acting seat's view."""

    enemy: int
    empty: int
    """The squares where a normal move may end."""
    passable: int
    """The squares that a piece may cross."""
    zone: int
    """The front squares of enemy Spears; bits outside the board may be set too."""


def _view(masks: Masks, seat: int, ground: Ground) -> _View:
    enemy, spears = masks[WIDTH + OCCUPIED], masks[WIDTH + SPEARS]
    in_front = spears >> STRIDE if seat == 1 else spears << STRIDE + 1
    zone = in_front | in_front >> 1
    free = ground.open ^ enemy
    return _View(enemy, free ^ masks[OCCUPIED], free & ~zone, zone)


def turn_actions(masks: Masks, seat: int, ground: Ground) -> CyvasseActions:
    """List the moves and captures at the start of a turn, sorted; ``masks`` are the seat's own first."""
    view = _view(masks, seat, ground)
    found = CyvasseActions()
    _list_moves(found, masks, view)
    _list_captures(found, masks, view, seat, Engagement(masks, seat, ground))
    found.sort()
    return found


def second_rabble_actions(masks: Masks, ground: Ground, first: int) -> CyvasseActions:
    """List ``done`` and the moves of every Rabble except the one on square ``first``, sorted."""
    empty = ground.open ^ masks[OCCUPIED] ^ masks[WIDTH + OCCUPIED]
    found = CyvasseActions([DONE])
    for s in squares_of(masks[RABBLE] ^ BIT[first]):
        found += _STEPS[s][NEAR[s] & empty]
    found.sort()
    return found


def can_move_second_rabble(masks: Masks, ground: Ground, first: int) -> bool:
    """Say whether a Rabble other than the one on ``first`` can move; ``masks`` are the seat's own first."""
    empty = ground.open ^ masks[OCCUPIED] ^ masks[WIDTH + OCCUPIED]
    return bool(spread(masks[RABBLE] ^ BIT[first]) & empty)


def can_act(masks: Masks, seat: int, ground: Ground) -> bool:
    """Say whether a seat has a legal action at the start of its turn; ``masks`` are its own first."""
    empty = ground.open ^ masks[OCCUPIED] ^ masks[WIDTH + OCCUPIED]
    if spread(masks[OCCUPIED] ^ masks[TOWER]) & empty:  # every movable piece can move one step
        return True
    return bool(turn_actions(masks, seat, ground))


def _list_moves(found: list[int], masks: Masks, view: _View) -> None:
    rabble, spears, light, horse, elephant, crossbows, trebuchet, dragon, tower, king = masks[:OCCUPIED]
    _, empty, passable, zone = view
    one_step = rabble | spears | elephant | trebuchet | king
    while one_step:
        bit = one_step & -one_step
        one_step ^= bit
        s = bit.bit_length()
        found += _STEPS[s][NEAR[s] & empty]
    more_steps = light | horse | crossbows
    while more_steps:
        bit = more_steps & -more_steps
        more_steps ^= bit
        s = bit.bit_length()
        near = NEAR[s]
        reach = near | _RINGS[s][near & passable]
        if bit & light:
            reach |= spread(reach & passable)
        _end_on(found, MOVES_FROM[s], reach & empty)
    if dragon:
        s = dragon.bit_length()
        near = NEAR[s]
        crossed = ALL & ~zone
        reach = near | _RINGS[s][near & crossed]
        reach |= spread(reach & crossed)
        reach |= spread(reach & crossed)
        _end_on(found, MOVES_FROM[s], reach & empty)
    s = king.bit_length()
    for over in squares_of(NEAR[s] & tower & ~zone):
        _end_on(found, MOVES_FROM[s], BIT[BEHIND[over][s]] & empty)


def _end_on(found: list[int], start: int, ends: int) -> None:
    """Add the actions with the prefix ``start`` that end on ``ends``."""
    while ends:
        bit = ends & -ends
        ends ^= bit
        found.append(start + TO[bit.bit_length()])


def _list_captures(found: list[int], masks: Masks, view: _View, seat: int, engaged: Engagement) -> None:
    rabble, spears, light, horse, elephant, _, _, dragon, tower, king = masks[:OCCUPIED]
    enemy, empty, _, zone = view
    touched = spread(enemy)
    for s in squares_of((rabble | king) & touched):
        _capture(found, s, NEAR[s] & enemy, 0, engaged)
    for s in squares_of(spears & touched):
        _capture(found, s, FRONT[seat][s] & enemy, 0, engaged)
    for s in squares_of(elephant):
        _capture(found, s, STAR[2][s] & enemy, ~(empty & ~zone), engaged)
    for s in squares_of(dragon):
        _capture(found, s, STAR[4][s] & enemy, zone, engaged)
    for s in squares_of(light):
        _capture_and_ride(found, s, 3, view, engaged)
    for s in squares_of(horse):
        _capture_and_ride(found, s, 2, view, engaged)
    for s in squares_of(engaged.trebuchet):
        _shoot(found, s, view, engaged)
    s = king.bit_length()
    for over in squares_of(NEAR[s] & tower & ~zone):
        _capture(found, s, BIT[BEHIND[over][s]] & enemy, 0, engaged)


def _capture(found: list[int], s: int, prey: int, barred: int, engaged: Engagement) -> None:
    """Add the captures from ``s`` along lines to squares of ``prey``, across no square of ``barred``."""
    between, start = BETWEEN[s], CAPTURES_FROM[s]
    found.extend(start + TO[t] for t in squares_of(prey) if not between[t] & barred and engaged[t])


def _capture_and_ride(found: list[int], s: int, limit: int, view: _View, engaged: Engagement) -> None:
    """Add a horse's captures from ``s``, with and without riding on; the whole path is at most ``limit``."""
    enemy, empty, passable, zone = view
    between = BETWEEN[s]
    for t in squares_of(STAR[limit][s] & enemy):
        if between[t] & ~passable or not engaged[t]:
            continue
        capture = CAPTURES_FROM[s] + TO[t]
        found.append(capture)
        if BIT[t] & zone:
            continue
        for beyond in BEYOND[limit][s][t]:
            if BIT[beyond] & empty:
                found.append(capture + RIDE_TO[beyond])
            if not BIT[beyond] & passable:
                break


def _shoot(found: list[int], s: int, view: _View, engaged: Engagement) -> None:
    """Add the Trebuchet's captures from ``s``, each with a step away from the captured piece."""
    between, start = BETWEEN[s], CAPTURES_FROM[s]
    for t in squares_of((STAR[4][s] ^ NEAR[s]) & view.enemy):
        seen = not between[t] & engaged.barrier
        if seen and BIT[BEHIND[s][t]] & view.empty and engaged[t]:
            found.append(start + TO[t])
