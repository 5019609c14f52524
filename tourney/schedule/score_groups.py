"""The second step of a Swiss round for two seats: pairs within a score group.

A group, those taken out who float, is ranked and folded at its middle: of 2 h members the i-th is to meet the
(i + h)-th. Among the pairings in which nobody meets an opponent again the one is taken for which, in this
order, the following are as small as they can be, each summed over all pairs:

1. the squares of everybody's lead, how often one was named first less how often second, after this round;
2. the squares of how far the two stand from where the fold would have them: (j - i - h)**2 for places i < j.

Whatever is named first plays all seats of a mirrored group: the lead matters where a run is broken off.
"""

from collections.abc import Sequence

from tourney.schedule.floats import Contender, Pairs
from tourney.schedule.matching import match_matrix


def pair_group(group: Sequence[Contender], seed: int) -> Pairs:
    """Return the pairs of a group, an even number, in the order of rank, as indices into it.

    Raises ValueError where somebody would have to meet an opponent again.
    """
    import numpy as np  # noqa: PLC0415 - slow to import, and only this needs it

    count = len(group)
    half = count // 2
    folded = [(group[k], group[k + half]) for k in range(half)]
    middle = sorted(contender.lead for contender in group)[half] if count else 0
    if all(b.number not in a.met and _apart(a, b, middle) == 0 for a, b in folded):
        return tuple((k, k + half) for k in range(half))
    places = np.arange(count, dtype=np.int64)
    off = (np.abs(places[:, None] - places[None, :]) - half) ** 2
    leads = np.array([contender.lead for contender in group], dtype=np.int64)
    # The squares of both leads after the round are least for the pair's difference: 2 - 2 |a - b| more than
    # before. With the distances from the middle added, which sum up to the same whoever meets whom, the cost
    # is never below 0, and it is 0 where the leads lie on both sides of the middle.
    far = np.abs(leads - middle)
    uneven = far[:, None] + far[None, :] - np.abs(leads[:, None] - leads[None, :])
    cost = uneven * (count**3 // 8 + 1) + off
    index = {contender.number: k for k, contender in enumerate(group)}
    allowed = ~np.eye(count, dtype=np.bool_)
    for k, contender in enumerate(group):
        for number in contender.met:
            if number in index:
                allowed[k, index[number]] = allowed[index[number], k] = False
    return match_matrix(cost, allowed, seed)


def _apart(a: Contender, b: Contender, middle: int) -> int:
    return abs(a.lead - middle) + abs(b.lead - middle) - abs(a.lead - b.lead)


def pair_round(field: Sequence[Contender], floats: Pairs, seed: int) -> Pairs:
    """Return all pairs of a round as indices into ``field``, which is sorted by score, then by rank."""
    gone = {k for pair in floats for k in pair}
    pairs = list(floats)
    start = 0
    while start < len(field):
        end = start
        while end < len(field) and field[end].score == field[start].score:
            end += 1
        left = [k for k in range(start, end) if k not in gone]
        pairs += [(left[a], left[b]) for a, b in pair_group([field[k] for k in left], seed)]
        start = end
    return tuple(sorted(pairs))
