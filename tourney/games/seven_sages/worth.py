"""What a search values in The Seven Sages: the weights of ``SevenSagesHeuristics`` and of the core."""

POINT = 900
THREAT = 600
"""A point that the mover can score at once; the rule of three may still forbid it."""
RANK = 20
"""A rank that the fool stands nearer to Blue's city."""
LINE = 25
"""A sage with a free line to the fool."""
