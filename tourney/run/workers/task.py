"""What goes to a worker and what comes back: plain values that can be sent to another process or host."""

from dataclasses import dataclass
from typing import Literal

from tourney.match.result import PlayedMatch
from tourney.match.spec import MatchSpec


@dataclass(frozen=True, slots=True)
class MatchTask:
    """A match to be played: its number in the tournament, its spec, and how to run its bots.

    ``bots`` is the folder of the bot store; the spec names each bot by its digest. ``begin_by``: after this
    time (``time.monotonic()``, seconds) it is not begun any more; None: at any time.
    """

    number: int
    spec: MatchSpec
    bots: str
    sandbox: Literal["strict", "auto", "off"]
    reuse: bool
    begin_by: float | None = None


@dataclass(frozen=True, slots=True)
class WorkerReply:
    """What came of a task: a match as played, or why the machine could not play it.

    Both None: the worker was told to begin nothing new, or it was too late.
    """

    number: int
    played: PlayedMatch | None = None
    failure: str | None = None
