"""``tourney gate``: accept or reject a bot, for continuous integration."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from tourney.bots.catalogue.store import BotStore
from tourney.cli.completion import complete_bot
from tourney.cli.documents.compare import GateDocument
from tourney.cli.options import args_option, bots_option, db_option, formats_option, output_options
from tourney.cli.output import Format, Output, current, document_text
from tourney.cli.run_options import (
    PairSettings,
    deadline_options,
    max_faults_option,
    pair_options,
    play_request,
    workers_option,
)
from tourney.compare.gate import GateRequest, gate_bot
from tourney.compare.gate_format import GateRule
from tourney.compare.gate_result import (
    COLUMNS,
    EXIT_CODES,
    junit,
    log_title,
    markdown,
    rule_text,
    verdict_text,
    versus_rows,
)
from tourney.errors import BotError, EnvironmentFailure, UsageError
from tourney.files import check_writable, write_file
from tourney.results.columns import Column
from tourney.run.config.tournament_file import EntrantLine
from tourney.run.engine.stopping import Deadline
from tourney.run.monitoring.summary import End
from tourney.store.baselines import Baseline
from tourney.store.engine import database_exists
from tourney.store.repository import Repository

GAIN: Final = 5.0
"""The gain to prove, if neither bound is given."""


WRITERS: Final[Mapping[Format, Callable[[Mapping[str, Any]], str]]] = {
    Format.MARKDOWN: markdown,
    Format.JSON: partial(document_text, GateDocument),
    Format.JUNIT: junit,
}
SUFFIXES: Final = {".md": Format.MARKDOWN, ".json": Format.JSON, ".xml": Format.JUNIT}
"""The formats of ``--out`` by the file's suffix."""


class GateCommand(click.Command):
    """A command whose option ``--against`` takes all words up to the next option, also none."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give each of these words an ``--against`` of its own."""
        return super().parse_args(ctx, list(_spread(args)))


def _spread(args: Sequence[str]) -> Iterator[str]:
    taking = False
    for place, word in enumerate(args):
        if word == "--":
            yield from args[place:]
            return
        if word.startswith("-") and word != "-":
            taking = word == "--against"
            if not taking:
                yield word
        elif taking:
            yield f"--against={word}"
        else:
            yield word


def _files(_ctx: click.Context, _param: click.Parameter, paths: tuple[Path, ...]) -> tuple[Path, ...]:
    for path in paths:
        if path.suffix not in SUFFIXES:
            raise UsageError(f"--out {path} must end in {', '.join(SUFFIXES)}, which says the format")
    return paths


@click.command("gate", cls=GateCommand)
@click.argument("candidate", shell_complete=complete_bot)
@click.option(
    "--against",
    "against",
    multiple=True,
    metavar="BOT...",
    shell_complete=complete_bot,
    help="Baselines to compare with: names or paths, up to the next option. [default: the game's baselines,"
    " see `tourney bots promote`]",
)
@click.option(
    "--gain",
    type=float,
    metavar="ELO",
    help="Reject the candidate once it is proven to gain less. [default: 5; 0 with --no-regression]",
)
@click.option(
    "--no-regression",
    type=float,
    metavar="ELO",
    help="Accept the candidate once it is proven to be better than this, such as -5. [default: 0]",
)
@click.option(
    "--alpha",
    type=float,
    default=0.05,
    show_default=True,
    help="Probability of proving anything better that is not, over all baselines and looks.",
)
@click.option(
    "--beta",
    type=float,
    default=0.05,
    show_default=True,
    help="Probability of proving anything worse that is not, over all baselines and looks.",
)
@click.option(
    "--max-pairs",
    type=click.IntRange(1),
    metavar="PAIRS",
    help="Stop after this many against each baseline; a later command may allow more. [default: no limit]",
)
@click.option(
    "--batch",
    type=click.IntRange(1, 100_000),
    default=16,
    show_default=True,
    metavar="PAIRS",
    help="Pairs of games against each baseline between checks.",
)
@max_faults_option("Reject the candidate once it has this many faults.", 1)
@args_option("candidate")
@pair_options
@workers_option()
@deadline_options
@db_option
@bots_option
@formats_option(GateDocument, formats=("text", *(format_.value for format_ in WRITERS)))
@click.option(
    "--out",
    "files",
    multiple=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    callback=_files,
    help="Also write the verdict to a file: .md, .json, or .xml (JUnit); repeatable.",
)
@output_options
def command(
    candidate: str,
    against: tuple[str, ...],
    gain: float | None,
    no_regression: float | None,
    alpha: float,
    beta: float,
    max_pairs: int | None,
    batch: int,
    max_faults: int,
    words: tuple[str, ...],
    pairs: PairSettings,
    workers: int | None,
    deadline: Deadline,
    db: str,
    bots: str,
    format_: Format,
    files: tuple[Path, ...],
) -> None:
    """Accept or reject CANDIDATE by games against baselines, for continuous integration.

    Exit code 0: accepted, it is proven to be better than --no-regression against every baseline. 1: rejected,
    it is proven to gain less than --gain against one, it was at fault, or it cannot be built or started;
    its log is in the verdict. 4: undecided. The error rates hold over all baselines, however often one looks.

    Decisions fall after whole batches in schedule order, so the number of workers changes nothing. --budget,
    --until and a signal decide only when to stop: then the verdict is undecided, and the same command goes on
    with the same database.
    """
    output = current()
    for path in files:
        check_writable(path)
    if no_regression is None:
        low, high = 0.0, GAIN if gain is None else gain
    else:
        low, high = no_regression, 0.0 if gain is None else gain
    request = GateRequest(
        EntrantLine(candidate, args=words),
        tuple(map(EntrantLine, against)) or _baselines(db, pairs.game, Path(bots)),
        rule=GateRule(low, high, alpha, beta, batch, max_faults),
        max_pairs=max_pairs,
        **pairs._asdict(),
    )
    play = partial(gate_bot, request, db, Path(bots), deadline=deadline)
    gated = play_request(output, f"gate of {candidate}", workers, play)
    result, summary = gated.result, gated.summary
    for path in files:
        write_file(path, f"{WRITERS[SUFFIXES[path.suffix]](result)}\n".encode())
    if format_ is Format.TEXT:
        _print(output, result)
    elif format_ is Format.JSON:
        output.document(GateDocument, **result)
    else:
        output.write(WRITERS[format_](result))
    if summary is not None and summary.signal:
        sys.exit(128 + summary.signal)
    if summary is not None and summary.end is End.TIME:
        output.say(
            "the time is up, which decides when to stop and nothing else: run the command again to go on"
        )
    if result["reason"] == "baseline":
        raise EnvironmentFailure(
            "a baseline fails on this machine, so there is nothing to compare with: run `tourney bots check`"
            " on it"
        )
    sys.exit(EXIT_CODES[result["verdict"]])


def _baselines(db: str, game: str, bots: Path) -> tuple[EntrantLine, ...]:
    """Return the promoted baselines of a game as entrants. Raises UsageError if there are none."""
    found: tuple[Baseline, ...] = ()
    if database_exists(db):
        with Repository.open(db) as repository:
            found = repository.baselines(game)
    if not found:
        raise UsageError(
            f"there is no baseline of {game}: name one by --against BOT, or make one by"
            f" `tourney bots promote BOT --game {game}`"
        )
    store = BotStore(bots)
    for one in found:
        try:
            store.provide(one.digest)
        except BotError as error:
            raise UsageError(
                f"the files of the baseline {one.name} are not in the bot store {bots}: keep that folder with"
                f" the database, or promote a bot again ({error})"
            ) from error
    return tuple(EntrantLine(one.digest, one.name, one.promotion.args) for one in found)


def _print(output: Output, result: Mapping[str, Any]) -> None:
    output.write(verdict_text(result))
    output.write("")
    output.table(
        versus_rows(result), [Column(name, name, right=place > 1) for place, name in enumerate(COLUMNS)]
    )
    output.write(f"\n{rule_text(result)}")
    if result["log"]:
        output.write(f"\n{log_title(result)}:\n")
        for line in result["log"]:
            output.write(line)
    if result["gate"]:
        output.write(f"\nStored as {result['gate']}: see `tourney report {result['gate']}`")
