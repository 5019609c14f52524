"""Game and State: what every game offers, in the field's words (OpenSpiel's where it has one).

A State is an immutable value; playing an action gives a new State. In every position one actor acts: a
seat (1..n), chance, or nobody (over). Actions are small hashable values inside and strings at the border.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

from tourney.errors import ActionError, OptionError, PositionError

if TYPE_CHECKING:
    from tourney.games.diagram import Diagram
    from tourney.seeds import Draw

CHANCE = 0
"""The actor of a chance node."""
OVER = -1
"""The actor of a finished game."""

Action = Hashable
"""What a game uses for its actions inside: any small hashable value, most often an int."""

A = TypeVar("A", bound=Hashable)

ACTION_PATTERN = re.compile(r"[!-~]{1,200}", re.ASCII)
"""What an action string may look like, in any game."""


class Option(NamedTuple):
    """One option of a game: its name, default, allowed values and a line of help. Values are strings."""

    name: str
    default: str
    values: tuple[str, ...]
    help: str

    def check(self, value: str) -> str:
        """Return the value, or raise OptionError that names what is allowed."""
        if value not in self.values:
            raise OptionError(f"option {self.name}={value} is not one of {', '.join(self.values)}")
        return value


class GoldenMatch(NamedTuple):
    """The match of ``seeds/golden``: shipped bots in seat order, the match seed, options."""

    bots: tuple[str, ...]
    seed: int
    options: tuple[tuple[str, str], ...] = ()


class OpeningBook(NamedTuple):
    """What ``seeds/GAME.book`` needs of a game whose board is its own mirror image, left to right.

    ``files`` are the letters of the files from left to right; ``points`` is the index of the field of a
    position string that reads ``0:0`` before the first point; ``pieces`` are the indices of the fields whose
    letters are pieces.
    """

    files: str
    points: int
    pieces: tuple[int, ...]


class State(ABC, Generic[A]):
    """A position, with whatever history its rules count. Immutable: nothing changes it once made.

    A subclass gives ``actor`` and ``seats`` as properties.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def seats(self) -> int:
        """The number of seats at the table."""

    @property
    @abstractmethod
    def actor(self) -> int:
        """Who acts: a seat 1..n, CHANCE (0) or OVER (-1)."""

    @abstractmethod
    def legal_actions(self) -> Sequence[A]:
        """List the legal actions (at chance: the outcomes), sorted by their strings, without doubles.

        Empty only when the game is over. The list is the caller's to read, not to change.
        """

    @abstractmethod
    def play(self, action: A) -> State[A]:
        """Return the state after an action.

        The action must be legal: it is not checked here (see ``is_legal``, ``Game.read_action``).
        """

    @abstractmethod
    def ranks(self) -> tuple[int, ...] | None:
        """Return each seat's rank (1 + the number of seats strictly better), or None while not over."""

    @abstractmethod
    def reason(self) -> str:
        """Return the game's word for why it is over (``[a-z][a-z0-9-]*``), or "" while not over."""

    @abstractmethod
    def position(self) -> str:
        """Return the position string, as the game's page defines it."""

    def observation(self, seat: int) -> str:  # noqa: ARG002 - games with hidden parts use it
        """Return what a seat may see of the position: the same string with hidden parts masked."""
        return self.position()

    def is_legal(self, action: A) -> bool:
        """Say whether an action is legal here; a game overrides it where it can be quicker."""
        return action in self.legal_actions()

    def chance_weights(self) -> Sequence[int]:
        """Return the outcomes' integer weights, in the order of ``legal_actions``; at chance only."""
        raise ValueError("this is no chance node")

    def visible(self, action: A, seat: int) -> bool:  # noqa: ARG002 - games with hidden actions use both
        """Say whether a seat sees which action is played from this state; if not it is sent as ``?``."""
        return True

    def revealed(self) -> bool:
        """Say whether all actions that were hidden on the way to this state are open in it."""
        return True


class Game(ABC, Generic[A]):
    """The rules of one game: makes states and reads and writes strings. Holds no state of its own.

    A third party's game is a subclass named by an entry point of the group ``tourney.games``; it is
    constructed without arguments.
    """

    name: ClassVar[str]
    """``[a-z][a-z0-9-]*``; the name of its entry point."""
    title: ClassVar[str]
    """For people."""
    rules: ClassVar[str]
    """The version of the rules, as "1"; part of every record. Raise it when a legal action, a string or a
    result changes."""
    seat_counts: ClassVar[tuple[int, ...]]
    """The numbers of seats it can be played with, ascending."""
    seat_names: ClassVar[tuple[str, ...]]
    """What the seats are called on pages, as ("Black", "Red"); at least as many as the largest count."""
    options: ClassVar[tuple[Option, ...]] = ()
    has_chance: ClassVar[bool] = False
    has_hidden_actions: ClassVar[bool] = False
    has_positions: ClassVar[bool] = True
    """Whether ``parse_position`` works; without it ``position`` is the history of actions."""
    max_actions: ClassVar[int]
    """No game of it has more actions than this, chance counted."""
    diagram_plies: ClassVar[int] = 20
    """The actions played before the diagram in ``docs/rules``; enough to show typical play."""
    golden_match: ClassVar[GoldenMatch | None] = None
    opening_book: ClassVar[OpeningBook | None] = None

    @abstractmethod
    def initial(self, seats: int, options: Mapping[str, str]) -> State[A]:
        """Return the first state; ``seats`` and ``options`` have been checked by ``new``."""

    @abstractmethod
    def action_string(self, action: A) -> str:
        """Return an action's string, ``[!-~]{1,200}``; the same in every state."""

    @abstractmethod
    def parse_action(self, text: str) -> A:
        """Return the action that a string names, or raise ActionError; the inverse of ``action_string``.

        Whether the action is legal somewhere is not asked here.
        """

    def new(self, seats: int | None = None, options: Mapping[str, str] | None = None) -> State[A]:
        """Return the first state; without ``seats`` the game's smallest. Raises OptionError."""
        count, full = self.settings(seats, options)
        return self.initial(count, full)

    def settings(
        self, seats: int | None = None, options: Mapping[str, str] | None = None
    ) -> tuple[int, dict[str, str]]:
        """Check seats and options and fill in defaults, in the order of ``options``. Raises OptionError."""
        count = self.seat_counts[0] if seats is None else seats
        if count not in self.seat_counts:
            allowed = ", ".join(map(str, self.seat_counts))
            raise OptionError(f"{self.name} is played with {allowed} seats, not {count}")
        given = dict(options or {})
        full = {o.name: o.check(given.pop(o.name)) if o.name in given else o.default for o in self.options}
        for key in given:
            names = ", ".join(o.name for o in self.options) or "none"
            raise OptionError(f"{self.name} has no option {key}; its options: {names}")
        self.check_settings(count, full)
        return count, full

    def check_settings(self, seats: int, options: Mapping[str, str]) -> None:
        """Raise OptionError where seats and options do not go together."""

    def has_single_winner(self, seats: int, options: Mapping[str, str]) -> bool:  # noqa: ARG002 - for subclasses
        """Say whether every game has one winner and all other seats share rank 2; the default is no.

        Ratings derive the default draw probability from it. ``seats`` and ``options`` are full and checked.
        """
        return False

    def parse_position(
        self,
        text: str,  # noqa: ARG002 - games that have positions read it
        seats: int,  # noqa: ARG002 - likewise
        options: Mapping[str, str],  # noqa: ARG002 - likewise
    ) -> State[A]:
        """Return the state a position string names, without history, or raise PositionError.

        ``seats`` and ``options`` are full and checked (as ``settings`` returns them).
        """
        raise PositionError(f"{self.name} cannot read positions: play its actions from the start instead")

    def read_action(self, state: State[A], text: str) -> A:
        """Return the legal action that a string names in a state, or raise ActionError."""
        action = self.parse_action(text)
        if not state.is_legal(action):
            raise ActionError(f"action {text} is not legal here")
        return action

    def sample(
        self,
        observation: str,  # noqa: ARG002 - games that can sample read it
        seat: int,  # noqa: ARG002 - likewise
        draw: Draw,  # noqa: ARG002 - likewise
    ) -> State[A]:
        """Return a full state that fits what a seat sees, drawn by ``draw``; for bots that search.

        A game without hidden parts reads the observation as a position, so a chance still to come is
        drawn by the game itself. Raises PositionError.
        """
        raise PositionError(f"{self.name} cannot sample states")

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        """Draw a position string or an observation, with the last action's string marked if given."""
        from tourney.games.diagram import plain_diagram  # noqa: PLC0415 - bots, which start often, draw nothing

        return plain_diagram(view, last)


AnyGame = Game[Any]
AnyState = State[Any]
