"""Legal plain moves and ousts, with the city's limit and the rule of three, and the fool's way."""

from functools import cache

from tourney.games.seven_sages.board import (
    CITIES,
    EAST,
    KINGDOM,
    MOVE_FROM,
    MOVE_TO,
    NORTH,
    NORTH_EAST,
    NORTH_WEST,
    PASS,
    PLACE,
    RAYS,
    RED,
    RISING,
    SIZE,
    SOUTH,
    SOUTH_EAST,
    SOUTH_WEST,
    WEST,
    SevenSagesActions,
    is_oust,
    leaving_square,
    mask_of,
    other,
    oust,
    oust_square,
    plain_target,
    rest_square,
)

OWN_TOUCH = 2
"""The points if the fool last touched one of the mover's sages."""
OTHER_TOUCH = 1
"""The points if the fool last touched one of the other side's sages."""

_LEFT_OR_RIGHT = tuple(((heading - 2) % 8, (heading + 2) % 8) for heading in range(8))
_LEFT_RIGHT_OR_BACK = tuple((*sides, (heading + 4) % 8) for heading, sides in enumerate(_LEFT_OR_RIGHT))


Track = tuple[int, dict[int, tuple[int, ...]], int]
"""The fool's path from a square in a direction: ``(mask, passed, end)``.

``mask`` has the kingdom squares ahead and ``end``, the first square beyond. ``passed`` maps the first sage
among them (its square plus 1, or 0 for no sage) to the squares that the fool crosses. Tracks from squares
outside the kingdom are empty.
"""


def _track(square: int, ray: tuple[int, ...]) -> Track:
    if not KINGDOM >> square & 1:
        return 0, {}, square
    inside = next(k for k, step in enumerate(ray) if not KINGDOM >> step & 1)
    passed = {step + 1: ray[:k] for k, step in enumerate(ray[: inside + 1])}
    passed[0] = ray[:inside]
    return mask_of(ray[: inside + 1]), passed, ray[inside]


@cache
def _tracks() -> tuple[tuple[Track, ...], ...]:
    """Return the tracks by direction and square."""
    return tuple(tuple(_track(square, ray) for square, ray in enumerate(rays)) for rays in RAYS)


def drive(sages: int, own: int, fool: int, heading: int, city: int) -> tuple[set[int], dict[int, int]]:
    """Return the kingdom squares where an ousted fool may rest, and the city squares with their points.

    ``sages`` and ``own`` are the masks of all sages and of the mover's, the ousting one already on ``fool``,
    the fool's origin. ``heading`` is the direction of the oust, ``city`` the mask of the other side's city.
    """
    tracks = _tracks()
    rests: set[int] = set()
    goals: dict[int, int] = {}
    mask, passed, end = tracks[heading][fool]
    met = sages & mask
    first = (met & -met if heading < RISING else met).bit_length()
    if not first:
        return rests, {end: OWN_TOUCH} if city >> end & 1 else goals
    way = passed[first]
    reflections = [(way[-1] if way else fool, heading, first - 1)]
    known = {reflections[0]}
    while reflections:
        square, heading, sage = reflections.pop()
        points = OWN_TOUCH if own >> sage & 1 else OTHER_TOUCH
        if square == fool:
            turns: tuple[int, ...] = _LEFT_OR_RIGHT[heading]
        else:
            turns = _LEFT_RIGHT_OR_BACK[heading]
            rests.add(square)
        for turn in turns:
            mask, passed, end = tracks[turn][square]
            met = sages & mask
            first = (met & -met if turn < RISING else met).bit_length()
            way = passed[first]
            rests.update(way)
            if first:
                reflection = (way[-1] if way else square, turn, first - 1)
                if reflection not in known:
                    known.add(reflection)
                    reflections.append(reflection)
            elif city >> end & 1 and points > goals.get(end, 0):
                goals[end] = points
    return rests, goals


Reach = tuple[int, dict[int, tuple[int, ...]]]
"""A direction of plain moves from a square: the mask of its ray, and the moves by the first piece on it.

The keys are that piece's square plus 1, or 0 for none.
"""


@cache
def _reaches(seat: int, square: int, city_closed: bool) -> tuple[tuple[Reach, ...], tuple[Reach, ...], int]:
    """Return a sage's directions of plain moves: those in which squares rise, the others, and their mask.

    No move ends in the other side's city nor, with ``city_closed``, in the own one.
    """
    forward = (NORTH_EAST, NORTH_WEST) if seat == RED else (SOUTH_EAST, SOUTH_WEST)
    shut = CITIES[other(seat)] | (CITIES[seat] if city_closed else 0)
    rising: list[Reach] = []
    falling: list[Reach] = []
    for direction in (NORTH, SOUTH, EAST, WEST, *forward):
        ray = RAYS[direction][square]
        moves: dict[int, tuple[int, ...]] = {}
        open_: tuple[int, ...] = ()
        for step in ray:
            moves[step + 1] = open_
            if not shut >> step & 1:
                open_ = (*open_, MOVE_FROM[square] | MOVE_TO[step])
        moves[0] = open_
        (rising if direction < RISING else falling).append((mask_of(ray), moves))
    return tuple(rising), tuple(falling), sum(mask for mask, _ in (*rising, *falling))


@cache
def _thirds(square: int) -> tuple[int, dict[int, tuple[int, int]]]:
    """Return the possible lines of three through a square and a higher one: ``(mask, pairs)``.

    ``mask`` has the higher squares. ``pairs`` maps each of them to the mask of the two squares, and the mask
    of the squares where a third sage completes the line.
    """
    pairs: dict[int, tuple[int, int]] = {}
    for direction in range(RISING):
        ray = RAYS[direction][square]
        if ray:
            behind = RAYS[direction + 4][square][:1]
            pairs[ray[0]] = (mask_of((square, ray[0])), mask_of(behind + ray[1:2]))
        if len(ray) > 1:
            pairs[ray[1]] = (mask_of((square, ray[1])), mask_of(ray[:1]))
    return mask_of(pairs), pairs


def _pairs(sages: tuple[int, ...], mask: int) -> list[tuple[int, int]]:
    """Return the pairs of a side's sages that a third could complete to a line, as in ``_thirds``."""
    found = []
    for sage in sages:
        near, pairs = _thirds(sage)
        near &= mask
        while near:
            mate = near.bit_length() - 1
            near ^= 1 << mate
            found.append(pairs[mate])
    return found


def legal_actions(seat: int, own: tuple[int, ...], others: tuple[int, ...], fool: int) -> SevenSagesActions:
    """Return the sorted legal actions of a seat; ``own`` and ``others`` are the sages of the two sides."""
    own_mask, other_mask = mask_of(own), mask_of(others)
    occupied = own_mask | other_mask | 1 << fool
    home = own_mask & CITIES[seat]
    pairs = _pairs(own, own_mask)
    ousting = ousting_sages(own_mask, other_mask, fool)
    actions = SevenSagesActions()
    for sage in own:
        bit = 1 << sage
        barred = 0
        for pair, thirds in pairs:
            if not pair & bit:
                barred |= thirds
        if barred & own_mask & ~bit:
            continue  # the six other sages form a line of three
        rising, falling, lines = _reaches(seat, sage, bool(home) and not home & bit)
        kept_off = barred & lines
        moves: list[int] = actions if not kept_off else []
        for ray, reach in rising:
            met = occupied & ray
            moves += reach[(met & -met).bit_length()]
        for ray, reach in falling:
            moves += reach[(occupied & ray).bit_length()]
        if kept_off:
            actions += _without(moves, sage, kept_off)
        if sage in ousting and not barred >> fool & 1:
            rests, goals = driven(seat, sage, ousting[sage], own_mask, other_mask, fool)
            base = oust(sage, fool)
            actions += [base | PLACE[square] for square in (*rests, *goals)]
    actions.sort()
    return actions or SevenSagesActions([PASS])


def is_legal(action: int, seat: int, own: tuple[int, ...], others: tuple[int, ...], fool: int) -> bool:
    """Say whether an action other than a pass is legal, without listing all."""
    sage = leaving_square(action)
    if sage not in own:
        return False
    own_mask, other_mask = mask_of(own), mask_of(others)
    bit = 1 << sage
    if is_oust(action):
        if _has_line(own_mask ^ bit | 1 << fool) or oust_square(action) != fool:
            return False
        heading = ousting_sages(own_mask, other_mask, fool).get(sage)
        if heading is None:
            return False
        rests, goals = driven(seat, sage, heading, own_mask, other_mask, fool)
        return rest_square(action) in rests or rest_square(action) in goals
    home = own_mask & CITIES[seat]
    way = _way(seat, action, bool(home) and not home & bit)
    if not way or way & (own_mask | other_mask | 1 << fool):
        return False
    return not _has_line(own_mask ^ bit | 1 << plain_target(action))


@cache
def _way(seat: int, action: int, city_closed: bool) -> int:
    """Return the mask of the squares that a plain move crosses and ends on, or 0 if it is never legal."""
    sage, target = leaving_square(action), plain_target(action)
    rays = [rays[sage] for rays in RAYS if target in rays[sage]]
    reaches = _reaches(seat, sage, city_closed)
    if not rays or not any(action in moves[0] for side in reaches[:2] for _, moves in side):
        return 0
    return mask_of(rays[0][: rays[0].index(target) + 1])


_LINES = tuple(
    (
        RAYS[direction][SIZE + 1][0] - SIZE - 1,
        mask_of(k for k, ray in enumerate(RAYS[direction]) if len(ray) > 1),
    )
    for direction in range(RISING)
)
"""By direction: how far apart neighbors are, and the squares where a line of three can begin."""


def _has_line(sages: int) -> bool:
    """Say whether some sages form a line of three."""
    return any(sages & starts & sages >> step & sages >> 2 * step for step, starts in _LINES)


def _without(moves: list[int], sage: int, barred: int) -> list[int]:
    """Return the plain moves of a sage that do not end on a square of ``barred``."""
    bad = set()
    while barred:
        square = barred.bit_length() - 1
        barred ^= 1 << square
        bad.add(MOVE_FROM[sage] | MOVE_TO[square])
    return [move for move in moves if move not in bad]


def ousting_sages(own: int, others: int, fool: int) -> dict[int, int]:
    """Return the own sages with a free line to the fool, with the direction of their oust."""
    found = {}
    sages = own | others
    for direction, rays in enumerate(_ray_masks()):
        met = sages & rays[fool]
        sage = (met & -met if direction < RISING else met).bit_length() - 1
        if sage >= 0 and own >> sage & 1:
            found[sage] = (direction + 4) % 8
    return found


@cache
def _ray_masks() -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(mask_of(ray) for ray in rays) for rays in RAYS)


def driven(
    seat: int, sage: int, heading: int, own: int, others: int, fool: int
) -> tuple[set[int], dict[int, int]]:
    """Return the fool's squares after a sage's oust: rest squares, and city squares with their points."""
    own ^= 1 << sage | 1 << fool
    return drive(own | others, own, fool, heading, CITIES[other(seat)])


def score(seat: int, sage: int, own: tuple[int, ...], others: tuple[int, ...], fool: int, city: int) -> int:
    """Return the points of a legal oust that drives the fool into a city square."""
    own_mask, other_mask = mask_of(own), mask_of(others)
    heading = ousting_sages(own_mask, other_mask, fool)[sage]
    return driven(seat, sage, heading, own_mask, other_mask, fool)[1][city]
