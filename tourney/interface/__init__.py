"""The Python interface: what ``import tourney`` offers to notebooks and scripts, and the commands use."""
