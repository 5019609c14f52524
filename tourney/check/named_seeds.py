"""Manifests of named seeds: matches of bots that need no process, with the digests of their records.

JSON lines, an object each::

    {"name": "tafl-1", "game": "sages-tafl", "seats": 2, "seed": "7", "digest": "9f..."}

``options`` (an object) and ``opening`` (as in a record) may be added. The built-in bot ``drawn`` plays every
seat under ``LIMITS``: uniformly at random, by its seed. So a digest depends only on the rules, the seeds and
the form of the record: it is the same on every machine and every version of Python.
"""

import hashlib
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

from msgspec import Meta, Struct, structs

from tourney.bots.channel.interface import Channel, Event, line_event
from tourney.check.record import Finding, verify
from tourney.errors import RecordError
from tourney.games.registry import find_game
from tourney.match.play import play_match
from tourney.match.player import Player
from tourney.match.record import MAX_SEATS
from tourney.match.result import PlayedMatch
from tourney.match.spec import Entrant, Limits, MatchSpec, Opening, check_exact
from tourney.parsing import read_json_lines
from tourney.protocol import Go, Greeting, Hello, Legal, Move, NewGame, Ready, decode_referee
from tourney.schema import Digest, GameName, Name, SchemaError, Text, U64Text, check_bits, read
from tourney.seeds import derive, uniform

LIMITS = Limits(move_ms=1000, margin_ms=50, startup_ms=10_000, memory_mb=4096, charge="wall", ponder="allow")
"""The limits in the records of named seeds; they stay when the defaults change."""
DRAWN: Final = Entrant("drawn", "drawn", "1", (), hashlib.sha256(b"drawn 1").hexdigest())
"""The random bot as an entrant; it has no files, so the digest is that of its name and version."""
_GREETING = Greeting(legal=True, pairs=(("name", "drawn"), ("version", "1")))


class RandomChannel(Channel):
    """The random bot: it samples its j-th action of a game by ``derive(seed, "drawn", j)``."""

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
                    self._answers.append(line_event(_GREETING))
                case NewGame(seed=seed):
                    self._seed = seed
                    self._turn = 0
                    self._answers.append(line_event(Ready()))
                case Legal(actions):
                    self._legal = actions
                case Go():
                    number = uniform(derive(self._seed, "drawn", self._turn), len(self._legal))
                    self._turn += 1
                    self._answers.append(line_event(Move(self._legal[number])))

    def wait(self, deadline: int) -> Event:  # noqa: ARG002 - the answer is there
        """The next answer."""
        return self._answers.popleft() if self._answers else Event("timeout")


class NamedSeed(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A named seed: a match that the built-in random bot plays, and the digest of its record."""

    name: Name
    game: GameName
    seats: Annotated[int, Meta(ge=1, le=MAX_SEATS)]
    options: Annotated[dict[str, Text], Meta(description="Options of the game.")] = {}
    opening: Annotated[Opening | None, Meta(extra_json_schema={"minProperties": 1, "maxProperties": 1})] = (
        None
    )
    seed: U64Text
    digest: Digest

    def __post_init__(self) -> None:
        """Check the seed's size. Raises SchemaError."""
        check_bits("seed", self.seed)

    @property
    def spec(self) -> MatchSpec:
        """The match."""
        return random_spec(self.game, self.seats, int(self.seed), self.options, self.opening)


def read_manifest(path: Path) -> Iterator[NamedSeed]:
    """Yield the lines of a manifest. Raises RecordError that names the line and the key; OSError."""
    names: set[str] = set()
    for where, value in read_json_lines(path):
        try:
            named = read(value, NamedSeed)
            if isinstance(value, dict) and "opening" in value:
                check_exact(named.opening or Opening(), value["opening"], "opening")
        except SchemaError as error:
            raise RecordError(f"{where}: {error.in_json('the line')}", key=error.key) from error
        if named.name in names:
            raise RecordError(f"{where}: the name {named.name} is given twice")
        names.add(named.name)
        yield named


def play_named(named: NamedSeed) -> PlayedMatch:
    """Play the match of a line, in this process. Raises GameError; TournamentError for a bad opening."""
    players = [Player(RandomChannel()) for _ in named.spec.seats]
    return play_match(named.spec, find_game(named.spec.game), players)


def random_spec(
    game: str, seats: int, seed: int, options: dict[str, str] | None = None, opening: Opening | None = None
) -> MatchSpec:
    """The spec of a match in which ``drawn`` plays every seat."""
    entrants = tuple(structs.replace(DRAWN, name=f"{DRAWN.name}-{seat}") for seat in range(1, seats + 1))
    return MatchSpec(game, tuple((options or {}).items()), entrants, seed, LIMITS, opening or Opening())


def verify_named(path: Path) -> Iterator[tuple[str, list[Finding]]]:
    """Play the seeds of a manifest; yield the label of each, and what does not hold of its record."""
    for named in read_manifest(path):
        record = play_named(named).record
        findings = verify(record)
        if record.digest != named.digest:
            findings.append(
                Finding(f"its record has the digest {record.digest}, not {named.digest} as the manifest says")
            )
        yield f"{named.name} ({named.spec.game})", findings
