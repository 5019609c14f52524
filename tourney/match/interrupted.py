"""A match that the machine ended: what is kept of it, so that playing it again gives no second chance.

A bot's process that dies by SIGKILL may have been killed by the machine or by itself; nothing in the system
tells which. And a bot that waited too long for a processor may have sought that. So the match is played
again, but a bot must not win by it. The second play has to repeat the first, action by action, as it does
with bots whose choices rest on what they are sent. If it does not, the match goes on from where it stopped:
all bots start again and receive the earlier actions with their next request. Either way no action is taken
back, and nothing that was computed is kept.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tourney.errors import EnvironmentFailure, OverloadError
from tourney.match.record import FaultKind
from tourney.match.referee import Referee
from tourney.match.result import LogLine


@dataclass(frozen=True, slots=True)
class KeptPlay:
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
class Resumption:
    """How to play a match that the machine ended before.

    ``judged`` are the seats whose bots are at fault if they are killed once more. ``mode``: the play has to
    ``repeat`` what is ``kept``, or it will ``continue`` from there.
    """

    judged: frozenset[int] = frozenset()
    kept: KeptPlay | None = None
    mode: Literal["repeat", "continue"] = "repeat"


FIRST_PLAY = Resumption()
"""A match that is played for the first time, or from its start."""


class KilledError(EnvironmentFailure):
    """A bot's processes were killed; the match has no result yet.

    ``alone``: none of the bot's own processes can have done it. ``kept``: what was played so far.
    """

    def __init__(self, message: str, seat: int, *, alone: bool, kept: KeptPlay | None) -> None:
        super().__init__(message)
        self.seat = seat
        self.alone = alone
        self.kept = kept


class OverloadedMatchError(OverloadError):
    """A match ended by overload, which a bot may have sought; ``kept``: what was played so far."""

    def __init__(self, error: OverloadError, kept: KeptPlay | None) -> None:
        super().__init__(str(error), bot=error.bot)
        self.kept = kept


class DeviatedError(Exception):
    """The play of a match did not repeat what is kept of the one before."""


class RepetitionCheck:
    """Checks that a match repeats what is kept of an earlier play, where it has to."""

    def __init__(self, again: Resumption, referee: Referee) -> None:
        self._kept = again.kept if again.mode == "repeat" else None
        self._referee = referee

    def request_of(self) -> Callable[[int], bytes]:
        """The function that gives a seat's request, which checks the match before."""
        # A match that repeats nothing, which most are, must not pay for a check in each turn.
        return self._referee.request if self._kept is None else self._checked_request

    def _checked_request(self, seat: int) -> bytes:
        self.check()
        return self._referee.request(seat)

    def check(self) -> None:
        """Raise DeviatedError if the match so far differs from the earlier play."""
        kept, referee = self._kept, self._referee
        if kept is None:
            return
        pairs = (
            (tuple(referee.actions), kept.actions),
            (referee.faults, kept.faults),
            (referee.resigned, kept.resigned),
        )
        less = any(len(mine) < len(theirs) for mine, theirs in pairs)
        more = any(len(mine) > len(theirs) for mine, theirs in pairs)
        alike = all(mine[: len(theirs)] == theirs[: len(mine)] for mine, theirs in pairs)
        if not alike or (less and (more or not referee.turn)):
            raise DeviatedError
        if not less:
            self._kept = None
