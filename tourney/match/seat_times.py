"""The times of a match's seats: what each bot took and was spared, and which bots stand still meanwhile."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tourney.match.clock import MS
from tourney.match.player import Player
from tourney.match.result import MatchLog
from tourney.match.spec import Entrant
from tourney.match.timing import Timing


class SeatTimes:
    """Freezes waiting bots, and adds up each seat's times.

    ``freeze``: waiting bots are frozen as soon as a request takes longer than the grace. ``frozen`` has the
    seats that stand still now. ``wall`` (nanoseconds) and ``turns`` have an item for each seat, from 1.
    """

    __slots__ = (
        *("_clock", "_entrants", "_log", "_overloaded", "_players", "_waited"),
        *("freeze", "frozen", "turns", "wall"),
    )

    def __init__(
        self,
        players: Mapping[int, Player],
        entrants: Sequence[Entrant],
        clock: Callable[[], int],
        log: MatchLog,
        *,
        freeze: bool,
    ) -> None:
        self._players = players
        self._entrants = entrants
        self._clock = clock
        self._log = log
        self.freeze = freeze
        self.frozen = set[int]()
        self.wall = [0] * (len(players) + 1)
        self.turns = [0] * (len(players) + 1)
        self._waited = [0] * (len(players) + 1)
        self._overloaded = [0] * (len(players) + 1)

    def timing(self, seat: int, sent: int, limit: int, hold: Callable[[], None] | None = None) -> Timing:
        """Return the time of a request to a seat.

        If its limit must be extended, no other bot may compete with it any longer: ``hold`` freezes them, by
        default all others.
        """
        player = self._players[seat]
        return Timing(
            *(player.channel, self._clock, sent, limit),
            before=player.reading,
            who=self._entrants[seat - 1].name,
            hold=hold or (lambda: self.hold(self._players.keys() - {seat})),
        )

    def count(self, seat: int, timing: Timing, ply: int | None = None) -> None:
        """Count what was not charged of a finished request: the turn at ``ply``, or without it the start."""
        self._players[seat].reading = timing.reading
        self._waited[seat] += timing.waited
        if timing.overloaded:
            self._overloaded[seat] += ply is not None
            waited, elapsed = timing.waited // MS, timing.elapsed // MS
            what = "start" if ply is None else "turn"
            self._log.note(
                ply or 0,
                seat,
                f"the machine was overloaded: {waited} of the {elapsed} ms of this {what} were spent waiting"
                " for a processor and are not charged",
            )

    def hold(self, seats: Iterable[int]) -> None:
        """Freeze the bots of these seats until their own requests."""
        for seat in seats:
            player = self._players[seat]
            if seat not in self.frozen and not player.lost:
                self.frozen.add(seat)
                player.channel.freeze()

    def thaw(self, seat: int) -> None:
        """Let a seat's bot go on if it was frozen."""
        if seat in self.frozen:
            self.frozen.discard(seat)
            self._players[seat].channel.thaw()

    def as_json(self, seat: int) -> dict[str, Any]:
        """Return what was measured of a seat, in the form of ``SeatMeasurements``."""
        return {
            "wall-ms": self.wall[seat] // MS,
            "cpu-ms": self._players[seat].cpu_ms(),
            "turns": self.turns[seat],
            "overloaded-turns": self._overloaded[seat],
            "waited-ms": self._waited[seat] // MS,
        }
