"""``tourney report``: write a tournament's report as a static site."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from tourney.cli.options import db_option, output_options
from tourney.cli.output import Output, current
from tourney.cli.progress import counting
from tourney.cli.standings import warn_unknown_format
from tourney.errors import StoreDamaged, UsageError
from tourney.report import text
from tourney.report.address import parse_address
from tourney.report.pool import default_processes
from tourney.report.rendering import MATCH_PAGES, Options
from tourney.report.site import Part, site_parts, sites_parts
from tourney.report.source import Source, load
from tourney.report.templates import Templates
from tourney.report.text import folder
from tourney.report.write import Written, write
from tourney.store.repository import Repository
from tourney.store.values import Tournament

MAX_DAMAGED = 20
"""Damaged parts to list."""


@click.command("report")
@click.argument("tournament", required=False)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder to write to; replaces an existing report. [default: reports/TOURNAMENT]",
)
@click.option(
    "--no-measured",
    is_flag=True,
    help="Omit everything that may differ between runs: times, dates, host, protections, logs.",
)
@click.option(
    "--with-logs",
    "logs",
    is_flag=True,
    help="Publish what bots wrote to standard error, the host's name, and errors of machine and builds.",
)
@click.option(
    "--base-url",
    "address",
    default="",
    metavar="URL",
    help="Where the folder will be published: adds a feed, social cards, canonical links and a sitemap.",
)
@click.option(
    "--templates",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder whose files replace the report's templates and static files by name.",
)
@click.option(
    "--match-pages",
    type=click.IntRange(min=0),
    default=MATCH_PAGES,
    show_default=True,
    metavar="N",
    help="Maximum number of match pages; matches with faults come first.",
)
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Write one report on all tournaments in the database.",
)
@click.option(
    "--processes",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Processes that render pages of matches. [default: one per processor]",
)
@db_option
@output_options
def command(
    tournament: str | None,
    out: Path | None,
    no_measured: bool,
    logs: bool,
    address: str,
    templates: Path | None,
    match_pages: int,
    every: bool,
    processes: int | None,
    db: str,
) -> None:
    """Write the report of TOURNAMENT (default: the newest), and print the path of its first page.

    The report is a folder of files that you can open in any browser, without a server or network.
    """
    if every and tournament is not None:
        raise UsageError("--all writes all tournaments: do not name one")
    output = current()
    if logs and no_measured:
        raise UsageError("--no-measured omits all logs: leave out --with-logs")
    options = Options(
        measured=not no_measured,
        match_pages=match_pages,
        logs=logs,
        address=parse_address(address),
        templates=Templates.of(templates),
    )
    with Repository.open(db) as opened, opened.snapshot() as repository:
        found = repository.tournament(tournament)
        if every:
            place = out or Path("reports") / "all"
            written = write_reports(repository, repository.tournaments(), place, options, output, processes)
        else:
            place = out or Path("reports") / folder(found.name)
            written = write_report(repository, found, place, options, output, processes)
    unchanged = f" ({written.unchanged:,} unchanged)" if written.unchanged else ""
    output.say(f"{written.pages:,} pages, {written.files:,} files{unchanged}, {written.bytes / 1e6:.1f} MB")
    output.write(str(written.index))
    if written.damaged:
        for why in written.damaged[:MAX_DAMAGED]:
            output.warn(why)
        raise StoreDamaged(
            f"{text.count(len(written.damaged), 'part')} of the report could not be written, because the"
            " database is damaged; restore a backup and write the report again"
        )


def write_report(
    repository: Repository,
    tournament: Tournament,
    out: Path,
    options: Options,
    output: Output,
    processes: int | None = None,
) -> Written:
    """Write a tournament's report to a folder, with a progress bar on standard error."""
    source = _load(repository, tournament)
    return _write(site_parts(source, options), (source,), out, options, output, processes)


def write_reports(
    repository: Repository,
    tournaments: Sequence[Tournament],
    out: Path,
    options: Options,
    output: Output,
    processes: int | None = None,
) -> Written:
    """Write the reports of several tournaments to one folder, with a page that links to them."""
    sources = [_load(repository, tournament) for tournament in tournaments]
    return _write(sites_parts(sources, options), sources, out, options, output, processes)


def _load(repository: Repository, tournament: Tournament) -> Source:
    warn_unknown_format(tournament)
    return load(repository, tournament)


def _write(
    parts: Iterable[Part],
    sources: Sequence[Source],
    out: Path,
    options: Options,
    output: Output,
    processes: int | None,
) -> Written:
    total = sum(min(len(source.matches), options.match_pages) for source in sources)
    done = 0
    with counting(output, "report", "matches") as step:

        def advance(path: str) -> None:
            nonlocal done
            if path.endswith(".html") and path.rpartition("/")[0].endswith("matches"):
                done += 1
                step(done, total)

        return write(parts, out, advance, processes=processes or default_processes())
