"""What a search values in Element: the weights of ``ElementHeuristics`` and of the core."""

FREEDOM = (-1_000, -600, -450, -330, -240, -140, -70, -25, 0, 10, 20)
"""The worth of a sage's freedom, by its steps and jumps; more than the last count as the last."""
MOST_JUMPS = 4
"""More jumps of a sage count as this many."""
DANGER = 700
"""When the seat whose turn it is may wall in its prey in this turn."""
NEAR = (1, 1, 2, 2)
"""By stone, in the order ``AEFW``: how near to the prey a placement is that a search considers; fires spread
and rivers flow."""
FEW = 12
"""With fewer legal actions than this all are considered."""
