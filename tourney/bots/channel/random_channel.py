"""A bot without a process: it draws each action uniformly, by the seed it is told.

For manifests and benchmarks: what it plays depends on the rules and on the seeds and on nothing else, not
even on a version of Python, so its matches come out the same everywhere and for ever.
"""

import hashlib
from collections import deque
from collections.abc import Sequence
from typing import Final

from tourney.bots.channel.base import Channel, Event
from tourney.seeds import derive, uniform

NAME: Final = "drawn"
VERSION: Final = "1"
DIGEST: Final = hashlib.sha256(f"{NAME} {VERSION}".encode("ascii")).hexdigest()
"""Stands for a content digest: this bot has no files."""


class RandomChannel(Channel):
    """Plays the referee's lines of legal actions: its j-th action of a game is drawn by ``drawn/j``."""

    def __init__(self) -> None:
        self._said: deque[Event] = deque()
        self._seed = 0
        self._turn = 0
        self._legal: list[str] = []

    def send(self, data: bytes) -> None:
        """Hear lines, and have the answers ready."""
        for line in data.decode("utf-8").split("\n"):
            word, _, rest = line.partition(" ")
            if word == "tourney":
                self._said.append(Event("line", f"bot name={NAME} version={VERSION} wants=legal"))
            elif word == "game":
                pairs = dict(pair.split("=", 1) for pair in rest.split(" ")[1:])
                self._seed, self._turn = int(pairs["seed"]), 0
                self._said.append(Event("line", "ready"))
            elif word == "legal":
                self._legal = rest.split(" ")
            elif word == "go":
                draw = uniform(derive(self._seed, NAME, self._turn), len(self._legal))
                self._turn += 1
                self._said.append(Event("line", f"move {self._legal[draw]}"))

    def pending(self) -> Sequence[Event]:
        """Return nothing: it never speaks out of turn."""
        return ()

    def request(self, data: bytes) -> None:
        """Hear lines, and have the answers ready."""
        self.send(data)

    def wait(self, deadline: int) -> Event:  # noqa: ARG002 - it has answered already
        """Return the answer."""
        return self._said.popleft() if self._said else Event("timeout")

    def take_stderr(self) -> Sequence[str]:
        """Return nothing."""
        return ()

    def cpu_ms(self) -> int | None:
        """Return None: its time is the referee's."""
        return None

    def freeze(self) -> None:
        """Do nothing."""

    def thaw(self) -> None:
        """Do nothing."""

    def close(self, grace: float) -> None:
        """Do nothing."""
