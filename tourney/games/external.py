"""The game ``external``: a program outside of Tourney is the referee, and only its results are known."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import quote, unquote

from tourney.errors import ActionError, OptionError
from tourney.games.base import OVER, Game, State

REFEREE: Final = "referee"  # the option that holds the referee's command
MAX_COMMAND: Final = 200  # the most characters of the command as an option's value
MAX_SECONDS: Final = 86_400
OUTSIDE: Final = (
    "An outside referee played these matches. Tourney knows their results only: nothing can be replayed or"
    " checked against rules, and nothing contained the referee and the bots that it started."
)
"""The limits of such matches, as pages and messages state them."""


def command_option(words: Sequence[str]) -> str:
    """The words of a command as an option's value."""
    return quote(shlex.join(words), safe="/:,._+=@-")


def option_command(value: str) -> list[str]:
    """The words of an option's value. Raises ValueError."""
    return shlex.split(unquote(value, errors="strict"))


class ExternalState(State[str]):
    """The only state, in which there is nothing to play."""

    __slots__ = ("seats",)

    seats: int
    actor = OVER

    def __init__(self, seats: int) -> None:
        self.seats = seats

    def legal_actions(self) -> Sequence[str]:
        return []

    def play(self, action: str) -> "ExternalState":  # noqa: ARG002 - nothing is legal
        return self

    def ranks(self) -> tuple[int, ...]:
        """Equal ranks: the result is the referee's."""
        return (1,) * self.seats

    def reason(self) -> str:
        return REFEREE

    def position(self) -> str:
        return "external"


class External(Game[str]):
    """A game of two to four seats whose matches an outside referee plays.

    Options: ``referee``, its command (``command_option``), and ``timeout-s``, the seconds of a match.
    """

    name = "external"
    title = "Outside referee"
    rules = "1"
    seat_counts = (2, 3, 4)
    seat_names = ("Player 1", "Player 2", "Player 3", "Player 4")
    max_actions = 1
    has_positions = False
    outside = True
    launcher = "outside"

    def settings(
        self, seats: int | None = None, options: Mapping[str, str] | None = None
    ) -> tuple[int, dict[str, str]]:
        values = dict(options or {})
        referee = values.pop(REFEREE, "")
        seconds = values.pop("timeout-s", "600")
        count, _ = super().settings(seats, values)
        try:
            words = option_command(referee)
        except ValueError as error:
            raise OptionError(f"option {REFEREE} holds no command: {error}") from error
        if not words:
            raise OptionError(
                'game = "external" needs a referee: write referee = ["command"] in the tournament file'
            )
        if len(referee) > MAX_COMMAND:
            raise OptionError(
                f"the referee's command has {len(referee)} characters, encoded; at most {MAX_COMMAND} are"
                " allowed: write a short script that starts it"
            )
        # The length is bounded first: int() of a very long text takes long, or is refused by Python.
        number = int(seconds) if seconds.isascii() and seconds.isdecimal() and len(seconds) < 9 else 0
        if not 1 <= number <= MAX_SECONDS:
            raise OptionError(f"option timeout-s is {seconds[:20]!r}, but must be from 1 to {MAX_SECONDS:,}")
        return count, {REFEREE: referee, "timeout-s": str(number)}

    def initial(self, seats: int, options: Mapping[str, str]) -> ExternalState:  # noqa: ARG002 - for no rules
        return ExternalState(seats)

    def action_string(self, action: str) -> str:
        return action

    def parse_action(self, text: str) -> str:
        raise ActionError(f"{text[:60]!r}: the game external has no actions")
