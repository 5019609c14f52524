"""The fool's way: where an oust can bring the fool, and for how many points."""

from functools import cache

from tourney.games.seven_sages.board import KINGDOM, RAYS, RISING, mask_of

OWN_TOUCH = 2
"""The points for a fool that one of the mover's own sages was the last to touch."""
OTHER_TOUCH = 1
"""The points for a fool that one of the other side's sages was the last to touch."""

_LEFT_OR_RIGHT = tuple(((heading - 2) % 8, (heading + 2) % 8) for heading in range(8))
_LEFT_RIGHT_OR_BACK = tuple((*sides, (heading + 4) % 8) for heading, sides in enumerate(_LEFT_OR_RIGHT))


Track = tuple[int, dict[int, tuple[int, ...]], int]
"""How the fool runs from a square in a direction: ``(mask, passed, end)``.

``mask`` holds the squares that he looks at: those of the kingdom before him, and ``end``, the first beyond.
``passed`` maps the first sage among them, as its square plus 1, or 0 for no sage, to the squares that he
goes over. Squares outside the kingdom have an empty track.
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
    """Return the kingdom squares where an ousted fool may rest, and the city squares that he may enter.

    ``sages`` and ``own`` are the masks of all sages and of the mover's, the ousting one already on
    ``fool``, the square that the fool leaves; ``heading`` is the oust's direction and ``city`` the mask of
    the other side's city. The city squares come with the most points that they bring.
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
