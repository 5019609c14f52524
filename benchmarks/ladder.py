"""Placements on a ladder, simulated: how often intervals are wrong, and what those at every look cost.

    python -m benchmarks.ladder [--runs 200] [--seed 1]

A bot of known strength plays pairs against seven rungs, 100 Elo apart, by the batches and to the end of
``tourney ladder``. A line for each strength, in Markdown: games until the fixed interval is 50 Elo on each
side, how often it excludes the truth then and at any look up to then, how often the interval that holds at
every look does, and the games until that is as narrow. In the last line, the games of a pair depend.
"""

import argparse
from collections.abc import Sequence

from tourney.compare.ladder_format import LadderRule, batch
from tourney.ratings.anchored import Meeting, Placement, expected, place
from tourney.ratings.sequences import EVERY_LOOK, FIXED
from tourney.seeds import U64, derive

RULE = LadderRule(tuple(range(-30_000, 30_001, 10_000)), width=50, games=4_000)
STRENGTHS = (0, 17_000, 30_000, 45_000)
"""Hundredths of Elo: in the middle, between rungs, at the strongest and beyond it."""
SHARED = 50
"""The percentage of pairs whose games share one draw of luck, in the world where games of a pair depend."""


def wide(placement: Placement) -> int:
    """Return half the width of the interval at every look, in hundredths of Elo."""
    return RULE.now(placement).half_width


def placements(strength: int, shared: int, seed: int) -> list[Placement]:
    """Return the placements after each batch, until the interval at every look is as narrow as asked."""
    groups: list[list[Meeting]] = []
    found: list[Placement] = []
    rungs = range(1, len(RULE.anchors) + 1)
    while not found or (wide(found[-1]) > 100 * RULE.width and 2 * len(groups) < RULE.games):
        for table, (rung,) in enumerate(batch(RULE, 2, rungs, found[-1] if found else None)):
            label = (strength, len(found), table)
            one = derive(seed, "pair", *label) % 100 < shared
            opponent = RULE.rating(rung)
            luck = (derive(seed, "game", *label, 0 if one else game) / U64 for game in (0, 1))
            won = sum(drawn < expected(strength - opponent) for drawn in luck)
            groups.append([Meeting(opponent, 2, 2 * won)])
        found.append(place(groups, RULE.anchors))
    return found


def ever_wrong(found: Sequence[Placement], strength: int) -> bool:
    """Return whether any of the intervals excludes the strength."""
    return any(not one.low <= strength <= one.high for one in found)


def line(strength: int, shared: int, runs: int, seed: int) -> tuple[str, ...]:
    """Return a line of the table."""
    games = longer = at_end = watched = sequence = 0
    for run in range(runs):
        found = placements(strength, shared, derive(seed, "run", run))
        known = next(k for k, one in enumerate(found) if RULE.ending(one, 0))
        games += 8 * (known + 1)
        longer += 8 * len(found)
        at_end += ever_wrong(found[known : known + 1], strength)
        watched += ever_wrong(found[: known + 1], strength)
        sequence += ever_wrong([RULE.now(one) for one in found], strength)
    shares = (f"{100 * count / runs:.1f} %" for count in (at_end, watched, sequence))
    world = f"{strength / 100:+.0f}{', half of the pairs share their luck' if shared else ''}"
    return (world, f"{games / runs:.0f}", *shares, f"{longer / runs:.0f}", f"{longer / games:.1f}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    head = (
        "strength of the bot",
        "games",
        f"{FIXED}, at the end",
        f"{FIXED}, ever",
        f"{EVERY_LOOK}, ever",
        "games until that is as narrow",
        "ratio",
    )
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|", flush=True)
    for strength, shared in (*((strength, 0) for strength in STRENGTHS), (0, SHARED)):
        print("| " + " | ".join(line(strength, shared, given.runs, given.seed)) + " |", flush=True)


if __name__ == "__main__":
    main()
