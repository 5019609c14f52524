"""The summary of a run: how it ended, and how the tournament stands."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from tourney.results.standings import compute_standings
from tourney.results.texts import overload_text
from tourney.run.monitoring.load import RunLoad
from tourney.run.monitoring.progress import Progress, counted, kinds_text, progress_text, span_text
from tourney.run.workers.executor import Cause
from tourney.store.repository import Repository
from tourney.store.values import Tournament


class End(Enum):
    """How a run ended."""

    FINISHED = "finished"
    TIME = "time"
    FAULTS = "faults"
    DRAINED = "drained"
    STOPPED = "stopped"
    AGAIN = "again"
    """A host was set aside: its matches are taken back, and the run goes on."""


TOP = 12
"""Lines of the page's tables of faults and standings."""
_END_TEXTS: Mapping[End, str] = {
    End.FINISHED: "all played",
    End.TIME: "stopped: time is up; run again to continue",
    End.FAULTS: "stopped: too many faults (--max-faults)",
    End.DRAINED: "stopped on request; run again to continue",
    End.STOPPED: "stopped at once on request; run again to continue",
    End.AGAIN: "goes on without a host that was set aside",
}


@dataclass(frozen=True, slots=True)
class Summary:
    """How a run ended, by which signal (0: none), and how far the tournament is.

    ``pauses``: how often it paused because the database could not be written; ``paused``: for how many
    seconds in all. ``until``: what ``[until]`` asks, or why it ended the tournament; None without it.
    ``root``: the root of a finished tournament (``tourney.store.root``). ``again``: how many
    plays of this run were no match, by their cause. ``load`` is that of this run's matches, with so many
    ``workers``.
    """

    end: End
    signal: int
    progress: Progress
    pauses: int = 0
    paused: float = 0.0
    until: str | None = None
    root: str | None = None
    again: Mapping[Cause, int] = field(default_factory=dict)
    load: RunLoad = field(default_factory=RunLoad)
    workers: int = 1


def summary_text(name: str, summary: Summary) -> str:
    """Return how a run ended, in one line."""
    until = f"; {summary.until}" if summary.until else ""
    return f"{name}: {_END_TEXTS[summary.end]} ({progress_text(summary.progress)}){until}"


def root_text(name: str, summary: Summary) -> str:
    """Return a line with the root of a finished tournament; "" for another one."""
    return f"{name}: root {summary.root}" if summary.root else ""


_CAUSE_TEXTS: Mapping[Cause, str] = {
    "machine": "the machine failed",
    "overload": "the machine was overloaded",
    "killed": "a bot was killed",
}


def again_text(again: Mapping[Cause, int]) -> str:
    """Return how many plays did not end, and why, as ``1 play did not end: 1 as a bot was killed``."""
    parts = ", ".join(f"{again[cause]} as {text}" for cause, text in _CAUSE_TEXTS.items() if again.get(cause))
    return f"{counted(sum(again.values()), 'play')} did not end: {parts}"


def summary_page(
    repository: Repository, tournament: Tournament, summary: Summary, files: Mapping[str, str]
) -> str:
    """Return the summary page without a final newline. ``files``: the paths of the log and report."""
    progress = summary.progress
    played = f"{progress.played} match" + ("" if progress.played == 1 else "es")
    lines = [
        f"{tournament.name}: {tournament.game}, {tournament.plan.format}, {tournament.seats} seats",
        f"  ended      {_END_TEXTS[summary.end]}",
        f"  matches    {progress.done} of {progress.rows}"
        + (f", {progress.void} void" if progress.void else ""),
        f"  this run   {played} in {span_text(progress.seconds)}"
        + (f", {progress.rate:.2f} a second" if progress.rate is not None else ""),
    ]
    if summary.until:
        lines.append(f"  until      {summary.until}")
    if summary.pauses:
        paused = span_text(summary.paused)
        lines.append(f"  pauses     {summary.pauses}, {paused} in all: the database could not be written")
    if summary.again:
        lines.append(f"  again      {again_text(summary.again)}")
    void = repository.void_matches(tournament.id)
    for place, (number, note) in enumerate(void[:TOP]):
        lines.append(f"  {'' if place else 'void':10} match {number}: {note}")
    if len(void) > TOP:
        lines.append(f"  {'':10} and {len(void) - TOP} more; see `tourney status`")
    if overloaded := overload_text(repository.overload(tournament.id)[0]):
        lines.append(f"  overload   {overloaded}")
    if advice := summary.load.advice(summary.workers):
        lines.append(f"  {'':10} {advice}")
    entrants = repository.entrants(tournament.id)
    names = {entrant.number: entrant.name for entrant in entrants}
    kinds: dict[int, Counter[str]] = {}
    for entrant, kind, count in repository.faults(tournament.id):
        kinds.setdefault(entrant, Counter())[kind] += count
    ordered = sorted(kinds, key=lambda entrant: (-kinds[entrant].total(), entrant))
    for place, entrant in enumerate(ordered[:TOP]):
        lines.append(f"  {'' if place else 'faults':10} {names[entrant]}: {kinds_text(kinds[entrant])}")
    if len(ordered) > TOP:
        lines.append(f"  {'':10} and {len(ordered) - TOP} more bots; see `tourney status`")
    for entrant, count in repository.benched(tournament.id):
        lines.append(f"  benched    {names[entrant]}: {count} of its matches are void")
    broken = [stored for stored in entrants if stored.broken]
    lines += [f"  {'' if place else 'broken':10} {s.name}: {s.broken}" for place, s in enumerate(broken)]
    standings = compute_standings(repository, tournament.id)
    width = max((len(line.name) for line in standings[:TOP]), default=0)
    for place, line in enumerate(standings[:TOP]):
        points = f"{float(line.points):8.1f} of {line.games}"
        lines.append(f"  {'' if place else 'standings':10} {line.rank:3} {line.name:{width}} {points}")
    if len(standings) > TOP:
        lines.append(f"  {'':10} and {len(standings) - TOP} more; see `tourney standings`")
    lines += [f"  {name:10} {where}" for name, where in files.items() if where]
    return "\n".join(lines)
