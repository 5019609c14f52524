"""A match that the machine ended: what is kept of it, so that playing it again gives no second chance.

A bot's process that dies by SIGKILL may have been killed by the machine or by itself; nothing in the system
tells which. And a bot that waited too long for a processor may have sought that. So the match is played
again, but a bot must not win by it. The second play has to repeat the first, action by action, as it does
with bots whose choices rest on what they are sent. If it does not, the match goes on from where it stopped:
all bots start anew and receive the earlier actions with their next request. Either way no action is taken
back, and nothing that was computed is kept.
"""

from dataclasses import dataclass
from typing import Literal

from tourney.errors import EnvironmentFailure, OverloadError
from tourney.match.record import FaultKind
from tourney.match.result import LogLine


@dataclass(frozen=True, slots=True)
class Kept:
    """What was played of a match: actions, faults and resignations as in a record, and what belongs to them.

    ``times`` are pairs of an action's place (from 0) and its nanoseconds, ``clocks`` each seat's nanoseconds
    before the turn that did not end, or None without clocks. ``scores`` are pairs of an action's place and
    the score that its seat gave it, if the limits look at scores.
    """

    actions: tuple[tuple[int, str], ...]
    faults: tuple[tuple[int, FaultKind, int], ...] = ()
    resigned: tuple[tuple[int, int], ...] = ()
    times: tuple[tuple[int, int], ...] = ()
    clocks: tuple[int, ...] | None = None
    log: tuple[LogLine, ...] = ()
    scores: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Again:
    """How to play a match that the machine ended before.

    ``judged`` are the seats whose bots are at fault if they are killed once more. ``mode``: the play has to
    ``repeat`` what is ``kept``, or it will ``continue`` from there.
    """

    judged: frozenset[int] = frozenset()
    kept: Kept | None = None
    mode: Literal["repeat", "continue"] = "repeat"


FIRST = Again()
"""A match that is played for the first time, or from its start."""


class KilledError(EnvironmentFailure):
    """A bot's processes were killed; the match has no result yet.

    ``alone``: none of the bot's own processes can have done it. ``kept``: what was played so far.
    """

    def __init__(self, message: str, seat: int, *, alone: bool, kept: Kept | None) -> None:
        super().__init__(message)
        self.seat = seat
        self.alone = alone
        self.kept = kept


class OverloadedMatchError(OverloadError):
    """A match ended by overload, which a bot may have sought; ``kept``: what was played so far."""

    def __init__(self, error: OverloadError, kept: Kept | None) -> None:
        super().__init__(str(error), bot=error.bot)
        self.kept = kept


class DeviatedError(Exception):
    """The play of a match did not repeat what is kept of the one before."""
