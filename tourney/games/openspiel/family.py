"""The family ``openspiel``: which games of OpenSpiel can be played, and how they are named."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from importlib.metadata import version
from types import ModuleType
from typing import Any, Final

from tourney.errors import GameError
from tourney.games.base import GAME_PATTERN, AnyGame
from tourney.games.openspiel.game import HiddenOpenSpielGame, OpenSpielGame
from tourney.games.registry import GameFamily

MAX_NUMBER: Final = 6
"""The most digits of a number in a game's name: a board of a billion cells is a mistake, or meant to harm."""
MAX_LENGTH: Final = 500_000
"""The most actions of a game, chance apart."""
MAX_ACTIONS: Final = 10_000_000
"""The most different actions of a game."""
_NUMBER = re.compile(r"[0-9]+")


class OpenSpiel(GameFamily):
    """The sequential games of OpenSpiel without sampled chance."""

    name = "openspiel"
    title = "games of OpenSpiel, as openspiel:breakthrough(rows=6,columns=6)"

    def make(self, text: str) -> AnyGame:
        """A game. Raises GameError for one that is unknown, or cannot be played here."""
        spiel = _spiel()
        name, bracket, _ = text.partition("(")
        if bracket and not text.endswith(")"):
            raise GameError(
                f"openspiel:{text} has no closing bracket: write openspiel:NAME(PARAMETER=VALUE,...)"
            )
        if any(len(number) > MAX_NUMBER for number in _NUMBER.findall(text)):
            raise GameError(f"openspiel:{text} has a number of more than {MAX_NUMBER} digits")
        known = {kind.short_name: kind for kind in spiel.registered_games()}
        if name not in known:
            raise GameError(
                f"OpenSpiel has no game {name!r}; `tourney games openspiel` lists those there are"
            )
        why = refusal(spiel, known[name])
        if why:
            raise GameError(f"openspiel:{name} cannot be played: {why}")
        try:
            inner = spiel.load_game(text)
            full = f"openspiel:{str(inner).removesuffix('()')}"
            long, wide = inner.max_game_length(), inner.num_distinct_actions()
        except (spiel.SpielError, MemoryError, RuntimeError, ValueError) as error:
            reason = str(error).strip().splitlines()[0][:200]
            raise GameError(f"OpenSpiel refuses {text}: {reason}") from error
        if GAME_PATTERN.fullmatch(full) is None:
            raise GameError(f"openspiel:{text} is {full} in full, which cannot be a game's name")
        if not (0 < long <= MAX_LENGTH and 0 < wide <= MAX_ACTIONS):
            raise GameError(
                f"openspiel:{text} is too large: {long:,} actions a game, {wide:,} different ones"
            )
        kind = OpenSpielGame if _is_perfect(inner.get_type()) else HiddenOpenSpielGame
        return kind(full, inner, version("open_spiel"))

    def names(self) -> tuple[str, ...]:
        """The games that can be played with their default parameters. Raises GameError."""
        spiel = _spiel()
        return tuple(
            sorted(
                f"{self.name}:{kind.short_name}"
                for kind in spiel.registered_games()
                if kind.default_loadable and not refusal(spiel, kind)
            )
        )


UNPLAYABLE: Final = {"crossword": "it has actions without a number, which OpenSpiel's common interface lacks"}
"""Sequential games that OpenSpiel lists and that cannot be played, with the reason."""


def refusal(spiel: ModuleType, kind: Any) -> str:
    """Why a kind of game cannot be played; "" if it can."""
    game_type = spiel.GameType
    if kind.dynamics != game_type.Dynamics.SEQUENTIAL:
        return "its players act at the same time"
    if kind.chance_mode == game_type.ChanceMode.SAMPLED_STOCHASTIC:
        return "its chance has no probabilities (sampled stochastic)"
    return UNPLAYABLE.get(kind.short_name, "")


def _is_perfect(kind: Any) -> bool:
    return bool(kind.information == type(kind).Information.PERFECT_INFORMATION)


@cache
def _spiel() -> ModuleType:
    """The package ``pyspiel``. Raises GameError if it is missing."""
    try:
        # An extra, and slow to import.
        return import_module("pyspiel")
    except ImportError as error:
        raise GameError(
            "games of OpenSpiel need the package open_spiel: install it by pip install 'tourney[openspiel]'"
        ) from error
