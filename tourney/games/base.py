"""The abstract bases of all games, Game and State, in OpenSpiel's terms.

A State is an immutable value; playing an action returns a new State. In every state one actor acts: a seat
(1..n), CHANCE or OVER (a finished game). Actions are small hashable values inside a game and strings outside.
"""

from __future__ import annotations

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, NamedTuple, TypeVar, get_args

from tourney.errors import ActionError, GameError, OptionError, PositionError
from tourney.seeds import pick

if TYPE_CHECKING:
    from tourney.games.core_base import Core
    from tourney.games.diagrams import Diagram
    from tourney.games.guide import Guide
    from tourney.games.view import AnyView
    from tourney.seeds import RandBelow

CHANCE = 0
"""The actor of a chance node."""
OVER = -1
"""The actor of a finished game."""

Action = Hashable
"""A game's internal representation of an action: a small hashable value, usually an int."""

A = TypeVar("A", bound=Hashable)

ACTION_PATTERN = re.compile(r"[!-~]{1,200}", re.ASCII)
"""The form of an action string in every game."""
GAME_PATTERN = re.compile(r"[a-z][a-z0-9-]{0,199}(:[A-Za-z0-9_.,=()+-]{1,200})?", re.ASCII)
"""The form of a game's name; a colon stands behind the name of its family."""

Termination = Literal["resign", "fault", "adjudication"]
"""Why a match ended before its game was over: the referee's words, which no game may use as its reason.

``resign``, ``fault``: so the last seat but one left the match. ``adjudication``: the referee ended it."""
TERMINATIONS: tuple[Termination, ...] = get_args(Termination)


class Option(NamedTuple):
    """An option of a game: name, default, allowed values (strings) and a line of help.

    ``later``: it came after records of the game were written. Its default stands nowhere (settings,
    positions, records, the line ``game`` of the bot protocol), so that their digests stay.
    """

    name: str
    default: str
    values: tuple[str, ...]
    help: str
    later: bool = False

    def check(self, value: str) -> str:
        """The value itself. Raises OptionError, which names the allowed values, for another one."""
        if value not in self.values:
            raise OptionError(f"option {self.name}={value} is not one of {', '.join(self.values)}")
        return value


class GoldenMatch(NamedTuple):
    """The match of ``seeds/golden``: shipped bots in seat order, the match seed, options."""

    bots: tuple[str, ...]
    seed: int
    options: tuple[tuple[str, str], ...] = ()


class OpeningBook(NamedTuple):
    """Facts for ``seeds/GAME.book`` of a game whose board is its own mirror image, left to right.

    ``files`` are the letters of the files from left to right; ``points`` is the index of the field of a
    position string that reads ``0:0`` before the first point; ``pieces`` are the indices of the fields whose
    letters are pieces.
    """

    files: str
    points: int
    pieces: tuple[int, ...]


class State(ABC, Generic[A]):
    """A position with the history that its rules need. Immutable.

    Subclasses provide ``actor`` and ``seats`` as attributes or properties.
    """

    __slots__ = ()

    @property
    def game(self) -> AnyGame | None:
        """The rules of this state, or None: a class of states sets it, so that ``view`` and ``str`` work."""
        return None

    @property
    @abstractmethod
    def seats(self) -> int:
        """The number of seats at the table."""

    @property
    @abstractmethod
    def actor(self) -> int:
        """The seat to act (1..n), CHANCE (0) or OVER (-1)."""

    @abstractmethod
    def legal_actions(self) -> Sequence[A]:
        """List the legal actions (at chance: the outcomes), unique and sorted by their strings.

        Empty only when the game is over. Callers must not change the list.
        """

    @abstractmethod
    def play(self, action: A) -> State[A]:
        """The state after a legal action. Legality is not checked (see ``is_legal``)."""

    @abstractmethod
    def ranks(self) -> tuple[int, ...] | None:
        """Each seat's rank (1 + the number of seats strictly better), or None while not over."""

    @abstractmethod
    def reason(self) -> str:
        """Why the game is over, one word (``[a-z][a-z0-9-]*``), or "" while not over."""

    @abstractmethod
    def position(self) -> str:
        """The position string, as the game's rules page defines it."""

    def observation(self, seat: int) -> str:  # noqa: ARG002 - for games with hidden parts
        """The position string with everything masked that is hidden from a seat."""
        return self.position()

    def is_legal(self, action: A) -> bool:
        """Whether an action is legal here. Override it where a faster test exists."""
        return action in self.legal_actions()

    def chance_weights(self) -> Sequence[int]:
        """The integer weights of the outcomes, in ``legal_actions`` order. Raises ValueError."""
        raise ValueError("chance does not act in this state")

    def outcome(self, u: int) -> A:
        """The outcome that chance has by a random integer of 64 bits; see ``pick``. Raises ValueError."""
        return pick(u, self.legal_actions(), self.chance_weights())

    def irreversible(self) -> bool:
        """Whether draw adjudication starts to count again: after a capture or a pawn move of chess."""
        return False

    def can_win(self, seat: int) -> bool:  # noqa: ARG002 - for games with laws
        """Whether some series of actions might still let a seat win."""
        return True

    def numbered_plies(self) -> int | None:
        """The actions of seats before this position by its own number, or None if it has none."""
        return None

    def ending(self) -> int:
        """The number of pieces if tables of endings may know this position, otherwise 0."""
        return 0

    def visible(self, action: A, seat: int) -> bool:  # noqa: ARG002 - for games with hidden actions
        """Whether a seat sees an action played from this state; otherwise it receives ``?``."""
        return True

    def revealed(self) -> bool:
        """Whether all actions hidden on the way to this state are now open."""
        return True

    def view(self, seat: int | None = None) -> AnyView:
        """What is to be seen here by names, or what a seat sees. Raises GameError without ``game``."""
        game = self.game
        if game is None:
            raise GameError(
                f"{type(self).__name__} does not say to which game it belongs; set its attribute game"
            )
        return game.view(self.position() if seat is None else self.observation(seat))

    def __str__(self) -> str:
        """The board as text, or the position string if ``game`` is not set."""
        from tourney.games.view import board_text  # noqa: PLC0415 - most bots print nothing

        game = self.game
        return self.position() if game is None else board_text(game, self.position())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.position()}>"


class Game(ABC, Generic[A]):
    """The rules of one game: creates states, and parses and prints strings. Has no state of its own.

    A plugin names a subclass by an entry point of the group ``tourney.games``. It is constructed without
    arguments. A family (``tourney.games.registry``) makes instances that differ in these attributes.
    """

    name: str
    """``[a-z][a-z0-9-]*``, equal to the name of its entry point; in a family ``FAMILY:TEXT``."""
    title: str
    """The name shown to people."""
    rules: str
    """The version of the rules, such as "1", part of every record. Raise it when a legal action, a string or
    a result changes."""
    seat_counts: tuple[int, ...]
    """The allowed numbers of seats, ascending."""
    seat_names: tuple[str, ...]
    """The names of the seats, such as ("Black", "Red"); at least as many as the largest seat count."""
    options: ClassVar[tuple[Option, ...]] = ()
    has_chance: bool = False
    has_hidden_actions: bool = False
    outside: ClassVar[bool] = False
    """Whether an outside referee plays the matches, so that there are results and no actions."""
    launcher: ClassVar[str] = ""
    """The launcher (``tourney.match.launcher``) of all its matches; "" if their limits decide."""
    observations_inform: bool = False
    """Whether observations tell a seat more than the actions that it sees. Then ``sample`` may refuse one."""
    has_positions: bool = True
    """Whether ``parse_position`` works; if not, ``position`` is the history of actions."""
    value_version: ClassVar[int] = 0
    """The version of ``values``, or 0 if there are none. Raise it when a value changes."""
    subtracts_luck: ClassVar[bool] = True
    """Whether luck by ``values`` explains enough of results to be kept and subtracted."""
    max_actions: int
    """The maximum number of actions in a game, including chance outcomes."""
    diagram_plies: ClassVar[int] = 20
    """The actions played before the diagram in ``docs/rules``; enough to show typical play."""
    golden_match: ClassVar[GoldenMatch | None] = None
    opening_book: ClassVar[OpeningBook | None] = None
    laws: ClassVar[str] = ""
    """The laws of its field that the referee follows in matches planned from now on (``Limits.laws``); "" if
    there are none. By them a seat out of time draws if the other one ``can_win`` no more, and adjudication
    counts the moves before a position that is set up. Laws that mean something else need another name."""
    guide_file: ClassVar[str] = "guide.toml"

    @abstractmethod
    def initial(self, seats: int, options: Mapping[str, str]) -> State[A]:
        """The first state; ``seats`` and ``options`` are full and checked."""

    @abstractmethod
    def action_string(self, action: A) -> str:
        """An action's string, ``[!-~]{1,200}``, the same in every state."""

    @abstractmethod
    def parse_action(self, text: str) -> A:
        """The action of a string; the inverse of ``action_string``. Raises ActionError.

        Legality is not checked.
        """

    def new(self, seats: int | None = None, options: Mapping[str, str] | None = None) -> State[A]:
        """The first state (default: the minimum of seats). Raises OptionError."""
        count, full = self.settings(seats, options)
        return self.initial(count, full)

    def settings(
        self, seats: int | None = None, options: Mapping[str, str] | None = None
    ) -> tuple[int, dict[str, str]]:
        """Check seats and options, and fill in defaults in the order of ``options``. Raises OptionError.

        An option that is ``later`` is left out where it has its default.
        """
        count = self.seat_counts[0] if seats is None else seats
        if count not in self.seat_counts:
            allowed = ", ".join(map(str, self.seat_counts))
            raise OptionError(f"{self.name} is played with {allowed} seats, not {count}")
        values = dict(options or {})
        full = {
            o.name: o.check(values.pop(o.name)) if o.name in values else o.default
            for o in self.options
            if o.name in values or not o.later
        }
        for key in values:
            names = ", ".join(o.name for o in self.options) or "none"
            raise OptionError(f"{self.name} has no option {key}; its options: {names}")
        self.check_settings(count, full)
        return count, {
            o.name: full[o.name]
            for o in self.options
            if full.get(o.name, o.default) != o.default or not o.later
        }

    def check_settings(self, seats: int, options: Mapping[str, str]) -> None:
        """Raise OptionError for a combination of seats and options that the game refuses.

        An option that is ``later`` is there only if it was given.
        """

    def has_single_winner(self, seats: int, options: Mapping[str, str]) -> bool:  # noqa: ARG002 - for subclasses
        """Whether every game has one winner and all other seats share rank 2; the default is no.

        Ratings derive the default draw probability from it. ``seats`` and ``options`` are full and checked.
        """
        return False

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> State[A]:  # noqa: ARG002 - for games with positions
        """The state of a position string, without history. Raises PositionError.

        ``seats`` and ``options`` are full and checked, as ``settings`` returns them.
        """
        raise PositionError(f"{self.name} cannot read positions: play its actions from the start instead")

    def read_action(self, state: State[A], text: str) -> A:
        """The legal action of a string in a state. Raises ActionError."""
        action = self.parse_action(text)
        if not state.is_legal(action):
            raise ActionError(f"action {text} is not legal here")
        return action

    def action_meant(self, state: State[A], text: str) -> str:
        """The legal action that the seat to act means by a text, spelled as players may. Raises ActionError.

        A text that is itself a legal action never means another one.
        """
        try:
            self.read_action(state, text)
        except ActionError:
            text = self.read_notation(state.observation(state.actor), text)
            self.read_action(state, text)
        return text

    def read_notation(self, view: str, text: str) -> str:  # noqa: ARG002 - most games have one notation
        """The action string of a move as players write it where a seat sees ``view``; else the text."""
        return text

    def notation(self, actions: Sequence[str], seats: int, options: Mapping[str, str]) -> Sequence[str]:  # noqa: ARG002 - most games have one notation
        """The actions of a game, from its start on, as people write them: one text each, without blanks.

        A no-break space separates words. ``seats`` and ``options`` are full and checked, and ``actions`` are
        legal; actions of which some are not stay as they are.
        """
        return actions

    def move_numbers(self, actions: Sequence[str], seats: int, options: Mapping[str, str]) -> Sequence[str]:  # noqa: ARG002 - most games count actions
        """The number that people write before each action, as ``4.`` and ``4...``; () if they count actions.

        An action without a number, such as a set-up, has "".
        """
        return ()

    def opening_name(self, actions: Sequence[str]) -> str:  # noqa: ARG002 - most games have no names of openings
        """The players' name of the opening of these actions, with its code first if it has one; or ""."""
        return ""

    def legal_texts(self, state: State[A]) -> tuple[str, ...]:
        """The strings of a state's legal actions, sorted."""
        return tuple(map(self.action_string, state.legal_actions()))

    def play_text(self, state: State[A], text: str) -> State[A]:
        """The state after the action of a string, which a seat plays. Raises ActionError.

        Override it where one step is quicker than parsing, testing and playing.
        """
        action = self.parse_action(text)
        if not state.is_legal(action):
            raise ActionError(f"action {text} is not legal here")
        return state.play(action)

    def play_outcome(self, state: State[A], u: int) -> tuple[str, State[A]]:
        """The outcome that chance has by a random integer of 64 bits, as a string, and the state after it."""
        action = state.outcome(u)
        return self.action_string(action), state.play(action)

    def set_up(self, text: str) -> str:  # noqa: ARG002 - for games with such openings
        """The action by which an opening begins at a position (such as an EPD). Raises GameError.

        The action is ``=`` with the position string, ``_`` for blanks; ``read_action`` takes it in the first
        state only, and no seat may play it.
        """
        raise PositionError(f"{self.name} takes no positions as openings")

    def read_line(self, text: str, *, position: bool) -> tuple[str, ...]:
        """The actions of a line of a book: a ``position``, or actions and blanks. Raises GameError."""
        return (self.set_up(text),) if position else tuple(text.split())

    def read_openings(
        self,
        form: str,
        blocks: Iterator[bytes],  # noqa: ARG002 - for games that PGN is written of
        plies: int,  # noqa: ARG002 - as above
    ) -> Iterator[tuple[str, Callable[[], tuple[str, ...]]]]:
        """Yield where each opening of a book stands, as errors name it, and a reader of its actions.

        ``form``: the end of the file's name, ``.pgn`` or ``.bin``; ``blocks``: its content in pieces of any
        size; ``plies``: the actions of an opening that will count, or 0 for all. Raises GameError for a file
        that is not such a book.

        The reader returns a set-up for a start of its own, then actions. It raises PositionError for an
        opening that cannot be read.
        """
        raise GameError(f"{self.name} has no books of the form {form}")

    def sample(self, observation: str, seat: int, randbelow: RandBelow) -> State[A]:  # noqa: ARG002 - for games that can sample
        """A random full state that fits a seat's observation, for bots that search.

        A game without hidden parts parses the observation as a position. Raises PositionError.
        """
        raise PositionError(f"{self.name} cannot sample states")

    def tables(self, pieces: int) -> Tables:  # noqa: ARG002 - for games with tables of endings
        """The tables of endings of this machine, for positions of up to ``pieces`` pieces.

        Raises GameError for a game without tables, and TablesError where tables are missing.
        """
        raise GameError(f"{self.name} has no tables of endings: leave tablebase-pieces out of [limits]")

    def values(self, state: State[A]) -> Sequence[int]:
        """What each seat's result will be on average, from -WIN to WIN of ``core_base``."""
        raise NotImplementedError(f"{type(self).__name__} has no values of {state!r}")

    def outlook(self, state: State[A]) -> Sequence[Sequence[int]]:
        """The values after each legal action."""
        return [self.values(state.play(action)) for action in state.legal_actions()]

    def scratch(self, state: State[A]) -> Core | None:  # noqa: ARG002 - for games with a core
        """A new core that holds a state, for search and playouts; None if the game has none."""
        return None

    def view(self, text: str) -> AnyView:
        """The readable view of a position string or an observation. Raises PositionError.

        The default is what the diagram shows.
        """
        from tourney.games.view import diagram_view  # noqa: PLC0415 - most bots need no views

        return diagram_view(self, text)

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        """The diagram of a position string or an observation, with the last action marked."""
        from tourney.games.diagrams import plain_diagram  # noqa: PLC0415 - bots start often and need no diagrams

        return plain_diagram(view, last)

    def guide(self) -> Guide | None:
        """The rules in short, for the game's page in reports, or None.

        The default reads ``guide_file`` beside the module of the game's class, if there is one.
        """
        from tourney.games.guide import guide_beside  # noqa: PLC0415 - bots need no guide

        return guide_beside(sys.modules[type(self).__module__], self.guide_file)

    def diagram_parts(self, view: str, last: str | None = None) -> tuple[Hashable, ...]:
        """A small value for each part of a diagram, so that a replay draws only what changed.

        The number of parts is the same for all views of a match. ``view`` is one that a state printed, so it
        is not checked. The default is one part. See ``diagram_part``.
        """
        return ((view, last),)

    def diagram_part(self, index: int, part: Any) -> Diagram:  # noqa: ARG002 - the default has one part
        """What one of the values of ``diagram_parts``, at its index, shows: a function of these alone.

        The parts joined are the diagram. The first has all cells. Notes are templates, in which ``field`` and
        ``LAST`` of ``tourney.games.diagrams`` stand for texts of the view; no two parts have a piece on one
        place.
        """
        return self.diagram(*part)


AnyGame = Game[Any]
AnyState = State[Any]
AnyAction = Any
"""An action of any game: a hashable value."""
Tables = Callable[[AnyState], tuple[int, ...] | None]
"""Returns the ranks of a state for which ``ending`` is in range; None if no table has it."""
