"""A bot's knowledge when it must act: the match so far, the turn, and the time to use."""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from tourney.protocol import HIDDEN
from tourney.seeds import stream

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tourney.games.base import AnyGame, AnyState
    from tourney.games.view import AnyView
    from tourney.protocol import Go, NewGame
    from tourney.seeds import RandBelow

T = TypeVar("T")


class Match:
    """A game from its ``game`` line on.

    ``game_name``, ``seats``, ``seat`` (1..seats) and ``options`` come from that line. ``seed`` is the bot's
    own; ``draw(total)`` samples from it, uniform in ``range(total)``, the same in every run. ``move_ms``,
    ``clock_ms``, ``increment_ms`` and ``nodes`` are the limits, None where there is none. ``memory`` is for
    the bot, to keep values from turn to turn.

    ``history`` holds (seat, action string) in order: seat 0 for chance, None for an action that this seat may
    not see. ``withdrawn`` holds the seats that play no more, in the order in which they left.
    """

    def __init__(self, line: NewGame) -> None:
        self.game_name = line.game
        self.seats = line.seats
        self.seat = line.seat
        self.seed = line.seed
        self.options = dict(line.options)
        self.move_ms = line.move_ms
        self.clock_ms = line.clock_ms
        self.increment_ms = line.increment_ms
        self.nodes = line.nodes
        self.history: list[tuple[int, str | None]] = []
        self.withdrawn: list[int] = []
        self.memory: dict[str, Any] = {}
        self.draw: RandBelow = stream(self.seed, "draw")
        self._sample_draw: RandBelow = stream(self.seed, "sample")
        self._state: AnyState | None = None
        self._played = 0

    @cached_property
    def game(self) -> AnyGame:
        """The game's rules, loaded at the first use. Raises GameError if they are not installed."""
        # Imported here, as a bot that only reads its legal actions starts in a third of the time.
        from tourney.games import find_game  # noqa: PLC0415 - see above

        return find_game(self.game_name)

    @property
    def known(self) -> AnyState | None:
        """The exact state, or None while it depends on an action that this seat may not see."""
        if self._state is None:
            self._state = self.game.new(self.seats, self.options)
        while self._played < len(self.history):
            action = self.history[self._played][1]
            if action is None:
                return None
            self._state = self._state.play(self.game.parse_action(action))
            self._played += 1
        return self._state

    def sample(self, observation: str) -> AnyState:
        """A state that fits an observation of this seat, sampled from the bot's seed."""
        state: AnyState = self.game.sample(observation, self.seat, self._sample_draw)
        return state

    def add(self, seat: int, action: str) -> None:
        """Record a ``play`` line."""
        self.history.append((seat, None if action == HIDDEN else action))

    def reveal(self, seat: int, action: str) -> None:
        """Record a ``reveal`` line: it opens the first action of that seat that is still hidden."""
        # Every action before this one is open, because it was played on the state.
        for k in range(self._played, len(self.history)):
            if self.history[k] == (seat, None):
                self.history[k] = (seat, action)
                return


class Turn:
    """One request for an action.

    ``match`` is the game it belongs to. ``move_ms`` and ``nodes`` are this turn's limits, None where there is
    none; ``clocks`` holds all seats' clocks in milliseconds, in seat order (empty without clocks), and
    ``increment_ms`` is added to the clock after each action.
    """

    def __init__(
        self,
        match: Match,
        limits: Go,
        position: str | None,
        legal: tuple[str, ...] | None,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.match = match
        self.move_ms = limits.move_ms
        self.nodes = limits.nodes
        self.clocks = tuple(limits.clocks_ms or ())
        self.increment_ms = limits.increment_ms
        self._position = position
        self._legal = legal
        self._say = say
        self._clock = clock
        self._began = clock()

    @property
    def game(self) -> AnyGame:
        """The game's rules."""
        return self.match.game

    @property
    def seat(self) -> int:
        """The bot's seat, 1..``seats``."""
        return self.match.seat

    @property
    def seats(self) -> int:
        """The number of seats."""
        return self.match.seats

    @property
    def exact(self) -> bool:
        """Whether ``state`` is the exact state, and not a sample."""
        return self.match.known is not None

    @cached_property
    def state(self) -> AnyState:
        """The state; while something in it is hidden, one sample that fits what the bot sees."""
        state = self.match.known
        return self.sample() if state is None else state

    @property
    def view(self) -> AnyView:
        """What the bot's seat sees of the position, by names; each game's class says what it has."""
        state = self.match.known
        return self.game.view(self.observation) if state is None else state.view(self.seat)

    @property
    def observation(self) -> str:
        """What the bot's seat sees of the position. Raises ValueError where ``run`` must request it."""
        if self._position is not None:
            return self._position
        state = self.match.known
        if state is None:
            raise ValueError(
                f"{self.match.game_name} hides actions, so request positions: run(choose, hidden=True)"
            )
        return state.observation(self.seat)

    @cached_property
    def legal(self) -> tuple[str, ...]:
        """The legal actions' strings, sorted."""
        return self.game.legal_texts(self.state) if self._legal is None else self._legal

    def sample(self) -> AnyState:
        """A full state that fits what the bot sees, sampled from its seed: another one at each call.

        In a game without hidden parts that is the position, without its history.
        """
        return self.match.sample(self.observation)

    def draw(self, total: int) -> int:
        """A random number from the bot's seed, uniform in ``range(total)``; use it for ``random``."""
        return self.match.draw(total)

    def pick(self, choices: Sequence[T]) -> T:
        """One of several choices, sampled from the bot's seed."""
        return choices[self.match.draw(len(choices))]

    def elapsed_ms(self) -> int:
        """The milliseconds since the turn began."""
        return int((self._clock() - self._began) * 1000)

    def left_ms(self) -> int | None:
        """The milliseconds until this turn's time is up (move limit or own clock), or None."""
        limits = [self.move_ms] if self.move_ms is not None else []
        if self.clocks:
            limits.append(self.clocks[self.seat - 1])
        return min(limits) - self.elapsed_ms() if limits else None

    def info(self, text: str = "", **values: object) -> None:
        """Write to the match log: ``info("late", score=0.31, depth=7)`` logs ``score=0.31 depth=7 late``.

        The match's page shows values and text, and plots every number. Text beyond the referee's allowance
        between two requests is dropped.
        """
        words = [f"{key}={value}" for key, value in values.items()]
        if text:
            words.append(text)
        if words:
            self._say(" ".join(words))


RESERVE_MS = 50
"""Kept back from every limit for the way to the referee and for a last step of a search."""
ACTIONS_LEFT = 30
"""The actions that the clock must still last for, as a rule."""


def allot(turn: Turn, actions_left: int = ACTIONS_LEFT) -> int | None:
    """The milliseconds to use for a turn, counted from its start, or None without a limit.

    Of a clock it is a share: what is left divided by ``actions_left``, and three quarters of the increment,
    but at most half of the clock. Of a move limit it is all. RESERVE_MS, or a sixth where that is more, is
    kept back from both, so the result is less than every limit, and 0 if the limit is not above the reserve.
    It depends on the limits only.
    """
    if actions_left < 1:
        raise ValueError(f"actions_left is {actions_left}, but must be at least 1")
    shares = []
    if turn.move_ms is not None:
        shares.append(_usable(turn.move_ms))
    if turn.clocks:
        clock = turn.clocks[turn.seat - 1]
        usable = _usable(clock)
        share = usable // actions_left + turn.increment_ms * 3 // 4
        shares.append(min(share, usable, max(clock, 0) // 2))
    return min(shares) if shares else None


def _usable(limit: int) -> int:
    return max(0, limit - max(RESERVE_MS, limit // 6))


DEFAULT_NODES = 1_000
"""The nodes of a turn without any limit."""


class Budget:
    """Counts nodes, and says when to stop.

    ``nodes`` is the number of nodes (None: no limit). ``deadline`` is the time at which to stop, as ``clock``
    shows it. Give one of them: only a search that is limited by nodes alone decides the same everywhere.
    """

    __slots__ = ("_clock", "_deadline", "_nodes", "spent")

    def __init__(
        self,
        nodes: int | None = None,
        deadline: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if nodes is None and deadline is None:
            raise ValueError("a budget needs a number of nodes or a deadline")
        self._nodes = nodes
        self._deadline = deadline
        self._clock = clock
        self.spent = 0

    @classmethod
    def of(cls, turn: Turn, nodes: int | None = None) -> Budget:
        """The budget of a turn.

        ``nodes`` (an argument of the bot) comes first, then the tournament's ``nodes``, then a share of the
        clock by ``allot``, and without any limit DEFAULT_NODES. A number of nodes ignores the clock.
        """
        nodes = turn.nodes if nodes is None else nodes
        if nodes is not None:
            return cls(nodes)
        share = allot(turn)
        if share is None:
            return cls(DEFAULT_NODES)
        return cls(None, share, turn.elapsed_ms)

    def out(self) -> bool:
        """Whether the budget is spent."""
        if self._nodes is not None and self.spent >= self._nodes:
            return True
        return self._deadline is not None and self._clock() >= self._deadline

    def spend(self) -> bool:
        """Count a node, and return True; return False without counting it if the budget is spent."""
        if self.out():
            return False
        self.spent += 1
        return True
