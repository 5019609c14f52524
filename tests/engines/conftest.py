"""Fixtures for the tests of shipped bots: a bot store and a match runner."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tourney.bots.catalogue.store import BotStore, resolve_bot
from tourney.bots.sandbox.base import open_sandbox
from tourney.match.match_runner import MatchRunner, StoreLauncher
from tourney.match.result import PlayedMatch
from tourney.match.spec import Entrant, Limits, MatchSpec

Play = Callable[..., PlayedMatch]


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> BotStore:
    return BotStore(tmp_path_factory.mktemp("shipped") / "store")


def room_of(store: BotStore, *, reuse: bool = False) -> MatchRunner:
    """Return a room that plays the bots of a store, without a sandbox."""
    sandbox = open_sandbox("off")
    return MatchRunner(StoreLauncher(store, sandbox), sandbox=sandbox, reuse=reuse)


def spec_of(store: BotStore, game: str, names: Sequence[str], seed: int) -> MatchSpec:
    """Return a match of shipped bots with generous limits, so that a busy machine does not matter."""
    seats = []
    for name in names:
        bot = resolve_bot(name, store, Path("/"))
        seats.append(Entrant(name, bot.manifest.name, bot.manifest.version, (), bot.digest))
    return MatchSpec(game, (), tuple(seats), seed, Limits(move_ms=60_000, startup_ms=60_000))


@pytest.fixture(scope="module")
def play(shipped: BotStore) -> Iterator[Play]:
    """Return a function that plays matches of shipped bots in the same processes."""
    with room_of(shipped, reuse=True) as room:
        yield lambda game, *names, seed: room.play(spec_of(shipped, game, names, seed))
