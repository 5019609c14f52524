"""Manifests of named seeds: matches of bots that need no process, with the record digests they must give.

JSON lines, an object each::

    {"name": "tafl-1", "game": "sages-tafl", "seats": 2, "seed": "7", "digest": "9f..."}

``options`` (an object) and ``opening`` (as in a record) may be added. Every seat is played by the bot
``drawn`` (see ``tourney.bots.channel.random_channel``) under the default limits, so a digest depends on
the rules, the seeds
and the form of the record alone: it must come out the same on every machine.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tourney.bots.channel import random_channel
from tourney.errors import RecordError
from tourney.games.registry import find_game
from tourney.match.play import Player, play_match
from tourney.match.record import check_opening, read_json_lines
from tourney.match.result import PlayedMatch
from tourney.match.shape import read_int, read_object, read_text, read_u64
from tourney.match.spec import Entrant, Limits, MatchSpec, Opening

LIMITS = Limits(move_ms=1000, margin_ms=50, startup_ms=10_000, memory_mb=4096, charge="wall", ponder="allow")
"""The limits that every record of a manifest names, whatever the defaults are by now."""

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)
_GAME = re.compile(r"[a-z][a-z0-9-]*", re.ASCII)
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class NamedSeed:
    """A line of a manifest: a match and the digest that its record must have."""

    name: str
    spec: MatchSpec
    digest: str


def read_manifest(path: Path) -> Iterator[NamedSeed]:
    """Yield the lines of a manifest. Raises RecordError that names the line and the key; OSError."""
    names: set[str] = set()
    for where, value in read_json_lines(path):
        try:
            named = _read(value)
        except RecordError as error:
            raise RecordError(f"{where}: {error}") from error
        if named.name in names:
            raise RecordError(f"{where}: the name {named.name} is given twice")
        names.add(named.name)
        yield named


def play_named(named: NamedSeed) -> PlayedMatch:
    """Play the match of a line, in this process. Raises GameError; TournamentError for a bad opening."""
    players = [Player(random_channel.RandomChannel()) for _ in named.spec.seats]
    return play_match(named.spec, find_game(named.spec.game), players)


def named_seed_json(named: NamedSeed) -> dict[str, Any]:
    """Return what ``read_manifest`` reads."""
    spec = named.spec
    data: dict[str, Any] = {"name": named.name, "game": spec.game, "seats": len(spec.seats)}
    if spec.options:
        data["options"] = dict(spec.options)
    if spec.opening != Opening():
        data["opening"] = spec.opening.as_json()
    return {**data, "seed": str(spec.seed), "digest": named.digest}


def drawn_spec(
    game: str, seats: int, seed: int, options: dict[str, str] | None = None, opening: Opening | None = None
) -> MatchSpec:
    """Return the spec of a match in which ``drawn`` plays every seat."""
    entrants = tuple(
        Entrant(
            f"{random_channel.NAME}-{seat}",
            random_channel.NAME,
            random_channel.VERSION,
            (),
            random_channel.DIGEST,
        )
        for seat in range(1, seats + 1)
    )
    return MatchSpec(game, tuple((options or {}).items()), entrants, seed, LIMITS, opening or Opening())


def _read(value: object) -> NamedSeed:
    data = read_object(value, "the line", ("name", "game", "seats", "seed", "digest"), ("options", "opening"))
    name = read_text(data["name"], "name", _NAME)
    game = read_text(data["game"], "game", _GAME)
    seats = read_int(data["seats"], "seats", 1, 64)
    seed = read_u64(data["seed"], "seed")
    options = {}
    if "options" in data:
        given = data["options"]
        for key, text in read_object(given, "options", (), given if isinstance(given, dict) else ()).items():
            options[key] = read_text(text, f"options.{key}")
    opening = check_opening(data["opening"]) if "opening" in data else Opening()
    return NamedSeed(
        name, drawn_spec(game, seats, seed, options, opening), read_text(data["digest"], "digest", _DIGEST)
    )
