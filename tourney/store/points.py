"""Match scores; see ``tourney.schedule.row``."""

from tourney.schedule.row import score_units

__all__ = ["score_units"]
