"""Random matches of every game are played to their end and verified; the games of OpenSpiel are checked.

    python -m benchmarks.games matches [--games 1000] [--seed 20261120] [GAME ...]
    python -m benchmarks.games openspiel [--games 3] [NAME ...]

``matches``: the referee plays random matches in this process, with all numbers of seats and option values in
turn. Each record is made, checked and verified like any other; the first that fails ends the run with code 1.
Prints a table of the actions, their lengths, the ends of the matches, and the seconds of CPU time.

``openspiel`` plays random games of each game of OpenSpiel through all properties of ``tourney check-game``.
For games with hidden actions it also tries, before each action of a random game, to sample a state that fits
what the actor sees, and prints how often one is found.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

import click

from benchmarks.common import described, head, play_randomly, random_entrants, row, run
from tourney.check.record import verify
from tourney.errors import GameError, OptionError, PositionError
from tourney.games import all_games, derive, find_game, stream
from tourney.games.base import CHANCE, OVER, AnyGame
from tourney.games.check.suite import check_game
from tourney.games.registry import FAMILIES
from tourney.games.tree import choose
from tourney.match.record import decode_record, make_record
from tourney.match.spec import DEFAULT_LIMITS, MatchSpec

SEED = 20261120
TRIES = 25
"""The samples tried in a game, at most, spread over its length."""


@dataclass(slots=True)
class GameTally:
    """The counts of a game's matches."""

    lengths: list[int] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    played: float = 0.0
    verified: float = 0.0


def tables(game: AnyGame) -> list[tuple[int, dict[str, str]]]:
    """All numbers of seats with all option values that go with them."""
    found = []
    for seats in game.seat_counts:
        for values in product(*(option.values for option in game.options)):
            # The default of a later option is left out: some numbers of seats refuse the option at all.
            options = {
                option.name: value
                for option, value in zip(game.options, values, strict=True)
                if not option.later or value != option.default
            }
            try:
                found.append(game.settings(seats, options))
            except OptionError:
                continue  # these do not go together
    return found


def specs(game: AnyGame, games: int, seed: int) -> Iterator[MatchSpec]:
    """Yield the matches, the tables in turn."""
    every = tables(game)
    for number in range(games):
        seats, options = every[number % len(every)]
        match_seed = derive(seed, game.name, number)
        entrants = random_entrants(seats, first=1)
        yield MatchSpec(game.name, tuple(options.items()), entrants, match_seed, DEFAULT_LIMITS)


def play_matches(game: AnyGame, games: int, seed: int) -> tuple[GameTally, list[str]]:
    """Play and verify matches; return the counts, and the findings of the first bad one."""
    tally = GameTally()
    for spec in specs(game, games, seed):
        start = time.process_time()
        record = make_record(spec, game.rules, *play_randomly(game, spec, "thousand"))
        middle = time.process_time()
        findings = verify(decode_record(record.encode()), game)
        tally.verified += time.process_time() - middle
        tally.played += middle - start
        tally.lengths.append(len(record.actions))
        tally.reasons[record.outcome.reason] += 1
        if findings:
            return tally, [f"{game.name}, seed {spec.seed}: {found}" for found in findings]
    return tally, []


def sampled(game: AnyGame) -> tuple[int, int]:
    """The number of samples found in a random game, and of those tried."""
    randbelow = stream(1, "sampled")
    states = []
    state = game.new()
    while state.actor != OVER:
        if state.actor != CHANCE:
            states.append(state)
        state = state.play(choose(state, randbelow))
    found = tried = 0
    for before in states[:: max(1, len(states) // TRIES)]:
        tried += 1
        try:
            game.sample(before.observation(before.actor), before.actor, randbelow)
            found += 1
        except PositionError:
            pass
    return found, tried


@click.group(help=described(__doc__))
def main() -> None:
    """Check games by random matches."""


@main.command("matches")
@click.argument("names", nargs=-1, metavar="[GAME]...")
@click.option("--games", type=click.IntRange(1), default=1000, show_default=True, help="Games of each.")
@click.option("--seed", default=SEED, show_default=True)
def matches_command(names: tuple[str, ...], games: int, seed: int) -> None:
    """Play, verify and print."""
    head(
        *("game", "games", "actions", "shortest / median / longest", "how they ended", "played, s"),
        "verified, s",
    )
    for game in [find_game(name) for name in names] or all_games():
        tally, findings = play_matches(game, games, seed)
        lengths = sorted(tally.lengths)
        row(
            game.name,
            f"{len(lengths):,}",
            f"{sum(lengths):,}",
            f"{lengths[0]:,} / {lengths[len(lengths) // 2]:,} / {lengths[-1]:,}",
            ", ".join(f"{reason} {count}" for reason, count in sorted(tally.reasons.items())),
            f"{tally.played:.1f}",
            f"{tally.verified:.1f}",
        )
        if findings:
            sys.stderr.write("\n".join(findings) + "\n")
            sys.exit(1)


@main.command("openspiel")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--games", default=3, show_default=True, help="Random games of each.")
def openspiel_command(names: tuple[str, ...], games: int) -> None:
    """Check OpenSpiel's games, and print a table of them."""
    head("game", "seats", "chance", "hidden", "has all properties", "samples found", "s")
    for name in [f"openspiel:{name}" for name in names] or FAMILIES.find("openspiel").names():
        began = time.monotonic()
        label = f"`{name.partition(':')[2]}`"
        try:
            game = find_game(name)
            findings = list(check_game(game, games=games))
            found, tried = sampled(game) if game.has_hidden_actions else (0, 0)
        except GameError as error:
            row(label, "", "", "", f"no: {error}", "", "")
            continue
        row(
            label,
            game.seat_counts[0],
            "yes" if game.has_chance else "",
            "yes" if game.has_hidden_actions else "",
            f"no: {findings[0].name}: {findings[0].what}" if findings else "yes",
            f"{100 * found // max(tried, 1)} %" if game.has_hidden_actions else "",
            f"{time.monotonic() - began:.1f}",
        )


if __name__ == "__main__":
    run(main)
