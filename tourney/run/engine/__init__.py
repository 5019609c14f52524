"""The engine of a run: it starts, plays, stores and stops a tournament."""
