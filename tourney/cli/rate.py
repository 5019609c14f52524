"""``tourney rate``: the ratings of anybody's results, from files."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tourney.cli.documents.tournaments import (
    MeasuresDocument,
    PairsDocument,
    PoolDocument,
    ProblemsDocument,
    RatingsDocument,
    SuperiorityDocument,
)
from tourney.cli.options import formats_option, output_options
from tourney.cli.output import Format, Output, current
from tourney.cli.progress import counting
from tourney.cli.rating_tables import (
    TRUESKILL_MEASURES,
    RatingTable,
    anchor_option,
    anchors_text,
    batch_table,
    forfeits_option,
    measures_table,
    method_option,
    number,
    refuse_for,
)
from tourney.cli.result_options import (
    game_name_option,
    name_of,
    report_problems,
    selection_of,
    selection_options,
)
from tourney.errors import CheckError, UsageError
from tourney.outcomes.problems import KINDS, Problems
from tourney.outcomes.reading import game_of, read_files
from tourney.outcomes.tally import Tally
from tourney.ratings.batch import Batch
from tourney.ratings.classic import MODELS
from tourney.ratings.method import Forfeits
from tourney.ratings.trueskill_rating import (
    PACKAGE_TAU,
    Pool,
    Settings,
    estimate_draw_probability,
)
from tourney.results.columns import Column, rendered
from tourney.results.outcomes import (
    MAX_MATRIX,
    faults_of,
    rate_tally,
    results_of,
    store_tally,
    superiority_rows,
)
from tourney.results.ratings import pool_notes

PROBLEMS = (
    Column("kind", help="What is wrong"),
    Column("file", help="The file"),
    Column("line", help="The first line of the game; 0 for a whole file", right=True),
    Column("why", help="More of it"),
)


@click.command("rate")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(dir_okay=False, allow_dash=True, path_type=Path)
)
@click.option(
    "--model",
    type=click.Choice(list(MODELS)),
    default="tourney",
    show_default=True,
    help="Model of the batch rating: Tourney's, or that of Ordo or BayesElo with its default settings.",
)
@method_option(["batch", "trueskill"])
@click.option(
    "--show",
    type=click.Choice(["players", "pairs", "los", "pool", "problems"]),
    default="players",
    show_default=True,
    help="Table: the players, all pairs, the matrix of their superiority, the whole pool, or the games that"
    " cannot be rated.",
)
@anchor_option
@forfeits_option
@click.option(
    "--draw-probability",
    metavar="P",
    help="TrueSkill: draw probability of equal players, from 0 to 1, or 'estimate' from the results."
    " [default: 0.1]",
)
@click.option(
    "--tau",
    metavar="T",
    default="0",
    show_default=True,
    help="TrueSkill: change of skill between games, or 'default' for the trueskill package's.",
)
@selection_options
@click.option(
    "--report",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Also write the pages of a report to this folder.",
)
@game_name_option
@click.option("--strict", is_flag=True, help="Exit with code 1 if a game or a file is damaged.")
@formats_option(
    RatingsDocument, MeasuresDocument, PairsDocument, SuperiorityDocument, PoolDocument, ProblemsDocument
)
@output_options
def command(
    files: tuple[Path, ...],
    model: str,
    method: str,
    show: str,
    levels: dict[str, float],
    forfeits: Forfeits,
    draw_probability: str | None,
    tau: str,
    report: Path | None,
    game: str | None,
    strict: bool,
    format_: Format,
    **selected: Any,
) -> None:
    """Print the ratings of the results in FILES (-: standard input).

    FILES are PGN (of fastchess, cutechess, lichess and others), CSV or JSON lines, also compressed by gzip or
    zstd. Of PGN the tags are read; no rules are run. Games that cannot be rated are counted and named by
    line. `tourney import` keeps the results in a database. docs/how-to/rate-results.md has examples,
    docs/reference/result-files.md all forms.

    Batch ratings are Elo relative to the mean of all players, with 95 % confidence intervals. Two games with
    colours reversed that share a pair label, an opening or a round are one observation.
    """
    _check(method, model, show, draw_probability, tau, levels)
    selection = selection_of(**selected)
    output = current()
    with counting(output, "read", "games") as step:
        tally, problems = read_files(
            files,
            selection.filter,
            form=selection.form,
            ordered=method == "trueskill" or report is not None,
            step=lambda done: step(done, None),
        )
    names = dict(enumerate(tally.players))
    if show == "problems":
        _print_problems(problems, format_, output)
    elif method == "trueskill":
        settings = _settings(tally, draw_probability, tau, forfeits)
        pool = Pool.of(names, settings).after_ordered(results_of(tally), forfeits)
        table = measures_table(pool.table(), method, TRUESKILL_MEASURES, names, faults_of(tally))
        said = f"rated with tau {settings.tau:g} and draw probability {settings.draw_probability:g}"
        table.write(output, format_, [said], tournament=None)
    else:
        batch = rate_tally(
            tally, forfeits, pairs=show in {"pairs", "los"}, model=MODELS[model], anchors=levels
        )
        notes = list(pool_notes(batch, names, shared="pair"))
        if show == "los":
            _superiority(batch, tally, format_).write(output, format_, notes)
        else:
            if levels and show == "players":
                # The heads of these columns do not say "relative to the mean", so they serve anchors too.
                notes.append(anchors_text(levels))
            table = batch_table(batch, show, names, faults_of(tally), people=format_ is Format.TABLE)
            table.write(output, format_, notes, tournament=None)
    _say(tally, problems, output)
    if report is not None:
        _write_report(tally, game or game_of(problems), files, report, output)
    if strict and problems.damaged:
        raise CheckError(f"{problems.damaged:,} games, lines or files are damaged")


def _check(
    method: str,
    model: str,
    show: str,
    draw_probability: str | None,
    tau: str,
    levels: dict[str, float],
) -> None:
    if method == "trueskill":
        batch = {
            "--anchor": bool(levels),
            f"--model {model}": model != "tourney",
            f"--show {show}": show not in {"players", "problems"},
        }
        refuse_for("batch", (option for option, given in batch.items() if given))
    else:
        trueskill = {"--tau": tau != "0", "--draw-probability": draw_probability is not None}
        refuse_for("trueskill", (option for option, given in trueskill.items() if given))


def _superiority(batch: Batch, tally: Tally, format_: Format) -> RatingTable:
    """Return the matrix of all players. Raises UsageError where it is too wide for a table."""
    rows = superiority_rows(batch, dict(enumerate(tally.players)))
    if format_ is Format.TABLE and len(rows) > MAX_MATRIX:
        raise UsageError(
            f"a table of {len(rows)} players is too wide: use --format csv or json, or --min-games N"
        )
    places = [str(place) for place in range(1, len(rows) + 1)]
    columns = [Column("place", "#", right=True), Column("name")]
    columns += [
        Column(place, right=True, help=f"P(player of the row is stronger than number {place})", digits=3)
        for place in places
    ]
    values = {
        "players": [row["name"] for row in rows],
        "better": [[row[place] for place in places] for row in rows],
    }
    return RatingTable(rows, columns, SuperiorityDocument, values)


def _print_problems(problems: Problems, format_: Format, output: Output) -> None:
    rows = [place._asdict() | {"kind": KINDS[place.kind]} for place in problems.places]
    if format_ is Format.JSON:
        output.document(ProblemsDocument, problems=rendered(rows, PROBLEMS, people=False))
    else:
        output.table(rendered(rows, PROBLEMS, people=format_ is Format.TABLE), PROBLEMS, format_)


def _settings(tally: Tally, draw_probability: str | None, tau: str, forfeits: Forfeits) -> Settings:
    if draw_probability == "estimate":
        probability = estimate_draw_probability(results_of(tally), forfeits)
    else:
        probability = (
            Settings().draw_probability
            if draw_probability is None
            else number("--draw-probability", draw_probability)
        )
    return Settings(
        draw_probability=probability, tau=PACKAGE_TAU if tau == "default" else number("--tau", tau)
    )


def _say(tally: Tally, problems: Problems, output: Output) -> None:
    games = f"{tally.games:,} game{'' if tally.games == 1 else 's'}"
    players = f"{len(tally.players):,} player{'' if len(tally.players) == 1 else 's'}"
    output.say(f"{games} of {players} rated, of {problems.read:,} read.")
    report_problems(problems, output)


def _write_report(tally: Tally, game: str, files: Sequence[Path], folder: Path, output: Output) -> None:
    """Write the pages of the games, from a database that lives as long as it takes."""
    from tourney.cli.report import check_options, write_report  # noqa: PLC0415 - slow to import, as below
    from tourney.store.repository import Repository  # noqa: PLC0415 - likewise

    options = check_options(no_measured=True, logs=False, address="", templates=None)
    with (
        tempfile.TemporaryDirectory(prefix="tourney-") as place,
        Repository.open(str(Path(place) / "results.db"), create=True) as opened,
    ):
        stored = store_tally(opened, name_of(files[0]), game, tally, "")
        with opened.snapshot() as repository:
            tournament = repository.tournament_by_id(stored.id)
            written = write_report(repository, tournament, folder, options, output)
    output.say(f"the report rates by Tourney's own model, relative to the mean: {written.index}")
