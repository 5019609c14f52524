"""``tourney status``: the progress of tournaments."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import click

from tourney.cli.completion import complete_tournament
from tourney.cli.documents.tournaments import StatusDocument
from tourney.cli.edge import printable
from tourney.cli.options import db_option, formats_option, output_options
from tourney.cli.output import Format, Row, current
from tourney.errors import UsageError
from tourney.results.columns import Column
from tourney.results.standings import setup_of
from tourney.results.texts import overload_text
from tourney.results.until import until_now
from tourney.run.engine.distrust import withdrawn_path
from tourney.run.monitoring.progress import counted, span_text
from tourney.run.monitoring.run_log import RunStatus, read_status, status_path
from tourney.schedule.format import FORMATS, find_format
from tourney.store.repository import Repository
from tourney.store.root import compute_root
from tourney.store.values import Archive, OverloadTotals, StoredEntrant, Tournament

COLUMNS = (
    Column("tournament"),
    Column("game"),
    Column("format"),
    Column("state"),
    Column("done", right=True),
    Column("rows", "of", right=True),
    Column("rounds", right=True),
    Column("planned_rounds", right=True),
    Column("until"),
    Column("void", right=True),
    Column("rate", "a second", right=True),
    Column("left", right=True),
    Column("faults", "faults by bot"),
    Column("overload", "overloaded turns"),
    Column("void_matches", "void by the machine"),
    Column("benched"),
    Column("broken"),
    Column("set_aside", "hosts set aside"),
    Column("withdrawn"),
    Column("playing"),
    Column("paused"),
    Column("root"),
    Column("archive"),
)

WORDY = (
    "planned_rounds",
    "until",
    "overload",
    "void_matches",
    "benched",
    "broken",
    "set_aside",
    "withdrawn",
    "playing",
    "paused",
    "root",
    "archive",
)
"""What a table shows in lines of its own, below, or in another column."""


@click.command("status")
@click.argument("tournament", required=False, shell_complete=complete_tournament)
@db_option
@formats_option(StatusDocument)
@output_options
def command(tournament: str | None, db: str, format_: Format) -> None:
    """Show the progress of TOURNAMENT (default: all), even while a run is active.

    Rounds are those paired so far, of those planned where the format knows their number. Matches in progress
    are shown as MATCH:BOTS:SINCE. The rate is that of the active run since its start; the time left is for
    the rounds paired so far. Where the file has [until], the line `until` says how near the answer is, or why
    the tournament ended. A finished tournament shows its root, one SHA-256 over its plan and all matches
    (see `tourney verify --root`). One whose records are in an archive shows that file. A host that was set
    aside is shown until its matches are played again, and the file of what no longer counts as long as it is
    there.
    """
    with Repository.open(db) as opened, opened.snapshot() as repository:
        chosen = repository.tournaments() if tournament is None else (repository.tournament(tournament),)
        archives = repository.archives()
        lines = [line_of(repository, found, time.time(), archives.get(found.id)) for found in chosen]
    output = current()
    if format_ is Format.JSON:
        output.document(StatusDocument, tournaments=lines)
        return
    rows = [_row(line, people=format_ is Format.TABLE) for line in lines]
    if format_ is Format.CSV:
        output.table(rows, COLUMNS, format_)
        return
    output.table(rows, [column for column in COLUMNS if column.key not in WORDY], format_)
    for row in rows:
        for title, word in _words(row):
            output.write(f"{title}\t{printable(word)}".expandtabs(24))


def line_of(
    repository: Repository, tournament: Tournament, now: float, archive: Archive | None
) -> dict[str, Any]:
    """Return a tournament's line of a ``StatusDocument``; ``now`` in seconds since the epoch."""
    progress = repository.progress(tournament.id)
    running = repository.running(tournament.id)
    # Of a run on a server the status is known only in the folder in which the run began.
    status = RunStatus() if running is None else read_status(status_path(repository.place, tournament.id))
    entrants = repository.entrants(tournament.id)
    names = {entrant.number: entrant.name for entrant in entrants}
    finished = progress.done == progress.rows and tournament.complete
    rate = left = None
    if running is not None and not finished and now > running.since > 0:
        rate = max(0, progress.done - running.done) / (now - running.since)
        left = (progress.rows - progress.done) / rate if rate else None
    overload = repository.overload(tournament.id)[0]
    aside = Counter(old.host for old in repository.replaced(tournament.id) if old.host)
    return {
        "tournament": tournament.name,
        "game": tournament.game,
        "format": tournament.plan.format,
        "state": "finished" if finished else "stopped" if running is None else "running",
        "process": None if running is None or finished else running.pid or None,
        "done": progress.done,
        "rows": progress.rows,
        "rounds": progress.rounds,
        "planned_rounds": _planned_rounds(tournament, entrants, progress.rounds),
        "until": until_now(repository, tournament),
        "void": progress.void,
        "rate": None if rate is None else round(rate, 2),
        "left": None if left is None else round(left),
        "faults": [
            {"entrant": names[number], "kind": kind, "count": count}
            for number, kind, count in repository.faults(tournament.id)
        ],
        "overload": overload._asdict() if overload.turns else None,
        "void_matches": [
            {"match": number, "note": note} for number, note in repository.void_matches(tournament.id)
        ],
        "benched": [
            {"entrant": names[number], "void": count} for number, count in repository.benched(tournament.id)
        ],
        "broken": [{"entrant": stored.name, "why": stored.broken} for stored in entrants if stored.broken],
        "set_aside": [{"host": host, "matches": count} for host, count in sorted(aside.items())],
        "withdrawn": _withdrawn(repository, tournament),
        "playing": [
            {
                "match": playing.number,
                "entrants": _who(repository, tournament, names, playing.number),
                "seconds": round(max(0.0, now - playing.since), 1),
            }
            for playing in status.playing
        ],
        "paused": status.paused or None,
        "root": (tournament.root or compute_root(repository, tournament)) if finished else None,
        "archive": archive and {"file": archive.file, "sha256": archive.sha256, "created": archive.created},
    }


def _withdrawn(repository: Repository, tournament: Tournament) -> str | None:
    """Return the file of matches that no longer count, if it is there and can be seen."""
    with suppress(OSError, ValueError):  # an altered name may be no file's
        path = withdrawn_path(repository.place, tournament)
        return str(path) if path.exists() else None
    return None


def _planned_rounds(tournament: Tournament, entrants: tuple[StoredEntrant, ...], paired: int) -> int | None:
    if tournament.complete:
        return paired
    plan = tournament.plan
    if not FORMATS.knows(plan.format):
        return plan.rounds
    return find_format(plan.format).planned_rounds(setup_of(plan, tournament.seed, entrants))


def _who(repository: Repository, tournament: Tournament, names: Mapping[int, str], number: int) -> list[str]:
    try:
        return [names[seat] for seat in repository.match(tournament.id, number).seats]
    except UsageError:  # the snapshot is older than the round
        return ["?"]


def _row(line: Mapping[str, Any], *, people: bool) -> Row:
    """Return a line as a row of a table or of CSV, whose cells are texts."""
    overload = line["overload"] and OverloadTotals(**line["overload"])
    rounds, planned = line["rounds"], line["planned_rounds"]
    row = {
        **line,
        "state": line["state"] + (f" (process {line['process']})" if line["process"] else ""),
        "faults": [f"{one['entrant']}:{one['kind']}:{one['count']}" for one in line["faults"]],
        "overload": overload_text(overload) if overload else None,
        "void_matches": [f"{one['match']}: {one['note']}" for one in line["void_matches"]],
        "benched": [f"{one['entrant']}:{one['void']}-void" for one in line["benched"]],
        "broken": [f"{one['entrant']}: {one['why']}" for one in line["broken"]],
        "set_aside": [
            f"{one['host']}: {counted(one['matches'], 'result')} taken back" for one in line["set_aside"]
        ],
        "archive": line["archive"] and line["archive"]["file"],
        "playing": [
            f"{one['match']}:{'-v-'.join(one['entrants'])}:{span_text(one['seconds'])}"
            for one in line["playing"]
        ],
    }
    if people:
        if line["archive"]:
            row["archive"] = f"{Archive(**line['archive'])}"
        row["left"] = span_text(line["left"]) or None
        row["rounds"] = f"{rounds} so far" if planned is None else f"{rounds} of {planned}"
    return row


def _words(row: Row) -> Iterator[tuple[str, str]]:
    """Yield the lines below the table: a title and a text each."""
    name = row["tournament"]
    for key in ("benched", "broken", "playing"):
        for place, word in enumerate(row[key]):
            yield "" if place else f"{name} {key}", word
    for word in row["void_matches"]:
        yield f"{name} void", word
    for word in row["set_aside"]:
        yield f"{name} set aside", word
    for key in ("until", "overload", "paused", "root", "archive", "withdrawn"):
        if row[key]:
            yield f"{name} {key}", row[key]
