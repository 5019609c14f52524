"""``tourney export``: records as JSON lines, tables as CSV or Parquet."""

import io
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

import click
import rfc8785

from tourney.cli.completion import complete_tournament
from tourney.cli.options import db_option, output_options
from tourney.cli.output import current
from tourney.cli.standings import warn_unknown_format
from tourney.compression import compressing
from tourney.errors import UsageError
from tourney.files import check_writable, writing
from tourney.results.standings import compute_standings, load_history, load_setup
from tourney.results.tables import TABLES
from tourney.results.trf import trf
from tourney.store.exchange import export_lines
from tourney.store.repository import Repository
from tourney.store.root import PLAN, prove
from tourney.store.values import Tournament

RECORDS = "records"
TOURNAMENT = "tournament"
LINES = (RECORDS, TOURNAMENT)
TRF = "trf"
PGN = "pgn"


@click.command("export")
@click.argument("tournament", required=False, shell_complete=complete_tournament)
@click.option(
    "--what",
    type=click.Choice([*LINES, *TABLES, TRF]),
    default=RECORDS,
    show_default=True,
    help="Data to export: the records, the whole tournament, a table, or a FIDE report (two-seat swiss or"
    " round-robin).",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["jsonl", "csv", "parquet", PGN]),
    help="Output format: jsonl for records and tournaments, pgn for records of chess, csv or parquet for"
    " tables. [default: jsonl or csv]",
)
@click.option(
    "--out",
    type=click.Path(allow_dash=True, path_type=Path),
    metavar="FILE",
    help="Output file, compressed if its name ends in .gz or .zst; replaces an existing regular file as a"
    " whole. [default: -, standard output]",
)
@click.option("--measured", is_flag=True, help="With --what tournament: add times, measurements and logs.")
@click.option(
    "--proof",
    metavar="MATCH",
    help="Write the proof that match MATCH (a number, or `plan`) belongs to the tournament's root.",
)
@db_option
@output_options
def command(
    tournament: str | None,
    what: str,
    format_: str | None,
    out: Path | None,
    measured: bool,
    proof: str | None,
    db: str,
) -> None:
    """Export TOURNAMENT (default: the newest).

    Records are canonical JSON objects, one per line, in schedule order. A tournament is JSON lines too: a
    first line with its plan, entrants and root, then one per match, played or not. `tourney import` reads
    both; only from the second it makes the same tournament, with rounds, tie-breaks and void matches. The
    FIDE report has the format TRF(16), with one round for each match of a pairing. PGN has the matches of
    chess that count, with scores and times in comments. A proof is a JSON object
    for `tourney verify --root HEX --proof FILE`.
    """
    if proof is not None:
        _write_proof(tournament, proof, out, db)
        return
    chosen = format_ or {**dict.fromkeys(LINES, "jsonl"), TRF: TRF}.get(what, "csv")
    if measured and what != TOURNAMENT:
        raise UsageError(f"--measured does not go with --what {what}, but with --what {TOURNAMENT}")
    lines = (chosen == PGN and what == RECORDS) or ((chosen == "jsonl") == (what in LINES) and chosen != PGN)
    if not lines or (chosen == TRF) != (what == TRF):
        raise UsageError(f"--format {chosen} does not go with --what {what}")
    if str(out) == "-":
        out = None
    if chosen == "parquet" and out is None:
        raise UsageError("--format parquet wants a file: --out FILE")
    if out is not None:
        check_writable(out)
    with Repository.open(db) as opened, opened.snapshot() as repository:
        found = repository.tournament(tournament)
        if what in {"standings", TRF}:
            warn_unknown_format(found)
        if out is None:
            _write(repository, found, what, chosen, sys.stdout.buffer, measured=measured)
            sys.stdout.buffer.flush()
            return
        with writing(out) as file, compressing(file, out.name) as packed:
            _write(repository, found, what, chosen, packed, measured=measured)
    current().say(f"{what} of {found.name} written to {out}")


def _write_proof(tournament: str | None, match: str, out: Path | None, db: str) -> None:
    """Write the proof of a match, or of the plan, as one line of JSON."""
    with Repository.open(db) as opened, opened.snapshot() as repository:
        number = None
        if match != PLAN:
            found = repository.find_match(match, tournament)
            number, chosen = found.number, repository.tournament_by_id(found.tournament)
        else:
            chosen = repository.tournament(tournament)
        line = rfc8785.dumps(prove(repository, chosen, number).as_json()) + b"\n"
    if out is None or str(out) == "-":
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
    else:
        with writing(out) as file:
            file.write(line)


def _write(
    repository: Repository, tournament: Tournament, what: str, format_: str, file: BinaryIO, *, measured: bool
) -> None:
    if what in LINES and not tournament.recorded:
        raise UsageError(f"{tournament.name} has results without records: export them by --what matches")
    if what in LINES:
        repository.refuse_archived(tournament.id)
    if what == TOURNAMENT:
        file.writelines(export_lines(repository, tournament, measured=measured))
    elif format_ == PGN:
        from tourney.results.pgn import export_pgn  # noqa: PLC0415 - needs an extra

        file.writelines(export_pgn(repository, tournament))
    elif what == RECORDS:
        file.writelines(rfc8785.dumps(record) + b"\n" for _, record in repository.records(tournament.id))
    elif what == TRF:
        setup, history = load_setup(repository, tournament.id), load_history(repository, tournament.id)
        standings = compute_standings(repository, tournament.id)
        file.write(trf(setup, history, standings, tournament.name, tournament.plan.format).encode("ascii"))
    elif format_ == "csv":
        text = io.TextIOWrapper(file, "utf-8", newline="")
        try:
            TABLES[what](repository, tournament).write_csv(text)
            text.flush()
        finally:
            text.detach()  # or it would close the file, which may be standard output
    else:
        if find_spec("pyarrow") is None:
            raise UsageError("Parquet wants pyarrow: install tourney[parquet], or use --format csv")
        import pandas as pd  # noqa: PLC0415 - slow to import

        table = TABLES[what](repository, tournament)
        frame = pd.DataFrame(list(table.rows), columns=list(table.columns))
        file.write(frame.to_parquet(index=False))  # to a pipe, pandas would write in another way
