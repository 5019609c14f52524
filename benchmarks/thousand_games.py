"""A thousand random matches of each game: each plays to its end, and its record verifies.

    python benchmarks/thousand_games.py [--games 1000] [--seed 20261120] [GAME ...]

The referee plays the matches in this process: a fixed seed samples every action uniformly from the legal
ones, with all numbers of seats and option values in turn. Each record is made, checked and verified like any
other; the first that fails ends the run with code 1. Prints a table of the actions, their lengths, the ends
of the matches, and the seconds of CPU time.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from tourney.errors import OptionError
from tourney.games import all_games, derive, find_game, stream
from tourney.games.base import AnyGame
from tourney.match.record import Record, check_record, make_record
from tourney.match.referee import Referee
from tourney.match.spec import Entrant, Limits, MatchSpec
from tourney.match.verify import Finding, verify

SEED = 20261120


@dataclass(slots=True)
class Tally:
    """What was counted of a game's games."""

    lengths: list[int] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    played: float = 0.0
    verified: float = 0.0


def tables(game: AnyGame) -> list[tuple[int, dict[str, str]]]:
    """Return all numbers of seats with all option values that go with them."""
    found = []
    for seats in game.seat_counts:
        for values in product(*(option.values for option in game.options)):
            options = {option.name: value for option, value in zip(game.options, values, strict=True)}
            try:
                found.append(game.settings(seats, options))
            except OptionError:
                continue  # these do not go together
    return found


def specs(game: AnyGame, games: int, seed: int) -> Iterator[MatchSpec]:
    """Yield the matches, the tables in turn."""
    there = tables(game)
    for number in range(games):
        seats, options = there[number % len(there)]
        entrants = tuple(Entrant(f"seat-{k}", "random", "1", (), "0" * 64) for k in range(1, seats + 1))
        yield MatchSpec(
            game.name, tuple(options.items()), entrants, derive(seed, game.name, number), Limits()
        )


def play(game: AnyGame, spec: MatchSpec) -> Record:
    """Play a match in which every seat draws its actions; return its record."""
    draw = stream(spec.seed, "thousand")
    referee = Referee(spec, game)
    referee.begin()
    while seat := referee.turn:
        referee.take(seat)
        legal = referee.state.legal_actions()
        why = referee.act(game.action_string(legal[draw(len(legal))]))
        if why:
            raise AssertionError(f"{game.name}: a legal action was refused: {why}")
    assert referee.outcome is not None  # noqa: S101 - the match is over
    return make_record(referee.spec, game.rules, referee.actions, referee.outcome)


def run(game: AnyGame, games: int, seed: int) -> tuple[Tally, list[Finding]]:
    """Play and verify so many games; return what was counted, and what does not hold of the first bad one."""
    tally = Tally()
    for spec in specs(game, games, seed):
        start = time.process_time()
        record = play(game, spec)
        middle = time.process_time()
        findings = verify(check_record(record), game)
        tally.verified += time.process_time() - middle
        tally.played += middle - start
        tally.lengths.append(len(record["actions"]))
        tally.reasons[record["outcome"]["reason"]] += 1
        if findings:
            return tally, [Finding(f"{game.name}, seed {spec.seed}: {found}") for found in findings]
    return tally, []


def row(game: AnyGame, tally: Tally) -> str:
    """Return a game's line of the table."""
    ends = ", ".join(f"{reason} {count}" for reason, count in sorted(tally.reasons.items()))
    lengths = sorted(tally.lengths)
    shape = f"{lengths[0]:,} / {lengths[len(lengths) // 2]:,} / {lengths[-1]:,}"
    return (
        f"| {game.name} | {len(lengths):,} | {sum(lengths):,} | {shape} | {ends} |"
        f" {tally.played:.1f} | {tally.verified:.1f} |"
    )


def main(arguments: list[str] | None = None) -> int:
    """Play, verify and print; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("game", nargs="*", help="a game's name; all games without")
    parser.add_argument("--games", type=int, default=1000, help="games of each")
    parser.add_argument("--seed", type=int, default=SEED, help="where all draws come from")
    chosen = parser.parse_args(arguments)
    print(
        "| game | games | actions | shortest / median / longest | how they ended | played, s | verified, s |"
    )
    print("|---|---|---|---|---|---|---|")
    for game in [find_game(name) for name in chosen.game] or all_games():
        tally, findings = run(game, max(chosen.games, 1), chosen.seed)
        print(row(game, tally), flush=True)
        for found in findings:
            sys.stderr.write(f"{found}\n")
        if findings:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
