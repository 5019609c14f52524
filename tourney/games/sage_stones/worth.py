"""What a search values in Sage Stones: the tables of ``StonesHeuristics`` and of the core, all in integers.

The chance of a colour to place the first last stone is its strength, as a share of all strengths: a product
of three factors, for its stones in hand, for its stones that may be captured, and for its turn. The factors
are those of a multinomial logit, fitted to 9,000 games of a bot that looks one action ahead by them.
"""

IN_HAND = (0, 8972, 2954, 1436, 849, 568, 387, 260, 190, 139, 100, 77, 59, 46, 35, 27)
"""By stones in hand."""
EXPOSED = 256
"""The number of entries of ``SAFETY``; more exposure counts as the last."""


def _safety() -> tuple[int, ...]:
    found = [1 << 16]
    while len(found) < EXPOSED:
        found.append(found[-1] * 9748 // 10000)
    return tuple(found)


SAFETY = _safety()
"""By exposure: over all colours and columns, the stones lost to the colour's best capture there, times the
weight of the column's rolls (of 27)."""
IN_TURN = {3: (122, 100, 82), 4: (122, 107, 94, 82)}
"""By number of colours: for the colour in turn, the next one, and so on."""
COLUMN_WEIGHTS = (1, 3, 6, 1, 6, 3, 1)
"""By column: the rolls of 27 that name it."""
