"""``tourney compare``: find out whether bot A is better than bot B."""

import sys
from functools import partial
from pathlib import Path

import click
from click.core import ParameterSource

from tourney.cli.completion import complete_bot
from tourney.cli.documents.compare import ComparisonDocument
from tourney.cli.options import (
    bots_option,
    db_option,
    formats_option,
    output_options,
    split_words,
)
from tourney.cli.output import Format, current
from tourney.cli.run_options import PairSettings, deadline_options, pair_options, play_request, workers_option
from tourney.compare.compare import ComparisonRequest, compare_bots
from tourney.compare.format import BATCH, TEST, StoppingRule
from tourney.compare.result import decision_text
from tourney.errors import UsageError
from tourney.ratings.sprt import Sprt
from tourney.results.columns import Column
from tourney.run.config.tournament_file import EntrantLine
from tourney.run.engine.stopping import Deadline

COLUMNS = ComparisonDocument.__struct_fields__[1:]
"""Columns of CSV: all keys of the document but its name."""
SHOWN = (
    ("pairs", "pairs of games"),
    ("pentanomial", "pairs in which A scored 0, 1/2, 1, 3/2, 2"),
    ("lost_pairs", "pairs with a void match"),
    ("score", "score of A"),
    ("elo", "Elo of A over B"),
    ("intervals", "interval of Elo"),
    ("low", "from"),
    ("high", "to"),
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
@click.option(
    "--width",
    type=click.IntRange(1, 1000),
    metavar="ELO",
    help="Instead of the test: play until Elo is known to so much on each side, at every look.",
)
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
@click.option("--name", metavar="NAME", help="Name of the comparison. [default: from bots and options]")
@pair_options
@workers_option()
@deadline_options
@db_option
@bots_option
@formats_option(ComparisonDocument)
@output_options
def command(
    a: str,
    b: str,
    width: int | None,
    elo0: float,
    elo1: float,
    alpha: float,
    beta: float,
    batch: int,
    max_pairs: int | None,
    args_a: tuple[str, ...],
    args_b: tuple[str, ...],
    name: str | None,
    pairs: PairSettings,
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

    With --width no test is made: play ends when the Elo difference is known that well. The interval may be
    watched while it narrows (95 % at every look).
    """
    if width is not None:
        for option in TEST:
            if click.get_current_context().get_parameter_source(option) is ParameterSource.COMMANDLINE:
                raise UsageError(f"--{option} is of the test, and --width makes none: leave one of them out")
    output = current()
    request = ComparisonRequest(
        a=EntrantLine(a, args=args_a),
        b=EntrantLine(b, args=args_b),
        rule=StoppingRule(Sprt(elo0, elo1, alpha, beta), batch, max_pairs, width),
        name=name,
        **pairs._asdict(),
    )
    play = partial(compare_bots, request, db, Path(bots), deadline=deadline)
    compared = play_request(output, f"{a} v {b}", workers, play)
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
