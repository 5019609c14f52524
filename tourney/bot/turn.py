"""A turn: what a bot is given when it is asked for an action."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

from tourney.seeds import stream

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tourney.games.base import AnyGame, AnyState
    from tourney.seeds import Draw

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


_SETTINGS = ("seats", "seat", "seed", "move", "clock", "inc", "nodes")


class Match:
    """A game from its ``game`` line on.

    ``game_name``, ``seats``, ``seat`` (1..seats) and ``options`` as told. ``seed`` is the bot's own;
    ``draw(total)`` draws from it, uniform in ``range(total)``, the same in every run. ``move_ms``,
    ``clock_ms``, ``increment_ms`` and ``nodes`` are the limits, None where there is none. ``memory`` is the
    bot's, to keep what it likes from turn to turn.

    ``history`` holds (seat, action string) in order, seat 0 for chance, None for an action not to be seen.
    ``withdrawn`` holds the seats that play no more, in the order in which they left.
    """

    def __init__(self, game_name: str, settings: Mapping[str, str], *, options: Mapping[str, str]) -> None:
        self.game_name = game_name
        self.seats = int(settings["seats"])
        self.seat = int(settings["seat"])
        self.seed = int(settings["seed"])
        self.options = dict(options)
        self.move_ms = _number(settings.get("move"))
        self.clock_ms = _number(settings.get("clock"))
        self.increment_ms = _number(settings.get("inc")) or 0
        self.nodes = _number(settings.get("nodes"))
        self.history: list[tuple[int, str | None]] = []
        self.withdrawn: list[int] = []
        self.memory: dict[str, Any] = {}
        self.draw: Draw = stream(self.seed, "draw")
        self._sample_draw: Draw = stream(self.seed, "sample")
        self._game: AnyGame | None = None
        self._state: AnyState | None = None
        self._played = 0

    @classmethod
    def from_words(cls, words: list[str]) -> Match:
        """Return the match of a ``game`` line's words; what is no setting of the protocol's is an option."""
        pairs = dict(word.split("=", 1) for word in words[2:])
        settings = {key: pairs.pop(key) for key in _SETTINGS if key in pairs}
        return cls(words[1], settings, options=pairs)

    @property
    def game(self) -> AnyGame:
        """The game's rules, loaded at the first use. Raises GameError if they are not installed."""
        if self._game is None:
            # Imported here, as a bot that only reads its legal actions starts in a third of the time.
            from tourney.games import find_game  # noqa: PLC0415 - see above

            self._game = find_game(self.game_name)
        return self._game

    @property
    def known(self) -> AnyState | None:
        """The state as it is, or None while it depends on an action that this seat may not see."""
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
        """Return a state that fits what this seat sees, drawn from the bot's seed."""
        state: AnyState = self.game.sample(observation, self.seat, self._sample_draw)
        return state

    def add(self, seat: int, action: str) -> None:
        """Note a ``play`` line."""
        self.history.append((seat, None if action == "?" else action))

    def reveal(self, seat: int, action: str) -> None:
        """Note a ``reveal`` line: the first action of that seat that is still hidden is opened."""
        for k in range(self._played, len(self.history)):
            if self.history[k] == (seat, None):
                self.history[k] = (seat, action)
                return


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)
