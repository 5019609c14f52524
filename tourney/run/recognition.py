"""Says why a bot does not start: its protocol is an engine's.

Each question is put to a process of its own, as a bot may end at a line that it does not know.
"""

import re
import time
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
    try:
        found = next((one for one in GREETINGS if _answers(launch(entrant, limits), one, limits)), None)
    except TourneyError:  # of the machine; the match of the bot names it
        return ""
    return "" if found is None else f"it speaks {found.title}: {_advice(bot, found.protocol)}"


def _answers(channel: Channel, greeting: EngineGreeting, limits: Limits) -> bool:
    """Whether a bot that was just started answers a greeting; it is ended then."""
    try:
        channel.widen(*MAX_OUTPUT)
        channel.request(greeting.ask)
        deadline = time.monotonic_ns() + min(MAX_WAIT_MS, limits.startup_ms) * MS
        while (event := channel.wait(deadline)).kind == "line":
            if greeting.answer.fullmatch(event.text):
                return True
        return False
    finally:
        channel.close(0)


def _advice(bot: StoredBot, protocol: str) -> str:
    if (bot.folder / FILE_NAME).exists():
        return f'write protocol = "{protocol}" in its {FILE_NAME}'
    word = bot.manifest.command[0]
    return (
        f'put it in a folder with a {FILE_NAME} of name, version, command = ["{word}"] and protocol ='
        f' "{protocol}"; a tournament file takes [[entrant]] with command = ["PATH"] and the protocol instead'
    )
