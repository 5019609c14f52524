"""Pictures of positions in a page, for readers without scripts, and the files that all matches share.

Chromium refuses ``<use href="file.svg#id">`` on ``file://`` but shows ``<image href="file.svg#id">``, so a
page has one such element per kind of thing, and its scripts replace them by the kinds in ``board/game.js``.
"""

import json
from collections.abc import Iterable, Mapping

from tourney.games.base import AnyGame
from tourney.games.svg_diagram import arrow_shape, style
from tourney.report.replays.drawer import ARROW, LABEL, Drawer, Thing, drawer_of
from tourney.report.replays.replay import Replay

GAME, KINDS, GROUND = "board/game.js", "board/kinds.svg", "board/ground.svg"
"""The shared files, in a tournament's folder: the kinds and places as a script, the kinds and the ground."""

Picture = tuple[list[Thing], list[Thing]]
"""What a picture shows over the first ground: cells and labels, and all else, the lowest first."""

_REACH = 64
"""The distance from the centre of a thing within which its SVG stays."""


def shared_files(game: AnyGame | None, seats: int, options: Mapping[str, str]) -> dict[str, bytes]:
    """Return the files that the boards of all matches of a tournament share: their content by path."""
    if game is None:
        return {}
    drawer = drawer_of(game, seats, options)
    script = json.dumps(drawer.shared, separators=(",", ":"), allow_nan=False)
    look = '<svg xmlns="http://www.w3.org/2000/svg" class="tb" viewBox="%s"><style>\n%s</style>%s</svg>\n'
    kinds = "".join(f'<g id="k{k}" class="k">{drawer.kinds[k].look}</g>' for k in range(drawer.shared_kinds))
    hidden = "g.k{display:none}g.k:target{display:inline}\n"
    start = [drawer.things[thing] for thing in drawer.ordered(drawer.start)]
    ground = "".join(
        f'<g transform="translate({x} {y})">{drawer.kinds[thing.kind].look}</g>'
        for thing in start
        if drawer.kinds[thing.kind].layer <= LABEL
        for x, y, _ in (drawer.places[thing.place],)
    )
    box = " ".join(map(str, drawer.box))
    reach = f"{-_REACH} {-_REACH} {2 * _REACH} {2 * _REACH}"
    return {
        GAME: f"window.TourneyGame={script};\n".encode("ascii"),
        KINDS: (look % (reach, style() + hidden, kinds)).encode(),
        GROUND: (look % (box, style(), ground)).encode(),
    }


def definitions(film: Replay, shown: Iterable[Picture]) -> str:
    """Return SVG definitions of the kinds in some pictures, and of all that are the match's own.

    ``templates/static/cockpit.css`` gives the images their place and size, by ``_REACH``.
    """
    drawer = _drawer(film)
    used = {thing.kind for parts in shown for part in parts for thing in part}
    images = [
        f"<image id=k{k} href=../{KINDS}#k{k} />"
        for k in sorted(used)
        if k < drawer.shared_kinds and k != drawer.arrow
    ]
    own = [f'<g id="k{k}">{drawer.kinds[kind].look}</g>' for k, kind in film.own_kinds()]
    return "".join((*images, *own))


def ground(film: Replay) -> str:
    """Return the ground of the first position as an SVG element."""
    left, top, width, height = _drawer(film).box
    if not width:
        return ""
    return f'<image href="../{GROUND}" x="{left}" y="{top}" width="{width}" height="{height}"/>'


def picture(film: Replay, ply: int) -> Picture:
    """Return what a picture shows over the first ground."""
    drawer = _drawer(film)
    things = film.things(ply, without=drawer.ground)
    low = [thing for thing in things if drawer.kinds[thing.kind].layer <= LABEL]
    return low, things[len(low) :]


def markup(film: Replay, things: Iterable[Thing]) -> str:
    """Return things as SVG elements in HTML that refer to ``definitions``: many, so without quotes."""
    drawer, numbers = _drawer(film), {kind: k for k, kind in film.own_kinds()}
    found = []
    for thing in things:
        x, y, _ = drawer.places[thing.place]
        if drawer.kinds[thing.kind].layer == ARROW:
            end = drawer.places[thing.end]
            found.append(f'<g transform="translate({x} {y})">{arrow_shape(end.x - x, end.y - y)}</g>')
        else:
            found.append(f"<use href=#k{numbers.get(thing.kind, thing.kind)} x={x} y={y} />")
    return "".join(found)


def _drawer(film: Replay) -> Drawer:
    if film.drawer is None:
        raise ValueError("this replay has no pictures")
    return film.drawer
