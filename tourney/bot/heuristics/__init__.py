"""Heuristics of the shipped games, for search; each module says what it values and why."""

from importlib import import_module

from tourney.bot.heuristics.base import AnyHeuristics, Heuristics
from tourney.games.registry import find_game

_CLASSES = {
    "cyvasse": ("cyvasse", "CyvasseHeuristics"),
    "element": ("element", "ElementHeuristics"),
    "sage-stones": ("sage_stones", "StonesHeuristics"),
    "sages-tafl": ("sages_tafl", "TaflHeuristics"),
    "seven-sages": ("seven_sages", "SevenSagesHeuristics"),
}


def heuristics_of(game: str) -> AnyHeuristics:
    """Return the heuristics of a game by its name, or ones that know only results."""
    if game not in _CLASSES:
        return Heuristics()
    # Imported here, because a bot plays one game and starts anew for every match.
    module, name = _CLASSES[game]
    found = getattr(import_module(f"{__name__}.{module}"), name)()
    assert isinstance(found, Heuristics)  # noqa: S101 - by the table above
    found.game = find_game(game)
    return found


__all__ = ["Heuristics", "heuristics_of"]
