"""One game as a bot sees it: the settings, what was played, and the state that follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tourney.seeds import stream

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tourney.games.base import AnyGame, AnyState
    from tourney.seeds import Draw

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
