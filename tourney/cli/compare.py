"""``tourney compare``: is A better than B? Plays until it knows."""

import shlex
import sys
from contextlib import ExitStack
from pathlib import Path

import click

from tourney.cli.options import bots_option, db_option, format_option, output_options, pairs
from tourney.cli.output import Column, Format, current
from tourney.cli.run import MAX_WORKERS, choose_listener, end_of
from tourney.compare.compare import Request, compare_bots
from tourney.compare.format import BATCH, StoppingRule
from tourney.compare.result import decision_text
from tourney.errors import UsageError
from tourney.match.spec import Limits
from tourney.ratings.sprt import Sprt
from tourney.run.config.tournament_file import EntrantLine
from tourney.run.engine.stopping import Deadline
from tourney.run.workers.local import LocalExecutor, default_workers
from tourney.seeds import U64
from tourney.store.plans import RunSettings, SandboxLevel

COLUMNS = (
    *("comparison", "game", "a", "b", "decision", "ended", "pairs", "pentanomial", "lost_pairs", "score"),
    *("elo", "low", "high", "los", "llr", "lower", "upper", "elo0", "elo1", "alpha", "beta"),
    *("faults_a", "faults_b"),
)
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
@click.argument("a")
@click.argument("b")
@click.option("--game", required=True, metavar="GAME", help="The game they play.")
@click.option("--elo0", type=float, default=0.0, show_default=True, help="H0: A is so many Elo better.")
@click.option("--elo1", type=float, default=20.0, show_default=True, help="H1: A is so many Elo better.")
@click.option(
    "--alpha", type=float, default=0.05, show_default=True, help="How often H1 is taken if H0 holds."
)
@click.option(
    "--beta", type=float, default=0.05, show_default=True, help="How often H0 is taken if H1 holds."
)
@click.option(
    "--batch",
    type=click.IntRange(1, 100_000),
    default=BATCH,
    show_default=True,
    metavar="PAIRS",
    help="After how many pairs of games it is asked whether it is known.",
)
@click.option(
    "--max-pairs", type=click.IntRange(1), metavar="PAIRS", help="Give up after so many. [default: never]"
)
@click.option("--args-a", default="", metavar="WORDS", help="Arguments of A, as '--playouts 100'.")
@click.option("--args-b", default="", metavar="WORDS", help="Arguments of B.")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the game; may be given more than once.",
)
@click.option("--move-ms", type=click.IntRange(1), metavar="MS", help="Time for an action. [default: 1000]")
@click.option(
    "--opening-plies",
    type=click.IntRange(0, 200),
    metavar="N",
    help="Actions drawn at random at the start of each pair. [default: 4, but 0 in games with dice or hidden"
    " actions]",
)
@click.option("--seed", type=click.IntRange(0, U64 - 1), metavar="N", help="[default: drawn at random]")
@click.option("--name", metavar="NAME", help="The comparison's name. [default: made of what is asked]")
@click.option("--sandbox", type=click.Choice(["strict", "auto", "off"]), default="auto", show_default=True)
@click.option("--reuse", is_flag=True, help="Keep a bot's process from match to match: for bots one trusts.")
@click.option(
    "--workers",
    type=click.IntRange(1, MAX_WORKERS),
    metavar="N",
    help="How many matches are played at once. [default: one per processor]",
)
@click.option("--until", metavar="HH:MM", help="Begin nothing that would not end by this time of day.")
@click.option("--budget", metavar="SPAN", help="The same, so long from now: 8h, 90m, 1h30m.")
@db_option
@bots_option
@format_option
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
    args_a: str,
    args_b: str,
    options: tuple[str, ...],
    move_ms: int | None,
    opening_plies: int | None,
    seed: int | None,
    name: str | None,
    sandbox: SandboxLevel,
    reuse: bool,
    workers: int | None,
    until: str | None,
    budget: str | None,
    db: str,
    bots: str,
    format_: Format,
) -> None:
    """Say whether bot A is better than bot B: play until it is known.

    A and B are bots' names in the store, or paths. They play pairs of games that share dice and opening, each
    bot once in each seat. After every batch of pairs a sequential test (GSPRT) asks whether A is rather elo1
    or rather elo0 Elo better than B, and stops when it knows. Faults count as losses. Said again, the same
    question goes on where it stopped, and tells what came of it once it has ended.
    """
    output = current()
    request = Request(
        a=EntrantLine(a, args=_words("--args-a", args_a)),
        b=EntrantLine(b, args=_words("--args-b", args_b)),
        game=game,
        terms=StoppingRule(Sprt(elo0, elo1, alpha, beta), batch, max_pairs),
        options=pairs(options),
        limits=Limits() if move_ms is None else Limits(move_ms=move_ms),
        opening_plies=opening_plies,
        seed=seed,
        name=name,
        run=RunSettings(reuse=reuse, sandbox=sandbox),
    )
    timetable = Deadline(end_of(until, budget))
    count = workers or default_workers()
    with ExitStack() as stack:
        listener = choose_listener(output, stack, f"{a} v {b}")
        compared = compare_bots(
            request, db, Path(bots), lambda: LocalExecutor(count), listener=listener, timetable=timetable
        )
    result = compared.result
    if format_ is Format.TABLE:
        output.write(decision_text(result))
        shown = [{"figure": title, "value": result[key]} for key, title in SHOWN if result[key] is not None]
        output.table(shown, (Column("figure"), Column("value", right=True)))
    else:
        output.table([result], COLUMNS, format_)
    if compared.summary is not None and compared.summary.signal:
        sys.exit(128 + compared.summary.signal)


def _words(option: str, text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"{option} {text!r} cannot be parted into words: {error}") from error
