"""The games there are: Tourney's own by name, others by the entry points of the group ``tourney.games``.

Tourney's own are loaded directly, since reading what is installed would double the time in which a bot
starts. A plugin that is broken, or that claims a name that is taken, is named aloud when it is asked for or
listed, never skipped in silence.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tourney.errors import GameError
from tourney.games.base import AnyGame, Game

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from importlib.metadata import EntryPoint

GROUP = "tourney.games"

OWN: Mapping[str, str] = {
    "cyvasse": "tourney.games.cyvasse:Cyvasse",
    "element": "tourney.games.element:Element",
    "sage-stones": "tourney.games.sage_stones:SageStones",
    "sages-tafl": "tourney.games.sages_tafl:SagesTafl",
    "seven-sages": "tourney.games.seven_sages:SevenSages",
}
"""Tourney's own games, as ``module:class``; the same as their entry points."""

_NAME = re.compile(r"[a-z][a-z0-9-]*", re.ASCII)


def installed() -> Iterable[EntryPoint]:
    """Return the entry points of the group, in any order."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow to import; bots do without

    return entry_points(group=GROUP)


def _offers() -> dict[str, list[str]]:
    """Return by name where games are offered: Tourney's own first, then the others sorted."""
    offers = {name: [target] for name, target in OWN.items()}
    for name, target in sorted((point.name, point.value) for point in installed()):
        same = offers.setdefault(name, [])
        if target not in same:
            same.append(target)
    return offers


def game_names() -> tuple[str, ...]:
    """Return the names of all games, sorted; broken ones too."""
    return tuple(sorted(_offers()))


def clashes() -> dict[str, str]:
    """Return the names that are offered more than once, each with a sentence that says by whom."""
    return {name: _clash(name, targets) for name, targets in sorted(_offers().items()) if len(targets) > 1}


@cache
def find_game(name: str) -> AnyGame:
    """Return the game of that name. Raises GameError if there is none, or if its plugin is broken.

    One of Tourney's own is returned whoever else claims its name; ``clashes`` tells of that.
    """
    if name in OWN:
        return _load(name, OWN[name])
    offers = _offers()
    if name not in offers:
        known = ", ".join(sorted(offers)) or "none"
        raise GameError(f"there is no game {name[:60]!r}; the games are: {known}")
    if len(offers[name]) > 1:
        raise GameError(_clash(name, offers[name]))
    return _load(name, offers[name][0])


def all_games() -> tuple[AnyGame, ...]:
    """Return all games, sorted by name. Raises GameError for the first that is broken or offered twice."""
    for sentence in clashes().values():
        raise GameError(sentence)
    return tuple(find_game(name) for name in game_names())


def _clash(name: str, targets: list[str]) -> str:
    if name in OWN:
        others = " and ".join(targets[1:])
        return f"the game {name} of Tourney's own is offered by {others} as well; uninstall that package"
    return f"the game {name} is offered twice, by {' and '.join(targets)}; uninstall one of the packages"


def _load(name: str, target: str) -> AnyGame:
    try:
        made = _class_of(name, target)()
    except Exception as error:
        raise GameError(
            f"the plugin of game {name} ({target}) is broken: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(made, Game):
        raise GameError(f"the plugin of game {name} ({target}) gives no tourney.games.Game")
    if getattr(made, "name", None) != name or _NAME.fullmatch(name) is None:
        raise GameError(
            f"the plugin of game {name} ({target}) calls itself {getattr(made, 'name', None)!r};"
            " the names must be equal, of the form [a-z][a-z0-9-]*"
        )
    return made


def _class_of(name: str, target: str) -> Any:
    if name in OWN:
        module, _, attribute = target.partition(":")
        return getattr(import_module(module), attribute)
    from importlib.metadata import EntryPoint  # noqa: PLC0415 - as above

    return EntryPoint(name, target, GROUP).load()
