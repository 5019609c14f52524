"""``tourney report``: write a tournament's report as a static site."""

import hashlib
import time
import webbrowser
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import click

from tourney.cli.completion import complete_game, complete_tournament
from tourney.cli.options import db_option, output_options
from tourney.cli.output import Output, current
from tourney.cli.progress import counting
from tourney.cli.rating_tables import anchor_option
from tourney.cli.standings import warn_unknown_format
from tourney.errors import StoreDamaged, StoreUnavailable, UsageError
from tourney.pool import default_processes
from tourney.report import text
from tourney.report.output.live import PATH, Live, state
from tourney.report.output.look import LISTED, MATCH_PAGES, File, Options
from tourney.report.output.templates import Templates
from tourney.report.output.write import Written, write
from tourney.report.pages.address import parse_address
from tourney.report.site import NO_VERSIONS, Part, Versions, site_parts, sites_parts
from tourney.report.source import Source, load
from tourney.report.text import folder
from tourney.results.versions import Wanted, pools_of_games
from tourney.store.repository import Repository
from tourney.store.values import Tournament

WATCH_SECONDS = 60
MAX_DAMAGED = 20
"""Damaged parts to list."""


class _Seconds(click.IntRange):
    """The optional value of ``--watch``, which takes the word after it: often the tournament by mistake."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(
                f"{value!r} is not a number of seconds from 1 on; write the tournament before the option"
                " (tourney report TOURNAMENT --watch), or seconds between them (--watch 60 TOURNAMENT)",
                param,
                ctx,
            )


@click.command("report")
@click.argument("tournament", required=False, shell_complete=complete_tournament)
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
    "--list-matches",
    "listed",
    type=click.IntRange(min=0),
    default=LISTED,
    show_default=True,
    metavar="N",
    help="Maximum number of matches in the list of matches and its downloads; those with faults come first.",
)
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Write one report on all tournaments in the database.",
)
@click.option(
    "--game",
    metavar="GAME",
    shell_complete=complete_game,
    help="--all: the tournaments of this game alone.",
)
@anchor_option
@click.option(
    "--any-host",
    is_flag=True,
    help="--all: rate versions also over tournaments by the wall clock from hosts of other or unknown speed.",
)
@click.option(
    "--processes",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Processes that render pages of matches. [default: one per processor]",
)
@click.option(
    "--watch",
    type=_Seconds(min=1),
    is_flag=False,
    flag_value=WATCH_SECONDS,
    metavar="[SECONDS]",
    help="Write the report again while the tournament runs, if something changed, until it is finished; open"
    f" pages reload. [default: every {WATCH_SECONDS} seconds]",
)
@click.option(
    "--live",
    type=click.IntRange(min=1),
    hidden=True,
    metavar="SECONDS",
    help="As --watch, but write once: something else starts the command again after about these seconds.",
)
@click.option("--open", "show", is_flag=True, help="Open the first page in a browser.")
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
    listed: int,
    every: bool,
    game: str | None,
    levels: dict[str, float],
    any_host: bool,
    processes: int | None,
    watch: int | None,
    live: int | None,
    show: bool,
    db: str,
) -> None:
    """Write the report of TOURNAMENT (default: the newest), and print the path of its first page.

    The report is a folder of files that you can open in any browser, without a server or network. Where there
    is an older report, only what changed is written.
    """
    if every and tournament is not None:
        raise UsageError("--all writes all tournaments: do not name one")
    for option, given in (("--game", game), ("--anchor", levels), ("--any-host", any_host)):
        if given and not every:
            raise UsageError(f"{option} is for --all")
    output = current()
    options = check_options(
        no_measured=no_measured,
        logs=logs,
        address=address,
        templates=templates,
        match_pages=match_pages,
        listed=listed,
    )
    # Without measurements nothing is known of hosts, and their names are published with logs alone.
    wanted = Wanted(game, any_host=any_host or not options.measured, name_hosts=options.logs)
    task = _Task(tournament, out, (wanted, levels) if every else None, options, processes, watch or live)
    with Repository.open(db) as opened:
        written = task.write(opened, output)
        if written is None:
            raise AssertionError("the first report is always written")
        output.write(str(written.index))
        if show:
            _open(written.index, output)
        while watch is not None and not task.over:
            time.sleep(watch)
            try:
                written = task.write(opened, output) or written
            except StoreUnavailable as error:
                output.warn(f"{error}; the next report is tried in {watch} seconds")
    if written.damaged:
        for why in written.damaged[:MAX_DAMAGED]:
            output.warn(why)
        raise StoreDamaged(
            f"{text.count(len(written.damaged), 'part')} of the report could not be written, because the"
            " database is damaged; restore a backup and write the report again"
        )


class _Task:
    """A report that is written again and again. ``over``: all its tournaments are finished."""

    def __init__(
        self,
        name: str | None,
        out: Path | None,
        every: tuple[Wanted, Mapping[str, float]] | None,
        options: Options,
        processes: int | None,
        seconds: int | None,
    ) -> None:
        self.over = False
        self._name = name
        self._out = out
        self._every = every
        self._options = options
        self._processes = processes
        self._seconds = seconds
        self._seen = ""

    def write(self, opened: Repository, output: Output) -> Written | None:
        """Write the report if the database has changed since the last time; else return None."""
        options = self._options
        if self._seconds is not None and options.measured:
            written = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
            options = replace(options, live=Live(written, self._seconds))
        with opened.snapshot() as repository:
            found = repository.tournament(self._name)
            chosen = (found,) if self._every is None else self._there(repository, self._every[0].game, output)
            seen = _moment(repository, chosen)
            if seen == self._seen:
                return None
            if self._every is not None:
                place = self._out or Path("reports") / "all"
                wanted, anchors = self._every
                versions = Versions(pools_of_games(repository, wanted), anchors)
                for name in anchors:
                    if not any(pool.matching(name) for pool in versions.pools):
                        raise UsageError(f"--anchor {name}: no pool of several tournaments has this version")
                written_ = write_reports(
                    repository, chosen, place, options, output, self._processes, versions
                )
            else:
                self._name = found.name
                place = self._out or Path("reports") / folder(found.name)
                written_ = write_report(repository, found, place, options, output, self._processes)
            self._seen = seen
            self.over = all(_finished(repository, tournament) for tournament in chosen)
        unchanged = f" ({written_.unchanged:,} unchanged)" if written_.unchanged else ""
        output.say(
            f"{written_.pages:,} pages, {written_.files:,} files{unchanged}, {written_.bytes / 1e6:.1f} MB"
        )
        return written_

    def _there(self, repository: Repository, game: str | None, output: Output) -> tuple[Tournament, ...]:
        """Return the tournaments of a game (None: all) that have their records; say which are archived."""
        every, archives = _of_game(repository, game), repository.archives()
        there = tuple(one for one in every if one.id not in archives)
        if not there:
            repository.refuse_archived(every[-1].id, "no tournament has its records here: ")
        for one in every:
            if one.id in archives and not self._seen:
                output.say(f"left out: {one.name} is in {archives[one.id]}")
        return there


def _of_game(repository: Repository, game: str | None) -> tuple[Tournament, ...]:
    """Return the tournaments of a game (None: all). Raises UsageError if there are none."""
    every = repository.tournaments()
    found = tuple(one for one in every if game in (None, one.game))
    if not found:
        games = ", ".join(sorted({one.game for one in every}))
        raise UsageError(f"the database holds no tournament of {game}; it has tournaments of: {games}")
    return found


def _moment(repository: Repository, tournaments: Sequence[Tournament]) -> str:
    """Return a text that differs whenever a report of these tournaments does."""
    found = hashlib.sha256()
    for tournament in tournaments:
        one = tournament.id
        parts = chain(
            (tournament, repository.progress(one), repository.entrants(one)), repository.digests(one)
        )
        for part in parts:
            found.update(repr(part).encode("utf-8", "replace"))
    return found.hexdigest()


def _finished(repository: Repository, tournament: Tournament) -> bool:
    progress = repository.progress(tournament.id)
    return tournament.complete and progress.done == progress.rows


def _open(index: Path, output: Output) -> None:
    """Open a page in a browser, or say that there is none."""
    try:
        opened = webbrowser.open(index.as_uri())
    except webbrowser.Error:
        opened = False
    if not opened:
        output.warn(f"no browser could be started: open {index} in one")


def check_options(
    *,
    no_measured: bool,
    logs: bool,
    address: str,
    templates: Path | None,
    match_pages: int = MATCH_PAGES,
    listed: int = LISTED,
) -> Options:
    """Return the contents of a report as the command's options ask for them. Raises UsageError."""
    if logs and no_measured:
        raise UsageError("--no-measured omits all logs: leave out --with-logs")
    return Options(
        measured=not no_measured,
        match_pages=match_pages,
        listed=listed,
        logs=logs,
        address=parse_address(address),
        templates=Templates.of(templates),
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
    source = _load(repository, tournament, output)
    return _write(site_parts(source, options), (source,), out, options, output, processes)


def write_reports(
    repository: Repository,
    tournaments: Sequence[Tournament],
    out: Path,
    options: Options,
    output: Output,
    processes: int | None = None,
    versions: Versions = NO_VERSIONS,
) -> Written:
    """Write the reports of several tournaments to one folder, with a page that links to them."""
    sources = [_load(repository, tournament, output) for tournament in tournaments]
    return _write(sites_parts(sources, options, versions), sources, out, options, output, processes)


def _load(repository: Repository, tournament: Tournament, output: Output) -> Source:
    repository.refuse_archived(tournament.id)
    warn_unknown_format(tournament)
    if (count := repository.progress(tournament.id).done) > LISTED:
        output.say(f"reading {count:,} matches of {tournament.name}: a report of so many takes minutes")
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
    done = others = 0
    for source in sources:
        listed = max(options.listed, options.match_pages)
        if len(source.matches) > listed:
            output.say(
                f"the list of {source.tournament.name} has {listed:,} of its {len(source.matches):,} matches,"
                " those with faults first; --list-matches N sets how many"
            )
    with counting(output, "report", "matches") as step:

        def advance(path: str) -> None:
            nonlocal done, others
            if path.endswith(".html") and path.rpartition("/")[0].endswith("matches"):
                done += 1
                step(done, total)
            else:
                others += 1
                step(others, None, "files")

        live = options.live
        last = None if live is None else lambda hashes: File(PATH, state(live, sources, hashes))
        return write(parts, out, advance, processes=processes or default_processes(), last=last)
