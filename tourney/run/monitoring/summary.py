"""How a run ended."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from tourney.results.standings import compute_standings
from tourney.run.monitoring.progress import Progress, kinds_text, span_text
from tourney.store.repository import Repository
from tourney.store.values import Tournament


class End(Enum):
    """How a run ended."""

    FINISHED = "finished"
    TIME = "time"
    FAULTS = "faults"
    DRAINED = "drained"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run did: how it ended, by which signal (0: none), and how the tournament stands.

    ``pauses``: how often it paused as the database could not be written, and for how many seconds in all.
    """

    end: End
    signal: int
    progress: Progress
    pauses: int = 0
    paused: float = 0.0


TOP = 12
ENDS: Mapping[End, str] = {
    End.FINISHED: "all played",
    End.TIME: "stopped as the time is up; run it again to go on",
    End.FAULTS: "stopped as there were too many faults (--max-faults)",
    End.DRAINED: "stopped on request; run it again to go on",
    End.STOPPED: "stopped at once on request; run it again to go on",
}


def page(repository: Repository, tournament: Tournament, summary: Summary, files: Mapping[str, str]) -> str:
    """Return the page, without a newline at its end. ``files``: where the log and others are, by name."""
    progress = summary.progress
    played = f"{progress.played} match" + ("" if progress.played == 1 else "es")
    lines = [
        f"{tournament.name}: {tournament.game}, {tournament.plan.format}, {tournament.seats} seats",
        f"  ended      {ENDS[summary.end]}",
        f"  matches    {progress.done} of {progress.rows}"
        + (f", {progress.void} void" if progress.void else ""),
        f"  this run   {played} in {span_text(progress.seconds)}"
        + (f", {progress.rate:.2f} a second" if progress.rate is not None else ""),
    ]
    if summary.pauses:
        lines.append(
            f"  pauses     {summary.pauses}, {span_text(summary.paused)} in all, as the database failed"
        )
    names = {entrant.number: entrant.name for entrant in repository.entrants(tournament.id)}
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
    standings = compute_standings(repository, tournament.id)
    width = max((len(line.name) for line in standings[:TOP]), default=0)
    for place, line in enumerate(standings[:TOP]):
        points = f"{float(line.points):8.1f} of {line.games}"
        lines.append(f"  {'' if place else 'standings':10} {line.rank:3} {line.name:{width}} {points}")
    if len(standings) > TOP:
        lines.append(f"  {'':10} and {len(standings) - TOP} more; see `tourney standings`")
    lines += [f"  {name:10} {where}" for name, where in files.items() if where]
    return "\n".join(lines)
