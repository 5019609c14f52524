"""Sage Stones: dice choose a column, and the first colour to place its last stone wins.

The rules and their terms are on the page ``docs/rules/sage-stones.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tourney.errors import OptionError
from tourney.games.base import GoldenMatch, Option
from tourney.games.core_game import CoreGame
from tourney.games.position_fields import wrong_field
from tourney.games.sage_stones import board
from tourney.games.sage_stones.board import ROLL_LIMIT, STONES, StonesPosition, StonesSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tourney.games.core_game import CoreState


class SageStones(CoreGame[StonesPosition]):
    """Two to four seats and three dice, nothing hidden; the first colour out of stones wins."""

    name = "sage-stones"
    title = "Sage Stones"
    rules = "1"
    seat_counts = (2, 3, 4)
    seat_names = ("First", "Second", "Third", "Fourth")
    options = (
        Option("stones", "10", tuple(map(str, STONES)), "stones a colour has in hand"),
        Option("play-on", "no", ("no", "yes"), "whether the others play on for the next ranks; 3 or 4 seats"),
        Option("colours", "2", ("1", "2"), "colours that a seat plays; 2 seats", later=True),
    )
    has_chance = True
    diagram_plies = 50
    golden_match = GoldenMatch(("greedy", "random", "pebble", "greedy"), 5, (("play-on", "yes"),))
    max_actions = 2 * ROLL_LIMIT
    package = __name__
    core_class = "StonesCore"
    action = board.StonesAction
    actions = board.ACTIONS
    strings = board.STRINGS
    action_string = staticmethod(board.action_string)  # type: ignore[assignment] # quicker than a function
    parse_action = staticmethod(board.parse_action)  # type: ignore[assignment] # likewise
    read = staticmethod(board.parse_position)

    def check_settings(self, seats: int, options: Mapping[str, str]) -> None:
        if seats == 2 and options["play-on"] == "yes":
            raise OptionError("option play-on=yes of sage-stones is for 3 or 4 seats, not 2")
        if seats != 2 and "colours" in options:
            raise OptionError(
                f"option colours of sage-stones is for 2 seats, not {seats}: each has one colour"
            )

    def has_single_winner(self, seats: int, options: Mapping[str, str]) -> bool:  # noqa: ARG002 - the same for all seats
        """Whether the game ends with its winner: unless the others play on for the next ranks."""
        return options["play-on"] == "no"

    def initial(self, seats: int, options: Mapping[str, str]) -> CoreState:
        return self.state_at(board.start(_settings(seats, options)))

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> CoreState:
        at = self.read(text)
        settings = _settings(seats, options)
        if at.settings != settings:
            raise wrong_field("OPTIONS", str(at.settings), f"this game has {settings}")
        return self.state_at(at)


def _settings(seats: int, options: Mapping[str, str]) -> StonesSettings:
    single = options.get("colours") == "1"
    return StonesSettings(seats, int(options["stones"]), options["play-on"] == "yes", single)
