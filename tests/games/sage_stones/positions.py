"""Positions of Sage Stones for tests: stones by square and colour, other fields by default."""

from collections.abc import Iterable

from tourney.errors import PositionError
from tourney.games.base import State
from tourney.games.sage_stones import SageStones

GAME = SageStones()
NAMES = ["BOARD", "COLOUR", "PHASE", "HANDS", "ROLLS", "OPTIONS"]


def options(stones: int = 10, play_on: bool = False) -> dict[str, str]:
    return {"stones": str(stones), "play-on": "yes" if play_on else "no"}


ONE_COLOUR = {"stones": "10", "play-on": "no", "colours": "1"}
"""The options of two seats with one colour each."""


def board(stones: str) -> str:
    """The field BOARD of stones as ``5a1 5b2``; ``3=122333444`` gives a whole column."""
    columns = {name: list(".........") for name in "3456789"}
    for word in stones.split():
        if word[1] == "=":
            columns[word[0]] = list(word[2:])
        else:
            columns[word[0]]["abcdefghi".index(word[1])] = word[2]
    return "/".join("".join(column) for column in columns.values())


def text(
    stones: str = "",
    colour: int = 1,
    phase: str = "roll",
    *,
    seats: int = 4,
    count: int = 10,
    rolls: int = 20,
    hands: str = "",
    play_on: bool = False,
) -> str:
    """A position string; without ``hands``, all stones off the board are in hand."""
    laid = board(stones)
    colours = 3 if seats == 3 else 4
    held = hands or ",".join(str(count - laid.count(str(c))) for c in range(1, colours + 1))
    said = f"seats={seats},stones={count},play-on={'yes' if play_on else 'no'}"
    return f"{laid} {colour} {phase} {held} {rolls} {said}"


def read(position: str) -> State[int]:
    """Parse a position string with the seats and options in it."""
    words = dict(word.split("=") for word in position.rpartition(" ")[2].split(","))
    seats = int(words.pop("seats"))
    return GAME.parse_position(position, *GAME.settings(seats, words))


def made(
    stones: str = "",
    colour: int = 1,
    phase: str = "roll",
    *,
    seats: int = 4,
    count: int = 10,
    rolls: int = 20,
    hands: str = "",
    play_on: bool = False,
) -> State[int]:
    """The state of such a position."""
    return read(
        text(stones, colour, phase, seats=seats, count=count, rolls=rolls, hands=hands, play_on=play_on)
    )


def legal(state: State[int]) -> list[str]:
    return [GAME.action_string(action) for action in state.legal_actions()]


def play(state: State[int], actions: str | Iterable[str]) -> State[int]:
    """Play blank-separated actions, each of which must be legal."""
    for word in actions.split() if isinstance(actions, str) else actions:
        state = state.play(GAME.read_action(state, word))
    return state


def field(state: State[int], name: str) -> str:
    """A field of the position string by its name on the rules page."""
    return state.position().split(" ")[NAMES.index(name)]


def fields(state: State[int], *names: str) -> list[str]:
    return [field(state, name) for name in names]


def refusal(position: str, seats: int = 4, count: int = 10, play_on: bool = False) -> str:
    """The error for a string with these options, or "" if it is accepted."""
    try:
        GAME.parse_position(position, seats, options(count, play_on))
    except PositionError as error:
        return str(error)
    return ""
