"""``tourney export``: records as JSON lines, tables as CSV or Parquet."""

import io
import sys
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

import click
import msgspec
import rfc8785

from tourney.check.root import PLAN, commitment_proof, disclosure, prove
from tourney.cli import options as opt
from tourney.cli.options import option
from tourney.cli.output import current
from tourney.cli.standings import name_default, warn_unknown_format
from tourney.errors import UsageError
from tourney.exchange.entrant_files import entrant_files, has_entrant_files
from tourney.exchange.game_files import export_pgn, trf
from tourney.exchange.lines import export_lines
from tourney.files import check_writable, replaced_folder, writing
from tourney.interface.found_match import is_match_name, stored_match
from tourney.parsing import compressing
from tourney.results.columns import data_frame
from tourney.results.standings import compute_standings, load_history, load_setup
from tourney.results.tables import TABLES
from tourney.schedule.format import ranking_format
from tourney.store.database import Database
from tourney.store.values import Tournament
from tourney.texts import counted

RECORDS = "records"
TOURNAMENT = "tournament"
LINES = (RECORDS, TOURNAMENT)
TRF = "trf"
PGN = "pgn"


class _ExportRequest(opt.CommandOptions):
    what: str = option(
        "--what",
        "Data to export: the records, the whole tournament, a table, or a FIDE report (two-seat"
        " swiss or round-robin).",
        type=click.Choice([*LINES, *TABLES, TRF]),
        default=RECORDS,
    )
    format_: str | None = option(
        "--format",
        "Output format: jsonl for records and tournaments, pgn for records of chess, csv or parquet"
        " for tables. [default: jsonl or csv]",
        type=click.Choice(["jsonl", "csv", "parquet", PGN]),
    )
    out: Path | None = option(
        "--out FILE",
        "Output file, compressed if its name ends in .gz or .zst; replaces an existing regular file"
        " as a whole. [default: -, standard output]",
        type=click.Path(allow_dash=True, path_type=Path),
    )
    measured: bool = option("--measured", "With --what tournament: add times, measurements and logs.")
    private: bool = option(
        "--private",
        "With --what tournament, before the end: add the seed, to continue elsewhere. Anyone who reads the"
        " file can compute the dice to come.",
    )
    proof: str | None = option(
        "--proof MATCH",
        "Write the proof that match MATCH (a number, or `plan`) belongs to the tournament's root; before the"
        " end, that the plan belongs to its commitment.",
    )
    bot: str | None = option(
        "--bot NAME",
        "Write the private files of entrant NAME for its author to the folder --out: lost and faulted"
        " matches, its own log, think times, and where it loses.",
    )
    each: bool = option("--each", "The same for every entrant, each in a folder of its name below --out.")
    db: str = opt.shared(opt.db_option)

    @property
    def file(self) -> Path | None:
        """The output file; None: standard output."""
        return None if str(self.out) == "-" else self.out

    @property
    def chosen(self) -> str:
        """The output format."""
        return self.format_ or {**dict.fromkeys(LINES, "jsonl"), TRF: TRF}.get(self.what, "csv")

    def check(self) -> None:
        """Raise UsageError for options that do not go together."""
        what = self.what
        chosen = self.chosen
        if self.bot is not None or self.each:
            alone = {"--what": opt.is_given("what"), "--format": self.format_, "--proof": self.proof}
            alone |= {"--measured": self.measured, "--private": self.private}
            opt.refuse(alone, "does not go with --bot and --each, which write folders")
            if self.bot is not None and self.each:
                raise UsageError("--each writes all entrants: leave out --bot")
            if self.file is None:
                raise UsageError("--bot and --each write folders: add --out DIR")
            return
        if self.proof is not None:
            alone = {"--what": opt.is_given("what"), "--format": self.format_}
            alone |= {"--measured": self.measured, "--private": self.private}
            opt.refuse(alone, "does not go with --proof, which writes a JSON object")
            return
        for name in ("measured", "private"):
            if getattr(self, name) and what != TOURNAMENT:
                raise UsageError(f"--{name} does not go with --what {what}, but with --what {TOURNAMENT}")
        if chosen == PGN:
            fits = what == RECORDS
        else:
            fits = (chosen == "jsonl") == (what in LINES) and (chosen == TRF) == (what == TRF)
        if not fits:
            raise UsageError(f"--format {chosen} does not go with --what {what}")
        if chosen == "parquet" and self.file is None:
            raise UsageError("--format parquet requires a file: --out FILE")


@opt.command("export", _ExportRequest)
@opt.tournament_argument
def command(tournament: str | None, options: _ExportRequest) -> None:
    """Export TOURNAMENT (default: the newest), or the record of one match (12 or autumn-cup/12).

    Records are canonical JSON objects, one per line, in schedule order. A tournament is JSON lines too: a
    first line with its plan, entrants and root, then one per match, played or not. `tourney import` reads
    both; only from the second it makes the same tournament, with rounds, tie-breaks and void matches. The
    FIDE report has the format TRF(16), with one round for each pairing, or for each of its matches. PGN has
    the matches of chess that count, with scores and times in comments. A proof is a JSON object for
    `tourney verify --root HEX --proof FILE`. --bot and --each write what an author may see of its bot: a page
    `index.html` and its files, never the log of another bot.
    """
    options.check()
    if options.bot is not None or options.each:
        _write_entrants(tournament, options)
        return
    if options.proof is not None:
        _write_proof(tournament, options.proof, options)
        return
    out = options.file
    what = options.what
    if out is not None:
        # Before the database is read: an export of millions of matches must not fail only at its end.
        check_writable(out)
    with Database.open(options.db) as opened, opened.snapshot() as database:
        if tournament is not None and _names_match(database, tournament):
            _write_record(database, tournament, options)
            return
        stored = database.tournaments.get(tournament)
        if what in {"standings", TRF}:
            warn_unknown_format(stored)
        with _target(options) as file, compressing(file, out.name if out else "") as packed:
            _write(database, stored, options, packed)
    if out is not None:
        current().say(f"{what} of {stored.name} written to {out}")


def _names_match(database: Database, words: str) -> bool:
    """Whether words name a match, ``12`` or ``autumn-cup/12``; a tournament with this name wins."""
    return is_match_name(words) and database.tournaments.find(words) is None


def _write_record(database: Database, match: str, options: _ExportRequest) -> None:
    """Write the record of one match as one line of JSON. Raises UsageError."""
    if options.what != RECORDS or options.chosen != "jsonl":
        raise UsageError(
            f"{match} is a match, of which only the record is exported: leave out --what and --format"
        )
    record = stored_match(database, match).published().record
    out = options.file
    with _target(options) as file, compressing(file, out.name if out else "") as packed:
        packed.write(record.encode() + b"\n")
    if out is not None:
        current().say(f"the record of {match} written to {out}")


def _write_entrants(name: str | None, options: _ExportRequest) -> None:
    """Write the private files of one entrant, or of all, in place of a folder that this wrote before."""
    out = options.file or Path()
    if not has_entrant_files():
        raise UsageError("--bot and --each need an add-on that writes feedback, as tourney.addons.course")
    with Database.open(options.db) as opened, opened.snapshot() as database:
        tournament = database.tournaments.get(name)
        database.tournaments.refuse_archived(tournament.id)
        if not tournament.recorded:
            raise UsageError(
                f"{tournament.name} has results without records, so there are no files of matches"
            )
        name_default(name, tournament, database)
        entrants = {entrant.name: entrant for entrant in database.tournaments.entrants(tournament.id)}
        if options.bot is not None and options.bot not in entrants:
            raise UsageError(
                f"{tournament.name} has no entrant {options.bot!r}; there are: {', '.join(entrants)}"
            )
        with replaced_folder(out) as folder:
            for entrant in entrants.values() if options.each else (entrants[options.bot or ""],):
                below = folder / entrant.name if options.each else folder
                below.mkdir(exist_ok=True)
                for file, content in entrant_files(database, tournament, entrant):
                    (below / file).write_bytes(content)
    count = len(entrants) if options.each else 1
    current().say(f"the files of {counted(count, 'entrant')} of {tournament.name} written to {out}")


def _target(options: _ExportRequest) -> AbstractContextManager[BinaryIO]:
    """Give a file that replaces --out once it is complete, or standard output."""
    return nullcontext(sys.stdout.buffer) if options.file is None else writing(options.file)


def _write_proof(tournament: str | None, match: str, options: _ExportRequest) -> None:
    """Write the proof of a match, or of the plan, as one line of JSON."""
    with Database.open(options.db) as opened, opened.snapshot() as database:
        number = None
        chosen = None
        if match != PLAN:
            place = database.matches.find(match, tournament)
            number = place.number
            chosen = database.tournaments.by_id(place.tournament)
            if tournament is not None and tournament != chosen.name:
                raise UsageError(f"--proof {match} is not a match of {tournament}: name one tournament")
        chosen = chosen or database.tournaments.get(tournament)
        # Before the end only the commitment is public, which hides the seed.
        if number is None and not disclosure(database, chosen).ended:
            proof = commitment_proof(chosen, database.tournaments.entrants(chosen.id))
        else:
            proof = msgspec.to_builtins(prove(database, chosen, number))
    with _target(options) as file:
        file.write(rfc8785.dumps(proof) + b"\n")


def _write(database: Database, tournament: Tournament, options: _ExportRequest, file: BinaryIO) -> None:
    what = options.what
    format_ = options.chosen
    if what in LINES and not tournament.recorded:
        raise UsageError(f"{tournament.name} has results without records: export them by --what matches")
    if what in LINES:
        database.tournaments.refuse_archived(tournament.id)
    if what == TOURNAMENT:
        lines = export_lines(database, tournament, measured=options.measured, private=options.private)
        file.writelines(lines)
    elif format_ == PGN:
        file.writelines(export_pgn(database, tournament))
    elif what == RECORDS:
        sealed = disclosure(database, tournament).sealed
        # x
        records = database.records.all(tournament.id)
        file.writelines(record.encode() + b"\n" for number, record in records if number not in sealed)
        if sealed:
            current().say(
                f"{counted(len(sealed), 'match')} left out, because a match to come shares its seed"
            )
    elif what == TRF:
        setup = load_setup(database, tournament.id)
        history = load_history(database, tournament.id)
        standings = compute_standings(database, tournament.id)
        file.write(
            trf(setup, history, standings, tournament.name, ranking_format(tournament.plan.format)).encode(
                "ascii"
            )
        )
    elif format_ == "csv":
        text = io.TextIOWrapper(file, "utf-8", newline="")
        try:
            TABLES[what](database, tournament).write_csv(text)
            text.flush()
        finally:
            text.detach()  # or it would close the file, which may be standard output
    else:
        if find_spec("pyarrow") is None:
            raise UsageError("Parquet requires pyarrow: install tourney[parquet], or use --format csv")
        table = TABLES[what](database, tournament)
        frame = data_frame(table.columns, table.rows, names={})  # files have the names of CSV
        file.write(frame.to_parquet(index=False))  # to a pipe, pandas would write in another way
