"""The games there are: found by the entry points of the group ``tourney.games``.

A plugin that is broken is named aloud when it is asked for or listed, never skipped in silence.
"""

import re
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from tourney.errors import GameError
from tourney.games.base import AnyGame, Game

GROUP = "tourney.games"

_NAME = re.compile(r"[a-z][a-z0-9-]*", re.ASCII)


def _points() -> dict[str, list[EntryPoint]]:
    found: dict[str, list[EntryPoint]] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda p: (p.name, p.value)):
        same = found.setdefault(point.name, [])
        if all(point.value != other.value for other in same):
            same.append(point)
    return found


def game_names() -> tuple[str, ...]:
    """Return the names of all registered games, sorted; broken ones too."""
    return tuple(_points())


@cache
def find_game(name: str) -> AnyGame:
    """Return the game of that name. Raises GameError if there is none, or if its plugin is broken."""
    points = _points().get(name)
    if points is None:
        known = ", ".join(game_names()) or "none"
        raise GameError(f"there is no game {name!r}; the games are: {known}")
    if len(points) > 1:
        places = " and ".join(p.value for p in points)
        raise GameError(f"the game {name} is offered twice, by {places}; uninstall one of the packages")
    return _load(points[0])


def all_games() -> tuple[AnyGame, ...]:
    """Return all games, sorted by name. Raises GameError for the first that is broken."""
    return tuple(find_game(name) for name in game_names())


def _load(point: EntryPoint) -> AnyGame:
    try:
        made = point.load()()
    except Exception as error:
        raise GameError(
            f"the plugin of game {point.name} ({point.value}) is broken: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(made, Game):
        raise GameError(f"the plugin of game {point.name} ({point.value}) gives no tourney.games.Game")
    if getattr(made, "name", None) != point.name or _NAME.fullmatch(point.name) is None:
        raise GameError(
            f"the plugin of game {point.name} ({point.value}) calls itself {getattr(made, 'name', None)!r};"
            " the names must be equal, of the form [a-z][a-z0-9-]*"
        )
    return made
