"""A run: a tournament file becomes a schedule, its rows are played by workers, and one writer stores them."""
