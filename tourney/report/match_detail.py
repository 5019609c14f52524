"""What the pages of matches are made from: their tournament's setting, and what is stored of each match.

It imports little, because every process that renders matches imports it.
"""

from dataclasses import dataclass, replace

from msgspec import structs

from tourney.games.base import AnyGame
from tourney.games.registry import known_game
from tourney.match.record import Record
from tourney.match.result import NOT_MEASURED, LogLine, Measurements
from tourney.report.display import SeatLabel
from tourney.store.values import Tournament


@dataclass(frozen=True, slots=True)
class MatchDetail:
    """What is stored of one match beyond its result; ``record`` is None if the infrastructure failed.

    Damaged parts are left out: ``damaged`` names each part (record, log or measurements) and says why.
    """

    record: Record | None = None
    log: tuple[LogLine, ...] = ()
    measured: Measurements = NOT_MEASURED
    damaged: tuple[tuple[str, str], ...] = ()


def published_detail(detail: MatchDetail, *, logs: bool) -> MatchDetail:
    """The published parts of a match, or all of it with ``logs``."""
    if logs:
        return detail
    return replace(
        detail,
        log=tuple(line for line in detail.log if line.kind != "stderr"),
        measured=structs.replace(detail.measured, host=""),
    )


@dataclass(frozen=True)
class MatchSetting:
    """The tournament of matches as their pages see it, without what changes while it runs; picklable."""

    tournament: Tournament
    seats: tuple[SeatLabel, ...]

    @property
    def game(self) -> AnyGame | None:
        """The game, or None if it is not installed or broken, or if no rules were run."""
        return known_game(self.tournament.game) if self.tournament.recorded else None
