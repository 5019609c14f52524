"""The containment that a tournament began with, below which no run goes on in silence.

``sandbox = "auto"`` takes the best that works at each start. So bots of a tournament that began in bubblewrap
could go on with the organiser's rights, because a shell's limits were lower that night.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

from tourney.bots.sandbox.sandbox import PROTECTIONS, Sandbox, lowered, weaker_text
from tourney.errors import SandboxError, StoreUnavailable
from tourney.match.result import Measurements
from tourney.store.database import Database
from tourney.store.values import Tournament

_OF_A_BOT: Final = {"private-files", "page-cache"}
"""The protections that one bot or one match may have to a lower degree than others in the same sandbox."""


def floor_of(database: Database, tournament: Tournament) -> Mapping[str, str]:
    """The degrees of protections that a tournament needs: the first run's, or lower ones allowed since.

    An imported tournament, or one that other hosts play, needs the degrees beside its first match; without
    one, or without measurements, nothing.
    """
    if tournament.run.floor:
        return tournament.run.floor
    first = database.records.first_sandbox(tournament.id)
    return {} if first is None else first.protections


def lowered_in(measured: Measurements, floor: Mapping[str, str]) -> list[str]:
    """The protections that a match had to a lower degree than the floor; () if its sandbox is not known."""
    if measured.sandbox is None or not floor:
        return []
    return lowered({**measured.sandbox.protections, **_only(floor, _OF_A_BOT)}, floor)


def _only(degrees: Mapping[str, str], names: set[str]) -> dict[str, str]:
    return {name: degree for name, degree in degrees.items() if name in names}


def keep_first(database: Database, tournament: Tournament, sandbox: Sandbox) -> None:
    """Keep the protections with which a tournament begins, unless the database cannot be written now."""
    if not floor_of(database, tournament):
        with suppress(StoreUnavailable):  # its first match will do
            database.tournaments.keep_floor(tournament.id, sandbox.protections)


def refuse_weaker(
    database: Database, tournament: Tournament, sandbox: Sandbox, *, allow: bool, say: Callable[[str], None]
) -> None:
    """Raise SandboxError if bots would be contained less than at the start of a tournament.

    With ``allow`` that is said, and stored as its new floor.
    """
    floor = floor_of(database, tournament)
    lower = lowered(sandbox.protections, floor)
    if not lower:
        return
    counts = [
        sum(degrees.get(name) == "enforced" for name in PROTECTIONS)
        for degrees in (floor, sandbox.protections)
    ]
    text = (
        f"{tournament.name} began with {counts[0]} of {len(PROTECTIONS)} protections enforced, and would go"
        f" on with {counts[1]}: {weaker_text(sandbox, lower)}"
    )
    if not allow:
        raise SandboxError(f"{text}; correct that, or pass --allow-weaker, which is stored")
    database.tournaments.keep_floor(tournament.id, sandbox.protections, weaker=True)
    say(f"--allow-weaker: {text}; this is stored with the tournament")
