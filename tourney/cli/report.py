"""``tourney report``: write a tournament's report as a static site."""

import hashlib
import time
import webbrowser
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from tourney.bots.catalogue.shipped import shipped_digests
from tourney.check.root import disclosure
from tourney.cli import options as opt
from tourney.cli.luck import compute_luck_shown
from tourney.cli.options import option
from tourney.cli.output import Output, counting, current
from tourney.cli.standings import warn_unknown_format
from tourney.errors import StoreDamaged, StoreUnavailable, UsageError
from tourney.games.registry import known_game
from tourney.report import display
from tourney.report.output.inputs import StoredValues
from tourney.report.output.layout import LISTED, MATCH_PAGES, Live, Options, Templates
from tourney.report.output.placement import code_digest
from tourney.report.output.rendering import live_state
from tourney.report.output.write import Written, earlier_values, keep_state, kept, write
from tourney.report.pages.publishing import parse_address
from tourney.report.site import Versions, site_parts, sites_parts
from tourney.report.source import ReportSource, load
from tourney.results.standings import has_ended
from tourney.results.versions import Wanted, pools_of_games
from tourney.spawning import default_processes
from tourney.store.database import Database
from tourney.store.values import Tournament
from tourney.texts import counted

WATCH_SECONDS = 60
MAX_DAMAGED = 20


class _Seconds(click.IntRange):
    """The optional value of ``--watch``: it takes the next word, often the tournament by mistake."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(
                f"{value!r} is not a number of seconds from 1 on; write the tournament before the option"
                " (tourney report TOURNAMENT --watch), or seconds between them (--watch 60 TOURNAMENT)",
                param,
                ctx,
            )


class ReportRequest(opt.CommandOptions):
    """Options of ``tourney report``."""

    out: Path | None = option(
        "--out DIR",
        "Folder to write to; replaces an existing report. [default: reports/TOURNAMENT]",
        type=opt.FOLDER,
    )
    no_measured: bool = option(
        "--no-measured",
        "Omit everything that may differ between runs: times, dates, host, protections, logs.",
    )
    logs: bool = option(
        "--with-logs",
        "Publish what bots wrote to standard error, the host's name, and errors of machine and builds.",
    )
    address: str = option(
        "--base-url URL",
        "Where the folder will be published: adds a feed, social cards, canonical links and a sitemap.",
        default="",
    )
    templates: Path | None = option(
        "--templates DIR",
        "Folder whose files replace the report's templates and static files by name.",
        type=click.Path(path_type=Path),
    )
    match_pages: int = option(
        "--match-pages N",
        "Maximum number of match pages; first those with faults, then upsets, short wins and long games.",
        type=click.IntRange(min=0),
        default=MATCH_PAGES,
    )
    listed: int = option(
        "--list-matches N",
        "Maximum number of matches in the list of matches and its downloads; those with faults come first.",
        type=click.IntRange(min=0),
        default=LISTED,
    )
    every: bool = option("--all", "Write one report on all tournaments in the database.")
    game: str | None = option("--game GAME", "--all: the tournaments of this game alone.")
    levels: dict[str, float] = opt.shared(opt.anchor_option)
    repeats: str = opt.shared(opt.repeats_option)
    no_luck: bool = opt.shared(opt.no_luck_option)
    any_host: bool = option(
        "--any-host",
        "--all: rate versions also over tournaments by the wall clock from hosts of other or unknown speed.",
    )
    processes: int | None = option(
        "--processes N",
        "Processes that render pages of matches. [default: one per processor]",
        type=click.IntRange(1, 256),
    )
    fresh: bool = option(
        "--fresh", "Make all pages again, also those whose inputs have not changed since the earlier report."
    )
    watch: int | None = option(
        "--watch [SECONDS]",
        "Write the report again while the tournament runs, if something changed, until it is"
        f" finished; open pages reload. [default: every {WATCH_SECONDS} seconds]",
        type=_Seconds(min=1),
        is_flag=False,
        flag_value=WATCH_SECONDS,
    )
    live: int | None = option(
        "--live SECONDS",
        "As --watch, but write once: something else starts the command again after about these seconds.",
        hidden=True,
    )
    show: bool = option("--open", "Open the first page in a browser.")
    db: str = opt.shared(opt.db_option)

    def check(self, tournament: str | None) -> None:
        """Raise UsageError for options that do not go together."""
        if self.every and tournament is not None:
            raise UsageError("--all writes all tournaments: do not name one")
        if not self.every:
            pool = {"--game": self.game, "--anchor": self.levels, "--any-host": self.any_host}
            opt.refuse(pool, "is for --all")

    def contents(self) -> Options:
        """The contents of the report. Raises UsageError."""
        if self.logs and self.no_measured:
            raise UsageError("--no-measured omits all logs: leave out --with-logs")
        return Options(
            measured=not self.no_measured,
            match_pages=self.match_pages,
            listed=self.listed,
            logs=self.logs,
            address=parse_address(self.address),
            templates=Templates.of(self.templates),
            joined=self.repeats == "join",
            luck=not self.no_luck,
        )


@opt.command("report", ReportRequest)
@opt.tournament_argument
def command(tournament: str | None, options: ReportRequest) -> None:
    """Write the report of TOURNAMENT (default: the newest), and print the path of its first page.

    The last line says who won, on standard error.

    The report is a folder of files that you can open in any browser, without a server or network. Where there
    is an older report, only what changed is written.
    """
    options.check(tournament)
    output = current()
    report = _Report(tournament, options, options.contents())
    with Database.open(options.db) as opened:
        written = report.write(opened, output)
        output.write(str(written.index))
        # On standard error: scripts read the path alone.
        if written.verdict:
            output.say(written.verdict)
        if options.show:
            _open(written.index, output)
        while options.watch is not None and not report.over:
            time.sleep(options.watch)
            try:
                written = report.write(opened, output)
            # A run may hold the database for a moment; a report that is due again in a minute can wait.
            except StoreUnavailable as error:
                output.warn(f"{error}; the next report is tried in {options.watch} seconds")
    if written.damaged:
        for why in written.damaged[:MAX_DAMAGED]:
            output.warn(why)
        raise StoreDamaged(
            f"{counted(len(written.damaged), 'part')} of the report could not be written, because the"
            " database is damaged; restore a backup and write the report again"
        )


class _Report:
    """A report that is written repeatedly. ``over``: all its tournaments are finished."""

    def __init__(self, name: str | None, request: ReportRequest, contents: Options) -> None:
        self.over = False
        self._name = name
        self._request = request
        self._contents = contents
        self._seen = ""
        self._written: Written | None = None

    def write(self, opened: Database, output: Output) -> Written:
        """Write the report unless the database is unchanged; return the report in the folder."""
        request = self._request
        contents = self._contents
        seconds = request.watch or request.live
        if seconds is not None and contents.measured:
            written = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
            contents = replace(contents, live=Live(written, seconds))
        with opened.snapshot() as database:
            stored = database.tournaments.get(self._name)
            chosen = self._there(database, output) if request.every else (stored,)
            content = _state(database, chosen, contents, request)
            # Pools of versions rate the matches of archived tournaments too.
            rated = database.tournaments.all() if request.every else chosen
            seen = _with_luck(content, database, rated)
            if self._written is not None and seen == self._seen:
                return self._written
            if not request.every:
                self._name = stored.name
            place = request.out or Path("reports") / ("all" if request.every else display.folder(stored.name))
            # A live report has the time of writing on its first page, so an older one is never the same.
            fresh = request.fresh and self._written is None
            made = None if contents.live or fresh else kept(place, seen)
            if made is None:
                # Pools need tournaments of several bots' versions, so one tournament has none.
                versions = self._versions(database, contents) if request.every else None
                values = StoredValues() if fresh else earlier_values(place)
                made = write_report(
                    database,
                    chosen,
                    place,
                    contents,
                    versions,
                    request.processes,
                    fresh=fresh,
                    values=values,
                )
                # Only now the luck is kept of which this report was written, in a database that can keep it.
                seen = _with_luck(content, opened, rated)
                keep_state(place, made, "" if contents.live else seen, values)
            self._seen = seen
            self._written = made
            self.over = all(has_ended(database, tournament) for tournament in chosen)
        unchanged = f" ({made.unchanged:,} unchanged)" if made.unchanged else ""
        output.say(f"{made.pages:,} pages, {made.files:,} files{unchanged}, {made.bytes / 1e6:.1f} MB")
        return made

    def _versions(self, database: Database, contents: Options) -> Versions:
        """The pools of all versions of the chosen games. Raises UsageError for an anchor outside of them."""
        request = self._request
        # Without measurements nothing is known of hosts, and their names are published with logs alone.
        any_host = request.any_host or not contents.measured
        wanted = Wanted(request.game, any_host=any_host, name_hosts=contents.logs)
        versions = Versions(pools_of_games(database, wanted), request.levels)
        for name in request.levels:
            if not any(pool.matching(name) for pool in versions.pools):
                raise UsageError(f"--anchor {name}: no pool of several tournaments has this version")
        return versions

    def _there(self, database: Database, output: Output) -> tuple[Tournament, ...]:
        """The tournaments of ``--all`` with records here; names the archived ones. Raises UsageError."""
        game = self._request.game
        tournaments = database.tournaments.all()
        every = [tournament for tournament in tournaments if game in (None, tournament.game)]
        archives = database.tournaments.archives()
        if not every:
            games = ", ".join(sorted({tournament.game for tournament in tournaments}))
            raise UsageError(f"the database holds no tournament of {game}; it has tournaments of: {games}")
        there = tuple(tournament for tournament in every if tournament.id not in archives)
        if not there:
            database.tournaments.refuse_archived(every[-1].id, "no tournament has its records here: ")
        for tournament in every:
            if tournament.id in archives and not self._seen:
                output.say(f"left out: {tournament.name} is in {archives[tournament.id]}")
        return there


def _state(
    database: Database, tournaments: Sequence[Tournament], options: Options, request: ReportRequest
) -> str:
    """A digest of everything that a report depends on; for ``--all`` also on all other tournaments."""
    chosen = (request.every, request.game, request.any_host, sorted(request.levels.items()))
    parts: list[object] = [replace(options, live=None), chosen, sorted(shipped_digests().items())]
    for tournament in tournaments:
        shown = disclosure(database, tournament)
        # Programs and templates count too: after an upgrade the same matches give other pages.
        code = code_digest(known_game(tournament.game), options.templates.folders)
        parts += [tournament.id, code, shown.ended, shown.commitment, sorted(shown.sealed)]
    read = database.tournaments.all() if request.every else tournaments
    parts += [database.content_digest(tournament.id) for tournament in read]
    return hashlib.sha256(repr(parts).encode("utf-8", "replace")).hexdigest()


def _with_luck(content: str, database: Database, tournaments: Sequence[Tournament]) -> str:
    """The digest of everything with that of the luck: altered luck that was repaired gives other pages."""
    return " ".join((content, *(database.luck_digest(tournament.id) for tournament in tournaments)))


def _open(index: Path, output: Output) -> None:
    try:
        opened = webbrowser.open(index.as_uri())
    except webbrowser.Error:
        opened = False
    if not opened:
        output.warn(f"no browser could be started: open {index} in one")


def write_report(
    database: Database,
    tournaments: Sequence[Tournament],
    out: Path,
    options: Options,
    versions: Versions | None = None,
    processes: int | None = None,
    *,
    fresh: bool = False,
    values: StoredValues | None = None,
) -> Written:
    """Write the report of a tournament to a folder, with a progress bar on standard error.

    With ``versions``, write one report on several tournaments, with a page that links to them. ``fresh``
    makes all pages again; ``values`` are those of the earlier report.
    """
    output = current()
    for tournament in tournaments:
        database.tournaments.refuse_archived(tournament.id)
        compute_luck_shown(database, tournament, processes)
    sources = [_load(database, tournament, output, options) for tournament in tournaments]
    every = None if versions is None else sites_parts(sources, options, versions, values)
    parts = every or site_parts(sources[0], options, values)
    total = sum(min(len(source.matches), options.match_pages) for source in sources)
    listed = max(options.listed, options.match_pages)
    done = others = 0
    for source in sources:
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
        last = None if live is None else lambda hashes: live_state(live, sources, hashes)
        written = write(
            parts, out, advance, processes=processes or default_processes(), last=last, fresh=fresh
        )
    return written if versions is not None else replace(written, verdict=sources[0].verdict)


def _load(database: Database, tournament: Tournament, output: Output, options: Options) -> ReportSource:
    warn_unknown_format(tournament)
    if (count := database.schedules.progress(tournament.id).done) > LISTED:
        output.say(f"reading {count:,} matches of {tournament.name}: a report of that size takes minutes")
    return replace(load(database, tournament), joined=options.joined, luck=options.luck)
