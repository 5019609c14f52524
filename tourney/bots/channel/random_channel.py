"""A built-in bot without a process: it plays uniformly at random, by its seed.

For manifests and benchmarks: its actions depend on the rules and on the seeds alone, so its matches are the
same on every machine and every version of Python.
"""

import hashlib
from collections import deque
from typing import Final

from tourney.bots.channel.base import Channel, Event
from tourney.protocol import BotMessage, Game, Go, Greeting, Hello, Legal, Move, Ready, decode_referee
from tourney.seeds import derive, uniform

NAME: Final = "drawn"
VERSION: Final = "1"
DIGEST: Final = hashlib.sha256(f"{NAME} {VERSION}".encode("ascii")).hexdigest()
"""Stands for a content digest: this bot has no files."""

GREETING: Final = Greeting(legal=True, pairs=(("name", NAME), ("version", VERSION)))


class RandomChannel(Channel):
    """Answers each line at once. It samples its j-th action of a game by ``derive(seed, "drawn", j)``."""

    def __init__(self) -> None:
        self._answers: deque[Event] = deque()
        self._seed = 0
        self._turn = 0
        self._legal: tuple[str, ...] = ()

    def send(self, data: bytes) -> None:
        """Read lines and prepare the answers."""
        for line in data.decode("utf-8").split("\n"):
            match decode_referee(line):
                case Hello():
                    self._answers.append(_event(GREETING))
                case Game(seed=seed):
                    self._seed, self._turn = seed, 0
                    self._answers.append(_event(Ready()))
                case Legal(actions):
                    self._legal = actions
                case Go():
                    self._answers.append(_event(self._choose()))

    def _choose(self) -> Move:
        number = uniform(derive(self._seed, NAME, self._turn), len(self._legal))
        self._turn += 1
        return Move(self._legal[number])

    def wait(self, deadline: int) -> Event:  # noqa: ARG002 - the answer is there
        """Return the next answer."""
        return self._answers.popleft() if self._answers else Event("timeout")


def _event(message: BotMessage) -> Event:
    return Event("line", message.encode().decode("utf-8").rstrip("\n"))
