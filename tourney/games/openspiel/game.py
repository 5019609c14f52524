"""A game of OpenSpiel, with parameters, as a Game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tourney.games.base import Game
from tourney.games.diagrams import Diagram
from tourney.games.openspiel.sampling import sample_state
from tourney.games.openspiel.state import MOVES, OpenSpielState, check_action, decode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tourney.seeds import RandBelow


class OpenSpielGame(Game[str]):
    """A sequential game of OpenSpiel with perfect information, under the name ``openspiel:TEXT``.

    ``inner`` is OpenSpiel's game. The rules version is that of OpenSpiel.
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
        """The first state."""
        return OpenSpielState(self, self.seen, self.inner.new_initial_state())

    def action_string(self, action: str) -> str:
        """The action: it is its string."""
        return action

    def parse_action(self, text: str) -> str:
        """The action of a string. Raises ActionError."""
        return check_action(text)

    def seen(self, inner: Any, seat: int) -> str:
        """What a seat sees of OpenSpiel's state."""
        if self.has_hidden_actions and self._by_state:
            return str(inner.information_state_string(seat - 1))
        if self._by_observation:
            return str(inner.observation_string(seat - 1))
        return str(inner)

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        """The lines of OpenSpiel's text, and the last action."""
        words = view.split(" ")
        text = str(self._after(view).inner) if words[0] == MOVES else decode(words[1])
        lines = ["".join(c if c.isprintable() else " " for c in line).rstrip() for line in text.splitlines()]
        shown = [line or " " for line in lines] or ["(OpenSpiel shows nothing here)"]
        return Diagram(notes=(*shown, *([f"last: {last}"] if last else ())))

    def _after(self, position: str) -> OpenSpielState:
        """The state of a position string; a replay asks for one after the other."""
        known, state = self._drawn
        if not f"{position} ".startswith(f"{known} "):
            known, state = MOVES, self.initial(self.players, {})
        for action in position[len(known) :].split():
            state = state.play(action)
        self._drawn = position, state
        return state


class HiddenOpenSpielGame(OpenSpielGame):
    """A game with imperfect information: every action not one's own is hidden, and observations inform."""

    has_hidden_actions = True
    observations_inform = True

    def sample(self, observation: str, seat: int, randbelow: RandBelow) -> OpenSpielState:
        """A random state that fits an observation, by a search as ``sampling`` describes.

        Raises PositionError for a string that is not an observation, and if no state is found.
        """
        return sample_state(self.initial(self.players, {}), observation, seat, randbelow)
