"""How far a run is, how it ended, and how the tournament stands: values and their texts."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tourney.errors import StoreDamaged
from tourney.match.result import Cause, LogLine, Playing, SeatLoad, fault_cause
from tourney.results.standings import compute_standings
from tourney.results.texts import kinds_text, repeats_text
from tourney.store.database import Database
from tourney.store.values import Tournament
from tourney.texts import counted, printable


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a tournament is: its matches, those with a result, faults, and void matches.

    ``rows`` are all matches, as ``planned_matches`` knows them. ``played`` and ``seconds`` are those of this
    run alone.
    """

    rows: int
    done: int
    played: int
    faults: int
    void: int
    seconds: float

    @property
    def rate(self) -> float | None:
        """Matches per second, or None before the first."""
        return self.played / self.seconds if self.played and self.seconds > 0 else None

    @property
    def left(self) -> float | None:
        """Seconds left for the known matches, or None if unknown."""
        return (self.rows - self.done) / self.rate if self.rate else None


class RunStatus(Struct, frozen=True):
    """The matches being played, why the run pauses ("" if it does not), and how many it plays at a time.

    ``last_match`` is when the last result of this run came, ``paused_since`` when the pause began; in seconds
    since the epoch, 0 for neither.
    """

    playing: tuple[Playing, ...] = ()
    paused: str = ""
    workers: int = 0
    last_match: float = 0.0
    paused_since: float = 0.0

    def following(self, before: "RunStatus", *, new_match: bool, now: float) -> "RunStatus":
        """This status with the times that follow from the status before it."""
        paused_since = before.paused_since or now if self.paused else 0.0
        last_match = now if new_match else before.last_match
        return replace(self, last_match=last_match, paused_since=paused_since)


def progress_text(progress: RunProgress) -> str:
    """The progress in one line."""
    parts = [f"{progress.done} of {progress.rows} matches"]
    if progress.rate is not None:
        parts.append(f"{progress.rate:.1f} a second")
    if progress.left:
        parts.append(f"{span_text(progress.left)} left")
    parts.append(counted(progress.faults, "fault") if progress.faults else "no faults")
    if progress.void:
        parts.append(f"{progress.void} void")
    return ", ".join(parts)


def span_text(seconds: float | None) -> str:
    """A time span such as ``2h05m``, ``3m20s`` or ``8s``; "" for None."""
    if seconds is None:
        return ""
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600}h{whole % 3600 // 60:02}m"
    return f"{whole // 60}m{whole % 60:02}s" if whole >= 60 else f"{whole}s"


MOST_OVERLOADED: Final = 0.01
"""The share of overloaded turns above which a run asks for fewer workers.

A turn counts if more than a tenth of it was spent waiting, which a machine with a processor for each match
shows in a few turns of a thousand: the system's own work. With twice as many matches as processors most turns
count.
"""
ENOUGH: Final = 500  # turns before a run says so while it goes on


@dataclass(slots=True)
class RunLoad:
    """The turns of a run's matches: how many, how many were overloaded, and the milliseconds of both kinds.

    ``wall_ms``: of all turns; ``waited_ms``: the part that was spent waiting for a processor and not charged.
    """

    turns: int = 0
    overloaded: int = 0
    wall_ms: int = 0
    waited_ms: int = 0

    def add(self, seats: Iterable[SeatLoad]) -> None:
        """Add a match."""
        for seat in seats:
            self.turns += seat.turns
            self.overloaded += seat.overloaded
            self.wall_ms += seat.wall_ms
            self.waited_ms += seat.waited_ms

    def fewer_workers(self, workers: int) -> int:
        """The number of workers at which no bot would have waited.

        If bots spend a share of their turns waiting, the processors serve that share of the matches less. At
        least 1, and fewer than ``workers`` if these are more.
        """
        waiting = min(1.0, self.waited_ms / self.wall_ms) if self.wall_ms else 0.0
        return max(1, min(workers - 1, int(workers * (1 - waiting))))

    def advice(self, workers: int) -> str:
        """Advice about overload; "" if there was little."""
        if self.overloaded <= MOST_OVERLOADED * self.turns:
            return ""
        share = f"{100 * self.overloaded / self.turns:.1f} % of {self.turns:,} turns were overloaded"
        if workers == 1:
            return f"{share}: other programs take the processors of the one worker; let it have one alone"
        fewer = self.fewer_workers(workers)
        return (
            f"{share}: run with fewer workers (--workers {fewer} instead of {workers};"
            " on a cluster, with fewer match slots)"
        )


class End(Enum):
    """How a run ended."""

    FINISHED = "finished"
    TIME = "time"
    FAULTS = "faults"
    DRAINED = "drained"
    STOPPED = "stopped"


TOP = 12  # lines of the page's tables of faults and standings
_END_TEXTS: Mapping[End, str] = {
    End.FINISHED: "all played",
    End.TIME: "stopped: time is up; run again to continue",
    End.FAULTS: "stopped: too many faults (--max-faults)",
    End.DRAINED: "stopped on request; run again to continue",
    End.STOPPED: "stopped at once on request; run again to continue",
}


@dataclass(frozen=True, slots=True)
class Summary:
    """How a run ended, by which signal (0: none), and how far the tournament is.

    ``pauses``: how often it paused because the database could not be written; ``paused``: for how many
    seconds in all. ``until``: what ``[until]`` asks, or why it ended the tournament; None without it.
    ``root``: the root of a finished tournament (``tourney.check.root``). ``again``: the number of plays of
    this run that were not a match, by their cause. ``load`` is that of this run's matches with ``workers``.
    """

    end: End
    signal: int
    progress: RunProgress
    pauses: int = 0
    paused: float = 0.0
    until: str | None = None
    root: str | None = None
    again: Mapping[Cause, int] = field(default_factory=dict)
    load: RunLoad = field(default_factory=RunLoad)
    workers: int = 1


def summary_text(name: str, summary: Summary) -> str:
    """How a run ended, in one line."""
    until = f"; {summary.until}" if summary.until else ""
    return f"{name}: {_END_TEXTS[summary.end]} ({progress_text(summary.progress)}){until}"


def root_text(name: str, summary: Summary) -> str:
    """A line with the root of a finished tournament; "" for another one."""
    return f"{name}: root {summary.root}" if summary.root else ""


_CAUSE_TEXTS: Mapping[Cause, str] = {
    "machine": "the machine failed",
    "overload": "the machine was overloaded",
    "memory": "the machine's memory was full",
}


def _listed(title: str, lines: Sequence[str], more: str, top: int = TOP) -> Iterator[str]:
    """The first lines of a list under its title; ``more`` says where the others are."""
    for place, line in enumerate(lines[:top]):
        yield f"  {'' if place else title:10} {line}"
    if len(lines) > top:
        yield f"  {'':10} and {len(lines) - top} more{more}"


def _run_lines(summary: Summary) -> Iterator[str]:
    progress = summary.progress
    void = f", {progress.void} void" if progress.void else ""
    rate = f", {progress.rate:.2f} a second" if progress.rate is not None else ""
    played = f"{counted(progress.played, 'match')} with {counted(summary.workers, 'worker')}"
    again = [f"{summary.again[c]} as {text}" for c, text in _CAUSE_TEXTS.items() if summary.again.get(c)]
    for title, text, shown in (
        ("ended", _END_TEXTS[summary.end], True),
        ("matches", f"{progress.done} of {progress.rows}{void}", True),
        ("this run", f"{played} in {span_text(progress.seconds)}{rate}", True),
        ("until", summary.until, summary.until),
        (
            "pauses",
            f"{summary.pauses}, {span_text(summary.paused)} in all: the database could not be written",
            summary.pauses,
        ),
        ("again", f"{counted(sum(summary.again.values()), 'play')} did not end: {', '.join(again)}", again),
    ):
        if shown:
            yield f"  {title:10} {text}"


def _fault_lines(faults: Iterable[tuple[int, str, int]], names: Mapping[int, str]) -> list[str]:
    """The faults of each entrant, most first."""
    kinds: dict[int, Counter[str]] = {}
    for entrant, kind, count in faults:
        kinds.setdefault(entrant, Counter())[kind] += count
    ordered = sorted(kinds, key=lambda entrant: (-kinds[entrant].total(), entrant))
    return [f"{names[entrant]}: {kinds_text(kinds[entrant])}" for entrant in ordered]


_MEMORY: Final = re.compile(r"\bOOM\b|memory|allocate|reserve|initialization of VM", re.IGNORECASE)
"""In words of runtimes that cannot get any; the last are a JVM's."""


def start_cause(log: Sequence[LogLine], seat: int) -> str:
    """Why a bot did not start, in a line: its own last words say more than the referee's note."""
    *_, cause = ("its log says nothing", *fault_cause(log, seat, "startup"))
    return printable(cause.removeprefix("standard error: ").removeprefix("startup: "))[:200]


def _startup_lines(database: Database, tournament: Tournament, names: Mapping[int, str]) -> Iterator[str]:
    """The reason for each entrant's failed start: its last line in the first match that it lost by one."""
    bound = f"; memory-mb = {tournament.plan.limits.memory_mb} bounds also the address space of each process"
    explained = set[int]()
    for number, entrants, faults in database.matches.faulty(tournament.id):
        for seat, (entrant, fault) in enumerate(zip(entrants, faults, strict=True), start=1):
            if fault != "startup" or entrant in explained:
                continue
            explained.add(entrant)
            log: tuple[LogLine, ...] = ()
            with suppress(StoreDamaged):
                log = database.records.log(tournament.id, number)
            why = start_cause(log, seat)
            yield f"{names[entrant]} in match {number}: {why}{bound if _MEMORY.search(why) else ''}"


def summary_page(
    database: Database, tournament: Tournament, summary: Summary, files: Mapping[str, str]
) -> str:
    """The summary page without a final newline. ``files``: the paths of the log and report."""
    lines = [f"{tournament.name}: {tournament.game}, {tournament.plan.format}, {tournament.seats} seats"]
    lines += _run_lines(summary)
    void = [f"match {number}: {note}" for number, note in database.totals.void_matches(tournament.id)]
    lines += _listed("void", void, "; see `tourney status`")
    if advice := summary.load.advice(summary.workers):
        lines.append(f"  overload   {advice}")
    matches, distinct = database.totals.distinct(tournament.id)
    if distinct < matches:
        lines.append(f"  repeats    {repeats_text(distinct, matches)}")
    entrants = database.tournaments.entrants(tournament.id)
    names = {entrant.number: entrant.name for entrant in entrants}
    faults = _fault_lines(database.totals.faults(tournament.id), names)
    lines += _listed("faults", faults, " bots; see `tourney status`")
    # Only then: it reads logs.
    if any(kind == "startup" for _, kind, _ in database.totals.faults(tournament.id)):
        why = list(_startup_lines(database, tournament, names))
        lines += _listed("start-up", why, " bots; see `tourney show MATCH`")
    for entrant, count in database.totals.benched(tournament.id):
        lines.append(f"  benched    {names[entrant]}: {count} of its matches are void")
    broken = [f"{stored.name}: {stored.broken}" for stored in entrants if stored.broken]
    lines += _listed("broken", broken, "", top=len(broken))
    standings = compute_standings(database, tournament.id)
    width = max((len(line.name) for line in standings[:TOP]), default=0)
    placed = [
        f"{line.rank:3} {line.name:{width}} {float(line.points):8.1f} of {line.games}" for line in standings
    ]
    lines += _listed("standings", placed, "; see `tourney standings`")
    lines += [f"  {name:10} {where}" for name, where in files.items() if where]
    return "\n".join(lines)
