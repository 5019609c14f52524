"""``tourney import``: store an exported tournament, or records or results as a tournament."""

import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click

from tourney.check.published import check_format
from tourney.cli import options as opt
from tourney.cli.options import option
from tourney.cli.output import Output, counting, current
from tourney.errors import InputError, RecordError, UsageError
from tourney.exchange.foreign_game import NOT_DAMAGED, Problems, date_of
from tourney.exchange.importing import import_tournament, is_tournament, read_head
from tourney.exchange.rating import store_tally
from tourney.exchange.reading import READERS, Filter, game_of, holds_results, label_of, read_files
from tourney.exchange.results import import_records
from tourney.exchange.tally import Tally
from tourney.match.record import Record, check_record
from tourney.parsing import read_json_lines, reading
from tourney.schema import NAME
from tourney.store.database import Database, remove_empty
from tourney.store.engine import database_exists

Values = Callable[[], Iterator[tuple[str, object]]]
"""Reads the JSON values of the file with their places; may be called several times."""

_BEGINNING = 1 << 16
"""Bytes at the start of a file from which its form is detected."""


files_argument = click.argument(
    "files", nargs=-1, required=True, type=click.Path(dir_okay=False, allow_dash=True, path_type=Path)
)
"""``FILES`` of results; ``-`` is standard input."""
game_name_option = click.option(
    "--game", metavar="NAME", help="Results: name of the game. [default: chess for PGN, else unknown]"
)

_NO_NAME = re.compile(r"[^a-z0-9._-]+")
_ENDINGS = (".gz", ".zst", ".pgn", ".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".txt")


def name_of(path: Path) -> str:
    """The name of a tournament for the results of a file."""
    name = path.name.lower()
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    return _NO_NAME.sub("-", name).strip("-._")[:64].rstrip("-._") or "results"


class SelectionOptions(opt.CommandOptions):
    """The selection of results and files."""

    form: str | None = option(
        "--input", "Form of the files. [default: by their content]", type=click.Choice(list(READERS))
    )
    time_controls: tuple[str, ...] = option(
        "--time-control TEXT", "Take games with this time control, as the file writes it; repeatable."
    )
    since: str = option("--since DATE", "Take games from this day on (2026-11-22).", default="")
    until: str = option("--until DATE", "Take games up to this day.", default="")
    players: tuple[str, ...] = option("--player NAME", "Take games among these players alone; repeatable.")
    without: tuple[str, ...] = option("--without NAME", "Leave out the games of a player; repeatable.")
    least: int = option(
        "--min-games N",
        "Leave out players with fewer games, until all that are left have N.",
        type=click.IntRange(min=0),
        default=0,
        show_default=False,
    )
    no_pairs: bool = option("--no-pairs", "Let each game count by itself, whatever pairs the files name.")

    def filter(self) -> Filter:
        """The filter of games. Raises UsageError."""
        for word, text in (("--since", self.since), ("--until", self.until)):
            if text and date_of(text) != text:
                raise UsageError(f"{word} {text!r} is not a date of the form YYYY-MM-DD")
        if self.since and self.until and self.since > self.until:
            raise UsageError(f"--since {self.since} is after --until {self.until}")
        sets = frozenset(self.players), frozenset(self.without)
        controls = frozenset(self.time_controls)
        return Filter(controls, self.since, self.until, *sets, self.least, not self.no_pairs)

    def read(
        self,
        files: Sequence[Path],
        output: Output,
        *,
        labels: Mapping[Path, str] | None = None,
        processes: int = 1,
    ) -> tuple[Tally, Problems]:
        """The selected games of files, and the problems of the others; see ``read_files``."""
        filter_ = self.filter()
        with counting(output, "read", "games") as step:
            return read_files(
                files,
                filter_,
                form=self.form,
                labels=labels,
                step=lambda done: step(done, None),
                processes=processes,
            )


def report_problems(problems: Problems, output: Output) -> None:
    """Report the games that were not rated with the reason: damage as warnings, all else as messages."""
    for kind, sentence in problems.sentences_by_kind():
        if kind in NOT_DAMAGED:
            output.say(sentence)
        else:
            output.warn(sentence)


class _ImportRequest(opt.CommandOptions):
    name: str | None = option(
        "--name NAME",
        "Name of the new tournament. [default: that of the export, or of the first file of results]",
    )
    again: bool = option(
        "--again", "Also import records that the database has already in another tournament."
    )
    game: str | None = opt.shared(game_name_option)
    selected: SelectionOptions
    db: str = opt.shared(opt.db_option)


@opt.command("import", _ImportRequest)
@files_argument
def command(files: tuple[Path, ...], options: _ImportRequest) -> None:
    """Import FILES (-: standard input) as a new tournament.

    A file has JSON lines, as written by `tourney export`, or results of other programs: PGN, CSV or JSON
    lines as `tourney rate` reads them. It may be compressed (.gz, .zst). Imports everything or nothing.

    From `tourney export --what tournament`, the new tournament is the same as the exported one: its schedule,
    standings, ratings and root. One that is not finished continues with `tourney run` and its tournament
    file, if its bots are in the bot store. Another name gives it another root.

    From `tourney export`, records become a finished tournament, which needs a NAME: each record must have a
    valid form and digest, and all must have the same game, options, limits and number of seats. Records with
    the same seed and entrants form a mirrored group. Groups keep the order of their first records; TrueSkill
    depends on it, so do not reorder the lines. Records do not include measurements and logs.

    To check the records against the rules, use `tourney verify --all`.

    Results become a tournament without records: standings, ratings, tables and reports work; it cannot be
    verified or replayed. Games that cannot be rated are not imported, but counted and named by line.
    Several files of results make one tournament. All options but --name, --again and --db are for results.
    """
    if options.name is not None and NAME.fullmatch(options.name) is None:
        raise UsageError(f"--name {options.name!r} must match {NAME.pattern}")
    form = options.selected.form
    filter_ = options.selected.filter()
    with ExitStack() as stack:
        # Each file is read twice: its first bytes tell results from records.
        paths = {file: stack.enter_context(copied(file)) for file in files}
        kinds = {file: holds_results(_beginning(path, file)) for file, path in paths.items()}
        if any(kinds.values()) or form is not None:
            for file, results in kinds.items():
                if not results and form is None:
                    raise UsageError(f"{label_of(file)} has no results of other programs: import it alone")
            _import_results(paths, options)
            return
        if len(files) > 1:
            raise UsageError("give one file of records, or one tournament; only results may be several files")
        file = files[0]
        if options.game is not None or filter_ != Filter():
            raise UsageError(f"{label_of(file)} has no results of other programs: leave out their options")
        _import_lines(file, paths[file], options)


def _import_lines(file: Path, path: Path, options: _ImportRequest) -> None:
    """Store the output of ``tourney export`` in ``file``, readable at ``path``, as a tournament."""
    label = label_of(file)
    created = datetime.now(UTC).isoformat(timespec="seconds")
    name = options.name
    again = options.again

    def values() -> Iterator[tuple[str, object]]:
        return read_json_lines(path, label)

    where, beginning = next(values(), (label, None))
    if is_tournament(beginning):
        head = read_head(beginning, where)
        if head.sealed and not head.tournament.origin.salt:
            raise RecordError(
                f"{where}: {head.tournament.name} had not ended, so its file lacks the seed: export it again"
                " with --private to continue it elsewhere, or after its end"
            )
        check_format(head, file)
    elif name is None:
        raise UsageError("--name NAME is missing: records do not say what tournament they are of")
    with _filling(options.db) as database:
        if is_tournament(beginning) or name is None:
            tournament = import_tournament(database, values(), created, name=name, again=again)
        else:
            tournament = import_records(database, name, partial(read_records, values), created, again=again)
        counts = database.schedules.progress(tournament.id)
    rest = counts.rows - counts.done
    current().say(
        f"{counts.done} matches imported as {tournament.name}"
        + (f", {rest} of its matches {'is' if rest == 1 else 'are'} not played yet" if rest else "")
    )


def _import_results(paths: dict[Path, Path], options: _ImportRequest) -> None:
    """Store the results of some files, given with readable paths, as a tournament."""
    output = current()
    labels = {path: label_of(file) for file, path in paths.items()}
    tally, problems = options.selected.read(list(labels), output, labels=labels)
    report_problems(problems, output)
    created = datetime.now(UTC).isoformat(timespec="seconds")
    with Database.open(options.db, create=True) as database:
        name = options.name or name_of(next(iter(paths)))
        tournament = store_tally(database, name, options.game or game_of(problems), tally, created)
    output.say(
        f"{tally.games:,} results of {len(tally.players):,} players imported as {tournament.name}; they have"
        " no records, so they cannot be verified or replayed"
    )


def _beginning(path: Path, file: Path) -> bytes:
    """The first bytes of a file's content, as far as it can be read."""
    content = b""
    try:
        with suppress(InputError), reading(path, label_of(file)) as opened:
            while len(content) < _BEGINNING and (line := opened.readline(_BEGINNING)):
                content += line
    except OSError as error:
        raise InputError(f"{label_of(file)} cannot be read: {error.strerror}") from error
    return content


@contextmanager
def copied(file: Path) -> Iterator[Path]:
    """Give a path from which a file can be read twice; one that can be read only once is copied first."""
    try:
        # A missing file is given too: its reader says what is wrong with it.
        if file.is_file() or (str(file) != "-" and not file.exists()):
            yield file
            return
        with tempfile.NamedTemporaryFile(prefix="tourney-") as copy:
            if str(file) == "-":
                shutil.copyfileobj(sys.stdin.buffer, copy)
            else:
                with file.open("rb") as source:
                    shutil.copyfileobj(source, copy)
            copy.flush()
            yield Path(copy.name)
    except OSError as error:
        raise InputError(f"{label_of(file)} cannot be read: {error.strerror}") from error


@contextmanager
def _filling(db: str) -> Iterator[Database]:
    """Open a database; if the block fails, one that was made for it is removed."""
    made = not database_exists(db)
    try:
        with Database.open(db, create=True) as database:
            yield database
    except BaseException:
        if made:
            remove_empty(db)
        raise


def read_records(values: Values) -> Iterator[tuple[str, Record]]:
    """Yield each record of a file with its place. Raises RecordError that names the line."""
    for where, value in values():
        if is_tournament(value):
            raise RecordError(f"{where}: a tournament begins here, but its file began with a record")
        try:
            record = check_record(value)
        except RecordError as error:
            raise RecordError(f"{where}: {error}") from error
        yield where, record
