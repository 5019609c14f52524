"""The games of OpenSpiel (the extra ``openspiel``), as ``openspiel:NAME(PARAMETER=VALUE,...)``."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from tourney.addons.openspiel.state import MOVES, OpenSpielState, check_action, decode, sample_state
from tourney.errors import GameError, import_extra
from tourney.games.base import GAME_PATTERN, AnyGame, Game
from tourney.games.diagrams import Diagram
from tourney.games.registry import GameFamily
from tourney.texts import legible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

    from tourney.seeds import RandBelow


class OpenSpielGame(Game[str]):
    """A sequential game of OpenSpiel with perfect information, under the name ``openspiel:TEXT``.

    ``inner`` is OpenSpiel's game. The rules version is OpenSpiel's version.
    """

    has_positions = False

    def __init__(self, name: str, inner: Any, version: str) -> None:
        kind = inner.get_type()
        self.name = name
        self.title = f"{kind.long_name} (OpenSpiel)"
        self.rules = version
        self.players: int = inner.num_players()
        self.seat_counts = (self.players,)
        self.seat_names = tuple(f"Player {number}" for number in range(1, self.players + 1))
        self.max_actions = inner.max_game_length() + inner.max_chance_nodes_in_history() + 1
        chance_mode = type(kind).ChanceMode
        self.has_chance = kind.chance_mode == chance_mode.EXPLICIT_STOCHASTIC
        self.inner = inner
        self._drawn = (MOVES, self.initial(self.players, {}))
        self._by_state = kind.provides_information_state_string
        self._by_observation = kind.provides_observation_string

    def initial(self, seats: int, options: Mapping[str, str]) -> OpenSpielState:  # noqa: ARG002 - fixed
        return OpenSpielState(self, self.inner.new_initial_state())

    def action_string(self, action: str) -> str:
        return action

    parse_action = staticmethod(check_action)

    def notation(self, actions: Sequence[str], seats: int, options: Mapping[str, str]) -> Sequence[str]:  # noqa: ARG002 - of all games
        """OpenSpiel's own texts; of go the points alone, as players write them."""
        go = self.inner.get_type().short_name == "go"
        shown = [decode(text).partition(" ")[2].upper() if go else decode(text) for text in actions]
        return ["\u00a0".join(text.split()) or action for text, action in zip(shown, actions, strict=True)]

    def seen(self, inner: Any, seat: int) -> str:
        """OpenSpiel's text of a state, as a seat sees it."""
        if self.has_hidden_actions and self._by_state:
            return str(inner.information_state_string(seat - 1))
        if self._by_observation:
            return str(inner.observation_string(seat - 1))
        return str(inner)

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        words = view.split(" ")
        text = str(self._after(view).inner) if words[0] == MOVES else decode(words[1])
        lines = [legible(line, " ").rstrip() for line in text.splitlines()]
        shown = [line or " " for line in lines] or ["(OpenSpiel shows nothing here)"]
        return Diagram(notes=(*shown, *([f"last: {decode(last)}"] if last else ())))

    def _after(self, position: str) -> OpenSpielState:
        """The state of a position string; a replay asks for one after the other."""
        drawn, state = self._drawn
        if not f"{position} ".startswith(f"{drawn} "):
            drawn = MOVES
            state = self.initial(self.players, {})
        for action in position[len(drawn) :].split():
            state = state.play(action)
        self._drawn = position, state
        return state


class HiddenOpenSpielGame(OpenSpielGame):
    """A game with imperfect information: every action not one's own is hidden, and observations inform."""

    has_hidden_actions = True
    observations_inform = True

    def sample(self, observation: str, seat: int, randbelow: RandBelow) -> OpenSpielState:
        """A random state that fits an observation, by a search as ``state`` describes.

        Raises PositionError for a string that is not an observation, and if no state is found.
        """
        return sample_state(self.initial(self.players, {}), observation, seat, randbelow)


MAX_NUMBER: Final = 6
"""The most digits of a number in a game's name: a board of a billion cells is a mistake, or meant to harm."""
MAX_LENGTH: Final = 500_000  # the most actions of a game, chance apart
MAX_ACTIONS: Final = 10_000_000  # the most different actions of a game
_NUMBER = re.compile(r"[0-9]+")


class OpenSpiel(GameFamily):
    """The sequential games of OpenSpiel without sampled chance."""

    name = "openspiel"
    title = "games of OpenSpiel, as openspiel:breakthrough(rows=6,columns=6)"

    def make(self, text: str) -> AnyGame:
        spiel = _spiel()
        name, bracket, _ = text.partition("(")
        if bracket and not text.endswith(")"):
            raise GameError(
                f"openspiel:{text} has no closing bracket: write openspiel:NAME(PARAMETER=VALUE,...)"
            )
        if any(len(number) > MAX_NUMBER for number in _NUMBER.findall(text)):
            raise GameError(f"openspiel:{text} has a number of more than {MAX_NUMBER} digits")
        kinds = {kind.short_name: kind for kind in spiel.registered_games()}
        if name not in kinds:
            raise GameError(
                f"OpenSpiel has no game {name!r}; `tourney games openspiel` lists those there are"
            )
        why = refusal(spiel, kinds[name])
        if why:
            raise GameError(f"openspiel:{name} cannot be played: {why}")
        try:
            inner = spiel.load_game(text)
            full = f"openspiel:{str(inner).removesuffix('()')}"
            long = inner.max_game_length()
            wide = inner.num_distinct_actions()
        except (spiel.SpielError, MemoryError, RuntimeError, ValueError) as error:
            reason = str(error).strip().splitlines()[0][:200]
            raise GameError(f"OpenSpiel refuses {text}: {reason}") from error
        if GAME_PATTERN.fullmatch(full) is None:
            raise GameError(f"openspiel:{text} is {full} in full, which cannot be a game's name")
        if not (0 < long <= MAX_LENGTH and 0 < wide <= MAX_ACTIONS):
            raise GameError(
                f"openspiel:{text} is too large: {long:,} actions a game, {wide:,} different ones"
            )
        seen = inner.get_type().information
        perfect = seen == type(inner.get_type()).Information.PERFECT_INFORMATION
        made = OpenSpielGame if perfect else HiddenOpenSpielGame
        return made(full, inner, version("open_spiel"))

    def names(self) -> tuple[str, ...]:
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


@cache
def _spiel() -> ModuleType:
    """The package ``pyspiel``. Raises GameError if it is missing."""
    return import_extra("pyspiel", GameError, "games of OpenSpiel need", "openspiel", "open_spiel")
