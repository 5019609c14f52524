"""How many matches at a time fit into memory, so that a bot which fills its own meets its own limit.

If the bots of all matches may use more than there is, the kernel ends one of them before any has broken its
limit. That is not a fault of any bot, so the match has no result, and a bot that is losing could bring that
about. The same goes for processes: where a container allows few, a bot that starts all of them would keep its
opponent from starting any, and other matches from starting their bots.
"""

from typing import Final, NamedTuple, Self

from tourney.bots.metering import HOST_MB
from tourney.bots.sandbox.machine_memory import MachineMemory, free_processes, machine_memory
from tourney.bots.sandbox.sandbox import MAX_PROCESSES
from tourney.bots.sandbox.visible_files import COPY_BYTES
from tourney.errors import SandboxError
from tourney.match.spec import LEAST_MEMORY_MB, Limits
from tourney.texts import counted

PROGRAM_MB: Final = 256
"""Room for the coordinator, which takes about 100 MiB, and processes that are not workers."""
WORKER_MB: Final = 64  # room for a worker, which takes about 35 MiB, and the shells of its sandboxes
MAX_KEPT: Final = 16  # most bots, or hosts of modules, that a worker keeps for later matches
OWN_PROCESSES: Final = 64  # room for the processes and threads of the program itself
WORKER_PROCESSES: Final = 32  # and of a worker, with the sandboxes that it makes
LEAST_PROCESSES: Final = 96
"""Processes of a bot for which fewer matches are played at a time: a Java machine starts some dozens."""
_MIB: Final = 1 << 20  # bytes
_COPY_MB: Final = COPY_BYTES // _MIB


class MatchMemory(NamedTuple):
    """The memory of a match's bots: their number, the limit of each in MiB, and whether any is a module.

    A module's host process needs memory beside the module's. ``kept_mb`` is what a bot may use that a worker
    keeps for later matches, or the host of a module; 0 if none is kept.
    """

    bots: int
    limit_mb: int
    modules: bool = False
    kept_mb: int = 0

    @classmethod
    def of(cls, limits: Limits, bots: int, *, modules: bool = False, reuse: bool = False) -> Self:
        """The memory of a match with these limits."""
        need = cls(bots, limits.memory_mb, modules or limits.by_fuel)
        # An instance of a module is never kept, so its own memory is free after a match.
        return need._replace(kept_mb=HOST_MB if limits.by_fuel else need.bot_mb if reuse else 0)

    @property
    def bot_mb(self) -> int:
        """The most that a bot can use, with its host."""
        return self.limit_mb + HOST_MB * self.modules

    @property
    def match_mb(self) -> int:
        """The most that a match can use, with its worker and the sandboxes of the worker's next match.

        These hold copies of the files of their bots, at most half of a bot's memory.
        """
        return WORKER_MB + self.bots * (self.bot_mb + min(_COPY_MB, self.limit_mb // 2))

    def largest_limit(self, room_mb: int) -> int:
        """The largest ``memory-mb`` with which a match fits into ``room_mb``; 0 if there is none."""
        each = (room_mb - WORKER_MB) // self.bots - HOST_MB * self.modules
        limit = max(each - _COPY_MB, min(2 * each // 3, 2 * _COPY_MB))
        return limit if limit >= LEAST_MEMORY_MB else 0


class MatchesAtOnce(NamedTuple):
    """How many matches are played at a time, how many bots each worker may keep, and why, in words or "".

    ``processes`` is the most that a bot may have.
    """

    matches: int
    kept: int = MAX_KEPT
    text: str = ""
    processes: int = MAX_PROCESSES

    def sharing(self, room: int | None, bots: int) -> Self:
        """The plan where ``room`` processes can be started in all; None: any number."""
        if room is None or room >= _processes_of(self.matches, bots, MAX_PROCESSES):
            return self
        plan = self
        while plan.matches > 1 and room < _processes_of(plan.matches, bots, LEAST_PROCESSES):
            plan = plan._replace(matches=plan.matches - 1)
        # If not even one match has as many, its bots share the rest.
        share = (room - _processes_of(plan.matches, bots, 0)) // (plan.matches * bots)
        processes = max(LEAST_PROCESSES // 4, min(MAX_PROCESSES, share))
        at_once = "1 match" if plan.matches == 1 else f"{plan.matches} matches"
        text = (
            f"processes: {room:,} more can be started here, so {at_once} at a time, and each bot may have"
            f" {processes} (otherwise {MAX_PROCESSES}); raise the limit of processes (pids.max, ulimit -u)"
        )
        return plan._replace(processes=processes, text="; ".join(filter(None, (plan.text, text))))


def _processes_of(matches: int, bots: int, each: int) -> int:
    """The processes of the program, and of ``matches`` at a time whose bots have ``each``."""
    return OWN_PROCESSES + matches * (WORKER_PROCESSES + bots * each)


ALL_FIT: Final = MatchesAtOnce(1)
"""Bounds of a worker on a machine that has enough of everything."""


def refuse_unfit(need: MatchMemory, memory: MachineMemory | None = None, *, fixed: str = "") -> None:
    """Raise SandboxError if a match does not fit into this machine's memory even alone.

    That depends on nothing that changes from start to start. ``fixed`` says why its limit cannot be lowered.
    """
    memory = memory or machine_memory()
    room = memory.total // _MIB - PROGRAM_MB
    if need.match_mb <= room:
        return
    largest = need.largest_limit(room)
    advice = fixed or (f"set memory-mb to at most {largest}, or play" if largest else "play")
    advice = f"{advice}, so play" if fixed else advice
    bots = counted(need.bots, "bot")
    raise SandboxError(
        f"a match of {bots} with memory-mb = {need.limit_mb} does not fit into memory: with its worker and"
        f" the program it may use {need.match_mb + PROGRAM_MB:,} MiB, and {memory.place} has"
        f" {memory.total // _MIB:,}; {advice} where there is more",
        key="memory-mb",
    )


def plan_matches(
    need: MatchMemory,
    wanted: int,
    memory: MachineMemory | None = None,
    processes: int | None = None,
) -> MatchesAtOnce:
    """The number of matches at a time, at most ``wanted``, that all fit into the memory available now.

    ``memory`` and the number of ``processes`` that can be started (None: any) default to this machine's. At
    least one match, which fits into the total (``refuse_unfit``). Memory that other programs use now is left
    out: with it, bots could fill the machine before one breaks its limit. As many bots are kept as fit beside
    the matches.
    """
    if memory is None:
        memory = machine_memory()
        processes = free_processes()
    return _by_memory(need, wanted, memory).sharing(processes, need.bots)


def _by_memory(need: MatchMemory, wanted: int, memory: MachineMemory) -> MatchesAtOnce:
    room = min(memory.total // _MIB - PROGRAM_MB, memory.available // _MIB)
    most = room // need.match_mb
    matches = max(1, min(wanted, most))
    spare = room // matches - need.match_mb
    kept_bots = max(0, min(MAX_KEPT, spare // need.kept_mb)) if need.kept_mb else MAX_KEPT
    if most >= wanted:
        return MatchesAtOnce(matches, kept_bots)
    bots = counted(need.bots, "bot")
    use = f"each may use {need.match_mb:,} MiB ({bots} with memory-mb = {need.limit_mb}, and its worker)"
    if not most:
        text = (
            f"memory: 1 match at a time, and {memory.place} has too little for it now: {use}, and"
            f" {max(0, room):,} MiB are available; until other programs end, the machine may end a bot that"
            " fills its memory"
        )
        return MatchesAtOnce(matches, kept_bots, text)
    largest = need.largest_limit(room // wanted)
    advice = f"; memory-mb = {largest} would let {wanted} fit" if largest else ""
    at_once = "1 match" if matches == 1 else f"{matches} matches"
    text = (
        f"memory: {at_once} at a time, not {wanted}: {use}, and {room:,} MiB of {memory.place} are"
        f" available{advice}"
    )
    return MatchesAtOnce(matches, kept_bots, text)
