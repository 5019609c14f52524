"""Golden games: one committed match a game, played by bots that ship, whose record must verify for ever.

Their limits are far away, so that nothing but rules, seeds and bots decides what is played.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tourney.bots.resolve import resolve_bot
from tourney.bots.sandbox import Sandbox
from tourney.bots.store import BotStore
from tourney.match.launch import StoreLaunch
from tourney.match.record import Record
from tourney.match.room import Room
from tourney.match.spec import Entrant, Limits, MatchSpec

LIMITS: Final = Limits(move_ms=60_000, startup_ms=60_000)


@dataclass(frozen=True, slots=True)
class Golden:
    """A golden game: who plays, in seat order, and the match's seed."""

    bots: tuple[str, ...]
    seed: int
    options: tuple[tuple[str, str], ...] = ()


GAMES: Final[Mapping[str, Golden]] = {
    "cyvasse": Golden(("greedy", "random"), 4),
    "element": Golden(("greedy", "random", "pebble"), 4),
    "sage-stones": Golden(("greedy", "random", "pebble", "greedy"), 5, (("play-on", "yes"),)),
    "sages-tafl": Golden(("greedy", "random"), 4),
    "seven-sages": Golden(("greedy", "random"), 4),
}


def play_golden(game: str, golden: Golden, store: BotStore, sandbox: Sandbox) -> Record:
    """Play a golden game with the bots as they ship now, and return its record.

    Raises what ``Room.play`` raises.
    """
    bots = [resolve_bot(name, store) for name in golden.bots]
    seats = tuple(
        Entrant(f"{bot.manifest.name}-{seat}", bot.manifest.name, bot.manifest.version, (), bot.digest)
        for seat, bot in enumerate(bots, start=1)
    )
    spec = MatchSpec(game, golden.options, seats, golden.seed, LIMITS)
    with Room(StoreLaunch(store, sandbox), sandbox=sandbox) as room:
        return room.play(spec).record
