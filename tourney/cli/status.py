"""``tourney status``: the progress of tournaments."""

from collections.abc import Iterator
from typing import Literal

from msgspec.structs import asdict

from tourney.cli import options as opt
from tourney.cli.output import current
from tourney.interface.readers import open_database
from tourney.results.columns import Column, Row
from tourney.results.texts import RANDOM_TEXT, overload_text
from tourney.run.status import TournamentStatus
from tourney.run.summary import span_text
from tourney.schema import Document
from tourney.store.tournaments import Archive
from tourney.texts import counted, printable

COLUMNS = (
    *("tournament", "game", "format", "state"),
    *(Column("done", right=True), Column("matches", "of", right=True), Column("rounds", right=True)),
    *("planned_rounds", "until", Column("void", right=True), Column("workers", right=True)),
    Column("rate", "a second", right=True),
    *(Column("left", right=True), Column("faults", "faults by bot"), Column("overload", "overloaded turns")),
    *(Column("void_matches", "void by the machine"), "benched", "broken"),
    *(Column("set_aside", "hosts set aside"), "withdrawn", "playing", "paused", "paused_since", "last_match"),
    *("root", "commitment", "seed", "archive"),
)
SHOWN = (
    "tournament",
    "game",
    "format",
    "state",
    "done",
    "matches",
    "rounds",
    "void",
    "rate",
    "left",
    "faults",
)
"""The columns of a table; it shows the others in lines of its own, below."""


class StatusDocument(Document, frozen=True, kw_only=True):
    """The progress of tournaments."""

    format: Literal["tourney-status/1"] = "tourney-status/1"
    tournaments: tuple[TournamentStatus, ...]


@opt.command("status")
@opt.tournament_argument
@opt.db_option
@opt.formats_option(StatusDocument)
def command(tournament: str | None, db: str) -> None:
    """Show the progress of TOURNAMENT (default: all), even while a run is active.

    Rounds are those paired so far, of those planned where the format knows their number. Matches in
    progress are shown as MATCH:BOTS:SINCE. The rate is that of the active run since its start; the time
    left is for all matches of the schedule, or those paired so far where results decide the rest. Where
    the file has [until], the line `until` says how near the answer is, or why the tournament ended. A
    finished tournament shows its root, one SHA-256 over its plan and all matches (see `tourney verify
    --root`). One whose records are in an archive shows that file. A host that gets no more matches is
    shown with the number of its matches that must still be withdrawn (see `tourney db withdraw`), and the
    file of withdrawn matches as long as it exists.
    """
    with open_database(db) as opened, opened.snapshot() as database:
        chosen = database.all_tournaments() if tournament is None else (database.tournament(tournament),)
        lines = [reader.status() for reader in chosen]
    output = current()
    output.document(StatusDocument(tournaments=tuple(lines)))
    rows = [_row(line, people=output.people) for line in lines]
    shown = [c for c in COLUMNS if (c.key if isinstance(c, Column) else c) in SHOWN]
    output.table(rows, shown if output.people else COLUMNS)
    for title, word in (words for row in rows for words in _words(row)):
        output.text(f"{title}\t{printable(word)}".expandtabs(24))


def _row(status: TournamentStatus, *, people: bool) -> Row:
    """A status as a row of a table or of CSV, whose cells are texts."""
    overload = status.overload
    archive = status.archive
    planned = status.planned_rounds
    row = {
        **asdict(status),
        "state": status.state + (f" (process {status.process})" if status.process else ""),
        "faults": [f"{fault.entrant}:{fault.kind}:{fault.count}" for fault in status.faults],
        "overload": overload and overload_text(overload),
        "void_matches": [f"{void_match.match}: {void_match.note}" for void_match in status.void_matches],
        "benched": [f"{benched.entrant}:{benched.void}-void" for benched in status.benched],
        "broken": [f"{broken.entrant}: {broken.why}" for broken in status.broken],
        "set_aside": [
            f"{host.host}: {counted(host.matches, 'match')} to withdraw" for host in status.set_aside
        ],
        "archive": archive and archive.file,
        "playing": [
            f"{running.match}:{'-v-'.join(running.entrants)}:{span_text(running.seconds)}"
            for running in status.playing
        ],
    }
    if people:
        row["archive"] = archive and f"{Archive(**asdict(archive))}"
        # People read a span in words; CSV keeps the seconds.
        row["left"] = span_text(status.left) or None
        row["rounds"] = f"{status.rounds} so far" if planned is None else f"{status.rounds} of {planned}"
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
    for key in (
        "workers",
        "until",
        "overload",
        "paused",
        "paused_since",
        "last_match",
        "root",
        "commitment",
        "seed",
        "archive",
        "withdrawn",
    ):
        if row[key] and row[key] != RANDOM_TEXT:
            yield f"{name} {key.replace('_', ' ')}", str(row[key])
