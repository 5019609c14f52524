"""``tourney rate``: the ratings of anybody's results, from files."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import click

from tourney.cli import options as opt
from tourney.cli import rating_tables as tables
from tourney.cli.import_ import SelectionOptions, files_argument, game_name_option, name_of, report_problems
from tourney.cli.options import option
from tourney.cli.output import current
from tourney.errors import CheckError, UsageError
from tourney.exchange.foreign_game import KINDS
from tourney.exchange.rating import faults_of, rate_tally, results_of, store_tally
from tourney.exchange.reading import game_of
from tourney.exchange.tally import Tally
from tourney.ratings.batch import Batch, BatchMethod, PoolMethod
from tourney.ratings.likelihood import MODELS
from tourney.ratings.method import DEFAULT_METHOD, METHODS, Forfeits, OrderedMethod, RatingMethod
from tourney.ratings.trueskill import estimate_draw_probability
from tourney.results.columns import Column
from tourney.results.ratings import DRAW_PROBABILITY, MAX_MATRIX, estimated_text, superiority_rows
from tourney.results.texts import pool_notes
from tourney.schema import Document, Part
from tourney.spawning import default_processes
from tourney.store.database import Database
from tourney.texts import counted


class Problem(Part, frozen=True, kw_only=True):
    """A game, line or file that cannot be rated; `line` is 0 for a whole file."""

    kind: str
    file: str
    line: int
    why: str


class ProblemsDocument(Document, frozen=True, kw_only=True):
    """What cannot be rated in files of results."""

    format: Literal["tourney-problems/1"] = "tourney-problems/1"
    problems: tuple[Problem, ...]


class SuperiorityDocument(Document, frozen=True, kw_only=True):
    """The probability that each player is better than each other, in the order of `players`; null: itself."""

    format: Literal["tourney-superiority/1"] = "tourney-superiority/1"
    players: tuple[str, ...]
    better: tuple[tuple[float | None, ...], ...]
    notes: tuple[str, ...]


class _RateRequest(opt.CommandOptions):
    model: str = option(
        "--model",
        "Model of the batch rating: Tourney's, or that of Ordo or BayesElo with its default settings.",
        type=click.Choice(list(MODELS)),
        default="tourney",
    )
    method: str = opt.shared(opt.method_option(METHODS.names(), DEFAULT_METHOD))
    score: str = option(
        "--score",
        "What a game of three or four players gives: a point for each opponent beaten, divided by their"
        " number, or one point for the first place alone, which ties for it share.",
        type=click.Choice(["places", "win"]),
        default="places",
    )
    show: str = option(
        "--show",
        "Table: the players, all pairs, the matrix of their superiority, the whole pool, or the"
        " games that cannot be rated.",
        type=click.Choice(["players", "pairs", "los", "pool", "problems"]),
        default="players",
    )
    levels: dict[str, float] = opt.shared(opt.anchor_option)
    forfeits: Forfeits = opt.shared(opt.forfeits_option)
    repeats: str = opt.shared(opt.repeats_option)
    draw_probability: str | None = option(
        "--draw-probability P",
        "TrueSkill: draw probability of equal players, 0 or more and below 1, or 'estimate' from the results."
        " [default: estimate]",
    )
    tau: str | None = option(
        "--tau T",
        "TrueSkill: change of skill between games, or 'default' for the trueskill package's. [default: 0]",
    )
    selected: SelectionOptions
    report: Path | None = option(
        "--report DIR", "Also write the pages of a report to this folder.", type=opt.FOLDER
    )
    game: str | None = opt.shared(game_name_option)
    processes: int | None = option(
        "--processes N",
        "Processes that read files of PGN of 32 MiB or more that are not compressed. [default: one per"
        " processor]",
        type=click.IntRange(1, 256),
    )
    strict: bool = option("--strict", "Exit with code 1 if a game or a file is damaged.")
    format_: object = opt.formats(
        tables.RatingsDocument,
        tables.MeasuresDocument,
        tables.PairsDocument,
        SuperiorityDocument,
        tables.PoolDocument,
        ProblemsDocument,
    )

    def check(self) -> None:
        """Raise UsageError for options of a method that was not chosen."""
        options = {
            "anchor": ("--anchor", bool(self.levels)),
            "model": (f"--model {self.model}", self.model != "tourney"),
            "score": (f"--score {self.score}", self.score != "places"),
            "repeats": ("--repeats count", self.repeats != "join"),
            "show": (f"--show {self.show}", self.show not in {"players", "problems"}),
            "tau": ("--tau", self.tau is not None),
            "draw-probability": ("--draw-probability", self.draw_probability is not None),
        }
        tables.refuse_others(METHODS.find(self.method), options)
        if self.score != "places" and self.model != "tourney":
            raise UsageError(f"--score {self.score} goes with Tourney's own model, not with {self.model}")

    @property
    def stored_score(self) -> str | None:
        """What a game gives, as plans store it."""
        return None if self.score == "places" else self.score

    def settings(self, tally: Tally, method: OrderedMethod) -> dict[str, float]:
        """The settings of a method by the options that it has. Raises UsageError."""
        settings = {}
        probability = self.draw_probability or "estimate"
        if DRAW_PROBABILITY in method.options:
            settings["draw_probability"] = (
                estimate_draw_probability(results_of(tally), self.forfeits)
                if probability == "estimate"
                else tables.number("--draw-probability", probability)
            )
        if "tau" in method.options and self.tau is not None:
            settings["tau"] = tables.tau_of(self.tau)
        return settings


@opt.command("rate", _RateRequest)
@files_argument
def command(files: tuple[Path, ...], options: _RateRequest) -> None:
    """Print the ratings of the results in FILES (-: standard input).

    FILES are PGN (of fastchess, cutechess, lichess and others), CSV or JSON lines, also compressed by gzip or
    zstd. Of PGN the tags are read; no rules are run. Games that cannot be rated are counted and named by
    line. `tourney import` keeps the results in a database. docs/how-to/rate-results.md has examples,
    docs/reference/result-files.md all forms.

    Batch ratings are Elo with 95 % confidence intervals; 0 is the mean of all players, or of those that a
    note names. Two games with colours reversed that share a pair label, an opening or a round are one
    observation.
    """
    options.check()
    output = current()
    tally, problems = options.selected.read(files, output, processes=options.processes or default_processes())
    if options.show == "problems":
        lines = tuple(Problem.of(place, kind=KINDS[place.kind]) for place in problems.places)
        output.document(ProblemsDocument(problems=lines))
        output.table(lines, Problem.__struct_fields__)
    elif isinstance(method := METHODS.find(options.method), PoolMethod):
        _print_batch(tally, method, options)
    else:
        _print_measures(tally, method, options)
    void = sum(any(result.faults) for result in results_of(tally)) if options.forfeits == "void" else 0
    games = counted(tally.games - void, "game")
    players = counted(len(tally.players), "player")
    output.say(f"{games} of {players} rated, of {problems.read:,} read.")
    if void:
        output.say(f"games lost by a fault: {void:,}, left out by --forfeits void")
    report_problems(problems, output)
    if options.report is not None:
        _write_report(tally, options, options.game or game_of(problems), files, options.report)
    if options.strict and problems.damaged:
        raise CheckError(f"{problems.damaged:,} games, lines or files are damaged")


def _print_measures(tally: Tally, method: RatingMethod, options: _RateRequest) -> None:
    names = dict(enumerate(tally.players))
    notes = []
    if isinstance(method, OrderedMethod):
        method = method.configured(**options.settings(tally, method))
        notes.append(method.note)
        if "draw_probability" in method.settings and options.draw_probability in {None, "estimate"}:
            notes.append(estimated_text(method.settings["draw_probability"]))
    lines = method.rate_sorted(results_of(tally), names, tally.seats or 2, options.forfeits)
    tables.print_measures(lines, method, tables.RatedBots(names, faults_of(tally)), notes)


def _print_batch(tally: Tally, method: PoolMethod, options: _RateRequest) -> None:
    names = dict(enumerate(tally.players))
    show = options.show
    if isinstance(method, BatchMethod):
        method = method.with_model(MODELS[options.model]).by_score(options.stored_score)
    pairs = show in {"pairs", "los"}
    joined = options.repeats == "join"
    batch = rate_tally(
        tally, options.forfeits, pairs=pairs, joined=joined, method=method, anchors=options.levels
    )
    notes = list(pool_notes(batch, names, shared="pair"))
    if show == "los":
        _print_superiority(batch, tally, notes)
        return
    if options.levels and show == "players":
        # The heads of these columns do not say "relative to the mean", so they serve anchors too.
        notes.append(opt.anchors_text(options.levels))
    tables.print_batch(batch, tables.RatedBots(names, faults_of(tally)), show, notes)


def _print_superiority(batch: Batch, tally: Tally, notes: Sequence[str]) -> None:
    """Print the matrix of all players. Raises UsageError if it is too wide for a table."""
    rows = superiority_rows(batch, dict(enumerate(tally.players)))
    if current().people and len(rows) > MAX_MATRIX:
        raise UsageError(
            f"a table of {len(rows)} players is too wide: use --format csv or json, or --min-games N"
        )
    places = [str(place) for place in range(1, len(rows) + 1)]
    columns = [Column("place", "#", right=True), Column("name")]
    columns += [
        Column(place, right=True, help=f"P(player of the row is stronger than number {place})", digits=3)
        for place in places
    ]

    def document() -> SuperiorityDocument:
        return SuperiorityDocument(
            players=tuple(row["name"] for row in rows),
            better=tuple(tuple(row[place] for place in places) for row in rows),
            notes=tuple(notes),
        )

    tables.print_ratings(document, rows, columns, notes)


def _write_report(
    tally: Tally, options: _RateRequest, game: str, files: Sequence[Path], folder: Path
) -> None:
    """Write the pages of the games, from a database that lives as long as it takes."""
    from tourney.cli.report import write_report  # noqa: PLC0415 - slow to import
    from tourney.report.output.layout import Options  # noqa: PLC0415 - likewise

    with (
        tempfile.TemporaryDirectory(prefix="tourney-") as place,
        Database.open(str(Path(place) / "results.db"), create=True) as opened,
    ):
        stored = store_tally(opened, name_of(files[0]), game, tally, "", options.stored_score)
        with opened.snapshot() as database:
            tournament = database.tournaments.by_id(stored.id)
            written = write_report(database, (tournament,), folder, Options(measured=False))
    current().say(f"the report rates by Tourney's own model, without anchors: {written.index}")
