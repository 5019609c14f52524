"""Specs of the toy games, and matches of scripted bots, for tests of matches."""

from typing import Any

from tests.support.records import as_json
from tests.support.toys import Odds, Race, Toe
from tourney.bots.channel.scripted import ScriptClock, ScriptedChannel
from tourney.games.base import AnyGame
from tourney.match.play import play_match
from tourney.match.player import Player
from tourney.match.result import PlayedMatch
from tourney.match.spec import Entrant, Limits, MatchSpec, Opening

TOE, RACE, ODDS = Toe(), Race(), Odds()
GAMES: dict[str, AnyGame] = {game.name: game for game in (TOE, RACE, ODDS)}

HELLO = """
> tourney 1
< bot
"""
NO_LIMITS = Limits(move_ms=None, margin_ms=0)


def toy(name: str) -> AnyGame:
    """Return a toy game by name, as ``tourney.games.registry.find_game`` does for installed games."""
    return GAMES[name]


def make_spec(
    game: str = "toe",
    seats: int = 2,
    seed: int = 7,
    limits: Limits = NO_LIMITS,
    opening: Opening = Opening(),  # noqa: B008 - a frozen value
    options: tuple[tuple[str, str], ...] = (),
) -> MatchSpec:
    """Return the spec of a match of made-up bots."""
    entrants = tuple(
        Entrant(f"entrant-{seat}", f"bot-{seat}", "1.0", (), f"{seat:064x}") for seat in range(1, seats + 1)
    )
    return MatchSpec(game, options, entrants, seed, limits, opening)


def play_scripts(spec: MatchSpec, *scripts: str, clock: ScriptClock | None = None) -> PlayedMatch:
    """Play a match of scripted bots, and assert that every script was played to its end."""
    clock = clock or ScriptClock()
    channels = [
        ScriptedChannel(script, clock=clock, name=f"seat {seat}") for seat, script in enumerate(scripts, 1)
    ]
    played = play_match(spec, GAMES[spec.game], [Player(channel) for channel in channels], clock=clock)
    for channel in channels:
        channel.finish()
    return played


def outcome(played: PlayedMatch) -> dict[str, Any]:
    """A record's outcome as JSON data."""
    found: dict[str, Any] = as_json(played.record)["outcome"]
    return found


def notes(played: PlayedMatch) -> list[str]:
    """Return the referee's notes in a match's log, each as ``PLY SEAT TEXT``."""
    return [f"{line.ply} {line.seat} {line.text}" for line in played.log if line.kind == "note"]
