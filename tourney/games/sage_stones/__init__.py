"""Sage Stones: dice choose a column, and the first colour to place its last stone wins.

The rules and their terms are on the page ``docs/rules/sage-stones.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tourney.errors import OptionError, PositionError
from tourney.games.base import GoldenMatch, Option
from tourney.games.core_game import CoreGame, CoreState
from tourney.games.sage_stones import board
from tourney.games.sage_stones.board import ROLL_LIMIT, StonesPosition, StonesSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

FEWEST, MOST = 3, 15
"""Bounds of the option ``stones``."""


class StonesState(CoreState):
    """A state of Sage Stones."""

    __slots__ = ()


class SageStones(CoreGame[StonesPosition]):
    """Two to four seats and three dice, nothing hidden; the first colour out of stones wins."""

    name = "sage-stones"
    title = "Sage Stones"
    rules = "1"
    seat_counts = (2, 3, 4)
    seat_names = ("First", "Second", "Third", "Fourth")
    options = (
        Option("stones", "10", tuple(map(str, range(FEWEST, MOST + 1))), "stones a colour has in hand"),
        Option("play-on", "no", ("no", "yes"), "whether the others play on for the next ranks; 3 or 4 seats"),
    )
    has_chance = True
    diagram_plies = 50
    golden_match = GoldenMatch(("greedy", "random", "pebble", "greedy"), 5, (("play-on", "yes"),))
    max_actions = 2 * ROLL_LIMIT
    package, core_class = __name__, "StonesCore"
    state, action = StonesState, board.StonesAction
    actions, strings = board.ACTIONS, board.STRINGS
    action_string = staticmethod(board.action_string)  # type: ignore[assignment] # quicker than a function
    parse_action = staticmethod(board.parse_action)  # type: ignore[assignment] # likewise

    def check_settings(self, seats: int, options: Mapping[str, str]) -> None:
        if seats == 2 and options["play-on"] == "yes":
            raise OptionError("option play-on=yes of sage-stones is for 3 or 4 seats, not 2")

    def has_single_winner(self, seats: int, options: Mapping[str, str]) -> bool:  # noqa: ARG002 - the same for all seats
        """Whether the game ends with its winner: unless the others play on for the next ranks."""
        return options["play-on"] == "no"

    def initial(self, seats: int, options: Mapping[str, str]) -> CoreState:
        return self.state_at(board.start(_settings(seats, options)))

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> CoreState:
        return self.state_at(board.parse_position(text, _settings(seats, options)))

    def read(self, text: str) -> StonesPosition:
        """Parse a position string by the settings in it. Raises PositionError."""
        settings = board.parse_settings(text)
        options = {"stones": str(settings.stones), "play-on": "yes" if settings.play_on else "no"}
        try:
            self.settings(settings.seats, options)
        except OptionError as error:
            raise PositionError(f"the field OPTIONS of the position is impossible: {error}") from error
        return board.parse_position(text, settings)


StonesState.game = SageStones()


def _settings(seats: int, options: Mapping[str, str]) -> StonesSettings:
    return StonesSettings(seats, int(options["stones"]), options["play-on"] == "yes")
