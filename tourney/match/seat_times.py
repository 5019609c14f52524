"""The times of a match's seats: what each bot took and was spared, and which bots stand still meanwhile."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from tourney.bots.channel.base import Reading
from tourney.match.clock import MS
from tourney.match.player import Player
from tourney.match.result import MatchLog
from tourney.match.spec import Entrant
from tourney.match.timing import GRACE_NS, Timing

RESTLESS_NS: Final = 5_000_000
"""A bot that used more than this while it should have waited is restless, even if others used more."""


class SeatTimes:
    """Freezes waiting bots, and adds up each seat's times.

    ``freeze``: waiting bots are frozen as soon as a request takes longer than the grace. Where many processes
    of a waiting bot work in that time, they can keep the referee from its look for much longer. So a bot that
    was seen to do so is restless: it is frozen before each request to another.

    ``frozen`` has the seats that stand still now, ``restless`` those of restless bots. ``wall`` (nanoseconds)
    and ``turns`` have an item for each seat, from 1.
    """

    __slots__ = (
        *("_clock", "_entrants", "_log", "_overloaded", "_players", "_since", "_waited"),
        *("freeze", "frozen", "restless", "turns", "wall"),
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
        self.restless = (
            {seat for seat, player in players.items() if player.restless} if freeze else set[int]()
        )
        self.wall = [0] * (len(players) + 1)
        self.turns = [0] * (len(players) + 1)
        self._waited = [0] * (len(players) + 1)
        self._overloaded = [0] * (len(players) + 1)
        self._since = [0] * (len(players) + 1)  # of ``wall``, what the players' ``spent`` has already

    def timing(self, seat: int, sent: int, limit: int, hold: Callable[[], None] | None = None) -> Timing:
        """Return the time of a request to a seat.

        If its limit must be extended, no other bot may compete with it any longer: ``hold`` freezes them, by
        default all others.
        """
        player = self._players[seat]
        return Timing(
            *(player.channel, self._clock, sent, limit),
            used=player.used + self._spent(seat),
            who=self._entrants[seat - 1].name,
            hold=hold or (lambda: self.hold(self._players.keys() - {seat})),
        )

    def count(self, seat: int, timing: Timing, ply: int | None = None) -> None:
        """Count what was not charged of a finished request: the turn at ``ply``, or without it the start."""
        self._waited[seat] += timing.waited
        if ply is None:
            self._players[seat].spent += timing.elapsed
        if timing.reading is not None:
            self._read(seat, timing.reading, timing.late, 0 if ply is None else timing.elapsed)
        if self.freeze and ply is not None and timing.late > GRACE_NS:
            for other, player in self._players.items():
                reading = None if other == seat or player.lost else player.channel.reading()
                if reading is not None:
                    self._read(other, reading, timing.late)
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

    def _spent(self, seat: int) -> int:
        """Return the time of a bot's own requests since its last reading."""
        return self._players[seat].spent + self.wall[seat] - self._since[seat]

    def _read(self, seat: int, reading: Reading, late: int, turn: int = 0) -> None:
        """Take a bot's reading. It is restless if it worked for half of the referee's delay, or RESTLESS_NS.

        Its work since the last reading counts as far as its own requests did not take as long; ``turn`` is
        the time of one that is not in ``wall`` yet.
        """
        player = self._players[seat]
        work = reading.cpu - player.used - self._spent(seat) - turn
        if self.freeze and late > GRACE_NS and work > min(late // 2, RESTLESS_NS):
            player.restless = True
            self.restless.add(seat)
        player.used, player.spent = reading.cpu, 0
        self._since[seat] = self.wall[seat] + turn

    def set_aside(self, seat: int, elapsed: int) -> None:
        """Count a turn of an earlier play, which a bot's new process did not work in."""
        self.wall[seat] += elapsed
        self._since[seat] += elapsed
        self.turns[seat] += 1

    def end(self) -> None:
        """Leave with each player what its requests took since its last reading, for its next match."""
        for seat, player in self._players.items():
            player.spent = self._spent(seat)
            self._since[seat] = self.wall[seat]

    def prepare(self, seat: int) -> None:
        """Before a request to a seat: freeze the restless bots of others, and let its own go on."""
        self.hold(self.restless - {seat})
        self.thaw(seat)

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
