"""Match scores; see ``tourney.schedule.points``."""

from tourney.schedule.points import score_units

__all__ = ["score_units"]
