"""Small pools for tests of batch ratings."""

from tourney.schedule.row import MatchKey, ResultRow
from tourney.seeds import derive, stream


def results_of(seats: int, entrants: int, matches: int) -> list[ResultRow]:
    """Return results in mirrored groups; the entrant with the higher number mostly wins."""
    sample = stream(seats, "batch", "pool")
    results = []
    for k in range(matches):
        group, turn = divmod(k, seats)
        if not turn:
            shuffled = sorted((sample(1 << 40), number) for number in range(entrants))
            members = [number for _, number in shuffled[:seats]]
        order = tuple(members[turn:] + members[:turn])
        strength = [sample(7) + entrant for entrant in order]
        ranks = tuple(1 + sum(other > mine for other in strength) for mine in strength)
        results.append(ResultRow(MatchKey(1, group + 1, 1, turn + 1), order, ranks))
    return results


def shuffled(results: list[ResultRow], seed: int) -> list[ResultRow]:
    """Return results in another order."""
    return sorted(results, key=lambda result: derive(seed, *result.key))
