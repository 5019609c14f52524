"""A turn: what a bot is given when it is asked for an action."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tourney.bot.match import Match
    from tourney.games.base import AnyGame, AnyState

T = TypeVar("T")


class Turn:
    """One request for an action.

    ``match`` is the game it belongs to. ``move_ms``, ``nodes`` are this turn's limits, ``clocks`` holds all
    seats' clocks in milliseconds, in seat order (empty without clocks), ``increment_ms`` what each action
    adds; None where there is no such limit.
    """

    def __init__(
        self,
        match: Match,
        *,
        limits: dict[str, str],
        position: str | None,
        legal: tuple[str, ...] | None,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.match = match
        self.move_ms = int(limits["move"]) if "move" in limits else None
        self.nodes = int(limits["nodes"]) if "nodes" in limits else None
        self.clocks = tuple(int(ms) for ms in limits["clocks"].split(",")) if "clocks" in limits else ()
        self.increment_ms = int(limits.get("inc", "0"))
        self._position = position
        self._legal = legal
        self._say = say
        self._clock = clock
        self._began = clock()
        self._sampled: AnyState | None = None

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
        """The number of seats at the table."""
        return self.match.seats

    @property
    def exact(self) -> bool:
        """Whether ``state`` is the state as it is, and not a sample."""
        return self.match.known is not None

    @property
    def state(self) -> AnyState:
        """The state; while something in it is hidden, one sample that fits what the bot sees."""
        known = self.match.known
        if known is not None:
            return known
        if self._sampled is None:
            self._sampled = self.sample()
        return self._sampled

    @property
    def observation(self) -> str:
        """What the bot's seat sees of the position. Raises ValueError if that had to be asked for."""
        if self._position is not None:
            return self._position
        known = self.match.known
        if known is None:
            raise ValueError(
                f"{self.match.game_name} hides actions, so ask for positions: run(choose, hidden=True)"
            )
        return known.observation(self.seat)

    @property
    def legal(self) -> tuple[str, ...]:
        """The legal actions' strings, sorted."""
        if self._legal is None:
            self._legal = tuple(map(self.game.action_string, self.state.legal_actions()))
        return self._legal

    def sample(self) -> AnyState:
        """Return a full state that fits what the bot sees, drawn from its seed: another one at each call.

        In a game without hidden parts that is the position, without its history.
        """
        return self.match.sample(self.observation)

    def draw(self, total: int) -> int:
        """Return the next draw from the bot's seed, uniform in ``range(total)``, instead of ``random``."""
        return self.match.draw(total)

    def pick(self, choices: Sequence[T]) -> T:
        """Return one of several, drawn from the bot's seed."""
        return choices[self.match.draw(len(choices))]

    def elapsed_ms(self) -> int:
        """Return the milliseconds since the turn began."""
        return int((self._clock() - self._began) * 1000)

    def left_ms(self) -> int | None:
        """Return the milliseconds until this turn's time is up (move limit or own clock), or None."""
        limits = [self.move_ms] if self.move_ms is not None else []
        if self.clocks:
            limits.append(self.clocks[self.seat - 1])
        return min(limits) - self.elapsed_ms() if limits else None

    def info(self, text: str = "", **values: object) -> None:
        """Write to the match log: ``info("late", score=0.31, depth=7)`` logs ``score=0.31 depth=7 late``.

        ``score`` and ``depth`` feed the replay's plots. Beyond what the referee hears between two requests
        it is dropped.
        """
        words = [f"{key}={value}" for key, value in values.items()]
        if text:
            words.append(text)
        if words:
            self._say(" ".join(words))
