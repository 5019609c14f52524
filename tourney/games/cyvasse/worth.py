"""What a search values in Nine-Tile Cyvasse: the weights of ``CyvasseHeuristics`` and of the core."""

WORTH = (100, 140, 240, 280, 320, 260, 320, 600, 160, 0)
"""By kind, in the order of ``KINDS``; the King's loss ends the game."""
NEAR_KING = 30
"""A piece at most two squares from the enemy's King."""
TOWARD_KING = 10
"""A piece at most four squares from it."""
BEST_ROWS = (3, 3, 2, 2, 3, 2, 1, 1, 1, 0)
"""By kind: the row of its side in which it stands best at first, from the back (0) to the front (3)."""
MISPLACED = 15
"""For each row away from there."""
