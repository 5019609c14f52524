"""``tourney run``: start a tournament, or continue it."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, Literal

import click
import msgspec

from tourney.bots.catalogue.store import BotStore
from tourney.cli import options as opt
from tourney.cli.entrant_options import EntrantOptions
from tourney.cli.options import option
from tourney.cli.output import OutputFormat, current, keep
from tourney.cli.run_options import (
    DeadlineOptions,
    ProcessorOptions,
    UnattendedOptions,
    UnitOptions,
    listening,
    parse_share,
)
from tourney.errors import TournamentError, UsageError
from tourney.files import DEFAULT_BOTS, write_file
from tourney.interface.playing import run_tournament
from tourney.run.dry_run import DryRunDocument, dry_run, dry_run_text
from tourney.run.earlier_entrants import standings_reference
from tourney.run.file_schema import FileLimits, file_schema
from tourney.run.summary import Summary, root_text, summary_text
from tourney.run.tournament_file import TournamentFile, file_text, read_tournament_file
from tourney.run.workers.executor import MatchExecutor, find_executor, is_remote, plays_here
from tourney.schedule.format import working_formats
from tourney.schema import Document
from tourney.store.database import Database


class RunDocument(Document, frozen=True, kw_only=True):
    """How a run ended, and how far the tournament is.

    `end` is "drained" or "stopped" for a run that was asked to stop. `rows` are its matches as far as its
    schedule is known, `done` those with a result, `played` and `seconds` those of this run alone. `rate`
    is its matches a second. `root` is that of a finished tournament.
    """

    format: Literal["tourney-run/1"] = "tourney-run/1"
    tournament: str
    end: Literal["finished", "time", "faults", "drained", "stopped"]
    rows: int
    done: int
    void: int
    faults: int
    played: int
    seconds: float
    rate: float | None
    root: str | None


def _keep_format(ctx: click.Context, _: click.Parameter, words: tuple[str, ...]) -> tuple[str, ...]:
    """Keep the format of the output: the last of these words that names one."""
    keep(ctx, format=OutputFormat(next((word for word in reversed(words) if word in opt.TEXT), opt.TEXT[0])))
    return words


WITHOUT_FILE: Final = "A tournament without FILE"


class _RunRequest(opt.CommandOptions):
    processors: ProcessorOptions
    end: DeadlineOptions
    executor: str | None = option(
        "--executor NAME",
        "Where matches are played: local, dask (a Dask cluster on this machine), dask://HOST:PORT"
        " (the cluster of that scheduler), or the name of an installed plugin. [default: the tournament"
        " file's, or local]",
        group="Processors and hosts",
    )
    recheck: str | None = option(
        "--recheck SHARE",
        "Share of the matches of other hosts that a second host plays again, as 2% or 0.5%; which"
        " ones, the tournament's seed decides. [default: 2%]",
        group="Processors and hosts",
    )
    allow_mixed: bool = option(
        "--allow-mixed",
        "Play on hosts that differ in Tourney, rules, sandbox or Python.",
        group="Processors and hosts",
    )
    dry_run: bool = option(
        "--dry-run",
        "Print what the run would do: entrants, rounds, matches, estimated time, and what matches"
        " share. Writes nothing, and neither builds nor starts a bot.",
        group="Time",
    )
    replaced: tuple[str, ...] = option(
        "--replace NAME=PATH",
        "Run a copy of the tournament, called its name and -2, in which another bot has the place of"
        " entrant NAME. It replays only the matches of that entrant, and rounds drawn from them. Repeatable.",
    )
    unattended: UnattendedOptions
    daily: UnitOptions
    game: str | None = option(
        "--game GAME",
        "The game. Writes the tournament file NAME.toml and runs it; --bots names the bots"
        " then (--bots random,./mybot,uci:stockfish), and TOURNEY_BOTS the folder of the bot store.",
        group=WITHOUT_FILE,
    )
    programs: EntrantOptions
    earlier: str | None = option(
        "--from TOURNAMENT",
        "Enter the first entrants of a finished tournament, as many as --top says; the game is that of the"
        " tournament unless --game names it.",
        group=WITHOUT_FILE,
    )
    top: int | None = option("--top N", "With --from: the number of entrants.", group=WITHOUT_FILE)
    name: str | None = option(
        "--name NAME", "Name of the tournament. [default: from game, format and all else]", group=WITHOUT_FILE
    )
    rounds: int | None = option("--rounds N", "Rounds, as of a swiss.", group=WITHOUT_FILE)
    keys: tuple[str, ...] = option(
        "--set KEY=VALUE",
        "A key of the tournament file, as limits.clock-ms=8000; repeatable.",
        group=WITHOUT_FILE,
    )
    formats: tuple[str, ...] = option(
        "--format FORMAT",
        "Output format, text or json; without FILE also the tournament's. [default: text, round-robin]",
        cls=opt.FormatOption,
        documents=(RunDocument, DryRunDocument),
        callback=_keep_format,
        multiple=True,
    )
    db: str = opt.shared(opt.db_option)
    bots: str = opt.shared(opt.bots_option)

    def tournament(self, file: Path | None) -> tuple[TournamentFile, bool]:
        """The tournament of a file or of the options, and whether a file was written. Raises UsageError."""
        formats = [word for word in self.formats if word not in opt.TEXT]
        if file is not None:
            programs = self.programs
            instead = (self.game, self.earlier, self.top, self.name, self.rounds, self.keys, formats)
            if any((*instead, programs.options, programs.each)):
                raise UsageError(
                    "--game, --from, --top, --name, --rounds, --set, --option, --each and such a --format"
                    " stand for FILE: omit it"
                )
            return read_tournament_file(file), False
        if (self.earlier is None) != (self.top is None):
            raise UsageError("--from and --top go together: --from course --top 8")
        bots = self.bots.split(",") if opt.is_given("bots") else []
        if self.earlier is not None:
            bots.append(standings_reference(self.earlier, self.top or 1))
        game = self.game or (None if self.earlier is None else self._game_of(self.earlier))
        if game is None or not bots:
            raise UsageError("name a tournament file, or the game and the bots: --game chess --bots a,b,c")
        format_ = formats[-1] if formats else "round-robin"
        keys = self.keys if self.rounds is None else (f"rounds={self.rounds}", *self.keys)
        folder = os.environ.get("TOURNEY_BOTS", DEFAULT_BOTS)
        entrants = self.programs.read(game, bots, bots=folder, sandbox="auto")
        path, text = file_text(game, entrants.lines, format_, self.name, keys, entrants.game_options)
        tournament_file = read_tournament_file(path, text)
        # The same options give the same file, and continue its tournament; others must not replace it.
        if path.exists() and path.read_bytes() != text.encode():
            raise UsageError(f"{path} is another tournament file: choose another --name, or run that file")
        if self.dry_run or path.exists():
            return tournament_file, False
        write_file(path, text.encode())
        current().say(f"wrote {path}; `tourney run {path}` continues the tournament")
        return tournament_file, True

    def with_replaced(self, file: Path | None, tournament: TournamentFile) -> TournamentFile:
        """The copy of a file's tournament in which --replace puts other bots. Raises UsageError."""
        if file is None or self.dry_run:
            raise UsageError("--replace goes with FILE, and not with --dry-run")
        from tourney.run.engine.replacement import replace_entrants  # noqa: PLC0415 - few runs replace a bot

        with Database.open(self.db, write=True) as database:
            store = BotStore(Path(self.bots))
            return replace_entrants(
                tournament, database, store, opt.pairs(self.replaced, "--replace", "NAME=PATH"), current().say
            )

    def _game_of(self, tournament: str) -> str:
        with Database.open(self.db) as database:
            return database.tournaments.get(tournament).game


class _RunCommand(opt.HelpCommand):
    """Says where keys of the tournament file go: other programs, and `tourney compare`, have options."""

    def in_place_of(self, word: str) -> str:
        """What to write for a key of the tournament file, or for ``--clock``."""
        keys = ("clock-ms", "increment-ms") if word == "clock" else (word,)
        # The keys of all formats, as no file has been read.
        for table, prefix in ((file_schema(working_formats()[0]), ""), (FileLimits, "limits.")):
            if set(keys) <= {key.encode_name for key in msgspec.structs.fields(table)}:
                place = "[limits] of the tournament file" if prefix else "the tournament file"
                words = " ".join(f"--set {prefix}{key}=VALUE" for key in keys)
                return f"write {' and '.join(keys)} in {place}, or without FILE {words}"
        return ""


@opt.command(
    "run",
    _RunRequest,
    _RunCommand,
    examples=(
        "tourney run cup.toml",
        "tourney run cup.toml --stop-at 07:00 --report 30",
        "tourney run --game chess --bots stockfish,toga2 --set limits.clock-ms=8000",
    ),
)
@click.argument("file", required=False, type=click.Path(path_type=Path))
def command(file: Path | None, options: _RunRequest) -> None:
    """Start the tournament of FILE, or continue it.

    Without FILE, --game, --bots and --format name a tournament whose file is written and run, as in
    `tourney run --game chess --bots first,second --format swiss --rounds 5`. `tourney run --from course
    --top 8 --format knockout --name final` plays on with the first entrants of a finished tournament.

    A match counts once it is stored. After a crash the next start plays the matches without a result. Ctrl-C
    finishes the matches in progress; a second one stops at once.

    The run keeps a log beside the database and prints a summary at the end. While the database cannot be
    written (the disk is full, another program holds it) the run pauses and tries again. A bot that fails at
    start-up three times is benched: its remaining matches are void. If a bot cannot be built, nothing is
    played, unless --skip-broken benches it; --unbench brings it back once it can. --replace copies a
    tournament, which itself stays as it is with its root, and replays an entrant's matches with other
    files. All of a run's text goes to standard error; with --format json a summary goes to standard output at
    the end.
    """
    output = current()
    pinning = options.processors.pinning()
    deadline = options.end.deadline()
    run_options = options.unattended.run_options(deadline, pinning)
    options.daily.check(file)
    if options.daily.units is not None:
        opt.refuse({"--replace": options.replaced}, "goes without --units: units would replace it each day")
    tournament, wrote = options.tournament(file)
    if file is not None and options.daily.units is not None:
        for path in options.daily.write(options.daily.units, file, tournament.plan.name, options.db):
            output.write(str(path))
        return
    if options.replaced:
        tournament = options.with_replaced(file, tournament)
    if file is None:  # --bots may have named the bots, so it does not say where they are
        options = replace(options, bots=os.environ.get("TOURNEY_BOTS", DEFAULT_BOTS))
    # Before anything is stored: an unknown executor must not leave a tournament behind.
    make_executor = _executor(options, tournament)
    play = replace(run_options.play, remote=is_remote(options.executor or tournament.run.executor))
    if options.dry_run:
        allowed = None if deadline.end is None else deadline.end - time.monotonic()
        place = (options.db, Path(options.bots))
        plan = dry_run(tournament, *place, pinning, allowed, here=plays_here(make_executor))
        output.document(plan)
        output.text(dry_run_text(plan))
        return
    name = tournament.plan.name
    with _own_file(tournament, wrote=wrote), listening(output, name) as listener:
        result = run_tournament(
            tournament,
            db=options.db,
            bots=options.bots,
            workers=partial(make_executor, pinning.workers, cpus=pinning.cpus),
            options=replace(run_options, play=play),
            listener=listener,
        )
    texts = (summary_text(name, result.summary), root_text(name, result.summary))
    for line in (*result.page.splitlines(), *filter(None, texts)):
        output.say(line)
    output.document(_document(name, result.summary))
    if result.code:
        sys.exit(result.code)


@contextmanager
def _own_file(file: TournamentFile, *, wrote: bool) -> Iterator[None]:
    """Remove the file that was written from the options if it cannot be played."""
    try:
        yield
    except TournamentError:
        if wrote:
            file.path.unlink(missing_ok=True)
            current().say(f"removed {file.path}, which cannot be played")
        raise


def _document(name: str, summary: Summary) -> RunDocument:
    rate = summary.progress.rate
    return RunDocument.of(
        summary.progress,
        tournament=name,
        end=summary.end.value,
        seconds=round(summary.progress.seconds, 3),
        rate=None if rate is None else round(rate, 3),
        root=summary.root,
    )


def _executor(options: _RunRequest, file: TournamentFile) -> Callable[..., MatchExecutor]:
    """The maker of the executor of ``--executor``, or of the file. Raises UsageError."""
    named = options.executor
    share = None if options.recheck is None else parse_share(options.recheck)
    try:
        return find_executor(named or file.run.executor, recheck=share, allow_mixed=options.allow_mixed)
    except UsageError as error:
        if named or share is not None or options.allow_mixed:
            raise
        raise UsageError(f"{file.path}, [run]: executor: {error}", file=file.path, key="executor") from error
