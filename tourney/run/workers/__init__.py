"""Executors that play the matches of a run, and their worker processes."""
