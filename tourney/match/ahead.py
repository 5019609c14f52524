"""Sandboxes that are made before their bots start: those of a match, or of the match after it."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NamedTuple

from tourney.bots.channel.base import Channel
from tourney.bots.sandbox.processors import Processors, started_on
from tourney.errors import SandboxError
from tourney.match.spec import Entrant, Limits


class WaitingBot(NamedTuple):
    """A sandbox whose bot has not started: ``start`` it (raises SandboxError), or ``end`` the sandbox."""

    start: Callable[[], Channel]
    end: Callable[[], None]


class Place(NamedTuple):
    """A bot to start: its entrant, its limits, and the processors that it may use (() for all)."""

    entrant: Entrant
    limits: Limits
    processors: Processors

    @property
    def key(self) -> object:
        """What a bot's process depends on: equal for bots that can stand in for each other."""
        return self.entrant.digest, self.entrant.args, self.limits.memory_mb, self.processors


Holder = Callable[[Entrant, Limits], WaitingBot | None]
"""Makes the sandbox of an entrant's bot; None if its kind starts bots at once. Raises what Launcher does."""


class Ahead:
    """The sandboxes that wait for their bots."""

    def __init__(self, hold: Holder) -> None:
        self._hold = hold
        self._waiting: list[tuple[object, WaitingBot]] = []

    def make(self, places: Iterable[Place]) -> None:
        """Make a sandbox for each place that has none yet, all at the same time. Raises what Holder does."""
        there = [key for key, _ in self._waiting]
        for place in places:
            if place.key in there:
                there.remove(place.key)
                continue
            with started_on(place.processors):
                waiting = self._hold(place.entrant, place.limits)
            if waiting is not None:
                self._waiting.append((place.key, waiting))

    def start(self, place: Place) -> Channel | None:
        """Start a bot in the sandbox that waits for it; None if there is none, or if it died meanwhile."""
        for number, (key, waiting) in enumerate(self._waiting):
            if key == place.key:
                del self._waiting[number]
                with suppress(SandboxError):
                    return waiting.start()
                return None
        return None

    def end(self) -> None:
        """End all of them."""
        while self._waiting:
            self._waiting.pop()[1].end()
