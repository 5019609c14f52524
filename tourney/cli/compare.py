"""``tourney compare``: find out whether bot A is better than bot B."""

import sys
from contextlib import ExitStack
from pathlib import Path

import click

from tourney.cli.completion import complete_bot, complete_game
from tourney.cli.documents.tournaments import ComparisonDocument
from tourney.cli.options import (
    bots_option,
    db_option,
    formats_option,
    game_option,
    output_options,
    sandbox_option,
    split_words,
)
from tourney.cli.output import Format, current
from tourney.cli.run_options import choose_listener, deadline_options, workers_option
from tourney.compare.compare import ComparisonRequest, compare_bots
from tourney.compare.format import BATCH, StoppingRule
from tourney.compare.result import decision_text
from tourney.match.spec import MAX_MS, Limits
from tourney.ratings.sprt import Sprt
from tourney.results.columns import Column
from tourney.run.config.tournament_file import EntrantLine
from tourney.run.engine.stopping import Deadline
from tourney.run.workers.local import LocalExecutor, default_workers
from tourney.seeds import U64
from tourney.store.values import RunSettings, SandboxLevel

COLUMNS = ComparisonDocument.__struct_fields__[1:]
"""Columns of CSV: all keys of the document but its name."""
SHOWN = (
    ("pairs", "pairs of games"),
    ("pentanomial", "pairs in which A scored 0, 1/2, 1, 3/2, 2"),
    ("lost_pairs", "pairs with a void match"),
    ("score", "score of A"),
    ("elo", "Elo of A over B"),
    ("low", "95 % from"),
    ("high", "95 % to"),
    ("los", "P(A better)"),
    ("llr", "LLR"),
    ("lower", "H0 at"),
    ("upper", "H1 at"),
    ("faults_a", "faults of A"),
    ("faults_b", "faults of B"),
    ("comparison", "stored as"),
)


@click.command("compare")
@click.argument("a", shell_complete=complete_bot)
@click.argument("b", shell_complete=complete_bot)
@click.option("--game", required=True, metavar="GAME", shell_complete=complete_game, help="Game to play.")
@click.option("--elo0", type=float, default=0.0, show_default=True, help="H0: A is better by this many Elo.")
@click.option("--elo1", type=float, default=20.0, show_default=True, help="H1: A is better by this many Elo.")
@click.option(
    "--alpha", type=float, default=0.05, show_default=True, help="Probability of accepting H1 if H0 holds."
)
@click.option(
    "--beta", type=float, default=0.05, show_default=True, help="Probability of accepting H0 if H1 holds."
)
@click.option(
    "--batch",
    type=click.IntRange(1, 100_000),
    default=BATCH,
    show_default=True,
    metavar="PAIRS",
    help="Pairs of games between checks.",
)
@click.option(
    "--max-pairs",
    type=click.IntRange(1),
    metavar="PAIRS",
    help="Stop after this many. [default: no limit]",
)
@click.option(
    "--args-a", default="", metavar="WORDS", callback=split_words, help="Arguments of A, as '--playouts 100'."
)
@click.option("--args-b", default="", metavar="WORDS", callback=split_words, help="Arguments of B.")
@game_option
@click.option(
    "--move-ms", type=click.IntRange(1, MAX_MS), metavar="MS", help="Time per action. [default: 1000]"
)
@click.option(
    "--opening-plies",
    type=click.IntRange(0, 200),
    metavar="N",
    help="Random actions at the start of each pair. [default: 4; 0 in games with dice or hidden actions]",
)
@click.option("--seed", type=click.IntRange(0, U64 - 1), metavar="N", help="Seed. [default: random]")
@click.option("--name", metavar="NAME", help="Name of the comparison. [default: from bots and options]")
@sandbox_option
@click.option("--reuse", is_flag=True, help="Keep a bot's process from match to match; for trusted bots.")
@workers_option()
@deadline_options
@db_option
@bots_option
@formats_option(ComparisonDocument)
@output_options
def command(
    a: str,
    b: str,
    game: str,
    elo0: float,
    elo1: float,
    alpha: float,
    beta: float,
    batch: int,
    max_pairs: int | None,
    args_a: tuple[str, ...],
    args_b: tuple[str, ...],
    options: dict[str, str],
    move_ms: int | None,
    opening_plies: int | None,
    seed: int | None,
    name: str | None,
    sandbox: SandboxLevel,
    reuse: bool,
    workers: int | None,
    deadline: Deadline,
    db: str,
    bots: str,
    format_: Format,
) -> None:
    """Find out whether bot A is better than bot B: play until the result is significant.

    A and B are names of stored bots, or paths. They play pairs of games that share dice and opening, with
    each bot once in each seat. After every batch of pairs a sequential test (GSPRT) tests H1, "A is elo1
    better", against H0, "A is elo0 better", and play ends when it accepts one of them. Faults count as
    losses. The same command continues where it stopped, and shows the result once the comparison has ended.
    """
    output = current()
    request = ComparisonRequest(
        a=EntrantLine(a, args=args_a),
        b=EntrantLine(b, args=args_b),
        game=game,
        rule=StoppingRule(Sprt(elo0, elo1, alpha, beta), batch, max_pairs),
        options=options,
        limits=Limits() if move_ms is None else Limits(move_ms=move_ms),
        opening_plies=opening_plies,
        seed=seed,
        name=name,
        run=RunSettings(reuse=reuse, sandbox=sandbox),
    )
    count = workers or default_workers()
    with ExitStack() as stack:
        listener = choose_listener(output, stack, f"{a} v {b}")
        compared = compare_bots(
            request, db, Path(bots), lambda: LocalExecutor(count), listener=listener, deadline=deadline
        )
    result = compared.result
    if format_ is Format.TABLE:
        output.write(decision_text(result))
        shown = [{"figure": title, "value": result[key]} for key, title in SHOWN if result[key] is not None]
        output.table(shown, (Column("figure"), Column("value", right=True)))
    elif format_ is Format.JSON:
        output.document(ComparisonDocument, **result)
    else:
        output.table([result], COLUMNS, format_)
    if compared.summary is not None and compared.summary.signal:
        sys.exit(128 + compared.summary.signal)
