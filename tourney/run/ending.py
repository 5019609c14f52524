"""How a run ended."""

from dataclasses import dataclass
from enum import Enum

from tourney.run.progress import Tick


class End(Enum):
    """How a run ended."""

    FINISHED = "finished"
    TIME = "time"
    FAULTS = "faults"
    DRAINED = "drained"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run did: how it ended, by which signal (0: none), and how the tournament stands.

    ``pauses``: how often it paused as the database could not be written, and for how many seconds in all.
    """

    end: End
    signal: int
    tick: Tick
    pauses: int = 0
    paused: float = 0.0
