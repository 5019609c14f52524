"""``tourney status``: the progress of tournaments."""

import time
from collections.abc import Mapping

import click

from tourney.cli.completion import complete_tournament
from tourney.cli.edge import printable
from tourney.cli.options import db_option, format_option, output_options
from tourney.cli.output import Format, Row, current
from tourney.errors import UsageError
from tourney.results.columns import Column
from tourney.results.texts import overload_text
from tourney.run.monitoring.progress import span_text
from tourney.run.monitoring.run_log import RunStatus, read_status, status_path
from tourney.store.repository import Repository
from tourney.store.root import compute_root
from tourney.store.values import Tournament

COLUMNS = (
    Column("tournament"),
    Column("game"),
    Column("format"),
    Column("state"),
    Column("done", right=True),
    Column("rows", "of", right=True),
    Column("rounds", right=True),
    Column("void", right=True),
    Column("rate", "a second", right=True),
    Column("left", right=True),
    Column("faults", "faults by bot"),
    Column("overload", "overloaded turns"),
    Column("void_matches", "void by the machine"),
    Column("benched"),
    Column("broken"),
    Column("playing"),
    Column("paused"),
    Column("root"),
)

WORDY = ("overload", "void_matches", "benched", "broken", "playing", "paused", "root")
"""What a table shows in lines of its own, below."""


@click.command("status")
@click.argument("tournament", required=False, shell_complete=complete_tournament)
@db_option
@format_option
@output_options
def command(tournament: str | None, db: str, format_: Format) -> None:
    """Show the progress of TOURNAMENT (default: all), even while a run is active.

    Matches in progress are shown as MATCH:BOTS:SINCE. The rate is that of the active run since its start;
    the time left is for the rounds paired so far. A finished tournament shows its root, one SHA-256 over its
    plan and all matches (see `tourney verify --root`).
    """
    with Repository.open(db) as opened, opened.snapshot() as repository:
        chosen = repository.tournaments() if tournament is None else (repository.tournament(tournament),)
        rows = [row_of(repository, found, time.time(), format_) for found in chosen]
    output = current()
    if format_ is not Format.TABLE:
        output.table(rows, COLUMNS, format_)
        return
    output.table(rows, [column for column in COLUMNS if column.key not in WORDY], format_)
    for row in rows:
        for title in ("benched", "broken", "playing"):
            for place, word in enumerate(row[title]):
                start = "" if place else f"{row['tournament']} {title}"
                output.write(f"{start}\t{printable(word)}".expandtabs(24))
        for number, note in row["void_matches"]:
            output.write(f"{row['tournament']} void\t{number}: {printable(note)}".expandtabs(24))
        if row["overload"]:
            output.write(f"{row['tournament']} overload\t{row['overload']}".expandtabs(24))
        if row["paused"]:
            output.write(f"{row['tournament']} paused\t{printable(row['paused'])}".expandtabs(24))
        if row["root"]:
            output.write(f"{row['tournament']} root\t{row['root']}".expandtabs(24))


def row_of(repository: Repository, tournament: Tournament, now: float, format_: Format) -> Row:
    """Return a tournament's line; ``now`` in seconds since the epoch."""
    progress = repository.progress(tournament.id)
    running = repository.running(tournament.id)
    # Of a run on a server the status is known only in the folder in which the run began.
    status = RunStatus() if running is None else read_status(status_path(repository.place, tournament.id))
    entrants = repository.entrants(tournament.id)
    names = {entrant.number: entrant.name for entrant in entrants}
    state = "stopped"
    if progress.done == progress.rows and tournament.complete:
        state = "finished"
    elif running is not None:
        state = f"running (process {running.pid})" if running.pid else "running"
    rate = left = None
    if running is not None and state != "finished" and now > running.since > 0:
        rate = max(0, progress.done - running.done) / (now - running.since)
        left = (progress.rows - progress.done) / rate if rate else None
    return {
        "tournament": tournament.name,
        "game": tournament.game,
        "format": tournament.plan.format,
        "state": state,
        "done": progress.done,
        "rows": progress.rows,
        "rounds": progress.rounds,
        "void": progress.void,
        "rate": None if rate is None else round(rate, 2),
        "left": (span_text(left) or None) if format_ is Format.TABLE else left and round(left),
        "faults": [f"{names[n]}:{kind}:{count}" for n, kind, count in repository.faults(tournament.id)],
        "overload": overload_text(repository.overload(tournament.id)[0]) or None,
        "void_matches": list(repository.void_matches(tournament.id)),
        "benched": [f"{names[n]}:{count}-void" for n, count in repository.benched(tournament.id)],
        "broken": [f"{stored.name}: {stored.broken}" for stored in entrants if stored.broken],
        "playing": [
            f"{playing.number}:{_who(repository, tournament, names, playing.number)}:"
            f"{span_text(max(0.0, now - playing.since))}"
            for playing in status.playing
        ],
        "paused": status.paused or None,
        "root": (tournament.root or compute_root(repository, tournament)) if state == "finished" else None,
    }


def _who(repository: Repository, tournament: Tournament, names: Mapping[int, str], number: int) -> str:
    try:
        return "-v-".join(names[seat] for seat in repository.match(tournament.id, number).seats)
    except UsageError:  # the snapshot is older than the round
        return "?"
