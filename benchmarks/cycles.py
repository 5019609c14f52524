"""How often ratings name circles of bots: without any, and with one, by simulation with fixed seeds.

``python -m benchmarks.cycles`` prints a line for each kind of pool.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

from tourney.ratings.batch import rate
from tourney.ratings.counts import Counts
from tourney.schedule.row import MatchKey, ResultRow
from tourney.seeds import stream

POOLS = 300
BOTS = 6
PAIRS = 10
"""Mirrored pairs of games of each two."""
DRAWS = 0.2
_UNIT = 1 << 32


def results(scores: Sequence[Sequence[float]], seed: int) -> Iterator[ResultRow]:
    """Yield games in which each scores against each as given, with draws."""
    sample = stream(seed, "cycles", "games")
    for table, (a, b) in enumerate(combinations(range(len(scores)), 2), 1):
        for game in range(2 * PAIRS):
            one, other = (a, b) if game % 2 else (b, a)
            share = scores[one][other]
            draw = 2 * DRAWS * min(share, 1 - share)
            at = sample(_UNIT) / _UNIT
            ranks = (1, 1) if at < draw else (1, 2) if at < share + draw / 2 else (2, 1)
            yield ResultRow(MatchKey(1, table, game // 2 + 1, game % 2 + 1), (one, other), ranks)


def pool(seed: int, margin: float) -> list[list[float]]:
    """Return scores from random strengths; the first three beat each other in a circle by a margin."""
    sample = stream(seed, "cycles", "strengths")
    strengths = [sum(sample(_UNIT) / _UNIT for _ in range(12)) - 6 for _ in range(BOTS)]
    if margin:
        strengths[:3] = [strengths[0]] * 3
    scores = [[1 / (1 + math.exp(other - mine)) for other in strengths] for mine in strengths]
    for winner, loser in ((0, 1), (1, 2), (2, 0)) if margin else ():
        scores[winner][loser], scores[loser][winner] = 0.5 + margin, 0.5 - margin
    return scores


def main() -> None:
    """Print the shares of pools in which strength is said to be no number, and in which a circle is named."""
    print("| circle | pools | said not to be one number | a circle named | the right one |")
    print("|---|---|---|---|---|")
    for margin in (0.0, 0.1, 0.2, 0.3):
        said = named = right = 0
        for seed in range(POOLS):
            counts = Counts.of_results(results(pool(seed, margin), seed), range(BOTS), 2)
            found = rate(counts, pairs=False).cycles
            said += found is not None
            if found is not None and found.cycles:
                named += 1
                right += set(found.cycles[0].entrants) == {0, 1, 2}
        label = f"{100 * (0.5 + margin):.0f} %" if margin else "none"
        print(f"| {label} | {POOLS} | {said} | {named} | {right if margin else '-'} |", flush=True)


if __name__ == "__main__":
    main()
