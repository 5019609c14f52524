"""From an entrant to its running process: the bot out of the store, by digest, into a sandbox."""

import time
from collections.abc import Callable
from pathlib import Path

from tourney.bots.catalogue.build import run_in, runnable_folder
from tourney.bots.catalogue.command import bot_command
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.bots.channel.base import Channel
from tourney.bots.sandbox.base import Sandbox
from tourney.match.spec import Entrant, Limits

Launch = Callable[[Entrant, Limits], Channel]
"""Starts the bot of an entrant. Raises BotError for one that is not there, SandboxError for the machine."""


class StoreLaunch:
    """Starts bots of a store in a sandbox; a ``Launch``.

    A bot's files are checked against its digest the first time that it is launched here.
    """

    def __init__(
        self, store: BotStore, sandbox: Sandbox, *, clock: Callable[[], int] = time.monotonic_ns
    ) -> None:
        self._store = store
        self._sandbox = sandbox
        self._clock = clock
        self._bots: dict[str, tuple[StoredBot, Path]] = {}

    def __call__(self, entrant: Entrant, limits: Limits) -> Channel:
        """Start the bot of an entrant and return the channel to it."""
        found = self._bots.get(entrant.digest)
        if found is None:
            bot = self._store.fetch(entrant.digest)
            found = self._bots[entrant.digest] = bot, runnable_folder(self._store, bot, run_in(self._sandbox))
        command = bot_command(found[0], entrant.args, found[1])
        return self._sandbox.spawn(command, memory_mb=limits.memory_mb, clock=self._clock)
