"""Says why a bot does not start: its protocol is an engine's.

Each question is put to a process of its own, as a bot may end at a line that it does not know.
"""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from tourney.bots.adapters.engine_channel import MAX_OUTPUT
from tourney.bots.catalogue.manifest import FILE_NAME
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.bots.channel.interface import Channel
from tourney.bots.sandbox.sandbox import Sandbox
from tourney.errors import TourneyError
from tourney.match.match_runner import StoreLauncher, entrant_of
from tourney.match.player import LATE, MS
from tourney.match.spec import Limits

MAX_WAIT_MS: Final = 3_000  # for each answer


class EngineGreeting(NamedTuple):
    """What to write in ``bot.toml``, the name for people, the line that asks, and the answer to it."""

    protocol: str
    title: str
    ask: bytes
    answer: re.Pattern[str]


GREETINGS: Final = (
    EngineGreeting("uci", "UCI", b"uci\n", re.compile(r"uciok\s*")),
    EngineGreeting("gtp", "GTP", b"1 protocol_version\n", re.compile(r"=1\s+[0-9]+\s*", re.ASCII)),
    EngineGreeting("xboard", "xboard's protocol", b"xboard\nprotover 2\n", re.compile(r"feature .*")),
    EngineGreeting("gomocup", "Gomocup's protocol", b"ABOUT\n", re.compile(r'.*\bname\s*=\s*".*')),
)


def start_advice(bot: StoredBot, store: BotStore, sandbox: Sandbox, limits: Limits, note: str = "") -> str:
    """What a bot that fails at start-up should change, found out by asking it; "" if that is not known.

    ``note`` is the match log's: a bot that it gives advice to is not asked.
    """
    if bot.manifest.protocol != "tourney" or bot.manifest.module is not None or LATE in note:
        return ""
    entrant, launch = entrant_of(bot, bot.manifest.name), StoreLauncher(store, sandbox)
    asker = _Asker(lambda: launch(entrant, limits), limits.startup_ms)
    try:
        found = next((one for one in GREETINGS if asker.answers(one)), None)
    except TourneyError:  # of the machine; the match of the bot names it
        return ""
    return "" if found is None else f"it speaks {found.title}: {_advice(bot, found.protocol)}"


def _advice(bot: StoredBot, protocol: str) -> str:
    if (bot.folder / FILE_NAME).exists():
        return f'write protocol = "{protocol}" in its {FILE_NAME}'
    word = bot.manifest.command[0]
    return (
        f'put it in a folder with a {FILE_NAME} of name, version, command = ["{word}"] and protocol ='
        f' "{protocol}"; a tournament file takes [[entrant]] with command = ["PATH"] and the protocol instead'
    )


class _Asker:
    """Starts a bot for each question, and waits for each answer."""

    def __init__(self, start: Callable[[], Channel], startup_ms: int) -> None:
        self._start = start
        self._startup_ms = startup_ms

    def answers(self, greeting: EngineGreeting) -> bool:
        """Whether the bot answers a greeting."""
        with self._asked(greeting.ask) as channel:
            return any(greeting.answer.fullmatch(line) for line in self._lines(channel, MAX_WAIT_MS))

    @contextmanager
    def _asked(self, line: bytes) -> Iterator[Channel]:
        channel = self._start()
        try:
            channel.widen(*MAX_OUTPUT)
            channel.request(line)
            yield channel
        finally:
            channel.close(0)

    def _lines(self, channel: Channel, most_ms: int) -> Iterator[str]:
        deadline = time.monotonic_ns() + min(most_ms, self._startup_ms) * MS
        while (event := channel.wait(deadline)).kind == "line":
            yield event.text
