"""Sage Stones as a game: its name, options and strings, its first state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tourney.errors import OptionError, PositionError
from tourney.games.base import Game, GoldenMatch, Option
from tourney.games.sage_stones import board, notation
from tourney.games.sage_stones.notation import FEWEST, MOST, ROLL_LIMIT, Table
from tourney.games.sage_stones.state import StonesState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tourney.games.diagram import Diagram
    from tourney.seeds import Draw


class SageStones(Game[int]):
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

    def check_settings(self, seats: int, options: Mapping[str, str]) -> None:
        """Refuse play-on with two seats."""
        if seats == 2 and options["play-on"] == "yes":
            raise OptionError("option play-on=yes of sage-stones is for 3 or 4 seats, not 2")

    def has_single_winner(self, seats: int, options: Mapping[str, str]) -> bool:  # noqa: ARG002 - the same for all seats
        """Say yes unless the other seats play on for the next ranks."""
        return options["play-on"] == "no"

    def initial(self, seats: int, options: Mapping[str, str]) -> StonesState:
        """Return the start."""
        return StonesState.standing(notation.start(_table(seats, options)))

    def action_string(self, action: int) -> str:
        """Return the square, as ``5d``, or the roll, as ``roll-122``."""
        return board.action_string(action)

    def parse_action(self, text: str) -> int:
        """Return the action of a string, or raise ActionError."""
        return board.parse_action(text)

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> StonesState:
        """Return the state of a position string, or raise PositionError."""
        return StonesState.standing(notation.read(text, _table(seats, options)))

    def sample(self, observation: str, seat: int, draw: Draw) -> StonesState:  # noqa: ARG002 - nothing is hidden
        """Return the position that was observed: a seat sees all of it, the dice to come nobody."""
        table = notation.read_table(observation)
        options = {"stones": str(table.stones), "play-on": "yes" if table.play_on else "no"}
        try:
            self.settings(table.seats, options)
        except OptionError as error:
            raise PositionError(f"the field OPTIONS of the position cannot be: {error}") from error
        return StonesState.standing(notation.read(observation, table))

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        """Draw a position string, with the last action marked."""
        from tourney.games.sage_stones.diagram import draw  # noqa: PLC0415 - bots draw nothing

        return draw(view, last)


def _table(seats: int, options: Mapping[str, str]) -> Table:
    return Table(seats, int(options["stones"]), options["play-on"] == "yes")
