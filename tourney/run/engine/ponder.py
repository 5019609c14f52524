"""``ponder`` in a run: its value where the file has none, and what bots of a match share.

A bot that computes in its opponent's turn takes time from it where both use one processor. So waiting bots
are frozen wherever that can be enforced and processors are shared.
"""

from dataclasses import dataclass, replace

from msgspec import structs

from tourney.bots.sandbox.base import Sandbox
from tourney.run.config.tournament_file import Ponder, TournamentFile
from tourney.run.monitoring.progress import counted
from tourney.store.values import Plan


@dataclass(frozen=True, slots=True)
class Pinning:
    """Matches played at a time, processors that each is pinned to (0: to none), and processors there are."""

    workers: int = 1
    cpus: int = 1
    processors: int = 1

    def separate(self, seats: int) -> bool:
        """Say whether every bot of a match of so many seats has a processor of its own."""
        return seats <= self.cpus and self.workers * self.cpus <= self.processors


def with_ponder(file: TournamentFile, sandbox: Sandbox, pinning: Pinning) -> TournamentFile:
    """Return a file with a value of ``ponder``: its own, or the one that suits sandbox and processors."""
    if file.ponder is not None:
        return file
    if file.plan.limits.by_fuel:
        return file  # modules stand still in the turns of others, whatever the machine
    limits = structs.replace(file.plan.limits, ponder=_suitable(file.plan.seats, sandbox, pinning))
    return replace(file, plan=structs.replace(file.plan, limits=limits))


def _suitable(seats: int, sandbox: Sandbox, pinning: Pinning) -> Ponder:
    enforced = sandbox.protections["freezing"] == "enforced"
    return "freeze" if enforced and not _separate(seats, sandbox, pinning) else "allow"


def _separate(seats: int, sandbox: Sandbox, pinning: Pinning) -> bool:
    return pinning.separate(seats) and sandbox.protections["processors"] == "enforced"


def ponder_text(plan: Plan, sandbox: Sandbox, pinning: Pinning) -> str:
    """Say what the plan's ``ponder`` means with this sandbox and these processors, as a message of a run."""
    if plan.limits.by_fuel:
        return "charge fuel: a module runs in its own turns only, and its time is the work that it does"
    seats = plan.seats
    freezing = sandbox.protections["freezing"]
    if plan.limits.ponder == "freeze":
        if freezing == "enforced":
            return "ponder freeze: waiting bots are held still"
        return (
            f"ponder freeze cannot be enforced here (freezing is {freezing}): a bot may compute in its"
            f" opponents' turns{_advice(seats)}"
        )
    if _separate(seats, sandbox, pinning):
        return "ponder allow: every bot has processors of its own"
    if pinning.cpus == 0:
        shared = f"the {seats} bots of a match may use all processors"
    elif pinning.workers * pinning.cpus > pinning.processors:
        shared = (
            f"{counted(pinning.workers, 'worker')} share {counted(pinning.processors, 'processor')}"
            f" with {seats} bots each"
        )
    elif seats <= pinning.cpus:
        shared = f"bots may leave their processors (processors is {sandbox.protections['processors']})"
    else:
        shared = f"the {seats} bots of a match share {counted(pinning.cpus, 'processor')}"
    advice = "" if pinning.separate(seats) else _advice(seats)
    return f"ponder allow: {shared}, and one that computes in its opponents' turns slows them{advice}"


def _advice(seats: int) -> str:
    return f"; give each a processor by --cpus {seats}, or see docs/explanation/fairness.md"
